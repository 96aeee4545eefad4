/* SPDX-License-Identifier: GPL-3.0-or-later */
/* option_rules.c: options that need or exclude each other. */
#include "cli/rows/option_row.h"

const cli_rule cli_core_rules[] = {
    {CLI_EXPLORE, {"ladder"}, {"explain"}, EXCLUDES},
    {CLI_EXPLORE, {"fit"}, {"ladder", "elasticity", "sensitivity"}, EXCLUDES},
    {CLI_EXPLORE | CLI_SCORE, {"elasticity", "sensitivity"}, {"ladder", "explain"}, EXCLUDES},
    {CLI_EXPLORE, {"ladder-base"}, {"ladder"}, NEEDS},
    {CLI_DESCRIBE,
     {"mode", "minibatch", "optimize", "parallelism", "threads"},
     {"elasticity", "sensitivity"},
     NEEDS},
    {CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     {"top", "summary"},
     {"explain", "ladder", "elasticity", "sensitivity", "budget", "formats"},
     .text = "is of the table of layers, which",
     .end = " does not show"},
    {CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE, {"top"}, {"summary"}, EXCLUDES},
    {CLI_DESCRIBE,
     {"elasticity", "sensitivity", "budget", "set", "format", "unfold", "phase"},
     {"formats"},
     .text = "needs a FILE, and",
     .end = " none"},
    {CLI_DESCRIBE, {"budget"}, {"elasticity", "sensitivity", "unfold", "phase"}, EXCLUDES},
    {CLI_DESCRIBE, {"positions", "context"}, {"phase"}, NEEDS},
    {CLI_CHECK, {"against"}, {"workload", "system", "set"}, EXCLUDES},
    /* Options of the search for a plan, which a plan or a chain as the only operand has behind it.
     */
    {CLI_SEARCHES,
     {"mode", "minibatch", "optimize", "parallelism", "threads", "dimension"},
     NEEDS,
     .value = "a WORKLOAD and a SYSTEM"},
    {CLI_SWEEP, {"by"}, {"best"}, NEEDS},
    {CLI_SWEEP, {"best"}, {"pareto"}, EXCLUDES},
};
const size_t cli_core_rule_count = sizeof cli_core_rules / sizeof *cli_core_rules;
