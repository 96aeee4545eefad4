/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_import.c: a file of another program as a workload, files of profilers as a profile; and the
 * files that every command takes as workloads. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CLI_ROW_ARGUMENTS cli_import_arguments
#include "cli/parse/imports.h"
#include "cli/parse/input_files.h"
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "dsm/limits.h"

/* What only `import` takes. */
typedef struct cli_import_arguments {
  unsigned format;      /* of --from, where that is given */
  unsigned target;      /* of --to, where that is given: a profile */
  const char *as;       /* NULL: not given */
  const char *workload; /* whose layers were timed; NULL: not given */
  size_t minibatch;     /* 0: not given */
  size_t batch;         /* of a profile; 0: not given */
  unsigned padding;     /* a dsm_import_padding */
  bool is_strict;
} cli_import_arguments;

/* ---- files of other programs ---- */

/* What the arguments of any command say of how such files are read. */
static dsm_import_options options_of(const cli_arguments *arguments) {
  dsm_import_options options;
  dsm_import_options_init(&options);
  options.dimensions = arguments->dimensions;
  options.dimension_count = arguments->dimension_count;
  return options;
}

static dsm_status convert(char **text, size_t *length, const char *path,
                          const cli_arguments *arguments, dsm_diags *diags) {
  const dsm_import_options options = options_of(arguments);
  return dsm_import_recognise(*text, *length, path) == DSM_IMPORT_FORMAT_COUNT
             ? DSM_OK
             : dsm_import_text(text, length, *text, *length, path, &options, diags);
}

/* ---- networks ---- */

static cli_exit import_network(const cli_arguments *arguments) {
  const char *const path = arguments->operands[0];
  const cli_import_arguments *const own = arguments->own;
  dsm_import_options options = options_of(arguments);
  char *bytes = NULL;
  char *text = NULL;
  size_t byte_count = 0;
  size_t length = 0;
  options.is_strict = own->is_strict;
  options.minibatch = own->minibatch;
  options.as = own->as;
  options.padding = (dsm_import_padding)own->padding;
  if (cli_is_given(arguments, "from")) {
    options.format = (dsm_import_format)own->format;
  }
  dsm_status status = cli_read_foreign(&bytes, &byte_count, path, arguments->diags);
  if (status == DSM_OK) {
    status = dsm_import_text(&text, &length, bytes, byte_count, path, &options, arguments->diags);
  }
  cli_print_findings(arguments);
  const cli_exit outcome = status == DSM_OK ? cli_put_text(arguments, text) : cli_exit_of(status);
  free(bytes);
  free(text);
  return outcome;
}

/* ---- profiles ---- */

/* "DEVICE=FILE": what stands before the first '=' of a file, unless that is in a folder. */
static dsm_profile_file split_operand(char *operand) {
  char *const equals = strchr(operand, '=');
  if (equals == NULL || equals == operand ||
      memchr(operand, '/', (size_t)(equals - operand)) != NULL) {
    return (dsm_profile_file){.path = operand};
  }
  *equals = '\0';
  return (dsm_profile_file){.device = operand, .path = equals + 1};
}

static void free_files(dsm_profile_file *files, char **texts, size_t count) {
  for (size_t f = 0; texts != NULL && f < count; f++) {
    free(texts[f]);
  }
  free(texts);
  free(files);
}

/* All files are read, so that the problems of all are reported. */
static cli_exit read_files(dsm_profile_file *files, char **texts, const cli_arguments *arguments) {
  dsm_status status = DSM_OK;
  for (size_t f = 0; f < arguments->operand_count; f++) {
    files[f] = split_operand(arguments->operands[f]);
    const dsm_status one =
        dsm_file_read(&texts[f], &files[f].length, files[f].path, arguments->diags);
    files[f].bytes = texts[f];
    status = one == DSM_OK ? status : one;
  }
  return cli_exit_of(status);
}

