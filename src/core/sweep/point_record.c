/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point_record.h"

#include <string.h>

#include "dsm/limits.h"
#include "model/names.h"
#include "plan/plan_internal.h"
#include "plan/plan_record.h"
#include "sweep/machine_kind.h"
#include "sweep/option_words.h"

#define COLUMN DSM__FIELD_IS_COLUMN
#define LESS (DSM__FIELD_IS_COLUMN | DSM__FIELD_LESS_IS_BETTER)
#define MORE (DSM__FIELD_IS_COLUMN | DSM__FIELD_MORE_IS_BETTER)

/* clang-format off: a field a row */
#define REAL(name, flag, record_type, member, of_unit, about)                                      \
  DSM__FIELD(REAL, record_type, member, name, flag, .unit = (of_unit), .help = (about))

DSM__OWN_RECORD(
    dsm__point_cycles_record, dsm_cycles, false, "What a time is made of, without its total.",
    REAL("primary_cycles", LESS, dsm_cycles, primary, "cycles", "Arrays compute."),
    REAL("overlapped_cycles", LESS, dsm_cycles, overlapped, "cycles",
         "Of transfers that overlap with computation, of which overlapped_visible_cycles "
         "shows."),
    REAL("overlapped_visible_cycles", LESS, dsm_cycles, overlapped_visible, "cycles",
         "What computation does not hide of them."),
    REAL("auxiliary_cycles", LESS, dsm_cycles, auxiliary, "cycles",
         "Special function units compute."),
    REAL("non_overlapped_cycles", LESS, dsm_cycles, non_overlapped, "cycles",
         "Transfers that nothing hides."));

DSM__RECORD(dsm__point_layer_record, dsm_point_layer, false,
            "A pass of a layer of a point. The names are those of a plan.",
            DSM__FIELD(COUNT, dsm_point_layer, layer, "layer", COLUMN,
                       .help = "Number of the layer, from 0, in order of execution."),
            DSM__FIELD(TEXT, dsm_point_layer, name, "name", COLUMN, .help = "Of the layer."),
            DSM__FIELD(WORD, dsm_point_layer, pass, "pass", COLUMN, .words = &dsm__pass_words,
                       .help = "Of the layer."),
            DSM__PART(dsm_point_layer, pass_decisions, dsm__pass_decisions_record),
            DSM__PART(dsm_point_layer, decisions, dsm__decisions_record),
            DSM__FIELD(WORD, dsm_point_layer, bound, "bound", COLUMN, .words = &dsm__bound_words,
                       .help = "The resource on which most of the time is spent."),
            REAL("utilization", MORE, dsm_point_layer, utilization, "ratio", "0 to 1."),
            REAL("cycles", LESS, dsm_point_layer, cycles.total, "cycles", "Of the pass in a step."),
            DSM__PART(dsm_point_layer, cycles, dsm__point_cycles_record));

#define STEP(name, member, about)                                                                  \
  DSM__FIELD(COUNT, dsm_point_step, member, name, COLUMN,                                          \
             .stated_if = DSM__IF(dsm_point_step, micro_batches), .help = (about))

DSM__OWN_RECORD(dsm__point_step_record, dsm_point_step, false,
                "Of a sweep that allows micro-batches, stages, recomputation or shards.",
                STEP("micro_batches", micro_batches,
                     "Of a step; of sweeps that allow accumulate, shard, recompute or stages, as "
                     "the columns that follow."),
                STEP("stages", stages, "Of the step."),
                STEP("interleave", interleave, "Runs of layers of a stage."),
                STEP("recomputed_layers", recomputed_layers, "Whose forward pass runs again."),
                STEP("sharded_layers", sharded_layers,
                     "Whose optimizer state, gradients or weights chips share out."));

#define STORAGE(name, flag, member, of_unit, about)                                                \
  DSM__FIELD(REAL, dsm_plan_storage, member, name, flag, .unit = (of_unit),                        \
             .stated_if = DSM__IF(dsm_plan_storage, job.demand_bytes_per_second), .help = (about))

DSM__OWN_RECORD(
    dsm__point_storage_record, dsm_plan_storage, false,
    "Of a workload with a data set on a system with storage.",
    STORAGE("storage_demand", COLUMN, job.demand_bytes_per_second, "bytes/s",
            "What the chips take where data are there; of a workload with a data set on a "
            "system with storage, as the columns that follow."),
    STORAGE("storage_delivered", MORE, state.delivered_bytes_per_second, "bytes/s",
            "What they get."),
    STORAGE("storage_capacity_tier", LESS, state.capacity_bytes_per_second, "bytes/s",
            "Read from the capacity tier on average."),
    STORAGE("storage_stall_share", LESS, state.stall_share, "ratio",
            DSM__STALL_SHARE_HELP("storage_waiting_share")),
    STORAGE("storage_waiting_share", LESS, state.waiting_share, "ratio", DSM__WAITING_SHARE_HELP),
    STORAGE("storage_stall_free_repeat", LESS, state.stall_free_repeat, "ratio",
            "The least whole repeating factor without a stall."),
    STORAGE("waiting_seconds", LESS, waiting_seconds, "seconds", "Of a step, for data."),
    DSM__FIELD(COUNT, dsm_plan_storage, state.mini_epochs, "mini_epochs", COLUMN,
               .stated_if = DSM__IF(dsm_plan_storage, job.demand_bytes_per_second),
               .help = "Parts of the data set."));

