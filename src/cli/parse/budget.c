/* SPDX-License-Identifier: GPL-3.0-or-later */
/* budget.c: a size of memory, such as 6.5GB or 33%. */
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/run/complain.h"

/* What may follow the number; the longest come first. */
static const struct {
  const char *name;
  double bytes; /* 0: a part of what keeping everything needs */
} units[] = {{"KiB", 1024},
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

static const double bytes_max = 1e15;

cli_exit cli_apply_budget(cli_arguments *arguments, const cli_option *option, char *value) {
  cli_remat_arguments *const remat = &arguments->remat;
  size_t unit = 0;
  while (!cli_ends_in(value, units[unit].name)) {
    unit++;
  }
  char number[64];
  const size_t length = strlen(value) - strlen(units[unit].name);
  double amount = 0;
  bool is_good = length < sizeof number;
  if (is_good) {
    memcpy(number, value, length);
    number[length] = '\0';
    is_good = dsm_number_parse(number, 0, bytes_max, &amount) && amount > 0 &&
              amount * units[unit].bytes <= bytes_max;
  }
  if (!is_good) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a size above 0, such as 6.5GB, 512MiB, 1000000 or 33%%, "
                           "found '%s'",
                           option->name, value);
  }
  const bool is_part = units[unit].bytes == 0;
  remat->budget_ratio = is_part ? amount / 100 : 0;
  remat->options.budget_bytes = is_part ? 0 : amount * units[unit].bytes;
  return CLI_EXIT_DONE;
}
