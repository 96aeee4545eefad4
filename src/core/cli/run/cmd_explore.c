/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "cli/parse/input_files.h"
#include "cli/parse/option_values.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/interrupt.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

/* What an exploration starts from. */
typedef struct inputs {
  dsm_workload *workload;
  dsm_system *system;
  dsm_system *base; /* of a ladder's first rung; NULL: the same system */
} inputs;

static cli_input_file load(const cli_arguments *arguments, const char *name, dsm_description kind) {
  return name == NULL ? (cli_input_file){.status = DSM_OK}
                      : cli_load(arguments, name, kind, arguments->diags);
}

/* The option that asks for a comparison of several answers, or NULL. */
static const char *compared_by(const cli_arguments *arguments) {
  return arguments->is_ladder         ? "ladder"
         : arguments->explain != NULL ? "explain"
                                      : arguments->elasticity;
}

static cli_exit check_options(const cli_arguments *arguments) {
  if (compared_by(arguments) != NULL && arguments->options.time_limit_seconds > 0) {
    return cli_usage_error(arguments->command,
                           "--%s compares optimal answers, but --time-limit %.9g ends searches "
                           "before the optimum (0: no limit)",
                           compared_by(arguments), arguments->options.time_limit_seconds);
  }
  if (compared_by(arguments) != NULL &&
      (arguments->options.aim != DSM_AIM_TIME || arguments->options.power_cap_watts > 0)) {
    return cli_usage_error(arguments->command,
                           "--%s compares times: expected the objective time, and no power cap",
                           compared_by(arguments));
  }
  dsm_optimization additions[DSM_OPTIMIZATION_COUNT];
  if (arguments->ladder_base != NULL && dsm_ladder_additions(&arguments->options, additions) == 0) {
    return cli_usage_error(arguments->command,
                           "--ladder-base is of the first of several rungs: --optimize leaves one");
  }
  return cli_check_optimizations(arguments);
}

/* Where nothing fits: what would, or NULL. Says what it has; with --fit what was not asked for. */
static dsm_plan *find_what_fits(const cli_arguments *arguments, const inputs *in,
                                const dsm_explore_options *options) {
  dsm_plan *plan = NULL;
  dsm_fit fit = DSM_FIT_NOT_MEMORY;
  const dsm_status status =
      dsm_explore_what_fits(&plan, &fit, in->workload, in->system, options, NULL);
  if (status != DSM_OK) {
    if (status == DSM_ERROR_INFEASIBLE && fit == DSM_FIT_STOPPED && !cli_is_interrupted()) {
      cli_note(arguments, "no mapping that fits with accumulate and stages, or with shard and "
                          "recompute, was found before the searches ended");
    } else if (status == DSM_ERROR_INFEASIBLE && fit == DSM_FIT_NONE) {
      cli_note(arguments, "no mapping fits, even with shard, recompute, accumulate and stages");
    }
    return NULL;
  }
  const dsm_optimization_set named =
      plan->options.optimizations & (arguments->wants_fit ? ~options->optimizations : ~0U);
  char words[256] = "";
  size_t length = 0;
  for (int o = 0; o < DSM_OPTIMIZATION_COUNT; o++) {
    if ((named & DSM_OPTIMIZATION_BIT(o)) != 0) {
      const int written =
          snprintf(words + length, sizeof words - length, "%s%s", length == 0 ? "" : ",",
                   dsm_optimization_name((dsm_optimization)o));
      length += written > 0 ? (size_t)written : 0;
    }
  }
  const char *const end =
      plan->statistics.is_stopped ? ", or less: the search ended before it was complete" : "";
  if (arguments->wants_fit) {
    cli_note(arguments,
             "no mapping fits the memory with the optimizations asked for; --fit added: %s%s",
             words, end);
  } else {
    cli_note(arguments, "what would fit: --optimize %s, %.5g ms with %.4g of %.4g GB a chip%s",
             words, 1e3 * plan->result.step_seconds, plan->result.memory.total_bytes / 1e9,
             plan->result.memory.capacity_bytes / 1e9, end);
  }
  return plan;
}

/* The plan, or what would fit, as far as that is known by twice the time limit: said, or with --fit
 * the plan, with which the error that nothing fits is none. After a signal with the best so far.
 * What is explained has to be known to the end, so that a signal ends the program then. */
