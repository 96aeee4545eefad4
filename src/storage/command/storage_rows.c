/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_rows.c: the command, its options and what they need. */
#include "storage/command/storage_arguments.h"

#define CLI_ROW_ARGUMENTS cli_storage_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "dsm/limits.h"

#define RATE_LEAST 1e-9
#define RATE_MOST 1e15
#define FLOPS_MOST 1e24

static const char *repeat_rule_word(size_t index) {
  const size_t rule = index + DSM_REPEAT_RULE_SCORE;
  return rule < DSM_REPEAT_RULE_COUNT ? dsm_repeat_rule_name((dsm_repeat_rule)rule) : NULL;
}

/* ---- its answer ---- */

static const cli_companion_answer answer = {.kind = &dsm_answer_storage,
                                            .commands = CLI_PLOT | CLI_REPORT,
                                            .expected = "a plan",
                                            .found = "an answer of storage",
                                            .hint = "these show it: dsm report, dsm plot",
                                            .what = "an answer of storage"};

static void init(void *arguments) {
  dsm_storage_options_init(&((cli_storage_arguments *)arguments)->options);
}

static const cli_option options[] = {
    SET(0, "change a value of an input, such as workload.dataset.samples=1000000 or "
           "system.storage.fast.capacity_GB=800; may be given several times"),
    {.name = "samples-per-second",
     .argument = "R",
     .help = "samples per second of the chips when data are always there (default: those of the "
             "plan, or of the plan that explore finds)",
     NUMBER(samples_per_second, RATE_LEAST, RATE_MOST)},
    {.name = "flops-per-second",
     .argument = "F",
     .help = "FLOP/s of the chips: over the FLOP of a sample they make the samples per second, "
             "unless --samples-per-second states them; also the roof of the I/O roofline "
             "(default: the peak of the system)",
     NUMBER(flop_per_second, RATE_LEAST, FLOPS_MOST)},
    {.name = "demand",
     .argument = "GBPS",
     .help = "GB/s that the chips read when data are always there (default: samples per second "
             "times the bytes of a sample)",
     NUMBER(demand_GBps, RATE_LEAST, RATE_MOST)},
    {.name = "mini-epochs",
     .argument = "N",
     .help = "mini-epochs of the data set (default: as few as possible, two of which fit in fast "
             "storage)",
     COUNT(mini_epochs, (double)DSM_PRODUCT_MAX)},
    {.name = "max-mini-epochs",
     .argument = "N",
     .help = "largest number of mini-epochs with which the training still converges",
     COUNT(max_mini_epochs, (double)DSM_PRODUCT_MAX)},
    {.name = "repeat",
     .argument = "LIST",
     .help = "times that a mini-epoch is trained on while the next one is loaded: one number for "
             "all, or R1,R2,... with one for each mini-epoch (default: dsm chooses)",
     NAME(CLI_READ_NAME, repeats, CLI_TAKES_TEXT)},
    {.name = "max-repeat",
     .argument = "R",
     .help = "largest number of times, whole or not, with which the training still converges; the "
             "one up to it that reads least from the capacity tier is chosen (default: the least "
             "without a stall)",
     NUMBER(options.max_repeat, 1, DSM_REPEAT_MAX)},
    {.name = "times",
     .argument = "LIST",
     .help = "with a list of --repeat: the training time of each mini-epoch, the weight of its "
             "bandwidth in the average (default: the predicted times)",
     NAME(CLI_READ_NAME, times, CLI_TAKES_TEXT)},
    {.name = "adaptive",
     .argument = "RULE",
     .help = "find the repeating factors from its metrics: a mini-epoch ends when its "
             "score gets no better (score), or falls below its Bollinger band (bollinger)",
     WORD(rule, repeat_rule_word)},
    {.name = "trace",
     .argument = "FILE",
     .help = "metrics after each repeat, as CSV with columns loss, train_error "
             "and validation_error",
     NAME(CLI_READ_NAME, trace, CLI_TAKES_FILE)},
    {.name = "weights",
     .argument = "A,B,C",
     .help = "weights of loss, train_error and validation_error in the score "
             "(default: 1,1,1)",
     NAME(CLI_READ_NAME, weights, CLI_TAKES_TEXT)},
    {.name = "threshold",
     .argument = "N",
     .help = "of the rule score: a mini-epoch ends after so many repeats without a better "
             "score (default: 3)",
     COUNT(threshold, DSM_REPEAT_MAX)},
    {.name = "window",
     .argument = "N",
     .help = "of the rule bollinger: number of scores that the band is made of, 2 to 1000 "
             "(default: 20)",
     COUNT(window, DSM_WINDOW_MAX)},
    {.name = "deviations",
     .argument = "K",
     .help = "of the rule bollinger: half the width of the band, in standard deviations "
             "(default: 2)",
     NUMBER(options.replay.deviations, 0, DSM_WINDOW_MAX)},
    {.name = "timeline",
     .help = "show when each mini-epoch is loaded and trained on; CSV has a row for each",
     FLAG(options.wants_timeline)},
};

static const cli_rule rules[] = {
    {0, {"adaptive"}, {"trace"}, NEEDS},
    {0, {"trace", "weights", "threshold", "window", "deviations"}, {"adaptive"}, NEEDS},
    {0, {"times"}, {"repeat"}, NEEDS},
    {0, {"adaptive"}, {"repeat"}, EXCLUDES},
    {0, {"mini-epochs"}, {"max-mini-epochs"}, EXCLUDES},
    {0, {"set"}, NEEDS, .value = "a WORKLOAD and a SYSTEM"},
};

const cli_companion cli_companion_storage = {
    .command =
        {.name = "storage",
         .shares = CLI_SHOWS | CLI_WRITES | CLI_SEARCHES | CLI_HAS_MODE | CLI_THREADED,
         .operands = "PLAN | WORKLOAD SYSTEM",
         .takes = {CLI_TAKES_PLAN | CLI_TAKES_DATABASE | CLI_TAKES_WORKLOAD, CLI_TAKES_SYSTEM},
         .operand_min = 1,
         .operand_max = 2,
         .summary = "find out whether storage delivers the data set fast enough",
         .description =
             "Compares how fast the chips read samples with how fast storage delivers them. The "
             "workload says how large its data set is (dataset), the system how large and fast "
             "its fast storage is, and how fast the file system that holds all data (storage). A "
             "data set that does not fit in fast storage is cut into mini-epochs, each trained on "
             "several times while the next one is loaded. Shows how many times are needed, how "
             "fast the file system then has to be, and samples per second over the repeating "
             "factor; with --timeline each mini-epoch, with --adaptive the repeating factors that "
             "a rule finds in a training run. PLAN is a plan or DATABASE:POINT of a sweep; "
             "WORKLOAD on SYSTEM is explored, unless --samples-per-second or --flops-per-second "
             "says how fast the chips are.",
         .examples =
             {"dsm storage deepcam summit --samples-per-second 65000",
              "dsm storage deepcam summit --samples-per-second 65000 --repeat 4 --timeline",
              "dsm storage deepcam summit --samples-per-second 65000 --max-repeat 128 --format csv",
              "dsm storage deepcam summit --flops-per-second 1e18"},
         .run = cli_run_storage},
    .after = "check",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .arguments_size = sizeof(cli_storage_arguments),
    .init = init,
    .answer = &answer,
};
