/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/profile_import.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "import/format.h"
#include "import/timings/batch_devices.h"
#include "import/timings/merge.h"
#include "import/timings/tasks.h"
#include "workload/name_index.h"

void dsm_profile_import_options_init(dsm_profile_import_options *options) {
  *options = (dsm_profile_import_options){.workload = NULL, .batch = 1, .is_strict = false};
}

/* ---- files ---- */

/* Does the text, as far as it is no space, begin an object or a list? */
static bool is_json(const char *bytes, size_t length) {
  size_t at = 0;
  while (at < length && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != '\0') {
    at++;
  }
  return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

/* The format of a document; NULL: none. */
static const dsm__timing_format *format_of(const dsm__json_node *root) {
  const dsm__json_node events = dsm__json_member(root, "traceEvents");
  if (dsm__json_is_list(&events)) {
    return &dsm__torch_timings;
  }
  const dsm__json_node first = dsm__json_item(root, 0);
  const dsm__json_node second = dsm__json_item(root, 1);
  const dsm__json_node phase = dsm__json_member(&first, "ph");
  const dsm__json_node name = dsm__json_member(&first, "name");
  return dsm__json_has(&first, "cat") || dsm__json_is_present(&phase) ? &dsm__onnx_runtime_timings
         : dsm__json_is_present(&name) ||
                 (dsm__json_has(&first, "count") && dsm__json_is_present(&second))
             ? &dsm__trtexec_timings
             : NULL;
}

static size_t sample_count(const dsm__timings *timings) {
  size_t count = 0;
  for (size_t d = 0; d < timings->devices.count; d++) {
    count += timings->devices.items[d].samples.count;
  }
  return count;
}

static void read_with(const dsm__timing_file *file, const dsm__timing_format *format) {
  const size_t before = sample_count(file->timings);
  if (format == NULL) {
    dsm__json_error(&file->root, NULL,
                    "expected a profile of ONNX Runtime or trtexec, a trace of the PyTorch "
                    "profiler, or CSV, found JSON of another kind");
    return;
  }
  format->read(file);
  if (dsm__json_doc_error_count(file->doc) == 0 && sample_count(file->timings) == before &&
      !dsm__json_doc_is_out_of_memory(file->doc)) {
    dsm__json_error(&file->root, NULL, "expected times of layers in %s, found none", format->what);
  }
}

/* The name of a file without folders and ending. */
static const char *stem_of(const char *path, dsm__arena *arena) {
  return strcmp(path, "-") == 0 ? dsm__arena_strdup(arena, "device")
                                : dsm__import_stem_of(path, arena);
}

static dsm_status read_file(dsm__timings *timings, const dsm_profile_file *from, dsm_diags *diags) {
  dsm__timing_file file = {.timings = timings, .bytes = from->bytes, .length = from->length};
  const bool is_document = is_json(from->bytes, from->length);
  timings->is_device_stated = from->device != NULL;
  timings->device = from->device != NULL ? from->device : stem_of(from->path, timings->arena);
  dsm_status status = timings->device == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  if (status == DSM_OK && is_document) {
    status = dsm__json_doc_parse(&file.doc, from->bytes, from->length, from->path, NULL, 0, diags);
  } else if (status == DSM_OK) {
    file.doc = dsm__json_doc_bare(from->path, diags);
    status = file.doc == NULL ? dsm__out_of_memory(diags) : DSM_OK;
  }
  if (status != DSM_OK) {
    return status;
  }
  file.root = is_document ? dsm__json_root(file.doc) : dsm__json_labelled(file.doc, "");
  read_with(&file, is_document ? format_of(&file.root) : &dsm__csv_timings);
  dsm__timings_end_file(timings);
  status = dsm__json_doc_finish(file.doc);
  dsm__json_doc_free(file.doc);
  return status;
}

static dsm_status read_files(dsm__timings *timings, const dsm_profile_file *files,
                             size_t file_count, dsm_diags *diags) {
  dsm_status status = DSM_OK;
  for (size_t f = 0; f < file_count; f++) {
    const dsm_status one = read_file(timings, &files[f], diags);
    if (one == DSM_ERROR_OUT_OF_MEMORY) {
      return one;
    }
    status = one == DSM_OK ? status : one;
  }
  if (status == DSM_OK && timings->devices.count > DSM_DEVICES_MAX) {
    return dsm__refuse(diags, DSM_ERROR_INVALID, "expected at most %d devices, found %zu",
                       DSM_DEVICES_MAX, timings->devices.count);
  }
  for (size_t d = 0; status == DSM_OK && d < timings->devices.count; d++) {
    const char *const name = timings->devices.items[d].name;
    if (!dsm__is_plain_name(name)) {
      return dsm__refuse(diags, DSM_ERROR_INVALID,
                         "expected names of devices of 1 to %d bytes without control characters, "
                         "found \"%.140s\" (give one: NAME=FILE)",
                         DSM_NAME_BYTES_MAX, name);
    }
    if (dsm__batch_name_of(name).batch == 0) {
      return dsm__refuse(diags, DSM_ERROR_INVALID,
                         "expected a batch from 1 to %d behind the \"@\" of a device, found "
                         "\"%.140s\"",
                         DSM_DEVICE_BATCH_MAX, name);
    }
  }
  return status == DSM_OK && !dsm__timings_finish(timings) ? dsm__out_of_memory(diags) : status;
}

dsm_status dsm_profile_import(char **text, const dsm_profile_file *files, size_t file_count,
                              const dsm_profile_import_options *options, dsm_diags *diags) {
  dsm_profile_import_options defaults;
  dsm_profile_import_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  *text = NULL;
  dsm__timings timings = {.arena = dsm__arena_new(), .is_strict = options->is_strict};
  if (timings.arena == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status = read_files(&timings, files, file_count, diags);
  if (status == DSM_OK) {
    const char *const name = file_count == 0 ? NULL : stem_of(files[0].path, timings.arena);
    status = name == NULL ? dsm__out_of_memory(diags)
                          : dsm__profile_of_timings(text, &timings, name, options, diags);
  }
  dsm__timings_fini(&timings);
  return status;
}
