/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/rows/rows.h"
#include "cli/run/complain.h"

const cli_command cli_program = {
    .bit = CLI_PROGRAM,
    .operands = "COMMAND",
    .takes = {CLI_TAKES_COMMAND},
    .summary = "predict and improve how neural networks run on many-chip accelerators",
    .description =
        "dsm finds the best mapping of a neural network on a many-chip accelerator, predicts how "
        "fast it runs, and shows where utilization is lost. A workload is a network, a system an "
        "accelerator of one or many chips, and a plan the mapping that explore finds for the two. "
        "A sweep explores many such pairs. A server is a machine with different devices.",
    .examples = {"dsm list", "dsm explore vgg16 torus64",
                 "dsm explore vgg16 torus64 --minibatch 512 -o plan.json",
                 "dsm init workload -o my_net.json", "dsm describe resnet50 torus64"},
};

/* In the order in which a new user meets them. */
const cli_command cli_core_commands[] = {
    {.name = "explore",
     .bit = CLI_EXPLORE,
     .operands = "WORKLOAD SYSTEM",
     .other_form = "PLAN",
     .takes = {CLI_TAKES_WORKLOAD | CLI_TAKES_PLAN | CLI_TAKES_DATABASE, CLI_TAKES_SYSTEM},
     .operand_min = 1,
     .operand_max = 2,
     .summary = "find the best mapping of a network on a system",
     .description =
         "Finds the fastest mapping of WORKLOAD on SYSTEM, two JSON descriptions. Shows for each "
         "layer and pass how the work is divided, how well the arrays are used, and where the rest "
         "of the time goes. A name that is no file in the current folder is looked for in "
         "$DSM_PATH, then among the bundled descriptions, which 'dsm list' shows. .json may be "
         "left out. '-' is standard input. PLAN is a plan that explore wrote, or DATABASE:POINT, a "
         "numbered point of a sweep: its workload and system are explored again, with its options "
         "unless you give others.",
     .examples = {"dsm explore vgg16 torus64",
                  "dsm explore vgg16 torus64 --minibatch 512 -o plan.json",
                  "dsm explore resnet50 torus64 --set system.core.scratchpad_MiB=2",
                  "dsm explore vgg16 torus64 --explain fc1",
                  "dsm explore vgg16 torus64 --sensitivity",
                  "dsm explore gnmt torus64 --ladder --ladder-base torus64_symmetric"},
     .run = cli_run_explore},
    {.name = "list",
     .bit = CLI_LIST,
     .operands = "[KIND]",
     .operand_word = cli_list_word,
     .operand_max = 1,
     .summary = "show the networks and machines that are found by name",
     .description =
         "Lists the descriptions that are found by name: those in the folders of "
         "$DSM_PATH and the bundled ones. Each has a line with its size and the comment "
         "at its top (the key //), or else its source. Behind them each kind of answer "
         "has a line, with the command that writes it. KIND is workload, system, "
         "technology, server, sweep, stages, rl-workload, pim-system or answer; without it all are "
         "listed.",
     .examples = {"dsm list", "dsm list system", "dsm list answer",
                  "dsm list workload --format csv"},
     .run = cli_run_list},
    {.name = "init",
     .bit = CLI_INIT,
     .operands = "KIND",
     .operand_word = cli_template_word,
     .operand_min = 1,
     .operand_max = 1,
     .summary = "write a commented description to start from",
     .description =
         "Writes a small but complete description with comments, to be edited. KIND is workload (a "
         "network with convolutions), transformer (an encoder), serving (a language model, for "
         "serve), dataset (a network with the data set that it is trained on, for storage), system "
         "(an accelerator in five tiers), roofline (an accelerator of which only peak, memory and "
         "links are known), technology (a node: what a chip of it costs), server (a CPU and a "
         "GPU), sweep (two axes), stages (a chain, for "
         "remat), rl-workload (a table of values, for pim), pim-system or pim (cores in memory), "
         "or profile (tasks and devices with measured times, for partition). It goes to standard "
         "output, or with --output to a file that must not exist yet. Comments are the values of "
         "the key //, which every object of a description may have.",
     .examples = {"dsm init workload -o my_network.json", "dsm init system > my_system.json",
                  "dsm explore my_network.json my_system.json"},
     .run = cli_run_init},
    {.name = "describe",
     .bit = CLI_DESCRIBE,
     .operands = "FILE...",
     .other_form = "--formats FORM",
     .takes = {CLI_TAKES_ANY_DESCRIPTION},
     .operand_min = 1,
     .operand_max = SIZE_MAX,
     .set_roots = CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM | CLI_TAKES_TECHNOLOGY | CLI_TAKES_SERVER |
                  CLI_TAKES_PROFILE,
     .summary = "show what workloads, systems, servers and other files hold",
     .description =
         "Shows layers, parameters, MACs and bytes of workloads; peak FLOP/s, machine "
         "balance and every parameter of systems, with its unit, its default and where "
         "its value comes from; both, and the main results, of plans; points and axes of sweeps; "
         "the devices of servers and profiles. With --elasticity: what the steps of the "
         "workloads among FILE... depend on, or of vgg16, resnet50 and gnmt if there are none. "
         "With --budget: what a system costs.",
     .examples = {"dsm describe vgg16", "dsm describe gnmt torus64 --format json",
                  "dsm describe torus64 --elasticity",
                  "dsm describe torus64 --budget --set system.technology=n5",
                  "dsm describe torus64 gnmt --elasticity --minibatch 1024 --threads 2",
                  "dsm describe --formats json -o formats.json"},
     .run = cli_run_describe},
    {.name = "validate",
     .bit = CLI_VALIDATE,
     .operands = "FILE...",
     .takes = {CLI_TAKES_ANY_DESCRIPTION},
     .operand_min = 1,
     .operand_max = SIZE_MAX,
     .set_roots = CLI_TAKES_WORKLOAD | CLI_TAKES_SYSTEM | CLI_TAKES_TECHNOLOGY | CLI_TAKES_SERVER |
                  CLI_TAKES_PROFILE,
     .summary = "check workloads, systems, servers, profiles, plans and sweeps",
     .description = "Checks each FILE and reports every problem, not only the first. The exit code "
                    "is the largest that any file gives.",
     .examples = {"dsm validate vgg16 torus64", "dsm validate plan.json --format json"},
     .run = cli_run_validate},
    {.name = "sweep",
     .bit = CLI_SWEEP,
     .operands = "SPEC | WORKLOAD SYSTEM | DATABASE",
     .takes = {CLI_TAKES_SWEEP | CLI_TAKES_WORKLOAD | CLI_TAKES_RL_WORKLOAD | CLI_TAKES_DATABASE,
               CLI_TAKES_SYSTEM | CLI_TAKES_PIM_SYSTEM | CLI_TAKES_DATABASE},
     .other_form = "--merge TARGET DATABASE...",
     .operand_min = 1,
     .operand_max = SIZE_MAX,
     .summary = "explore every combination of some values, into a database",
     .description = "Explores every point of a sweep, which is SPEC, a file ('dsm help sweep' "
                    "shows its keys), or WORKLOAD on SYSTEM with --vary. Each result goes to an "
                    "SQLite database as soon as it is known; after an interruption the same "
                    "command goes on from there. With DATABASE nothing is explored: its results "
                    "are shown. With --merge the first operand is the database that receives the "
                    "results of the others. Without --format the best rows are shown.",
     .examples = {"dsm sweep scratchpad_vgg16",
                  "dsm sweep vgg16 torus64 --vary system.core.scratchpad_MiB=0.5,1,2 --vary "
                  "workload.minibatch=256:1024:x2 --threads 2",
                  "dsm sweep vgg16-torus64.sqlite --best 3 --by min:step_seconds --format csv",
                  "dsm sweep scratchpad_vgg16.sqlite --pareto "
                  "min:step_seconds,min:system.core.scratchpad_MiB",
                  "dsm sweep scratchpad_vgg16 --shard 1/2",
                  "dsm sweep --merge all.sqlite scratchpad_vgg16.1-of-2.sqlite"},
     .run = cli_run_sweep},
    {.name = "score",
     .bit = CLI_SCORE,
     .operands = "PLAN | DATABASE:POINT",
     .takes = {CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_DATABASE},
     .operand_min = 1,
     .operand_max = 1,
     .summary = "predict a plan again, also one that was edited by hand",
     .description = "Reads PLAN, which explore or pim wrote and which may have been edited by "
                    "hand, and computes again all numbers that follow from its decisions. "
                    "DATABASE:POINT is the plan of a point of a sweep, by its number.",
     .examples = {"dsm score plan.json", "dsm score plan.json --explain fc1",
                  "dsm score plan.json --sensitivity",
                  "dsm score plan.json --format csv -o plan.csv"},
     .run = cli_run_score},
    {.name = "check",
     .bit = CLI_CHECK,
     .operands = "BASELINE...",
     .takes = {CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_FOLDER},
     .operand_min = 1,
     .operand_max = SIZE_MAX,
     .summary = "explore baselines again and fail if the prediction got worse",
     .description =
         "Each BASELINE is an answer as JSON. A plan that explore wrote is explored again, and "
         "compared with what it recorded: the step's time and utilization, each "
         "layer and pass, and the decisions. What pim and storage wrote is asked again; of these, "
         "and of what remat, serve and partition wrote, which hold no question and need --against, "
         "all "
         "figures and decisions are compared. A folder stands for all its *.json. A step that is "
         "slower or less utilized beyond the tolerance, or takes more joules or dollars a sample "
         "where both plans name a technology, is a regression: exit code 1; of other "
         "answers the training, the samples a second of storage, the step of a schedule, the "
         "requests a chip, TPOT and TTFT of serve, and the objective of a partition decide. The "
         "exit code "
         "is the largest that any baseline gives.",
     .examples = {"dsm explore vgg16 torus64 -o baseline.json && dsm check baseline.json",
                  "dsm check baseline.json --tolerance 2% --set system.core.scratchpad_MiB=2",
                  "dsm check baseline.json --workload vgg16 --strict",
                  ("dsm partition vgg16 cpu_2gpu -q -o partition.json && dsm check partition.json "
                   "--against partition.json"),
                  "dsm check baseline.json -o report.xml"},
     .run = cli_run_check},
    {.name = "diff",
     .bit = CLI_DIFF,
     .operands = "A B",
     .takes = {CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_DATABASE,
               CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_DATABASE},
     .operand_min = 2,
     .operand_max = 2,
     .summary = "show what differs between two plans, points of sweeps or other answers",
     .description =
         "Puts A and B side by side, each a plan that explore wrote, or DATABASE:POINT, a "
         "point of a sweep by its number: which values of workload, system and options differ, "
         "which decisions, where the time of the step goes, and which layers and passes take "
         "longer or shorter, the largest difference first. Layers are matched by name. Plans are "
         "predicted again; a point whose plan the database does not hold is explored again. Of two "
         "answers of pim, storage, remat, serve, partition, explore --ladder or calibrate, as "
         "JSON: all "
         "figures, decisions and values asked for that differ. The "
         "exit code is 0 whether they differ or not; check fails on a regression.",
     .examples = {"dsm diff baseline.json plan.json",
                  "dsm diff scratchpad_vgg16.sqlite:0 scratchpad_vgg16.sqlite:3",
                  "dsm diff plan.json scratchpad_vgg16.sqlite:3 --format json",
                  ("dsm storage deepcam summit --samples-per-second 65000 -o a.json -q && dsm "
                   "storage deepcam summit --samples-per-second 60000 -o b.json -q && dsm diff "
                   "a.json b.json")},
     .run = cli_run_diff},
    {.name = "plot",
     .bit = CLI_PLOT,
     .operands = "PLAN | DATABASE:POINT | DATABASE",
     .takes = {CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_DATABASE},
     .operand_min = 1,
     .operand_max = 1,
     .summary = "draw figures of a plan or of the points of a sweep",
     .description =
         "Draws a figure as SVG, PNG or PDF, by the ending of the output file. Of PLAN, which "
         "explore wrote, or DATABASE:POINT, a point of a sweep by its number: where the time of "
         "each layer and pass goes (loss), their parallelisms and "
         "core splits (splits), how far they are from the roof (roofline), and what a chip's "
         "memory holds over the step (memory). Of a plan that pim wrote: where the time goes over "
         "cores (breakdown), and what an update takes over tasklets (tasklets). Of what storage "
         "wrote as JSON: samples a second over the repeating factor (storage), mini-epochs over "
         "time (mini_epochs), and the roof of reading (io_roofline). Of what serve wrote: tokens "
         "of "
         "a chip over those of a user (front), and where the time of a token goes (steps). Of "
         "what partition --pareto "
         "wrote as JSON: requests per second over latency or energy (front). Of DATABASE, which "
         "sweep wrote: a result over what "
         "varies, a line a series (lines), what each of several optimizations gains (ladder), a "
         "result over two axes (heatmap), and the points that no other beats in two objectives "
         "(pareto). gnuplot has to be installed; with --script alone it need not.",
     .examples =
         {"dsm explore vgg16 torus64 -q -o plan.json && dsm plot plan.json -o loss.svg",
          "dsm plot plan.json --figure roofline -o roofline.pdf",
          "dsm plot plan.json --figure splits --script figures -o splits.png",
          ("dsm storage deepcam summit --samples-per-second 65000 -o answer.json && dsm plot "
           "answer.json -o factors.svg"),
          "dsm sweep scratchpad_vgg16 -q && dsm plot scratchpad_vgg16.sqlite -o sizes.svg",
          "dsm plot scratchpad_vgg16.sqlite --figure heatmap -o sizes.png"},
     .run = cli_run_plot},
    {.name = "report",
     .bit = CLI_REPORT,
     .operands = "PLAN | DATABASE:POINT",
     .takes = {CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_DATABASE},
     .operand_min = 1,
     .operand_max = 1,
     .summary = "write a page on a plan, for browsers",
     .description =
         "Writes a page of HTML on PLAN, which explore wrote and which may have been edited by "
         "hand. PLAN is predicted again, and its inputs are explored again with one optimization "
         "more each time. The page shows how fast the step is and where it loses utilization, the "
         "ladder of optimizations, figures, a table of all layers and passes that sorts and "
         "filters, assumptions, inputs, and the commands that make it again. It is one file that "
         "loads nothing, and it says so if the plan is not the best one of its inputs. "
         "DATABASE:POINT is the plan of a point of a sweep, by its number. A plan that pim wrote "
         "has the choice, where the time goes over cores, and the knee over tasklets; what storage "
         "wrote as JSON has the answer and its figures.",
     .examples = {"dsm report plan.json -o report.html", "dsm report plan.json >report.html"},
     .run = cli_run_report},
    {.name = "trace",
     .bit = CLI_TRACE,
     .operands = "PLAN | DATABASE:POINT",
     .takes = {CLI_TAKES_PLAN | CLI_TAKES_PIM | CLI_TAKES_DATABASE},
     .operand_min = 1,
     .operand_max = 1,
     .summary = "show the predicted step as a timeline for Perfetto",
     .description =
         "Predicts PLAN, which explore wrote, again and writes its step as a trace that Perfetto "
         "and Chrome open: one track for the passes and one for each resource of a chip (arrays, "
         "special function units, memory, ring of cores, links along X and Y). Passes, their "
         "computation and their transfers are slices, the memory of a chip is a counter. A step in "
         "stages has a track for each stage, with a slice for each micro-batch. A plan that pim "
         "wrote has one track for all cores with the same work, with a slice for each time that "
         "they load, compute and synchronise. DATABASE:POINT is the plan of a point of a sweep, by "
         "its number.",
     .examples = {"dsm trace plan.json -o step.json",
                  "dsm trace scratchpad_vgg16.sqlite:3 -o step.json",
                  "dsm trace plan.json | gzip >step.json.gz"},
     .run = cli_run_trace},
    {.name = "help",
     .bit = CLI_HELP,
     .operands = "[COMMAND | FORMAT]",
     .takes = {CLI_TAKES_COMMAND},
     .operand_word = cli_help_word,
     .operand_max = 1,
     .summary = "show help on dsm, on a command or on a file format",
     .description = "Shows what COMMAND does and its options, or all commands. FORMAT is workload, "
                    "system, server, sweep, stages or plan: shows each key of such a file, its "
                    "values, its unit and its default.",
     .examples = {"dsm help explore", "dsm help system"},
     .run = cli_run_help},
};

