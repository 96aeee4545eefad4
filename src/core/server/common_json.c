/* SPDX-License-Identifier: GPL-3.0-or-later */
/* common_json.c: pieces that descriptions of servers and profiles have in common. */
#include <math.h>
#include <string.h>

#include "dsm/limits.h"
#include "server/server_internal.h"
#include "workload/name_index.h"

const dsm__json_range dsm__bytes_range = {DSM__BYTES_MIN, DSM__BYTES_MAX, false};
const dsm__json_range dsm__capacity_range = {DSM__CAPACITY_MIN, DSM__CAPACITY_MAX, false};

DSM__OBJECT(dsm__power_object, "power", {.name = "busy_watts"}, {.name = "idle_watts"});

void dsm__power_check(const dsm__json_node *power, double busy_watts, double idle_watts) {
  const dsm__json_node idle = dsm__json_member(power, "idle_watts");
  if (busy_watts > 0 && idle_watts > busy_watts) {
    dsm__json_error(&idle, NULL, "expected at most busy_watts, %.17g, found %.17g", busy_watts,
                    idle_watts);
  }
}

bool dsm__seconds_read(const dsm__json_node *node, double *seconds) {
  if (dsm__json_is_null(node)) {
    *seconds = HUGE_VAL;
    return true;
  }
  return dsm__json_double_or_zero(
      node, (dsm__json_range){DSM__SECONDS_MIN, DSM__SECONDS_MAX, false}, seconds);
}

bool dsm__index_differs(const dsm__json_node *list, const dsm__name_index *index) {
  bool do_differ = true;
  for (size_t e = 1; e < index->count; e++) {
    const dsm__name_entry *const one = &index->entries[e];
    if (strcmp(one->name, index->entries[e - 1].name) == 0) {
      const dsm__json_node item = dsm__json_item(list, one->index);
      const dsm__json_node name = dsm__json_member(&item, "name");
      dsm__json_error(&name, NULL, "expected a name of its own, found \"%s\" twice", one->name);
      do_differ = false;
    }
  }
  return do_differ;
}

bool dsm__names_differ(const dsm__json_node *list, const char *const *names, size_t count,
                       dsm__arena *arena) {
  dsm__name_index index = {dsm__arena_array(arena, count, sizeof *index.entries), 0};
  if (dsm__json_lacks_memory(list->doc, index.entries == NULL)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (names[i] != NULL) {
      index.entries[index.count++] = (dsm__name_entry){names[i], i};
    }
  }
  dsm__name_index_sort(&index);
  return dsm__index_differs(list, &index);
}
