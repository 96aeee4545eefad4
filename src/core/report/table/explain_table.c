/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_table.c: the alternatives of a layer, for people. */
#include "model/names.h"
#include "plan/step_stages.h"
#include "plan/tied_tables.h"
#include "report/answer.h"
#include "report/explain_view.h"
#include "report/folded_name.h"
#include "report/loss.h"
#include "report/table/number_style.h"
#include "report/table/table.h"
#include "report/table/text_page.h"

#define DECISION_WIDTH 14
/* Of roles there can be hundreds of parallelisms. */
#define ROWS_MAX 24

static const dsm__table_column alternative_columns[] = {
    {.title = " "},
    {.title = "parallelism", .gap = 1},
    {.title = "core split", .gap = 2, .rank = 3},
    {.title = "time", .gap = 2, .is_right = true},
    {.title = "arrays", .gap = 2, .is_right = true, .rank = 4},
    {.title = "xfer", .gap = 1, .is_right = true, .rank = 4},
    {.title = "aux", .gap = 2, .is_right = true, .rank = 5},
    {.title = "other", .gap = 1, .is_right = true, .rank = 4},
    {.title = "mostly", .gap = 1, .rank = 6},
    {.title = "bound", .gap = 2, .rank = 2},
    {.title = "network", .gap = 1, .is_right = true, .rank = 1},
};
#define COLUMN_COUNT (DSM__COUNT_OF(alternative_columns))

static void add_alternative(dsm__table *table, const dsm_explanation *explanation,
                            const dsm_alternative *alternative, double chosen_cycles) {
  const dsm__text_style style = alternative->is_chosen ? DSM__STYLE_HEADING : DSM__STYLE_PLAIN;
  const dsm_cycles *const cycles = &alternative->cycles;
  const double parts[] = {cycles->total, cycles->primary, cycles->overlapped_visible,
                          cycles->auxiliary, cycles->non_overlapped};
  const dsm_group largest = dsm__loss_largest_group(alternative->group_cycles);
  dsm__table_add(table, style, alternative->is_chosen ? "*" : "");
  dsm__table_add(table, style,
                 dsm__word_brief(dsm__words_in(table->page->renaming, &dsm__parallelism_words),
                                 alternative->parallelism));
  dsm__table_add(table, style, dsm__page_split(table->page, &alternative->split));
  for (size_t i = 0; i < DSM__COUNT_OF(parts); i++) {
    dsm__table_add(table, style, dsm__figure_percent(dsm__share(parts[i], chosen_cycles)).text);
  }
  dsm__table_add(table, style,
                 largest == DSM_GROUP_STREAM ? "" : dsm__word_brief(&dsm__group_words, largest));
  dsm__table_add(table, style, dsm__page_word(table->page, &dsm__bound_words, alternative->bound));
  const double network = dsm__share(alternative->network_cycles, explanation->reference_cycles);
  dsm__table_add(table, style,
                 network > 0 ? dsm__figure_fixed(100 * network, 2).text
                 : !alternative->is_best_of_parallelism || explanation->is_layer_alone ? ""
                                                                                       : "none");
}

/* What computes the first invocation, where it is not one array. */
static const char *computing_phrase(const dsm_pass_plan *pass) {
  static const char *const phrases[DSM_COMPUTING_COUNT] = {
      [DSM_COMPUTING_ARRAY] = "",
      [DSM_COMPUTING_FEATURES] = "; arrays share features produced",
      [DSM_COMPUTING_SAMPLES] = "; arrays share positions and samples",
      [DSM_COMPUTING_VECTOR_UNIT] = "; vector units compute",
  };
  return phrases[pass->invocations[0].computing];
}

static void put_pass(dsm__page *page, const dsm_plan *plan, const dsm_explanation *explanation,
                     dsm_pass p) {
  const dsm_alternative *const chosen = dsm__explain_chosen(explanation, p);
  const dsm_pass_plan *const pass = &plan->layers[explanation->layer_index].passes[p];
  if (chosen == NULL) {
    return;
  }
  dsm__page_heading(
      page, "%s: %s %% of the step, utilization %s %%%s", dsm_pass_name(p),
      dsm__figure_percent(dsm__share(pass->cycles.total, dsm__step_cycles(plan))).text,
      dsm__figure_percent(pass->utilization).text, computing_phrase(pass));
  dsm__table table = DSM__TABLE(page, alternative_columns);
  size_t left_out = 0;
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    const dsm_alternative *const alternative = &explanation->alternatives[i];
    const bool is_slow =
        alternative->is_best_of_parallelism && table.cell_count >= ROWS_MAX * COLUMN_COUNT;
    if (alternative->pass == p && !is_slow) {
      add_alternative(&table, explanation, alternative, chosen->cycles.total);
    }
    left_out += alternative->pass == p && is_slow ? 1 : 0;
  }
  dsm__table_print(&table);
  if (left_out > 0) {
    dsm__page_line(page, DSM__STYLE_FAINT, "and %zu slower parallelisms", left_out);
  }
  dsm__page_line(page, DSM__STYLE_PLAIN, "%s", dsm__explain_pass_why(page, plan, explanation, p));
}

