/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "import/format.h"
#include "import/json_file.h"
#include "workload/byte_parameters.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

static const dsm__import_reader *reader_of(dsm_import_format format) {
  static const dsm__import_reader *const readers[DSM_IMPORT_FORMAT_COUNT] = {
      [DSM_IMPORT_ONNX] = &dsm__onnx_reader,
      [DSM_IMPORT_HUB_CONFIG] = &dsm__hub_reader,
      [DSM_IMPORT_SCALE_SIM] = &dsm__scale_sim_reader,
      [DSM_IMPORT_CALCULON] = &dsm__calculon_reader,
      [DSM_IMPORT_CALCULON_SYSTEM] = &dsm__calculon_system_reader,
      [DSM_IMPORT_ASTRA_NETWORK] = &dsm__astra_network_reader,
  };
  return readers[format];
}

const char *dsm_import_format_name(dsm_import_format format) {
  return reader_of(format)->word;
}

const char *dsm_import_format_help(dsm_import_format format) {
  return reader_of(format)->help;
}

bool dsm_import_format_is_system(dsm_import_format format) {
  return reader_of(format)->is_system;
}

bool dsm_import_format_parse(const char *text, dsm_import_format *format) {
  for (dsm_import_format f = 0; f < DSM_IMPORT_FORMAT_COUNT; f++) {
    if (strcmp(text, reader_of(f)->word) == 0) {
      *format = f;
      return true;
    }
  }
  return false;
}

const char *dsm_import_padding_name(dsm_import_padding padding) {
  static const char *const words[DSM_IMPORT_PADDING_COUNT] = {
      [DSM_IMPORT_PADDING_VALID] = "valid", [DSM_IMPORT_PADDING_SAME] = "same"};
  return words[padding];
}

dsm_import_format dsm_import_recognise(const char *bytes, size_t length, const char *file) {
  dsm_import_format format = 0;
  while (format < DSM_IMPORT_FORMAT_COUNT && !reader_of(format)->recognise(bytes, length, file)) {
    format++;
  }
  return format;
}

void dsm_import_options_init(dsm_import_options *options) {
  *options = (dsm_import_options){.format = DSM_IMPORT_FORMAT_COUNT};
}

void dsm__import_note(const dsm__import *import, const dsm__json_node *node, const char *format,
                      ...) {
  const dsm_severity severity = import->options->is_strict ? DSM_SEVERITY_ERROR : DSM_SEVERITY_NOTE;
  va_list args;
  va_start(args, format);
  dsm__json_vfinding(node, severity, NULL, format, args);
  va_end(args);
}

uint64_t dsm__import_dimension(const dsm__import *import, const char *name, size_t length) {
  for (size_t i = 0; i < import->options->dimension_count; i++) {
    const dsm_import_dimension *const one = &import->options->dimensions[i];
    if (strlen(one->name) == length && memcmp(one->name, name, length) == 0) {
      return one->size;
    }
  }
  return 0;
}

const char *dsm__import_stem_of(const char *path, dsm__arena *arena) {
  const char *const slash = strrchr(path, '/');
  const char *const name = slash == NULL ? path : slash + 1;
  const char *const dot = strrchr(name, '.');
  const size_t length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
  return dsm__arena_strndup(arena, name, length);
}

const char *dsm__import_file_stem(const dsm__import *import) {
  const char *const file = import->file == NULL ? "" : import->file;
  const char *const stem = dsm__import_stem_of(file, import->builder.workload->arena);
  if (stem == NULL) {
    dsm__json_set_out_of_memory(import->doc);
  }
  return stem != NULL && dsm__is_plain_name(stem) && strcmp(stem, "-") != 0 ? stem : "network";
}

static void set_defaults(dsm_workload *workload) {
  for (size_t p = 0; p < DSM__BYTE_PARAMETER_COUNT; p++) {
    const dsm__byte_parameter *const parameter = &dsm__byte_parameters[p];
    *dsm__byte_parameter_field(parameter, workload) = parameter->fallback;
  }
  workload->normalization_group = 1;
  workload->minibatch = 1;
}

static void read_layers(dsm__import *import, const dsm__import_reader *reader) {
  dsm_workload *const workload = import->builder.workload;
  set_defaults(workload);
  reader->read(import);
  if (import->options->minibatch != 0) {
    workload->minibatch = import->options->minibatch;
  }
  const size_t count = import->builder.layers.count;
  if (dsm__json_doc_error_count(import->doc) == 0 && (count == 0 || count > DSM_LAYERS_MAX)) {
    dsm__json_error(&import->root, NULL, "expected 1 to %d layers that multiply, found %zu",
                    DSM_LAYERS_MAX, count);
  }
  if (dsm__json_doc_error_count(import->doc) == 0) {
    dsm__builder_finish(&import->builder);
  }
}

/* ---- descriptions that readers write ---- */

void dsm__import_begin_workload(const dsm__import *import, dsm__json_writer *writer,
                                const char *name, const char *source) {
  const uint64_t minibatch = import->options->minibatch;
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "format", "dsm-workload/1");
  dsm__json_put_string(writer, "name", name);
  dsm__json_put_string(writer, "source", source);
  dsm__json_put_u64(writer, "minibatch", minibatch != 0 ? minibatch : 1);
}

/* What a file does not tell is no approximation: it is said, and no error where options are strict.
 */
