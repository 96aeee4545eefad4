/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_storage.c: whether storage delivers a data set as fast as the chips take it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/comma_list.h"
#include "cli/parse/input_files.h"
#include "cli/parse/lookup.h"
#include "cli/parse/option_values.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "storage/command/storage_arguments.h"

/* ---- lists of numbers ---- */

/* Numbers of an option, malloc'ed. */
typedef struct numbers {
  double *items;
  size_t count;
} numbers;

static cli_exit read_numbers(const cli_arguments *arguments, const char *option, const char *text,
                             numbers *to) {
  static const double most = 1e15;
  *to = (numbers){0};
  if (text == NULL) {
    return CLI_EXIT_DONE;
  }
  cli_list list;
  const bool is_split = cli_list_split(&list, text);
  to->items = is_split ? calloc(list.count, sizeof *to->items) : NULL;
  if (to->items == NULL) {
    cli_list_fini(&list);
    return cli_out_of_memory();
  }
  cli_exit outcome = CLI_EXIT_DONE;
  for (size_t i = 0; outcome == CLI_EXIT_DONE && i < list.count; i++) {
    to->count++;
    if (!dsm_number_parse(list.items[i], -most, most, &to->items[i])) {
      outcome = cli_usage_error(arguments->command,
                                "--%s: expected numbers with commas between them, found '%.64s'",
                                option, list.items[i]);
    }
  }
  cli_list_fini(&list);
  return outcome;
}

/* ---- what is asked ---- */

/* What options point to. */
typedef struct asked {
  dsm_storage_options options;
  numbers repeats;
  numbers times;
  dsm_metric_trace *trace;
} asked;

static void asked_fini(asked *of) {
  free(of->repeats.items);
  free(of->times.items);
  dsm_metric_trace_free(of->trace);
}

static cli_exit settle_weights(const cli_arguments *arguments, asked *of) {
  const cli_storage_arguments *const given = arguments->own;
  numbers weights;
  cli_exit outcome = read_numbers(arguments, "weights", given->weights, &weights);
  if (outcome == CLI_EXIT_DONE && weights.count > 0) {
    if (weights.count == DSM_METRIC_COUNT) {
      memcpy(of->options.replay.weights, weights.items, sizeof of->options.replay.weights);
    } else {
      outcome = cli_usage_error(arguments->command,
                                "--weights: expected %d numbers, of loss, train_error and "
                                "validation_error, found %zu",
                                DSM_METRIC_COUNT, weights.count);
    }
  }
  free(weights.items);
  return outcome;
}

static dsm_status load_trace(const cli_arguments *arguments, asked *of) {
  const cli_storage_arguments *const given = arguments->own;
  char *path = NULL;
  char *text = NULL;
  size_t length = 0;
  dsm_status status = cli_find_input(&path, arguments, given->trace, 0, arguments->diags);
  if (status == DSM_OK) {
    status = dsm_file_read(&text, &length, path, arguments->diags);
  }
  if (status == DSM_OK) {
    status = dsm_metric_trace_parse(&of->trace, text, length, path, of->options.replay.weights,
                                    arguments->diags);
  }
  free(text);
  free(path);
  return status;
}

static cli_exit settle_replay(const cli_arguments *arguments, asked *of) {
  const cli_storage_arguments *const given = arguments->own;
  dsm_replay_options *const replay = &of->options.replay;
  if (!cli_is_given(arguments, "adaptive")) {
    return CLI_EXIT_DONE;
  }
  replay->rule = (dsm_repeat_rule)(given->rule + DSM_REPEAT_RULE_SCORE);
  replay->threshold = given->threshold > 0 ? given->threshold : replay->threshold;
  replay->window = given->window > 0 ? given->window : replay->window;
  const cli_exit outcome = settle_weights(arguments, of);
  if (outcome != CLI_EXIT_DONE) {
    return outcome;
  }
  const dsm_status status = load_trace(arguments, of);
  of->options.trace = of->trace;
  return cli_tell(arguments, status);
}

static cli_exit settle(const cli_arguments *arguments, asked *of) {
  const cli_storage_arguments *const given = arguments->own;
  *of = (asked){.options = given->options};
  of->options.mini_epochs = given->mini_epochs;
  of->options.max_mini_epochs = given->max_mini_epochs;
  cli_exit outcome = read_numbers(arguments, "repeat", given->repeats, &of->repeats);
  if (outcome == CLI_EXIT_DONE) {
    outcome = read_numbers(arguments, "times", given->times, &of->times);
  }
  if (outcome == CLI_EXIT_DONE && of->times.count > 0 && of->times.count != of->repeats.count) {
    outcome = cli_usage_error(arguments->command,
                              "--times: expected as many times as repeating factors, %zu, found "
                              "%zu",
                              of->repeats.count, of->times.count);
  }
  of->options.repeats = of->repeats.items;
  of->options.repeat_count = of->repeats.count;
  of->options.times = of->times.items;
  return outcome == CLI_EXIT_DONE ? settle_replay(arguments, of) : outcome;
}

/* ---- jobs ---- */

/* Where the numbers of a job come from. */
typedef struct source {
  const dsm_workload *workload;
  const dsm_system *system;
  const char *workload_file;
  const char *system_file;
  dsm_mode mode;
} source;