/* The values of a decision, a line each, what the plan does first; the decision's name stands in
 * the first line. */
static void put_decision(dsm__page *page, const dsm_plan *plan, const dsm_explanation *explanation,
                         dsm_decision decision) {
  const char *label = dsm__what_if_label(decision);
  for (int is_other = 0; is_other <= 1; is_other++) {
    for (size_t i = 0; i < explanation->what_if_count; i++) {
      const dsm_what_if *const what_if = &explanation->what_ifs[i];
      if (what_if->decision == decision && what_if->is_chosen == (is_other == 0)) {
        dsm__page_labelled(page, DECISION_WIDTH, label, "%s",
                           dsm__what_if_text(page, plan, explanation->reference_cycles, what_if));
        label = "";
      }
    }
  }
}

/* The step that others are compared with. */
static const char *reference_phrase(const dsm_plan *plan, bool has_hidden_sums) {
  if (has_hidden_sums) {
    return "the plan's step with all sums of gradients in full,";
  }
  return dsm__explain_is_preloading(plan) ? "the best step without preloaded weights,"
                                          : "the plan's step";
}

static void put_what_ifs(dsm__page *page, const dsm_plan *plan,
                         const dsm_explanation *explanation) {
  if (explanation->what_if_count == 0) {
    return;
  }
  dsm__page_heading(page, "other decisions, compared with %s of %s cycles",
                    reference_phrase(plan, explanation->has_hidden_sums),
                    dsm__figure_fixed(explanation->reference_cycles, 0).text);
  for (int d = 0; d < DSM_DECISION_COUNT; d++) {
    put_decision(page, plan, explanation, (dsm_decision)d);
  }
}

/* What all passes of a layer take of the step. */
static double share_of_layer(const dsm_plan *plan, const dsm_layer_plan *layer) {
  double cycles = 0;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    cycles += layer->passes[p].exists ? layer->passes[p].cycles.total : 0;
  }
  return dsm__share(cycles, dsm__step_cycles(plan));
}

/* That other layers are equal, and what is said here is true of each of them. */
static void put_equal_layers(dsm__page *page, const dsm_plan *plan, size_t layer) {
  dsm__folding equal;
  if (!dsm__fold_equal(&equal, plan, page->style.is_unfolded, page->arena)) {
    page->out.failed = true;
    return;
  }
  for (size_t row = 0; row < equal.row_count; row++) {
    size_t own = equal.rows[row].first;
    while (own != SIZE_MAX && own != layer) {
      own = equal.next[own];
    }
    if (own == layer && equal.rows[row].count > 1) {
      const size_t count = equal.rows[row].count;
      const double share = (double)count * share_of_layer(plan, &plan->layers[layer]);
      const char *const name = dsm__fold_row_name(page->arena, plan, &equal, row);
      dsm__page_line(page, DSM__STYLE_PLAIN,
                     "one of %zu equal layers, %s, which take %s %% of the step together", count,
                     dsm__page_kept(page, name), dsm__figure_percent(share).text);
    }
  }
}

/* Where the layer is in a step with stages. */
static void put_stage(dsm__page *page, const dsm_plan *plan, size_t layer) {
  const dsm_stages *const stages = &plan->stages;
  if (stages->count <= 1) {
    return;
  }
  const size_t run = dsm__run_of(stages, layer);
  const dsm__stage_run layers = dsm__stage_run_of(stages, plan->layer_count, run);
  const char *const turn =
      stages->interleave > 1
          ? dsm__page_text(page, ", run %zu of %zu", run / stages->count + 1, stages->interleave)
          : "";
  dsm__page_line(page, DSM__STYLE_PLAIN, "stage %zu of %zu%s: %s to %s", run % stages->count + 1,
                 stages->count, turn, plan->layers[layers.first].name,
                 plan->layers[layers.end - 1].name);
}

