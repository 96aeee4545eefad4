/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_partition.c: which device runs what. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/input_files.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/interrupt.h"
#include "cli/run/output.h"
#include "cli/run/status_line.h"
#include "partition/command/partition_arguments.h"

/* ---- options that need or exclude each other ---- */

static cli_exit check_operands(const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = arguments->own;
  const size_t count = arguments->operand_count;
  const cli_override_list *const sets = arguments->overrides.of;
  if (wanted->profile == NULL) {
    return sets[DSM_DESCRIPTION_PROFILE].count > 0
               ? cli_usage_error(arguments->command, "--set profile.PATH needs --profile FILE")
           : count == 2 ? CLI_EXIT_DONE
           : count == 1
               ? cli_usage_error(arguments->command, "expected WORKLOAD SERVER, found only '%s'",
                                 arguments->operands[0])
               : cli_usage_error(arguments->command, "expected WORKLOAD SERVER, or --profile FILE");
  }
  if (count > 0) {
    return cli_usage_error(arguments->command,
                           "expected no WORKLOAD and SERVER with --profile, which has tasks and "
                           "devices, found '%s'",
                           arguments->operands[0]);
  }
  if (sets[DSM_DESCRIPTION_WORKLOAD].count + sets[DSM_DESCRIPTION_SERVER].count > 0) {
    return cli_usage_error(arguments->command,
                           "--set of a workload or server and --profile exclude each other: the "
                           "profile says all (profile.PATH=VALUE)");
  }
  return CLI_EXIT_DONE;
}

static cli_exit check_options(const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = arguments->own;
  const unsigned asked = wanted->front.objectives;
  if (cli_is_given(arguments, "pareto") &&
      ((asked & 1U << DSM_OBJECTIVE_THROUGHPUT) == 0 || asked == 1U << DSM_OBJECTIVE_THROUGHPUT)) {
    return cli_usage_error(arguments->command,
                           "--pareto: expected throughput, and latency, energy or both, as in "
                           "throughput,latency");
  }
  const bool is_energy = wanted->options.objective == DSM_OBJECTIVE_ENERGY;
  if (is_energy && !cli_is_given(arguments, "require")) {
    return cli_usage_error(arguments->command,
                           "--objective energy needs --require RATE, requests per second");
  }
  if (!is_energy && cli_is_given(arguments, "require")) {
    return cli_usage_error(arguments->command, "--require needs --objective energy");
  }
  if (wanted->options.objective == DSM_OBJECTIVE_LATENCY &&
      cli_is_given(arguments, "latency-limit")) {
    return cli_usage_error(arguments->command,
                           "--latency-limit and --objective latency exclude each other: the "
                           "objective is the least there is");
  }
  return check_operands(arguments);
}

/* ---- what is partitioned ---- */

static dsm_instance_options instance_options(const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = arguments->own;
  dsm_instance_options options = wanted->instance;
  options.pins = wanted->pins.items;
  options.pin_count = wanted->pins.count;
  options.groups = wanted->groups.items;
  options.group_count = wanted->groups.count;
  options.batches = wanted->batches.items;
  options.batch_count = wanted->batches.count;
  return options;
}

/* Rates with and without --tasks differ for two reasons; the second is easily overlooked. */
static void note_joined(const cli_arguments *arguments, const dsm_workload *workload,
                        const dsm_server *server, const dsm_instance *instance) {
  size_t device = 0;
  while (device < server->device_count && !(server->devices[device].task_seconds > 0)) {
    device++;
  }
  if (instance->task_count < workload->layer_count && device < server->device_count) {
    cli_note(arguments,
             "%zu layers are joined into %zu task%s, and each task pays the fixed cost of a task "
             "once (%.9g microseconds on \"%s\"): compare only answers with as many tasks",
             workload->layer_count, instance->task_count, instance->task_count == 1 ? "" : "s",
             1e6 * server->devices[device].task_seconds, server->devices[device].name);
  }
}

/* Both inputs are read, so that the problems of both are reported. */
static cli_exit make_instance(dsm_instance **instance, const cli_arguments *arguments) {
  dsm_diags *const diags = arguments->diags;
  cli_input_file workload =
      cli_load(arguments, arguments->operands[0], DSM_DESCRIPTION_WORKLOAD, diags);
  cli_input_file server =
      cli_load(arguments, arguments->operands[1], DSM_DESCRIPTION_SERVER, diags);
  cli_exit outcome = cli_exit_max(cli_exit_of(workload.status), cli_exit_of(server.status));
  if (outcome == CLI_EXIT_DONE) {
    const dsm_instance_options options = instance_options(arguments);
    outcome =
        cli_exit_of(dsm_instance_make(instance, workload.workload, server.server, &options, diags));
  }
  if (outcome == CLI_EXIT_DONE) {
    note_joined(arguments, workload.workload, server.server, *instance);
  }
  cli_input_file_fini(&workload);
  cli_input_file_fini(&server);
  return outcome;
}

