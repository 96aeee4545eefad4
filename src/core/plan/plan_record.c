/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_record.c: the tables of what a plan predicts and decides. A new decision of a layer is a
 * member of dsm_layer_decisions, a row of `dsm__decisions_record`, and an equation that reads it.
 */
#include "plan/plan_record.h"

#include <inttypes.h>

#include "model/names.h"
#include "plan/core_layouts.h"
#include "plan/plan_internal.h"
#include "plan/tolerance.h"
#include "supply/storage_internal.h"

/* What a number of cycles or bytes may be. */
#define FIGURE DSM__FIELD_IS_FIGURE
#define REQUIRED (DSM__FIELD_IS_READ | DSM__FIELD_IS_REQUIRED)
#define DECISION DSM__FIELD_IS_DECISION
#define COLUMN DSM__FIELD_IS_COLUMN
#define LESS DSM__FIELD_LESS_IS_BETTER
#define MORE DSM__FIELD_MORE_IS_BETTER

/* clang-format off: a field a row */

/* ---- cycles and memory ---- */

#define CYCLES(name, flag, about)                                                                  \
  DSM__FIELD(REAL, dsm_cycles, name, #name, COLUMN | LESS | (flag), .unit = "cycles",              \
             .expected = "a figure to compare with", .help = (about))

DSM__RECORD(dsm__cycles_record, dsm_cycles, true,
            "Cycles: primary + overlapped_visible + auxiliary + non_overlapped = total.",
            CYCLES(primary, 0, "Arrays compute."),
            CYCLES(overlapped, 0, "Transfers that computation can hide; not a part of the total."),
            CYCLES(overlapped_visible, 0, "The part of them that it does not hide."),
            CYCLES(auxiliary, 0, "Special function units compute."),
            CYCLES(non_overlapped, 0, "Transfers that nothing hides."),
            CYCLES(total, FIGURE | DSM__FIELD_IS_REQUIRED, "The sum of all but overlapped."));

#define BYTES(name, about)                                                                         \
  DSM__FIELD(REAL, dsm_plan_memory, name, #name, COLUMN | LESS, .unit = "bytes/chip",              \
             .help = (about))

DSM__RECORD(
    dsm__memory_record, dsm_plan_memory, false, "Memory of a chip.",
    BYTES(weights_bytes, "Weights."),
    BYTES(activations_bytes, "Training: what is kept for the update passes, with the network's "
                             "input; inference: the most that is alive at a time."),
    BYTES(gradients_bytes, "Weight gradients."),
    BYTES(errors_bytes, "Activation gradients: the largest pair that is alive at a time."),
    BYTES(optimizer_bytes, "Optimizer state."),
    DSM__REAL(dsm_plan_memory, cache_bytes, "cache_bytes", LESS | DSM__FIELD_UNLESS_0, "bytes/chip",
              "Keys and values of all positions; in inference, if any are kept."),
    DSM__FIELD(REAL, dsm_plan_memory, recomputed_bytes, "recomputed_bytes",
               LESS | DSM__FIELD_UNLESS_0, .unit = "bytes/chip",
               .help = "Training, if layers are recomputed: the most recomputed tensors, beside "
                       "activation gradients, that are needed at a time."),
    BYTES(total_bytes, "Their sum."),
    DSM__FIELD(REAL, dsm_plan_memory, capacity_bytes, "capacity_bytes", COLUMN,
               .unit = "bytes/chip", .help = "The part of a chip's memory that mappings may use."));

/* The record has members `bound` and `resources`. */
#define BOUND(record_type)                                                                         \
  {                                                                                                \
    .key = "bound", .kind = DSM__FIELD_WORD, .flags = COLUMN,                                      \
    .offset = offsetof(record_type, bound), .words = &dsm__bound_words,                            \
    .help = "The resource on which most of the time is spent: more of it makes this faster."       \
  }
#define RESOURCES(record_type)                                                                     \
  {                                                                                                \
    .key = "resources", .kind = DSM__FIELD_REALS, .offset = offsetof(record_type, resources),      \
    .words = &dsm__bound_words, .unit = "cycles",                                                  \
    .help = "The total of cycles, divided by the resource that decides; each resource that has "   \
            "any. For a pipelined layer, its share; below 0 if the first invocation takes less "   \
            "of it than a later one, and another resource decides the step."                       \
  }