const size_t cli_core_command_count = sizeof cli_core_commands / sizeof *cli_core_commands;

const cli_command *cli_command_find(const char *name) {
  for (size_t i = 0; i < cli_command_count; i++) {
    if (strcmp(cli_commands[i].name, name) == 0) {
      return &cli_commands[i];
    }
  }
  return NULL;
}

static const char *command_word(size_t index) {
  return index < cli_command_count ? cli_commands[index].name : NULL;
}

cli_exit cli_command_unknown(const char *name) {
  return cli_usage_error(&cli_program, "unknown command '%s'%s", name,
                         cli_did_you_mean_word(name, command_word).text);
}

/* The formats that users write come first. */
static const dsm_description formats[] = {DSM_DESCRIPTION_WORKLOAD,   DSM_DESCRIPTION_SYSTEM,
                                          DSM_DESCRIPTION_SERVER,     DSM_DESCRIPTION_SWEEP,
                                          DSM_DESCRIPTION_STAGES,     DSM_DESCRIPTION_RL_WORKLOAD,
                                          DSM_DESCRIPTION_PIM_SYSTEM, DSM_DESCRIPTION_TECHNOLOGY,
                                          DSM_DESCRIPTION_PROFILE,    DSM_DESCRIPTION_PLAN};
/* Neither profiles nor plans are bundled, so that list has none. */
enum { FORMAT_COUNT = sizeof formats / sizeof *formats, WRITTEN_COUNT = FORMAT_COUNT - 2 };