static void put_layer(dsm__page *page, const dsm_plan *plan, const dsm_explanation *explanation) {
  const dsm_layer *const layer = plan->layers[explanation->layer_index].layer;
  dsm__page_line(page, DSM__STYLE_HEADING, "%s (%s) in %s", layer->name,
                 dsm_layer_type_name(plan->workload->specs[layer->spec_index].type),
                 dsm__page_plan_heading(page, plan));
  put_stage(page, plan, explanation->layer_index);
  put_equal_layers(page, plan, explanation->layer_index);
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    put_pass(page, plan, explanation, (dsm_pass)p);
  }
  const char *const why = dsm__explain_layer_why(page, plan, explanation);
  if (why[0] != '\0') {
    dsm__page_heading(page, "in the network");
    dsm__page_line(page, DSM__STYLE_PLAIN, "%s", why);
  }
  put_what_ifs(page, plan, explanation);
  dsm__page_break(page);
}

/* What the column "network" is; where roles may be others than data and model, why it is empty. */
static const char *network_phrase(dsm__page *page, const dsm_plan *plan,
                                  const dsm_explanation *explanation, bool has_hidden_sums) {
  if (explanation->is_layer_alone) {
    return "network = the step with these roles for the layer and the best for all others, in "
           "percent of the plan's, for the fastest roles beside data and model of each pass";
  }
  const bool is_per_pass = dsm__explain_is_per_pass(plan);
  return dsm__page_text(page,
                        "network = the step with this parallelism for the %s and the best for all "
                        "%s, in percent of %s",
                        is_per_pass ? "pass" : "layer", is_per_pass ? "else" : "others",
                        has_hidden_sums ? "the plan's, both with all sums of gradients in full"
                        : dsm__explain_is_preloading(plan)
                            ? "the best step without preloaded weights"
                            : "the plan's");
}

static bool has_roles(const dsm_explanation *const *explanations, size_t count) {
  bool is_any = false;
  for (size_t e = 0; e < count; e++) {
    for (size_t i = 0; i < explanations[e]->alternative_count; i++) {
      is_any = is_any || dsm_parallelism_has_roles(explanations[e]->alternatives[i].parallelism);
    }
  }
  return is_any;
}

static void put_legend(dsm__page *page, const dsm_plan *plan,
                       const dsm_explanation *const *explanations, size_t count) {
  const char *const hybrids = dsm__page_parallelisms(page, plan->system);
  bool has_what_ifs = false;
  const bool is_keeping = explanations[0]->is_layer_alone;
  bool has_hidden_sums = false;
  for (size_t i = 0; i < count; i++) {
    has_hidden_sums = has_hidden_sums || explanations[i]->has_hidden_sums;
    has_what_ifs = has_what_ifs || explanations[i]->what_if_count > 0;
  }
  dsm__page_line(page, DSM__STYLE_FAINT,
                 "* = what the plan does. Times in percent of it, without relayouts "
                 "between layers: arrays = "
                 "computing, xfer = transfers that computation does not hide, aux = auxiliary "
                 "operations, other = never hidden. %s.%s%s%s",
                 network_phrase(page, plan, explanations[0], has_hidden_sums),
                 hybrids[0] == '\0' ? "" : " ", hybrids, hybrids[0] == '\0' ? "" : ".");
  if (has_roles(explanations, count)) {
    dsm__page_line(page, DSM__STYLE_FAINT, "parallelism: %s.", dsm__page_roles(page, plan->system));
  }
  if (has_what_ifs) {
    dsm__page_line(page, DSM__STYLE_FAINT, "Other decisions: %s.",
                   is_keeping
                       ? "other shards or recomputation of this layer, with all else as planned; "
                         "and the best step without micro-batches, stages, shards or recomputation"
                       : "the best step of the whole network with each value, without the limit of "
                         "the chips' memory");
  }
  if (!is_keeping && plan->options.mode == DSM_MODE_TRAINING &&
      dsm__has_tied_layers(plan->workload)) {
    dsm__page_line(
        page, DSM__STYLE_FAINT,
        "In all these steps, weights that layers share are cut as planned, except by this layer.");
  }
}

void dsm__show_explanation(dsm__page *page, const dsm_answer *answer) {
  const dsm_explained *const it = answer->of;
  page->renaming = dsm__explain_words(page, it->plan, it->explanations, it->count);
  for (size_t i = 0; i < it->count; i++) {
    put_layer(page, it->plan, it->explanations[i]);
  }
  put_legend(page, it->plan, it->explanations, it->count);
}
