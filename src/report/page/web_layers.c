/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_layers.c: the table of layers and passes, which page_assets/plan.js sorts and filters. */
#include <inttypes.h>
#include <math.h>

#include "base/number_text.h"
#include "model/names.h"
#include "report/page/html.h"
#include "report/page/web.h"
#include "report/roofline.h"
#include "report/table/number_style.h"
#include "report/table/plan_table.h"

/* In the order in which put_row writes them. */
enum {
  COLUMN_LAYER = 0,
  COLUMN_PASS,
  COLUMN_PARALLELISM,
  COLUMN_SPLIT,
  COLUMN_ON_CHIP,
  COLUMN_DYSM,
  COLUMN_PIPELINE,
  COLUMN_TIME,
  COLUMN_STEP,
  COLUMN_UTILIZATION,
  COLUMN_ARRAY,
  COLUMN_TRANSFER,
  COLUMN_AUXILIARY,
  COLUMN_OTHER,
  COLUMN_KIND,
  COLUMN_INTENSITY,
  COLUMN_BOUND,
  COLUMN_COUNT
};

typedef struct table_column {
  const char *key;
  const char *title;
  const char *meaning;
  bool is_number;
} table_column;

static const table_column columns[COLUMN_COUNT] = {
    [COLUMN_LAYER] = {"layer", "layer", "name of the layer", false},
    [COLUMN_PASS] = {"pass", "pass", "forward, backward or update", false},
    [COLUMN_PARALLELISM] = {"parallelism", "parallelism", "how the chips divide the work", false},
    [COLUMN_SPLIT] = {"split", "core split", "over how many cores each loop is divided", false},
    [COLUMN_ON_CHIP] = {"on_chip", "on chip", "what stays on chip", false},
    [COLUMN_DYSM] = {"dysm", "DySM", "spatial minibatches that the step is cut into", true},
    [COLUMN_PIPELINE] = {"pipeline", "pipe", "number of the pipeline", true},
    [COLUMN_TIME] = {"cycles", "time", "of the pass over the step", true},
    [COLUMN_STEP] = {"step", "step %", "share of the step's time", true},
    [COLUMN_UTILIZATION] = {"utilization", "util %", "useful work at full speed, of the pass",
                            true},
    [COLUMN_ARRAY] = {"array", "array %", "arrays starting up or not full, of the pass", true},
    [COLUMN_TRANSFER] = {"transfer", "xfer %", "transfers that computation does not hide", true},
    [COLUMN_AUXILIARY] = {"auxiliary", "aux %", "auxiliary operations, of the pass", true},
    [COLUMN_OTHER] = {"other", "other %", "what is never hidden, of the pass", true},
    [COLUMN_KIND] = {"mostly", "mostly", "the largest kind of other", false},
    [COLUMN_INTENSITY] = {"intensity", "FLOP/B", "FLOP for each byte of memory traffic", true},
    [COLUMN_BOUND] = {"bound", "bound",
                      "what most of the time of the pass is spent on: give it more of that", false},
};

/* What the plan has of what the table can leave out or explain. */
typedef struct traits {
  dsm__on_chip_set on_chip;
  bool has_group[DSM_GROUP_COUNT]; /* named in the column of the largest kind of other */
  bool has_other_split;
  bool has_dysm;
  bool has_pipeline;
} traits;

static traits traits_of(const dsm_plan *plan) {
  traits found = {.has_pipeline = plan->pipeline_count > 0};
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    found.has_dysm = found.has_dysm || layer->decisions.dysm_factor > 1;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (layer->passes[p].exists) {
        const dsm__loss loss = dsm__loss_of_pass(&layer->passes[p]);
        const bool is_named = dsm__loss_kind_that_matters(&loss)[0] != '\0';
        const dsm_group group = dsm__loss_largest_group(loss.groups);
        found.has_group[group] = found.has_group[group] || is_named;
        found.on_chip |= dsm__on_chip_of(layer, (dsm_pass)p);
        found.has_other_split = found.has_other_split || dsm__has_other_split(&layer->passes[p]);
      }
    }
  }
  return found;
}

