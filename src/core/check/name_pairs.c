/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/name_pairs.h"

#include "workload/name_index.h"

/* False if out of memory. */
static bool index_names(dsm__name_index *index, dsm__names names, dsm__arena *arena) {
  index->entries = dsm__arena_array(arena, names.count, sizeof index->entries[0]);
  index->count = index->entries == NULL ? 0 : names.count;
  for (size_t i = 0; i < index->count; i++) {
    index->entries[i] = (dsm__name_entry){names.items[i], i};
  }
  dsm__name_index_sort(index);
  return index->entries != NULL;
}

bool dsm__pairs_by_name(dsm__name_pairs *pairs, dsm__names a, dsm__names b, dsm__arena *arena) {
  dsm__name_index of_a;
  dsm__name_index of_b;
  pairs->items = dsm__arena_array(arena, a.count + b.count, sizeof pairs->items[0]);
  pairs->count = 0;
  if (pairs->items == NULL || !index_names(&of_a, a, arena) || !index_names(&of_b, b, arena)) {
    return false;
  }
  for (size_t i = 0; i < a.count; i++) {
    pairs->items[pairs->count++] = (dsm__name_pair){i, dsm__name_index_find(&of_b, a.items[i])};
  }
  for (size_t i = 0; i < b.count; i++) {
    if (dsm__name_index_find(&of_a, b.items[i]) == SIZE_MAX) {
      pairs->items[pairs->count++] = (dsm__name_pair){SIZE_MAX, i};
    }
  }
  return true;
}
