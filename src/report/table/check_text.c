/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/check_text.h"

#include <math.h>

#include "base/number_text.h"
#include "report/table/moved_rows.h"
#include "report/table/number_style.h"
#include "report/table/table.h"

dsm__text_style dsm__style_of(const dsm_moved *moved, bool is_lower_better) {
  if (!moved->is_beyond) {
    return DSM__STYLE_PLAIN;
  }
  return (moved->change < 0) == is_lower_better ? DSM__STYLE_GOOD : DSM__STYLE_BAD;
}

const char *dsm__change_text(dsm__page *page, const dsm_moved *moved) {
  if (!isfinite(moved->change)) {
    return "new";
  }
  if (!(fabs(moved->change) > 0)) {
    return "0 %";
  }
  const double percent = 100 * fabs(moved->change);
  const dsm__figure figure =
      percent < 0.01 ? dsm__figure_digits(percent, 2) : dsm__figure_fixed(percent, 2);
  return dsm__page_text(page, "%s%s %%", moved->change < 0 ? "-" : "+", figure.text);
}

const char *dsm__check_summary(dsm__page *page, const dsm_drift *drift) {
  const dsm_moved *const time = &drift->step_seconds;
  const dsm_moved *const utilization = &drift->utilization;
  return dsm__page_text(page, "%s on %s, %s, minibatch %s: step %s ms, utilization %s %%",
                        drift->workload, drift->system, dsm_mode_name(drift->mode),
                        dsm__figure_count(drift->minibatch_after).text,
                        dsm__figure_digits(1e3 * time->after, 5).text,
                        dsm__figure_fixed(100 * utilization->after, 1).text);
}

const char *dsm__check_message(dsm__page *page, const dsm_drift *drift) {
  const char *text = dsm__page_text(page, "step time %s, utilization %s, tolerance %s %%",
                                    dsm__change_text(page, &drift->step_seconds),
                                    dsm__change_text(page, &drift->utilization),
                                    dsm__figure_short(100 * drift->tolerance, 3).text);
  if (drift->minibatch_before != drift->minibatch_after) {
    text = dsm__page_join(page, text, "; ", "time of a sample %s",
                          dsm__change_text(page, &drift->sample_seconds));
  }
  if (drift->layer_count > 0) {
    text = dsm__page_join(page, text, "; ", "%zu layer%s on one side only", drift->layer_count,
                          dsm__plural((double)drift->layer_count));
  }
  if (drift->pass_count > 0) {
    text = dsm__page_join(page, text, "; ", "%zu pass%s beyond it", drift->pass_count,
                          drift->pass_count == 1 ? "" : "es");
  }
  if (drift->decision_count > 0) {
    text = dsm__page_join(page, text, "; ", "%zu decision%s changed", drift->decision_count,
                          dsm__plural((double)drift->decision_count));
  }
  return text;
}

size_t dsm__rows_shown(size_t count, size_t limit) {
  return limit > 0 && count > limit ? limit : count;
}

void dsm__put_left_out(dsm__page *page, size_t count, size_t limit) {
  const size_t left = count - dsm__rows_shown(count, limit);
  if (left > 0) {
    dsm__page_labelled(page, 2, "", "and %zu more; --all shows them", left);
  }
}

const char *dsm__one_sided_layers(dsm__page *page, const dsm_layer_drift *layers, size_t count,
                                  dsm_presence presence, size_t limit) {
  const dsm__moved_rows rows = dsm__moved_layers(page, layers, count, presence);
  const size_t shown = dsm__rows_shown(rows.count, limit);
  const char *text = "";
  size_t left = 0;
  for (size_t i = 0; i < rows.count; i++) {
    text = i < shown ? dsm__page_join(page, text, ", ", "%s", rows.items[i].name) : text;
    left += i < shown ? 0 : rows.items[i].count;
  }
  return left > 0 ? dsm__page_text(page, "%s and %zu more; --all shows them", text, left) : text;
}

void dsm__put_decisions(dsm__page *page, const dsm_decision_drift *decisions, size_t count,
                        size_t limit, const char *const sides[2]) {
  const dsm__table_column columns[] = {
      {.title = "layer", .is_name = true},
      {.title = "n", .gap = 1, .is_right = true, .is_optional = true},
      {.title = "pass", .gap = 2},
      {.title = "decision", .gap = 2},
      {.title = sides[0], .gap = 2},
      {.title = sides[1], .gap = 2},
  };
  const dsm__moved_rows rows = dsm__moved_decisions(page, decisions, count);
  const size_t shown = dsm__rows_shown(rows.count, limit);
  if (shown == 0) {
    return;
  }
  dsm__table table = DSM__TABLE(page, columns);
  table.indent = 2;
  for (size_t i = 0; i < shown; i++) {
    const dsm_decision_drift *const decision = &decisions[rows.items[i].first];
    DSM__TABLE_TEXTS(&table, rows.items[i].name, rows.items[i].times,
                     decision->pass == DSM_PASS_COUNT ? "" : dsm_pass_name(decision->pass),
                     decision->decision, decision->before, decision->after);
  }
  dsm__table_print(&table);
  dsm__put_left_out(page, rows.count, limit);
  dsm__put_moved_note(page, &rows, shown, false);
}
