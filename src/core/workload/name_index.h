/* SPDX-License-Identifier: GPL-3.0-or-later */
/* name_index.h: from names to indices in O(log n). */
#ifndef DSM_WORKLOAD_NAME_INDEX_H
#define DSM_WORKLOAD_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct dsm__name_entry {
  const char *name;
  size_t index;
} dsm__name_entry;

/** Sorted by name, then index. */
typedef struct dsm__name_index {
  dsm__name_entry *entries;
  size_t count;
} dsm__name_index;

/** Sorts entries that the caller has filled. */
void dsm__name_index_sort(dsm__name_index *names);

/** The smallest index of that name, or SIZE_MAX. */
size_t dsm__name_index_find(const dsm__name_index *names, const char *name);

/** Can this be a name? It has 1 to DSM_NAME_BYTES_MAX bytes and no control characters. */
bool dsm__is_plain_name(const char *text);

#endif
