/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem.c: what a search works on, and whether that can be asked for. */
#include "search/problem.h"

#include <math.h>

#include "base/diag_add.h"
#include "base/number_text.h"
#include "base/units.h"
#include "plan/frameworks.h"
#include "plan/interleave.h"
#include "plan/named_roles.h"
#include "plan/role_rules.h"
#include "plan/segments.h"
#include "plan/tolerance.h"
#include "search/roles/role_search.h"
#include "search/roles/update_roles.h"

/* What roles of layers are asked for again and again. */
static bool find_company(const dsm__problem *problem, const bool **found) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  bool *has_company = NULL;
  if (!dsm__problem_has_roles(problem)) {
    return true;
  }
  if (!DSM__RESERVE(problem->arena, has_company, distinct->count)) {
    return false;
  }
  for (size_t c = 0; c < distinct->count; c++) {
    has_company[c] = dsm__has_company(problem, distinct->representative[c]);
  }
  *found = has_company;
  return true;
}

static bool fill(dsm__problem *problem) {
  const dsm_workload *const workload = problem->inputs.workload;
  problem->factors = dsm__factors_derive(workload, &problem->machine, problem->inputs.options);
  problem->capacity_bytes = dsm__capacity_limit(dsm_system_usable_bytes(problem->machine.system));
  problem->layout_states_max = DSM__LAYOUT_STATES_MAX;
  problem->role_nodes_max = (size_t)1 << 19;
  problem->role_edges_max = (size_t)1 << 20;
  const dsm_system *const system = problem->machine.system;
  if (dsm__has_layouts(system) &&
      !dsm__core_layouts_enumerate(&problem->layouts, system->chip.cores, problem->arena)) {
    return false;
  }
  return dsm__layer_table_fill(&problem->table, &problem->inputs, &problem->factors,
                               problem->arena) &&
         dsm__pipeline_groups_find(&problem->found->groups, &problem->table, false,
                                   problem->arena) &&
         dsm__held_lives_derive(&problem->lives, workload, problem->arena) &&
         find_company(problem, &problem->has_company);
}

/* Uses a memo if there is one, and it and the options allow it. */
static void use_memo(dsm__search_inputs *inputs, const dsm_system *system, dsm__memo *memo) {
  if (memo != NULL && inputs->options->thread_count <= 1 &&
      dsm__memo_begin(memo, system, inputs->precision, inputs->options->mode,
                      inputs->memo_contexts)) {
    inputs->memo = memo;
  }
}

dsm_status dsm__problem_init(dsm__problem *problem, const dsm_workload *workload,
                             const dsm_system *system, const dsm_explore_options *options,
                             dsm_diags *diags) {
  return dsm__problem_init_with(problem, workload, system, options, NULL, NULL, diags);
}

bool dsm__has_room_for_an_element(const dsm_workload *workload, const dsm_system *system,
                                  const char *where, dsm_diags *diags) {
  const double scratchpad_bytes = DSM__BYTES_PER_MIB * system->core.scratchpad_MiB;
  if (scratchpad_bytes >= workload->element_bytes) {
    return true;
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){0},
                 "see core.scratchpad_MiB of the system",
                 "%sno mapping fits: a core's scratchpad has %.9g byte%s, and an element of the "
                 "network takes %.9g",
                 where, scratchpad_bytes, dsm__plural(scratchpad_bytes), workload->element_bytes);
  return false;
}

bool dsm__is_any_recomputation_asked(const dsm__problem *problem) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  bool is_any = false;
  for (size_t c = 0; c < distinct->count; c++) {
    is_any = is_any || distinct->asked_again[c] != DSM__AGAIN_NOTHING;
  }
  return is_any;
}

bool dsm__may_any_go_on(const dsm__problem *problem) {
  const dsm__distinct *const distinct = &problem->table.distinct;
  bool may_any = false;
  for (size_t c = 0; c < distinct->count; c++) {
    may_any = may_any || distinct->may_go_on[c];
  }
  return may_any;
}

static bool is_divisor_of_axis(const dsm_system *system, uint64_t stages) {
  bool is_any = false;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    is_any = is_any || system->system.axes[a].chips % stages == 0;
  }
  return is_any;
}

