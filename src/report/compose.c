/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compose.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/figures.h"

char *dsm__report_finish(dsm__text_buffer *out) {
  if (!out->failed && out->text != NULL)
    return out->text;
  dsm__text_fini(out);
  return NULL;
}

void dsm__report_line(dsm__text_buffer *out, dsm_table_style style, dsm__tone tone,
                      const char *text) {
  dsm__tone_begin(out, style.color, tone);
  dsm__display_wrap(out, text, style.width, (dsm__indent){.first = 0, .rest = 2});
  if (style.color && tone != DSM__TONE_PLAIN && out->length > 0 && !out->failed)
    out->length--; /* the tone ends before the line does */
  dsm__tone_end(out, style.color, tone);
  if (style.color && tone != DSM__TONE_PLAIN)
    dsm__text_repeat(out, '\n', 1);
}

void dsm__report_labelled(dsm__text_buffer *out, dsm_table_style style, size_t label_width,
                          const char *label, const char *text) {
  dsm__tone_begin(out, style.color, DSM__TONE_HEADING);
  dsm__display_put(out, label, label_width, false);
  dsm__tone_end(out, style.color, DSM__TONE_HEADING);
  dsm__display_wrap(out, text, style.width,
                    (dsm__indent){.first = label_width, .rest = label_width});
}

const char *dsm__report_text(dsm__arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  const char *result = NULL;
  char *const text = length < 0 ? NULL : dsm__arena_alloc(arena, (size_t)length + 1);
  if (text != NULL && vsnprintf(text, (size_t)length + 1, format, again) >= 0)
    result = dsm__display_clean(arena, text);
  va_end(again);
  return result == NULL ? "" : result;
}

const char *dsm__report_plan_heading(dsm__arena *arena, const dsm_plan *plan) {
  const dsm_system *const system = plan->system;
  return dsm__report_text(
      arena, "%s on %s: %s, minibatch %s, %" PRIu64 " x %" PRIu64 " chips, peak %s",
      plan->workload->name, system->name, dsm_mode_name(plan->options.mode),
      dsm__figure_count(plan->workload->minibatch).text, system->system.chips_x,
      system->system.chips_y, dsm__figure_scaled(dsm_system_peak_flops(system), "FLOP/s").text);
}

const char *dsm__report_split(dsm__arena *arena, const dsm_loops *split) {
  char text[DSM_DIM_COUNT * 32] = "-";
  size_t used = 0;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    if (split->n[d] != 1) {
      const int wrote = snprintf(text + used, sizeof text - used, "%s%s %" PRIu64,
                                 used > 0 ? " " : "", dsm_dim_name((dsm_dim)d), split->n[d]);
      used += wrote > 0 ? (size_t)wrote : 0;
    }
  }
  return dsm__report_text(arena, "%s", text);
}
