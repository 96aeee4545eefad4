/* SPDX-License-Identifier: GPL-3.0-or-later */
/* design_rows.c: the command, its options and what they need. */
#include "design/command/design_arguments.h"

#define CLI_ROW_ARGUMENTS cli_design_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "dsm/limits.h"

#define SECONDS_MAX 31536000 /* a year */
#define MEMORY_MAX 1e9

static const double usual_gap = 0.01;

static void init(void *arguments) {
  ((cli_design_arguments *)arguments)->gap = usual_gap;
}

static const cli_option options[] = {
    SET(0, "change a value of an input for all designs, such as system.chip.memory.capacity_GB=16; "
           "may be given several times"),
    {.name = "vary",
     .argument = "PATH=VALUES",
     .help = "a parameter of the system, such as core.scratchpad_MiB=0.5..8/16 (16 values from 0.5 "
             "to 8, each as many times the one before), with the ranges of 'dsm sweep' or values "
             "with commas between them; the system's own value is tried too. May be given several "
             "times",
     TEXTS(varies, CLI_TAKES_AXIS)},
    {.name = "define",
     .argument = "NAME=EXPRESSION",
     .help = "a column made of parameters and columns, such as 'price=2*core.scratchpad_MiB + "
             "chip.memory.bandwidth_GBps/100'; may be given several times",
     TEXTS(defines, CLI_TAKES_TEXT)},
    {.name = "budget",
     .argument = "COLUMN<=NUMBER",
     .help = "a limit of a column or an expression, such as 'price<=5.4'; may be given several "
             "times",
     TEXTS(budgets, CLI_TAKES_TEXT)},
    {.name = "minimize",
     .argument = "COLUMN",
     .help = "what is to be least, a column or an expression (default: step_seconds)",
     NAME(CLI_READ_NAME, minimize, CLI_TAKES_TEXT)},
    {.name = "pareto",
     .argument = "COLUMN",
     .help = "also show what less and less of this column costs, such as chip_mm2 or "
             "system_dollars: the best design for each of up to 16 limits, with what no other is "
             "below (default: none)",
     NAME(CLI_READ_NAME, pareto, CLI_TAKES_TEXT)},
    {.name = "gap",
     .argument = "RATIO",
     .help = "the search ends when it has proven that no design is better by more than this "
             "(default: 1%)",
     RATIO(gap, CLI_READ_RATIO_BELOW)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "after it, the best design so far is shown, with its gap (default: none)",
     NUMBER(time_limit_seconds, 0, SECONDS_MAX)},
    {.name = "memory-limit",
     .argument = "GB",
     .help = "likewise, of the memory of the search (default: none)",
     NUMBER(memory_limit_GB, 0, MEMORY_MAX)},
    {.name = "explorations",
     .argument = "N",
     .help = "likewise, of the number of explorations: the same answer on any machine (default: "
             "none)",
     COUNT(exploration_limit, (double)DSM_PRODUCT_MAX)},
    {.name = "database",
     .argument = "FILE",
     .help = "keep what was explored in this database of a sweep; a search that was ended goes on "
             "from there (default: nothing is kept)",
     NAME(CLI_READ_FILE, database, CLI_TAKES_DATABASE)},
    {.name = "plans",
     .argument = "FOLDER",
     .help = "also write the plan of each network on the best design",
     NAME(CLI_READ_FOLDER, plans, CLI_TAKES_FOLDER)},
};

const cli_companion cli_companion_design = {
    .command =
        {.name = "design",
         .shares = CLI_SHOWS | CLI_WRITES | CLI_HAS_MODE | CLI_SEARCHES | CLI_THREADED,
         .operands = "SUITE SYSTEM",
         .takes = {CLI_TAKES_WORKLOAD, CLI_TAKES_SYSTEM},
         .operand_min = 2,
         .operand_max = 2,
         .set_roots = CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM,
         .summary = "find the best system for a budget, with a proof",
         .description =
             "Finds, of all systems that --vary spans, the one on which SUITE takes least time (or "
             "has least of another column) and that keeps each --budget. SUITE is a workload, or "
             "several with commas between them and perhaps weights: resnet50,bert_base@0.5; then "
             "the weighted geometric mean counts. Rates and capacities never make a step slower, "
             "so that one exploration bounds all designs that have less of them: the search "
             "proves that no design is better by more than --gap. Shows the design, what limits "
             "it, what more of each budget buys, and the next best ones.",
         .examples = {"dsm design vgg16 torus64 --vary core.scratchpad_MiB=0.25..4/8 --vary "
                      "chip.memory.bandwidth_GBps=64..1024/8 --budget "
                      "'core.scratchpad_MiB + chip.memory.bandwidth_GBps/256<=2'",
                      "dsm design vgg16,resnet50@0.5 torus64 --vary "
                      "system.link_bandwidth_x_GBps=30,60,120,240 --vary "
                      "system.link_bandwidth_y_GBps=20,40,80,160 --budget "
                      "'system.link_bandwidth_x_GBps + 2*system.link_bandwidth_y_GBps<=200'"},
         .run = cli_run_design},
    .after = "sweep",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_size = sizeof(cli_design_arguments),
    .init = init,
};
