/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counts.c: a list of whole numbers, such as 125,250,500. */
#include <stdlib.h>
#include <string.h>

#include "cli/parse/option_values.h"
#include "cli/run/complain.h"
#include "dsm/limits.h"

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

static size_t count_items(const char *value) {
  size_t count = 1;
  for (const char *at = strchr(value, ','); at != NULL; at = strchr(at + 1, ',')) {
    count++;
  }
  return count;
}

/* Reads the item that begins there, and ends before a comma or at the end. */
static bool read_item(const char *at, size_t most, uint64_t *number) {
  char digits[16];
  const size_t length = strcspn(at, ",");
  size_t read = 0;
  if (length >= sizeof digits) {
    return false;
  }
  memcpy(digits, at, length);
  digits[length] = '\0';
  const bool is_good = cli_parse_size(digits, 1, most, &read);
  *number = read;
  return is_good;
}

cli_exit cli_apply_counts(cli_arguments *arguments, const cli_option *option, char *value) {
  cli_pim_arguments *const pim = &arguments->pim;
  const bool is_cores = is_of_cores(option);
  uint64_t **const list = is_cores ? &pim->cores : &pim->tasklets;
  const size_t count = count_items(value);
  if (count > COUNTS_MAX) {
    return complain(arguments, option, value);
  }
  free(*list);
  *list = calloc(count, sizeof **list);
  if (*list == NULL) {
    return cli_out_of_memory();
  }
  const char *at = value;
  for (size_t i = 0; i < count; i++, at += strcspn(at, ",") + 1) {
    if (!read_item(at, most_of(option), &(*list)[i])) {
      return complain(arguments, option, value);
    }
  }
  *(is_cores ? &pim->core_count : &pim->tasklet_count) = count;
  return CLI_EXIT_DONE;
}
