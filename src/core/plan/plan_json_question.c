/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_question.c: reads what a plan answers: its workload, system, mode and options. */
#include "model/axis_words.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "plan/plan_reader.h"
#include "plan/plan_record.h"
#include "system/system_internal.h"
#include "workload/workload_internal.h"

/* Optimisations of the other mode would decide nothing. */
static void check_optimizations(dsm__plan_reader *reader) {
  dsm_explore_options *const options = &reader->plan.options;
  const dsm__json_node mode = dsm__json_member(&reader->root, "mode");
  const dsm__json_node list = dsm__json_member(&reader->root, "optimizations");
  const dsm_optimization_set wrong =
      options->optimizations & ~dsm_mode_possible_optimizations(options->mode);
  size_t value = 0;
  options->optimizations &= ~wrong;
  if (wrong == 0 || !dsm__json_enum(&mode, &dsm__mode_words, &value)) {
    return;
  }
  DSM__JSON_EACH(item, &list) {
    if (dsm__json_enum(&item, &dsm__optimization_words, &value) &&
        (wrong & DSM_OPTIMIZATION_BIT(value)) != 0) {
      dsm__json_error(&item, NULL, "expected an optimization of %s, found \"%s\"",
                      dsm_mode_name(options->mode), dsm_optimization_name((dsm_optimization)value));
    }
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

static bool have_axes_names(const dsm_network *network) {
  bool have = true;
  for (unsigned a = 0; a < network->axis_count; a++) {
    have = have && network->axes[a].name != NULL;
  }
  return have;
}

void dsm__plan_read_question(dsm__plan_reader *reader) {
  read_inputs(reader, &reader->root);
  if (!dsm__system_words(reader->system, reader->arena, &reader->renaming)) {
    dsm__json_set_out_of_memory(reader->doc);
  }
  if (!have_axes_names(&reader->system->system)) {
    return; /* as is reported: words with the names would not be known */
  }
  const dsm__record_reader question = {
      .arena = reader->arena, .wanted = DSM__FIELD_IS_READ, .renaming = reader->renaming};
  (void)dsm__record_read(&question, &reader->root, &dsm__plan_record, &reader->plan);
  check_optimizations(reader);
}

bool dsm__plan_check_options(const dsm__plan_reader *reader) {
  if (dsm__option_parallelisms(&reader->plan.options, reader->system) != 0 ||
      dsm__has_named_roles(&reader->plan.options)) {
    return true;
  }
  const dsm__json_node options = dsm__json_member(&reader->root, "options");
  dsm__json_error(&options,
                  "those with axes of both roles, as data_x_model_y, need the optimization hybrid",
                  "expected options that leave a parallelism, found none");
  return false;
}
