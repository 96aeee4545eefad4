/* SPDX-License-Identifier: GPL-3.0-or-later */
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

/* ---- options that need or exclude each other ---- */

static cli_exit check_operands(const cli_arguments *arguments) {
  const size_t count = arguments->operand_count;
  const cli_override_list *const sets = arguments->overrides.of;
  if (arguments->partition.profile == NULL) {
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
  return cli_is_given(arguments, "batch")
             ? cli_usage_error(arguments->command,
                               "--batch and --profile exclude each other: the profile says all")
             : CLI_EXIT_DONE;
}

static cli_exit check_options(const cli_arguments *arguments) {
  const cli_partition_arguments *const wanted = &arguments->partition;
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
  if (wanted->trace != NULL && !wanted->is_simulation) {
    return cli_usage_error(arguments->command, "--trace needs --simulate");
  }
  if (cli_is_given(arguments, "dispatch") && !wanted->is_simulation) {
    return cli_usage_error(arguments->command, "--dispatch needs --simulate");
  }
  return check_operands(arguments);
}

/* ---- what is partitioned ---- */

/* Rates with and without --tasks differ for two reasons; the second is easily overlooked. */
static void note_joined(const cli_arguments *arguments, const dsm_workload *workload,
                        const dsm_server *server, const dsm_instance *instance) {
  size_t device = 0;
  while (device < server->device_count &&
         !(dsm_device_task_seconds(&server->devices[device]) > 0)) {
    device++;
  }
  if (instance->task_count < workload->layer_count && device < server->device_count) {
    cli_note(arguments,
             "%zu layers are joined into %zu task%s, and each task pays the fixed cost of a task "
             "once (%.9g microseconds on \"%s\"): compare with answers of as many tasks",
             workload->layer_count, instance->task_count, instance->task_count == 1 ? "" : "s",
             1e6 * dsm_device_task_seconds(&server->devices[device]), server->devices[device].name);
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
    const dsm_instance_options options = cli_instance_options(arguments);
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
  cli_input_file loaded =
      cli_load(arguments, arguments->partition.profile, DSM_DESCRIPTION_PROFILE, arguments->diags);
  const cli_exit outcome = cli_exit_of(loaded.status);
  *instance = loaded.profile;
  loaded.profile = NULL;
  cli_input_file_fini(&loaded);
  return outcome;
}

/* ---- what comes out ---- */

static cli_exit write_mps(const cli_arguments *arguments, const dsm_instance *instance) {
  char *text = NULL;
  cli_exit outcome = cli_exit_of(
      dsm_partition_mps(&text, instance, &arguments->partition.options, arguments->diags));
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_file(arguments, "write-mps", arguments->partition.mps, text, strlen(text));
  }
  free(text);
  return outcome;
}

static cli_exit write_profile(const cli_arguments *arguments, const dsm_instance *instance) {
  char *text = NULL;
  cli_exit outcome = cli_exit_of(dsm_profile_text(&text, instance, NULL, arguments->diags));
  if (outcome == CLI_EXIT_DONE) {
    const char *const path = arguments->partition.write_profile;
    outcome = cli_put_file(arguments, "write-profile", path, text, strlen(text));
  }
  free(text);
  return outcome;
}

static cli_exit write_trace(const cli_arguments *arguments, const dsm_dispatch *simulation) {
  char *const text = dsm_report_dispatch_trace(simulation);
  if (text == NULL) {
    return cli_outside_error("cannot make the trace of %zu events: out of memory, or larger than "
                             "1 GiB; simulate fewer requests",
                             simulation->event_count);
  }
  const cli_exit outcome =
      cli_put_file(arguments, "trace", arguments->partition.trace, text, strlen(text));
  free(text);
  return outcome;
}

typedef struct answer {
  dsm_partition *partition;
  dsm_dispatch *simulation; /* NULL: none is asked for */
} answer;

CLI_PRINTER(print_answer, answer, dsm_report_partition, of->partition, of->simulation)

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
  dsm_dispatch_options options = arguments->partition.dispatch;
  if (!arguments->partition.has_requests) {
    dsm_dispatch_options_scale(&options, instance);
  }
  options.rule = arguments->partition.rule;
  options.does_record = arguments->partition.trace != NULL;
  return options;
}

static cli_exit simulate(answer *made, const cli_arguments *arguments) {
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
static void show_progress(void *context, const dsm_partition_progress *at) {
  cli_status_line *const line = context;
  const dsm_objective_kind objective = line->arguments->partition.options.objective;
  if (!cli_status_is_due(line)) {
    return;
  }
  cli_status_text text = {.length = 0};
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
  cli_status_show(line, &text);
}

/* Solves; CLI_EXIT_INTERRUPTED, also with the best so far, after a signal. */
static cli_exit search(dsm_partition **partition, const dsm_instance *instance,
                       const cli_arguments *arguments) {
  cli_status_line line;
  cli_status_begin(&line, arguments);
  dsm_partition_options options = arguments->partition.options;
  options.is_stopped = cli_should_stop;
  options.report = show_progress;
  options.context = &line;
  cli_interrupt_begin();
  const dsm_status status = dsm_partition_solve(partition, instance, &options, arguments->diags);
  const bool is_interrupted = cli_is_interrupted();
  cli_interrupt_end();
  cli_status_end(&line);
  return is_interrupted ? CLI_EXIT_INTERRUPTED : cli_exit_of(status);
}

static cli_exit solve(const cli_arguments *arguments, const dsm_instance *instance) {
  dsm_diags *const diags = arguments->diags;
  const cli_partition_arguments *const wanted = &arguments->partition;
  answer made = {NULL, NULL};
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
    outcome = search(&made.partition, instance, arguments);
  }
  const bool is_interrupted = outcome == CLI_EXIT_INTERRUPTED;
  outcome = is_interrupted && made.partition != NULL ? CLI_EXIT_DONE : outcome;
  if (outcome == CLI_EXIT_DONE) {
    say_what_was_solved(arguments, made.partition);
  }
  if (outcome == CLI_EXIT_DONE && wanted->is_simulation && !is_interrupted) {
    outcome = simulate(&made, arguments);
  }
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = cli_put_with_table(arguments, print_answer, &made, CLI_FORMAT_JSON);
  }
  if (is_interrupted && made.partition != NULL) {
    cli_note(arguments, "interrupted: this is the best answer so far");
    outcome = cli_exit_max(outcome, CLI_EXIT_INTERRUPTED);
  }
  dsm_dispatch_free(made.simulation);
  dsm_partition_free(made.partition);
  return outcome;
}

cli_exit cli_run_partition(const cli_arguments *arguments) {
  cli_exit outcome = check_options(arguments);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  dsm_instance *instance = NULL;
  outcome = arguments->partition.profile == NULL ? make_instance(&instance, arguments)
                                                 : load_profile(&instance, arguments);
  cli_print_findings(arguments);
  if (outcome == CLI_EXIT_DONE) {
    outcome = solve(arguments, instance);
  }
  dsm_instance_free(instance);
  return outcome;
}
