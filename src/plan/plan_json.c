/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_json.c: reads a plan in the format "dsm-plan/1".
 *
 * Only decisions, inputs and options are read; every number that follows from them is predicted
 * anew, so that a plan can be edited by hand. Keys are checked all the same: a misspelt one would
 * silently decide nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/file.h"
#include "plan/core_splits.h"
#include "plan/plan_internal.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

typedef struct plan_reader {
  const char *file;
  dsm__json_doc *doc;
  dsm__arena *arena; /* for decisions and options, until the plan is made */
  dsm_workload *workload;
  dsm_system *system;
  dsm_explore_options options;
  dsm_machine machine;
  dsm__core_splits splits;
  dsm__layer_decision *decisions;
  bool is_forward_known; /* the forward pass of the layer being read has a good parallelism */
} plan_reader;

/* A list of at least min_length of the words names[0 .. count), as a set of bits. */
static unsigned read_word_set(const dsm__json_node *node, const char *const *names, size_t count,
                              size_t min_length) {
  enum { LONGEST = 100 }; /* so that unknown and repeated words are reported as such */
  unsigned set = 0;
  size_t length = 0;
  if (!dsm__json_array(node, min_length, LONGEST, &length)) {
    return 0;
  }
  dsm__json_node item = dsm__json_item(node, 0);
  for (size_t i = 0; i < length; i++, item = dsm__json_next(&item)) {
    size_t index = 0;
    if (dsm__json_enum(&item, names, count, &index)) {
      if ((set & (1U << index)) != 0) {
        dsm__json_error(&item, NULL, "expected each word once, found a second \"%s\"",
                        names[index]);
      }
      set |= 1U << index;
    }
  }
  return set;
}

static void read_overrides(plan_reader *reader, const dsm__json_node *options) {
  const dsm__json_node node = dsm__json_member(options, "overrides");
  size_t count = 0;
  if (!dsm__json_is_present(&node) || !dsm__json_array(&node, 0, 10000, &count)) {
    return;
  }
  const char **const overrides = dsm__arena_array(reader->arena, count, sizeof *overrides);
  if (overrides == NULL) {
    dsm__json_set_out_of_memory(reader->doc);
    return;
  }
  dsm__json_node item = dsm__json_item(&node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    overrides[i] = "";
    dsm__json_string(&item, 0, 65536, reader->arena, &overrides[i]);
  }
  reader->options.overrides = overrides;
  reader->options.override_count = count;
}

static void read_options(plan_reader *reader, const dsm__json_node *root) {
  static const char *const known[] = {"parallelisms", "overrides"};
  const char *optimization_names[DSM_OPTIMIZATION_COUNT];
  const char *parallelism_names[DSM_PARALLELISM_COUNT];
  const char *mode_names[DSM_MODE_COUNT];
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    optimization_names[o] = dsm_optimization_name((dsm_optimization)o);
  }
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    parallelism_names[p] = dsm_parallelism_name((dsm_parallelism)p);
  }
  for (int m = 0; m < DSM_MODE_COUNT; m++) {
    mode_names[m] = dsm_mode_name((dsm_mode)m);
  }
  const dsm__json_node mode = dsm__json_member(root, "mode");
  size_t mode_index = 0;
  if (dsm__json_require(&mode, "\"training\" or \"inference\"") &&
      dsm__json_enum(&mode, mode_names, DSM_MODE_COUNT, &mode_index)) {
    reader->options.mode = (dsm_mode)mode_index;
  }
  const dsm__json_node optimizations = dsm__json_member(root, "optimizations");
  if (dsm__json_require(&optimizations, "a list of optimizations")) {
    reader->options.optimizations =
        read_word_set(&optimizations, optimization_names, DSM_OPTIMIZATION_COUNT, 0);
  }
  const dsm__json_node options = dsm__json_member(root, "options");
  if (!dsm__json_require(&options, "an object with the options of the exploration") ||
      !dsm__json_object_only(&options, known, COUNT_OF(known))) {
    return;
  }
  const dsm__json_node parallelisms = dsm__json_member(&options, "parallelisms");
  if (dsm__json_require(&parallelisms, "a list of parallelisms")) {
    reader->options.parallelisms =
        read_word_set(&parallelisms, parallelism_names, DSM_PARALLELISM_COUNT, 1);
  }
  read_overrides(reader, &options);
}

