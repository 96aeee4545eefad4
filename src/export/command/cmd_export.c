/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#define CLI_ROW_ARGUMENTS cli_export_arguments
#include "cli/parse/lookup.h"
#include "cli/parse/plan_operand.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"

/* What only `export` takes. */
typedef struct cli_export_arguments {
  unsigned target; /* a dsm_export_target, if --to is given */
} cli_export_arguments;

static dsm_export_target target_of(const cli_arguments *arguments) {
  const cli_export_arguments *const own = arguments->own;
  return (dsm_export_target)own->target;
}

static cli_exit check_options(const cli_arguments *arguments) {
  if (!cli_is_given(arguments, "to")) {
    return cli_usage_error(arguments->command, "expected what the plan is for: --to TARGET");
  }
  if (arguments->output == NULL) {
    return cli_usage_error(arguments->command, "expected where the files go: -o FOLDER");
  }
  if (strcmp(arguments->output, "-") == 0) {
    return cli_usage_error(arguments->command,
                           "--output: an export is several files, which need a folder");
  }
  return CLI_EXIT_DONE;
}

/* What was made goes into the folder, and is freed. */
static cli_exit write_export(const cli_arguments *arguments, dsm_export *made, dsm_status status) {
  if (status == DSM_OK) {
    status = dsm_folder_write(arguments->output, made->files, made->file_count, arguments->diags);
  }
  cli_print_findings(arguments);
  dsm_export_free(made);
  return cli_exit_of(status);
}

static cli_exit export_plan(const cli_arguments *arguments, const cli_plan_operand *operand) {
  dsm_export *made = NULL;
  const dsm_status status =
      dsm_export_plan(&made, operand->plan, target_of(arguments), arguments->diags);
  return write_export(arguments, made, status);
}

/* An answer of a companion, in a file. */
static cli_exit export_answer(const cli_arguments *arguments, const cli_companion *of) {
  char *path = NULL;
  dsm_export *made = NULL;
  dsm_status status = cli_find_input(&path, arguments, arguments->operands[0], 0, arguments->diags);
  if (status == DSM_OK) {
    status = of->make_export(&made, path, target_of(arguments), arguments->diags);
  }
  free(path);
  return write_export(arguments, made, status);
}

static cli_exit run(const cli_arguments *arguments) {
  const cli_exit checked = check_options(arguments);
  if (checked != CLI_EXIT_DONE) {
    return checked;
  }
  for (size_t c = 0; cli_companions[c] != NULL; c++) {
    const cli_companion *const of = cli_companions[c];
    if (of->make_export != NULL && (of->targets >> target_of(arguments) & 1U) != 0) {
      return export_answer(arguments, of);
    }
  }
  return cli_use_plan(arguments, export_plan);
}

/* ---- rows ---- */

static DSM_WORDS_AT(target_word, dsm_export_target, DSM_EXPORT_TARGET_COUNT);

static const cli_option options[] = {
    {.name = "to", .argument = "TARGET", .help = "what the plan is for", WORD(target, target_word)},
    OUTPUT(0, "FOLDER", CLI_TAKES_FOLDER,
           "write the files into FOLDER, all or none; it is made, or must be empty"),
};

const cli_companion cli_companion_export = {
    .command =
        {.name = "export",
         .shares = CLI_WRITES_ALONE,
         .operands = "PLAN | DATABASE:POINT",
         .takes = {CLI_TAKES_PLAN | CLI_TAKES_DATABASE},
         .operand_min = 1,
         .operand_max = 1,
         .summary = "write a plan for a framework, another simulator, or for deployment",
         .description =
             "Writes PLAN, which explore wrote, for another program, into a new folder. For a "
             "simulator it is predicted again: astra-sim gets the workload (workload.txt) and the "
             "network (network.yml), chakra the execution trace of a chip (step.0.et), which all "
             "chips have, and the network. DATABASE:POINT is the plan of a point of a sweep, by "
             "its number. For megatron, torchtitan, deepspeed and maxtext the files are the "
             "settings with which the framework starts the training that PLAN describes "
             "(megatron_args.txt, torchtitan.toml, ds_config.json, maxtext.yml), and notes.txt on "
             "what no setting says. A plan that the framework cannot run is refused, with the "
             "reason. For vllm, tensorrt-llm and sglang PLAN is an answer of serve, and the files "
             "are the flags with which the engine serves it (vllm_args.txt, trtllm.yml, "
             "sglang_args.txt), and notes.txt. For stages PLAN is of partition, with each task in "
             "one place (--stages, --copies 1), and stages.json says what each device runs, "
             "receives and sends.",
         .examples = {"dsm export plan.json --to astra-sim -o vgg16_astra",
                      "dsm export plan.json --to chakra -o vgg16_chakra",
                      "dsm explore gpt2 dgx_h100 --parallelism data --quiet -o gpt2.json",
                      "dsm export gpt2.json --to megatron -o launch",
                      "dsm serve llama3_8b h100 --tpot 25 --quiet -o serving.json",
                      "dsm export serving.json --to vllm -o engine",
                      "dsm partition vgg16 cpu_2gpu --stages --quiet -o placed.json",
                      "dsm export placed.json --to stages -o vgg16_stages"},
         .run = run},
    .after = "trace",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_size = sizeof(cli_export_arguments),
};
