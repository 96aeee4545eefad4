/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scale_sim.c: topologies of SCALE-Sim: a table of convolutions, or of matrix products (GEMM).
 *
 * Source: scalesim-project/scale-sim-v2, scalesim/topology_utils.py: columns go by their position;
 * what stands behind them is not read; a convolution pads nothing, and a last window that begins
 * before the edge counts; rows with "DP" in their name are done for each channel apart.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/number_text.h"
#include "base/utf8.h"
#include "import/format.h"
#include "workload/name_index.h"

enum { FIELDS_MAX = 16, FIELD_BYTES = 32 };

typedef struct text_span {
  const char *begin;
  const char *end;
} text_span;

typedef struct table_row {
  text_span fields[FIELDS_MAX];
  size_t count;
} table_row;

/* The rest of a file, and the line that was read last. */
typedef struct table {
  text_span rest;
  size_t line;
} table;

/* ---- rows of text ---- */

static bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\r' || character == '"';
}

static text_span trim(text_span text) {
  while (text.begin < text.end && is_blank(*text.begin)) {
    text.begin++;
  }
  while (text.begin < text.end && is_blank(text.end[-1])) {
    text.end--;
  }
  return text;
}

static size_t length_of(text_span text) {
  return (size_t)(text.end - text.begin);
}

static const char *find(text_span text, char character) {
  const char *const found =
      text.begin == text.end ? NULL : memchr(text.begin, character, length_of(text));
  return found == NULL ? text.end : found;
}

static table_row split(text_span line) {
  table_row row = {.count = 0};
  while (row.count < FIELDS_MAX) {
    const char *const comma = find(line, ',');
    row.fields[row.count++] = trim((text_span){line.begin, comma});
    if (comma == line.end) {
      break;
    }
    line.begin = comma + 1;
  }
  return row;
}

static bool is_empty(const table_row *row) {
  for (size_t i = 0; i < row->count; i++) {
    if (length_of(row->fields[i]) > 0) {
      return false;
    }
  }
  return true;
}

/* The next row that is not empty; false: there is none. */
static bool next_row(table *of, table_row *row) {
  while (of->rest.begin < of->rest.end) {
    const char *const end = find(of->rest, '\n');
    *row = split((text_span){of->rest.begin, end});
    of->rest.begin = end == of->rest.end ? end : end + 1;
    of->line++;
    if (!is_empty(row)) {
      return true;
    }
  }
  return false;
}

static table table_of(const char *bytes, size_t length) {
  static const char mark[] = "\xef\xbb\xbf"; /* a byte-order mark in UTF-8 */
  const size_t skipped = length >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
  return (table){.rest = {bytes + skipped, bytes + length}};
}

/* Does a text begin with a word, in letters of any case? */
static bool begins_with(text_span text, const char *word) {
  for (size_t i = 0; word[i] != '\0'; i++) {
    const char letter = i < length_of(text) ? text.begin[i] : '\0';
    if ((letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter) != word[i]) {
      return false;
    }
  }
  return true;
}

static bool is_word(text_span text, const char *word) {
  return begins_with(text, word) && length_of(text) == strlen(word);
}

static bool is_heading_of_products(const table_row *row) {
  return row->count > 3 && begins_with(row->fields[0], "layer") && is_word(row->fields[1], "m") &&
         is_word(row->fields[2], "n") && is_word(row->fields[3], "k");
}

static bool is_heading_of_convolutions(const table_row *row) {
  return row->count > 7 && begins_with(row->fields[0], "layer") &&
         begins_with(row->fields[1], "ifmap");
}

static bool recognise(const char *bytes, size_t length, const char *file) {
  enum { HEADING_BYTES_MAX = 1024 };
  table head = table_of(bytes, length < HEADING_BYTES_MAX ? length : HEADING_BYTES_MAX);
  table_row row;
  (void)file;
  return next_row(&head, &row) &&
         (is_heading_of_products(&row) || is_heading_of_convolutions(&row));
}

/* ---- layers ---- */

/* What a layer delivers. */
typedef struct delivery {
  uint64_t features;
  dsm_size2 size;
} delivery;