/* ---- the result ---- */

/* A number of the record of storage. */
#define SUPPLY(member, key, flags, of_unit, about)                                                 \
  DSM__FIELD(REAL, dsm_plan_storage, member, key, flags, .unit = (of_unit), .help = (about))

DSM__OWN_RECORD(
    dsm__plan_storage_record, dsm_plan_storage, false,
    "A step whose data come from storage (docs/storage.md).",
    SUPPLY(job.samples_per_second, "demand_samples_per_second", 0, "1/s",
           "Samples that the chips could process if data were always there."),
    SUPPLY(job.demand_bytes_per_second, "demand_bytes_per_second", 0, "bytes/s", "The same."),
    SUPPLY(state.delivered_bytes_per_second, "delivered_bytes_per_second", MORE, "bytes/s",
           "What they get."),
    SUPPLY(state.capacity_bytes_per_second, "capacity_bytes_per_second", LESS, "bytes/s",
           "Read from the capacity tier on average."),
    DSM__FIELD(COUNT, dsm_plan_storage, state.mini_epochs, "mini_epochs", 0, .min = 1,
               .help = "Parts of the data set, two of which are in fast storage; 1: all of it is."),
    SUPPLY(state.mini_epoch_bytes, "mini_epoch_bytes", 0, "bytes", "Of a mini-epoch, on average."),
    SUPPLY(state.repeat, "repeat", 0, "ratio", "Times that a mini-epoch is trained on."),
    SUPPLY(state.stall_free_repeat, "stall_free_repeat", LESS, "ratio",
           "The least whole factor without a stall."),
    DSM__FIELD(REAL, dsm_plan_storage, state.period_seconds, "period_seconds",
               LESS | DSM__FIELD_UNLESS_0, .unit = "seconds", .help = "Of a mini-epoch."),
    SUPPLY(state.stall_share, "stall_share", LESS, "ratio", DSM__STALL_SHARE_HELP("waiting_share")),
    SUPPLY(state.waiting_share, "waiting_share", LESS, "ratio", DSM__WAITING_SHARE_HELP),
    DSM__FIELD(WORD, dsm_plan_storage, state.bound, "bound", 0, .words = &dsm__storage_bound_words,
               .help = "What samples_per_second are bound by: the chips, fast storage, the "
                       "capacity tier."),
    SUPPLY(state.samples_per_second, "samples_per_second", MORE, "1/s", "With storage."),
    SUPPLY(computing_seconds, "computing_seconds", LESS, "seconds", "step_cycles at the clock."),
    SUPPLY(loading_seconds, "loading_seconds", LESS, "seconds",
           "The data of a step, at the rate at which they come."),
    SUPPLY(waiting_seconds, "waiting_seconds", LESS, "seconds",
           "What loading takes beyond computing: step_seconds is computing and waiting."));
#undef SUPPLY

#define ENERGY(member, key, flags, of_unit, about)                                                 \
  DSM__FIELD(REAL, dsm_plan_energy, member, key, flags, .unit = (of_unit), .help = (about))
