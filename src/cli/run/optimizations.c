/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/explored.h"

#include <string.h>

#include "cli/run/complain.h"

static bool is_named(const cli_arguments *arguments, dsm_optimization optimization) {
  return (arguments->named_optimizations & DSM_OPTIMIZATION_BIT(optimization)) != 0;
}

cli_exit cli_check_optimizations(const cli_arguments *arguments) {
  if (arguments->options.mode == DSM_MODE_TRAINING &&
      is_named(arguments, DSM_OPTIMIZATION_PRELOAD)) {
    return cli_usage_error(arguments->command,
                           "--optimize: preload needs --mode inference: in training every step "
                           "changes the weights");
  }
  return CLI_EXIT_DONE;
}

/* ---- why an optimisation can change nothing; NULL: perhaps it can ---- */

static const char *why_no_hybrid(const cli_arguments *arguments, const dsm_workload *workload,
                                 const dsm_system *system) {
  (void)workload;
  const dsm_network *const network = &system->system;
  unsigned long_axes = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    long_axes += network->axes[a].chips > 1;
  }
  if (long_axes == 0) {
    return "the system has one chip";
  }
  if (long_axes == 1) {
    return "with chips along one axis only the hybrids are data and model parallelism again";
  }
  return (arguments->options.parallelisms & DSM_PARALLELISM_HYBRIDS) == 0
             ? "--parallelism leaves out those with axes of both roles, as data_x_model_y"
             : NULL;
}

/* Do all layers from one to another have no timesteps? */
static bool is_feed_forward(const dsm_workload *workload, size_t from, size_t to) {
  for (size_t i = from; i <= to && i < workload->layer_count; i++) {
    if (workload->layers[i].timesteps > 1) {
      return false;
    }
  }
  return true;
}

/* Can the layer's output stay on chip until its last use, as far as the network goes? */
static bool is_holdable(const dsm_workload *workload, size_t index) {
  const size_t use = workload->layers[index].last_use;
  const size_t operand_use = workload->layers[index].last_operand_use;
  return (use != DSM_NEVER_USED || operand_use != DSM_NEVER_USED) &&
         (use == DSM_NEVER_USED || is_feed_forward(workload, index, use)) &&
         (operand_use == DSM_NEVER_USED || is_feed_forward(workload, index, operand_use));
}

static const char *why_no_reuse(const cli_arguments *arguments, const dsm_workload *workload,
                                const dsm_system *system) {
  const dsm_machine machine = dsm_machine_derive(system);
  const bool has_room = dsm_held_limit_bytes(&machine, 0) > 0;
  bool is_any_holdable = false;
  (void)arguments;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is_any_holdable = is_any_holdable || is_holdable(workload, i);
    if (dsm_kernel_can_be_kept(&workload->layers[i], &machine) || (has_room && is_any_holdable)) {
      return NULL;
    }
  }
  if (is_any_holdable) {
    return "the streaming buffers leave no room in the scratchpads";
  }
  return is_feed_forward(workload, 0, workload->layer_count - 1)
             ? "no layer uses the output of another, and none has timesteps"
             : "only matmuls have timesteps, and without model.resident_operands nothing of them "
               "can stay on chip";
}

static const char *why_no_dysm(const cli_arguments *arguments, const dsm_workload *workload,
                               const dsm_system *system) {
  const dsm_machine machine = dsm_machine_derive(system);
  (void)arguments;
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (dsm_dysm_factor_is_valid(&workload->layers[i], &machine, workload->minibatch, 2)) {
      return NULL;
    }
  }
  return is_feed_forward(workload, 0, workload->layer_count - 1)
             ? "the minibatch cannot be halved, or not without leaving chips without a sample"
             : "no layer without timesteps has a minibatch that can be halved and still gives "
               "every chip a sample";
}