static cli_exit load_profile(dsm_instance **instance, const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = arguments->own;
  const dsm_instance_options options = instance_options(arguments);
  cli_arguments with = *arguments;
  with.instance = &options;
  cli_input_file loaded =
      cli_load(&with, wanted->profile, DSM_DESCRIPTION_PROFILE, arguments->diags);
  const cli_exit outcome = cli_exit_of(loaded.status);
  *instance = loaded.profile;
  loaded.profile = NULL;
  cli_input_file_fini(&loaded);
  return outcome;
}

/* ---- what comes out ---- */

static cli_exit write_mps(const cli_arguments *arguments, const dsm_instance *instance) {
  const cli_partition_arguments *const wanted = arguments->own;
  char *text = NULL;
  cli_exit outcome =
      cli_exit_of(dsm_partition_mps(&text, instance, &wanted->options, arguments->diags));
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_file(arguments, "write-mps", wanted->mps, text, strlen(text));
  }
  free(text);
  return outcome;
}

static cli_exit write_profile(const cli_arguments *arguments, const dsm_instance *instance) {
  const cli_partition_arguments *const wanted = arguments->own;
  char *text = NULL;
  cli_exit outcome = cli_exit_of(dsm_profile_text(&text, instance, NULL, arguments->diags));
  if (outcome == CLI_EXIT_DONE) {
    const char *const path = wanted->write_profile;
    outcome = cli_put_file(arguments, "write-profile", path, text, strlen(text));
  }
  free(text);
  return outcome;
}

static cli_exit write_trace(const cli_arguments *arguments, const dsm_dispatch *simulation) {
  const cli_partition_arguments *const wanted = arguments->own;
  char *const text = dsm_answer_print(DSM_ANSWER(dispatch, simulation), DSM_FORM_TRACE, NULL);
  if (text == NULL) {
    return cli_outside_error("cannot make the trace of %zu events: out of memory, or larger than "
                             "1 GiB; simulate fewer requests",
                             simulation->event_count);
  }
  const cli_exit outcome = cli_put_file(arguments, "trace", wanted->trace, text, strlen(text));
  free(text);
  return outcome;
}

typedef struct answer {
  dsm_partition *partition;
  dsm_front *front;         /* in its place */
  dsm_dispatch *simulation; /* NULL: none is asked for */
} answer;

static void say_what_was_solved(const cli_arguments *arguments, const dsm_partition *partition) {
  const dsm_partition_statistics *const statistics = &partition->statistics;
  const dsm_instance *const instance = partition->instance;
  cli_say(arguments, "%s: %zu task%s, %zu device%s; %zu column%s, %zu row%s, %zu node%s, %.3f s",
          partition->instance->name, instance->task_count, instance->task_count == 1 ? "" : "s",
          instance->device_count, instance->device_count == 1 ? "" : "s", statistics->column_count,
          statistics->column_count == 1 ? "" : "s", statistics->row_count,
          statistics->row_count == 1 ? "" : "s", statistics->node_count,
          statistics->node_count == 1 ? "" : "s", partition->solver_seconds);
}

/* The first quarter of the requests must be more than those that begin together. */
static void note_short_run(const cli_arguments *arguments, const dsm_dispatch_options *options) {
  if (options->window > 0 && options->request_count / 4 < options->window) {
    cli_note(arguments,
             "%zu request%s, %zu at a time, %s too few for a steady half: its throughput may be "
             "above the optimum (simulate at least %zu)",
             options->request_count, options->request_count == 1 ? "" : "s", options->window,
             options->request_count == 1 ? "is" : "are", 4 * options->window);
  }
}

/* Settings that were not given are so that batches are filled. */
static dsm_dispatch_options simulation_options(const cli_arguments *arguments,
                                               const dsm_instance *instance) {
  const cli_partition_arguments *const wanted = arguments->own;
  dsm_dispatch_options options = wanted->dispatch;
  if (!wanted->has_requests) {
    dsm_dispatch_options_scale(&options, instance);
  }
  options.rule = wanted->rule;
  options.does_record = wanted->trace != NULL;
  return options;
}

static cli_exit simulate(answer *made, const cli_arguments *arguments) {
  assert(made->partition != NULL); /* a front is not simulated */
  const dsm_dispatch_options options = simulation_options(arguments, made->partition->instance);
  cli_exit outcome =
      cli_exit_of(dsm_dispatch_run(&made->simulation, made->partition, &options, arguments->diags));
  if (outcome == CLI_EXIT_DONE) {
    note_short_run(arguments, &options);
  }
  if (outcome == CLI_EXIT_DONE && options.does_record) {
    outcome = write_trace(arguments, made->simulation);
  }
  return outcome;
}