#define ENERGY(name, member, of_unit, about)                                                       \
  DSM__FIELD(REAL, dsm_plan_energy, member, name, LESS, .unit = (of_unit),                         \
             .stated_if = DSM__IF(dsm_plan_energy, step_joules), .help = (about))

DSM__OWN_RECORD(dsm__point_energy_record, dsm_plan_energy, false,
                "Of a system that names a technology.",
                ENERGY("step_joules", step_joules, "joules",
                       "Of a step of all chips; of a system that names a technology, as the "
                       "columns that follow."),
                ENERGY("chip_watts", chip_watts, "W", "Of a chip, on average."),
                ENERGY("step_dollars", step_dollars, "$", "Of a step; 0: no prices are stated."),
                DSM__FIELD(REAL, dsm_plan_energy, objective_bound, "objective_bound", COLUMN,
                           .stated_if = DSM__IF(dsm_plan_energy, objective_bound),
                           .help = "No mapping has less of options.objective; of time: absent."));
#undef ENERGY

DSM__RECORD(
    dsm__point_record, dsm_point_result, false,
    "A recorded point. Results are there only where status is ok.",
    DSM__FIELD(COUNT, dsm_point_result, point, "point", COLUMN, .max = DSM_SWEEP_OPEN_MAX - 1,
               .help = "Its number, from 0, in the order of the product."),
    DSM__FIELD(
        WORD, dsm_point_result, status, "status", COLUMN, .words = &dsm__point_status_words,
        .help =
            "ok; infeasible: no mapping satisfies a constraint; invalid: its values break a rule."),
    DSM__FIELD(
        TEXT, dsm_point_result, reason, "reason", COLUMN,
        .help =
            "Why not, unless ok; also that the time limit ended the search of a point that is ok."),
    DSM__FIELD(WORD, dsm_point_result, mode, "mode", COLUMN, .words = &dsm__mode_words,
               .help = "What a step is."),
    DSM__FIELD(COUNT, dsm_point_result, minibatch, "minibatch", COLUMN, .min = 1,
               .max = DSM_DIMENSION_MAX, .unit = "samples", .help = "In a step."),
    DSM__FIELD(WORD_SET, dsm_point_result, optimizations, "optimizations", COLUMN,
               .words = &dsm__optimization_words, .help = "That were allowed, joined by +; none."),
    DSM__FIELD(WORD_SET, dsm_point_result, parallelisms, "parallelisms", COLUMN,
               .words = &dsm__parallelism_words, .help = "That were allowed, joined by +; none."),
    REAL("utilization", MORE, dsm_point_result, result.utilization, "ratio",
         "0 to 1, as in a plan's result."),
    REAL("step_seconds", LESS, dsm_point_result, result.step_seconds, "seconds",
         "Of a step; in inference the latency."),
    REAL("samples_per_second", MORE, dsm_point_result, result.samples_per_second,
         "samples per second", "minibatch / step_seconds."),
    REAL("step_cycles", LESS, dsm_point_result, result.step_cycles, "cycles", "Of a step."),
    REAL("lower_bound_cycles", LESS, dsm_point_result, result.lower_bound_cycles, "cycles",
         "No mapping of the searched space is faster."),
    DSM__PART(dsm_point_result, result.cycles, dsm__point_cycles_record),
    REAL("weights_bytes", LESS, dsm_point_result, result.memory.weights_bytes, "bytes",
         "In the memory of a chip."),
    REAL("activations_bytes", LESS, dsm_point_result, result.memory.activations_bytes, "bytes",
         "In the memory of a chip."),
    REAL("gradients_bytes", LESS, dsm_point_result, result.memory.gradients_bytes, "bytes",
         "In the memory of a chip."),
    REAL("errors_bytes", LESS, dsm_point_result, result.memory.errors_bytes, "bytes",
         "In the memory of a chip."),
    REAL("optimizer_bytes", LESS, dsm_point_result, result.memory.optimizer_bytes, "bytes",
         "In the memory of a chip."),
    REAL("memory_bytes", LESS, dsm_point_result, result.memory.total_bytes, "bytes", "Their sum."),
    REAL("capacity_bytes", LESS, dsm_point_result, result.memory.capacity_bytes, "bytes",
         "What mappings may use of the memory of a chip."),
    DSM__PART(dsm_point_result, result.storage, dsm__point_storage_record),
    DSM__PART(dsm_point_result, result.energy, dsm__point_energy_record), DSM__ADDED_PARTS,
    DSM__PART(dsm_point_result, step, dsm__point_step_record),
    DSM__FIELD(TEXT, dsm_point_result, decisions, "decisions", COLUMN,
               .help = "The mapping in short."),
    DSM__LISTED(dsm_point_result, layers, layer_count, "layers", 0, dsm__point_layer_record,
                "If layers are recorded: each pass of each layer."),
    DSM__FIELD(TEXT, dsm_point_result, plan, "plan", COLUMN,
               .help = "The plan (dsm-plan/1), if plans are recorded."));