static void read_inputs(plan_reader *reader, const dsm__json_node *root) {
  const dsm__json_node workload = dsm__json_member(root, "workload");
  if (dsm__json_require(&workload, "the workload in full")) {
    dsm__workload_read(reader->workload, &workload);
  }
  const dsm__json_node system = dsm__json_member(root, "system");
  if (dsm__json_require(&system, "the system in full")) {
    dsm__system_read(reader->system, &system);
  }
  const dsm__json_node minibatch = dsm__json_member(root, "minibatch");
  uint64_t stated = 0;
  if (dsm__json_require(&minibatch, "the workload's minibatch") &&
      dsm__json_u64(&minibatch, 1, DSM_DIMENSION_MAX, &stated) &&
      reader->workload->minibatch != 0 && stated != reader->workload->minibatch) {
    dsm__json_error(&minibatch, "change workload.minibatch too",
                    "expected the workload's minibatch, %llu, found %llu",
                    (unsigned long long)reader->workload->minibatch, (unsigned long long)stated);
  }
}

/* Reads five parts that must multiply to the core count and divide the share's loops validly. */
static void read_split(plan_reader *reader, const dsm__json_node *pass, const dsm_layer *layer,
                       const dsm_chip_share *share, dsm_loops *split) {
  const char *known[DSM_DIM_COUNT];
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    known[d] = dsm_dim_name((dsm_dim)d);
  }
  const dsm__json_node node = dsm__json_member(pass, "core_split");
  const uint64_t cores = reader->system->chip.cores;
  if (!dsm__json_require(&node, "the parts of each loop over the cores") ||
      !dsm__json_object_only(&node, known, DSM_DIM_COUNT)) {
    return;
  }
  uint64_t product = 1;
  bool is_good = true;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    const dsm__json_node part = dsm__json_member(&node, known[d]);
    bool is_part_good = dsm__json_u64(&part, 1, cores, &split->n[d]);
    if (is_part_good && cores % split->n[d] != 0) {
      dsm__json_error(&part, NULL, "expected a divisor of the %llu cores, found %llu",
                      (unsigned long long)cores, (unsigned long long)split->n[d]);
      is_part_good = false;
    }
    is_good = is_good && is_part_good;
    product = is_good && product <= cores ? product * split->n[d] : product;
  }
  if (is_good && product != cores) {
    dsm__json_error(&node, NULL, "expected parts that multiply to the %llu cores, found %s%llu",
                    (unsigned long long)cores, product > cores ? "at least " : "",
                    (unsigned long long)product);
    is_good = false;
  }
  if (is_good && !dsm_split_is_valid(layer, share, split) &&
      dsm__core_splits_any_valid(&reader->splits, layer, share)) {
    for (int d = 0; d < DSM_DIM_COUNT; d++) {
      const uint64_t most = d == DSM_DIM_IN ? share->chip.n[d] / layer->groups : share->chip.n[d];
      if (split->n[d] > most) {
        const dsm__json_node part = dsm__json_member(&node, known[d]);
        dsm__json_error(&part, NULL,
                        "expected at most %llu, as many as one chip has of this loop, found %llu",
                        (unsigned long long)most, (unsigned long long)split->n[d]);
      }
    }
  }
}

