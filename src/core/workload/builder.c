/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/builder.h"

#include <stdlib.h>
#include <string.h>

#include "workload/workload_internal.h"

dsm_layer_spec dsm__layer_spec_default(void) {
  const dsm_size2 one = {1, 1};
  return (dsm_layer_spec){
      .feature = one, .kernel = one, .stride = one, .dilation = one, .groups = 1, .timesteps = 1};
}

dsm__declared_layer *dsm__builder_add(dsm__workload_builder *builder, const dsm__json_node *node) {
  if (dsm__json_lacks_memory(node->doc, !DSM__LIST_RESERVE(&builder->layers, 1))) {
    return NULL;
  }
  dsm__declared_layer *const layer = &builder->layers.items[builder->layers.count++];
  *layer = (dsm__declared_layer){.spec = dsm__layer_spec_default(), .node = *node};
  return layer;
}

void dsm__builder_finish(dsm__workload_builder *builder) {
  dsm_workload *const workload = builder->workload;
  const size_t count = builder->layers.count;
  dsm_layer_spec *const specs = dsm__arena_array(workload->arena, count, sizeof *specs);
  if (dsm__json_lacks_memory(builder->root.doc, specs == NULL)) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    specs[i] = builder->layers.items[i].spec;
  }
  builder->specs = specs;
  workload->specs = specs;
  workload->spec_count = count;
  dsm__workload_resolve(builder);
}

void dsm__builder_fini(dsm__workload_builder *builder) {
  free(builder->layers.items);
  builder->layers.items = NULL;
}
