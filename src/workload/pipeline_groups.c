/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline_groups.c: a named pipeline group is a run of recurrent layers (docs/model.md, section
 * 9). */
#include <string.h>

#include "base/number_text.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

static bool is_named(const dsm_workload *workload, size_t index, const bool *is_wrong) {
  const dsm_layer_spec *const spec = &workload->specs[index];
  return !is_wrong[index] && spec->pipeline_choice == DSM_PIPELINE_NAMED &&
         spec->pipeline_group != NULL;
}

static void check_direction(const dsm_layer_spec *spec, const dsm__json_node *layer) {
  if (spec->is_bidirectional) {
    const dsm__json_node group = dsm__json_member(layer, "pipeline_group");
    dsm__json_error(
        &group, "its two directions run one after the other",
        "expected a unidirectional lstm in a pipeline group, found a bidirectional one");
  }
}

/* A later layer of a group against the one before it in the group. */
static void check_pair(const dsm_workload *workload, const dsm__json_node *layers_node,
                       size_t earlier, size_t later) {
  const dsm_layer_spec *const a = &workload->specs[earlier];
  const dsm_layer_spec *const b = &workload->specs[later];
  const dsm__json_node layer = dsm__json_item(layers_node, later);
  if (later != earlier + 1) {
    const dsm__json_node group = dsm__json_member(&layer, "pipeline_group");
    dsm__json_error(&group, "a pipeline group is a run of recurrent layers",
                    "expected the layers of group \"%s\" one after the other, found others after "
                    "\"%s\"",
                    b->pipeline_group, a->name == NULL ? "" : a->name);
  } else if (a->timesteps != b->timesteps) {
    const dsm__json_node timesteps = dsm__json_member(&layer, "timesteps");
    dsm__json_error(dsm__json_is_present(&timesteps) ? &timesteps : &layer, NULL,
                    "expected the %llu timestep%s of the other layers of group \"%s\", found %llu",
                    (unsigned long long)a->timesteps, dsm__plural((double)a->timesteps),
                    b->pipeline_group, (unsigned long long)b->timesteps);
  }
}

void dsm__pipeline_groups_check(const dsm_workload *workload, const dsm__json_node *layers_node,
                                const bool *is_wrong) {
  dsm__name_index groups = {
      .entries = dsm__arena_array(workload->arena, workload->spec_count, sizeof groups.entries[0])};
  if (groups.entries == NULL) {
    dsm__json_set_out_of_memory(layers_node->doc);
    return;
  }
  for (size_t i = 0; i < workload->spec_count; i++) {
    if (is_named(workload, i, is_wrong)) {
      const dsm__json_node layer = dsm__json_item(layers_node, i);
      check_direction(&workload->specs[i], &layer);
      groups.entries[groups.count++] = (dsm__name_entry){workload->specs[i].pipeline_group, i};
    }
  }
  dsm__name_index_sort(&groups);
  for (size_t g = 1; g < groups.count; g++) {
    if (strcmp(groups.entries[g].name, groups.entries[g - 1].name) == 0) {
      check_pair(workload, layers_node, groups.entries[g - 1].index, groups.entries[g].index);
    }
  }
}
