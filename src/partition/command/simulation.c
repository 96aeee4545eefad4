/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulation.c: the settings of --simulate, requests=N,window=K|rate=R[,seed=S]. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/run/complain.h"
#include "partition/command/partition_arguments.h"

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
    return dsm_number_parse(value, CLI_NUMBER_MIN, CLI_RATE_MAX, &options->rate)
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
  cli_partition_arguments *const own = arguments->own;
  const char *const expected = read_setting(&own->dispatch, key, value);
  return expected == NULL ? CLI_EXIT_DONE
                          : cli_usage_error(arguments->command, "--%s: %s: expected %s, found '%s'",
                                            option->name, keys[key], expected, value);
}

cli_exit cli_apply_simulate(cli_arguments *arguments, const cli_option *option, char *value) {
  cli_partition_arguments *const own = arguments->own;
  bool is_set[KEY_COUNT] = {false};
  own->is_simulation = true;
  dsm_dispatch_options_init(&own->dispatch);
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
  own->has_requests = is_set[KEY_REQUESTS] || is_set[KEY_WINDOW];
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