static dsm_status check_source(const cli_arguments *arguments, const source *from) {
  if (from->workload->dataset.samples == 0) {
    return cli_refuse(arguments->diags, DSM_ERROR_INVALID, from->workload_file,
                      "\"dsm init dataset\" writes a workload that has one",
                      "expected a \"dataset\" of workload %s, found none", from->workload->name);
  }
  if (!dsm_storage_is_stated(from->workload, from->system)) {
    return cli_refuse(arguments->diags, DSM_ERROR_INVALID, from->system_file,
                      "\"dsm help system\" shows what it holds",
                      "expected \"storage\" of system %s, found none", from->system->name);
  }
  return DSM_OK;
}

/* Samples a second of a plan. */
static double rate_of(const dsm_plan *plan) {
  return (double)plan->workload->minibatch / dsm_plan_computing_seconds(plan);
}

/* Samples a second as options say them; 0: they do not. */
static double given_rate(const cli_arguments *arguments, const source *from) {
  const cli_storage_arguments *const given = arguments->own;
  const double flop = dsm_sample_flop(from->workload, from->mode);
  return given->samples_per_second > 0            ? given->samples_per_second
         : given->flop_per_second > 0 && flop > 0 ? given->flop_per_second / flop
                                                  : 0;
}

/* Findings about options begin with their names. */
static cli_exit complain(const cli_arguments *arguments, dsm_status status) {
  if (status == DSM_ERROR_USAGE && dsm_diags_count(arguments->diags) > 0) {
    (void)cli_usage_error(arguments->command, "--%s", dsm_diags_get(arguments->diags, 0)->message);
    dsm_diags_clear(arguments->diags);
  }
  return cli_tell(arguments, status);
}

static cli_exit put_answer(const cli_arguments *arguments, const source *from, asked *of,
                           double samples_per_second) {
  static const double bytes_per_GB = 1e9;
  const cli_storage_arguments *const given = arguments->own;
  dsm_storage_job job = dsm_storage_job_of(from->workload, from->system, samples_per_second);
  dsm_storage_result *result = NULL;
  if (given->demand_GBps > 0) {
    job.demand_bytes_per_second = given->demand_GBps * bytes_per_GB;
  }
  of->options.sample_flop = dsm_sample_flop(from->workload, from->mode);
  of->options.flop_per_second = given->flop_per_second > 0
                                    ? given->flop_per_second
                                    : dsm_workload_peak_flops(from->workload, from->system);
  of->options.mode = from->mode;
  const dsm_status status = dsm_storage(&result, &job, &of->options, arguments->diags);
  cli_exit outcome = complain(arguments, status);
  if (status == DSM_OK) {
    char name[2 * DSM_NAME_BYTES_MAX + 8];
    (void)snprintf(name, sizeof name, "%s on %s", from->workload->name, from->system->name);
    result->name = name;
    outcome = cli_put_answer(arguments, DSM_ANSWER(storage, result));
  }
  dsm_storage_result_free(result);
  return outcome;
}

/* ---- what is answered for ---- */

static cli_exit explore_rate(const cli_arguments *arguments, const source *from, double *rate) {
  dsm_plan *plan = NULL;
  const dsm_status status =
      cli_explore(&plan, arguments, from->workload, from->system, &arguments->options);
  if (status == DSM_OK) {
    *rate = rate_of(plan);
  }
  dsm_plan_free(plan);
  return cli_tell(arguments, status);
}

/* `rate`: samples a second where no option says them; 0: those of the plan that is found. */
static cli_exit answer_source(const cli_arguments *arguments, const source *from, double rate) {
  asked of = {0};
  cli_exit outcome = cli_tell(arguments, check_source(arguments, from));
  if (outcome == CLI_EXIT_DONE) {
    outcome = settle(arguments, &of);
  }
  const double given = given_rate(arguments, from);
  rate = given > 0 ? given : rate;
  if (outcome == CLI_EXIT_DONE && !(rate > 0)) {
    outcome = explore_rate(arguments, from, &rate);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = put_answer(arguments, from, &of, rate);
  }
  asked_fini(&of);
  return outcome;
}

static cli_exit answer_plan(const cli_arguments *arguments, const cli_plan_operand *operand) {
  const dsm_plan *const plan = operand->plan;
  const source from = {.workload = plan->workload,
                       .system = plan->system,
                       .workload_file = operand->file,
                       .system_file = operand->file,
                       .mode = plan->options.mode};
  return answer_source(arguments, &from, rate_of(plan));
}

static cli_exit answer_pair(const cli_arguments *arguments, const cli_input_file *workload,
                            const cli_input_file *system) {
  const source from = {.workload = workload->workload,
                       .system = system->system,
                       .workload_file = workload->path,
                       .system_file = system->path,
                       .mode = arguments->options.mode};
  return answer_source(arguments, &from, 0);
}

cli_exit cli_run_storage(const cli_arguments *arguments) {
  return arguments->operand_count == 1 ? cli_use_plan(arguments, answer_plan)
                                       : cli_use_pair(arguments, DSM_DESCRIPTION_WORKLOAD,
                                                      DSM_DESCRIPTION_SYSTEM, answer_pair);
}