/* Can a layer and the one after it be in a pipeline group together, as far as the two go? */
static bool is_pipeline_pair(const dsm_workload *workload, size_t index) {
  const dsm_layer *const first = &workload->layers[index];
  const dsm_layer *const second = &workload->layers[index + 1];
  const dsm_layer_spec *const a = &workload->specs[first->spec_index];
  const dsm_layer_spec *const b = &workload->specs[second->spec_index];
  if (first->gates == 0 || second->gates == 0 || a->is_bidirectional || b->is_bidirectional ||
      first->timesteps != second->timesteps || a->pipeline_choice == DSM_PIPELINE_NEVER ||
      a->pipeline_choice != b->pipeline_choice) {
    return false;
  }
  return a->pipeline_choice == DSM_PIPELINE_AUTOMATIC ||
         strcmp(a->pipeline_group, b->pipeline_group) == 0;
}

/* How many layers are in the named group of a layer, wherever they stand; 0 without a name. */
static uint64_t named_group_size(const dsm_workload *workload, size_t index) {
  const dsm_layer_spec *const spec = &workload->specs[workload->layers[index].spec_index];
  uint64_t count = 0;
  for (size_t i = 0; i < workload->layer_count && spec->pipeline_group != NULL; i++) {
    const dsm_layer_spec *const other = &workload->specs[workload->layers[i].spec_index];
    if (other->pipeline_group != NULL && strcmp(other->pipeline_group, spec->pipeline_group) == 0) {
      count++;
    }
  }
  return count;
}

/* Rows that the stages of a pipeline have together: narrow ones share a row of the torus. */
static uint64_t stage_rows(const dsm_system *system) {
  const dsm_network *const network = &system->system;
  const bool can_be_narrow = system->model.pipeline_columns && network->axis_count == 2;
  return can_be_narrow ? dsm_system_chips(system) : network->axes[network->axis_count - 1].chips;
}

/* Can a pipeline group begin at a layer? A named one has to be whole. */
static bool can_group_begin(const dsm_workload *workload, const dsm_system *system, size_t index) {
  uint64_t run = 1;
  for (size_t i = index; i + 1 < workload->layer_count && is_pipeline_pair(workload, i); i++) {
    run++;
  }
  const uint64_t named = named_group_size(workload, index);
  const uint64_t needed = named > 0 ? named : 2;
  return run >= 2 && run >= needed && needed <= stage_rows(system);
}

static const char *why_no_pipeline(const cli_arguments *arguments, const dsm_workload *workload,
                                   const dsm_system *system) {
  (void)arguments;
  if (stage_rows(system) == 1) {
    return "there is one row of chips, and each layer of a pipeline needs one";
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    if (can_group_begin(workload, system, i)) {
      return NULL;
    }
  }
  return "the network has no run of two recurrent layers that can be pipelined";
}

static const char *why_no_per_pass(const cli_arguments *arguments, const dsm_workload *workload,
                                   const dsm_system *system) {
  (void)workload;
  (void)system;
  const dsm_parallelism_set allowed = arguments->options.parallelisms;
  if (arguments->options.mode == DSM_MODE_INFERENCE) {
    return "inference has only forward passes";
  }
  return (allowed & (allowed - 1)) == 0 ? "--parallelism leaves one parallelism to choose" : NULL;
}

/* In training it is a wrong usage. */
static const char *why_no_preload(const cli_arguments *arguments, const dsm_workload *workload,
                                  const dsm_system *system) {
  const dsm_machine machine = dsm_machine_derive(system);
  (void)arguments;
  if (workload->weights == 0) {
    return "the network has no weights";
  }
  if (dsm_preload_room_bytes(&machine) > 0) {
    return NULL;
  }
  return machine.has_shared_memory
             ? "with model.tiling \"blocked\" no weights are preloaded into a shared memory"
             : "the streaming buffers leave no room in the scratchpads";
}

static const char *why_no_hoist(const cli_arguments *arguments, const dsm_workload *workload,
                                const dsm_system *system) {
  (void)system;
  bool is_any = false;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is_any = is_any || workload->layers[i].hoisted != NULL;
  }
  if (arguments->options.mode == DSM_MODE_INFERENCE) {
    return "inference makes the input products of each timestep with it";
  }
  return is_any ? NULL : "the network has no lstm with timesteps";
}

