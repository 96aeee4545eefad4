/* SPDX-License-Identifier: GPL-3.0-or-later */
/* amounts.c: numbers with a unit, such as a time, 20ms. */
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/run/complain.h"

static const cli_unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"", 1}};

static const double seconds_max = 1e9;

const cli_unit *cli_read_amount(const char *text, const cli_unit *units, double most,
                                double *amount) {
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

cli_exit cli_apply_latency_limit(cli_arguments *arguments, const cli_option *option, char *value) {
  double amount = 0;
  const cli_unit *const of = cli_read_amount(value, times, seconds_max, &amount);
  if (of == NULL) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a time above 0 and up to %g s, such as 20ms, 0.02s or "
                           "0.02, found '%s'",
                           option->name, seconds_max, value);
  }
  arguments->partition.options.latency_limit_seconds = amount * of->worth;
  return CLI_EXIT_DONE;
}
