/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/parse/partition_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/parse/number.h"
#include "cli/parse/option_values.h"
#include "cli/run/complain.h"
#include "dsm/limits.h"

/* Longest time limit, a year; most requests a second that can be asked for. */
static const double seconds_max = 31536000;
static const double rate_max = 1e12;
/* Smallest of both. */
static const double number_min = 1e-9;

void cli_partition_arguments_init(cli_partition_arguments *arguments) {
  *arguments = (cli_partition_arguments){0};
  dsm_partition_options_init(&arguments->options);
  dsm_instance_options_init(&arguments->instance);
  dsm_dispatch_options_init(&arguments->dispatch);
}

const char *cli_objective_word(size_t index) {
  return index < DSM_OBJECTIVE_KIND_COUNT ? dsm_objective_kind_name((dsm_objective_kind)index)
                                          : NULL;
}

/* ---- numbers and files ---- */

static cli_exit read_number(const cli_arguments *arguments, const cli_option *option,
                            const char *value, double min, double max, double *number) {
  return dsm_number_parse(value, min, max, number)
             ? CLI_EXIT_DONE
             : cli_usage_error(arguments->command,
                               "--%s: expected a number from %.9g to %.9g, found '%s'",
                               option->name, min, max, value);
}

static cli_exit read_count(const cli_arguments *arguments, const cli_option *option,
                           const char *value, size_t max, size_t *count) {
  return cli_parse_size(value, 1, max, count)
             ? CLI_EXIT_DONE
             : cli_usage_error(arguments->command,
                               "--%s: expected a whole number from 1 to %zu, found '%s'",
                               option->name, max, value);
}

