/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rows/rows.h"

#include "cli/parse/option_values.h"
#include "cli/rows/option_row.h"
#include "dsm/limits.h"

#define ALL_BUT_CHECK (CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP)
#define RESULTS (ALL_BUT_CHECK | CLI_CHECK | CLI_DIFF | CLI_LIST | CLI_SHOWS)
#define WRITERS (CLI_PLOT | CLI_REPORT | CLI_TRACE)
#define ALL_COMMANDS (CLI_PROGRAM | RESULTS | WRITERS | CLI_WRITES_ALONE | CLI_INIT | CLI_HELP)
#define ROWS_MAX 1000000
#define SECONDS_MAX 31536000 /* a year */

const cli_option cli_core_options[] = {
    {.name = "mode",
     .argument = "MODE",
     .help = "whether the network trains or infers (default: training)",
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_HAS_MODE,
     OF_SEARCH},
    {.name = "minibatch",
     .argument = "N",
     .help = "samples in a step (default: the workload's)",
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_SEARCHES,
     .takes = CLI_TAKES_TEXT,
     OWN(cli_apply_minibatch)},
    {.name = "optimize",
     .argument = "LIST",
     .help = "optimizations that the search may use (default: all; the word everything adds the "
             "rest that the mode has, but for divide)",
     .word_help = cli_optimization_help,
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_SEARCHES,
     .word = cli_optimization_word,
     .is_list = true,
     OWN(cli_apply_optimize)},
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
     .commands = CLI_EXPLORE | CLI_DESCRIBE | CLI_SWEEP | CLI_SEARCHES | CLI_SPLITS,
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
     .help = "instead of the plan, show what the step time depends on, the most important "
             "parameter first: explore again with each parameter halved, doubled or otherwise "
             "changed (dsm score keeps the plan's mapping)",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     OWN(cli_apply_elasticity)},
    {.name = "sensitivity",
     .help = "the same, with each number of the system made 10 % better, a count by at least one. "
             "It tells what is worth buying",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
     OWN(cli_apply_elasticity)},
    {.name = "budget",
     .help = "instead of what a system is, show what it costs: area, power, price and carbon by "
             "parts; it must name a technology, such as by --set system.technology=n5. With "
             "--output NAME.html a page",
     .commands = CLI_DESCRIBE,
     FLAG(is_budget)},
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
    {.name = "against",
     .argument = "FILE",
     .help = "compare with the answer in FILE, in place of asking again; of one BASELINE",
     .commands = CLI_CHECK,
     TEXT(against, CLI_TAKES_FILE)},
    {.name = "workload",
     .argument = "FILE",
     .help = "a workload in place of the baseline's",
     .commands = CLI_CHECK,
     TEXT(workload, CLI_TAKES_WORKLOAD)},
    {.name = "system",
     .argument = "FILE",
     .help = "a system in place of the baseline's",
     .commands = CLI_CHECK,
     TEXT(system, CLI_TAKES_SYSTEM)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "time limit of the search (default: 0, a fixed amount of work, about a minute); after "
             "it, the best plan so far is shown, with its gap",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     OF_SEARCH},
    {.name = "memory-limit",
     .argument = "GB",
     .help = "memory limit of the search itself (default: 0, a quarter of this machine's memory); "
             "then the best plan so far is shown, with its gap",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "gap",
     .argument = "RATIO",
     .help = "relative distance from the bound at which the search may stop, such as 1% or 0.01 "
             "(default: 0, at the optimum)",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     OF_SEARCH},
    SET(CLI_EXPLORE | CLI_CHECK | CLI_SWEEP,
        "change a value of an input, such as workload.layers.conv1_1.stride=[2,2] or "
        "system.core.scratchpad_MiB=2; may be given several times"),
    SET(CLI_DESCRIBE | CLI_VALIDATE,
        "change a value of an input, such as workload.layers.conv1_1.stride=[2,2], "
        "system.core.scratchpad_MiB=2 or server.devices.gpu.memory_GB=8; may be given several "
        "times"),
    {.name = "vary",
     .argument = "PATH=VALUES",
     .help =
         "an axis of the sweep: values with commas between them, also as ranges A:B:xF (from A "
         "to B, each F times the one before) and A:B:+S (in steps of S). PATH is as in --set, "
         "or options.mode, optimize, parallelism, as_run_by, shard_level, recomputation, "
         "stages_at, schedule, objective or power_cap_W, or, with SPEC, workload or "
         "system (names, or a folder of descriptions). P:Q=1:2,3:4 varies two paths together. May "
         "be given several times: every combination is a point",
     .commands = CLI_SWEEP,
     TEXTS(sweep.varies, CLI_TAKES_AXIS)},
    {.name = "exclude",
     .argument = "CONDITIONS",
     .help = "leave out the points for which a condition holds, such as 'chips_x*chips_y>64', or "
             "all of several with commas between. It compares (=, !=, <, <=, >, >=) paths that "
             "vary, or their ends, numbers, words and expressions; may be given several times",
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
    {.name = "define",
     .argument = "NAME=EXPR",
     .help = "a column more of the points shown: an expression (+ - * /, parentheses) of columns "
             "with numbers, such as cost=step_seconds*system.core.scratchpad_MiB; may be given "
             "several times. With plot, of a database",
     .commands = CLI_SWEEP | CLI_PLOT,
     TEXTS(defines, CLI_TAKES_TEXT)},
    {.name = "where",
     .argument = "CONDITION",
     .help = "only points for which it holds: EXPR<=EXPR (also <, >, >=, =, !=) of columns with "
             "numbers, or COLUMN=VALUES, separated by commas (or !=, none of them); may be given "
             "several times. With plot, of a database",
     .commands = CLI_SWEEP | CLI_PLOT,
     TEXTS(wheres, CLI_TAKES_TEXT)},
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
    {.name = "phase",
     .argument = "PHASE",
     .help = "show what serving runs of a workload that is a transformer: all positions of a "
             "request at once (prefill), or the next position of its answer (decode)",
     .commands = CLI_DESCRIBE,
     WORD(phase, cli_phase_word)},
    {.name = "positions",
     .argument = "N",
     .help = "new positions of the phase (default: decode 1, prefill all of the context)",
     .commands = CLI_DESCRIBE,
     COUNT(positions, DSM_SIDE_MAX)},
    {.name = "context",
     .argument = "N",
     .help =
         "positions of the request so far, the new ones among them; those before are in a cache "
         "(default: the positions of the workload)",
     .commands = CLI_DESCRIBE,
     COUNT(context, DSM_SIDE_MAX)},
    {.name = "unfold",
     .help = "show identical layers one by one; by default identical layers, such as those of the "
             "blocks of a transformer, share one row with their count",
     .commands = CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE,
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
    {.name = "figure",
     .argument = "FIGURE",
     .help = "what is drawn (default: loss of a plan, lines of a database)",
     .commands = CLI_PLOT,
     .word = cli_figure_word,
     READ(CLI_READ_WORD_AS_TEXT, plot.figure, const char *)},
    {.name = "x",
     .argument = "COLUMN",
     .help = "with a database: the column along the horizontal axis, such as workload.minibatch "
             "(default: the last that varies in numbers and has no other role, else the last that "
             "varies)",
     .commands = CLI_PLOT,
     TEXT(plot.view.x, CLI_TAKES_TEXT)},
    {.name = "y",
     .argument = "COLUMN",
     .help = "with a database: the column along the vertical axis (default: samples_per_second; of "
             "a heat map the next of the defaults of --x)",
     .commands = CLI_PLOT,
     TEXT(plot.view.y, CLI_TAKES_TEXT)},
    {.name = "series",
     .argument = "COLUMNS",
     .help = "with a database: comma-separated columns that tell lines apart (default: all others "
             "that vary); of a ladder the column of its rungs (default: options.optimize)",
     .commands = CLI_PLOT,
     TEXT(plot.view.series, CLI_TAKES_TEXT)},
    {.name = "panels",
     .argument = "COLUMNS",
     .help = "with a database: comma-separated columns whose values have a panel each (default: "
             "workload)",
     .commands = CLI_PLOT,
     TEXT(plot.view.panels, CLI_TAKES_TEXT)},
    {.name = "means",
     .help = "with a database: geometric means over the networks in place of a panel for each",
     .commands = CLI_PLOT,
     FLAG(plot.view.are_means)},
    {.name = "value",
     .argument = "COLUMN",
     .help = "the column that a heat map shows (default: samples_per_second)",
     .commands = CLI_PLOT,
     TEXT(plot.view.value, CLI_TAKES_TEXT)},
    {.name = "pareto",
     .argument = "LIST",
     .help = "the objectives of a front, first that of the vertical axis, then that of the "
             "horizontal one, such as min:step_seconds,min:system.core.scratchpad_MiB (default: "
             "max:samples_per_second, and the least of the default of --x)",
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
    {.name = "script",
     .argument = "FOLDER",
     .help = "keep the gnuplot script NAME.gp in FOLDER, where 'gnuplot NAME.gp' draws the picture "
             "again; NAME is that of the picture, else of the figure",
     .commands = CLI_PLOT,
     NAME(CLI_READ_FOLDER, plot.script, CLI_TAKES_FOLDER)},
    {.name = "stages",
     .argument = "P",
     .help = "with --optimize stages: the number of stages, 1 for none (default: the best number)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "micro-batches",
     .argument = "N",
     .help = "with --optimize accumulate: the number of micro-batches, a divisor of the minibatch "
             "(default: the best number)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "interleave",
     .argument = "V",
     .help = "with --optimize stages,accumulate: how many separate runs of layers a stage has; "
             "above 1 the micro-batches are a multiple of the stages (default: the best number)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "stages-at",
     .argument = "WHERE",
     .help = "with --optimize stages: where they begin: wherever that is best (best, the default), "
             "or between blocks of the network, as many in each run of layers (blocks), as "
             "frameworks run them",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "schedule",
     .argument = "WHICH",
     .help = "with --optimize stages: the order in which stages run their passes: forward and "
             "backward in turn (1f1b, the default), or with gradients of weights made later, where "
             "a stage would wait, and more micro-batches in memory (zero_bubble)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "recompute",
     .argument = "WHAT",
     .help = "with --optimize recompute: which layers run their forward pass again: attention "
             "scores (selective), all layers of each segment of several (full), of all layers the "
             "operations alone, whose products are kept (operations), none, or the fastest choice "
             "of layers (best, the default) or of layers and operations (by_operation)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "shard",
     .argument = "LEVEL",
     .help = "with --optimize shard: what each layer shares out of weights that several chips "
             "have: its optimizer state (optimizer, ZeRO 1), also gradients (ZeRO 2), also weights "
             "(ZeRO 3), nothing (none), or what is fastest, layer by layer (best, the default)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "as-run-by",
     .argument = "FRAMEWORK",
     .help = "find the fastest plan that FRAMEWORK can run, for which dsm export writes its "
             "settings: one use of each axis, one level of ZeRO and one --recompute for all "
             "layers, stages between blocks. Without --optimize the search may use all that "
             "frameworks can (default: any, no framework)",
     .commands = CLI_EXPLORE,
     OF_SEARCH},
    {.name = "objective",
     .argument = "WHAT",
     .help = "what the plan is to be best in: time (default), joules of a step, edp (these times "
             "the seconds of the step), or dollars of a step. All but time need a system that "
             "names a technology, and leave out pipeline, preload, shard and stages",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     OF_SEARCH},
    {.name = "power-cap",
     .argument = "W",
     .help = "most power of a chip on average over a step (default: 0, no limit): a step that "
             "takes more becomes longer. Needs a system that names a technology, and leaves out "
             "what other objectives do",
     .commands = CLI_EXPLORE | CLI_SWEEP,
     OF_SEARCH},
    {.name = "threads",
     .argument = "N",
     .help = "threads to search with (default: 1); the result does not depend on it",
     .commands =
         CLI_EXPLORE | CLI_SCORE | CLI_DESCRIBE | CLI_THREADED | CLI_CHECK | CLI_SWEEP | CLI_REPORT,
     OF_SEARCH},
    {.name = "format",
     .argument = "FORMAT",
     .help = "form of the result (default: table)",
     .commands = ALL_BUT_CHECK | CLI_SHOWS | CLI_DIFF | CLI_LIST,
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
    OUTPUT(CLI_WRITES_PLAN, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all: as JSON, or as CSV or a page if it ends "
           "in .csv or .html, or as --format says. Without --format the table is shown as well. "
           "'-' is standard output"),
    OUTPUT(CLI_CHECK, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json, .csv or .xml (that is junit), and the table is shown as well. '-' is "
           "standard output"),
    OUTPUT(CLI_TRACE, "FILE", CLI_TAKES_FILE,
           "write the trace to FILE, whole or not at all; '-' is standard output, which is the "
           "default where that is no terminal"),
    OUTPUT(CLI_REPORT, "FILE", CLI_TAKES_FILE,
           "write the page to FILE, whole or not at all; '-' is standard output, which is the "
           "default where that is no terminal"),
    OUTPUT(CLI_WRITES, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json, .csv or .html (a page). '-' is standard output"),
    OUTPUT(CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP | CLI_DIFF | CLI_LIST, "FILE", CLI_TAKES_FILE,
           "write the result to FILE, whole or not at all. Without --format the form follows the "
           "ending .json or .csv. '-' is standard output"),
    OUTPUT(CLI_PLOT, "FILE", CLI_TAKES_FILE,
           "the picture, written whole or not at all; its name ends in .svg, .png or .pdf"),
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
     .commands = WRITERS | CLI_WRITES_ALONE,
     FLAG(is_quiet)},
    {.name = "verbose",
     .letter = 'v',
     .help = "say on standard error which files were read, what was searched and how long that "
             "took",
     .commands = RESULTS | WRITERS | CLI_WRITES_ALONE,
     FLAG(is_verbose)},
    {.name = "color",
     .argument = "WHEN",
     .help = "colored tables and messages (default: auto, that is on a terminal unless NO_COLOR is "
             "set)",
     .commands = RESULTS | WRITERS | CLI_WRITES_ALONE | CLI_INIT,
     WORD(color, cli_color_word)},
    {.name = "help",
     .letter = 'h',
     .help = "show this help",
     .commands = ALL_COMMANDS,
     FLAG(wants_help)},
    {.name = "version", .help = "show the version", .commands = ALL_COMMANDS, FLAG(wants_version)},
};

const size_t cli_core_option_count = sizeof cli_core_options / sizeof *cli_core_options;
