/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_pipeline.c: which layers may form a pipeline group, and on which chips (section 9). */
#include <inttypes.h>
#include <stdio.h>

#include "base/number_text.h"
#include "plan/legal_internal.h"
#include "plan/stage.h"

static bool judge_stage(dsm__judge *judge, const dsm__pipeline_decision *group, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const dsm_layer *const first = dsm__judged_layer(judge, group->first_layer);
  const dsm__plan_place place = DSM__LAYER_PLACE(index, pipeline_group);
  char name[DSM__GROUP_NAME_BYTES_MAX + 3];
  (void)snprintf(name, sizeof name, "\"%s\"", group->name);
  if (!dsm__judge_choice(judge, index, DSM__CHOICE_GROUP,
                         dsm__layer_facts(judge->of->workload, index), name)) {
    return false;
  }
  if (layer->timesteps != first->timesteps) {
    dsm__judge_tell(
        judge, place, NULL,
        "expected the group of layers with %" PRIu64 " timestep%s, found that of \"%s\", which "
        "has %" PRIu64,
        layer->timesteps, dsm__plural((double)layer->timesteps), first->name, first->timesteps);
  } else if (!dsm__pipeline_is_same_declared(judge->of->workload, index, group->first_layer)) {
    dsm__judge_tell(judge, place, NULL,
                    "expected layers of one pipeline_group of the workload, found that of \"%s\"",
                    first->name);
  } else {
    return true;
  }
  return false;
}

static bool judge_columns(dsm__judge *judge, size_t g) {
  const dsm_system *const system = judge->of->machine->system;
  const uint64_t chips_x = dsm__stage_columns_max(system);
  const uint64_t columns = judge->of->decisions->pipelines[g].columns;
  const dsm__plan_place place = DSM__GROUP_PLACE(g, columns);
  if (dsm__stage_can_be_wide(system, columns)) {
    return true;
  }
  if (system->model.pipeline_columns) {
    dsm__judge_tell(judge, place, NULL,
                    "expected a divisor of the %" PRIu64 " chips of a row, found %" PRIu64, chips_x,
                    columns);
  } else {
    dsm__judge_tell(judge, place, "the system's model.pipeline_columns is false",
                    "expected all %" PRIu64 " chip%s of a row, found %" PRIu64, chips_x,
                    dsm__plural((double)chips_x), columns);
  }
  return false;
}

/* Each stage fits a strip of chips, and all of them the strips that there are. */
static void judge_rows(dsm__judge *judge, size_t g) {
  const dsm__pipeline_decision *const group = &judge->of->decisions->pipelines[g];
  const dsm_system *const system = judge->of->machine->system;
  const char *const last_axis = system->system.axes[system->system.axis_count - 1].name;
  const uint64_t chips_y = dsm__stage_rows_max(system);
  const uint64_t together = dsm__stage_rows_together(system, group->columns);
  const dsm__plan_place place = DSM__GROUP_PLACE(g, rows);
  uint64_t sum = 0;
  for (size_t k = 0; k < group->layer_count; k++) {
    if (group->rows[k] > chips_y) {
      dsm__judge_tell(judge, place, NULL,
                      "expected at most the %" PRIu64 " row%s of chips along %s for a stage, found "
                      "%" PRIu64,
                      chips_y, dsm__plural((double)chips_y), last_axis, group->rows[k]);
      return;
    }
    sum += group->rows[k];
  }
  if (sum > together && group->columns == dsm__stage_columns_max(system)) {
    dsm__judge_tell(judge, place, NULL,
                    "expected at most the %" PRIu64 " row%s of chips along %s in all, found "
                    "%" PRIu64,
                    together, dsm__plural((double)together), last_axis, sum);
  } else if (sum > together) {
    dsm__judge_tell(judge, place, NULL,
                    "expected at most the %" PRIu64 " row%s of %" PRIu64 " chip%s that there are "
                    "in all, found %" PRIu64,
                    together, dsm__plural((double)together), group->columns,
                    dsm__plural((double)group->columns), sum);
  }
}

void dsm__judge_pipelines(dsm__judge *judge) {
  const dsm__decisions *const decisions = judge->of->decisions;
  for (size_t g = 0; g < decisions->pipeline_count; g++) {
    const dsm__pipeline_decision *const group = &decisions->pipelines[g];
    const uint64_t declared =
        dsm__pipeline_declared_length(judge->of->workload, group->first_layer);
    bool is_good = true;
    for (size_t k = 0; k < group->layer_count; k++) {
      is_good = judge_stage(judge, group, group->first_layer + k) && is_good;
    }
    if (group->layer_count < 2) {
      dsm__judge_tell(judge, DSM__GROUP_PLACE(g, layer_names), NULL,
                      "expected at least two layers, found %zu", group->layer_count);
    } else if (is_good && declared > 0 && declared != group->layer_count) {
      const dsm_layer *const first = dsm__judged_layer(judge, group->first_layer);
      dsm__judge_tell(judge, DSM__GROUP_PLACE(g, layer_names), NULL,
                      "expected all %" PRIu64 " layers of the workload's pipeline_group \"%s\", "
                      "found %zu",
                      declared, judge->of->workload->specs[first->spec_index].pipeline_group,
                      group->layer_count);
    }
    if (judge_columns(judge, g)) {
      judge_rows(judge, g);
    }
  }
}