static bool read_parallelism(plan_reader *reader, const dsm__json_node *pass,
                             const dsm_layer *layer, dsm_parallelism *parallelism) {
  const char *names[DSM_PARALLELISM_COUNT];
  for (int p = 0; p < DSM_PARALLELISM_COUNT; p++) {
    names[p] = dsm_parallelism_name((dsm_parallelism)p);
  }
  const dsm__json_node node = dsm__json_member(pass, "parallelism");
  size_t index = 0;
  if (!dsm__json_enum(&node, names, DSM_PARALLELISM_COUNT, &index)) {
    return false;
  }
  *parallelism = (dsm_parallelism)index;
  const unsigned bit = DSM_PARALLELISM_BIT(index);
  if ((dsm_layer_parallelisms(layer) & bit) == 0) {
    dsm__json_error(&node, NULL, "expected \"data\", the only parallelism of %s, found \"%s\"",
                    layer->type == DSM_LAYER_MATMUL ? "a matmul" : "a grouped convolution",
                    names[index]);
    return false;
  }
  if ((dsm__allowed_parallelisms(layer, &reader->options) & bit) == 0) {
    dsm__json_error(&node, "the plan's optimizations and options.parallelisms decide",
                    "expected a parallelism that the plan's options allow, found \"%s\"",
                    names[index]);
    return false;
  }
  return true;
}

static void read_pass(plan_reader *reader, const dsm__json_node *passes, size_t index,
                      dsm_pass pass) {
  static const char *const known[] = {"parallelism", "core_split", "chip",   "feature_iterations",
                                      "core",        "array",      "cycles", "ideal_cycles",
                                      "utilization", "bound",      "groups", "invocations",
                                      "transfers"};
  const dsm_layer *const layer = &reader->workload->layers[index];
  dsm__layer_decision *const decision = &reader->decisions[index];
  const dsm__json_node node = dsm__json_member(passes, dsm_pass_name(pass));
  if (pass == DSM_PASS_FORWARD) {
    reader->is_forward_known = false;
  }
  if (!dsm_pass_exists(layer, reader->options.mode, pass)) {
    if (dsm__json_is_present(&node)) {
      dsm__json_error(&node, NULL, "expected no %s pass of this layer in %s, found one",
                      dsm_pass_name(pass), dsm_mode_name(reader->options.mode));
    }
    return;
  }
  dsm_parallelism parallelism = DSM_PARALLELISM_DATA;
  if (!dsm__json_require(&node, "the decisions of this pass") ||
      !dsm__json_object_only(&node, known, COUNT_OF(known)) ||
      !read_parallelism(reader, &node, layer, &parallelism)) {
    return;
  }
  if (pass == DSM_PASS_FORWARD) {
    decision->parallelism = parallelism;
    reader->is_forward_known = true;
  } else if (reader->is_forward_known && parallelism != decision->parallelism) {
    const dsm__json_node word = dsm__json_member(&node, "parallelism");
    dsm__json_error(&word, NULL,
                    "expected the parallelism of the forward pass, \"%s\", found \"%s\"",
                    dsm_parallelism_name(decision->parallelism), dsm_parallelism_name(parallelism));
    return;
  }
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, &reader->machine, parallelism, reader->workload->minibatch);
  read_split(reader, &node, layer, &share, &decision->splits[pass]);
}

/* Decisions of optimisations that this version does not have keep their neutral values. */
static void check_neutral(const dsm__json_node *layer) {
  const dsm__json_node factor = dsm__json_member(layer, "dysm_factor");
  const dsm__json_node output = dsm__json_member(layer, "output_on_chip");
  const dsm__json_node weights = dsm__json_member(layer, "weights_on_chip");
  const dsm__json_node group = dsm__json_member(layer, "pipeline_group");
  uint64_t count = 0;
  bool is_held = false;
  double fraction = 0;
  if (dsm__json_is_present(&factor) && dsm__json_u64(&factor, 1, DSM_DIMENSION_MAX, &count) &&
      count != 1) {
    dsm__json_error(&factor, NULL, "expected 1 without the optimization dysm, found %llu",
                    (unsigned long long)count);
  }
  if (dsm__json_is_present(&output) && dsm__json_bool(&output, &is_held) && is_held) {
    dsm__json_error(&output, NULL, "expected false without the optimization reuse, found true");
  }
  if (dsm__json_is_present(&weights) &&
      dsm__json_double(&weights, (dsm__json_range){0, 1, false}, &fraction) && fraction > 0) {
    dsm__json_error(&weights, NULL, "expected 0 without the optimization reuse, found %g",
                    fraction);
  }
  if (dsm__json_is_present(&group) && !dsm__json_is_null(&group)) {
    char found[160];
    dsm__json_error(&group, NULL, "expected null without the optimization pipeline, found %s",
                    dsm__json_found(&group, found, sizeof found));
  }
}

