/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/name_index.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "dsm/limits.h"

DSM__ORDER_OF(compare_entries, dsm__name_entry,
              dsm__order_then(strcmp(a->name, b->name), dsm__order_whole(a->index, b->index)));

void dsm__name_index_sort(dsm__name_index *names) {
  dsm__sort(names->entries, names->count, sizeof names->entries[0], compare_entries);
}

size_t dsm__name_index_find(const dsm__name_index *names, const char *name) {
  size_t low = 0;
  size_t high = names->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(names->entries[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < names->count && strcmp(names->entries[low].name, name) == 0) {
    return names->entries[low].index;
  }
  return SIZE_MAX;
}

bool dsm__is_plain_name(const char *text) {
  const size_t length = strlen(text);
  bool is_fit = length > 0 && length <= DSM_NAME_BYTES_MAX;
  for (size_t i = 0; is_fit && i < length; i++) {
    is_fit = (unsigned char)text[i] >= ' ' && text[i] != '\x7f';
  }
  return is_fit;
}
