/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rows/rows.h"

#include <stdint.h>

#define EVERYWHERE (~0U)
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const cli_manual_item exit_codes[] = {
    {"0", "done", "Done.", EVERYWHERE},
    {"1", "check found a regression",
     "A prediction got slower or less utilized than its baseline, beyond the tolerance.",
     CLI_PROGRAM | CLI_CHECK},
    {"2", "wrong usage",
     "Wrong usage: an unknown command or option, a bad argument, or an output that would overwrite "
     "what must stay.",
     EVERYWHERE},
    {"3", "invalid input",
     "Invalid input. Each finding names the file, the line, the JSON path, what was expected and "
     "what was found.",
     EVERYWHERE},
    {"4", "valid but infeasible",
     "The input is valid, but nothing satisfies its constraints. The message names the one that "
     "binds.",
     EVERYWHERE},
    {"5", "a file, memory or another program failed",
     "A file is missing, unreadable or not writable, memory ran out, or another program is "
     "missing.",
     EVERYWHERE},
    {"130", "interrupted", "Interrupted by a signal.", EVERYWHERE},
    {"141", "standard output was closed",
     "Standard output is a pipe whose reader has gone, as head does: the program ends by SIGPIPE, "
     "without a message, after it has closed its files. Shells report that as 141.",
     EVERYWHERE},
};
const cli_manual_list cli_exit_codes = {"EXIT STATUS", exit_codes, COUNT_OF(exit_codes)};

static const cli_manual_item environment[] = {
    {"DSM_PATH", NULL,
     "Folders, separated by colons. A name without a slash that is not a file in the current "
     "folder is looked for there, with and without .json, and then among the bundled descriptions.",
     EVERYWHERE & ~(unsigned)CLI_HELP},
    {"NO_COLOR", NULL, "If it is set and not empty, --color auto means never.",
     EVERYWHERE & ~(unsigned)CLI_HELP},
};
const cli_manual_list cli_environment = {"ENVIRONMENT", environment, COUNT_OF(environment)};

static const cli_manual_item files[] = {
    {"../share/dsm/workloads, systems, technologies, sweeps, servers", NULL,
     "The bundled descriptions, beside the folder of the program. They are found by name, such as "
     "vgg16 or torus64.json.",
     EVERYWHERE & ~(unsigned)CLI_HELP},
    {"../share/dsm/schemas", NULL, "JSON Schemas of all formats.",
     EVERYWHERE & ~(unsigned)CLI_HELP},
    {"../share/doc/dsm", NULL, "The guide and the other documents, where they are installed.",
     CLI_PROGRAM},
};
const cli_manual_list cli_files = {"FILES", files, COUNT_OF(files)};

const cli_command cli_mpi_program = {
    .bit = CLI_SWEEP,
    .operands = "sweep SPEC | WORKLOAD SYSTEM | DATABASE",
    .other_form = "sweep --merge TARGET DATABASE...",
    .operand_max = SIZE_MAX,
    .summary = "explore every point of a design space on the ranks of an MPI job",
    .description =
        "What dsm sweep does, on all ranks of an MPI job: rank 0 hands out the points and writes "
        "the database, every rank explores with --threads threads. The exported results are the "
        "same bytes for any number of ranks. Started without mpirun it is a job of one rank.",
    .examples = {"mpirun -n 2 dsm-mpi sweep scratchpad_vgg16 --threads 1"},
};
