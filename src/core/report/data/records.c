/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/data/records.h"

#include <assert.h>
#include <string.h>

/* Of the core. */
static const dsm__record_type *const core_formats[] = {
    &dsm__budget_record,  &dsm__check_record,      &dsm__describe_record, &dsm__diff_record,
    &dsm__explain_record, &dsm__elasticity_record, &dsm__ladder_record,   &dsm__list_record,
    &dsm__points_record,  &dsm__validate_record,
};

/* A companion's stands before the first of the core whose name comes later. */
static void insert_format(dsm__formats *all, const dsm__record_type *format) {
  size_t at = 0;
  assert(all->count < DSM__FORMATS_MAX);
  while (at < all->count && strcmp(all->items[at]->format, format->format) < 0) {
    at++;
  }
  memmove(&all->items[at + 1], &all->items[at], (all->count - at) * sizeof *all->items);
  all->items[at] = format;
  all->count++;
}

dsm__formats dsm__formats_of_results(void) {
  dsm__formats all = {.count = DSM__COUNT_OF(core_formats)};
  memcpy(all.items, core_formats, sizeof core_formats);
  for (size_t c = 0; dsm__companions[c] != NULL; c++) {
    const dsm__record_type *const *const formats = dsm__companions[c]->formats;
    for (size_t i = 0; formats[i] != NULL; i++) {
      insert_format(&all, formats[i]);
    }
  }
  return all;
}

#define FIGURE(member, flag, of_unit, about)                                                       \
  DSM__FIELD(REAL, dsm_plan_result, member, #member, DSM__COLUMN | DSM__ABOVE | (flag),            \
             .unit = (of_unit), .help = (about))

DSM__RECORD(dsm__figures_record, dsm_plan_result, false, "The prediction for a step.",
            FIGURE(step_cycles, DSM__LESS, "cycles", "Of a step."),
            FIGURE(step_seconds, DSM__LESS, "seconds", "The same."),
            FIGURE(samples_per_second, DSM__MORE, "1/s", "minibatch / step_seconds."),
            FIGURE(utilization, DSM__MORE, "ratio", "Ideal over step, at most 1."));

dsm_decision_drift dsm__presence_row(const char *layer, dsm_pass pass, dsm_presence presence) {
  const bool is_new = presence == DSM_PRESENCE_NEW;
  return (dsm_decision_drift){.layer = layer,
                              .pass = pass,
                              .decision = "presence",
                              .before = is_new ? NULL : "present",
                              .after = is_new ? "present" : NULL};
}

dsm__rows dsm__rows_make(dsm__page *page, size_t count, size_t size) {
  return dsm__rows_of(page, dsm__arena_array(page->arena, count, size), count);
}

dsm__rows dsm__rows_of(dsm__page *page, void *items, size_t count) {
  page->out.failed = page->out.failed || items == NULL;
  return (dsm__rows){.items = items, .count = items == NULL ? 0 : count};
}

void dsm__data_json(dsm__page *page, const dsm__record_type *type, const void *document) {
  dsm__json_writer writer = {.out = &page->out, .renaming = page->renaming};
  dsm__record_write(&writer, type, document);
  dsm__json_finish(&writer);
}