static cli_exit search(const cli_arguments *arguments, const inputs *in, dsm_plan **plan,
                       bool *is_interrupted) {
  dsm_explore_options options = arguments->options;
  const double limit = options.time_limit_seconds > 0 ? options.time_limit_seconds : HUGE_VAL;
  const double end = cli_seconds_now() + 2 * limit;
  if (arguments->explain == NULL) {
    options.is_stopped = cli_should_stop;
    cli_interrupt_begin();
  }
  cli_exit outcome = cli_exit_of(cli_explore(plan, arguments, in->workload, in->system, &options));
  const bool may_fit = outcome == CLI_EXIT_INFEASIBLE && !cli_is_interrupted();
  if (!may_fit || !arguments->wants_fit) {
    cli_print_findings(arguments);
  }
  if (limit < HUGE_VAL) {
    options.time_limit_seconds = fmax(fmin(limit, end - cli_seconds_now()), DBL_MIN);
  }
  *plan = may_fit ? find_what_fits(arguments, in, &options) : *plan;
  if (may_fit && arguments->wants_fit && *plan != NULL) {
    dsm_diags_clear(arguments->diags);
    outcome = CLI_EXIT_DONE;
  }
  cli_print_findings(arguments);
  *is_interrupted = cli_is_interrupted();
  if (arguments->explain == NULL) {
    cli_interrupt_end();
  }
  return outcome;
}

/* What would have an effect for the objective time, and is left out for another one. */
static void note_left_out(const cli_arguments *arguments, const inputs *in, const dsm_plan *plan) {
  dsm_explore_options of_time = plan->options;
  const dsm_optimization_set missing =
      arguments->options.optimizations & ~plan->options.optimizations;
  of_time.aim = DSM_AIM_TIME;
  for (int o = 0; plan->options.aim != DSM_AIM_TIME && !arguments->has_optimizations &&
                  o < DSM_OPTIMIZATION_COUNT;
       o++) {
    if ((missing & DSM_OPTIMIZATION_BIT(o)) != 0 &&
        dsm_optimization_why_not((dsm_optimization)o, in->workload, in->system, &of_time) == NULL) {
      cli_note(arguments,
               "%s is left out: with it times are no sums, and the objective %s is of sums alone",
               dsm_optimization_name((dsm_optimization)o), dsm_aim_name(plan->options.aim));
    }
  }
}

/* Systems of the paper know updates without a state, as published. */
static void note_optimizer(const cli_arguments *arguments, const inputs *in) {
  const dsm_workload *const workload = in->workload;
  assert(workload != NULL && in->system != NULL);
  if (arguments->options.mode == DSM_MODE_TRAINING &&
      in->system->model.search == DSM_ROLE_SEARCH_ALL &&
      workload->optimizer == DSM_OPTIMIZER_NONE && !(workload->optimizer_bytes_per_weight > 0)) {
    cli_note(arguments, "the workload names no optimizer, so memory and weight updates count none; "
                        "most transformers are trained with --set workload.optimizer=adam_mixed");
  }
}

/* Products of fewer than 16 bits that are no faster than those of 16. */
static void note_rate(const cli_arguments *arguments, const inputs *in) {
  const dsm_system *const system = in->system;
  const dsm_element_type type = dsm_workload_element_type(in->workload);
  const dsm_element_type rate = dsm_system_rate_type(system, type);
  const bool is_stated = in->workload->element_type != DSM_ELEMENT_TYPE_ANY ||
                         in->workload->types.of[DSM_USE_OPERANDS] != DSM_ELEMENT_TYPE_ANY;
  const bool is_own = dsm_element_type_bytes(rate) < 1.5 * dsm_element_type_bytes(type);
  const double times = system->pe.rates[rate];
  if (is_stated && dsm_element_type_bytes(type) < 2 && (!is_own || !(times > 1 || times < 1))) {
    cli_note(arguments,
             "%s has no rate of %s of its own: its products run at %.4g times that of 16 bits "
             "(pe.rates.%s)",
             system->name, dsm_element_type_name(type), times, dsm_element_type_name(rate));
  }
}

static cli_exit explore_once(const cli_arguments *arguments, const inputs *in) {
  cli_exit outcome = cli_check_explained_layer(arguments, in->workload);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  cli_note_ineffective_optimizations(arguments, in->workload, in->system);
  note_optimizer(arguments, in);
  note_rate(arguments, in);
  dsm_plan *plan = NULL;
  bool is_interrupted;
  outcome = search(arguments, in, &plan, &is_interrupted);
  if (outcome == CLI_EXIT_DONE && arguments->options.interleave > 1 && plan->stages.count < 2) {
    cli_note(arguments, "--interleave has no effect: the fastest step has no stages");
  }
  if (outcome == CLI_EXIT_DONE) {
    note_left_out(arguments, in, plan);
    outcome = arguments->explain != NULL
                  ? cli_put_explanation(arguments, plan)
                  : cli_put_with_table(arguments, DSM_ANSWER(plan, plan), DSM_FORM_JSON);
    if (is_interrupted) {
      cli_note(arguments, "interrupted: this is the best plan so far");
    }
  }
  outcome = is_interrupted ? cli_exit_max(outcome, CLI_EXIT_INTERRUPTED) : outcome;
  dsm_plan_free(plan);
  return outcome;
}

