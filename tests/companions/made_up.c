/* SPDX-License-Identifier: GPL-3.0-or-later */
/* made_up.c: a companion as a folder would have it: a command that answers with how long a list of
 * numbers is. It asks to stand beside a command and an option that there are not. */
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "report/companion.h"
#include "report/data/records.h"

const dsm__companion dsm__companion_made_up = {.kinds = {NULL}};

static cli_exit run(const cli_arguments *arguments) {
  (void)arguments;
  return CLI_EXIT_DONE;
}

static const cli_option options[] = {
    {.name = "all-of-it", .help = "counts all", CORE_FLAG(wants_all_rows)},
};

const cli_companion cli_companion_made_up = {
    .command = {.name = "made-up",
                .shares = CLI_WRITES_ALONE,
                .operands = "",
                .summary = "count what is made up",
                .description = "Counts.",
                .run = run},
    .after = "nothing",
    .before = "nothing",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};
