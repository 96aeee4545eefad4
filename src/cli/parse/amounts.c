/* SPDX-License-Identifier: GPL-3.0-or-later */
/* amounts.c: numbers with a unit: a size of memory, such as 6.5GB or 33%, and a time, such as 20ms.
 */
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/run/complain.h"

/* What may follow a number; those that end in another stand before it. */
typedef struct unit {
  const char *name; /* "": the last */
  double worth;     /* 0: a part of what keeping everything needs */
} unit;

static const unit sizes[] = {{"KiB", 1024},
                             {"MiB", 1048576},
                             {"GiB", 1073741824},
                             {"TiB", 1099511627776},
                             {"kB", 1e3},
                             {"MB", 1e6},
                             {"GB", 1e9},
                             {"TB", 1e12},
                             {"%", 0},
                             {"B", 1},
                             {"", 1}};
static const unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"", 1}};

static const double bytes_max = 1e15;
static const double seconds_max = 1e9;

/* Its unit; NULL if it is no amount above 0, and of the unit's worth no more than `most`. */
static const unit *read_amount(const char *text, const unit *units, double most, double *amount) {
  while (!cli_ends_in(text, units->name)) {
    units++;
  }
  char number[64];
  const size_t length = strlen(text) - strlen(units->name);
  if (length >= sizeof number) {
    return NULL;
  }
  memcpy(number, text, length);
  number[length] = '\0';
  /* most of it in its own unit; of a part of something as many as of a unit of 1 */
  const double worth = units->worth > 0 ? units->worth : 1;
  const bool is_good = dsm_number_parse(number, 0, most / worth, amount) && *amount > 0;
  return is_good ? units : NULL;
}

cli_exit cli_apply_budget(cli_arguments *arguments, const cli_option *option, char *value) {
  cli_remat_arguments *const remat = &arguments->remat;
  double amount = 0;
  const unit *const of = read_amount(value, sizes, bytes_max, &amount);
  if (of == NULL) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a size above 0, such as 6.5GB, 512MiB, 1000000 or 33%%, "
                           "found '%s'",
                           option->name, value);
  }
  remat->budget_ratio = of->worth == 0 ? amount / 100 : 0;
  remat->options.budget_bytes = amount * of->worth;
  return CLI_EXIT_DONE;
}

cli_exit cli_apply_latency_limit(cli_arguments *arguments, const cli_option *option, char *value) {
  double amount = 0;
  const unit *const of = read_amount(value, times, seconds_max, &amount);
  if (of == NULL) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a time above 0 and up to %g s, such as 20ms, 0.02s or "
                           "0.02, found '%s'",
                           option->name, seconds_max, value);
  }
  arguments->partition.options.latency_limit_seconds = amount * of->worth;
  return CLI_EXIT_DONE;
}
