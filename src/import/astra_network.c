/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * astra_network.c: the analytical network of ASTRA-sim 2, as the part "system" of a system.
 *
 * Source: astra-sim/astra-network-analytical, common/network-parser/NetworkParser.cpp (lists of
 * topology, npus_count, bandwidth and latency, a value for each dimension, the first innermost) and
 * common/NetworkFunction.cpp (a GB is 2^30 bytes). It is what dsm export --to astra-sim writes.
 */
#include <assert.h>
#include <string.h>
#include <yaml.h>

#include "base/number_text.h"
#include "base/units.h"
#include "dsm/system.h"
#include "import/format.h"

enum { LIST_TOPOLOGY = 0, LIST_COUNT_OF_NPUS, LIST_BANDWIDTH, LIST_LATENCY, LIST_COUNT };

static const char *const list_keys[LIST_COUNT] = {"topology", "npus_count", "bandwidth", "latency"};

enum { DEPTH_MAX = 16 };

/* A list of the file. */
typedef struct value_list {
  bool is_present;
  size_t count;                    /* those above DSM_AXES_MAX are counted and not kept */
  const char *texts[DSM_AXES_MAX]; /* in the arena */
} value_list;

typedef struct network_file {
  dsm__import *import;
  value_list lists[LIST_COUNT];
} network_file;

/* ---- recognised ---- */

static bool has_line(const char *bytes, size_t length, const char *key) {
  const size_t size = strlen(key);
  bool is_begin = true;
  for (size_t i = 0; i + size < length; i++) {
    if (is_begin && memcmp(bytes + i, key, size) == 0 && bytes[i + size] == ':') {
      return true;
    }
    is_begin = bytes[i] == '\n';
  }
  return false;
}

static bool recognise(const char *bytes, size_t length, const char *file) {
  enum { LOOKED_AT_MAX = 16384 };
  const size_t looked_at = length < LOOKED_AT_MAX ? length : LOOKED_AT_MAX;
  (void)file;
  return has_line(bytes, looked_at, list_keys[LIST_TOPOLOGY]) &&
         has_line(bytes, looked_at, list_keys[LIST_COUNT_OF_NPUS]);
}

/* ---- read ---- */

static dsm__json_node place_of(const network_file *file, size_t list) {
  return dsm__json_labelled(file->import->doc, list_keys[list]);
}

/* The next event; false: the text is no YAML, or memory is out, which was reported. */
static bool next_event(const network_file *file, yaml_parser_t *parser, yaml_event_t *event) {
  if (yaml_parser_parse(parser, event) != 0) {
    return true;
  }
  if (parser->error == YAML_MEMORY_ERROR) {
    dsm__json_set_out_of_memory(file->import->doc);
  } else {
    dsm__json_error(&file->import->root, NULL, "expected YAML, found in line %zu: %.80s",
                    parser->problem_mark.line + 1,
                    parser->problem == NULL ? "what is none" : parser->problem);
  }
  return false;
}

/* Keeps a value of a list. False: it is no text, or memory is out, which was reported. */
static bool keep(network_file *file, size_t which, const yaml_event_t *event) {
  const dsm__import *const import = file->import;
  value_list *const list = &file->lists[which];
  const char *const text = (const char *)event->data.scalar.value;
  const size_t length = event->data.scalar.length;
  if (strlen(text) != length) {
    const dsm__json_node place = place_of(file, which);
    dsm__json_error(&place, NULL, "expected texts and numbers, found a character of value 0");
    return false;
  }
  if (list->count < DSM_AXES_MAX) {
    list->texts[list->count] = dsm__arena_strndup(import->builder.workload->arena, text, length);
    if (dsm__json_lacks_memory(import->doc, list->texts[list->count] == NULL)) {
      return false;
    }
  }
  list->count++;
  return true;
}

/* How much deeper an event leads. */
static int step_of(const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    return 1;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    return -1;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_STREAM_END_EVENT:
  case YAML_DOCUMENT_START_EVENT:
  case YAML_DOCUMENT_END_EVENT:
  case YAML_ALIAS_EVENT:
  case YAML_SCALAR_EVENT:
    break;
  }
  return 0;
}

