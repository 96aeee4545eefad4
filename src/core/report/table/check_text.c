/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/check_text.h"

#include <math.h>
#include <string.h>

#include "base/number_text.h"
#include "check/differences.h"
#include "report/table/moved_rows.h"
#include "report/table/number_style.h"

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
  const char *const text = dsm__page_text(
      page, "%s on %s, %s, minibatch %s: step %s ms, utilization %s %%", drift->workload,
      drift->system, dsm_mode_name(drift->mode), dsm__figure_count(drift->minibatch_after).text,
      dsm__figure_digits(1e3 * time->after, 5).text,
      dsm__figure_fixed(100 * utilization->after, 1).text);
  const double joules = drift->sample_joules.after * (double)drift->minibatch_after;
  return drift->has_energy
             ? dsm__page_text(page, "%s, %s J", text, dsm__figure_digits(joules, 5).text)
             : text;
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
  if (drift->has_energy) {
    text = dsm__page_join(page, text, "; ", "joules of a sample %s",
                          dsm__change_text(page, &drift->sample_joules));
  }
  if (drift->sample_dollars.is_beyond) {
    text = dsm__page_join(page, text, "; ", "cost of a sample %s",
                          dsm__change_text(page, &drift->sample_dollars));
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

dsm_verdict dsm__verdict_of(const dsm_checked *item) {
  return item->drift != NULL        ? item->drift->verdict
         : item->comparison != NULL ? item->comparison->verdict
                                    : DSM_VERDICT_COUNT;
}

size_t dsm__rows_shown(size_t count, size_t limit) {
  return limit > 0 && count > limit ? limit : count;
}

void dsm__put_list(dsm__table *table, size_t count, size_t limit) {
  const size_t left = count - dsm__rows_shown(count, limit);
  table->indent = 2;
  if (count > 0) {
    dsm__table_print(table);
  }
  if (left > 0) {
    dsm__page_labelled(table->page, 2, "", "and %zu more; --all shows them", left);
  }
}

const char *dsm__one_sided_layers(dsm__page *page, const dsm_layer_drift *layers, size_t count,
                                  dsm_presence presence, size_t limit) {
  const dsm__moved_rows rows = dsm__moved_layers(page, layers, count, presence);
  size_t left;
  const char *const text = dsm__moved_names(page, &rows, limit, &left);
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
  dsm__table table = DSM__TABLE(page, columns);
  for (size_t i = 0; i < shown; i++) {
    const dsm_decision_drift *const decision = &decisions[rows.items[i].first];
    DSM__TABLE_TEXTS(&table, rows.items[i].name, rows.items[i].times,
                     decision->pass == DSM_PASS_COUNT ? "" : dsm_pass_name(decision->pass),
                     decision->decision, decision->before, decision->after);
  }
  dsm__put_list(&table, rows.count, limit);
  dsm__put_moved_note(page, &rows, shown, false);
}

/* ---- documents that are no plans ---- */

/* What only one has as a whole, such as a layer, is not spelt out. */
static const char *input_text(const char *json) {
  return json == NULL ? "-" : json[0] == '{' ? "present" : json;
}

/* A number with its unit: a time as seconds, bytes scaled. */
static const char *value_text(dsm__page *page, const dsm_figure_drift *figure, double value) {
  return !isfinite(value) ? "unlimited"
         : figure->unit == NULL || strcmp(figure->unit, "ratio") == 0
             ? dsm__page_text(page, "%s", dsm__figure_digits(value, 5).text)
             : dsm__page_text(page, "%s %s", dsm__figure_digits(value, 5).text, figure->unit);
}

const char *dsm__comparison_summary(dsm__page *page, const dsm_comparison *comparison) {
  return dsm__page_text(
      page, "%s, %zu figure%s beyond %s %%, %zu decision%s changed", comparison->format,
      comparison->beyond_count, dsm__plural((double)comparison->beyond_count),
      dsm__figure_short(100 * comparison->tolerance, 3).text, comparison->decision_count,
      dsm__plural((double)comparison->decision_count));
}

const char *dsm__comparison_message(dsm__page *page, const dsm_comparison *comparison) {
  const char *text = dsm__comparison_summary(page, comparison);
  for (size_t i = 0; i < comparison->figure_count && i < DSM__JUDGED_MAX; i++) {
    text = dsm__page_join(page, text, "; ", "%s %s", comparison->figures[i].path,
                          dsm__change_text(page, &comparison->figures[i].moved));
  }
  return text;
}

void dsm__put_inputs(dsm__page *page, const char *title, const dsm_input_difference *inputs,
                     size_t count, size_t limit, const char *const sides[2]) {
  const dsm__table_column columns[] = {
      {.title = title, .is_name = true, .comfort = 46},
      {.title = sides[0], .gap = 2, .is_name = true},
      {.title = sides[1], .gap = 2, .is_name = true},
  };
  dsm__table table = DSM__TABLE(page, columns);
  for (size_t i = 0; i < dsm__rows_shown(count, limit); i++) {
    DSM__TABLE_TEXTS(&table, inputs[i].path, input_text(inputs[i].a), input_text(inputs[i].b));
  }
  dsm__put_list(&table, count, limit);
}

void dsm__put_figures(dsm__page *page, const dsm_figure_drift *figures, size_t count, size_t limit,
                      const char *const sides[2]) {
  const dsm__table_column columns[] = {
      {.title = "figure", .is_name = true, .comfort = 46},
      {.title = sides[0], .gap = 2, .is_right = true},
      {.title = sides[1], .gap = 2, .is_right = true},
      {.title = "change", .gap = 2, .is_right = true},
  };
  dsm__table table = DSM__TABLE(page, columns);
  for (size_t i = 0; i < dsm__rows_shown(count, limit); i++) {
    const dsm_figure_drift *const figure = &figures[i];
    DSM__TABLE_TEXTS(&table, figure->path, value_text(page, figure, figure->moved.before),
                     value_text(page, figure, figure->moved.after));
    dsm__table_add(&table,
                   figure->better == 0 ? DSM__STYLE_PLAIN
                                       : dsm__style_of(&figure->moved, figure->better < 0),
                   dsm__change_text(page, &figure->moved));
  }
  dsm__put_list(&table, count, limit);
}

void dsm__put_comparison(dsm__page *page, const dsm_comparison *of, size_t limit,
                         const char *const sides[2]) {
  dsm__put_figures(page, of->figures, of->figure_count, limit, sides);
  dsm__put_inputs(page, "decision", of->decisions, of->decision_count, limit, sides);
  dsm__put_inputs(page, "value", of->inputs, of->input_count, limit, sides);
}