static bool is_shown(int column, const traits *has) {
  return (column != COLUMN_ON_CHIP || has->on_chip != 0) &&
         (column != COLUMN_DYSM || has->has_dysm) &&
         (column != COLUMN_PIPELINE || has->has_pipeline);
}

static void put_text(dsm__page *page, const char *text) {
  dsm__html_element(&page->out, "td", text, NULL);
}

static void put_share(dsm__page *page, double part, double whole) {
  const double share = dsm__share(part, whole);
  dsm__web_number(page, share, dsm__figure_percent(share).text);
}

/* With more digits where there are so many passes that each takes little. */
static void put_step_share(dsm__page *page, double share) {
  static const double least_plain = 0.01;
  dsm__web_number(page, share,
                  share > 0 && share < least_plain ? dsm__figure_digits(100 * share, 2).text
                                                   : dsm__figure_percent(share).text);
}

static const char *utilization_class(double utilization) {
  switch (dsm__style_of_utilization(utilization)) {
  case DSM__STYLE_GOOD:
    return "number good";
  case DSM__STYLE_BAD:
    return "number bad";
  case DSM__STYLE_PLAIN:
  case DSM__STYLE_HEADING:
  case DSM__STYLE_FAIR:
  case DSM__STYLE_FAINT:
  case DSM__STYLE_COUNT:
    break;
  }
  return "number";
}

static void put_utilization(dsm__page *page, double utilization) {
  char digits[DSM__NUMBER_TEXT_SIZE];
  (void)dsm__double_to_text(utilization, digits);
  dsm__html_element(&page->out, "td", dsm__figure_percent(utilization).text, "class",
                    utilization_class(utilization), "data-v", digits, NULL);
}

static void put_decisions(dsm__page *page, const dsm_layer_plan *layer, dsm_pass p,
                          const traits *has) {
  const dsm_pass_plan *const pass = &layer->passes[p];
  put_text(page, dsm_pass_name(p));
  put_text(page, dsm_parallelism_name(pass->share.parallelism));
  put_text(page, dsm__page_text(page, "%s%s", dsm__page_split(page, &pass->invocations[0].split),
                                dsm__has_other_split(pass) ? " *" : ""));
  if (is_shown(COLUMN_ON_CHIP, has)) {
    put_text(page, dsm__on_chip_text(page, layer, p));
  }
  if (is_shown(COLUMN_DYSM, has)) {
    dsm__web_number(page, (double)layer->decisions.dysm_factor,
                    layer->decisions.dysm_factor > 1
                        ? dsm__page_text(page, "%" PRIu64, layer->decisions.dysm_factor)
                        : "");
  }
  if (is_shown(COLUMN_PIPELINE, has)) {
    const bool is_pipelined = layer->pipeline != DSM_NO_PIPELINE;
    dsm__web_number(page, is_pipelined ? (double)layer->pipeline + 1 : 0,
                    is_pipelined ? dsm__page_text(page, "%zu", layer->pipeline + 1) : "");
  }
}

static void put_row(dsm__page *page, const dsm_plan *plan, const dsm__web_pass *shown,
                    const traits *has) {
  const dsm_layer_plan *const layer = &plan->layers[shown->layer];
  const dsm_pass_plan *const pass = &layer->passes[shown->pass];
  const dsm__loss loss = dsm__loss_of_pass(pass);
  const double intensity = dsm__roofline_point_of(plan, shown->layer, shown->pass).intensity;
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__html_element(&page->out, "th", layer->layer->name, "scope", "row", NULL);
  put_decisions(page, layer, shown->pass, has);
  dsm__web_number(page, loss.total, dsm__web_time(page, plan, loss.total));
  put_step_share(page, dsm__share(loss.total, plan->result.step_cycles));
  put_utilization(page, pass->utilization);
  put_share(page, loss.array, loss.total);
  put_share(page, loss.transfer, loss.total);
  put_share(page, loss.auxiliary, loss.total);
  put_share(page, loss.other, loss.total);
  put_text(page, dsm__loss_kind_that_matters(&loss));
  dsm__web_number(page, intensity,
                  isfinite(intensity) ? dsm__figure_short(intensity, 3).text : "none");
  put_text(page, dsm_bound_name(pass->bound));
  dsm__html_end(&page->out, "tr");
}

