/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.c: a plan for people (DeepSpatialMatrix, Figs. 12 and 13 as one table). */
#include "report/plan_table.h"

#include "report/figures.h"
#include "report/loss.h"
#include "report/page.h"
#include "report/table.h"

enum {
  COLUMN_LAYER = 0,
  COLUMN_PASS,
  COLUMN_PARALLELISM,
  COLUMN_SPLIT,
  COLUMN_STEP,
  COLUMN_UTILIZATION,
  COLUMN_ARRAY,
  COLUMN_TRANSFER,
  COLUMN_AUXILIARY,
  COLUMN_OTHER,
  COLUMN_KIND,
  COLUMN_BOUND,
  COLUMN_COUNT
};

static const dsm__column plan_columns[COLUMN_COUNT] = {
    [COLUMN_LAYER] = {.title = "layer", .is_name = true},
    [COLUMN_PASS] = {.title = "pass", .gap = 1},
    [COLUMN_PARALLELISM] = {.title = "par.", .gap = 2, .rank = 1},
    [COLUMN_SPLIT] = {.title = "core split", .gap = 2, .rank = 5},
    [COLUMN_STEP] = {.title = "step", .gap = 2, .is_right = true},
    [COLUMN_UTILIZATION] = {.title = "util", .gap = 2, .is_right = true},
    [COLUMN_ARRAY] = {.title = "array", .gap = 1, .is_right = true, .rank = 4},
    [COLUMN_TRANSFER] = {.title = "xfer", .gap = 2, .is_right = true, .rank = 3},
    [COLUMN_AUXILIARY] = {.title = "aux", .gap = 2, .is_right = true, .rank = 6},
    [COLUMN_OTHER] = {.title = "other", .gap = 1, .is_right = true, .rank = 3},
    [COLUMN_KIND] = {.title = "mostly", .gap = 1, .rank = 7},
    [COLUMN_BOUND] = {.title = "bound", .gap = 2, .rank = 2},
};

static void add_share(dsm__table *table, double part, double whole) {
  dsm__table_add(table, DSM__TONE_PLAIN, dsm__figure_percent(dsm__share(part, whole)).text);
}

/* The largest kind of non-overlapped time, where that time matters. */
static const char *kind_that_matters(const dsm__loss *loss) {
  static const double least_share = 0.005;
  const bool matters = dsm__share(loss->other, loss->total) >= least_share;
  const dsm_group group = dsm__loss_largest_group(loss->groups);
  return matters && group != DSM_GROUP_STREAM ? dsm__group_word(group) : "";
}

static void add_pass(dsm__table *table, const dsm_plan *plan, const char *layer_name, dsm_pass p,
                     const dsm_pass_plan *pass, bool has_long_names) {
  const dsm_parallelism parallelism = pass->share.parallelism;
  const dsm__loss loss = dsm__loss_of_pass(pass);
  dsm__table_add(table, DSM__TONE_HEADING, layer_name);
  dsm__table_add(table, DSM__TONE_PLAIN, dsm__pass_word(p));
  dsm__table_add(table, DSM__TONE_PLAIN,
                 has_long_names ? dsm_parallelism_name(parallelism)
                                : dsm__parallelism_word(parallelism));
  dsm__table_add(table, DSM__TONE_PLAIN, dsm__page_split(table->page, &pass->first.split));
  add_share(table, loss.total, plan->result.step_cycles);
  dsm__table_add(table, dsm__tone_of_utilization(pass->utilization),
                 dsm__figure_percent(pass->utilization).text);
  add_share(table, loss.array, loss.total);
  add_share(table, loss.transfer, loss.total);
  add_share(table, loss.auxiliary, loss.total);
  add_share(table, loss.other, loss.total);
  dsm__table_add(table, DSM__TONE_PLAIN, kind_that_matters(&loss));
  dsm__table_add(table, DSM__TONE_PLAIN, dsm_bound_name(pass->bound));
}

static dsm__table make_rows(dsm__page *page, const dsm_plan *plan, bool has_long_names) {
  dsm__table table =
      dsm__table_make(page, plan_columns, COLUMN_COUNT, plan->layer_count * DSM_PASS_COUNT);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const char *name = layer->layer->name;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (layer->passes[p].exists) {
        add_pass(&table, plan, name, (dsm_pass)p, &layer->passes[p], has_long_names);
        name = ""; /* a layer's name stands in its first row */
      }
    }
  }
  return table;
}

static bool has_hybrid(const dsm_plan *plan) {
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      if (pass->exists && (pass->share.parallelism == DSM_PARALLELISM_DATA_X_MODEL_Y ||
                           pass->share.parallelism == DSM_PARALLELISM_MODEL_X_DATA_Y)) {
        return true;
      }
    }
  }
  return false;
}

static void put_legend(dsm__page *page, bool explains_hybrids) {
  dsm__page_line(
      page, DSM__TONE_FAINT,
      "In percent: step = share of the step's time; then of the pass's time: util = "
      "useful work at full speed, array = arrays starting up or not full, xfer = transfers that "
      "computation does not hide, aux = auxiliary operations, other = never hidden.");
  if (explains_hybrids) {
    dsm__page_line(page, DSM__TONE_FAINT, "par.: DxMy = data_x_model_y, MxDy = model_x_data_y.");
  }
}

static void put_plan(dsm__page *page, const dsm_plan *plan) {
  dsm__page_line(page, DSM__TONE_HEADING, dsm__page_plan_heading(page, plan));
  dsm__page_break(page);
  dsm__table table = make_rows(page, plan, true);
  const bool has_long_names = dsm__table_natural_width(&table) <= page->style.width;
  if (!has_long_names) {
    table = make_rows(page, plan, false);
  }
  dsm__table_print(&table);
  dsm__page_break(page);
  put_legend(page, !has_long_names && has_hybrid(plan));
  dsm__page_break(page);
  dsm__plan_totals(page, plan);
}

char *dsm_report_plan_table(const dsm_plan *plan, dsm_table_style style) {
  dsm__page page;
  if (!dsm__page_init(&page, style)) {
    return NULL;
  }
  put_plan(&page, plan);
  return dsm__page_finish(&page);
}