void dsm__import_begin_system(const dsm__import *import, dsm__json_writer *writer,
                              const char *source) {
  if (!import->options->is_strict) {
    dsm__import_note(import, &import->root,
                     "tells a part of a system: add what dsm validate finds missing");
  }
  dsm__json_begin_object(writer, false);
  dsm__json_put_string(writer, "format", "dsm-system/1");
  dsm__json_put_string(writer, "name", dsm__import_file_stem(import));
  dsm__json_put_string(writer, "source", source);
}

/* Reads what was written as it will be read: what together makes no workload was stated by the
 * file, whose finding is the first one. */
static void check_workload(const dsm__import *import, const dsm__text_buffer *text) {
  dsm_diags *const findings = dsm_diags_new(1);
  dsm_workload *workload = NULL;
  const dsm_status status =
      dsm_workload_parse(&workload, text->text, text->length, NULL, NULL, 0, findings);
  if (status == DSM_ERROR_OUT_OF_MEMORY || findings == NULL) {
    dsm__json_set_out_of_memory(import->doc);
  } else if (status != DSM_OK) {
    const dsm_diag *const first = dsm_diags_get(findings, 0);
    dsm__json_error(&import->root, first->hint, "expected what makes a workload, found at %s: %s",
                    first->path, first->message);
  }
  dsm_workload_free(workload);
  dsm_diags_free(findings);
}

static dsm_status write_with(char **text, size_t *text_length, dsm__import *import,
                             const dsm__import_reader *reader, dsm_diags *diags) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  reader->write(import, &writer);
  if (dsm__json_doc_error_count(import->doc) == 0) {
    dsm__json_finish(&writer);
    if (!out.failed && !reader->is_system) {
      check_workload(import, &out);
    }
  }
  dsm_status status = dsm__json_doc_finish(import->doc);
  if (status != DSM_OK) {
    dsm__text_fini(&out);
    return status;
  }
  *text_length = out.length;
  *text = dsm__text_finish(&out);
  return *text == NULL ? dsm__out_of_memory(diags) : DSM_OK;
}

/* ---- readers ---- */

static dsm_status open_document(dsm__import *import, const dsm__import_reader *reader,
                                dsm_diags *diags) {
  if (reader->is_json) {
    dsm__arena *const arena = dsm__arena_new();
    const char *const text =
        arena == NULL ? NULL : dsm__import_quote_numbers(arena, import->bytes, import->length);
    const dsm_status status = text == NULL ? dsm__out_of_memory(diags)
                                           : dsm__json_doc_parse(&import->doc, text, import->length,
                                                                 import->file, NULL, 0, diags);
    dsm__arena_free(arena);
    if (status == DSM_OK) {
      import->root = dsm__json_root(import->doc);
    }
    return status;
  }
  import->doc = dsm__json_doc_bare(import->file, diags);
  if (import->doc == NULL) {
    return dsm__out_of_memory(diags);
  }
  import->root = dsm__json_labelled(import->doc, "");
  return dsm__json_doc_is_out_of_memory(import->doc) ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

static dsm_status import_with(char **text, size_t *text_length, dsm__import *import,
                              const dsm__import_reader *reader, dsm_diags *diags) {
  import->builder = (dsm__workload_builder){
      .workload = dsm__workload_new(), .root = import->root, .list = import->root};
  if (import->builder.workload == NULL) {
    return dsm__out_of_memory(diags);
  }
  dsm_status status;
  if (reader->write != NULL) {
    status = write_with(text, text_length, import, reader, diags);
  } else {
    read_layers(import, reader);
    status = dsm__json_doc_finish(import->doc);
    if (status == DSM_OK) {
      status = dsm__workload_text(text, text_length, import->builder.workload, diags);
    }
  }
  dsm__builder_fini(&import->builder);
  dsm_workload_free(import->builder.workload);
  return status;
}

/* What can be read, in words. */
static dsm_status refuse(const char *file, dsm_diags *diags) {
  char words[256] = "";
  size_t used = 0;
  for (dsm_import_format f = 0; f < DSM_IMPORT_FORMAT_COUNT && used < sizeof words; f++) {
    used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", f == 0 ? "" : ", ",
                             reader_of(f)->word);
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file},
                 "times of layers are imported with --to profile",
                 "expected a file of a format that can be imported (%s), found none", words);
  return DSM_ERROR_INVALID;
}

dsm_status dsm_import_text(char **text, size_t *text_length, const char *bytes, size_t length,
                           const char *file, const dsm_import_options *options, dsm_diags *diags) {
  dsm_import_options defaults;
  dsm_import_options_init(&defaults);
  dsm__import import = {.bytes = bytes,
                        .length = length,
                        .file = file,
                        .options = options == NULL ? &defaults : options};
  dsm_import_format format = import.options->format;
  *text = NULL;
  *text_length = 0;
  if (format == DSM_IMPORT_FORMAT_COUNT) {
    format = dsm_import_recognise(bytes, length, file);
  }
  if (format == DSM_IMPORT_FORMAT_COUNT) {
    return refuse(file, diags);
  }
  dsm_status status = open_document(&import, reader_of(format), diags);
  if (status == DSM_OK) {
    status = import_with(text, text_length, &import, reader_of(format), diags);
  }
  dsm__json_doc_free(import.doc);
  return status;
}
