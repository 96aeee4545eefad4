/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/target.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "workload/name_index.h"

/* The name as a word: a '_' for each space, and for each byte of what cannot be shown. */
static char *without_spaces(const char *name, dsm__arena *arena) {
  char *const copy = dsm__arena_strdup(arena, name);
  const size_t length = strlen(name);
  for (size_t at = 0; copy != NULL && at < length;) {
    const size_t size = dsm__utf8_length(name + at, length - at);
    const size_t taken = size == 0 ? 1 : size;
    if (size == 0 || name[at] == ' ' || !dsm__utf8_is_shown(name + at, size)) {
      memset(copy + at, '_', taken);
    }
    at += taken;
  }
  return copy;
}

/* Which of some layers of equal names keeps it: the one that is called so, else the first. */
static size_t find_keeper(const dsm_plan *plan, const dsm__name_entry *equal, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(plan->layers[equal[i].index].layer->name, equal[i].name) == 0) {
      return i;
    }
  }
  return 0;
}

/* Numbers all but one of some layers of equal names. A name of another layer is never made: what
 * follows the last '_' tells the name before it, and names that are there are left out. */
static bool number_equal(const char **names, const dsm_plan *plan, const dsm__name_index *index,
                         const dsm__name_entry *equal, size_t count, dsm__arena *arena) {
  const size_t keeper = find_keeper(plan, equal, count);
  size_t number = 2;
  for (size_t i = 0; i < count; i++) {
    const char *name = equal[i].name;
    for (bool is_free = i == keeper; !is_free; number++) {
      name = dsm__arena_printf(arena, "%s_%zu", equal[i].name, number);
      if (name == NULL) {
        return false;
      }
      is_free = dsm__name_index_find(index, name) == SIZE_MAX;
    }
    names[equal[i].index] = name;
  }
  return true;
}

const char **dsm__export_names(const dsm_plan *plan, dsm__arena *arena) {
  const size_t count = plan->layer_count;
  const char **const names = dsm__arena_alloc(arena, count * sizeof *names);
  dsm__name_index index = {.entries = dsm__arena_alloc(arena, count * sizeof *index.entries),
                           .count = count};
  if (names == NULL || index.entries == NULL) {
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    const char *const name = without_spaces(plan->layers[i].layer->name, arena);
    if (name == NULL) {
      return NULL;
    }
    index.entries[i] = (dsm__name_entry){name, i};
  }
  dsm__name_index_sort(&index);
  for (size_t first = 0, end = 0; first < count; first = end) {
    while (end < count && strcmp(index.entries[end].name, index.entries[first].name) == 0) {
      end++;
    }
    if (!number_equal(names, plan, &index, &index.entries[first], end - first, arena)) {
      return NULL;
    }
  }
  return names;
}