/* Several runs of each stage need several stages, and micro-batches in groups of as many. */
static dsm_status check_interleave(const dsm_explore_options *options, dsm_diags *diags) {
  const unsigned long long runs = options->interleave;
  const dsm__interleaving of = {
      .stages = options->stages, .runs = runs, .micro_batches = options->micro_batches};
  if (runs > 1 && options->schedule != DSM_SCHEDULE_1F1B) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected 1 run of layers of each stage with schedule \"%s\", found %llu",
                       dsm_schedule_name(options->schedule), runs);
  }
  if (runs > 1 && options->stages == 1) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected 2 stages or more with %llu runs of layers of each, found 1", runs);
  }
  if (options->stages > 0 && options->micro_batches > 0 && !dsm__is_interleaved_well(&of)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a number of micro-batches that is a multiple of the stages, %llu, "
                       "each of which has %llu runs of layers, found %llu",
                       (unsigned long long)options->stages, runs,
                       (unsigned long long)options->micro_batches);
  }
  return DSM_OK;
}

/* What is asked for of the step. */
static dsm_status check_step(const dsm_workload *workload, const dsm_system *system,
                             const dsm_explore_options *options, dsm_diags *diags) {
  const unsigned long long stages = options->stages;
  const unsigned long long micro_batches = options->micro_batches;
  const dsm_status interleave = check_interleave(options, diags);
  if (interleave != DSM_OK) {
    return interleave;
  }
  if (stages > 1 && !is_divisor_of_axis(system, stages)) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a number of stages that divides an axis of the system, found %llu",
                       stages);
  }
  const unsigned long long runs = stages * (options->interleave > 1 ? options->interleave : 1);
  const unsigned long long blocks = dsm__block_count(workload);
  const bool are_at_blocks = options->stages_at == DSM_STAGES_AT_BLOCKS && runs > 1;
  if (are_at_blocks && blocks == 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a network with repeated blocks, found none");
  }
  if (are_at_blocks && blocks % runs != 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a number of stages times --interleave that divides the network's "
                       "%llu blocks, found %llu",
                       blocks, runs);
  }
  if (micro_batches > 0 && workload->minibatch % micro_batches != 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a number of micro-batches that divides the minibatch, %llu, found "
                       "%llu",
                       (unsigned long long)workload->minibatch, micro_batches);
  }
  return DSM_OK;
}

/* What the options say how far a search may go: without a time limit to about a minute's work, so
 * that each search ends, with the same answer on any machine. */
static void begin_deadline(dsm__deadline *deadline, const dsm_explore_options *options) {
  static const double machine_share = 0.25;
  dsm__deadline_begin(deadline,
                      options->time_limit_seconds > 0 ? options->time_limit_seconds : HUGE_VAL);
  deadline->most_work = options->time_limit_seconds > 0 ? HUGE_VAL : DSM__WORK_MAX;
  deadline->final_work = 2 * deadline->most_work;
  deadline->most_bytes = options->memory_limit_GB > 0 ? dsm__bytes_of_GB(options->memory_limit_GB)
                                                      : machine_share * dsm__machine_bytes();
  deadline->is_stopped = options->is_stopped;
  deadline->context = options->context;
}

dsm__arena *dsm__problem_arena(const dsm__problem *problem) {
  return dsm__arena_new_counted(dsm__deadline_bytes(problem->inputs.deadline));
}

dsm_status dsm__problem_predict(const dsm__problem *problem, const dsm__decisions *decisions,
                                dsm_plan **plan, dsm_diags *diags) {
  const dsm_workload *const workload = problem->inputs.workload;
  dsm__deadline_add_work(problem->inputs.deadline,
                         DSM__WORK_OF_PREDICTED_LAYER * workload->layer_count);
  const dsm_status status = dsm__plan_make(plan, workload, problem->machine.system,
                                           problem->inputs.options, decisions, diags);
  if (status == DSM_OK) {
    dsm__problem_price(problem, *plan);
  }
  return status;
}

void dsm__problem_price(const dsm__problem *problem, dsm_plan *plan) {
  const dsm_machine *const machine = &problem->machine;
  if (machine->is_weighed) {
    plan->price = machine->weights.cycles * plan->result.step_cycles +
                  machine->weights.joules / (double)dsm_system_chips(machine->system) *
                      dsm_joules_dynamic(&plan->result.energy.parts);
  }
}