static cli_exit write_profile(const cli_arguments *arguments, const dsm_profile_file *files,
                              const dsm_workload *workload) {
  const cli_import_arguments *const own = arguments->own;
  const dsm_profile_import_options options = {
      .workload = workload, .batch = own->batch > 0 ? own->batch : 1, .is_strict = own->is_strict};
  char *text = NULL;
  const dsm_status status =
      dsm_profile_import(&text, files, arguments->operand_count, &options, arguments->diags);
  cli_print_findings(arguments);
  const cli_exit outcome = status == DSM_OK ? cli_put_text(arguments, text) : cli_exit_of(status);
  free(text);
  return outcome;
}

static cli_exit import_profile(const cli_arguments *arguments) {
  const cli_import_arguments *const own = arguments->own;
  cli_input_file network = {.status = DSM_OK};
  const size_t count = arguments->operand_count;
  dsm_profile_file *const files = calloc(count, sizeof *files);
  char **const texts = calloc(count, sizeof *texts);
  if (files == NULL || texts == NULL) {
    free_files(files, texts, 0);
    return cli_out_of_memory();
  }
  cli_exit outcome = read_files(files, texts, arguments);
  if (own->workload != NULL) {
    network = cli_load(arguments, own->workload, DSM_DESCRIPTION_WORKLOAD, arguments->diags);
    outcome = cli_exit_max(outcome, cli_exit_of(network.status));
  }
  if (outcome == CLI_EXIT_DONE) {
    outcome = write_profile(arguments, files, network.workload);
  } else {
    cli_print_findings(arguments);
  }
  cli_input_file_fini(&network);
  free_files(files, texts, count);
  return outcome;
}

static cli_exit run(const cli_arguments *arguments) {
  if (cli_is_given(arguments, "to")) {
    return import_profile(arguments);
  }
  return arguments->operand_count == 1
             ? import_network(arguments)
             : cli_usage_error(arguments->command,
                               "expected FILE, found one more: '%s' (several are taken with --to "
                               "profile)",
                               arguments->operands[1]);
}

/* ---- options ---- */

static DSM_WORDS_AT(padding_word, dsm_import_padding, DSM_IMPORT_PADDING_COUNT);
static DSM_WORDS_AT(format_word, dsm_import_format, DSM_IMPORT_FORMAT_COUNT);

static const char *target_word(size_t index) {
  return index == 0 ? dsm_description_name(DSM_DESCRIPTION_PROFILE) : NULL;
}

static cli_exit add_dimension(cli_arguments *arguments, const cli_option *option, const char *name,
                              size_t size) {
  if (arguments->dimension_count == DSM_IMPORT_DIMENSIONS_MAX) {
    return cli_usage_error(arguments->command, "--%s: expected it at most %d times, found more",
                           option->name, DSM_IMPORT_DIMENSIONS_MAX);
  }
  arguments->dimensions[arguments->dimension_count++] =
      (dsm_import_dimension){.name = name, .size = size};
  return CLI_EXIT_DONE;
}

/* The text is split where it stands: the name is what is before the last '='. */
static cli_exit apply_dimension(cli_arguments *arguments, const cli_option *option, char *value) {
  char *const equals = strrchr(value, '=');
  size_t size = 0;
  if (equals == NULL || equals == value ||
      !cli_parse_size(equals + 1, 1, DSM_DIMENSION_MAX, &size)) {
    return cli_usage_error(arguments->command,
                           "--%s: expected NAME=N, N a whole number from 1 to %d, found '%s'",
                           option->name, DSM_DIMENSION_MAX, value);
  }
  *equals = '\0';
  return add_dimension(arguments, option, value, size);
}

static cli_exit apply_sequence(cli_arguments *arguments, const cli_option *option, char *value) {
  size_t size = 0;
  if (!cli_parse_size(value, 1, DSM_SIDE_MAX, &size)) {
    return cli_usage_error(arguments->command,
                           "--%s: expected a whole number from 1 to %d, found '%s'", option->name,
                           DSM_SIDE_MAX, value);
  }
  return add_dimension(arguments, option, "sequence", size);
}

/* Commands that take such files as workloads. */
#define READ_IMPORTS                                                                               \
  (CLI_EXPLORE | CLI_DESCRIBE | CLI_VALIDATE | CLI_SWEEP | CLI_SEARCHES | CLI_IMPORTS)