static void read_layer(plan_reader *reader, const dsm__json_node *node, size_t index) {
  static const char *const known[] = {
      "name", "dysm_factor", "output_on_chip", "weights_on_chip", "pipeline_group", "passes"};
  const char *pass_names[DSM_PASS_COUNT];
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    pass_names[p] = dsm_pass_name((dsm_pass)p);
  }
  const dsm__json_node name = dsm__json_member(node, "name");
  const char *text = NULL;
  if (!dsm__json_object_only(node, known, COUNT_OF(known)) ||
      !dsm__json_require(&name, "the layer's name") ||
      !dsm__json_string(&name, 1, DSM_NAME_BYTES_MAX + 8, reader->arena, &text)) {
    return;
  }
  if (strcmp(text, reader->workload->layers[index].name) != 0) {
    dsm__json_error(&name, "layers stand in order of execution",
                    "expected the layer \"%s\", found \"%s\"", reader->workload->layers[index].name,
                    text);
    return;
  }
  check_neutral(node);
  const dsm__json_node passes = dsm__json_member(node, "passes");
  if (dsm__json_require(&passes, "an object with the layer's passes") &&
      dsm__json_object_only(&passes, pass_names, DSM_PASS_COUNT)) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      read_pass(reader, &passes, index, (dsm_pass)p);
    }
  }
}

static void read_layers(plan_reader *reader, const dsm__json_node *root) {
  const size_t expected = reader->workload->layer_count;
  const dsm__json_node layers = dsm__json_member(root, "layers");
  size_t count = 0;
  reader->machine = dsm_machine_derive(reader->system);
  reader->decisions = dsm__arena_array(reader->arena, expected, sizeof reader->decisions[0]);
  if (reader->decisions == NULL ||
      !dsm__core_splits_enumerate(&reader->splits, reader->system->chip.cores, reader->arena)) {
    dsm__json_set_out_of_memory(reader->doc);
    return;
  }
  if (!dsm__json_array(&layers, 0, 2 * (size_t)DSM_LAYERS_MAX, &count)) {
    return;
  }
  if (count != expected) {
    dsm__json_error(&layers, NULL, "expected the workload's %zu layers, found %zu", expected,
                    count);
    return;
  }
  dsm__json_node item = dsm__json_item(&layers, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    read_layer(reader, &item, i);
  }
}

/* Only the recorded time is of use; the rest is predicted anew. */
static void read_result(const dsm__json_node *root, double *recorded_step_cycles) {
  static const char *const known[] = {"step_cycles",        "step_seconds", "latency_seconds",
                                      "samples_per_second", "utilization",  "lower_bound_cycles",
                                      "ideal_cycles",       "cycles",       "memory"};
  const dsm__json_node result = dsm__json_member(root, "result");
  if (!dsm__json_is_present(&result) || !dsm__json_object_only(&result, known, COUNT_OF(known))) {
    return;
  }
  const dsm__json_node step = dsm__json_member(&result, "step_cycles");
  double step_cycles = 0;
  if (dsm__json_is_present(&step) &&
      dsm__json_double(&step, (dsm__json_range){0, 1e300, false}, &step_cycles) &&
      recorded_step_cycles != NULL) {
    *recorded_step_cycles = step_cycles;
  }
}

