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

static void read_name(dsm_system *system, const dsm__json_node *axis, unsigned index) {
  dsm_network_axis *const axes = system->system.axes;
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
  for (unsigned a = 0; a < index; a++) {
    if (axes[a].name != NULL && strcmp(axes[a].name, name) == 0) {
      dsm__json_error(&node, NULL, "expected a name that no other axis has, found \"%s\"", name);
      return;
    }
  }
  axes[index].name = name;
}

static void read_axis(dsm_system *system, const dsm__json_node *axis, unsigned index) {
  const char *known[DSM__PARAMETERS_MAX] = {"name"};
  size_t count = 1;
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

void dsm__axes_read(dsm_system *system, const dsm__json_node *axes) {
  size_t count = 0;
  if (!dsm__json_array(axes, 1, DSM_AXES_MAX, &count)) {
    return;
  }
  memset(system->system.axes, 0, sizeof system->system.axes);
  for (size_t i = 0; i < count; i++) {
    const dsm__json_node axis = dsm__json_item(axes, i);
    read_axis(system, &axis, (unsigned)i);
  }
  system->system.axis_count = (unsigned)count;
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