static const cli_option options[] = {
    {.name = "minibatch",
     .argument = "N",
     .help = "samples in a step (default: those of the file, or 1)",
     COUNT(minibatch, DSM_DIMENSION_MAX)},
    {.name = "from",
     .argument = "FORMAT",
     .help = "the format of FILE (default: what is recognised)",
     WORD(format, format_word)},
    {.name = "padding",
     .argument = "RULE",
     .help = "padding of a table of convolutions that states none: valid (no padding, the default) "
             "or same (as many outputs as inputs over the stride)",
     WORD(padding, padding_word)},
    {.name = "dimension",
     .argument = "NAME=N",
     .help = "the size of a dimension that an imported file leaves open: NAME is its name there, "
             "or INPUT.AXIS if it has none. The first dimension of an input is 1 by default. May "
             "be given several times",
     .commands = READ_IMPORTS,
     .takes = CLI_TAKES_TEXT,
     OWN(apply_dimension)},
    {.name = "sequence",
     .argument = "N",
     .help = "positions (tokens) of a sample: the same as --dimension sequence=N",
     .takes = CLI_TAKES_TEXT,
     OWN(apply_sequence)},
    {.name = "as",
     .argument = "TYPE",
     .help = "read a config.json of a hub as if its model_type were TYPE, such as llama, and list "
             "the keys that were not read",
     TEXT(as, CLI_TAKES_TEXT)},
    {.name = "strict", .help = "fail if anything is approximated or left out", FLAG(is_strict)},
    {.name = "workload",
     .argument = "FILE",
     .help = "the network whose layers were timed, for their sizes and connections",
     TEXT(workload, CLI_TAKES_WORKLOAD)},
    {.name = "batch",
     .argument = "N",
     .help = "samples of a request (default: 1)",
     COUNT(batch, DSM_DIMENSION_MAX)},
    SET(0, "change a value of --workload, such as workload.element_bytes=4; may be given "
           "several times"),
    {.name = "to",
     .argument = "TARGET",
     .help = "profile: the files hold times of layers and become a profile for partition (default: "
             "a workload, or a part of a system)",
     WORD(target, target_word)},
    OUTPUT(0, "FILE", CLI_TAKES_FILE,
           "write the workload to FILE, whole or not at all. '-' is standard output"),
};

static const cli_rule rules[] = {
    {0, {"from", "minibatch", "padding", "as"}, {"to"}, .value = " profile", EXCLUDES},
    {0, {"workload", "batch", "set"}, {"to"}, NEEDS, .value = " profile"},
};

const cli_companion cli_companion_import = {
    .command = {.name = "import",
                .shares = CLI_WRITES_ALONE,
                .operands = "FILE",
                .other_form = "--to profile [DEVICE[@BATCH]=]FILE...",
                .takes = {CLI_TAKES_FILE},
                .operand_min = 1,
                .operand_max = SIZE_MAX,
                .set_roots = CLI_TAKES_WORKLOAD,
                .summary = "convert a file of another program into a description",
                .description = "Reads FILE, a network that another program wrote ('-' is standard "
                               "input), and writes it "
                               "as a workload: to standard output, or with --output to a file. The "
                               "format is recognised "
                               "from the contents. Notes say what was approximated or left out; "
                               "what cannot be read is "
                               "an error. Every command that takes a WORKLOAD takes such a file "
                               "too, and reads it in the "
                               "same way. A file that describes hardware becomes a part of a "
                               "system. With --to profile "
                               "the files are those of profilers (ONNX Runtime, trtexec, PyTorch, "
                               "or CSV), of one device "
                               "or several, and become a profile for partition.",
                .examples = {"dsm import model.onnx -o network.json",
                             "dsm import model.onnx --dimension batch=32 --strict -o network.json",
                             "dsm import config.json --sequence 2048 -o llama.json",
                             "dsm explore model.onnx torus64"},
                .run = run},
    .after = "init",
    .before = "fit",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .arguments_size = sizeof(cli_import_arguments),
    .convert = convert,
};