static void add_value(cli_status_text *to, dsm_objective_kind objective, double value) {
  switch (objective) {
  case DSM_OBJECTIVE_LATENCY:
    cli_status_add(to, "%.4g ms", 1e3 * value);
    return;
  case DSM_OBJECTIVE_ENERGY:
    cli_status_add(to, "%.4g J", value);
    return;
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  cli_status_add(to, "%.4g requests/s", value);
}

/* What is_stopped and report are told by. */
typedef struct progress {
  cli_status_line line;
  dsm_objective_kind objective; /* of what is solved */
  size_t question;              /* of a front, from 0 */
  size_t question_count;        /* 0: of no front */
} progress;

static void show_progress(void *context, const dsm_partition_progress *at) {
  progress *const shown = context;
  const dsm_objective_kind objective = shown->objective;
  if (!cli_status_is_due(&shown->line)) {
    return;
  }
  cli_status_text text = {.length = 0};
  if (shown->question_count > 0) {
    cli_status_add(&text, "problem %zu of %zu: ", shown->question + 1, shown->question_count);
  }
  cli_status_add(&text, at->has_best ? "best " : "no answer yet");
  if (at->has_best) {
    add_value(&text, objective, at->best);
  }
  if (isfinite(at->bound)) {
    cli_status_add(&text, ", bound ");
    add_value(&text, objective, at->bound);
  }
  if (isfinite(at->gap)) {
    cli_status_add(&text, ", gap %.3f %%", 100 * at->gap);
  }
  cli_status_add(&text, ", ");
  cli_status_add_duration(&text, at->seconds);
  cli_status_show(&shown->line, &text);
}

static void begin_question(void *context, size_t question, size_t question_count,
                           dsm_objective_kind objective) {
  progress *const shown = context;
  shown->question = question;
  shown->question_count = question_count;
  shown->objective = objective;
}

/* Solves; CLI_EXIT_INTERRUPTED, also with the best so far, after a signal. */
static cli_exit search(answer *made, const dsm_instance *instance, const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = arguments->own;
  progress shown = {.objective = wanted->options.objective};
  cli_status_begin(&shown.line, arguments);
  dsm_front_options front = wanted->front;
  front.begin_question = begin_question;
  front.partition = wanted->options;
  front.partition.is_stopped = cli_should_stop;
  front.partition.report = show_progress;
  front.partition.context = &shown;
  cli_interrupt_begin();
  const dsm_status status =
      front.objectives == 0
          ? dsm_partition_solve(&made->partition, instance, &front.partition, arguments->diags)
          : dsm_front_find(&made->front, instance, &front, arguments->diags);
  const bool is_interrupted = cli_is_interrupted();
  cli_interrupt_end();
  cli_status_end(&shown.line);
  return is_interrupted ? CLI_EXIT_INTERRUPTED : cli_exit_of(status);
}

static cli_exit put_answer(const cli_arguments *arguments, const answer *made) {
  const dsm_answer shown = made->front != NULL        ? DSM_ANSWER(front, made->front)
                           : made->simulation != NULL ? DSM_ANSWER(dispatch, made->simulation)
                                                      : DSM_ANSWER(partition, made->partition);
  return cli_put_with_table(arguments, shown, DSM_FORM_JSON);
}

static cli_exit solve(const cli_arguments *arguments, const dsm_instance *instance) {
  dsm_diags *const diags = arguments->diags;
  const cli_partition_arguments *const wanted = arguments->own;
  answer made = {NULL, NULL, NULL};
  cli_exit outcome = CLI_EXIT_DONE;
  if (wanted->is_simulation) { /* what cannot be simulated is said before the solver works */
    const dsm_dispatch_options options = simulation_options(arguments, instance);
    outcome = cli_exit_of(dsm_dispatch_check(instance, &options, diags));
  }
  if (outcome == CLI_EXIT_DONE && wanted->write_profile != NULL) {
    outcome = write_profile(arguments, instance);
  }
  if (outcome == CLI_EXIT_DONE && wanted->mps != NULL) {
    outcome = write_mps(arguments, instance);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = search(&made, instance, arguments);
  }
  const bool has_answer = made.partition != NULL || made.front != NULL;
  const bool is_interrupted = outcome == CLI_EXIT_INTERRUPTED;
  outcome = is_interrupted && has_answer ? CLI_EXIT_DONE : outcome;
  if (outcome == CLI_EXIT_DONE && made.partition != NULL) {
    say_what_was_solved(arguments, made.partition);
  }
  if (outcome == CLI_EXIT_DONE && made.front != NULL) {
    cli_say(arguments, "%s: %zu problem%s, %.3f s", made.front->name, made.front->question_count,
            made.front->question_count == 1 ? "" : "s", made.front->seconds);
  }
  if (outcome == CLI_EXIT_DONE && wanted->is_simulation && !is_interrupted) {
    outcome = simulate(&made, arguments);
  }
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = put_answer(arguments, &made);
  }
  if (is_interrupted && has_answer) {
    cli_note(arguments, "interrupted: this is the %s so far",
             made.front == NULL ? "best answer" : "front");
    outcome = cli_exit_max(outcome, CLI_EXIT_INTERRUPTED);
  }
  dsm_dispatch_free(made.simulation);
  dsm_front_free(made.front);
  dsm_partition_free(made.partition);
  return outcome;
}

cli_exit cli_run_partition(const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = arguments->own;
  cli_exit outcome = check_options(arguments);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  dsm_instance *instance = NULL;
  outcome = wanted->profile == NULL ? make_instance(&instance, arguments)
                                    : load_profile(&instance, arguments);
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = solve(arguments, instance);
  }
  dsm_instance_free(instance);
  return outcome;
}
