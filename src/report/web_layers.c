/* SPDX-License-Identifier: GPL-3.0-or-later */
/* web_layers.c: the table of layers and passes, which page_assets/plan.js sorts and filters. */
#include <inttypes.h>
#include <math.h>

#include "base/number_text.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/plan_decisions.h"
#include "report/roofline.h"
#include "report/web.h"

typedef struct table_column {
  const char *key;
  const char *title;
  const char *meaning; /* NULL: as the title says */
  bool is_number;
} table_column;

/* In the order in which put_row writes them. */
static const table_column columns[] = {
    {"layer", "layer", NULL, false},
    {"pass", "pass", NULL, false},
    {"parallelism", "parallelism", "how the chips divide the work", false},
    {"split", "core split", "over how many cores each loop is divided", false},
    {"on_chip", "on chip", "what stays on chip", false},
    {"dysm", "DySM", "spatial minibatches that the step is cut into", true},
    {"pipeline", "pipe", "number of the pipeline", true},
    {"cycles", "time", "of the pass over the step", true},
    {"step", "step %", "share of the step's time", true},
    {"utilization", "util %", "useful work at full speed over the time of the pass", true},
    {"array", "array %", "arrays starting up or not full, of the time of the pass", true},
    {"transfer", "xfer %", "transfers that computation does not hide", true},
    {"auxiliary", "aux %", "auxiliary operations", true},
    {"other", "other %", "what is never hidden", true},
    {"mostly", "mostly", "the largest kind of other", false},
    {"intensity", "FLOP/B", "FLOP for each byte of memory traffic", true},
    {"bound", "bound", "what decides how long the pass takes", false},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

static void put_text(dsm__page *page, const char *text) {
  dsm__html_element(&page->out, "td", text, NULL);
}

/* A number with what sorting uses; empty where there is none. */
static void put_number(dsm__page *page, double exact, const char *text) {
  char digits[DSM__NUMBER_TEXT_SIZE];
  if (text[0] == '\0' || !isfinite(exact)) {
    dsm__html_element(&page->out, "td", text, "class", "number", NULL);
    return;
  }
  (void)dsm__double_to_text(exact, digits);
  dsm__html_element(&page->out, "td", text, "class", "number", "data-v", digits, NULL);
}

static void put_share(dsm__page *page, double part, double whole) {
  const double share = dsm__share(part, whole);
  put_number(page, share, dsm__figure_percent(share).text);
}

static const char *utilization_class(double utilization) {
  switch (dsm__tone_of_utilization(utilization)) {
  case DSM__TONE_GOOD:
    return "number good";
  case DSM__TONE_BAD:
    return "number bad";
  case DSM__TONE_PLAIN:
  case DSM__TONE_HEADING:
  case DSM__TONE_FAIR:
  case DSM__TONE_FAINT:
  case DSM__TONE_COUNT:
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

static void put_decisions(dsm__page *page, const dsm_layer_plan *layer, dsm_pass p) {
  const dsm_pass_plan *const pass = &layer->passes[p];
  put_text(page, dsm_pass_name(p));
  put_text(page, dsm_parallelism_name(pass->share.parallelism));
  put_text(page, dsm__page_text(page, "%s%s", dsm__page_split(page, &pass->invocations[0].split),
                                dsm__has_other_split(pass) ? " *" : ""));
  put_text(page, dsm__on_chip_text(page, layer, p));
  put_number(page, (double)layer->dysm_factor,
             layer->dysm_factor > 1 ? dsm__page_text(page, "%" PRIu64, layer->dysm_factor) : "");
  put_number(page, (double)layer->pipeline,
             layer->pipeline == DSM_NO_PIPELINE ? ""
                                                : dsm__page_text(page, "%zu", layer->pipeline + 1));
}

static void put_row(dsm__page *page, const dsm_plan *plan, const dsm__web_pass *shown) {
  const dsm_layer_plan *const layer = &plan->layers[shown->layer];
  const dsm_pass_plan *const pass = &layer->passes[shown->pass];
  const dsm__loss loss = dsm__loss_of_pass(pass);
  const double intensity = dsm__roofline_point_of(plan, shown->layer, shown->pass).intensity;
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__html_element(&page->out, "th", layer->layer->name, "scope", "row", NULL);
  put_decisions(page, layer, shown->pass);
  put_number(page, loss.total, dsm__web_time(page, plan, loss.total));
  put_share(page, loss.total, plan->result.step_cycles);
  put_utilization(page, pass->utilization);
  put_share(page, loss.array, loss.total);
  put_share(page, loss.transfer, loss.total);
  put_share(page, loss.auxiliary, loss.total);
  put_share(page, loss.other, loss.total);
  put_text(page, dsm__loss_kind_that_matters(&loss));
  put_number(page, intensity, isfinite(intensity) ? dsm__figure_short(intensity, 3).text : "none");
  put_text(page, dsm_bound_name(pass->bound));
  dsm__html_end(&page->out, "tr");
}

static void put_titles(dsm__page *page) {
  dsm__html_begin(&page->out, "thead", NULL);
  dsm__html_begin(&page->out, "tr", NULL);
  dsm__page_break(page);
  for (size_t c = 0; c < COLUMN_COUNT; c++) {
    dsm__html_element(&page->out, "th", columns[c].title, "scope", "col", "data-key",
                      columns[c].key, "class", columns[c].is_number ? "number" : "name", "title",
                      columns[c].meaning == NULL ? columns[c].title : columns[c].meaning, NULL);
  }
  dsm__html_end(&page->out, "tr");
  dsm__html_end(&page->out, "thead");
}

static void put_legend(dsm__page *page, const dsm_plan *plan) {
  dsm__on_chip_set on_chip = 0;
  bool has_other_split = false;
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      if (plan->layers[i].passes[p].exists) {
        on_chip |= dsm__on_chip_of(&plan->layers[i], (dsm_pass)p);
        has_other_split = has_other_split || dsm__has_other_split(&plan->layers[i].passes[p]);
      }
    }
  }
  const char *const on_chip_words = on_chip == 0 ? "" : dsm__on_chip_legend(page, on_chip);
  dsm__web_paragraph(
      page, "note",
      dsm__page_text(
          page,
          "step %%: share of the step's time. Then of the time of the pass: util = useful "
          "work at full speed, array = arrays starting up or not full, xfer = transfers "
          "that computation does not hide, aux = auxiliary operations, other = never "
          "hidden. %s%s",
          on_chip_words,
          has_other_split ? " core split: * = of the first invocation; the others have "
                            "another."
                          : ""));
}

void dsm__web_layers(dsm__page *page, const dsm_plan_page *subject) {
  const dsm_plan *const plan = subject->plan;
  const dsm__web_passes passes = dsm__web_longest_passes(page, plan, DSM__WEB_ROWS_MAX);
  put_legend(page, plan);
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
                "The %zu passes that take longest, in order of layers; the other %zu take "
                "%s of the step. dsm score with --format csv lists all.",
                passes.count, passes.left_out,
                dsm__web_percent(page, dsm__share(passes.left_cycles, plan->result.step_cycles))),
      NULL);
  put_titles(page);
  dsm__html_begin(&page->out, "tbody", NULL);
  dsm__page_break(page);
  for (size_t i = 0; i < passes.count; i++) {
    put_row(page, plan, &passes.items[i]);
  }
  dsm__html_end(&page->out, "tbody");
  dsm__html_end(&page->out, "table");
  dsm__html_end(&page->out, "div");
}
