/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/explain_view.h"

#include <inttypes.h>
#include <math.h>

#include "plan/alike.h"
#include "report/loss.h"
#include "report/table/moved_rows.h"
#include "report/table/number_style.h"

/* Two times that differ by less, relatively, are the same. */
#define SAME 1e-9
/* Tensors that a line names one by one. */
#define NAMES_MAX 4

static const struct {
  const char *label;
  bool is_flag;
} decisions[] = {
    [DSM_DECISION_OUTPUT_HELD] = {"held on chip", true},
    [DSM_DECISION_DYSM_FACTOR] = {"DySM factor", false},
    [DSM_DECISION_PIPELINED] = {"pipelined", true},
    [DSM_DECISION_HOISTED] = {"hoisted", true},
    [DSM_DECISION_SHARD] = {"shared out", false},
    [DSM_DECISION_RECOMPUTED] = {"recomputed", true},
    [DSM_DECISION_MICRO_BATCHES] = {"micro-batches", false},
    [DSM_DECISION_STAGES] = {"stages", false},
    [DSM_DECISION_SHARDED_LAYERS] = {"shards", false},
    [DSM_DECISION_RECOMPUTED_LAYERS] = {"recomputing", false},
};
_Static_assert(DSM__COUNT_OF(decisions) == DSM_DECISION_COUNT, "a label for each decision");

const char *dsm__what_if_label(dsm_decision decision) {
  return decisions[decision].label;
}

/* Names of some layers; of many the first, then "and 3 more". */
static const char *layer_names(dsm__page *page, const dsm_plan *plan, const size_t *layers,
                               size_t count) {
  dsm__alike classes;
  const char **names;
  const char **texts;
  size_t left;
  if (!DSM__RESERVE(page->arena, names, count) || !DSM__RESERVE(page->arena, texts, count) ||
      !dsm__alike_find(&classes, plan->layers, plan->layer_count, DSM__ALIKE_NUMBERS,
                       page->arena)) {
    page->out.failed = true;
    return "";
  }
  for (size_t i = 0; i < count; i++) {
    names[i] = plan->layers[layers[i]].layer->name;
    texts[i] = dsm__page_text(page, "%zu", classes.class_of[layers[i]]);
  }
  const dsm__moved_rows rows = dsm__moved_lines(page, names, texts, count);
  const char *const text = dsm__moved_names(page, &rows, NAMES_MAX, &left);
  return left > 0 ? dsm__page_text(page, "%s and %zu more", text, left) : text;
}

static const char *value_text(dsm__page *page, const dsm_what_if *what_if) {
  return what_if->decision == DSM_DECISION_SHARD ? dsm_sharding_name((dsm_sharding)what_if->value)
         : !decisions[what_if->decision].is_flag ? dsm__page_text(page, "%" PRIu64, what_if->value)
         : what_if->value == 0                   ? "no"
         : what_if->value == 1                   ? "yes"
                                                 : "operations";
}

/* How the step differs from the reference: "+12.3 % (+1,118,660 cycles)". */
static const char *change_text(dsm__page *page, double step, double network_cycles) {
  const double difference = network_cycles - step;
  const char *const sign = difference < 0 ? "-" : "+";
  if (fabs(difference) <= SAME * step) {
    return "as fast";
  }
  return dsm__page_text(page, "%s%s %% (%s%s cycles)", sign,
                        dsm__figure_digits(100 * dsm__share(fabs(difference), step), 3).text, sign,
                        fabs(difference) < 1 ? dsm__figure_digits(fabs(difference), 2).text
                                             : dsm__figure_fixed(fabs(difference), 0).text);
}

/* What else changes: ", then also held: a, b". */
static const char *tensors_text(dsm__page *page, const dsm_plan *plan, const dsm_what_if *what_if) {
  const char *text = "";
  if (what_if->also_held_count > 0) {
    text = dsm__page_text(page, ", then also held: %s",
                          layer_names(page, plan, what_if->also_held, what_if->also_held_count));
  }
  if (what_if->not_held_count > 0) {
    text = dsm__page_text(page, "%s%s no longer held: %s", text, text[0] == '\0' ? ", then" : ";",
                          layer_names(page, plan, what_if->not_held, what_if->not_held_count));
  }
  return text;
}

const char *dsm__what_if_text(dsm__page *page, const dsm_plan *plan, double reference_cycles,
                              const dsm_what_if *what_if) {
  const char *const value = value_text(page, what_if);
  const char *const mark = what_if->is_chosen ? " (chosen)" : "";
  if (!(what_if->network_cycles > 0)) {
    return dsm__page_text(page, "%s%s: not possible%s%s", value, mark,
                          what_if->why_not == NULL ? "" : ": ",
                          what_if->why_not == NULL ? "" : what_if->why_not);
  }
  const double difference = what_if->network_cycles - reference_cycles;
  if (what_if->is_chosen && fabs(difference) <= SAME * reference_cycles) {
    return dsm__page_text(page, "%s%s", value, mark);
  }
  return dsm__page_text(page, "%s%s: %s%s", value, mark,
                        change_text(page, reference_cycles, what_if->network_cycles),
                        tensors_text(page, plan, what_if));
}
