/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rows/rows.h"

#include "cli/parse/option_values.h"
#include "dsm/limits.h"

#define ALL_BUT_CHECK                                                                              \
  (CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP | CLI_PARTITION)
#define RESULTS                                                                                    \
  (ALL_BUT_CHECK | CLI_CHECK | CLI_CALIBRATE | CLI_REMAT | CLI_PIM | CLI_STORAGE | CLI_DIFF |      \
   CLI_LIST)
#define WRITERS (CLI_PLOT | CLI_REPORT | CLI_TRACE | CLI_EXPORT)
#define ALL_COMMANDS (CLI_PROGRAM | RESULTS | WRITERS | CLI_IMPORT | CLI_INIT | CLI_HELP)
/* Commands that take files of other programs as workloads. */
#define READ_IMPORTS                                                                               \
  (CLI_EXPLORE | CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP | CLI_PARTITION | CLI_REMAT | CLI_STORAGE)

#define THREADS_MAX 256
#define ROWS_MAX 1000000
#define SECONDS_MAX 31536000 /* a year */
#define MEMORY_MAX 1e9       /* GB */
#define RATE_LEAST 1e-9
#define RATE_MOST 1e15
#define FLOPS_MOST 1e24

/* How the value is read, and the argument that it becomes, which must be of a type. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type stands bare there. */
#define PLACE(member, type)                                                                        \
  _Generic(((cli_arguments *)NULL)->member, type : offsetof(cli_arguments, member))
/* NOLINTEND(bugprone-macro-parentheses) */
#define READ(how, member, type) .reading = (how), .place = PLACE(member, type)
#define FLAG(member) READ(CLI_READ_FLAG, member, bool)
#define NAME(how, member, what) READ(how, member, const char *), .takes = (what)
#define TEXT(member, what) NAME(CLI_READ_TEXT, member, what)
#define TEXTS(member, what) READ(CLI_READ_TEXTS, member, cli_texts), .takes = (what)
#define WORD(member, words) READ(CLI_READ_WORD, member, unsigned), .word = (words)
#define COUNT(member, most)                                                                        \
  READ(CLI_READ_COUNT, member, size_t), .takes = CLI_TAKES_TEXT, .max = (most)
#define NUMBER(member, least, most)                                                                \
  READ(CLI_READ_NUMBER, member, double), .takes = CLI_TAKES_TEXT, .min = (least), .max = (most)
#define RATIO(member, how) READ(how, member, double), .takes = CLI_TAKES_TEXT
#define OWN(function) .reading = CLI_READ_OWN, .apply = (function)

/* Rows of options whose help differs from command to command. */
#define OUTPUT(commands_, argument_, what, help_)                                                  \
  {                                                                                                \
    .name = "output", .letter = 'o', .argument = (argument_), .help = (help_),                     \
    .commands = (commands_), NAME(CLI_READ_NAME, output, what)                                     \
  }
#define SET(commands_, help_)                                                                      \
  {                                                                                                \
    .name = "set", .argument = "PATH=VALUE", .help = (help_), .commands = (commands_),             \
    .takes = CLI_TAKES_PATH, OWN(cli_apply_set)                                                    \
  }

