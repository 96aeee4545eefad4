/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axes_json.c: the list of axes of a system, each an object of the parameters that are its own. */
#include <string.h>

#include "system/system_internal.h"

/* The last step of a parameter's path. */
static const char *key_of(const dsm__parameter *parameter) {
  return strrchr(parameter->path, '.') + 1;
}

static bool is_name(const char *text) {
  const size_t length = strlen(text);
  return length > 0 && length <= DSM_AXIS_NAME_BYTES_MAX &&
         strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") == length && text[0] >= 'a';
}

/* Has one of the axes before this one a name? */
static bool is_taken(const dsm_system *system, unsigned index, const char *name) {
  const dsm_network_axis *const axes = system->system.axes;
  bool is_it = false;
  for (unsigned a = 0; a < index; a++) {
    is_it = is_it || (axes[a].name != NULL && strcmp(axes[a].name, name) == 0);
  }
  return is_it;
}

static void read_name(dsm_system *system, const dsm__json_node *axis, unsigned index) {
  const dsm__json_node node = dsm__json_member(axis, "name");
  const char *name = NULL;
  if (!dsm__json_is_present(&node)) {
    dsm__json_require(&node, "the axis's name");
    return;
  }
  if (!dsm__json_string(&node, 1, DSM_AXIS_NAME_BYTES_MAX, system->arena, &name)) {
    return;
  }
  if (!is_name(name)) {
    dsm__json_error(
        &node, NULL,
        "expected a letter and then letters and digits, all of lower case, found \"%s\"", name);
    return;
  }
  if (is_taken(system, index, name)) {
    dsm__json_error(&node, NULL, "expected a name that no other axis has, found \"%s\"", name);
    return;
  }
  system->system.axes[index].name = name;
}

static void read_axis(dsm_system *system, const dsm__json_node *axis, unsigned index) {
  const char *known[DSM__PARAMETERS_MAX] = {"name", "divide"};
  size_t count = 2;
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (dsm__parameters[p].axis == index + 1) {
      known[count++] = key_of(&dsm__parameters[p]);
    }
  }
  if (!dsm__json_object_only(axis, known, count)) {
    return;
  }
  read_name(system, axis, index);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    if (dsm__parameters[p].axis == index + 1) {
      dsm__parameter_read(&dsm__parameters[p], system, axis, key_of(&dsm__parameters[p]));
    }
  }
}

/* Of an axis with "divide" the part that is left of it becomes the next one: any chips of a switch
 * are as far from one another. How many axes there are then, of the one that was read. */
static unsigned divide(dsm_system *system, const dsm__json_node *axis, unsigned index) {
  dsm_network_axis *const first = &system->system.axes[index];
  const dsm__json_node node = dsm__json_member(axis, "divide");
  uint64_t inner = 1;
  if (!dsm__json_is_present(&node) || !dsm__json_u64(&node, 1, DSM_CHIPS_MAX, &inner) ||
      inner == 1) {
    return 1;
  }
  if (first->link != DSM_LINK_KIND_SWITCH || first->chips % inner != 0 || inner == first->chips) {
    dsm__json_error(&node, "1 leaves the axis whole",
                    "expected a divisor, below the number, of the chips of a switch");
    return 1;
  }
  if (index + 1 == DSM_AXES_MAX) {
    dsm__json_error(&node, NULL, "expected at most %d axes with that which is divided",
                    DSM_AXES_MAX);
    return 1;
  }
  first[1] = first[0];
  first[0].chips = inner;
  first[1].chips /= inner;
  if (first->name != NULL) {
    const int kept = DSM_AXIS_NAME_BYTES_MAX - 1;
    first[1].name = dsm__arena_printf(system->arena, "%.*s2", kept, first->name);
    if (!dsm__json_lacks_memory(axis->doc, first[1].name == NULL) &&
        is_taken(system, index + 1, first[1].name)) {
      dsm__json_error(&node, NULL, "expected no other axis with the name of the rest, \"%s\"",
                      first[1].name);
    }
  }
  return 2;
}

unsigned dsm__axes_divided(const dsm__json_node *axes) {
  for (unsigned i = 0; i < DSM_AXES_MAX; i++) {
    const dsm__json_node axis = dsm__json_item(axes, i);
    const dsm__json_node node = dsm__json_member(&axis, "divide");
    double inner = 0;
    if (dsm__json_is_number(&node, &inner) && inner > 1) {
      return i + 1;
    }
  }
  return 0;
}

void dsm__axes_read(dsm_system *system, const dsm__json_node *axes) {
  size_t count = 0;
  unsigned at = 0;
  if (!dsm__json_array(axes, 1, DSM_AXES_MAX, &count)) {
    return;
  }
  memset(system->system.axes, 0, sizeof system->system.axes);
  for (size_t i = 0; i < count && at < DSM_AXES_MAX; i++) {
    const dsm__json_node axis = dsm__json_item(axes, i);
    read_axis(system, &axis, at);
    at += divide(system, &axis, at);
    if (at == DSM_AXES_MAX && i + 1 < count) {
      dsm__json_error(&axis, NULL, "expected at most %d axes with that which is divided",
                      DSM_AXES_MAX);
    }
  }
  system->system.axis_count = at;
}

void dsm__axes_write(const dsm_system *system, dsm__json_writer *writer) {
  const dsm__stated_parameters stated = dsm__parameters_of(system);
  dsm__json_put_array(writer, "axes", false);
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    dsm__json_begin_object(writer, true);
    dsm__json_put_string(writer, "name", system->system.axes[a].name);
    for (size_t p = 0; p < stated.count; p++) {
      if (stated.items[p]->axis == a + 1) {
        dsm__json_write_key(writer, key_of(stated.items[p]));
        dsm__parameter_write(stated.items[p], dsm__parameter_number(stated.items[p], system),
                             writer);
      }
    }
    dsm__json_end_object(writer);
  }
  dsm__json_end_array(writer);
}
