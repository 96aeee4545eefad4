/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_json.c: reads the formats "dsm-rl-workload/1" and "dsm-pim-system/1". */
#include <inttypes.h>
#include <math.h>

#include "dsm/limits.h"
#include "pim/pim_record.h"

static dsm_rl_workload *new_workload(void) {
  return DSM__ARENA_OWNER(dsm_rl_workload);
}

static dsm_pim_system *new_system(void) {
  return DSM__ARENA_OWNER(dsm_pim_system);
}

DSM__ARENA_FREE(dsm_rl_workload, dsm_rl_workload_free);

DSM__ARENA_FREE(dsm_pim_system, dsm_pim_system_free);

/* Whole rounds; tables of agents are not averaged. */
static void check_rounds(const dsm_rl_workload *workload, const dsm__json_node *root) {
  const dsm__json_node period = dsm__json_member(root, "synchronization_period");
  const dsm__json_node episodes = dsm__json_member(root, "episodes");
  const dsm__json_node *const at = dsm__json_is_present(&period) ? &period : &episodes;
  if (workload->agents == 0 && workload->episodes % workload->synchronization_period != 0) {
    dsm__json_error(
        at, "tables are averaged after so many episodes, the last time at the end",
        "expected episodes that are a multiple of synchronization_period, found %" PRIu64
        " and %" PRIu64,
        workload->episodes, workload->synchronization_period);
  }
}

/* As many elements as a table may have. */
static void check_table(const dsm_rl_workload *workload, const dsm__json_node *root) {
  const dsm__json_node states = dsm__json_member(root, "states");
  const double elements = (double)workload->states * (double)workload->actions;
  if (elements > DSM_DIMENSION_MAX) {
    dsm__json_error(&states, NULL, "expected at most %d elements of a table, found %.0f",
                    DSM_DIMENSION_MAX, elements);
  }
}

static void read_workload(dsm_rl_workload *workload, const dsm__json_node *root) {
  const dsm__record_reader reader = {.arena = workload->arena, .wanted = DSM__FIELD_IS_READ};
  if (dsm__document_only(root, &dsm__rl_workload_record) &&
      dsm__record_read(&reader, root, &dsm__rl_workload_record, workload)) {
    check_rounds(workload, root);
    check_table(workload, root);
  }
}

static void read_system(dsm_pim_system *system, const dsm__json_node *root) {
  const dsm__record_reader reader = {.arena = system->arena, .wanted = DSM__FIELD_IS_READ};
  if (!dsm__document_only(root, &dsm__pim_system_record) ||
      !dsm__record_read(&reader, root, &dsm__pim_system_record, system)) {
    return;
  }
  const dsm__json_node idle = dsm__json_member(root, "idle_power_W");
  if (!isfinite(system->idle_power_W)) {
    system->idle_power_W = system->power_W;
  } else if (system->idle_power_W > system->power_W) {
    dsm__json_error(&idle, NULL, "expected at most power_W, %.17g, found %.17g", system->power_W,
                    system->idle_power_W);
  }
}

DSM__DESCRIPTION(dsm__rl_workload_description, RL_WORKLOAD, "dsm-rl-workload/1", dsm_rl_workload,
                 new_workload, read_workload, dsm_rl_workload_free);
DSM__DESCRIPTION_READERS(dsm__rl_workload_description, dsm_rl_workload, dsm_rl_workload_parse,
                         dsm_rl_workload_load);
DSM__DESCRIPTION(dsm__pim_system_description, PIM_SYSTEM, "dsm-pim-system/1", dsm_pim_system,
                 new_system, read_system, dsm_pim_system_free);
DSM__DESCRIPTION_READERS(dsm__pim_system_description, dsm_pim_system, dsm_pim_system_parse,
                         dsm_pim_system_load);