static dsm_status init(dsm__problem *problem, const dsm_workload *workload,
                       const dsm_system *system, const dsm_explore_options *options,
                       dsm__memo *memo, dsm__deadline *deadline, const dsm_weights *weights,
                       dsm_diags *diags) {
  const dsm__place nowhere = {NULL, 0, 0, NULL};
  const dsm_role role = dsm__role_without_optimization(options);
  if (role != DSM_ROLE_COUNT) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere, NULL,
                   "expected the optimization %s for the role %s, found none",
                   dsm_optimization_name(dsm__role_optimization(role)), dsm_role_name(role));
    return DSM_ERROR_USAGE;
  }
  if (dsm__option_parallelisms(options, system) == 0 && !dsm__has_named_roles(options)) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere,
                   "those with axes of both roles, as data_x_model_y, need the optimization hybrid",
                   "expected options that leave a parallelism, found none");
    return DSM_ERROR_USAGE;
  }
  dsm_status status = dsm__strategies_check(options, diags);
  status = status == DSM_OK ? dsm__as_run_by_check(workload, options, diags) : status;
  if (status != DSM_OK) {
    return status;
  }
  if (!(options->gap >= 0 && options->gap < 1) || !(options->memory_limit_GB >= 0) ||
      !(options->time_limit_seconds >= 0 && isfinite(options->time_limit_seconds))) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, nowhere, NULL,
                   "expected a gap from 0 to below 1, a time limit of 0 or more seconds and a "
                   "memory limit of 0 or more GB, found %g, %g and %g",
                   options->gap, options->time_limit_seconds, options->memory_limit_GB);
    return DSM_ERROR_USAGE;
  }
  status = check_step(workload, system, options, diags);
  if (status != DSM_OK) {
    return status;
  }
  if (!dsm__has_room_for_an_element(workload, system, "", diags)) {
    return DSM_ERROR_INFEASIBLE;
  }
  *problem = (dsm__problem){
      .inputs = {.workload = workload,
                 .options = options,
                 .prices = dsm__prices_of_time(),
                 .precision = dsm_precision_of(workload, system)},
      .machine = dsm_machine_for(system, options->mode),
  };
  problem->inputs.machine = &problem->machine;
  if (weights != NULL) {
    problem->machine.is_weighed = true;
    problem->machine.weights = *weights;
  }
  begin_deadline(&problem->deadline, options);
  problem->inputs.deadline = deadline != NULL ? deadline : &problem->deadline;
  problem->arena = dsm__problem_arena(problem);
  problem->lasting = problem->arena;
  use_memo(&problem->inputs, system, memo);
  if (problem->arena == NULL || !DSM__RESERVE(problem->arena, problem->found, 1) ||
      !fill(problem)) {
    dsm__problem_fini(problem);
    return dsm__out_of_memory(diags);
  }
  dsm__deadline_add_work(problem->inputs.deadline, DSM__WORK_OF_SCORE * problem->table.evaluations);
  return DSM_OK;
}

dsm_status dsm__problem_init_with(dsm__problem *problem, const dsm_workload *workload,
                                  const dsm_system *system, const dsm_explore_options *options,
                                  dsm__memo *memo, dsm__deadline *deadline, dsm_diags *diags) {
  return init(problem, workload, system, options, memo, deadline, NULL, diags);
}

dsm_status dsm__problem_init_weighed(dsm__problem *problem, const dsm_workload *workload,
                                     const dsm_system *system, const dsm_explore_options *options,
                                     const dsm_weights *weights, dsm_diags *diags) {
  return init(problem, workload, system, options, NULL, NULL, weights, diags);
}

void dsm__problem_fini(dsm__problem *problem) {
  dsm__arena_free(problem->arena);
  problem->arena = NULL;
}

void dsm__case_begin(dsm__problem *one, const dsm__problem *of) {
  *one = *of;
  if (of->table.inputs == &of->inputs) { /* else the table is that of a larger network */
    one->table.inputs = &one->inputs;
  }
}

void dsm__case_find_apart(dsm__problem *one, dsm__found *found) {
  *found = *one->found;
  one->found = found;
}