/* clang-format on */

/* ---- what not all sweeps have ---- */

/* A part of the record, of sweeps whose specification has one of each pair of marks, or allows one
 * of some optimizations. Keys have their quotes: within a text these are escaped. */
typedef struct optional_part {
  const dsm__record_type *type;
  const char *marks[2][2];
  dsm_optimization_set optimizations;
} optional_part;

static const optional_part optional_parts[] = {
    {&dsm__point_storage_record,
     {{"\"dataset\":", "\"workload.dataset"}, {"\"storage\":", "\"system.storage"}},
     0},
    {&dsm__point_step_record,
     {{NULL, NULL}, {NULL, NULL}},
     DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
         DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SHARD) |
         DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_RECOMPUTE) |
         DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES)},
    {&dsm__point_energy_record,
     {{"\"technology\":", "\"system.technology"}, {"\"technology\":", "\"system.technology"}},
     0},
};

static bool has_mark(const char *specification, const char *const marks[2]) {
  return strstr(specification, marks[0]) != NULL ||
         (marks[1] != NULL && strstr(specification, marks[1]) != NULL);
}

/* A word of a list, or of words joined by +. */
static bool has_word(const char *text, const char *word) {
  static const char beside[] = "\"+";
  const char *at = strstr(text, word);
  while (at != NULL) {
    const char after = at[strlen(word)];
    if (at > text && after != '\0' && strchr(beside, at[-1]) != NULL &&
        strchr(beside, after) != NULL) {
      return true;
    }
    at = strstr(at + 1, word);
  }
  return false;
}

/* Behind the inputs, as they are written before the options. */
static bool has_optimization(const char *specification, dsm_optimization_set set) {
  const char *const options = strstr(specification, "\n  \"options\":");
  bool has = false;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT && options != NULL && !has; o++) {
    has = (set & DSM_OPTIMIZATION_BIT(o)) != 0 &&
          has_word(options, dsm_optimization_name((dsm_optimization)o));
  }
  return has;
}

/* Part number `index`: of the core, then those of companions; NULL after the last. */
static const dsm__record_type *part_type(size_t index) {
  const size_t count = DSM__COUNT_OF(optional_parts);
  const dsm__machine *const machine = index < count ? NULL : dsm__companion_machine(index - count);
  return index < count ? optional_parts[index].type : machine == NULL ? NULL : machine->part;
}

static bool is_due(size_t index, const char *specification) {
  if (index >= DSM__COUNT_OF(optional_parts)) {
    const dsm__machine *const machine =
        dsm__companion_machine(index - DSM__COUNT_OF(optional_parts));
    return dsm__has_format(specification, machine->inputs[DSM_DESCRIPTION_WORKLOAD]->format) &&
           dsm__has_format(specification, machine->inputs[DSM_DESCRIPTION_SYSTEM]->format);
  }
  const optional_part *const part = &optional_parts[index];
  return part->optimizations != 0
             ? has_optimization(specification, part->optimizations)
             : has_mark(specification, part->marks[0]) && has_mark(specification, part->marks[1]);
}

unsigned dsm__point_parts(const char *specification) {
  unsigned parts = 0;
  for (size_t i = 0; part_type(i) != NULL; i++) {
    parts |= is_due(i, specification) ? 1U << i : 0;
  }
  return parts;
}

const char *dsm__point_part_column(unsigned part) {
  const dsm__field *columns[DSM__FIELDS_MAX];
  const dsm__record_type *const type = part_type(part);
  return type != NULL && dsm__record_columns(type, columns) > 0 ? dsm__field_column(columns[0])
                                                                : NULL;
}

static bool is_other(void *context, const dsm__field *field, const void *record) {
  const dsm__field *const *const one = context;
  (void)record;
  return field != *one;
}

bool dsm__point_has_field(unsigned parts, const dsm__field *field) {
  bool has = true;
  for (size_t i = 0; part_type(i) != NULL && has; i++) {
    has = (parts & 1U << i) != 0 || dsm__record_each(part_type(i), NULL, is_other, &field);
  }
  return has;
}

size_t dsm__point_columns(unsigned parts, const dsm__field *columns[DSM__FIELDS_MAX]) {
  const size_t all = dsm__record_columns(&dsm__point_record, columns);
  size_t count = 0;
  for (size_t c = 0; c < all; c++) {
    if (dsm__point_has_field(parts, columns[c])) {
      columns[count++] = columns[c];
    }
  }
  return count;
}
