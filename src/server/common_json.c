/* SPDX-License-Identifier: GPL-3.0-or-later */
/* common_json.c: pieces that descriptions of servers and profiles have in common. */
#include <math.h>
#include <string.h>

#include "dsm/limits.h"
#include "server/server_internal.h"
#include "workload/byte_parameters.h"
#include "workload/name_index.h"

const dsm__json_range dsm__bytes_range = {DSM__BYTES_MIN, DSM__BYTES_MAX, false};
const dsm__json_range dsm__capacity_range = {DSM__CAPACITY_MIN, DSM__CAPACITY_MAX, false};
const dsm__json_range dsm__seconds_ratio_range = {1e-3, 1e3, false};
static const dsm__json_range watts_range = {DSM__WATTS_MIN, DSM__WATTS_MAX, false};

DSM__OBJECT(dsm__power_object, "power", {.name = "busy_watts"}, {.name = "idle_watts"});

dsm__power dsm__power_read(const dsm__json_node *device) {
  dsm__power power = {.is_given = false};
  const dsm__json_node node = dsm__json_member(device, "power");
  if (!dsm__json_is_present(&node) || !dsm__object_only(&node, &dsm__power_object, 0)) {
    return power;
  }
  power.is_given = true;
  const bool is_good = dsm__json_required_double(&node, "busy_watts", "the power of a busy device",
                                                 watts_range, &power.busy_watts);
  const dsm__json_node idle = dsm__json_member(&node, "idle_watts");
  if (dsm__json_is_present(&idle) &&
      dsm__json_double_or_zero(&idle, watts_range, &power.idle_watts) && is_good) {
    dsm__power_check(&node, power.busy_watts, power.idle_watts);
  }
  return power;
}

void dsm__power_check(const dsm__json_node *power, double busy_watts, double idle_watts) {
  const dsm__json_node idle = dsm__json_member(power, "idle_watts");
  if (busy_watts > 0 && idle_watts > busy_watts) {
    dsm__json_error(&idle, NULL, "expected at most busy_watts, %.17g, found %.17g", busy_watts,
                    idle_watts);
  }
}

dsm__precision_keys dsm__precision_read(const dsm__json_node *object) {
  static const dsm__json_range range = {DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, false};
  dsm__precision_keys keys = {.element_bytes = 0};
  dsm__json_optional_double(object, "element_bytes", range, 0, &keys.element_bytes);
  dsm__json_optional_double(object, "weight_bytes", range, keys.element_bytes, &keys.weight_bytes);
  return keys;
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
  if (index.entries == NULL) {
    dsm__json_set_out_of_memory(list->doc);
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
