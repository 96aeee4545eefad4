/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_json_write.c: writes a system in the format "dsm-system/1", every parameter but those that
 * change nothing. */
#include <string.h>

#include "system/system_internal.h"

void dsm__parameter_write(const dsm__parameter *parameter, double number,
                          dsm__json_writer *writer) {
  char text[DSM__NUMBER_TEXT_SIZE];
  switch (parameter->kind) {
  case DSM__PARAMETER_COUNT:
  case DSM__PARAMETER_REAL:
    dsm__json_write_double(writer, number);
    return;
  case DSM__PARAMETER_FLAG:
    dsm__json_write_bool(writer, number > 0);
    return;
  case DSM__PARAMETER_WORD:
    dsm__json_write_string(writer, dsm__parameter_text(parameter, number, text));
    return;
  }
}

/* Length of the part that two paths share, up to and including a dot. */
static size_t shared_objects(const char *a, const char *b) {
  size_t shared = 0;
  for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++) {
    if (a[i] == '.') {
      shared = i + 1;
    }
  }
  return shared;
}

static void close_objects(dsm__json_writer *writer, const char *path, size_t keep) {
  for (size_t i = keep; path[i] != '\0'; i++) {
    if (path[i] == '.') {
      dsm__json_end_object(writer);
    }
  }
}

/* A technology has its name before its numbers. */
static void open_objects(const dsm_system *system, dsm__json_writer *writer, const char *path,
                         size_t from) {
  char key[64];
  for (;;) {
    const size_t length = strcspn(path + from, ".");
    memcpy(key, path + from, length);
    key[length] = '\0';
    dsm__json_write_key(writer, key);
    if (path[from + length] == '\0') {
      return;
    }
    dsm__json_begin_object(writer, false);
    from += length + 1;
    if (from == strlen(DSM__TECHNOLOGY_PREFIX) &&
        strncmp(path, DSM__TECHNOLOGY_PREFIX, from) == 0) {
      dsm__json_put_text(writer, "name", system->technology.name);
    }
  }
}

static void write_notes(const dsm_system *system, dsm__json_writer *writer) {
  dsm__json_put_object(writer, "notes", false);
  for (size_t i = 0; i < system->note_count; i++) {
    dsm__json_put_string(writer, system->note_paths[i], system->note_texts[i]);
  }
  dsm__json_end_object(writer);
}

void dsm__system_write(const dsm_system *system, dsm__json_writer *writer) {
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "format", "dsm-system/1");
  dsm__json_put_string(writer, "name", system->name);
  dsm__json_put_text(writer, "source", system->source);
  const char *previous = "";
  const dsm__stated_parameters stated = dsm__parameters_of(system);
  for (size_t p = 0; p < stated.count; p++) {
    if (stated.items[p]->axis > 0) {
      if (stated.items[p - 1]->axis == 0) {
        dsm__axes_write(system, writer);
      }
      continue;
    }
    const char *const path = stated.items[p]->path;
    const size_t shared = shared_objects(previous, path);
    close_objects(writer, previous, shared);
    open_objects(system, writer, path, shared);
    dsm__parameter_write(stated.items[p], dsm__parameter_number(stated.items[p], system), writer);
    previous = path;
  }
  close_objects(writer, previous, 0);
  if (system->note_count > 0) {
    write_notes(system, writer);
  }
  dsm__json_end_object(writer);
}