static void put_titles(dsm__page *page, const traits *has) {
  dsm__html_begin(&page->out, "thead", NULL);
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__page_break(page);
  for (int c = 0; c < COLUMN_COUNT; c++) {
    if (is_shown(c, has)) {
      dsm__html_element(&page->out, "th", columns[c].title, "scope", "col", "data-key",
                        columns[c].key, "class", columns[c].is_number ? "number" : "name", "title",
                        columns[c].meaning, NULL);
    }
  }
  dsm__html_end(&page->out, "tr");
  dsm__html_end(&page->out, "thead");
}

static void put_legend(dsm__page *page, const traits *has) {
  dsm__web_paragraph(
      page, "note",
      "step %: share of the step's time. Then of the time of the pass: util = useful work at full "
      "speed, array = arrays starting up or not full, xfer = transfers that computation does not "
      "hide, aux = auxiliary operations, other = never hidden, mostly = the largest kind of that. "
      "FLOP/B: FLOP for each byte between chip and memory.");
  const char *kinds = "";
  for (int g = DSM_GROUP_STREAM + 1; g < DSM_GROUP_COUNT; g++) {
    if (has->has_group[g]) {
      kinds = dsm__page_text(page, "%s%s %s = %s", kinds, kinds[0] == '\0' ? "mostly:" : ",",
                             dsm__word_brief(&dsm__group_words, (size_t)g),
                             dsm__word_text(&dsm__group_words, (size_t)g));
    }
  }
  if (kinds[0] != '\0') {
    dsm__web_paragraph(page, "note", dsm__page_text(page, "%s.", kinds));
  }
  if (has->on_chip != 0) {
    dsm__web_paragraph(page, "note", dsm__on_chip_legend(page, has->on_chip));
  }
  if (has->has_other_split) {
    dsm__web_paragraph(page, "note",
                       "core split: * = of the first invocation; the others have another.");
  }
}

void dsm__web_layers(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const dsm__web_passes passes = dsm__web_longest_passes(page, plan, DSM__WEB_ROWS_MAX);
  const traits has = traits_of(plan);
  put_legend(page, &has);
  dsm__html_element(&page->out, "div", "", "id", "filters", "hidden", "", NULL);
  dsm__html_begin(&page->out, "div", "class", "scroll tall", "tabindex", "0", "role", "region",
                  "aria-label", "Table of layers and passes", NULL);
  dsm__html_begin(&page->out, "table", "id", "passes", "class", "dense", NULL);
  dsm__html_element(
      &page->out, "caption",
      passes.left_out == 0
          ? "Each pass of each layer."
          : dsm__page_text(
                page,
                "The %s passes that take longest, in order of layers; the other %s take "
                "%s of the step. dsm score with --format csv lists all.",
                dsm__figure_count(passes.count).text, dsm__figure_count(passes.left_out).text,
                dsm__web_percent(page, dsm__share(passes.left_cycles, plan->result.step_cycles))),
      NULL);
  put_titles(page, &has);
  dsm__html_begin(&page->out, "tbody", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < passes.count; i++) {
    put_row(page, plan, &passes.items[i], &has);
  }
  dsm__html_end(&page->out, "tbody");
  dsm__html_end(&page->out, "table");
  dsm__html_end(&page->out, "div");
}
