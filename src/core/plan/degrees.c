/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/degrees.h"

#include "model/axis_words.h"
#include "model/role_row.h"
#include "plan/keeping.h"
#include "plan/recomputation.h"
#include "plan/step_stages.h"

/* Does a role along an axis make a parallelism? Chips that share experts have samples of their own.
 * Source: section 3. */
bool dsm__makes_degree(dsm__degree_kind kind, dsm_role role) {
  const dsm__role_row *const row = &dsm__role_rows[role];
  switch (kind) {
  case DSM__DEGREE_TENSOR:
    return row->cut != DSM__WEIGHT_CUT_NONE && row->input != DSM_LAYOUT_SAMPLES;
  case DSM__DEGREE_SEQUENCE:
    return dsm__role_has(role, DSM__ROLE_GATHERS_INPUT | DSM__ROLE_SCATTERS_OUTPUT);
  case DSM__DEGREE_CONTEXT:
    return dsm_role_divides(role, DSM_DIVIDED_POSITIONS);
  case DSM__DEGREE_DATA:
    return row->input == DSM_LAYOUT_SAMPLES;
  case DSM__DEGREE_EXPERT:
    return dsm__role_has(role, DSM__ROLE_SENDS_TOKENS);
  case DSM__DEGREE_REPLICATED:
  case DSM__DEGREE_PIPELINE:
  case DSM__DEGREE_ZERO:
  case DSM__DEGREE_COUNT:
    break;
  }
  return row->divides == 0;
}

/* Is a layer asked for a parallelism? is_open: it has column-like or row-like roles. */
static bool is_asked(int kind, const dsm_layer *layer, bool is_open) {
  return kind == DSM__DEGREE_SEQUENCE ? is_open
         : kind == DSM__DEGREE_EXPERT ? layer->experts > 0
                                      : true;
}

static void add(dsm__degree *of, uint64_t degree) {
  of->least = degree < of->least ? degree : of->least;
  of->most = degree > of->most ? degree : of->most;
}

/* Axes along which each parallelism is, a bit each. */
typedef unsigned axis_sets[DSM__DEGREE_COUNT];

static void add_pass(dsm__degrees *degrees, axis_sets axes, const dsm_plan *plan,
                     const dsm_layer *layer, dsm_parallelism parallelism) {
  const dsm_network *const network = &plan->system->system;
  bool is_open = false;
  for (unsigned a = 0; a < network->axis_count; a++) {
    is_open = is_open || dsm__role_has(dsm_parallelism_role(parallelism, a),
                                       DSM__ROLE_OPENS | DSM__ROLE_CLOSES);
  }
  for (int kind = 0; kind < DSM__DEGREE_PIPELINE; kind++) {
    uint64_t degree = 1;
    for (unsigned a = 0; a < network->axis_count; a++) {
      const bool is_divided = plan->stages.count > 1 && plan->stages.axis == a;
      const uint64_t chips = network->axes[a].chips / (is_divided ? plan->stages.count : 1);
      if (chips > 1 &&
          dsm__makes_degree((dsm__degree_kind)kind, dsm_parallelism_role(parallelism, a))) {
        degree *= chips;
        axes[kind] |= 1U << a;
      }
    }
    if (is_asked(kind, layer, is_open)) {
      add(&degrees->of[kind], degree);
    }
  }
}

/* True where a pass has roles beside data and model. */
static bool add_layer(dsm__degrees *degrees, axis_sets axes, const dsm_plan *plan,
                      const dsm_machine *machine, size_t index) {
  const dsm_layer_plan *const layer = &plan->layers[index];
  const dsm_pass_layouts layouts = dsm__planned_layouts(layer, plan->options.mode);
  bool has_roles = false;
  for (int p = 0; p < DSM_PASS_COUNT && layer->pipeline == DSM_NO_PIPELINE; p++) {
    const dsm_parallelism parallelism = layer->passes[p].decisions.parallelism;
    if (layer->passes[p].exists) {
      add_pass(degrees, axes, plan, layer->layer, parallelism);
      has_roles = has_roles || dsm_parallelism_has_roles(parallelism);
    }
  }
  if (layer->passes[DSM_PASS_UPDATE].exists &&
      dsm__has_shard_level(plan->workload, index, machine, &layouts)) {
    add(&degrees->of[DSM__DEGREE_ZERO], (uint64_t)layer->decisions.shard);
  }
  return has_roles;
}