static const char *why_no_spatial(const cli_arguments *arguments, const dsm_workload *workload,
                                  const dsm_system *system) {
  bool is_any = false;
  (void)arguments;
  (void)system;
  for (size_t i = 0; i < workload->layer_count; i++) {
    is_any = is_any || dsm_layer_can_have_role(&workload->layers[i], DSM_ROLE_SPATIAL);
  }
  return is_any ? NULL : "the network has no layer with rows of positions";
}

static const char *why_no_tensor(const cli_arguments *arguments, const dsm_workload *workload,
                                 const dsm_system *system) {
  (void)arguments;
  (void)workload;
  const dsm_machine machine = dsm_machine_derive(system);
  return machine.chip_count > 1 ? NULL : "the system has one chip";
}

static const char *why_no_accumulate(const cli_arguments *arguments, const dsm_workload *workload,
                                     const dsm_system *system) {
  (void)system;
  if (arguments->options.mode == DSM_MODE_INFERENCE) {
    return "inference has no gradients";
  }
  return workload->minibatch > 1 ? NULL : "a minibatch of one sample cannot be cut";
}

static const char *why_no_stages(const cli_arguments *arguments, const dsm_workload *workload,
                                 const dsm_system *system) {
  if (arguments->options.mode == DSM_MODE_INFERENCE) {
    return "inference runs no layer backward";
  }
  if (workload->is_list) {
    return "a list of layers has no output that passes from one to the next";
  }
  const dsm_machine machine = dsm_machine_derive(system);
  return machine.chip_count > 1 ? NULL : "the system has one chip";
}

void cli_note_ineffective_optimizations(const cli_arguments *arguments,
                                        const dsm_workload *workload, const dsm_system *system) {
  static const char *(*const why_not[])(const cli_arguments *, const dsm_workload *,
                                        const dsm_system *) = {
      [DSM_OPTIMIZATION_HYBRID] = why_no_hybrid,
      [DSM_OPTIMIZATION_REUSE] = why_no_reuse,
      [DSM_OPTIMIZATION_DYSM] = why_no_dysm,
      [DSM_OPTIMIZATION_PIPELINE] = why_no_pipeline,
      [DSM_OPTIMIZATION_PER_PASS] = why_no_per_pass,
      [DSM_OPTIMIZATION_PRELOAD] = why_no_preload,
      [DSM_OPTIMIZATION_HOIST] = why_no_hoist,
      [DSM_OPTIMIZATION_SPATIAL] = why_no_spatial,
      [DSM_OPTIMIZATION_TENSOR] = why_no_tensor,
      [DSM_OPTIMIZATION_ACCUMULATE] = why_no_accumulate,
      [DSM_OPTIMIZATION_STAGES] = why_no_stages,
  };
  _Static_assert(sizeof why_not / sizeof *why_not == DSM_OPTIMIZATION_COUNT,
                 "a question for each optimisation");
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    const dsm_optimization optimization = (dsm_optimization)o;
    const char *const why = is_named(arguments, optimization)
                                ? why_not[optimization](arguments, workload, system)
                                : NULL;
    if (why != NULL) {
      cli_note(arguments, "--optimize %s has no effect: %s", dsm_optimization_name(optimization),
               why);
    }
  }
  const dsm_optimization_set used =
      arguments->options.optimizations & dsm_mode_possible_optimizations(arguments->options.mode);
  if (cli_is_given(arguments, "gap") &&
      (used & DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD)) == 0) {
    cli_note(arguments, "--gap has no effect: only the search for preloaded weights stops early");
  }
}

/* ---- the ladder ---- */

size_t cli_ladder_additions(const dsm_explore_options *options,
                            dsm_optimization additions[DSM_OPTIMIZATION_COUNT]) {
  const dsm_optimization_set rungs =
      options->optimizations & dsm_mode_possible_optimizations(options->mode);
  size_t count = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    if ((rungs & DSM_OPTIMIZATION_BIT(o)) != 0) {
      additions[count++] = (dsm_optimization)o;
    }
  }
  return count;
}