static cli_exit read_file(const cli_arguments *arguments, const cli_option *option,
                          const char *value, const char **file) {
  if (value[0] == '\0' || strcmp(value, "-") == 0) {
    return cli_usage_error(arguments->command, "--%s: expected the name of a file, found '%s'",
                           option->name, value);
  }
  *file = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_profile(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  arguments->partition.profile = value;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_objective(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t index;
  if (!cli_find_word(arguments, option, value, &index)) {
    return CLI_EXIT_USAGE;
  }
  arguments->partition.options.objective = (dsm_objective_kind)index;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_require(cli_arguments *arguments, const cli_option *option, char *value) {
  return read_number(arguments, option, value, number_min, rate_max,
                     &arguments->partition.options.required_rho);
}

cli_exit cli_apply_batch(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t batch = 0;
  const cli_exit outcome = read_count(arguments, option, value, DSM_DIMENSION_MAX, &batch);
  if (outcome == CLI_EXIT_DONE) {
    arguments->partition.instance.batch = batch;
  }
  return outcome;
}

cli_exit cli_apply_tasks(cli_arguments *arguments, const cli_option *option, char *value) {
  return read_count(arguments, option, value, DSM_TASKS_MAX,
                    &arguments->partition.instance.task_count);
}

cli_exit cli_apply_time_limit(cli_arguments *arguments, const cli_option *option, char *value) {
  const bool is_partition = arguments->command->bit == CLI_PARTITION;
  return read_number(arguments, option, value, is_partition ? number_min : 0, seconds_max,
                     is_partition ? &arguments->partition.options.time_limit_seconds
                                  : &arguments->options.time_limit_seconds);
}

cli_exit cli_apply_gap(cli_arguments *arguments, const cli_option *option, char *value) {
  double gap = 1;
  if (dsm_tolerance_parse(value, &gap) && gap < 1) {
    *(arguments->command->bit == CLI_PARTITION ? &arguments->partition.options.gap
                                               : &arguments->options.gap) = gap;
    return CLI_EXIT_DONE;
  }
  return cli_usage_error(arguments->command,
                         "--%s: expected a ratio from 0 to below 1 or a percentage from 0%% to "
                         "below 100%%, found '%s'",
                         option->name, value);
}

cli_exit cli_apply_count_activations(cli_arguments *arguments, const cli_option *option,
                                     char *value) {
  (void)option;
  (void)value;
  arguments->partition.options.does_count_activations = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_keep_results(cli_arguments *arguments, const cli_option *option, char *value) {
  (void)option;
  (void)value;
  arguments->partition.options.does_keep_results = true;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_write_mps(cli_arguments *arguments, const cli_option *option, char *value) {
  return read_file(arguments, option, value, &arguments->partition.mps);
}

cli_exit cli_apply_trace(cli_arguments *arguments, const cli_option *option, char *value) {
  return read_file(arguments, option, value, &arguments->partition.trace);
}

/* ---- requests=N,window=K|rate=R[,seed=S] ---- */

enum { KEY_REQUESTS = 0, KEY_WINDOW, KEY_RATE, KEY_SEED, KEY_COUNT };

static const char *const keys[KEY_COUNT] = {
    [KEY_REQUESTS] = "requests", [KEY_WINDOW] = "window", [KEY_RATE] = "rate", [KEY_SEED] = "seed"};

/* Reads the value of a key; NULL if it is one, else what was expected. */
static const char *read_setting(dsm_dispatch_options *options, size_t key, const char *value) {
  size_t count = 0;
  switch (key) {
  case KEY_REQUESTS:
    return cli_parse_size(value, 1, DSM_REQUESTS_MAX, &options->request_count)
               ? NULL
               : "a whole number from 1 to 10000000";
  case KEY_WINDOW:
    options->rate = 0;
    return cli_parse_size(value, 1, DSM_REQUESTS_MAX, &options->window)
               ? NULL
               : "a whole number from 1 to 10000000";
  case KEY_RATE:
    options->window = 0;
    return dsm_number_parse(value, number_min, rate_max, &options->rate)
               ? NULL
               : "a number from 1e-09 to 1e+12";
  default:
    break;
  }
  if (!cli_parse_size(value, 0, SIZE_MAX, &count)) {
    return "a whole number";
  }
  options->seed = count;
  return NULL;
}

static size_t find_key(const char *text, size_t length) {
  size_t key = 0;
  while (key < KEY_COUNT && (strlen(keys[key]) != length || memcmp(keys[key], text, length) != 0)) {
    key++;
  }
  return key;
}

/* Takes over one KEY=VALUE. */
static cli_exit apply_setting(cli_arguments *arguments, const cli_option *option, const char *text,
                              size_t length, bool is_set[KEY_COUNT]) {
  char setting[128];
  (void)snprintf(setting, sizeof setting, "%.*s",
                 (int)(length < sizeof setting ? length : sizeof setting - 1), text);
  const size_t name_length = strcspn(setting, "=");
  const size_t key = find_key(setting, name_length);
  if (key == KEY_COUNT) {
    char name[sizeof setting];
    (void)snprintf(name, sizeof name, "%.*s", (int)name_length, setting);
    return cli_usage_error(arguments->command,
                           "--%s: expected requests=N, window=K, rate=R or seed=S, found '%s'%s",
                           option->name, setting, cli_did_you_mean(name, keys, KEY_COUNT).text);
  }
  if (is_set[key]) {
    return cli_usage_error(arguments->command, "--%s: %s is given twice", option->name, keys[key]);
  }
  is_set[key] = true;
  const char *const value = setting[name_length] == '\0' ? "" : setting + name_length + 1;
  const char *const expected = read_setting(&arguments->partition.dispatch, key, value);
  return expected == NULL ? CLI_EXIT_DONE
                          : cli_usage_error(arguments->command, "--%s: %s: expected %s, found '%s'",
                                            option->name, keys[key], expected, value);
}

cli_exit cli_apply_simulate(cli_arguments *arguments, const cli_option *option, char *value) {
  bool is_set[KEY_COUNT] = {false};
  arguments->partition.is_simulation = true;
  dsm_dispatch_options_init(&arguments->partition.dispatch);
  for (const char *at = value;; at++) {
    const size_t length = strcspn(at, ",");
    const cli_exit outcome = apply_setting(arguments, option, at, length, is_set);
    if (outcome != CLI_EXIT_DONE) {
      return outcome;
    }
    at += length;
    if (*at == '\0') {
      break;
    }
  }
  if (is_set[KEY_WINDOW] && is_set[KEY_RATE]) {
    return cli_usage_error(arguments->command,
                           "--%s: window (requests at a time) and rate (arrivals per second) "
                           "exclude each other",
                           option->name);
  }
  if (is_set[KEY_SEED] && !is_set[KEY_RATE]) {
    return cli_usage_error(arguments->command,
                           "--%s: seed needs rate: a window has no chance in it", option->name);
  }
  return CLI_EXIT_DONE;
}
