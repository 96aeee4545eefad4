/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explain_data.c: the alternatives of a layer, for programs (format "dsm-explain/1", and CSV). */
#include "dsm/explore.h"
#include "model/names.h"
#include "plan/plan_record.h"
#include "plan/step_stages.h"
#include "report/data/csv.h"
#include "report/data/records.h"
#include "report/explain_view.h"
#include "report/loss.h"
#include "search/explain_internal.h"

/* ---- the tables ---- */

/* What the network takes; 0 cycles if no mapping has it, or that was not asked. */
typedef struct network {
  double cycles;
  double ratio;
  double difference;
} network;

#define NETWORK(member, flag, smallest, of_unit, about)                                            \
  DSM__FIELD(REAL, network, member, "network_" #member, DSM__COLUMN | (flag), .min = (smallest),   \
             .unit = (of_unit), .stated_if = DSM__IF(network, cycles), .help = (about))

DSM__OWN_RECORD(network_record, network, false, "What the whole network takes then.",
                NETWORK(cycles, DSM__LESS, 0, "cycles",
                        "Best step with it; absent if no mapping has it, or that was not asked."),
                NETWORK(ratio, DSM__LESS, 0, "ratio", "Over reference_cycles."),
                NETWORK(difference, DSM__LESS, DSM__NO_MIN, "cycles", "Minus reference_cycles."));

typedef struct alternative_row {
  const char *layer;
  dsm_alternative of;
  double time_ratio;
  network network;
} alternative_row;

DSM__OWN_RECORD(
    alternative_record, alternative_row, false, "A way to run a pass.",
    DSM__FIELD(WORD, alternative_row, of.parallelism, "parallelism", DSM__COLUMN,
               .words = &dsm__parallelism_words, .help = "How chips share the work."),
    DSM__FIELD(COUNTS, alternative_row, of.split, "core_split", DSM__COLUMN,
               .words = &dsm__dim_words,
               .help = "Parts of each loop over the cores, in the first invocation."),
    DSM__FIELD(FLAG, alternative_row, of.is_chosen, "is_chosen", DSM__COLUMN,
               .help = "This is what the plan does."),
    DSM__FIELD(FLAG, alternative_row, of.is_best_of_parallelism, "is_best_of_parallelism",
               DSM__COLUMN, .help = "The best split of its parallelism."),
    DSM__FIELD(RECORD, alternative_row, of.cycles, "cycles", DSM__COLUMN,
               .type = &dsm__cycles_record,
               .help = "Of the pass in a step, without relayouts between layers; in a pipeline "
                       "group of the stage by itself, without handing over."),
    DSM__FIELD(REALS, alternative_row, of.group_cycles, "groups", 0, .words = &dsm__group_words,
               .unit = "cycles", .help = "Of each group of transfers that takes any."),
    DSM__FIELD(REAL, alternative_row, time_ratio, "time_ratio", DSM__COLUMN | DSM__LESS,
               .unit = "ratio", .help = "Over the time of what the plan does."),
    DSM__FIELD(WORD, alternative_row, of.bound, "bound", DSM__COLUMN, .words = &dsm__bound_words,
               .help = "The resource on which most of the time is spent."),
    DSM__FIELD(REALS, alternative_row, of.resources, "resources", 0, .words = &dsm__bound_words,
               .unit = "cycles", .help = "The total of cycles by what decides it."),
    DSM__PART(alternative_row, network, network_record));

/* Where an alternative stands in CSV. */
DSM__OWN_RECORD(place_record, alternative_row, false, "A pass of a layer.",
                DSM__FIELD(TEXT, alternative_row, layer, "layer", DSM__COLUMN,
                           .help = "Name of the layer."),
                DSM__FIELD(WORD, alternative_row, of.pass, "pass", DSM__COLUMN,
                           .words = &dsm__pass_words, .help = "Which."));

typedef struct what_if_row {
  dsm_decision decision;
  uint64_t value;
  bool is_chosen;
  network network;
  dsm__rows also_held; /* names */
  dsm__rows not_held;
  const char *why_not;
} what_if_row;

/* A list of texts: its items, their number and its key. */
#define NAMES(items, count, key, about)                                                            \
  DSM__FIELD(TEXT_LIST, what_if_row, items, key, DSM__COLUMN,                                      \
             .count_offset = offsetof(what_if_row, count),                                         \
             .stated_if = DSM__IF(what_if_row, network.cycles), .help = (about))

