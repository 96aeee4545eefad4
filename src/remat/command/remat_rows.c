/* SPDX-License-Identifier: GPL-3.0-or-later */
/* remat_rows.c: the command, its options and what they need. */
#include "remat/command/remat_arguments.h"

#define CLI_ROW_ARGUMENTS cli_remat_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"

/* A part is of what keeping everything needs. */
static const cli_unit sizes[] = {{"KiB", 1024},
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

static cli_exit apply_budget(cli_arguments *arguments, const cli_option *option, char *value) {
  cli_remat_arguments *const remat = arguments->own;
  double amount = 0;
  const cli_unit *const of = cli_read_amount(value, sizes, bytes_max, &amount);
  if (of == NULL) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a size above 0, such as 6.5GB, 512MiB, 1000000 or "
                           "33%%, found '%s'",
                           option->name, value);
  }
  remat->budget_ratio = of->worth == 0 ? amount / 100 : 0;
  remat->options.budget_bytes = amount * of->worth;
  return CLI_EXIT_DONE;
}

static void init(void *arguments) {
  dsm_remat_options_init(&((cli_remat_arguments *)arguments)->options);
}

static const cli_option options[] = {
    SET(0, "change a value of an input, such as stages.input_bytes=0 or "
           "system.chip.memory.capacity_GB=8; may be given several times"),
    {.name = "budget",
     .argument = "SIZE",
     .help =
         "memory, of each device if there are several, for all but the chain's input, parameters, "
         "gradients and optimizer state: 6.5GB, 512MiB, a number of bytes, or 33% of what a step "
         "needs that keeps everything (default: what STAGES says, or what SYSTEM has left)",
     .takes = CLI_TAKES_TEXT,
     OWN(apply_budget)},
    {.name = "slots",
     .argument = "N",
     .help = "number of units in the budget; sizes are rounded up to whole units (default: 500)",
     COUNT(options.slots, DSM_REMAT_SLOTS_MAX)},
    {.name = "whole-stages",
     .help = "a stage keeps either all that its backward pass needs or nothing: only its first "
             "option is used",
     FLAG(options.is_whole)},
    {.name = "pareto",
     .help = "show the step time over all budgets in place of one schedule",
     FLAG(options.wants_front)},
    {.name = "stages",
     .argument = "N",
     .help = "cut the chain into N consecutive parts for the devices of a pipeline",
     COUNT(devices, DSM_REMAT_STAGES_MAX)},
    {.name = "micro-batches",
     .argument = "M",
     .help = "micro-batches that the minibatch is cut into (default: all its "
             "divisors are tried)",
     COUNT(micro_batches, DSM_REMAT_MICRO_BATCHES_MAX)},
    {.name = "write-stages",
     .argument = "FILE",
     .help = "also write the chain of stages, to edit it or use it again",
     NAME(CLI_READ_FILE, chain_file, CLI_TAKES_FILE)},
};

static const cli_rule rules[] = {
    {0, {"micro-batches"}, {"stages"}, NEEDS},
    {0, {"pareto"}, {"stages"}, EXCLUDES},
    {0, {"write-stages"}, NEEDS, .value = "a WORKLOAD and a SYSTEM"},
};

const cli_companion cli_companion_remat = {
    .command =
        {.name = "remat",
         .shares = CLI_SHOWS | CLI_WRITES | CLI_SEARCHES | CLI_THREADED,
         .operands = "STAGES | WORKLOAD SYSTEM",
         .takes = {CLI_TAKES_STAGES | CLI_TAKES_WORKLOAD, CLI_TAKES_SYSTEM},
         .operand_min = 1,
         .operand_max = 2,
         .set_roots = CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM | CLI_TAKES_STAGES,
         .summary = "train in less memory by recomputing activations",
         .description =
             "Finds the fastest schedule of a training step that fits a memory budget: "
             "activations that are not kept for the backward pass are recomputed. STAGES is a "
             "chain of stages with their times and sizes ('dsm help stages' shows its keys). For "
             "WORKLOAD on SYSTEM the chain is made from the plan that explore finds, cut at each "
             "tensor that all paths go through. Shows the time, the peak of memory in a "
             "simulation, the smallest budget, and how each stage runs. --stages cuts the chain "
             "for the devices of a pipeline. If no schedule fits the budget, the exit code is 4, "
             "and the message says which budget would do.",
         .examples = {"dsm remat gpt2_medium_blocks --budget 33%",
                      "dsm remat gpt2_medium_blocks --budget 33% --whole-stages",
                      "dsm remat gpt2_medium_blocks --pareto --format csv",
                      "dsm remat gpt2_medium_blocks --stages 4 --micro-batches 4 --budget 1GB",
                      "dsm remat vgg16 torus64 --set system.chip.memory.capacity_GB=2"},
         .run = cli_run_remat},
    .after = "check",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .arguments_size = sizeof(cli_remat_arguments),
    .init = init,
};