typedef struct reader {
  dsm__import *import;
  dsm__json_node place; /* the row */
  const table_row *row;
  bool are_products;
  bool has_two_strides;
  bool is_good; /* of the row */
} reader;

static uint64_t field(reader *of, size_t index, const char *what, uint64_t max) {
  char text[FIELD_BYTES] = "";
  const text_span found = index < of->row->count ? of->row->fields[index] : (text_span){text, text};
  uint64_t value = 1;
  (void)snprintf(text, sizeof text, "%.*s",
                 (int)(length_of(found) < sizeof text ? length_of(found) : sizeof text - 1),
                 found.begin);
  const bool is_whole = strlen(text) == length_of(found);
  if (!is_whole || !dsm__text_to_u64(text, 1, max, &value)) {
    dsm__json_error(&of->place, NULL, "expected %s, a whole number from 1 to %llu, found \"%s\"",
                    what, (unsigned long long)max, text);
    of->is_good = false;
    return 1;
  }
  return value;
}

static const char *name_of(reader *of) {
  dsm__arena *const arena = of->import->builder.workload->arena;
  const text_span text = of->row->fields[0];
  bool is_text = true;
  for (const char *at = text.begin; at < text.end && is_text;) {
    const size_t size = dsm__utf8_length(at, (size_t)(text.end - at));
    is_text = size > 0;
    at += size;
  }
  const char *const name = dsm__arena_strndup(arena, text.begin, length_of(text));
  if (name == NULL) {
    dsm__json_set_out_of_memory(of->import->doc);
  } else if (!is_text || !dsm__is_plain_name(name) || strlen(name) != length_of(text) ||
             name[0] == '@') {
    dsm__json_error(&of->place, NULL,
                    "expected a name of 1 to %d bytes without control characters, not beginning "
                    "with @",
                    DSM_NAME_BYTES_MAX);
    of->is_good = false;
  }
  return name;
}

/* A product of weights, K by N, with M rows; one row has no positions. */
static void read_product(reader *of, dsm_layer_spec *spec) {
  spec->type = DSM_LAYER_FC;
  spec->feature.rows = field(of, 1, "M", DSM_SIDE_MAX);
  spec->out = field(of, 2, "N", DSM_DIMENSION_MAX);
  spec->in = field(of, 3, "K", DSM_DIMENSION_MAX);
  spec->has_positions = spec->feature.rows > 1;
}

/* One side of an output, and of what a convolution reads for it: without padding the last window
 * may reach beyond the edge, and then reads more than the file says. */
static uint64_t side(reader *of, uint64_t *input, uint64_t kernel, uint64_t stride) {
  if (of->import->options->padding == DSM_IMPORT_PADDING_SAME) {
    return dsm__ceil_div_u64(*input, stride);
  }
  if (kernel > *input) {
    dsm__json_error(&of->place, "--padding same pads what is read",
                    "expected a filter of at most the %llu that it reads, found %llu",
                    (unsigned long long)*input, (unsigned long long)kernel);
    of->is_good = false;
    return 1;
  }
  const uint64_t steps = dsm__ceil_div_u64(*input - kernel, stride);
  *input = steps * stride + kernel;
  if (*input > DSM_SIDE_MAX) {
    dsm__json_error(&of->place, NULL, "expected windows within %d positions, found %llu",
                    DSM_SIDE_MAX, (unsigned long long)*input);
    of->is_good = false;
  }
  return steps + 1;
}

static bool is_of_each_channel(reader *of) {
  const text_span name = of->row->fields[0];
  for (const char *at = name.begin; at + 1 < name.end; at++) {
    if (at[0] == 'D' && at[1] == 'P') {
      return true;
    }
  }
  return false;
}

/* As many filters for each channel. */
static void read_groups(reader *of, dsm_layer_spec *spec) {
  spec->groups = spec->in;
  spec->out *= spec->in;
  if (spec->groups > DSM_SIDE_MAX || spec->out > DSM_DIMENSION_MAX) {
    dsm__json_error(&of->place, "\"DP\" in a name: the row is done for each channel apart",
                    "expected at most %d channels and %d outputs, found %llu and %llu",
                    DSM_SIDE_MAX, DSM_DIMENSION_MAX, (unsigned long long)spec->groups,
                    (unsigned long long)spec->out);
    of->is_good = false;
  }
}