DSM__OWN_RECORD(
    what_if_record, what_if_row, false, "What the network would do if a decision were another.",
    DSM__FIELD(WORD, what_if_row, decision, "decision", DSM__COLUMN, .words = &dsm__decision_words,
               .help = "Which of the layer; of the step micro_batches, stages, sharded_layers and "
                       "recomputed_layers."),
    DSM__FIELD(COUNT, what_if_row, value, "value", DSM__COLUMN,
               .help = "Of a flag 0 or 1; of dysm_factor the factor; of shard 0 none, 1 optimizer, "
                       "2 gradients, 3 weights; of the step's how many."),
    DSM__FIELD(FLAG, what_if_row, is_chosen, "is_chosen", DSM__COLUMN,
               .help = "This is what the plan does."),
    DSM__PART(what_if_row, network, network_record),
    NAMES(also_held.items, also_held.count, "also_held",
          "Layers whose output is held then, but not in the plan; absent if no mapping has it."),
    NAMES(not_held.items, not_held.count, "not_held",
          "Layers whose output is held in the plan, but not then; absent if no mapping has it."),
    DSM__FIELD(TEXT, what_if_row, why_not, "why_not", DSM__COLUMN | DSM__OPTIONAL,
               .help = "Why no mapping has it; absent where some has."));

typedef struct pass_row {
  const char *why; /* NULL: the layer has no such pass */
  dsm__rows alternatives;
} pass_row;

DSM__OWN_RECORD(pass_record, pass_row, false, "A pass of a layer.",
                DSM__FIELD(TEXT, pass_row, why, "why", 0, .help = "Why it is done as it is."),
                DSM__ROWS(pass_row, alternatives, "alternatives", alternative_record,
                          "The chosen one first, then by cycles."));

typedef struct layer_row {
  const char *name;
  const char *why;
  uint64_t stage; /* from 1; 0: the step has none */
  uint64_t run;   /* likewise; 0: each has one */
  pass_row passes[DSM_PASS_COUNT];
  double reference_cycles;
  dsm__rows what_ifs;
} layer_row;

DSM__OWN_RECORD(
    layer_record, layer_row, false, "A layer.",
    DSM__FIELD(TEXT, layer_row, name, "name", 0, .help = "Its name."),
    DSM__FIELD(TEXT, layer_row, why, "why", 0, .help = "Why it has its parallelism."),
    DSM__FIELD(COUNT, layer_row, stage, "stage", DSM__UNLESS_0, .min = 1,
               .help = "That has it, from 1, where the step has stages."),
    DSM__FIELD(COUNT, layer_row, run, "run", DSM__UNLESS_0, .min = 1,
               .help = "Which of the stage's runs of layers, from 1, where each has several."),
    DSM__FIELD(MEMBERS, layer_row, passes, "passes", 0, .words = &dsm__pass_words,
               .type = &pass_record, .stated_if = DSM__IF(pass_row, why),
               .help = "As far as the layer has them."),
    DSM__FIELD(REAL, layer_row, reference_cycles, "reference_cycles", 0, .unit = "cycles",
               .help = "The step that network_cycles compare with: the plan's, or, where that "
                       "preloads weights, the best without any on chip. With "
                       "model.overlapped_reduction, where step_cycles are others, both count sums "
                       "of gradients in full, also what of them hides."),
    DSM__ROWS(layer_row, what_ifs, "what_ifs", what_if_record,
              "Decisions beside parallelism and core splits."));

typedef struct document {
  const char *workload;
  const char *system;
  dsm_mode mode;
  uint64_t minibatch;
  double step_cycles;
  dsm__rows layers;
} document;

DSM__ANSWER(dsm__explain_record, document, "dsm-explain/1", "What layers could do otherwise",
            "dsm explore --explain LAYER",
            DSM__FIELD(TEXT, document, workload, "workload", 0, .help = "Its name."),
            DSM__FIELD(TEXT, document, system, "system", 0, .help = "Its name."),
            DSM__FIELD(WORD, document, mode, "mode", 0, .words = &dsm__mode_words,
                       .help = "What a step is."),
            DSM__SAMPLES(document, minibatch, "minibatch", 0, "Samples of a step."),
            DSM__REAL(document, step_cycles, "step_cycles", DSM__LESS, "cycles",
                      "Of the plan's step."),
            DSM__ROWS(document, layers, "layers", layer_record,
                      "The primary layers that were asked for."));

/* ---- what they hold ---- */

static network network_of(const dsm_explanation *explanation, double cycles) {
  const double step = explanation->reference_cycles;
  return (network){cycles, dsm__share(cycles, step), cycles - step};
}

static alternative_row alternative_of(const dsm_plan *plan, const dsm_explanation *explanation,
                                      const dsm_alternative *alternative) {
  const dsm_alternative *const chosen = dsm__explain_chosen(explanation, alternative->pass);
  const double chosen_cycles = chosen == NULL ? 0 : chosen->cycles.total;
  return (alternative_row){.layer = plan->layers[explanation->layer_index].layer->name,
                           .of = *alternative,
                           .time_ratio = dsm__share(alternative->cycles.total, chosen_cycles),
                           .network = network_of(explanation, alternative->network_cycles)};
}

static dsm__rows names_of(dsm__page *page, const dsm_plan *plan, const size_t *layers,
                          size_t count) {
  const dsm__rows made = dsm__rows_make(page, count, sizeof(const char *));
  const char **const names = made.items;
  for (size_t i = 0; i < made.count; i++) {
    names[i] = plan->layers[layers[i]].layer->name;
  }
  return made;
}

