/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_options.c: the command, its options and what they need. */
#include "partition/command/partition_arguments.h"

#define CLI_ROW_ARGUMENTS cli_partition_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "dsm/limits.h"

#define SECONDS_MAX 31536000 /* a year */

static DSM_WORDS_AT(objective_word, dsm_objective_kind, DSM_OBJECTIVE_KIND_COUNT);
static DSM_WORDS_AT(dispatch_word, dsm_dispatch_rule, DSM_DISPATCH_RULE_COUNT);

static const cli_unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"", 1}};

static const double seconds_max = 1e9;

static cli_exit apply_latency_limit(cli_arguments *arguments, const cli_option *option,
                                    char *value) {
  cli_partition_arguments *const own = arguments->own;
  double amount = 0;
  const cli_unit *const of = cli_read_amount(value, times, seconds_max, &amount);
  if (of == NULL) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a time above 0 and up to %g s, such as 20ms, 0.02s or "
                           "0.02, found '%s'",
                           option->name, seconds_max, value);
  }
  own->options.latency_limit_seconds = amount * of->worth;
  return CLI_EXIT_DONE;
}

static void init(void *arguments) {
  cli_partition_arguments *const own = arguments;
  dsm_partition_options_init(&own->options);
  dsm_instance_options_init(&own->instance);
  dsm_dispatch_options_init(&own->dispatch);
}

/* ---- its front, which is drawn ---- */

static const cli_companion_answer front_answer = {.kind = &dsm_answer_front,
                                                  .commands = CLI_PLOT,
                                                  .expected = "a plan",
                                                  .found = "a front of partitions",
                                                  .hint = "this shows it: dsm plot",
                                                  .what = "a front of partitions"};

/* ---- its answer as the files of a runtime ---- */

static dsm_status export_stages(dsm_export **made, const char *path, dsm_export_target target,
                                dsm_diags *diags) {
  (void)target;
  dsm_answer partition;
  dsm_status status = dsm_answer_load(&partition, &dsm_answer_partition, path, diags);
  if (status == DSM_OK) {
    status = dsm_export_partition(made, partition.of, diags);
  }
  dsm_answer_free(&partition);
  return status;
}

/* ---- rows ---- */

static const cli_option options[] = {
    {.name = "profile",
     .argument = "FILE",
     .help = "a profile of tasks and devices with their times, in place of WORKLOAD and SERVER",
     TEXT(profile, CLI_TAKES_PROFILE)},
    {.name = "write-profile",
     .argument = "FILE",
     .help =
         "also write tasks, devices and times as a profile, to replace the times by measured ones",
     NAME(CLI_READ_FILE, write_profile, CLI_TAKES_FILE)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what to optimize: the most requests per second (default), the shortest time of one "
             "request, or the least energy of a request at the rate of --require",
     WORD(options.objective, objective_word)},
    {.name = "require",
     .argument = "RATE",
     .help = "with --objective energy: requests per second that must be reached",
     NUMBER(options.required_rho, CLI_NUMBER_MIN, CLI_RATE_MAX)},
    {.name = "latency-limit",
     .argument = "TIME",
     .help = "longest average time of a request, such as 20ms or 0.02s (default: any); waiting for "
             "a full batch counts, waiting for devices does not. Not with --objective latency",
     .takes = CLI_TAKES_TEXT,
     OWN(apply_latency_limit)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "instead of one partition, show a front of throughput with latency, energy or both: "
             "those that no other beats in one objective without being worse in another. "
             "--time-limit is for all of them together, --gap and --latency-limit are for each",
     .is_list = true,
     .word = objective_word,
     READ(CLI_READ_WORDS, front.objectives, unsigned)},
    {.name = "points",
     .argument = "N",
     .help = "solve at most so many problems, each for one point (default: 12, or "
             "36 with three objectives)",
     COUNT(front.question_count, DSM_FRONT_QUESTIONS_MAX)},
    {.name = "batch",
     .argument = "N",
     .help = "samples of a request (default: 1)",
     COUNT(instance.batch, DSM_DIMENSION_MAX)},
    {.name = "tasks",
     .argument = "N",
     .help = "join consecutive layers into at most N tasks (default: a task for each layer)",
     COUNT(instance.task_count, DSM_TASKS_MAX)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "time limit of the solver (default: 60); then the best answer so far is shown, with "
             "its gap",
     NUMBER(options.time_limit_seconds, CLI_NUMBER_MIN, SECONDS_MAX)},
    {.name = "gap",
     .argument = "RATIO",
     .help = "relative distance from the bound at which the solver may stop, such as 1% or 0.01 "
             "(default: 0.01%)",
     RATIO(options.gap, CLI_READ_RATIO_BELOW)},
    {.name = "count-activations",
     .help = "count the memory of each task's activations, not only of its parameters",
     FLAG(options.does_count_activations)},
    {.name = "keep-results",
     .help = "results stay on the device that computes them: its link does not carry them",
     FLAG(options.does_keep_results)},
    {.name = "count-input",
     .help = "an accelerator receives a request's input over its link, at the bandwidth out of the "
             "device unless one into it is stated",
     FLAG(options.does_count_input)},
    {.name = "unused-off",
     .help = "devices that run nothing are turned off and draw no power; by default every device "
             "draws its idle power",
     FLAG(options.is_unused_off)},
    {.name = "copies",
     .argument = "K",
     .help = "run each task on at most K devices (default: as many as are best)",
     COUNT(options.copies_max, DSM_DEVICES_MAX)},
    {.name = "stages",
     .help =
         "make each device one stage, a run of consecutive tasks; each task is then in one place",
     FLAG(options.is_staged)},
    {.name = "pin",
     .argument = "TASK=DEVICE[,DEVICE...]",
     .help = "run a task only on these devices; a name that ends in * stands for all that begin "
             "so; may be given several times",
     TEXTS(pins, CLI_TAKES_TEXT)},
    {.name = "together",
     .argument = "TASK,TASK[,TASK...]",
     .help = "run these tasks on the same devices, equally often; a name that ends in * stands for "
             "all that begin so; may be given several times",
     TEXTS(groups, CLI_TAKES_TEXT)},
    {.name = "device-batch",
     .argument = "[DEVICE=]SIZES",
     .help = "requests that a device runs together: one size, several to choose from, or best for "
             "all that have times (of a SERVER: powers of two to 64). Default: 1, or the smallest "
             "batch for which all tasks of the device have times. Without DEVICE it is for all "
             "devices; DEVICE may end in *; may be given several times",
     TEXTS(batches, CLI_TAKES_TEXT)},
    {.name = "cuts",
     .argument = "K",
     .help = "a request moves at most K tensors between devices, where one to several devices "
             "counts for each of them; each task is then in one place",
     COUNT(options.cuts_max, DSM_TASKS_MAX *DSM_DEVICES_MAX)},
    {.name = "write-mps",
     .argument = "FILE",
     .help = "also write the linear programme (minimise -rho) as free MPS, for other solvers; with "
             "--device-batch it is for one size of each device",
     NAME(CLI_READ_FILE, mps, CLI_TAKES_FILE)},
    {.name = "simulate",
     .argument = "SETTINGS",
     .help = "also simulate a runtime that dispatches requests to the devices: requests=N,window=K "
             "(K at a time; default: requests=1000,window=16) or requests=N,rate=R (R arrive per "
             "second),seed=S",
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_simulate)},
    {.name = "dispatch",
     .argument = "RULE",
     .help = "which device runs a task: each in turn, by the rates of the answer "
             "(default), or the one that ends it earliest (the rule of the paper)",
     WORD(rule, dispatch_word)},
    {.name = "trace",
     .argument = "FILE",
     .help = "also write the schedule as a trace that Perfetto opens",
     NAME(CLI_READ_FILE, trace, CLI_TAKES_FILE)},
    SET(0, "change a value of an input, such as server.devices.gpu.memory_GB=8, "
           "workload.element_bytes=1 or profile.devices.gpu.memory_bytes=8e9; may be "
           "given several times"),
    {.name = "unfold",
     .help = "show each task; by default consecutive tasks with the same devices and shares have "
             "one row, and rows that repeat are shown once, with their count",
     CORE_FLAG(is_unfolded)},
};