/* Of what no layer was asked there is no more than one chip has; names of the axes. */
static void finish(dsm__degrees *degrees, const axis_sets axes, const dsm_network *network) {
  for (int kind = 0; kind < DSM__DEGREE_COUNT; kind++) {
    dsm__degree *const of = &degrees->of[kind];
    if (of->least > of->most) {
      of->least = of->most = kind == DSM__DEGREE_ZERO ? 0 : 1;
    }
    of->axes = degrees->names[kind];
    for (unsigned a = 0; a < network->axis_count; a++) {
      if ((axes[kind] & 1U << a) != 0) {
        degrees->names[kind][of->axis_count++] = dsm__axis_name(network, a);
      }
    }
  }
}

bool dsm__degrees_derive(dsm__degrees *degrees, const dsm_plan *plan) {
  const dsm_stages *const stages = &plan->stages;
  const bool has_stages = stages->count > 1;
  axis_sets axes = {[DSM__DEGREE_PIPELINE] = has_stages ? 1U << stages->axis : 0};
  const uint64_t micro_batches = plan->micro_batches > 1 ? plan->micro_batches : 1;
  dsm__stage part;
  const dsm_machine whole = dsm_machine_for(plan->system, plan->options.mode);
  const dsm_machine *const machine = dsm__stage_machine(&whole, stages, &part);
  bool has_roles = false;
  *degrees =
      (dsm__degrees){.interleave = has_stages && stages->interleave > 1 ? stages->interleave : 1,
                     .recompute = "mixed",
                     .micro_batches = micro_batches,
                     .micro_batch_samples = plan->workload->minibatch / micro_batches};
  for (int kind = 0; kind < DSM__DEGREE_COUNT; kind++) {
    degrees->of[kind].least = UINT64_MAX;
  }
  for (size_t i = 0; i < plan->layer_count; i++) {
    has_roles = add_layer(degrees, axes, plan, machine, i) || has_roles;
  }
  add(&degrees->of[DSM__DEGREE_PIPELINE], has_stages ? stages->count : 1);
  for (int asked = DSM_RECOMPUTATION_OPERATIONS; asked > DSM_RECOMPUTATION_BEST; asked--) {
    if (dsm__recomputation_of(plan, (dsm_recomputation)asked) == (dsm_recomputation)asked) {
      degrees->recompute = dsm_recomputation_name((dsm_recomputation)asked);
    }
  }
  finish(degrees, axes, &plan->system->system);
  return has_roles || has_stages;
}

/* ---- as a record ---- */

/* clang-format off: a field a row */

DSM__OWN_RECORD(degree_record, dsm__degree, true, "How many ways layers share something.",
                DSM__FIELD(COUNT, dsm__degree, least, "least", 0,
                           .help = "Of a layer that has least."),
                DSM__FIELD(COUNT, dsm__degree, most, "most", 0, .help = "Of one that has most."),
                DSM__FIELD(TEXT_LIST, dsm__degree, axes, "axes", 0, .max = DSM_AXIS_NAME_BYTES_MAX,
                           .count_offset = offsetof(dsm__degree, axis_count),
                           .help = "Along which any layer has it."));

#define DEGREE(kind, key, about)                                                                   \
  DSM__FIELD(RECORD, dsm__degrees, of[DSM__DEGREE_##kind], key, 0, .type = &degree_record,         \
             .help = (about))

DSM__RECORD(
    dsm__degrees_record, dsm__degrees, false,
    "The decisions in the field's words, of plans with roles beside data and model, or stages.",
    DEGREE(TENSOR, "tensor", "TP: chips that share features of a layer, or its heads."),
    DEGREE(SEQUENCE, "sequence", "SP: chips with positions of their own between layers of TP."),
    DEGREE(CONTEXT, "context", "CP: chips with positions of their own in a layer."),
    DEGREE(DATA, "data", "DP: chips with samples of their own."),
    DEGREE(EXPERT, "expert", "EP: of layers with experts, chips of DP with experts of their own."),
    DEGREE(REPLICATED, "replicated", "Chips that all compute the same."),
    DEGREE(PIPELINE, "pipeline", "PP: stages."),
    DSM__FIELD(COUNT, dsm__degrees, interleave, "interleave", 0, .min = 1,
               .help = "Runs of layers of each stage."),
    DEGREE(ZERO, "zero", "ZeRO: 1 shares optimizer state, 2 also gradients, 3 also weights."),
    DSM__FIELD(TEXT, dsm__degrees, recompute, "recompute", 0,
               .help = "Which layers run their forward pass again: none; selective, those of "
                       "attentions; full, all of each segment of several; operations, of "
                       "all layers but for their products; mixed, others."),
    DSM__FIELD(COUNT, dsm__degrees, micro_batches, "micro_batches", 0, .min = 1,
               .help = "Of a step."),
    DSM__FIELD(COUNT, dsm__degrees, micro_batch_samples, "micro_batch_samples", 0, .min = 1,
               .help = "Of each, on all chips together."));
/* clang-format on */
