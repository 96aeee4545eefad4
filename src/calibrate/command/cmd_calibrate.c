/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_calibrate.c: constants of a system that fit measured times. */
#include <stdlib.h>
#include <string.h>

#define CLI_ROW_ARGUMENTS cli_calibrate_arguments
#include "cli/parse/comma_list.h"
#include "cli/parse/input_files.h"
#include "cli/parse/lookup.h"
#include "cli/parse/named_inputs.h"
#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"

/* What only this command is told. */
typedef struct cli_calibrate_arguments {
  const char *fit; /* paths, joined by commas; NULL: not given */
} cli_calibrate_arguments;

/* What measurements are read from. */
typedef struct measurements {
  char *path;
  char *text;
  size_t length;
  char *folder;
} measurements;

static dsm_status load(measurements *to, cli_named_inputs *in) {
  const cli_arguments *const arguments = in->arguments;
  dsm_status status =
      cli_find_input(&to->path, arguments, arguments->operands[0], 0, arguments->diags);
  if (status == DSM_OK) {
    status = cli_read_once(in, to->path, &to->text, &to->length, arguments->diags);
  }
  if (status == DSM_OK) {
    to->folder = cli_folder_of(to->path);
    status = to->folder == NULL ? cli_note_out_of_memory(arguments->diags) : DSM_OK;
  }
  return status;
}

static void measurements_fini(const measurements *of) {
  free(of->path);
  free(of->text);
  free(of->folder);
}

static bool is_system_on_stdout(const cli_arguments *arguments) {
  return arguments->output != NULL && strcmp(arguments->output, "-") == 0;
}

/* A page, where the name of the file asks for one. */
static cli_exit put_system(const cli_arguments *arguments, const dsm_calibration *calibration) {
  if (cli_ends_in(arguments->output, ".html")) {
    return cli_put_form(arguments, DSM_ANSWER(calibration, calibration), DSM_FORM_PAGE);
  }
  char *const text = dsm_calibration_print_system(calibration);
  if (text == NULL) {
    return cli_out_of_memory();
  }
  const cli_exit outcome = cli_put_text(arguments, text);
  free(text);
  return outcome;
}

/* The system goes to the output file, the report to standard output. */
static cli_exit put(const cli_arguments *arguments, const dsm_calibration *calibration) {
  cli_exit outcome = CLI_EXIT_DONE;
  if (arguments->output != NULL) {
    outcome = put_system(arguments, calibration);
  }
  if (!is_system_on_stdout(arguments)) {
    cli_arguments report = *arguments;
    report.output = NULL;
    outcome = cli_exit_max(outcome, cli_put_answer(&report, DSM_ANSWER(calibration, calibration)));
  }
  return outcome;
}

static cli_exit calibrate(cli_named_inputs *in, const measurements *measured, const cli_list *fit,
                          const dsm_system *system) {
  const cli_arguments *const arguments = in->arguments;
  const dsm_sweep_source source = {.read = cli_read_named, .context = in};
  const dsm_calibration_request request = {.text = measured->text,
                                           .length = measured->length,
                                           .file = measured->path,
                                           .folder = measured->folder,
                                           .source = &source,
                                           .system = system,
                                           .paths = fit->items,
                                           .path_count = fit->count,
                                           .thread_count = arguments->options.thread_count};
  const double start = cli_seconds_now();
  dsm_calibration *calibration = NULL;
  const dsm_status status = dsm_calibrate(&calibration, &request, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s: calibrated in %.3f s", system->name, cli_seconds_now() - start);
    outcome = put(arguments, calibration);
  }
  dsm_calibration_free(calibration);
  return outcome;
}

static cli_exit run(const cli_arguments *arguments) {
  if (is_system_on_stdout(arguments) && arguments->has_format) {
    return cli_usage_error(
        arguments->command,
        "--output - and --format exclude each other: standard output then holds the system alone");
  }
  cli_named_inputs in = {.arguments = arguments,
                         .is_stdin_read = strcmp(arguments->operands[1], "-") == 0};
  cli_list fit = {0};
  measurements measured = {0};
  const cli_calibrate_arguments *const own = arguments->own;
  const bool is_split = own->fit == NULL || cli_list_split(&fit, own->fit);
  cli_exit outcome = is_split ? CLI_EXIT_DONE : cli_out_of_memory();
  cli_input_file system = {.status = DSM_OK};
  if (outcome == CLI_EXIT_DONE) {
    system = cli_load(arguments, arguments->operands[1], DSM_DESCRIPTION_SYSTEM, arguments->diags);
    outcome = cli_exit_max(cli_exit_of(system.status), cli_exit_of(load(&measured, &in)));
    cli_print_findings(arguments);
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = calibrate(&in, &measured, &fit, system.system);
  }
  cli_input_file_fini(&system);
  measurements_fini(&measured);
  cli_list_fini(&fit);
  return outcome;
}

/* ---- rows ---- */

static const cli_option options[] = {
    {.name = "fit",
     .argument = "PATHS",
     .help = "comma-separated numbers of the system to choose (default: array.efficiency_ratio, "
             "those of the memory and of the axes, and core.operation_overhead_us, as far as the "
             "system has them)",
     NAME(CLI_READ_NAME, fit, CLI_TAKES_TEXT)},
    OUTPUT(
        0, "FILE", CLI_TAKES_FILE,
        "write the calibrated system to FILE, whole or not at all, or a page on the calibration if "
        "it ends in .html; '-' is standard output, which then has nothing else"),
};

const cli_companion cli_companion_calibrate = {
    .command =
        {.name = "calibrate",
         .shares = CLI_SHOWS | CLI_THREADED,
         .operands = "MEASUREMENTS SYSTEM",
         .takes = {CLI_TAKES_FILE, CLI_TAKES_SYSTEM},
         .operand_min = 2,
         .operand_max = 2,
         .summary = "choose constants of a system that fit measured times",
         .description =
             "Reads MEASUREMENTS, a CSV file with a row for each measured time (columns workload, "
             "minibatch, mode, parallelism, optimize, overrides, plan, layer, pass, milliseconds, "
             "note, in any order; workload and milliseconds are enough), and chooses those "
             "constants of SYSTEM that no data sheet states, so that the mean of |predicted / "
             "measured - 1| is least. Shows the error before and after; what constants that were "
             "chosen without a measurement predict for it; which constants no measurement depends "
             "on, and which cannot be told apart. The calibrated system records the spread of "
             "these predictions: explore shows it beside the step time.",
         .examples =
             {"dsm calibrate times.csv chip1 -o calibrated.json",
              "dsm calibrate times.csv chip1 --fit array.efficiency_ratio,array.startup_cycles",
              "dsm explore vgg16 calibrated.json --mode inference"},
         .run = run},
    .after = "check",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_size = sizeof(cli_calibrate_arguments),
};