static const cli_rule rules[] = {
    {0, {"points"}, {"pareto"}, NEEDS},
    /* A front has many partitions, of questions of its own. */
    {0,
     {"pareto"},
     {"objective", "require", "simulate", "dispatch", "trace", "write-mps"},
     EXCLUDES},
    {0, {"trace", "dispatch"}, {"simulate"}, NEEDS},
    {0, {"batch"}, {"profile"}, .text = "and", .end = " exclude each other: the profile says all"},
};

const cli_companion cli_companion_partition = {
    .command =
        {.name = "partition",
         .shares = CLI_SHOWS | CLI_WRITES_PLAN | CLI_IMPORTS,
         .operands = "WORKLOAD SERVER | --profile FILE",
         .takes = {CLI_TAKES_WORKLOAD, CLI_TAKES_SERVER},
         .operand_max = 2,
         .set_roots = CLI_TAKES_WORKLOAD | CLI_TAKES_SERVER | CLI_TAKES_PROFILE,
         .summary = "place inference layers on the devices of a server",
         .description =
             "Finds which device of SERVER runs which layer of WORKLOAD, so that requests per "
             "second "
             "are highest (or the time of one request shortest, or its energy least) within each "
             "device's time, memory and link, by a mixed integer linear programme. Shows what "
             "binds, "
             "how far the answer can be from the optimum at most, and what the same devices do "
             "without "
             "partitioning. --pareto finds the front of throughput with latency, energy or both. "
             "--profile has the tasks and their times on each device.",
         .examples = {"dsm partition vgg16 cpu_2gpu",
                      "dsm partition resnet50 cpu_gpu_fpga --gap 1% -o partition.json",
                      "dsm partition vgg16 cpu_2gpu --set server.devices.gpu.memory_GB=0.2",
                      "dsm partition vgg16 cpu_gpu_fpga --pareto throughput,latency -o front.json",
                      "dsm partition googlenet edge_gpu --objective energy --require 20",
                      "dsm partition vgg16 cpu_2gpu --simulate requests=200,window=8"},
         .run = cli_run_partition},
    .after = "trace",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .arguments_size = sizeof(cli_partition_arguments),
    .init = init,
    .answer = &front_answer,
    .make_export = export_stages,
    .targets = 1U << DSM_EXPORT_STAGES,
};
