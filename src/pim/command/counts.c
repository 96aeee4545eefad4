/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counts.c: a list of whole numbers, such as 125,250,500. */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/comma_list.h"
#include "cli/parse/option_values.h"
#include "cli/run/complain.h"
#include "dsm/limits.h"
#include "pim/command/pim_arguments.h"

enum { COUNTS_MAX = 10000 };

static bool is_of_cores(const cli_option *option) {
  return strcmp(option->name, "cores") == 0;
}

static size_t most_of(const cli_option *option) {
  return is_of_cores(option) ? DSM_CORES_MAX : DSM_PIM_TASKLETS_MAX;
}

static cli_exit complain(const cli_arguments *arguments, const cli_option *option,
                         const char *value) {
  return cli_usage_error(arguments->command,
                         "--%s: expected whole numbers from 1 to %zu, separated by commas, found "
                         "'%s'",
                         option->name, most_of(option), value);
}

cli_exit cli_apply_counts(cli_arguments *arguments, const cli_option *option, char *value) {
  cli_pim_arguments *const pim = arguments->own;
  const bool is_cores = is_of_cores(option);
  uint64_t **const numbers = is_cores ? &pim->cores : &pim->tasklets;
  size_t *const count = is_cores ? &pim->core_count : &pim->tasklet_count;
  cli_list list;
  const bool is_split = cli_list_split(&list, value);
  free(*numbers);
  *numbers = is_split ? calloc(list.count, sizeof **numbers) : NULL;
  if (*numbers == NULL) {
    cli_list_fini(&list);
    return cli_out_of_memory();
  }
  cli_exit outcome = CLI_EXIT_DONE;
  for (*count = 0; outcome == CLI_EXIT_DONE && *count < list.count; (*count)++) {
    size_t number = 0;
    if (list.count > COUNTS_MAX ||
        !cli_parse_size(list.items[*count], 1, most_of(option), &number)) {
      outcome = complain(arguments, option, value);
    }
    (*numbers)[*count] = number;
  }
  cli_list_fini(&list);
  return outcome;
}
