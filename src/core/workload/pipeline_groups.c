/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipeline_groups.c: a named pipeline group is a run of recurrent layers (docs/model.md, section
 * 9). */
#include <string.h>

#include "base/number_text.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

static bool is_named(const dsm__declared_layer *layer) {
  const dsm_layer_spec *const spec = &layer->spec;
  return !layer->is_wrong && spec->pipeline_choice == DSM_PIPELINE_NAMED &&
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
static void check_pair(const dsm__workload_builder *builder, size_t earlier, size_t later) {
  const dsm_layer_spec *const a = &builder->layers.items[earlier].spec;
  const dsm_layer_spec *const b = &builder->layers.items[later].spec;
  const dsm__json_node layer = builder->layers.items[later].node;
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

void dsm__pipeline_groups_check(const dsm__workload_builder *builder) {
  const size_t count = builder->layers.count;
  dsm__name_index groups = {
      .entries = dsm__arena_array(builder->workload->arena, count, sizeof groups.entries[0])};
  if (dsm__json_lacks_memory(builder->root.doc, groups.entries == NULL)) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const dsm__declared_layer *const layer = &builder->layers.items[i];
    if (is_named(layer)) {
      check_direction(&layer->spec, &layer->node);
      groups.entries[groups.count++] = (dsm__name_entry){layer->spec.pipeline_group, i};
    }
  }
  dsm__name_index_sort(&groups);
  for (size_t g = 1; g < groups.count; g++) {
    if (strcmp(groups.entries[g].name, groups.entries[g - 1].name) == 0) {
      check_pair(builder, groups.entries[g - 1].index, groups.entries[g].index);
    }
  }
}
