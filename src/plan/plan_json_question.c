/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_question.c: reads what a plan answers: its workload, system, mode and options. */
#include "model/names.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

static void read_overrides(dsm__plan_reader *reader, const dsm__json_node *options) {
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

/* The mode and the optimisations. Those of the other mode would decide nothing. */
static void read_mode(dsm__plan_reader *reader, const dsm__json_node *root) {
  const dsm__json_node mode = dsm__json_member(root, "mode");
  size_t mode_index = 0;
  const bool has_mode = dsm__json_require(&mode, "\"training\" or \"inference\"") &&
                        dsm__json_enum(&mode, &dsm__mode_words, &mode_index);
  reader->options.mode = (dsm_mode)mode_index;
  const dsm__json_node optimizations = dsm__json_member(root, "optimizations");
  if (!dsm__json_require(&optimizations, "a list of optimizations")) {
    return;
  }
  dsm_optimization_set found = 0;
  dsm__json_word_set(&optimizations, &dsm__optimization_words, 0, &found);
  const dsm_optimization_set wrong = found & ~dsm_mode_optimizations(reader->options.mode);
  reader->options.optimizations = found & ~wrong;
  dsm__json_node item = dsm__json_item(&optimizations, 0);
  for (; dsm__json_is_present(&item) && has_mode && wrong != 0; item = dsm__json_next(&item)) {
    size_t index = 0;
    if (dsm__json_enum(&item, &dsm__optimization_words, &index) &&
        (wrong & DSM_OPTIMIZATION_BIT(index)) != 0) {
      dsm__json_error(&item, NULL, "expected an optimization of %s, found \"%s\"",
                      dsm_mode_name(reader->options.mode),
                      dsm_optimization_name((dsm_optimization)index));
    }
  }
}

static void read_options(dsm__plan_reader *reader, const dsm__json_node *root) {
  static const char *const known[] = {"parallelisms", "overrides"};
  const dsm__json_node options = dsm__json_member(root, "options");
  if (!dsm__json_require(&options, "an object with the options of the exploration") ||
      !dsm__json_object_only(&options, known, DSM__COUNT_OF(known))) {
    return;
  }
  const dsm__json_node parallelisms = dsm__json_member(&options, "parallelisms");
  if (dsm__json_require(&parallelisms, "a list of parallelisms")) {
    dsm__json_word_set(&parallelisms, &dsm__parallelism_words, 1, &reader->options.parallelisms);
  }
  read_overrides(reader, &options);
}

/* How far the search was to go, and whether it came there. */
void dsm__search_limits_read(const dsm__json_node *object, dsm_explore_options *options) {
  static const dsm__json_range gaps = {0, 1 - 0x1p-53, false};
  static const dsm__json_range seconds = {0, 31536000, false};
  const dsm__json_node gap = dsm__json_member(object, "gap");
  const dsm__json_node limit = dsm__json_member(object, "time_limit_seconds");
  if (dsm__json_is_present(&gap)) {
    dsm__json_double(&gap, gaps, &options->gap);
  }
  if (dsm__json_is_present(&limit)) {
    dsm__json_double(&limit, seconds, &options->time_limit_seconds);
  }
}

static void read_search(dsm__plan_reader *reader, const dsm__json_node *root) {
  static const char *const known[] = {"gap", "time_limit_seconds", "is_stopped"};
  const dsm__json_node search = dsm__json_member(root, "search");
  if (!dsm__json_is_present(&search) ||
      !dsm__json_object_only(&search, known, DSM__COUNT_OF(known))) {
    return;
  }
  const dsm__json_node is_stopped = dsm__json_member(&search, "is_stopped");
  dsm__search_limits_read(&search, &reader->options);
  if (dsm__json_is_present(&is_stopped)) {
    dsm__json_bool(&is_stopped, &reader->is_stopped);
  }
}

static void read_inputs(dsm__plan_reader *reader, const dsm__json_node *root) {
  const dsm__json_node workload = dsm__json_member(root, "workload");
  if (dsm__json_require(&workload, "the workload in full")) {
    dsm__workload_read(reader->workload, &workload);
  }
  const dsm__json_node system = dsm__json_member(root, "system");
  if (dsm__json_require(&system, "the system in full")) {
    dsm__system_read(reader->system, &system, true);
  }
  const dsm__json_node minibatch = dsm__json_member(root, "minibatch");
  uint64_t stated = 0;
  if (dsm__json_require(&minibatch, "the workload's minibatch") &&
      dsm__json_u64(&minibatch, 1, DSM_DIMENSION_MAX, &stated) &&
      reader->workload->minibatch != 0 && stated != reader->workload->minibatch &&
      !reader->is_overridden) {
    dsm__json_error(&minibatch, "change workload.minibatch too",
                    "expected the workload's minibatch, %llu, found %llu",
                    (unsigned long long)reader->workload->minibatch, (unsigned long long)stated);
  }
}

void dsm__plan_read_question(dsm__plan_reader *reader) {
  read_inputs(reader, &reader->root);
  read_mode(reader, &reader->root);
  read_options(reader, &reader->root);
  read_search(reader, &reader->root);
}

bool dsm__plan_check_options(const dsm__plan_reader *reader) {
  if (dsm__option_parallelisms(&reader->options) != 0) {
    return true;
  }
  const dsm__json_node options = dsm__json_member(&reader->root, "options");
  dsm__json_error(&options, "data_x_model_y and model_x_data_y need the optimization hybrid",
                  "expected options that leave a parallelism, found none");
  return false;
}