static void read_convolution(reader *of, dsm_layer_spec *spec) {
  spec->input_feature = (dsm_size2){field(of, 1, "a height of features", DSM_SIDE_MAX),
                                    field(of, 2, "a width of features", DSM_SIDE_MAX)};
  spec->kernel = (dsm_size2){field(of, 3, "a height of the filter", DSM_SIDE_MAX),
                             field(of, 4, "a width of the filter", DSM_SIDE_MAX)};
  spec->in = field(of, 5, "a number of channels", DSM_DIMENSION_MAX);
  spec->out = field(of, 6, "a number of filters", DSM_DIMENSION_MAX);
  spec->stride.rows = field(of, 7, "a stride", DSM_SIDE_MAX);
  spec->stride.columns =
      of->has_two_strides ? field(of, 8, "a stride of columns", DSM_SIDE_MAX) : spec->stride.rows;
  if (is_of_each_channel(of)) {
    read_groups(of, spec);
  }
  if (!of->is_good) {
    return;
  }
  const dsm_size2 input = spec->input_feature;
  if (spec->groups == 1 &&
      input.rows * input.columns * spec->kernel.rows * spec->kernel.columns == 1) {
    spec->type = DSM_LAYER_FC;
    spec->stride = (dsm_size2){1, 1};
    return;
  }
  spec->type = DSM_LAYER_CONV;
  spec->feature.rows = side(of, &spec->input_feature.rows, spec->kernel.rows, spec->stride.rows);
  spec->feature.columns =
      side(of, &spec->input_feature.columns, spec->kernel.columns, spec->stride.columns);
  spec->has_padding = of->import->options->padding == DSM_IMPORT_PADDING_VALID;
}

static void read_row(reader *of, const table_row *row, size_t line) {
  char label[FIELD_BYTES];
  (void)snprintf(label, sizeof label, "line %zu", line);
  of->place = dsm__json_labelled(of->import->doc, label);
  of->row = row;
  of->is_good = true;
  dsm__declared_layer *const layer = dsm__builder_add(&of->import->builder, &of->place);
  if (layer == NULL) {
    return;
  }
  layer->spec.name = name_of(of);
  if (of->are_products) {
    read_product(of, &layer->spec);
  } else {
    read_convolution(of, &layer->spec);
  }
  layer->is_wrong = !of->is_good;
}

/* ---- between layers ---- */

/* A name with a number behind it. */
static void number_name(dsm__import *import, dsm__declared_layer *layer, size_t number) {
  char text[DSM_NAME_BYTES_MAX + FIELD_BYTES];
  const int length = snprintf(text, sizeof text, "%s_%zu", layer->spec.name, number);
  layer->spec.name = dsm__arena_strndup(import->builder.workload->arena, text, (size_t)length);
  if (layer->spec.name == NULL) {
    dsm__json_set_out_of_memory(import->doc);
  } else if (length > DSM_NAME_BYTES_MAX) {
    dsm__json_error(&layer->node, NULL,
                    "expected a name of at most %d bytes with the number that tells it from "
                    "those before, found %d",
                    DSM_NAME_BYTES_MAX, length);
  }
}

/* Names that several rows have get a number, in the order of rows. */
static void tell_apart(dsm__import *import) {
  dsm__arena *const arena = import->builder.workload->arena;
  const size_t count = import->builder.layers.count;
  dsm__name_index names = {.entries = dsm__arena_array(arena, count, sizeof *names.entries),
                           .count = count};
  if (dsm__json_lacks_memory(import->doc, names.entries == NULL)) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    names.entries[i] = (dsm__name_entry){import->builder.layers.items[i].spec.name, i};
  }
  dsm__name_index_sort(&names);
  size_t number = 1;
  for (size_t i = 1; i < count; i++) {
    const dsm__name_entry *const entry = &names.entries[i];
    number = strcmp(entry->name, entry[-1].name) == 0 ? number + 1 : 1;
    if (number > 1) {
      number_name(import, &import->builder.layers.items[entry->index], number);
    }
  }
}