static what_if_row what_if_of(dsm__page *page, const dsm_plan *plan,
                              const dsm_explanation *explanation, const dsm_what_if *what_if) {
  const bool is_possible = what_if->network_cycles > 0;
  return (what_if_row){
      .decision = what_if->decision,
      .value = what_if->value,
      .is_chosen = what_if->is_chosen,
      .network = network_of(explanation, what_if->network_cycles),
      .also_held = names_of(page, plan, what_if->also_held, what_if->also_held_count),
      .not_held = names_of(page, plan, what_if->not_held, what_if->not_held_count),
      .why_not = is_possible ? NULL : what_if->why_not,
  };
}

static pass_row pass_of(dsm__page *page, const dsm_plan *plan, const dsm_explanation *explanation,
                        dsm_pass pass) {
  if (dsm__explain_chosen(explanation, pass) == NULL) {
    return (pass_row){.why = NULL};
  }
  pass_row row = {.why = dsm__explain_pass_why(page, plan, explanation, pass),
                  .alternatives = dsm__rows_make(page, explanation->alternative_count,
                                                 sizeof(alternative_row))};
  alternative_row *const rows = row.alternatives.items;
  const size_t most = row.alternatives.count;
  row.alternatives.count = 0;
  for (size_t i = 0; i < most; i++) {
    if (explanation->alternatives[i].pass == pass) {
      rows[row.alternatives.count++] =
          alternative_of(plan, explanation, &explanation->alternatives[i]);
    }
  }
  return row;
}

static layer_row layer_of(dsm__page *page, const dsm_plan *plan,
                          const dsm_explanation *explanation) {
  const dsm_stages *const stages = &plan->stages;
  const size_t run = dsm__run_of(stages, explanation->layer_index);
  layer_row row = {.name = plan->layers[explanation->layer_index].layer->name,
                   .why = dsm__explain_layer_why(page, plan, explanation),
                   .stage = stages->count > 1 ? run % stages->count + 1 : 0,
                   .run = stages->interleave > 1 ? run / stages->count + 1 : 0,
                   .reference_cycles = explanation->reference_cycles,
                   .what_ifs =
                       dsm__rows_make(page, explanation->what_if_count, sizeof(what_if_row))};
  what_if_row *const what_ifs = row.what_ifs.items;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    row.passes[p] = pass_of(page, plan, explanation, (dsm_pass)p);
  }
  for (size_t i = 0; i < row.what_ifs.count; i++) {
    what_ifs[i] = what_if_of(page, plan, explanation, &explanation->what_ifs[i]);
  }
  return row;
}

static void fill(dsm__page *page, const dsm_answer *answer, void *to) {
  const dsm_explained *const it = answer->of;
  page->renaming = dsm__explain_words(page, it->plan, it->explanations, it->count);
  const dsm__rows made = dsm__rows_make(page, it->count, sizeof(layer_row));
  *(document *)to = (document){.workload = it->plan->workload->name,
                               .system = it->plan->system->name,
                               .mode = it->plan->options.mode,
                               .minibatch = it->plan->workload->minibatch,
                               .step_cycles = it->plan->result.step_cycles,
                               .layers = made};
  layer_row *const layers = made.items;
  for (size_t i = 0; i < made.count; i++) {
    layers[i] = layer_of(page, it->plan, it->explanations[i]);
  }
}

/* ---- CSV: of each layer rows of alternatives, then rows of other decisions ---- */

static void put_layer(dsm__csv *csv, const layer_row *layer) {
  const alternative_row place = {.layer = layer->name, .of.pass = DSM_PASS_COUNT};
  const what_if_row *const what_ifs = layer->what_ifs.items;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const alternative_row *const rows = layer->passes[p].alternatives.items;
    for (size_t i = 0; i < layer->passes[p].alternatives.count; i++) {
      DSM__CSV_ROW(csv, {&place_record, &rows[i]}, {&alternative_record, &rows[i]});
    }
  }
  for (size_t i = 0; i < layer->what_ifs.count; i++) {
    DSM__CSV_ROW(csv, {&place_record, &place}, {&what_if_record, &what_ifs[i]});
  }
}

static void put_rows(dsm__csv *csv, const void *of) {
  const dsm__rows *const layers = &((const document *)of)->layers;
  const layer_row *const rows = layers->items;
  dsm__csv_columns(csv, &place_record);
  dsm__csv_columns(csv, &alternative_record);
  dsm__csv_columns(csv, &what_if_record);
  for (size_t i = 0; i < layers->count; i++) {
    put_layer(csv, &rows[i]);
  }
}

const dsm_answer_kind dsm_answer_explanation = {.record = &dsm__explain_record,
                                                .fill = fill,
                                                .put_rows = put_rows,
                                                .views = {dsm__show_explanation}};