/* Reads the value of a key, all of it; scalars of one of the lists are kept. */
static bool read_value(network_file *file, yaml_parser_t *parser, size_t which) {
  const bool is_list = which < LIST_COUNT;
  bool is_kept = true;
  int depth = 0;
  do {
    yaml_event_t event;
    if (depth > DEPTH_MAX) {
      dsm__json_error(&file->import->root, NULL, "expected values at most %d deep, found deeper",
                      DEPTH_MAX);
      return false;
    }
    if (!next_event(file, parser, &event)) {
      return false;
    }
    const bool is_scalar = event.type == YAML_SCALAR_EVENT;
    if (is_list && is_scalar && depth < 2) {
      is_kept = keep(file, which, &event);
    } else if (is_list && (event.type == YAML_ALIAS_EVENT || is_scalar ||
                           event.type == YAML_MAPPING_START_EVENT)) {
      const dsm__json_node place = place_of(file, which);
      dsm__json_error(&place, NULL, "expected a list of values, one for each dimension");
    }
    depth += step_of(&event);
    yaml_event_delete(&event);
  } while (depth > 0 && is_kept);
  return is_kept;
}

static size_t find_list(const char *key) {
  size_t i = 0;
  while (i < LIST_COUNT && strcmp(key, list_keys[i]) != 0) {
    i++;
  }
  return i;
}

/* Reads a key with its value. False: there is none, or an error, which was reported. */
static bool read_member(network_file *file, yaml_parser_t *parser) {
  yaml_event_t event;
  if (!next_event(file, parser, &event)) {
    return false;
  }
  const bool is_key = event.type == YAML_SCALAR_EVENT;
  const bool is_end = event.type == YAML_MAPPING_END_EVENT;
  const size_t which = is_key ? find_list((const char *)event.data.scalar.value) : LIST_COUNT;
  yaml_event_delete(&event);
  if (!is_key) {
    if (!is_end) {
      dsm__json_error(&file->import->root, NULL, "expected names of members, found other keys");
    }
    return false;
  }
  if (which < LIST_COUNT && file->lists[which].is_present) {
    const dsm__json_node place = place_of(file, which);
    dsm__json_error(&place, NULL, "expected it once, found it again");
    return false;
  }
  if (which < LIST_COUNT) {
    file->lists[which].is_present = true;
  }
  return read_value(file, parser, which);
}

/* The document begins with a mapping. */
static bool begin_document(const network_file *file, yaml_parser_t *parser) {
  static const yaml_event_type_t expected[] = {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT,
                                               YAML_MAPPING_START_EVENT};
  for (size_t i = 0; i < DSM__COUNT_OF(expected); i++) {
    yaml_event_t event;
    if (!next_event(file, parser, &event)) {
      return false;
    }
    const bool is_expected = event.type == expected[i];
    yaml_event_delete(&event);
    if (!is_expected) {
      dsm__json_error(&file->import->root, NULL,
                      "expected members topology, npus_count, bandwidth and latency, found none");
      return false;
    }
  }
  return true;
}

static void read_lists(network_file *file) {
  const dsm__import *const import = file->import;
  yaml_parser_t parser;
  if (dsm__json_lacks_memory(import->doc, yaml_parser_initialize(&parser) == 0)) {
    return;
  }
  yaml_parser_set_input_string(&parser, (const unsigned char *)import->bytes, import->length);
  if (begin_document(file, &parser)) {
    while (read_member(file, &parser)) {
    }
  }
  yaml_parser_delete(&parser);
}

/* ---- written ---- */

static bool check_counts(const network_file *file) {
  const size_t count = file->lists[LIST_TOPOLOGY].count;
  bool is_good = true;
  for (size_t i = 0; i < LIST_COUNT; i++) {
    const dsm__json_node place = place_of(file, i);
    const value_list *const list = &file->lists[i];
    if (!list->is_present) {
      dsm__json_error(&place, NULL, "expected a value for each dimension, found none");
      is_good = false;
    } else if (list->count != count || count < 1 || count > DSM_AXES_MAX) {
      dsm__json_error(&place, NULL, "expected 1 to %d values, as many as topology has, found %zu",
                      DSM_AXES_MAX, list->count);
      is_good = false;
    }
  }
  return is_good;
}