static delivery delivered_by(const dsm_layer_spec *spec) {
  return (delivery){spec->out, spec->feature};
}

static delivery read_by(const dsm_layer_spec *spec) {
  return (delivery){spec->in, spec->type == DSM_LAYER_CONV ? spec->input_feature : spec->feature};
}

/* A fully connected layer reads all positions, unless it has as many. */
static bool fits(const dsm_layer_spec *before, const dsm_layer_spec *spec) {
  const delivery made = delivered_by(before);
  const delivery read = read_by(spec);
  if (made.features == read.features && made.size.rows == read.size.rows &&
      made.size.columns == read.size.columns) {
    return true;
  }
  uint64_t all = 0;
  return spec->type == DSM_LAYER_FC && !spec->has_positions && before->type == DSM_LAYER_CONV &&
         !dsm__ckd_mul_u64(&all, made.features, made.size.rows) &&
         !dsm__ckd_mul_u64(&all, all, made.size.columns) && all == read.features;
}

/* The first layer that does not fit what stands before it, or the number of layers. */
static size_t find_misfit(const dsm__workload_builder *builder) {
  size_t i = 1;
  while (i < builder->layers.count &&
         fits(&builder->layers.items[i - 1].spec, &builder->layers.items[i].spec)) {
    i++;
  }
  return i;
}

static void note_list(const dsm__import *import, size_t misfit) {
  const dsm__declared_layer *const layer = &import->builder.layers.items[misfit];
  const delivery made = delivered_by(&layer[-1].spec);
  const delivery read = read_by(&layer->spec);
  dsm__import_note(import, &layer->node,
                   "reads %llu features of %llu x %llu, where %llu of %llu x %llu are made before "
                   "it: the layers are a list without connections",
                   (unsigned long long)read.features, (unsigned long long)read.size.rows,
                   (unsigned long long)read.size.columns, (unsigned long long)made.features,
                   (unsigned long long)made.size.rows, (unsigned long long)made.size.columns);
}

/* A network where each row fits the one before, else a list. */
static void connect(dsm__import *import) {
  dsm__workload_builder *const builder = &import->builder;
  dsm_workload *const workload = builder->workload;
  const size_t misfit = find_misfit(builder);
  workload->is_list = misfit < builder->layers.count;
  if (workload->is_list) {
    note_list(import, misfit);
  } else {
    const delivery input = read_by(&builder->layers.items[0].spec);
    workload->is_input_stated = true;
    workload->input_features = input.features;
    workload->input_size = input.size;
  }
  for (size_t i = 0; i < builder->layers.count; i++) {
    dsm_layer_spec *const spec = &builder->layers.items[i].spec;
    spec->has_input_feature = workload->is_list && spec->type == DSM_LAYER_CONV;
    spec->input_feature = spec->has_input_feature ? spec->input_feature : (dsm_size2){0, 0};
  }
}

static void read(dsm__import *import) {
  table rows = table_of(import->bytes, import->length);
  table_row row;
  reader of = {.import = import};
  import->builder.workload->name = dsm__import_file_stem(import);
  const bool has_heading = next_row(&rows, &row);
  of.are_products = has_heading && is_heading_of_products(&row);
  if (!has_heading || (!of.are_products && !is_heading_of_convolutions(&row))) {
    dsm__json_error(&import->root, NULL,
                    "expected a heading of \"Layer, M, N, K\" or of \"Layer name, IFMAP Height, "
                    "IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides\"");
    return;
  }
  of.has_two_strides = row.count > 8 && begins_with(row.fields[8], "stride");
  while (import->builder.layers.count <= DSM_LAYERS_MAX && next_row(&rows, &row)) {
    read_row(&of, &row, rows.line);
  }
  if (dsm__json_doc_error_count(import->doc) == 0 && import->builder.layers.count > 0 &&
      !dsm__json_doc_is_out_of_memory(import->doc)) {
    tell_apart(import);
    connect(import);
  }
}

const dsm__import_reader dsm__scale_sim_reader = {
    .word = "scale_sim",
    .help = "topology of SCALE-Sim (CSV)",
    .recognise = recognise,
    .read = read,
};