const char *cli_help_word(size_t index) {
  return index < FORMAT_COUNT ? dsm_description_name(formats[index]) : NULL;
}

const char *cli_init_word(size_t index) {
  return index < WRITTEN_COUNT ? cli_help_word(index) : NULL;
}

const char *cli_list_word(size_t index) {
  return index == WRITTEN_COUNT ? CLI_LIST_ANSWERS : cli_init_word(index);
}

/* Of a format that has several beginnings, the others come last; and what a command is called
 * whose system a format is. */
const char *cli_template_word(size_t index) {
  static const char *const others[] = {"profile", "transformer", "serving",
                                       "dataset", "roofline",    "pim"};
  const size_t count = sizeof others / sizeof *others;
  return index < WRITTEN_COUNT           ? cli_init_word(index)
         : index - WRITTEN_COUNT < count ? others[index - WRITTEN_COUNT]
                                         : NULL;
}

size_t cli_word_index(const char *(*word)(size_t index), const char *text) {
  size_t index = 0;
  while (word(index) != NULL && strcmp(word(index), text) != 0) {
    index++;
  }
  return index;
}

bool cli_is_word(const char *(*word)(size_t index), const char *text) {
  return word(cli_word_index(word, text)) != NULL;
}

cli_exit cli_complain_of_kind(const cli_arguments *arguments, const char *kind) {
  const char *(*const word)(size_t index) = arguments->command->operand_word;
  char known[256] = "";
  for (size_t i = 0; word(i) != NULL; i++) {
    const size_t used = strlen(known);
    (void)snprintf(known + used, sizeof known - used, "%s%s",
                   i == 0                ? ""
                   : word(i + 1) == NULL ? " or "
                                         : ", ",
                   word(i));
  }
  return cli_usage_error(arguments->command, "expected %s, found '%s'%s", known, kind,
                         cli_did_you_mean_word(kind, word).text);
}

cli_exit cli_complain_of_topic(const cli_arguments *arguments, const char *word) {
  const cli_hint hint = cli_did_you_mean_word(word, cli_help_word);
  return hint.text[0] == '\0'
             ? cli_command_unknown(word)
             : cli_usage_error(arguments->command, "unknown format '%s'%s", word, hint.text);
}