static void read_plan(plan_reader *reader, double *recorded_step_cycles) {
  static const char *const known[] = {"format",        "dsm_version", "mode",   "minibatch",
                                      "optimizations", "options",     "result", "layers",
                                      "workload",      "system"};
  const dsm__json_node root = dsm__json_root(reader->doc);
  if (!dsm__json_format(&root, "dsm-plan/1") ||
      !dsm__json_object_only(&root, known, COUNT_OF(known))) {
    return;
  }
  read_inputs(reader, &root);
  read_options(reader, &root);
  read_result(&root, recorded_step_cycles);
  const dsm__json_node layers = dsm__json_member(&root, "layers");
  if (!dsm__json_require(&layers, "the decisions of each layer")) {
    return;
  }
  if (dsm__json_doc_error_count(reader->doc) == 0 &&
      dsm__option_parallelisms(&reader->options) == 0) {
    const dsm__json_node options = dsm__json_member(&root, "options");
    dsm__json_error(&options, "data_x_model_y and model_x_data_y need the optimization hybrid",
                    "expected options that leave a parallelism, found none");
  }
  if (dsm__json_doc_error_count(reader->doc) == 0 && !dsm__json_doc_is_out_of_memory(reader->doc)) {
    read_layers(reader, &root);
  }
}

/* Refuses what does not fit a chip's memory. */
static dsm_status check_capacity(const plan_reader *reader, dsm_diags *diags) {
  const size_t count = reader->workload->layer_count;
  dsm_parallelism *const sequence = dsm__arena_array(reader->arena, count, sizeof *sequence);
  if (sequence == NULL) {
    return dsm__out_of_memory(diags);
  }
  for (size_t i = 0; i < count; i++) {
    sequence[i] = reader->decisions[i].parallelism;
  }
  const dsm__memory_need need =
      dsm__memory_need_of(reader->workload, &reader->machine, reader->options.mode, sequence);
  if (need.total_bytes > need.capacity_bytes * (1 + DSM__CAPACITY_TOLERANCE)) {
    const dsm__place place = {.file = reader->file, .path = "$.layers"};
    dsm__report_over_capacity(&need, "the plan needs", place, diags);
    return DSM_ERROR_INFEASIBLE;
  }
  return DSM_OK;
}

static dsm_status finish(dsm_plan **plan, plan_reader *reader, dsm_diags *diags) {
  dsm_status status = dsm__json_doc_finish(reader->doc);
  if (status == DSM_OK) {
    status = check_capacity(reader, diags);
  }
  if (status == DSM_OK) {
    status = dsm__plan_make(plan, reader->workload, reader->system, &reader->options,
                            reader->decisions, diags);
  }
  if (status == DSM_OK) {
    (*plan)->owned_workload = reader->workload;
    (*plan)->owned_system = reader->system;
    reader->workload = NULL;
    reader->system = NULL;
  }
  return status;
}

dsm_status dsm_plan_parse(dsm_plan **plan, const char *text, size_t length, const char *file,
                          double *recorded_step_cycles, dsm_diags *diags) {
  *plan = NULL;
  if (recorded_step_cycles != NULL) {
    *recorded_step_cycles = 0;
  }
  plan_reader reader = {.file = file, .arena = dsm__arena_new()};
  dsm_explore_options_init(&reader.options);
  dsm_status status = DSM_OK;
  reader.workload = dsm__workload_new();
  reader.system = dsm__system_new();
  if (reader.arena == NULL || reader.workload == NULL || reader.system == NULL) {
    status = dsm__out_of_memory(diags);
    goto out;
  }
  status = dsm__json_doc_parse(&reader.doc, text, length, file, NULL, 0, diags);
  if (status == DSM_OK) {
    read_plan(&reader, recorded_step_cycles);
    status = finish(plan, &reader, diags);
  }
out:
  dsm_workload_free(reader.workload);
  dsm_system_free(reader.system);
  dsm__json_doc_free(reader.doc);
  dsm__arena_free(reader.arena);
  return status;
}

dsm_status dsm_plan_load(dsm_plan **plan, const char *path, double *recorded_step_cycles,
                         dsm_diags *diags) {
  *plan = NULL;
  char *text = NULL;
  size_t length = 0;
  dsm_status status = dsm_file_read(&text, &length, path, diags);
  if (status == DSM_OK) {
    status = dsm_plan_parse(plan, text, length, path, recorded_step_cycles, diags);
  }
  free(text);
  return status;
}