/* ---- the ladder ---- */

static cli_exit explore_ladder(const cli_arguments *arguments, const inputs *in) {
  const dsm_ladder_request request = {.workload = in->workload,
                                      .system = in->system,
                                      .base = in->base,
                                      .options = &arguments->options};
  cli_note_ineffective_optimizations(arguments, in->workload, in->system);
  if (arguments->options.stages > 1 || arguments->options.micro_batches > 1 ||
      arguments->options.interleave > 1 ||
      arguments->options.recomputation > DSM_RECOMPUTATION_NONE ||
      arguments->options.shard_level > DSM_SHARD_LEVEL_NONE) {
    cli_note(arguments, "every rung has the stages, micro-batches, recomputation and shards that "
                        "were asked for");
  }
  dsm_ladder all;
  cli_exit outcome = cli_exit_of(cli_ladder_explore(&all, arguments, request));
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_answer(arguments, DSM_ANSWERS(ladder, all.rungs, all.count));
  }
  dsm_ladder_fini(&all);
  return outcome;
}

static cli_exit explore_elasticity(const cli_arguments *arguments, const inputs *in) {
  const cli_input_file loaded[] = {{.workload = in->workload}, {.system = in->system}};
  cli_note_ineffective_optimizations(arguments, in->workload, in->system);
  return cli_put_elasticity(arguments, loaded, sizeof loaded / sizeof *loaded);
}

/* With inputs that are there, perhaps but for the ladder's base. */
static cli_exit explore_inputs(const cli_arguments *given, const inputs *in) {
  cli_arguments arguments = *given;
  const cli_exit outcome = cli_settle_options(&arguments, in->system);
  return outcome != CLI_EXIT_DONE       ? outcome
         : arguments.is_ladder          ? explore_ladder(&arguments, in)
         : arguments.elasticity != NULL ? explore_elasticity(&arguments, in)
                                        : explore_once(&arguments, in);
}

/* Loads all inputs, so that the problems of all of them are reported, not only of the first. */
static cli_exit explore_names(const cli_arguments *arguments) {
  cli_exit outcome = check_options(arguments);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  cli_input_file workload = load(arguments, arguments->operands[0], DSM_DESCRIPTION_WORKLOAD);
  cli_input_file system = load(arguments, arguments->operands[1], DSM_DESCRIPTION_SYSTEM);
  cli_input_file base = load(arguments, arguments->ladder_base, DSM_DESCRIPTION_SYSTEM);
  outcome = cli_exit_max(cli_exit_of(workload.status), cli_exit_of(system.status));
  outcome = cli_exit_max(outcome, cli_exit_of(base.status));
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = explore_inputs(
        arguments,
        &(inputs){.workload = workload.workload, .system = system.system, .base = base.system});
  }
  cli_input_file_fini(&workload);
  cli_input_file_fini(&system);
  cli_input_file_fini(&base);
  return outcome;
}

/* The question of a plan, with what is given in place of its own inputs and options. */
static cli_exit explore_again(const cli_arguments *given) {
  cli_question question;
  cli_exit outcome = cli_load_question(&question, given);
  const cli_arguments *const arguments = &question.arguments;
  if (outcome == CLI_EXIT_DONE) {
    outcome = check_options(arguments);
  }
  cli_input_file base = {.status = DSM_OK};
  if (outcome == CLI_EXIT_DONE) {
    base = load(arguments, arguments->ladder_base, DSM_DESCRIPTION_SYSTEM);
    cli_print_findings(arguments);
    outcome = cli_exit_of(base.status);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = explore_inputs(arguments, &(inputs){.workload = question.baseline->workload,
                                                  .system = question.baseline->system,
                                                  .base = base.system});
  }
  cli_input_file_fini(&base);
  cli_question_fini(&question);
  return outcome;
}

cli_exit cli_run_explore(const cli_arguments *arguments) {
  return arguments->operand_count == 1 ? explore_again(arguments) : explore_names(arguments);
}
