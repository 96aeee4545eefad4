/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_table.c: a plan for people (DeepSpatialMatrix, Figs. 12 and 13 as one table). */
#include "report/table/plan_table.h"

#include <inttypes.h>

#include "model/names.h"
#include "report/loss.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

static const dsm__table_column plan_columns[] = {
    {.title = "layer", .is_name = true},
    {.title = "pass", .gap = 1},
    {.title = "par.", .gap = 2, .rank = 1},
    {.title = "core split", .gap = 2, .rank = 5},
    {.title = "on chip", .gap = 2, .rank = 2, .is_optional = true},
    {.title = "dysm", .gap = 2, .is_right = true, .rank = 2, .is_optional = true},
    {.title = "pipe", .gap = 2, .is_right = true, .rank = 2, .is_optional = true},
    {.title = "step", .gap = 2, .is_right = true},
    {.title = "util", .gap = 2, .is_right = true},
    {.title = "array", .gap = 1, .is_right = true, .rank = 4},
    {.title = "xfer", .gap = 2, .is_right = true, .rank = 3},
    {.title = "aux", .gap = 2, .is_right = true, .rank = 6},
    {.title = "other", .gap = 1, .is_right = true, .rank = 3},
    {.title = "mostly", .gap = 1, .rank = 7},
    {.title = "bound", .gap = 2, .rank = 2},
};

static void add_share(dsm__table *table, double part, double whole) {
  dsm__table_text(table, dsm__figure_percent(dsm__share(part, whole)).text);
}

/* What the plan has of what a table can leave out or explain. */
typedef struct plan_traits {
  bool has_hybrid;
  bool has_other_split;
  bool has_dysm;
  dsm__on_chip_set on_chip;
} plan_traits;

static plan_traits traits_of(const dsm_plan *plan) {
  plan_traits traits = {.on_chip = 0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    traits.has_dysm = traits.has_dysm || layer->decisions.dysm_factor > 1;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &layer->passes[p];
      if (pass->exists) {
        const dsm_parallelism parallelism = pass->share.parallelism;
        traits.has_hybrid = traits.has_hybrid || parallelism == DSM_PARALLELISM_DATA_X_MODEL_Y ||
                            parallelism == DSM_PARALLELISM_MODEL_X_DATA_Y;
        traits.has_other_split = traits.has_other_split || dsm__has_other_split(pass);
        traits.on_chip |= dsm__on_chip_of(layer, (dsm_pass)p);
      }
    }
  }
  return traits;
}

/* What is decided for the whole layer stands in its first row, as its name does. */
static void add_layer_decisions(dsm__table *table, const dsm_layer_plan *layer, bool is_first_row) {
  dsm__page *const page = table->page;
  const bool has_dysm = is_first_row && layer->decisions.dysm_factor > 1;
  const bool has_pipeline = is_first_row && layer->pipeline != DSM_NO_PIPELINE;
  DSM__TABLE_TEXTS(table,
                   has_dysm ? dsm__page_text(page, "%" PRIu64, layer->decisions.dysm_factor) : "",
                   has_pipeline ? dsm__page_text(page, "%zu", layer->pipeline + 1) : "");
}

static void add_pass(dsm__table *table, const dsm_plan *plan, const dsm_layer_plan *layer,
                     dsm_pass p, bool is_first_row, bool has_long_names) {
  const dsm_pass_plan *const pass = &layer->passes[p];
  const dsm_parallelism parallelism = pass->share.parallelism;
  const dsm__loss loss = dsm__loss_of_pass(pass);
  dsm__table_add(table, DSM__STYLE_HEADING, is_first_row ? layer->layer->name : "");
  DSM__TABLE_TEXTS(table, dsm__word_brief(&dsm__pass_words, p),
                   has_long_names ? dsm_parallelism_name(parallelism)
                                  : dsm__word_brief(&dsm__parallelism_words, parallelism),
                   dsm__page_text(table->page, "%s%s",
                                  dsm__page_split(table->page, &pass->invocations[0].split),
                                  dsm__has_other_split(pass) ? " *" : ""),
                   dsm__on_chip_text(table->page, layer, p));
  add_layer_decisions(table, layer, is_first_row);
  add_share(table, loss.total, plan->result.step_cycles);
  dsm__table_add(table, dsm__style_of_utilization(pass->utilization),
                 dsm__figure_percent(pass->utilization).text);
  add_share(table, loss.array, loss.total);
  add_share(table, loss.transfer, loss.total);
  add_share(table, loss.auxiliary, loss.total);
  add_share(table, loss.other, loss.total);
  DSM__TABLE_TEXTS(table, dsm__loss_kind_that_matters(&loss), dsm_bound_name(pass->bound));
}

static dsm__table make_rows(dsm__page *page, const dsm_plan *plan, bool has_long_names) {
  dsm__table table = DSM__TABLE(page, plan_columns);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    bool is_first_row = true;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (layer->passes[p].exists) {
        add_pass(&table, plan, layer, (dsm_pass)p, is_first_row, has_long_names);
        is_first_row = false;
      }
    }
  }
  return table;
}

static void put_legend(dsm__page *page, const dsm_plan *plan, const plan_traits *traits,
                       bool has_long_names) {
  dsm__page_line(
      page, DSM__STYLE_FAINT,
      "In percent: step = share of the step's time; then of the pass's time: util = "
      "useful work at full speed, array = arrays starting up or not full, xfer = transfers that "
      "computation does not hide, aux = auxiliary operations, other = never hidden.");
  if (traits->has_hybrid && !has_long_names) {
    dsm__page_line(page, DSM__STYLE_FAINT, "par.: DxMy = data_x_model_y, MxDy = model_x_data_y.");
  }
  if (traits->has_other_split) {
    dsm__page_line(page, DSM__STYLE_FAINT,
                   "core split: * = of the first invocation; the others have another.");
  }
  if (traits->on_chip != 0) {
    dsm__page_line(page, DSM__STYLE_FAINT, "%s", dsm__on_chip_legend(page, traits->on_chip));
  }
  if (traits->has_dysm) {
    dsm__page_line(page, DSM__STYLE_FAINT, "dysm: spatial minibatches that the step is cut into.");
  }
  if (plan->pipeline_count > 0) {
    dsm__page_line(page, DSM__STYLE_FAINT,
                   "pipe: the pipeline, below; times of its layers are shares of its time.");
  }
}

static void put_plan(dsm__page *page, const dsm_plan *plan) {
  const plan_traits traits = traits_of(plan);
  dsm__page_line(page, DSM__STYLE_HEADING, "%s", dsm__page_plan_heading(page, plan));
  dsm__page_break(page);
  dsm__table table = make_rows(page, plan, true);
  const bool has_long_names = dsm__table_natural_width(&table) <= page->style.width;
  if (!has_long_names) {
    table = make_rows(page, plan, false);
  }
  dsm__table_print(&table);
  dsm__page_break(page);
  put_legend(page, plan, &traits, has_long_names);
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
