/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_machine.c: cores in memory as what points of a sweep are on. */
#include <inttypes.h>

#include "pim/kernel.h"
#include "pim/pim_record.h"

/* clang-format off: a field a row */
DSM__RECORD(dsm__point_pim_record, dsm_pim_cost, false, "Of a training on cores in memory.",
            DSM__FIELD(FLAG, dsm_pim_cost, is_feasible, "feasible", 0, .help = "It is one."),
            DSM__FIELD(COUNT, dsm_pim_cost, choice.cores, "cores", DSM__FIELD_IS_COLUMN, .min = 1,
                       .stated_if = DSM__IF(dsm_pim_cost, is_feasible),
                       .help = "In memory, that work; of points on such, as the columns that "
                               "follow."),
            DSM__FIELD(COUNT, dsm_pim_cost, choice.tasklets, "tasklets", DSM__FIELD_IS_COLUMN,
                       .min = 1, .stated_if = DSM__IF(dsm_pim_cost, is_feasible),
                       .help = "Of each core."),
            DSM__FIELD(WORD, dsm_pim_cost, choice.transfers, "transfers", DSM__FIELD_IS_COLUMN,
                       .words = &dsm__pim_transfers_words,
                       .stated_if = DSM__IF(dsm_pim_cost, is_feasible),
                       .help = "How the host moves what differs from core to core."),
            {.kind = DSM__FIELD_PART, .offset = 0, .type = &dsm__pim_figures_record});
/* clang-format on */

static dsm_status choose(void **plan, const void *workload, const void *system, dsm_diags *diags) {
  dsm_pim_plan *made = NULL;
  const dsm_status status = dsm_pim(&made, workload, system, NULL, diags);
  *plan = made;
  return status;
}

/* A training in the words of plans: its step is the whole training, and a sample a transition. The
 * kernel is primary, what its dispatch would need if all cores were busy ideal, all transfers are
 * not overlapped; data and table of a core are activations and weights. */
static dsm_plan_result step_of(const dsm_pim_plan *plan, double samples) {
  const dsm_pim_cost *const cost = &plan->cost;
  const double hertz = dsm__pim_hertz(plan->system);
  const double table = dsm_pim_table_bytes(plan->workload);
  const double cycles = cost->seconds * hertz;
  const double updates = samples * (double)plan->workload->episodes;
  return (dsm_plan_result){
      .step_cycles = cycles,
      .step_seconds = cost->seconds,
      .samples_per_second = samples / cost->seconds,
      .utilization = cost->utilization,
      .lower_bound_cycles = cycles,
      .ideal_cycles = updates * cost->update.instructions / (double)plan->system->cores,
      .cycles = {.primary = cost->kernel_seconds * hertz,
                 .non_overlapped = (cost->seconds - cost->kernel_seconds) * hertz,
                 .total = cycles},
      .memory = {.weights_bytes = table,
                 .activations_bytes = cost->core_bytes - table,
                 .total_bytes = cost->core_bytes,
                 .capacity_bytes = dsm__pim_core_memory_bytes(plan->system)}};
}

static void describe(const void *of, dsm_point_result *result, dsm__text_buffer *decisions) {
  const dsm_pim_plan *const plan = of;
  const dsm_pim_choice *const choice = &plan->cost.choice;
  const dsm_rl_workload *const workload = plan->workload;
  const uint64_t samples = workload->transitions * (workload->agents > 0 ? workload->agents : 1);
  result->mode = DSM_MODE_TRAINING;
  result->minibatch = samples;
  result->pim = plan->cost;
  result->result = step_of(plan, (double)samples);
  dsm__text_printf(decisions, "cores %" PRIu64 "; tasklets %" PRIu64 "; %s transfers",
                   choice->cores, choice->tasklets, dsm_pim_transfers_name(choice->transfers));
}

static char *print(const void *plan) {
  return dsm_pim_plan_print(plan);
}

static dsm_status parse(void **plan, const char *text, size_t length, const char *file,
                        dsm_diags *diags) {
  dsm_pim_plan *made = NULL;
  const dsm_status status = dsm_pim_plan_parse(&made, NULL, text, length, file, diags);
  *plan = made;
  return status;
}

static void discard(void *plan) {
  dsm_pim_plan_free(plan);
}

const dsm__machine dsm__pim_machine = {
    .inputs = {&dsm__rl_workload_description, &dsm__pim_system_description},
    .mismatches = {"expected cores in memory for a table of values, found another system",
                   "expected a table of values on cores in memory, found a network"},
    .part = &dsm__point_pim_record,
    .choose = choose,
    .describe = describe,
    .print = print,
    .parse = parse,
    .discard = discard};

bool dsm_store_is_pim(const dsm_store *store) {
  return dsm__store_is_on(store, &dsm__pim_machine);
}

dsm_status dsm_store_pim_plan(dsm_store *store, size_t point, dsm_pim_plan **plan,
                              double *recorded_seconds, dsm_diags *diags) {
  void *made = NULL;
  const dsm_status status =
      dsm__store_plan_on(store, point, &dsm__pim_machine, &made, recorded_seconds, diags);
  *plan = made;
  return status;
}
