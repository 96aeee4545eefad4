/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/shape.h"

#include "base/checked.h"

const dsm_aux *dsm__find_pool(const dsm_layer_spec *spec, bool is_on_input) {
  for (size_t i = 0; i < spec->aux_count; i++) {
    const dsm_aux *const aux = &spec->aux[i];
    if ((aux->op == DSM_AUX_MAX_POOL || aux->op == DSM_AUX_AVG_POOL) &&
        aux->is_on_input == is_on_input) {
      return aux;
    }
  }
  return NULL;
}

dsm__json_node dsm__layer_entry_member(const dsm__layer_entry *layer, const char *key) {
  const dsm__json_node member = dsm__json_member(layer->node, key);
  return dsm__json_is_present(&member) ? member : *layer->node;
}

/* ceil((size - window) / stride) + 1, for size >= window. */
static uint64_t pooled_size(uint64_t size, uint64_t window, uint64_t stride) {
  return dsm__ceil_div_u64(size - window, stride) + 1;
}

bool dsm__pool_derive_size(const dsm__layer_entry *layer, const dsm_aux *pool, dsm_size2 from,
                           dsm_size2 *pooled) {
  const dsm__json_node list = dsm__json_member(layer->node, "aux");
  const dsm__json_node node = dsm__json_item(&list, (size_t)(pool - layer->spec->aux));
  const dsm_size2 most = {from.rows + pool->window.rows, from.columns + pool->window.columns};
  if (pool->has_feature) {
    *pooled = pool->feature;
    if (pooled->rows <= most.rows && pooled->columns <= most.columns) {
      return true;
    }
    dsm__json_error(&node, NULL,
                    "expected a pooled feature of at most %llu x %llu (size and window), found "
                    "%llu x %llu",
                    (unsigned long long)most.rows, (unsigned long long)most.columns,
                    (unsigned long long)pooled->rows, (unsigned long long)pooled->columns);
    return false;
  }
  if (pool->window.rows > from.rows || pool->window.columns > from.columns) {
    dsm__json_error(&node, "state the pool's \"feature\" if it pads",
                    "expected a window within the feature of %llu x %llu, found %llu x %llu",
                    (unsigned long long)from.rows, (unsigned long long)from.columns,
                    (unsigned long long)pool->window.rows,
                    (unsigned long long)pool->window.columns);
    return false;
  }
  *pooled = (dsm_size2){pooled_size(from.rows, pool->window.rows, pool->stride.rows),
                        pooled_size(from.columns, pool->window.columns, pool->stride.columns)};
  return true;
}
