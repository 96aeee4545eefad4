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
     .help = "what the search may use (default: all, that is those of the mode and the system; "
             "others may be named beside it; everything: all words that the mode has)",
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
     .help =
         "where a table of convolutions does not say: valid, they pad nothing (the default), or "
         "same, outputs are as many as inputs over the stride",
     .commands = CLI_IMPORT,
     WORD(import.padding, cli_padding_word)},
    {.name = "dimension",
     .argument = "NAME=N",
     .help = "the size of a dimension that a file of another program only names; INPUT.AXIS is the "
             "name of one that has none. The first dimension of an input is 1 unless it is given. "
             "May be given several times",
     .commands = CLI_IMPORT | READ_IMPORTS,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_dimension)},
    {.name = "sequence",
     .argument = "N",
     .help = "positions of a sample, in a network of tokens: --dimension sequence=N",
     .commands = CLI_IMPORT,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_sequence)},
    {.name = "fit",
     .help = "where no mapping fits the memory, add what it takes: micro-batches and stages, or "
             "shards and recomputation; a note says which words were added",
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
     .help = "parallelisms that the search may use (default: all), or roles of axes: column, along "
             "any axis; gpu=column, along that axis, of the system's names or x, y, z. Layers for "
             "which no such role is possible have data",
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_REMAT | CLI_STORAGE,
     .word = cli_parallelism_word,
     .is_list = true,
     OWN(cli_apply_parallelism)},
    {.name = "explain",
     .argument = "LAYER",
     .help = "show, instead of the plan, what a layer could do otherwise and why it does not; the "
             "name that the table has for equal layers means the first of them",
     .commands = CLI_EXPLORE | CLI_SCORE,
     TEXT(explain, CLI_TAKES_LAYER)},
    {.name = "elasticity",
     .help = "show instead what the time of a step depends on: each parameter of the system is "
             "halved, doubled or changed otherwise, and the network mapped anew (score keeps the "
             "plan's mapping); the one that matters most comes first. In describe the networks "
             "are the workloads among FILE..., else vgg16, resnet50 and gnmt",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     OWN(cli_apply_elasticity)},
    {.name = "sensitivity",
     .help = "the same in small steps to the better: 10 % more of each number of the system, or "
             "less where less is better, by elasticity: what is worth buying",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     OWN(cli_apply_elasticity)},
    {.name = "formats",
     .argument = "FORM",
     .help = "without a FILE: what the formats of this version are, their words, limits, "
             "parameters, records and keys",
     .commands = CLI_DESCRIBE,
     .word = cli_formats_word,
     READ(CLI_READ_WORD_AS_TEXT, formats, const char *)},
    {.name = "tolerance",
     .argument = "RATIO",
     .help = "how much slower or less utilized is no regression, such as 0.5% or 0.005 (default: "
             "0.5%)",
     .commands = CLI_CHECK,
     RATIO(tolerance, CLI_READ_RATIO)},
    {.name = "strict",
     .help = "fail on whatever moved: improvements, layers and decisions too",
     .commands = CLI_CHECK,
     FLAG(is_strict)},
    {.name = "strict",
     .help = "fail on whatever is approximated or left out",
     .commands = CLI_IMPORT,
     FLAG(is_strict)},
    {.name = "workload",
     .argument = "FILE",
     .help = "a workload in place of the baseline's",
     .commands = CLI_CHECK,
     TEXT(workload, CLI_TAKES_WORKLOAD)},
    {.name = "workload",
     .argument = "FILE",
     .help = "the network whose layers were timed: it gives sizes and "
             "connections",
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
     .help = "also write the tasks and devices with their times as a profile, to put measured "
             "times in",
     .commands = CLI_PARTITION,
     NAME(CLI_READ_FILE, partition.write_profile, CLI_TAKES_FILE)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what is best: most requests per second (default), shortest time of one request, "
             "least joules a request at --require",
     .commands = CLI_PARTITION,
     WORD(partition.options.objective, cli_objective_word)},
    {.name = "require",
     .argument = "RATE",
     .help = "with --objective energy: requests per second that must be reached",
     .commands = CLI_PARTITION,
     NUMBER(partition.options.required_rho, CLI_NUMBER_MIN, CLI_RATE_MAX)},
    {.name = "latency-limit",
     .argument = "TIME",
     .help = "a request takes at most so long on average, with what it waits for batches and "
             "without waiting for devices, such as 20ms or 0.02s (default: any time); not with "
             "--objective latency",
     .commands = CLI_PARTITION,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_latency_limit)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "show the partitions that no other beats in one objective of the list without being "
             "worse in another, in place of one: throughput with latency, energy or both. "
             "--time-limit is then of all, --gap of each, and --latency-limit holds for all",
     .commands = CLI_PARTITION,
     .is_list = true,
     .word = cli_objective_word,
     READ(CLI_READ_WORDS, partition.front.objectives, unsigned)},
    {.name = "points",
     .argument = "N",
     .help = "questions that are solved at most, each for a point (default: 12, of "
             "three objectives 36)",
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
     .help = "of the solver (default: 60); what was found by then is shown, with its gap",
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
     .help = "of the search of a plan (default: 0, none); what was found by then is shown, with "
             "its gap",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     NUMBER(options.time_limit_seconds, 0, SECONDS_MAX)},
    {.name = "memory-limit",
     .argument = "GB",
     .help =
         "of what the search itself keeps (default: 0, a quarter of the machine's memory); what "
         "was found by then is shown, with its gap",
     .commands = CLI_EXPLORE,
     NUMBER(options.memory_limit_GB, 0, MEMORY_MAX)},
    {.name = "gap",
     .argument = "RATIO",
     .help = "relative distance from the bound at which the search may stop, such as 1% or 0.01 "
             "(default: 0, at the optimum)",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     RATIO(options.gap, CLI_READ_RATIO_BELOW)},
    {.name = "count-activations",
     .help = "activations need memory too, those of each task beside its parameters",
     .commands = CLI_PARTITION,
     FLAG(partition.options.does_count_activations)},
    {.name = "keep-results",
     .help = "results stay on the device that makes them, and load no link",
     .commands = CLI_PARTITION,
     FLAG(partition.options.does_keep_results)},
    {.name = "count-input",
     .help =
         "the request's input comes to an accelerator over its link, into which as much fits as "
         "out of it where nothing else is said",
     .commands = CLI_PARTITION,
     FLAG(partition.options.does_count_input)},
    {.name = "unused-off",
     .help = "devices that run nothing are turned off and draw no power; by default every device "
             "draws its idle power",
     .commands = CLI_PARTITION,
     FLAG(partition.options.is_unused_off)},
    {.name = "copies",
     .argument = "K",
     .help = "each task on at most K devices (default: on as many as is best); 1: each task in one "
             "place",
     .commands = CLI_PARTITION,
     COUNT(partition.options.copies_max, DSM_DEVICES_MAX)},
    {.name = "stages",
     .help = "each task in one place, and each device one stage: tasks that follow one another in "
             "the order of tasks",
     .commands = CLI_PARTITION,
     FLAG(partition.options.is_staged)},
    {.name = "pin",
     .argument = "TASK=DEVICE[,DEVICE...]",
     .help = "a task on these devices alone, of those that can run it; names may end in *, for all "
             "that begin so; may be given several times",
     .commands = CLI_PARTITION,
     TEXTS(partition.pins, CLI_TAKES_TEXT)},
    {.name = "together",
     .argument = "TASK,TASK[,TASK...]",
     .help = "tasks that run on the same devices, equally often; names may end in *, for all that "
             "begin so; may be given several times",
     .commands = CLI_PARTITION,
     TEXTS(partition.groups, CLI_TAKES_TEXT)},
    {.name = "device-batch",
     .argument = "[DEVICE=]SIZES",
     .help = "requests that a device runs together (default: 1, or the smallest batch of which all "
             "its tasks have times): one size, several with commas to choose from, or best for all "
             "of which there are times (of a SERVER: powers of two to 64); without DEVICE for all; "
             "DEVICE may end in *; may be given several times",
     .commands = CLI_PARTITION,
     TEXTS(partition.batches, CLI_TAKES_TEXT)},
    {.name = "cuts",
     .argument = "K",
     .help = "each task in one place, and a request moves at most K tensors between devices, one "
             "to several devices counted for each",
     .commands = CLI_PARTITION,
     COUNT(partition.options.cuts_max, DSM_TASKS_MAX *DSM_DEVICES_MAX)},
    {.name = "write-mps",
     .argument = "FILE",
     .help = "also write the programme as free MPS, for other solvers: minimise -rho; of one size "
             "for each device with --device-batch",
     .commands = CLI_PARTITION,
     NAME(CLI_READ_FILE, partition.mps, CLI_TAKES_FILE)},
    {.name = "simulate",
     .argument = "SETTINGS",
     .help = "also simulate a runtime that dispatches requests over the placement: "
             "requests=N,window=K (K at a time; default: requests=1000,window=16) or "
             "requests=N,rate=R (R arrive per second),seed=S",
     .commands = CLI_PARTITION,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_simulate)},
    {.name = "dispatch",
     .argument = "RULE",
     .help = "which device gets a task: one in its turn, by the rates of the "
             "answer (default), or the one that ends it earliest (the rule of the paper)",
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
     .help =
         "an axis: explore with each of a comma-separated list of values, which may have ranges "
         "A:B:xF (times F from A to B) and A:B:+S (plus S); PATH is that of --set, or workload, "
         "system (names, or a folder: all its descriptions), options.mode, options.optimize or "
         "options.parallelism. P:Q=1:2,3:4 varies two paths together. May be given several "
         "times: every combination is a point",
     .commands = CLI_SWEEP,
     TEXTS(sweep.varies, CLI_TAKES_AXIS)},
    {.name = "exclude",
     .argument = "CONDITIONS",
     .help = "leave out the points for which all of PATH OP VALUE, ... hold; OP is =, !=, <, <=, > "
             "or >=, VALUE a number, a word or another path; may be given several times",
     .commands = CLI_SWEEP,
     TEXTS(sweep.excludes, CLI_TAKES_PATH)},
    {.name = "record",
     .argument = "LEVEL",
     .help = "what is recorded of a point: its results, also its layers (default), also its plan",
     .commands = CLI_SWEEP,
     WORD(sweep.record, cli_record_word)},
    {.name = "database",
     .argument = "FILE",
     .help = "where results go (default: NAME.sqlite here, or NAME.2.sqlite and so on where that "
             "belongs to another question; with --shard, NAME.K-of-N.sqlite)",
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
     .help = "show all rows of the table: without it no list has more than 20",
     .commands = CLI_DIFF | CLI_CHECK,
     FLAG(wants_all_rows)},
    {.name = "unfold",
     .help = "show equal layers one by one: without it equal neighbours, such as the blocks of a "
             "transformer, have one row of the table, with their count, and are one loss",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     FLAG(is_unfolded)},
    {.name = "unfold",
     .help = "show each task: without it tasks that follow one another on the same devices, in the "
             "same shares as they are printed, have one row, and rows that repeat are shown once, "
             "with the count of all",
     .commands = CLI_PARTITION,
     FLAG(is_unfolded)},
    {.name = "unfold",
     .help = "show equal layers one by one: without it those that moved equally have one row, with "
             "their count",
     .commands = CLI_DIFF | CLI_CHECK,
     FLAG(is_unfolded)},
    {.name = "unfold",
     .help = "show equal layers one by one: without it equal neighbours are shown once, with their "
             "count",
     .commands = CLI_REPORT | CLI_PLOT,
     FLAG(is_unfolded)},
    {.name = "top",
     .argument = "N",
     .help =
         "show only the N rows of the table of layers that cost most time (describe: MACs), and "
         "what the others come to",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     COUNT(top, ROWS_MAX)},
    {.name = "summary",
     .help = "show the totals without the table of layers",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     FLAG(is_summary)},
    {.name = "to",
     .argument = "TARGET",
     .help = "profile: the files have times of layers, and become a profile for partition "
             "(default: a workload, or a part of a system)",
     .commands = CLI_IMPORT,
     WORD(import.target, cli_import_target_word)},
    {.name = "to",
     .argument = "TARGET",
     .help = "what the plan is for",
     .commands = CLI_EXPORT,
     WORD(export_target, cli_export_target_word)},
    {.name = "figure",
     .argument = "FIGURE",
     .help = "what is drawn (default: loss of a plan, lines of a database)",
     .commands = CLI_PLOT,
     .word = cli_figure_word,
     READ(CLI_READ_WORD_AS_TEXT, plot.figure, const char *)},
    {.name = "x",
     .argument = "COLUMN",
     .help = "of a database: what is along the horizontal axis, a column of its points such as "
             "workload.minibatch (default: what varies with the most numbers)",
     .commands = CLI_PLOT,
     TEXT(plot.view.x, CLI_TAKES_TEXT)},
    {.name = "y",
     .argument = "COLUMN",
     .help = "of a database: what is along the vertical axis (default: samples_per_second; of a "
             "heat map what varies with the next most numbers)",
     .commands = CLI_PLOT,
     TEXT(plot.view.y, CLI_TAKES_TEXT)},
    {.name = "series",
     .argument = "COLUMNS",
     .help = "of a database: comma-separated columns that tell lines apart (default: all others "
             "that vary, with panels for what is too much for one); of a ladder the column of its "
             "rungs (default: options.optimize)",
     .commands = CLI_PLOT,
     TEXT(plot.view.series, CLI_TAKES_TEXT)},
    {.name = "value",
     .argument = "COLUMN",
     .help = "what a heat map shows (default: samples_per_second)",
     .commands = CLI_PLOT,
     TEXT(plot.view.value, CLI_TAKES_TEXT)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "what the points of a front are best in, first that of the vertical axis, then that "
             "of the horizontal one, such as min:step_seconds,min:system.core.scratchpad_MiB "
             "(default: max:samples_per_second and the least of what varies with the most numbers)",
     .commands = CLI_PLOT,
     TEXT(plot.view.pareto, CLI_TAKES_TEXT)},
    {.name = "log",
     .argument = "AXES",
     .help =
         "of a database: axes that are logarithmic (default: where numbers double or span much)",
     .commands = CLI_PLOT,
     .is_list = true,
     .word = cli_log_axis_word,
     READ(CLI_READ_WORDS, plot.view.log_axes, unsigned)},
    {.name = "where",
     .argument = "COLUMN=VALUES",
     .help = "of a database: only points that have one of the comma-separated values in a column; "
             "may be given several times",
     .commands = CLI_PLOT,
     TEXTS(plot.wheres, CLI_TAKES_TEXT)},
    {.name = "script",
     .argument = "FOLDER",
     .help = "keep what the picture is made from in FOLDER: the script NAME.gp and its data, from "
             "which 'gnuplot NAME.gp' makes it again there; NAME is that of the picture, else of "
             "the figure",
     .commands = CLI_PLOT,
     NAME(CLI_READ_FOLDER, plot.script, CLI_TAKES_FOLDER)},
    {.name = "fit",
     .argument = "PATHS",
     .help = "comma-separated numbers of the system that are chosen (default: "
             "array.efficiency_ratio, those of the memory and of the axes, and "
             "core.operation_overhead_us, as far as the system has them)",
     .commands = CLI_CALIBRATE,
     NAME(CLI_READ_NAME, fit, CLI_TAKES_TEXT)},
    {.name = "budget",
     .argument = "SIZE",
     .help =
         "memory for all but the chain's input, parameters, gradients and optimizer state, of a "
         "device where there are several: 6.5GB, 512MiB, a number of bytes, or 33%, which is "
         "of what keeping everything needs (default: what STAGES says, or what SYSTEM has left)",
     .commands = CLI_REMAT,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_budget)},
    {.name = "slots",
     .argument = "N",
     .help = "units that the budget is divided into, to which sizes are rounded up (default: 500)",
     .commands = CLI_REMAT,
     COUNT(remat.options.slots, DSM_REMAT_SLOTS_MAX)},
    {.name = "whole-stages",
     .help = "a stage keeps all that its backward pass needs, or nothing: its first option alone",
     .commands = CLI_REMAT,
     FLAG(remat.options.is_whole)},
    {.name = "pareto",
     .help = "show the times over all budgets in place of the schedule",
     .commands = CLI_REMAT,
     FLAG(remat.options.wants_front)},
    {.name = "stages",
     .argument = "P",
     .help = "with --optimize stages: so many, 1 for none (default: as many as are best)",
     .commands = CLI_EXPLORE,
     COUNT(options.stages, DSM_CHIPS_MAX)},
    {.name = "micro-batches",
     .argument = "N",
     .help = "with --optimize accumulate: so many, which divide the minibatch (default: as many as "
             "are best)",
     .commands = CLI_EXPLORE,
     COUNT(options.micro_batches, DSM_DIMENSION_MAX)},
    {.name = "interleave",
     .argument = "V",
     .help =
         "with --optimize stages,accumulate: so many runs of layers of each stage, whose number "
         "divides that of micro-batches (default: as many as are best)",
     .commands = CLI_EXPLORE,
     COUNT(options.interleave, DSM_INTERLEAVE_MAX)},
    {.name = "recompute",
     .argument = "WHAT",
     .help =
         "with --optimize recompute: what runs its forward pass again: the scores of attentions "
         "(selective), all layers of each segment of several (full), or what is best (default)",
     .commands = CLI_EXPLORE,
     WORD(options.recomputation, cli_recomputation_word)},
    {.name = "stages",
     .argument = "N",
     .help = "cut the chain into N consecutive parts for the devices of a pipeline",
     .commands = CLI_REMAT,
     COUNT(remat.devices, DSM_REMAT_STAGES_MAX)},
    {.name = "micro-batches",
     .argument = "M",
     .help = "micro-batches of the minibatch (default: all its divisors are tried)",
     .commands = CLI_REMAT,
     COUNT(remat.micro_batches, DSM_REMAT_MICRO_BATCHES_MAX)},
    {.name = "write-stages",
     .argument = "FILE",
     .help = "also write the chain, to be edited or asked again",
     .commands = CLI_REMAT,
     NAME(CLI_READ_FILE, remat.chain_file, CLI_TAKES_FILE)},
    {.name = "cores",
     .argument = "N,...",
     .help = "so many cores, of several the best (default: any number)",
     .commands = CLI_PIM,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_counts)},
    {.name = "tasklets",
     .argument = "T,...",
     .help = "so many tasklets of each core, of several the best (default: any number)",
     .commands = CLI_PIM,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_counts)},
    {.name = "transfers",
     .argument = "MODE",
     .help =
         "how the host moves what differs from core to core: one core after the other (serial), "
         "or all at once (parallel); default: the better",
     .commands = CLI_PIM,
     WORD(pim.transfers, cli_pim_transfers_word)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what is best: the least time (default) or energy; without idle_power_W of the system "
             "they are the same",
     .commands = CLI_PIM,
     WORD(pim.objective, cli_pim_objective_word)},
    {.name = "samples-per-second",
     .argument = "R",
     .help = "what the chips take where data are there (default: the plan's, or that of the plan "
             "that explore finds)",
     .commands = CLI_STORAGE,
     NUMBER(storage.samples_per_second, RATE_LEAST, RATE_MOST)},
    {.name = "flops-per-second",
     .argument = "F",
     .help = "FLOP/s that the chips do: without --samples-per-second these over the FLOP of a "
             "sample; and the roof of the I/O roofline (default: the peak of the system)",
     .commands = CLI_STORAGE,
     NUMBER(storage.flop_per_second, RATE_LEAST, FLOPS_MOST)},
    {.name = "demand",
     .argument = "GBPS",
     .help = "GB/s that the chips take where data are there, if that is not the samples a second "
             "times the bytes of one",
     .commands = CLI_STORAGE,
     NUMBER(storage.demand_GBps, RATE_LEAST, RATE_MOST)},
    {.name = "mini-epochs",
     .argument = "N",
     .help = "parts of the data set (default: as few as fit in fast storage two at a time)",
     .commands = CLI_STORAGE,
     COUNT(storage.mini_epochs, (double)DSM_PRODUCT_MAX)},
    {.name = "max-mini-epochs",
     .argument = "N",
     .help = "most parts of the data set with which the training still converges",
     .commands = CLI_STORAGE,
     COUNT(storage.max_mini_epochs, (double)DSM_PRODUCT_MAX)},
    {.name = "repeat",
     .argument = "LIST",
     .help = "times that a mini-epoch is trained on while the next one is loaded: one number for "
             "all, or R1,R2,... with one for each mini-epoch (default: what is planned)",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.repeats, CLI_TAKES_TEXT)},
    {.name = "max-repeat",
     .argument = "R",
     .help = "most times with which the training still converges, whole or not: planned is what "
             "reads least from the capacity tier (default: the least without a stall)",
     .commands = CLI_STORAGE,
     NUMBER(storage.options.max_repeat, 1, DSM_REPEAT_MAX)},
    {.name = "times",
     .argument = "LIST",
     .help =
         "with a list of --repeat: the training time of each mini-epoch, by which the bandwidth "
         "of the capacity tier is averaged (default: what they take)",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.times, CLI_TAKES_TEXT)},
    {.name = "adaptive",
     .argument = "RULE",
     .help = "find the repeating factors by a rule from its metrics: when a mini-epoch "
             "ends, by a score that does not get better, or one below its Bollinger band",
     .commands = CLI_STORAGE,
     WORD(storage.rule, cli_repeat_rule_word)},
    {.name = "trace",
     .argument = "FILE",
     .help = "metrics after each repeat, as comma-separated values with columns "
             "loss, train_error and validation_error",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.trace, CLI_TAKES_FILE)},
    {.name = "weights",
     .argument = "A,B,C",
     .help = "of loss, train_error and validation_error in the score (default: "
             "1,1,1)",
     .commands = CLI_STORAGE,
     NAME(CLI_READ_NAME, storage.weights, CLI_TAKES_TEXT)},
    {.name = "threshold",
     .argument = "N",
     .help = "of the rule score: repeats without a better score that end a mini-epoch (default: "
             "3)",
     .commands = CLI_STORAGE,
     COUNT(storage.threshold, DSM_REPEAT_MAX)},
    {.name = "window",
     .argument = "N",
     .help = "of the rule bollinger: scores that the band is of, 2 to 1000 (default: 20)",
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
           "write the result to FILE, whole or not at all: as JSON, or as CSV if it ends in .csv "
           "or --format says so. Without --format the table is shown as well. '-' is standard "
           "output"),
    OUTPUT(CLI_CHECK, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json, .csv or .xml (that is junit), and the table is shown as well. '-' is "
           "standard output"),
    OUTPUT(
        CLI_CALIBRATE, "FILE", CLI_TAKES_FILE,
        "write the calibrated system to FILE, whole or not at all; '-' is standard output, which "
        "then has nothing else"),
    OUTPUT(CLI_TRACE, "FILE", CLI_TAKES_FILE,
           "write the trace to FILE, whole or not at all; '-' is standard output, which is the "
           "default where that is no terminal"),
    OUTPUT(CLI_REPORT, "FILE", CLI_TAKES_FILE,
           "write the page to FILE, whole or not at all; '-' is standard output, which is the "
           "default where that is no terminal"),
    OUTPUT(CLI_EXPORT, "FOLDER", CLI_TAKES_FOLDER,
           "write the files into FOLDER, all or none; it is made, or must be empty"),
    OUTPUT(CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP | CLI_REMAT | CLI_STORAGE | CLI_DIFF | CLI_LIST,
           "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json or .csv. '-' is standard output"),
    OUTPUT(CLI_PLOT, "FILE", CLI_TAKES_FILE,
           "the picture, written whole or not at all; its name ends in .svg, .png or .pdf"),
    OUTPUT(CLI_IMPORT, "FILE", CLI_TAKES_FILE,
           "write the workload to FILE, whole or not at all. '-' is standard output"),
    OUTPUT(CLI_INIT, "FILE", CLI_TAKES_FILE,
           "write to FILE, which must not be there yet. '-' is standard output"),
    {.name = "force",
     .letter = 'f',
     .help = "replace FILE if it is there",
     .commands = CLI_INIT,
     FLAG(is_forced)},
    {.name = "quiet",
     .letter = 'q',
     .help = "no table unless --format asks for one, and no notes and warnings",
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
