/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/wording.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "model/names.h"

static const char nothing[] = "none";

/* "in 2 ij 8", after a text that is there already: loops that are not split are left out. */
static void put_split(dsm__wording *wording, const dsm_loops *split) {
  const size_t used = strlen(wording->text);
  (void)snprintf(wording->text + used, sizeof wording->text - used, "%s%s", used > 0 ? " " : "",
                 dsm__split_text_of(split, nothing).text);
}

static void put_text(dsm__wording *wording, const char *text) {
  (void)snprintf(wording->text, sizeof wording->text, "%s", text);
}

static void put_later_split(dsm__wording *wording, const dsm_recorded_pass *pass) {
  wording->is_unknown = !pass->lists_invocations;
  if (!pass->has_later) {
    put_text(wording, nothing);
    return;
  }
  (void)snprintf(wording->text, sizeof wording->text,
                 "%s:", dsm_invocation_kind_name(pass->later_kind));
  put_split(wording, &pass->later_core_split);
}

static void put_layout(dsm__wording *wording, const dsm_core_layout *layout) {
  if (layout->features == 0) {
    put_text(wording, nothing);
    return;
  }
  (void)snprintf(wording->text, sizeof wording->text,
                 "features %" PRIu64 " ij %" PRIu64 " mb %" PRIu64, layout->features, layout->ij,
                 layout->mb);
}

static void put_pipeline(dsm__wording *wording, const dsm_recorded_layer *layer) {
  if (layer->pipeline == NULL) {
    put_text(wording, nothing);
    return;
  }
  (void)snprintf(wording->text, sizeof wording->text, "%s: %" PRIu64 " x %" PRIu64 " chips",
                 layer->pipeline, layer->pipeline_columns, layer->pipeline_rows);
}

dsm__wording dsm__decision_wording(const dsm_recorded_layer *layer, dsm_pass pass,
                                   dsm_compared decision) {
  dsm__wording wording = {.text = ""};
  char number[DSM__NUMBER_TEXT_SIZE];
  switch (decision) {
  case DSM_COMPARED_PARALLELISM:
    put_text(&wording, dsm_parallelism_name(layer->passes[pass].parallelism));
    break;
  case DSM_COMPARED_CORE_SPLIT:
    put_split(&wording, &layer->passes[pass].core_split);
    break;
  case DSM_COMPARED_LATER_CORE_SPLIT:
    put_later_split(&wording, &layer->passes[pass]);
    break;
  case DSM_COMPARED_DYSM_FACTOR:
    (void)snprintf(wording.text, sizeof wording.text, "%" PRIu64, layer->dysm_factor);
    break;
  case DSM_COMPARED_OUTPUT_ON_CHIP:
    put_text(&wording, layer->is_output_held ? "true" : "false");
    break;
  case DSM_COMPARED_OUTPUT_LAYOUT:
    put_layout(&wording, &layer->output_layout);
    break;
  case DSM_COMPARED_WEIGHTS_ON_CHIP:
    wording.fraction = layer->weights_on_chip;
    (void)dsm__double_to_text(layer->weights_on_chip, number);
    put_text(&wording, number);
    break;
  case DSM_COMPARED_PIPELINE_GROUP:
    put_pipeline(&wording, layer);
    break;
  case DSM_COMPARED_ERROR_PARALLELISM:
    put_text(&wording, layer->has_error_parallelism ? dsm_parallelism_name(layer->error_parallelism)
                                                    : nothing);
    break;
  case DSM_COMPARED_COUNT:
    break;
  }
  return wording;
}

bool dsm__is_same_wording(const dsm__wording *a, const dsm__wording *b) {
  const bool is_fraction = a->fraction > 0 && b->fraction > 0;
  return strcmp(a->text, b->text) == 0 ||
         (is_fraction && fabs(a->fraction - b->fraction) <= DSM_TOLERANCE_ROUNDING);
}