static double number_at(const network_file *file, size_t list, size_t axis, double min,
                        double max) {
  const char *const text = file->lists[list].texts[axis];
  double value = 0;
  if (!dsm__text_to_double(text, strlen(text), &value) || !(value >= min) || !(value <= max)) {
    const dsm__json_node place = place_of(file, list);
    dsm__json_error(&place, NULL, "expected numbers from %g to %g, found \"%s\"", min, max, text);
    return min;
  }
  return value;
}

static uint64_t chips_at(const network_file *file, size_t axis) {
  const char *const text = file->lists[LIST_COUNT_OF_NPUS].texts[axis];
  uint64_t value = 1;
  if (!dsm__text_to_u64(text, 1, DSM_SIDE_MAX, &value)) {
    const dsm__json_node place = place_of(file, LIST_COUNT_OF_NPUS);
    dsm__json_error(&place, NULL, "expected whole numbers from 1 to %d, found \"%s\"", DSM_SIDE_MAX,
                    text);
    return 1;
  }
  return value;
}

static void write_axis(const network_file *file, dsm__json_writer *writer, size_t axis) {
  static const char *const names[] = {"x", "y", "z"};
  const char *const topology = file->lists[LIST_TOPOLOGY].texts[axis];
  const dsm__json_node place = place_of(file, LIST_TOPOLOGY);
  const bool is_ring = strcmp(topology, "Ring") == 0;
  const bool is_full = strcmp(topology, "FullyConnected") == 0;
  const uint64_t chips = chips_at(file, axis);
  _Static_assert(DSM__COUNT_OF(names) >= DSM_AXES_MAX, "an axis has a name");
  assert(axis < DSM_AXES_MAX);
  double bandwidth =
      number_at(file, LIST_BANDWIDTH, axis, 1e-6, 1e9) * DSM__BYTES_PER_GIB / DSM__BYTES_PER_GB;
  if (is_full) {
    bandwidth *= (double)(chips > 1 ? chips - 1 : 1);
    dsm__import_note(file->import, &place,
                     "FullyConnected is read as a switch, with the bandwidth of all links of a "
                     "chip");
  } else if (!is_ring && strcmp(topology, "Switch") != 0) {
    dsm__json_error(&place, NULL, "expected Ring, FullyConnected or Switch, found \"%s\"",
                    topology);
  }
  dsm__json_begin_object(writer, true);
  dsm__json_put_string(writer, "name", names[axis]);
  dsm__json_put_u64(writer, "chips", chips);
  dsm__json_put_string(writer, "link", is_ring ? "ring" : "switch");
  dsm__json_put_double(writer, "bandwidth_GBps", bandwidth);
  dsm__json_put_double(writer, "latency_us",
                       number_at(file, LIST_LATENCY, axis, 0, 1e9) / DSM__NS_PER_US);
  dsm__json_end_object(writer);
}

static void write(dsm__import *import, dsm__json_writer *writer) {
  network_file file = {.import = import};
  read_lists(&file);
  if (dsm__json_doc_is_out_of_memory(import->doc) || dsm__json_doc_error_count(import->doc) > 0 ||
      !check_counts(&file)) {
    return;
  }
  dsm__import_begin_system(import, writer, "network of ASTRA-sim");
  dsm__json_put_object(writer, "system", false);
  dsm__json_put_array(writer, "axes", false);
  for (size_t axis = 0; axis < file.lists[LIST_TOPOLOGY].count; axis++) {
    write_axis(&file, writer, axis);
  }
  dsm__json_end_array(writer);
  dsm__json_end_object(writer);
  dsm__json_end_object(writer);
}

const dsm__import_reader dsm__astra_network_reader = {
    .word = "astra_network",
    .help = "network of ASTRA-sim (YAML), what it tells of a system",
    .is_system = true,
    .recognise = recognise,
    .write = write,
};