#define JOULES(part, key, about)                                                                   \
  ENERGY(parts.of[DSM_ENERGY_##part], key "_joules", COLUMN | LESS, "joules", about)

DSM__OWN_RECORD(
    dsm__plan_energy_record, dsm_plan_energy, false,
    "Energy of a step of all chips (docs/energy.md).", JOULES(COMPUTE, "compute", "Products."),
    JOULES(VECTOR, "vector", "Auxiliary operations."),
    JOULES(SCRATCHPAD, "scratchpad", "Operands and sums of the arrays."),
    JOULES(CORES, "core_links", "Bytes between the cores of a chip, and to and from them."),
    JOULES(SHARED, "shared_memory", "Bytes of the shared memory."),
    JOULES(MEMORY, "memory", "Bytes of the external memory."),
    JOULES(LINKS, "links", "Bytes between chips."),
    JOULES(STATIC, "static", "Power that always flows, over step_seconds."),
    ENERGY(step_joules, "step_joules", COLUMN | LESS, "joules", "Their sum."),
    ENERGY(chip_watts, "chip_watts", COLUMN | LESS, "W", "Of a chip, on average over the step."),
    ENERGY(capped_seconds, "capped_seconds", LESS | DSM__FIELD_UNLESS_0, "seconds",
           "Under a power cap: what a step takes at least; step_seconds is no less."),
    ENERGY(step_dollars, "step_dollars", COLUMN | LESS | DSM__FIELD_UNLESS_0, "$",
           "The hours of the machine, and energy; if the technology states prices."),
    ENERGY(sample_dollars, "million_samples_dollars", COLUMN | LESS | DSM__FIELD_UNLESS_0, "$",
           "The same, of a million samples."),
    ENERGY(objective_value, "objective_value", LESS | DSM__FIELD_UNLESS_0, NULL,
           "Of options.objective, in its unit; with a power cap step_seconds."),
    ENERGY(objective_bound, "objective_bound", DSM__FIELD_UNLESS_0, NULL,
           "No mapping of the searched space has a lower one."));
#undef JOULES
#undef ENERGY

DSM__RECORD(
    dsm__result_record, dsm_plan_result, false, "The prediction for the step.",
    DSM__FIELD(REAL, dsm_plan_result, step_cycles, "step_cycles",
               COLUMN | LESS | FIGURE | DSM__FIELD_IS_REQUIRED | DSM__FIELD_IS_ABOVE_MIN,
               .unit = "cycles", .expected = "a figure to compare with",
               .help = "A step: forward, or forward, backward and update of the minibatch."),
    DSM__FIELD(REAL, dsm_plan_result, step_seconds, "step_seconds",
               COLUMN | LESS | FIGURE | DSM__FIELD_IS_REQUIRED | DSM__FIELD_IS_ABOVE_MIN,
               .unit = "seconds", .expected = "a figure to compare with",
               .help = "The same in seconds; with storage the longer of computing and loading."),
    DSM__REAL(dsm_plan_result, latency_seconds, "latency_seconds", LESS | DSM__FIELD_UNLESS_0,
              "seconds", "The same, in inference only."),
    DSM__FIELD(REAL, dsm_plan_result, samples_per_second, "samples_per_second", COLUMN | MORE,
               .unit = "1/s", .help = "minibatch / step_seconds."),
    DSM__FIELD(REAL, dsm_plan_result, utilization, "utilization",
               COLUMN | MORE | FIGURE | DSM__FIELD_IS_REQUIRED, .max = 1 + DSM__SUM_TOLERANCE,
               .unit = "ratio", .expected = "a figure to compare with",
               .help = "ideal_cycles / step_cycles."),
    DSM__REAL(dsm_plan_result, lower_bound_cycles, "lower_bound_cycles", COLUMN, "cycles",
              "No mapping of the searched space is faster; if the search was cut short, it is "
              "below step_cycles by the gap."),
    DSM__FIELD(REAL, dsm_plan_result, ideal_cycles, "ideal_cycles", 0, .unit = "cycles",
               .help = "Of a machine without any loss."),
    DSM__FIELD(RECORD, dsm_plan_result, cycles, "cycles", COLUMN, .type = &dsm__cycles_record,
               .help = "Their total is step_cycles."),
    BOUND(dsm_plan_result), RESOURCES(dsm_plan_result),
    DSM__FIELD(RECORD, dsm_plan_result, memory, "memory", COLUMN, .type = &dsm__memory_record,
               .help = "Memory of a chip."),
    DSM__FIELD(RECORD, dsm_plan_result, storage, "storage", 0, .type = &dsm__plan_storage_record,
               .stated_if = DSM__IF(dsm_plan_result, storage.job.demand_bytes_per_second),
               .help = "How reading the data set changes the step; for a workload with a data set "
                       "on a system with storage."),
    DSM__FIELD(RECORD, dsm_plan_result, energy, "energy", COLUMN, .type = &dsm__plan_energy_record,
               .stated_if = DSM__IF(dsm_plan_result, energy.is_known),
               .help = "What the step takes in energy and money; for a system that names a "
                       "technology."));

/* ---- passes ---- */

#define LOOPS(record_type, member, name, flag, when, about)                                        \
  DSM__FIELD(COUNTS, record_type, member, name, COLUMN | (flag), .words = &dsm__dim_words,         \
             .min = 1, .expected = "the parts of each loop over the cores", .is_read = (when),     \
             .help = (about))

DSM__RECORD(
    dsm__pass_decisions_record, dsm_pass_decisions, false, "What is decided for a pass of a layer.",
    DSM__FIELD(
        WORD, dsm_pass_decisions, parallelism, "parallelism",
        COLUMN | DECISION | DSM__FIELD_IS_REQUIRED, .words = &dsm__parallelism_words,
        .help =
            "One that layer and options allow; the passes of a layer may differ with per_pass."),
    LOOPS(dsm_pass_decisions, core_split, "core_split", DECISION | DSM__FIELD_IS_REQUIRED, NULL,
          "Parts of each loop over the cores, in the first of the invocations."));

static void write_invocation_cycles(dsm__json_writer *writer, const void *record) {
  const dsm_invocation_cost *const cost = &((const dsm_invocation *)record)->cost;
  const dsm_cycles cycles = {
      .primary = cost->primary,
      .overlapped = cost->overlapped,
      .overlapped_visible = cost->overlapped_visible,
      .auxiliary = cost->auxiliary,
      .non_overlapped = cost->partial_sum + cost->rotation + cost->layout_move + cost->overhead +
                        cost->collective,
      .total = cost->total,
  };
  dsm__record_write(writer, &dsm__cycles_record, &cycles);
}

/* The first invocation of a pass has the core split of the pass. */
static bool is_later(const void *record) {
  const dsm_invocation *const invocation = record;
  return invocation->kind != DSM_INVOCATION_FIRST && invocation->kind != DSM_INVOCATION_WRITE &&
         invocation->kind != DSM_INVOCATION_KIND_COUNT;
}

DSM__RECORD(
    dsm__invocation_record, dsm_invocation, false,
    "Invocations of one kind. Only the kind, and the core_split of steady, accumulate and hoisted, "
    "are read back.",
    DSM__FIELD(
        WORD, dsm_invocation, kind, "kind", DECISION | DSM__FIELD_IS_REQUIRED,
        .words = &dsm__invocation_kind_words, .fallback = DSM_INVOCATION_KIND_COUNT,
        .help = "first: nothing is resident from an earlier invocation; steady: the weights (in "
                "update: their gradients) stay from the one before, a decision that is made by "
                "listing it; write: update of the first spatial minibatch; accumulate: update of "
                "the later ones; hoisted: input products of all timesteps of an lstm."),
    DSM__FIELD(COUNT, dsm_invocation, count, "count", COLUMN, .min = 1, .help = "In a step."),
    LOOPS(dsm_invocation, split, "core_split", DECISION | DSM__FIELD_IS_REQUIRED, is_later,
          "Parts of each loop over the cores, of the kinds steady, accumulate and hoisted; the "
          "others have that of the pass. If accumulate or hoisted is not listed, those invocations "
          "too have that of the pass."),
    LOOPS(dsm_invocation, core, "core", 0, NULL, "CoreD: work of the busiest core."),
    LOOPS(dsm_invocation, array, "array", 0, NULL, "ArrayD: what an array takes at a time."),
    DSM__FIELD(COUNTS, dsm_invocation, tile, "tile", 0, .words = &dsm__tile_words, .min = 1,
               .stated_if = DSM__IF(dsm_invocation, tile.n[DSM_TILE_PARTS]),
               .help = "With model.tile_schedule: the tile of outputs with which the arrays take "
                       "least time, and into how many parts its sums are cut."),
    DSM__FIELD(WORD, dsm_invocation, computing, "computing", 0, .words = &dsm__computing_words,
               .stated_if = DSM__IF_NOT(dsm_invocation, computing, DSM_COMPUTING_ARRAY),
               .help = "With core.arrays or core.vector_macs_per_cycle: what the arrays of a core "
                       "divide, output features or samples and positions; or that its vector unit "
                       "computes. Absent: one array computes."),
    DSM__OWN("cycles", 0, write_invocation_cycles, RECORD, .type = &dsm__cycles_record,
             .help = "Of one invocation."));

static void write_is_overlapped(dsm__json_writer *writer, const void *record) {
  dsm__json_write_bool(writer, ((const dsm_plan_transfer *)record)->group == DSM_GROUP_STREAM);
}

static void write_move(dsm__json_writer *writer, const void *record) {
  const dsm_plan_transfer *const transfer = record;
  dsm__json_write_string(writer, transfer->axis_name != NULL
                                     ? dsm_transfer_name(transfer->transfer)
                                     : dsm__move_name(transfer->transfer, transfer->axis));
}

DSM__OWN_RECORD(dsm__transfer_record, dsm_plan_transfer, true, "A transfer on a link, in the step.",
                DSM__OWN("name", 0, write_move, WORD, .words = &dsm__move_words,
                         .help = "What is moved, and why."),
                DSM__FIELD(TEXT, dsm_plan_transfer, axis_name, "axis", DSM__FIELD_IS_OPTIONAL,
                           .max = DSM_AXIS_NAME_BYTES_MAX,
                           .help = "Axis along which it goes; for systems that name their axes, "
                                   "whose transfers do not have it in their name."),
                DSM__FIELD(WORD, dsm_plan_transfer, group, "group", 0, .words = &dsm__group_words,
                           .help = "The transfers that go on at the same time."),
                DSM__FIELD(WORD, dsm_plan_transfer, link, "link", 0, .words = &dsm__link_words,
                           .help = "On which it goes."),
                DSM__FIELD(REAL, dsm_plan_transfer, bytes, "bytes", COLUMN | LESS, .unit = "bytes",
                           .help = "In the step."),
                DSM__FIELD(REAL, dsm_plan_transfer, cycles, "cycles", COLUMN | LESS,
                           .unit = "cycles", .help = "That it alone occupies the link."),
                DSM__OWN("overlapped", 0, write_is_overlapped, FLAG, .help = "With computation."));

DSM__RECORD(
    dsm__pass_record, dsm_pass_plan, false, "A pass of a layer over the whole step.",
    DSM__PART(dsm_pass_plan, decisions, dsm__pass_decisions_record),
    LOOPS(dsm_pass_plan, share.chip, "chip", 0, NULL,
          "ChipD: work of a chip in an invocation; in is that of one feature iteration."),
    DSM__FIELD(COUNT, dsm_pass_plan, share.model_ways, "feature_iterations", 0, .min = 1,
               .help = "How often the chips that share features pass them on: nm."),
    LOOPS(dsm_pass_plan, invocations[0].core, "core", 0, NULL, "CoreD: work of the busiest core."),
    LOOPS(dsm_pass_plan, invocations[0].array, "array", 0, NULL,
          "ArrayD: what an array takes at a time."),
    DSM__FIELD(
        RECORD, dsm_pass_plan, cycles, "cycles", COLUMN | FIGURE | DSM__FIELD_IS_REQUIRED,
        .type = &dsm__cycles_record, .expected = "an object with the pass's cycles",
        .help =
            "Sums over the step's invocations and what occurs once a step; of a pipelined layer, "
            "its share of the group's, in proportion to its chips."),
    DSM__REAL(dsm_pass_plan, ideal_cycles, "ideal_cycles", 0, "cycles",
              "Of a machine without any loss."),
    DSM__FIELD(REAL, dsm_pass_plan, utilization, "utilization",
               COLUMN | MORE | FIGURE | DSM__FIELD_IS_REQUIRED, .max = 1 + DSM__SUM_TOLERANCE,
               .unit = "ratio", .expected = "a figure to compare with",
               .help = "Ideal over total."),
    BOUND(dsm_pass_plan), RESOURCES(dsm_pass_plan),
    DSM__FIELD(REALS, dsm_pass_plan, group_cycles, "groups", 0, .words = &dsm__group_words,
               .unit = "cycles", .help = "Cycles of each group of transfers that takes any."),
    DSM__REAL(dsm_pass_plan, hidden_cycles, "hidden_cycles", DSM__FIELD_UNLESS_0, "cycles",
              "With model.overlapped_reduction: cycles of sum_of_gradients and broadcast_weights "
              "that hide behind the backward and update passes of earlier layers; for sharded "
              "weights, cycles of gathering them that hide. In no sum."),
    DSM__FIELD(ITEMS, dsm_pass_plan, invocations, "invocations", 0, .type = &dsm__invocation_record,
               .count_offset = offsetof(dsm_pass_plan, invocation_count),
               .most_items = DSM_INVOCATION_KINDS_MAX, .help = "One to three kinds."),
    DSM__LISTED(dsm_pass_plan, transfers, transfer_count, "transfers", 0, dsm__transfer_record,
                "One entry for each transfer and link."));

/* ---- layers ---- */

#define PARTS(member, about)                                                                       \
  DSM__FIELD(COUNT, dsm_core_layout, member, #member, DECISION | DSM__FIELD_IS_REQUIRED, .min = 1, \
             .help = (about))

DSM__OWN_RECORD(dsm__core_layout_record, dsm_core_layout, true,
                "How a held output lies in the cores.",
                PARTS(features, "Into how many parts its features are divided."),
                PARTS(ij, "Its positions."), PARTS(mb, "Its samples."));

static bool has_layout(const void *decisions) {
  return dsm__is_layout(&((const dsm_layer_decisions *)decisions)->output_layout);
}

/* A group with the chips of the layer's stage. */
static void put_stage(const void *record, dsm__text_buffer *out) {
  const dsm_layer_decisions *const of = record;
  dsm__text_printf(out, "%s: %" PRIu64 " x %" PRIu64 " chips", of->pipeline_group,
                   of->stage_columns, of->stage_rows);
}

DSM__RECORD(
    dsm__decisions_record, dsm_layer_decisions, false, "What is decided for a layer.",
    DSM__FIELD(COUNT, dsm_layer_decisions, dysm_factor, "dysm_factor", COLUMN | DECISION, .min = 1,
               .max = DSM_DIMENSION_MAX, .fallback = 1,
               .help = "Spatial minibatches that the layer's step is cut into."),
    DSM__FIELD(FLAG, dsm_layer_decisions, is_output_held, "output_on_chip", COLUMN | DECISION,
               .help = "The output stays on chip until its last use, and its activation gradient "
                       "on the way back."),
    DSM__FIELD(RECORD, dsm_layer_decisions, output_layout, "output_layout", DECISION,
               .type = &dsm__core_layout_record, .is_stated = has_layout,
               .help = "For a held output with model.layout_move exact: into how many parts its "
                       "features, positions (ij) and samples (mb) are divided among the cores; the "
                       "product is the number of cores."),
    DSM__FIELD(FLAG, dsm_layer_decisions, is_hoisted, "hoisted", DECISION | DSM__FIELD_UNLESS_0,
               .help = "With hoist: the input products of all timesteps of an lstm are computed at "
                       "once. Written only if they are."),
    DSM__FIELD(
        WORD, dsm_layer_decisions, shard, "shard", DECISION, .words = &dsm__sharding_words,
        .fallback = DSM_SHARDING_NONE,
        .stated_if = DSM__IF_NOT(dsm_layer_decisions, shard, DSM_SHARDING_NONE),
        .help =
            "With shard: what the chips that sum the layer's weight gradients shard: the "
            "optimizer's state; gradients too; weights too. Written only if there is something."),
    DSM__FIELD(FLAG, dsm_layer_decisions, is_recomputed, "recompute",
               DECISION | DSM__FIELD_UNLESS_0,
               .help = "With recompute: the forward pass runs again before the backward pass (or "
                       "the update pass, if there is none), and its results are not kept, except "
                       "an output that a later segment reads. Written only if it does."),
    DSM__FIELD(
        FLAG, dsm_layer_decisions, is_output_recomputed, "recompute_output",
        DECISION | DSM__FIELD_UNLESS_0,
        .help = "With recompute, inside a repetition of a block: that output is not kept either, "
                "so its segment continues with the next one. Written only if it does."),
    DSM__FIELD(FLAG, dsm_layer_decisions, is_product_kept, "keep_product",
               DECISION | DSM__FIELD_UNLESS_0,
               .help = "With recompute: what the layer's product makes is kept, and only the "
                       "operations on its input and output run again. Written only if it is so."),
    DSM__FIELD(
        REAL, dsm_layer_decisions, weights_on_chip, "weights_on_chip", COLUMN | DECISION, .max = 1,
        .unit = "ratio",
        .help = "Inference: share of the weights that stays on chip from one request to the next."),
    DSM__FIELD(TEXT, dsm_layer_decisions, pipeline_group, "pipeline_group",
               COLUMN | DECISION | DSM__FIELD_IS_NULLABLE, .max = DSM__GROUP_NAME_BYTES_MAX,
               .put_compared = put_stage,
               .help = "Name of an item of pipeline; null: the layer runs by itself."),
    DSM__FIELD(
        WORD, dsm_layer_decisions, error_parallelism, "error_parallelism", DECISION,
        .words = &dsm__parallelism_words, .fallback = DSM_PARALLELISM_COUNT,
        .help = "In training, only for layers without a backward pass: the layout in which the "
                "output's activation gradient is left. Written only if it is not the default, that "
                "of the update pass (or of the forward pass, if there is none)."));

DSM__RECORD(
    dsm__layer_record, dsm_layer_plan, false, "A primary layer of the workload.",
    DSM__FIELD(
        TEXT, dsm_layer_plan, name, "name", COLUMN | REQUIRED, .max = DSM_NAME_BYTES_MAX + 8,
        .expected = "the layer's name",
        .help =
            "Name of the primary layer; a direction of a bidirectional lstm x is x.fwd or x.bwd."),
    DSM__PART(dsm_layer_plan, decisions, dsm__decisions_record),
    DSM__FIELD(REAL, dsm_layer_plan, held_bytes, "held_bytes", COLUMN, .unit = "bytes/chip",
               .help = "Bytes of a chip that held tensors take while the layer runs."),
    DSM__FIELD(MEMBERS, dsm_layer_plan, passes, "passes", DSM__FIELD_IS_REQUIRED,
               .words = &dsm__pass_words, .type = &dsm__pass_record,
               .stated_if = DSM__IF(dsm_pass_plan, exists),
               .expected = "an object with the layer's passes",
               .help = "As far as the layer has them."));

DSM__RECORD(
    dsm__pipeline_record, dsm_pipeline_plan, false,
    "Layers that run at the same time, timestep by timestep, on chips of their own.",
    DSM__FIELD(TEXT, dsm_pipeline_plan, name, "name", REQUIRED, .max = DSM__GROUP_NAME_BYTES_MAX,
               .expected = "the name that its layers refer to",
               .help = "What its layers' pipeline_group says, different in each group."),
    DSM__FIELD(TEXT_LIST, dsm_pipeline_plan, layer_names, "layers", REQUIRED,
               .count_offset = offsetof(dsm_pipeline_plan, layer_count),
               .max = DSM_NAME_BYTES_MAX + 8,
               .expected = "the names of its layers, in order of execution",
               .help = "Its layers, exactly those that refer to it, in order of execution."),
    DSM__FIELD(COUNT, dsm_pipeline_plan, columns, "columns", DECISION, .min = 1,
               .help = "Chips in a row of each layer: chips_x, also if it is absent, unless "
                       "model.pipeline_columns allows a divisor of it."),
    DSM__FIELD(COUNT_LIST, dsm_pipeline_plan, rows, "rows", DECISION | DSM__FIELD_IS_REQUIRED,
               .count_offset = offsetof(dsm_pipeline_plan, layer_count),
               .expected = "rows of chips for each of its layers",
               .help = "Number of such rows for each layer, at most chips_y; together at most "
                       "chips_y * (chips_x / columns)."),
    DSM__FIELD(REAL, dsm_pipeline_plan, cycles, "cycles", 0, .unit = "cycles",
               .help = "Of the group; its layers' passes add up to it."));
/* clang-format on */