const cli_option cli_options[] = {
    {.name = "mode",
     .argument = "MODE",
     .help = "whether the network trains or infers (default: training)",
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_STORAGE,
     WORD(options.mode, cli_mode_word)},
    {.name = "minibatch",
     .argument = "N",
     .help = "samples in a step (default: the workload's)",
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_REMAT | CLI_STORAGE,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_minibatch)},
    {.name = "optimize",
     .argument = "LIST",
     .help = "optimizations that the search may use (default: all; everything is all that the mode "
             "has)",
     .word_help = cli_optimization_help,
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_REMAT | CLI_STORAGE,
     .word = cli_optimization_word,
     .is_list = true,
     OWN(cli_apply_optimize)},
    {.name = "minibatch",
     .argument = "N",
     .help = "samples in a step (default: those of the file, or 1)",
     .commands = CLI_IMPORT,
     COUNT(import.minibatch, DSM_DIMENSION_MAX)},
    {.name = "from",
     .argument = "FORMAT",
     .help = "the format of FILE (default: what is recognised)",
     .commands = CLI_IMPORT,
     WORD(import.format, cli_import_word)},
    {.name = "padding",
     .argument = "RULE",
     .help = "padding of a table of convolutions that states none: valid (no padding, the default) "
             "or same (as many outputs as inputs over the stride)",
     .commands = CLI_IMPORT,
     WORD(import.padding, cli_padding_word)},
    {.name = "dimension",
     .argument = "NAME=N",
     .help = "the size of a dimension that an imported file leaves open: NAME is its name there, "
             "or INPUT.AXIS if it has none. The first dimension of an input is 1 by default. May "
             "be given several times",
     .commands = CLI_IMPORT | READ_IMPORTS,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_dimension)},
    {.name = "sequence",
     .argument = "N",
     .help = "positions (tokens) of a sample: the same as --dimension sequence=N",
     .commands = CLI_IMPORT,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_sequence)},
    {.name = "fit",
     .help = "if no mapping fits the memory, add optimizations with which one does: accumulate and "
             "stages, or shard and recompute; a note says which were added",
     .commands = CLI_EXPLORE,
     FLAG(wants_fit)},
    {.name = "ladder",
     .help = "add the optimizations one after the other and show what each gains",
     .commands = CLI_EXPLORE,
     FLAG(is_ladder)},
    {.name = "ladder-base",
     .argument = "SYSTEM",
     .help = "the system of the first rung; --set system.PATH changes it too",
     .commands = CLI_EXPLORE,
     TEXT(ladder_base, CLI_TAKES_SYSTEM)},
    {.name = "parallelism",
     .argument = "LIST",
     .help = "parallelisms that the search may use (default: all), or roles of axes: column allows "
             "that role along every axis, gpu=column along the axis gpu (a name of the system's, "
             "or x, y, z). A layer that can take none of these roles is data parallel",
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_REMAT | CLI_STORAGE,
     .word = cli_parallelism_word,
     .is_list = true,
     OWN(cli_apply_parallelism)},
    {.name = "explain",
     .argument = "LAYER",
     .help = "instead of the plan, show what a layer could do otherwise and why it does not; the "
             "name of a row of equal layers stands for the first of them",
     .commands = CLI_EXPLORE | CLI_SCORE,
     TEXT(explain, CLI_TAKES_LAYER)},
    {.name = "elasticity",
     .help = "instead, show what the step time depends on, the most important parameter first: "
             "each parameter of the system is halved, doubled or otherwise changed, and the "
             "network mapped again (score keeps the plan's mapping). describe does so for the "
             "workloads among FILE..., or if there are none for vgg16, resnet50 and gnmt",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     OWN(cli_apply_elasticity)},
    {.name = "sensitivity",
     .help = "the same for small improvements: 10 % more of each number of the system, or less "
             "where less is better, by elasticity. It tells what is worth buying",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     OWN(cli_apply_elasticity)},
    {.name = "formats",
     .argument = "FORM",
     .help = "instead of a FILE, describe the formats of this version: their keys, words, limits, "
             "parameters and records",
     .commands = CLI_DESCRIBE,
     .word = cli_formats_word,
     READ(CLI_READ_WORD_AS_TEXT, formats, const char *)},
    {.name = "tolerance",
     .argument = "RATIO",
     .help = "how much slower or less utilized a step may be without being a regression, such as "
             "0.5% or 0.005 (default: 0.5%)",
     .commands = CLI_CHECK,
     RATIO(tolerance, CLI_READ_RATIO)},
    {.name = "strict",
     .help = "fail on any change, also on improvements, other layers and other decisions",
     .commands = CLI_CHECK,
     FLAG(is_strict)},
    {.name = "strict",
     .help = "fail if anything is approximated or left out",
     .commands = CLI_IMPORT,
     FLAG(is_strict)},
    {.name = "workload",
     .argument = "FILE",
     .help = "a workload in place of the baseline's",
     .commands = CLI_CHECK,
     TEXT(workload, CLI_TAKES_WORKLOAD)},
    {.name = "workload",
     .argument = "FILE",
     .help = "the network whose layers were timed, for their sizes and connections",
     .commands = CLI_IMPORT,
     TEXT(workload, CLI_TAKES_WORKLOAD)},
    {.name = "system",
     .argument = "FILE",
     .help = "a system in place of the baseline's",
     .commands = CLI_CHECK,
     TEXT(system, CLI_TAKES_SYSTEM)},
    {.name = "profile",
     .argument = "FILE",
     .help = "a profile of tasks and devices with their times, in place of WORKLOAD and SERVER",
     .commands = CLI_PARTITION,
     TEXT(partition.profile, CLI_TAKES_PROFILE)},
    {.name = "write-profile",
     .argument = "FILE",
     .help =
         "also write tasks, devices and times as a profile, to replace the times by measured ones",
     .commands = CLI_PARTITION,
     NAME(CLI_READ_FILE, partition.write_profile, CLI_TAKES_FILE)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what to optimize: the most requests per second (default), the shortest time of one "
             "request, or the least energy of a request at the rate of --require",
     .commands = CLI_PARTITION,
     WORD(partition.options.objective, cli_objective_word)},
    {.name = "require",
     .argument = "RATE",
     .help = "with --objective energy: requests per second that must be reached",
     .commands = CLI_PARTITION,
     NUMBER(partition.options.required_rho, CLI_NUMBER_MIN, CLI_RATE_MAX)},
    {.name = "latency-limit",
     .argument = "TIME",
     .help = "longest average time of a request, such as 20ms or 0.02s (default: any); waiting for "
             "a full batch counts, waiting for devices does not. Not with --objective latency",
     .commands = CLI_PARTITION,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_latency_limit)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "instead of one partition, show a front of throughput with latency, energy or both: "
             "those that no other beats in one objective without being worse in another. "
             "--time-limit is for all of them together, --gap and --latency-limit are for each",
     .commands = CLI_PARTITION,
     .is_list = true,
     .word = cli_objective_word,
     READ(CLI_READ_WORDS, partition.front.objectives, unsigned)},
    {.name = "points",
     .argument = "N",
     .help = "solve at most so many problems, each for one point (default: 12, or "
             "36 with three objectives)",
     .commands = CLI_PARTITION,
     COUNT(partition.front.question_count, DSM_FRONT_QUESTIONS_MAX)},
    {.name = "batch",
     .argument = "N",
     .help = "samples of a request (default: 1)",
     .commands = CLI_PARTITION | CLI_IMPORT,
     COUNT(partition.instance.batch, DSM_DIMENSION_MAX)},
    {.name = "tasks",
     .argument = "N",
     .help = "join consecutive layers into at most N tasks (default: a task for each layer)",
     .commands = CLI_PARTITION,
     COUNT(partition.instance.task_count, DSM_TASKS_MAX)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "time limit of the solver (default: 60); then the best answer so far is shown, with "
             "its gap",
     .commands = CLI_PARTITION,
     NUMBER(partition.options.time_limit_seconds, CLI_NUMBER_MIN, SECONDS_MAX)},
    {.name = "gap",
     .argument = "RATIO",
     .help = "relative distance from the bound at which the solver may stop, such as 1% or 0.01 "
             "(default: 0.01%)",
     .commands = CLI_PARTITION,
     RATIO(partition.options.gap, CLI_READ_RATIO_BELOW)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "time limit of the search (default: 0, some minutes' work, the same on any machine); "
             "then the best plan so far is shown, with its gap",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     NUMBER(options.time_limit_seconds, 0, SECONDS_MAX)},
    {.name = "memory-limit",
     .argument = "GB",
     .help = "memory limit of the search itself (default: 0, a quarter of this machine's memory); "
             "then the best plan so far is shown, with its gap",
     .commands = CLI_EXPLORE,
     NUMBER(options.memory_limit_GB, 0, MEMORY_MAX)},
    {.name = "gap",
     .argument = "RATIO",
     .help = "relative distance from the bound at which the search may stop, such as 1% or 0.01 "
             "(default: 0, at the optimum)",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     RATIO(options.gap, CLI_READ_RATIO_BELOW)},
    {.name = "count-activations",
     .help = "count the memory of each task's activations, not only of its parameters",
     .commands = CLI_PARTITION,
     FLAG(partition.options.does_count_activations)},
    {.name = "keep-results",
     .help = "results stay on the device that computes them: its link does not carry them",
     .commands = CLI_PARTITION,
     FLAG(partition.options.does_keep_results)},
    {.name = "count-input",
     .help = "an accelerator receives a request's input over its link, at the bandwidth out of the "
             "device unless one into it is stated",
     .commands = CLI_PARTITION,
     FLAG(partition.options.does_count_input)},
    {.name = "unused-off",
     .help = "devices that run nothing are turned off and draw no power; by default every device "
             "draws its idle power",
     .commands = CLI_PARTITION,
     FLAG(partition.options.is_unused_off)},
    {.name = "copies",
     .argument = "K",
     .help = "run each task on at most K devices (default: as many as are best)",
     .commands = CLI_PARTITION,
     COUNT(partition.options.copies_max, DSM_DEVICES_MAX)},
    {.name = "stages",
     .help =
         "make each device one stage, a run of consecutive tasks; each task is then in one place",
     .commands = CLI_PARTITION,
     FLAG(partition.options.is_staged)},
    {.name = "pin",
     .argument = "TASK=DEVICE[,DEVICE...]",
     .help = "run a task only on these devices; a name that ends in * stands for all that begin "
             "so; may be given several times",
     .commands = CLI_PARTITION,
     TEXTS(partition.pins, CLI_TAKES_TEXT)},
    {.name = "together",
     .argument = "TASK,TASK[,TASK...]",
     .help = "run these tasks on the same devices, equally often; a name that ends in * stands for "
             "all that begin so; may be given several times",
     .commands = CLI_PARTITION,
     TEXTS(partition.groups, CLI_TAKES_TEXT)},
    {.name = "device-batch",
     .argument = "[DEVICE=]SIZES",
     .help = "requests that a device runs together: one size, several to choose from, or best for "
             "all that have times (of a SERVER: powers of two to 64). Default: 1, or the smallest "
             "batch for which all tasks of the device have times. Without DEVICE it is for all "
             "devices; DEVICE may end in *; may be given several times",
     .commands = CLI_PARTITION,
     TEXTS(partition.batches, CLI_TAKES_TEXT)},
    {.name = "cuts",
     .argument = "K",
     .help = "a request moves at most K tensors between devices, where one to several devices "
             "counts for each of them; each task is then in one place",
     .commands = CLI_PARTITION,
     COUNT(partition.options.cuts_max, DSM_TASKS_MAX *DSM_DEVICES_MAX)},
    {.name = "write-mps",
     .argument = "FILE",
     .help = "also write the linear programme (minimise -rho) as free MPS, for other solvers; with "
             "--device-batch it is for one size of each device",
     .commands = CLI_PARTITION,
     NAME(CLI_READ_FILE, partition.mps, CLI_TAKES_FILE)},
    {.name = "simulate",
     .argument = "SETTINGS",
     .help = "also simulate a runtime that dispatches requests to the devices: requests=N,window=K "
             "(K at a time; default: requests=1000,window=16) or requests=N,rate=R (R arrive per "
             "second),seed=S",
     .commands = CLI_PARTITION,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_simulate)},
    {.name = "dispatch",
     .argument = "RULE",
     .help = "which device runs a task: each in turn, by the rates of the answer "
             "(default), or the one that ends it earliest (the rule of the paper)",
     .commands = CLI_PARTITION,
     WORD(partition.rule, cli_dispatch_word)},
    {.name = "trace",
     .argument = "FILE",
     .help = "also write the schedule as a trace that Perfetto opens",
     .commands = CLI_PARTITION,
     NAME(CLI_READ_FILE, partition.trace, CLI_TAKES_FILE)},
    SET(CLI_STORAGE, "change a value of an input, such as workload.dataset.samples=1000000 or "
                     "system.storage.fast.capacity_GB=800; may be given several times"),
    SET(CLI_EXPLORE | CLI_CHECK | CLI_SWEEP,
        "change a value of an input, such as workload.layers.conv1_1.stride=[2,2] or "
        "system.core.scratchpad_MiB=2; may be given several times"),
    SET(CLI_DESCRIBE | CLI_VALIDATE,
        "change a value of an input, such as workload.layers.conv1_1.stride=[2,2], "
        "system.core.scratchpad_MiB=2 or server.devices.gpu.memory_GB=8; may be given several "
        "times"),
    SET(CLI_IMPORT, "change a value of --workload, such as workload.element_bytes=4; may be given "
                    "several times"),
    SET(CLI_PARTITION, "change a value of an input, such as server.devices.gpu.memory_GB=8, "
                       "workload.element_bytes=1 or profile.devices.gpu.memory_bytes=8e9; may be "
                       "given several times"),
    SET(CLI_PIM, "change a value of an input, such as workload.sampling=random or "
                 "system.host.call_us=20. May be given several times"),
    SET(CLI_REMAT, "change a value of an input, such as stages.input_bytes=0 or "
                   "system.chip.memory.capacity_GB=8; may be given several times"),
    {.name = "vary",
     .argument = "PATH=VALUES",
     .help = "an axis of the sweep: values with commas between them, also as ranges A:B:xF (from A "
             "to B, each F times the one before) and A:B:+S (in steps of S). PATH is as in --set, "
             "or workload or system (names, or a folder of descriptions), options.mode, "
             "options.optimize or options.parallelism. P:Q=1:2,3:4 varies two paths together. May "
             "be given several times: every combination is a point",
     .commands = CLI_SWEEP,
     TEXTS(sweep.varies, CLI_TAKES_AXIS)},
    {.name = "exclude",
     .argument = "CONDITIONS",
     .help = "leave out the points for which all of SIDE OP SIDE, ... hold; OP is =, !=, <, <=, > "
             "or >=, a SIDE a path that varies or its end, a number, a word, or an expression as "
             "chips_x*chips_y; may be given several times",
     .commands = CLI_SWEEP,
     TEXTS(sweep.excludes, CLI_TAKES_PATH)},
    {.name = "record",
     .argument = "LEVEL",
     .help = "what is recorded of a point: its results, also its layers (default), also its plan",
     .commands = CLI_SWEEP,
     WORD(sweep.record, cli_record_word)},
    {.name = "database",
     .argument = "FILE",
     .help = "the database of the results (default: NAME.sqlite in this folder, or NAME.2.sqlite "
             "and so on if that is another sweep's; with --shard NAME.K-of-N.sqlite)",
     .commands = CLI_SWEEP,
     NAME(CLI_READ_FILE, sweep.database, CLI_TAKES_DATABASE)},
    {.name = "shard",
     .argument = "K/N",
     .help = "explore only every Nth point, from the Kth on: one of N jobs",
     .commands = CLI_SWEEP,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_shard)},
    {.name = "merge",
     .help = "bring the results of databases (second operand on) into one (first operand)",
     .commands = CLI_SWEEP,
     FLAG(sweep.is_merge)},
    {.name = "best",
     .argument = "N",
     .help = "show only the N best points, best first",
     .commands = CLI_SWEEP,
     COUNT(sweep.best_count, DSM_SWEEP_POINTS_MAX)},
    {.name = "by",
     .argument = "OBJECTIVE",
     .help = "a column, such as step_seconds, or min:COLUMN, max:COLUMN (default: "
             "min:step_seconds, the step time)",
     .commands = CLI_SWEEP,
     TEXT(sweep.best_by, CLI_TAKES_TEXT)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "show only the points that no other beats in one objective of the list without being "
             "worse in another, such as min:step_seconds,min:system.core.scratchpad_MiB",
     .commands = CLI_SWEEP,
     TEXT(sweep.pareto, CLI_TAKES_TEXT)},
    {.name = "all",
     .help = "show all rows; by default a list has at most 20",
     .commands = CLI_DIFF | CLI_CHECK,
     FLAG(wants_all_rows)},
    {.name = "unfold",
     .help = "show equal layers one by one; by default equal neighbours, such as the blocks of a "
             "transformer, have one row with their count, and are one loss",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     FLAG(is_unfolded)},
    {.name = "unfold",
     .help = "show each task; by default consecutive tasks with the same devices and shares have "
             "one row, and rows that repeat are shown once, with their count",
     .commands = CLI_PARTITION,
     FLAG(is_unfolded)},
    {.name = "unfold",
     .help = "show equal layers one by one; by default those that changed equally have one row, "
             "with their count",
     .commands = CLI_DIFF | CLI_CHECK,
     FLAG(is_unfolded)},
    {.name = "unfold",
     .help = "show equal layers one by one; by default equal neighbours are shown once, with their "
             "count",
     .commands = CLI_REPORT | CLI_PLOT,
     FLAG(is_unfolded)},
    {.name = "top",
     .argument = "N",
     .help = "show only the N rows of layers that take most time (describe: have most MACs), and "
             "the sum of the others",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     COUNT(top, ROWS_MAX)},
    {.name = "summary",
     .help = "show the totals without the table of layers",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     FLAG(is_summary)},
    {.name = "to",
     .argument = "TARGET",
     .help = "profile: the files hold times of layers and become a profile for partition (default: "
             "a workload, or a part of a system)",
     .commands = CLI_IMPORT,
     WORD(import.target, cli_import_target_word)},
    {.name = "to",
     .argument = "TARGET",
     .help = "what the plan is for",
     .commands = CLI_EXPORT,
     WORD(export_target, cli_export_target_word)},
    {.name = "figure",
     .argument = "FIGURE",
     .help = "what is drawn (default: loss of a plan, lines of a database, over several networks "
             "of their geometric means)",
     .commands = CLI_PLOT,
     .word = cli_figure_word,
     READ(CLI_READ_WORD_AS_TEXT, plot.figure, const char *)},
    {.name = "x",
     .argument = "COLUMN",
     .help = "with a database: the column along the horizontal axis, such as workload.minibatch "
             "(default: that of numbers with the most different values)",
     .commands = CLI_PLOT,
     TEXT(plot.view.x, CLI_TAKES_TEXT)},
    {.name = "y",
     .argument = "COLUMN",
     .help = "with a database: the column along the vertical axis (default: samples_per_second; of "
             "a heat map that of numbers with the next most values)",
     .commands = CLI_PLOT,
     TEXT(plot.view.y, CLI_TAKES_TEXT)},
    {.name = "series",
     .argument = "COLUMNS",
     .help = "with a database: comma-separated columns that tell lines apart (default: all others "
             "that vary, in several panels if they are many); of a ladder the column of its rungs "
             "(default: options.optimize)",
     .commands = CLI_PLOT,
     TEXT(plot.view.series, CLI_TAKES_TEXT)},
    {.name = "value",
     .argument = "COLUMN",
     .help = "the column that a heat map shows (default: samples_per_second)",
     .commands = CLI_PLOT,
     TEXT(plot.view.value, CLI_TAKES_TEXT)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "the objectives of a front, first that of the vertical axis, then that of the "
             "horizontal one, such as min:step_seconds,min:system.core.scratchpad_MiB (default: "
             "max:samples_per_second, and the least of the column of numbers with the most "
             "different values)",
     .commands = CLI_PLOT,
     TEXT(plot.view.pareto, CLI_TAKES_TEXT)},
    {.name = "log",
     .argument = "AXES",
     .help = "with a database: axes that are logarithmic (default: those whose numbers double or "
             "span a wide range)",
     .commands = CLI_PLOT,
     .is_list = true,
     .word = cli_log_axis_word,
     READ(CLI_READ_WORDS, plot.view.log_axes, unsigned)},
    {.name = "where",
     .argument = "COLUMN=VALUES",
     .help = "with a database: only points that have one of the comma-separated values in a "
             "column; may be given several times",
     .commands = CLI_PLOT,
     TEXTS(plot.wheres, CLI_TAKES_TEXT)},
    {.name = "script",
     .argument = "FOLDER",
     .help = "keep the gnuplot script NAME.gp in FOLDER, where 'gnuplot NAME.gp' draws the picture "
             "again; NAME is that of the picture, else of the figure",
     .commands = CLI_PLOT,
     NAME(CLI_READ_FOLDER, plot.script, CLI_TAKES_FOLDER)},
    {.name = "fit",
     .argument = "PATHS",
     .help = "comma-separated numbers of the system to choose (default: array.efficiency_ratio, "
             "those of the memory and of the axes, and core.operation_overhead_us, as far as the "
             "system has them)",
     .commands = CLI_CALIBRATE,
     NAME(CLI_READ_NAME, fit, CLI_TAKES_TEXT)},
    {.name = "budget",
     .argument = "SIZE",
     .help =
         "memory, of each device if there are several, for all but the chain's input, parameters, "
         "gradients and optimizer state: 6.5GB, 512MiB, a number of bytes, or 33% of what a step "
         "needs that keeps everything (default: what STAGES says, or what SYSTEM has left)",
     .commands = CLI_REMAT,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_budget)},
    {.name = "slots",
     .argument = "N",
     .help = "number of units in the budget; sizes are rounded up to whole units (default: 500)",
     .commands = CLI_REMAT,
     COUNT(remat.options.slots, DSM_REMAT_SLOTS_MAX)},
    {.name = "whole-stages",
     .help = "a stage keeps either all that its backward pass needs or nothing: only its first "
             "option is used",
     .commands = CLI_REMAT,
     FLAG(remat.options.is_whole)},
    {.name = "pareto",
     .help = "show the step time over all budgets in place of one schedule",
     .commands = CLI_REMAT,
     FLAG(remat.options.wants_front)},
    {.name = "stages",
     .argument = "P",
     .help = "with --optimize stages: the number of stages, 1 for none (default: the best number)",
     .commands = CLI_EXPLORE,
     COUNT(options.stages, DSM_CHIPS_MAX)},
    {.name = "micro-batches",
     .argument = "N",
     .help = "with --optimize accumulate: the number of micro-batches, a divisor of the minibatch "
             "(default: the best number)",
     .commands = CLI_EXPLORE,
     COUNT(options.micro_batches, DSM_DIMENSION_MAX)},
    {.name = "interleave",
     .argument = "V",
     .help = "with --optimize stages,accumulate: the number of runs of layers of each stage; above "
             "1 the stages divide the micro-batches (default: the best number)",
     .commands = CLI_EXPLORE,
     COUNT(options.interleave, DSM_INTERLEAVE_MAX)},
    {.name = "recompute",
     .argument = "WHAT",
     .help = "with --optimize recompute: which layers run their forward pass again: the scores of "
             "attention (selective), all of each segment of several layers (full), or those that "
             "are best (default)",
     .commands = CLI_EXPLORE,
     WORD(options.recomputation, cli_recomputation_word)},
    {.name = "stages",
     .argument = "N",
     .help = "cut the chain into N consecutive parts for the devices of a pipeline",
     .commands = CLI_REMAT,
     COUNT(remat.devices, DSM_REMAT_STAGES_MAX)},
    {.name = "micro-batches",
     .argument = "M",
     .help = "micro-batches that the minibatch is cut into (default: all its "
             "divisors are tried)",
     .commands = CLI_REMAT,
     COUNT(remat.micro_batches, DSM_REMAT_MICRO_BATCHES_MAX)},
    {.name = "write-stages",
     .argument = "FILE",
     .help = "also write the chain of stages, to edit it or use it again",
     .commands = CLI_REMAT,
     NAME(CLI_READ_FILE, remat.chain_file, CLI_TAKES_FILE)},
    {.name = "cores",
     .argument = "N,...",
     .help = "the number of cores, or several to choose from (default: any number)",
     .commands = CLI_PIM,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_counts)},
    {.name = "tasklets",
     .argument = "T,...",
     .help = "the number of tasklets of each core, or several to choose from (default: any number)",
     .commands = CLI_PIM,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_counts)},
    {.name = "transfers",
     .argument = "MODE",
     .help = "how the host moves data that differ from core to core: one core after the other "
             "(serial), or all at once (parallel); default: the better",
     .commands = CLI_PIM,
     WORD(pim.transfers, cli_pim_transfers_word)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what to minimize: time (default) or energy; they are the same if the system states "
             "no idle_power_W",
     .commands = CLI_PIM,
     WORD(pim.objective, cli_pim_objective_word)},
    {.name = "samples-per-second",
     .argument = "R",
     .help = "samples per second of the chips when data are always there (default: those of the "
             "plan, or of the plan that explore finds)",
     .commands = CLI_STORAGE,
     NUMBER(storage.samples_per_second, RATE_LEAST, RATE_MOST)},
    {.name = "flops-per-second",
     .argument = "F",
     .help = "FLOP/s of the chips: over the FLOP of a sample they make the samples per second, "
             "unless --samples-per-second states them; also the roof of the I/O roofline (default: "
             "the peak of the system)",
     .commands = CLI_STORAGE,
     NUMBER(storage.flop_per_second, RATE_LEAST, FLOPS_MOST)},
    {.name = "demand",
     .argument = "GBPS",
     .help = "GB/s that the chips read when data are always there (default: samples per second "
             "times the bytes of a sample)",
     .commands = CLI_STORAGE,
     NUMBER(storage.demand_GBps, RATE_LEAST, RATE_MOST)},
    {.name = "mini-epochs",
     .argument = "N",
     .help = "mini-epochs of the data set (default: as few as possible, two of which fit in fast "
             "storage)",
     .commands = CLI_STORAGE,
     COUNT(storage.mini_epochs, (double)DSM_PRODUCT_MAX)},
    {.name = "max-mini-epochs",
     .argument = "N",
     .help = "largest number of mini-epochs with which the training still converges",
     .commands = CLI_STORAGE,
     COUNT(storage.max_mini_epochs, (double)DSM_PRODUCT_MAX)},
    {.name = "repeat",
     .argument = "LIST",
     .help = "times that a mini-epoch is trained on while the next one is loaded: one number for "
             "all, or R1,R2,... with one for each mini-epoch (default: dsm chooses)",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.repeats, CLI_TAKES_TEXT)},
    {.name = "max-repeat",
     .argument = "R",
     .help = "largest number of times, whole or not, with which the training still converges; the "
             "one up to it that reads least from the capacity tier is chosen (default: the least "
             "without a stall)",
     .commands = CLI_STORAGE,
     NUMBER(storage.options.max_repeat, 1, DSM_REPEAT_MAX)},
    {.name = "times",
     .argument = "LIST",
     .help = "with a list of --repeat: the training time of each mini-epoch, the weight of its "
             "bandwidth in the average (default: the predicted times)",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.times, CLI_TAKES_TEXT)},
    {.name = "adaptive",
     .argument = "RULE",
     .help = "find the repeating factors from its metrics: a mini-epoch ends when its "
             "score gets no better (score), or falls below its Bollinger band (bollinger)",
     .commands = CLI_STORAGE,
     WORD(storage.rule, cli_repeat_rule_word)},
    {.name = "trace",
     .argument = "FILE",
     .help = "metrics after each repeat, as CSV with columns loss, train_error "
             "and validation_error",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.trace, CLI_TAKES_FILE)},
    {.name = "weights",
     .argument = "A,B,C",
     .help = "weights of loss, train_error and validation_error in the score "
             "(default: 1,1,1)",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.weights, CLI_TAKES_TEXT)},
    {.name = "threshold",
     .argument = "N",
     .help = "of the rule score: a mini-epoch ends after so many repeats without a better "
             "score (default: 3)",
     .commands = CLI_STORAGE,
     COUNT(storage.threshold, DSM_REPEAT_MAX)},
    {.name = "window",
     .argument = "N",
     .help = "of the rule bollinger: number of scores that the band is made of, 2 to 1000 "
             "(default: 20)",
     .commands = CLI_STORAGE,
     COUNT(storage.window, DSM_WINDOW_MAX)},
    {.name = "deviations",
     .argument = "K",
     .help = "of the rule bollinger: half the width of the band, in standard deviations "
             "(default: 2)",
     .commands = CLI_STORAGE,
     NUMBER(storage.options.replay.deviations, 0, DSM_WINDOW_MAX)},
    {.name = "timeline",
     .help = "show when each mini-epoch is loaded and trained on; CSV has a row for each",
     .commands = CLI_STORAGE,
     FLAG(storage.options.wants_timeline)},
    {.name = "threads",
     .argument = "N",
     .help = "threads to search with (default: 1); the result does not depend on it",
     .commands = CLI_REMAT | CLI_STORAGE | CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE | CLI_CALIBRATE |
                 CLI_CHECK | CLI_SWEEP | CLI_REPORT,
     COUNT(options.thread_count, THREADS_MAX)},
    {.name = "format",
     .argument = "FORMAT",
     .help = "form of the result (default: table)",
     .commands =
         ALL_BUT_CHECK | CLI_CALIBRATE | CLI_REMAT | CLI_PIM | CLI_STORAGE | CLI_DIFF | CLI_LIST,
     .word = cli_format_word,
     OWN(cli_apply_format)},
    {.name = "format",
     .argument = "FORMAT",
     .help = "form of the result (default: table)",
     .commands = CLI_CHECK,
     .word = cli_check_format_word,
     OWN(cli_apply_format)},
    OUTPUT(CLI_EXPLORE | CLI_SCORE, "FILE", CLI_TAKES_FILE,
           "write the plan to FILE, whole or not at all: as JSON, or as CSV if it ends in .csv or "
           "--format says so. Without --format the table is shown as well. '-' is standard "
           "output"),
    OUTPUT(CLI_PARTITION | CLI_PIM, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all: as JSON, or as CSV or a page if it ends "
           "in .csv or .html, or as --format says. Without --format the table is shown as well. "
           "'-' is standard output"),
    OUTPUT(CLI_CHECK, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json, .csv or .xml (that is junit), and the table is shown as well. '-' is "
           "standard output"),
    OUTPUT(CLI_CALIBRATE, "FILE", CLI_TAKES_FILE,
           "write the calibrated system to FILE, whole or not at all, or a page on the calibration "
           "if it ends in .html; '-' is standard output, which then has nothing else"),
    OUTPUT(CLI_TRACE, "FILE", CLI_TAKES_FILE,
           "write the trace to FILE, whole or not at all; '-' is standard output, which is the "
           "default where that is no terminal"),
    OUTPUT(CLI_REPORT, "FILE", CLI_TAKES_FILE,
           "write the page to FILE, whole or not at all; '-' is standard output, which is the "
           "default where that is no terminal"),
    OUTPUT(CLI_EXPORT, "FOLDER", CLI_TAKES_FOLDER,
           "write the files into FOLDER, all or none; it is made, or must be empty"),
    OUTPUT(CLI_REMAT | CLI_STORAGE, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json, .csv or .html (a page). '-' is standard output"),
    OUTPUT(CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP | CLI_DIFF | CLI_LIST, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json or .csv. '-' is standard output"),
    OUTPUT(CLI_PLOT, "FILE", CLI_TAKES_FILE,
           "the picture, written whole or not at all; its name ends in .svg, .png or .pdf"),
    OUTPUT(CLI_IMPORT, "FILE", CLI_TAKES_FILE,
           "write the workload to FILE, whole or not at all. '-' is standard output"),
    OUTPUT(CLI_INIT, "FILE", CLI_TAKES_FILE,
           "write to FILE, which must not exist yet. '-' is standard output"),
    {.name = "force",
     .letter = 'f',
     .help = "replace FILE if it exists",
     .commands = CLI_INIT,
     FLAG(is_forced)},
    {.name = "quiet",
     .letter = 'q',
     .help = "no notes and warnings, and no table unless --format asks for one",
     .commands = RESULTS,
     FLAG(is_quiet)},
    {.name = "quiet",
     .letter = 'q',
     .help = "no notes and warnings",
     .commands = WRITERS | CLI_IMPORT,
     FLAG(is_quiet)},
    {.name = "verbose",
     .letter = 'v',
     .help = "say on standard error which files were read, what was searched and how long that "
             "took",
     .commands = RESULTS | WRITERS | CLI_IMPORT,
     FLAG(is_verbose)},
    {.name = "color",
     .argument = "WHEN",
     .help = "colored tables and messages (default: auto, that is on a terminal unless NO_COLOR is "
             "set)",
     .commands = RESULTS | WRITERS | CLI_IMPORT | CLI_INIT,
     WORD(color, cli_color_word)},
    {.name = "help",
     .letter = 'h',
     .help = "show this help",
     .commands = ALL_COMMANDS,
     FLAG(wants_help)},
    {.name = "version", .help = "show the version", .commands = ALL_COMMANDS, FLAG(wants_version)},
};

_Static_assert(sizeof cli_options / sizeof *cli_options <= CLI_OPTIONS_MAX, "room for all options");

const size_t cli_option_count = sizeof cli_options / sizeof *cli_options;
