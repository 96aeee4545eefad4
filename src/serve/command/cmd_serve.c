/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_serve.c: what serving a language model gives. */
#define CLI_ROW_ARGUMENTS serve_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"
#include "dsm/limits.h"

/* Bounds that no use comes near. */
#define ABOVE_0 1e-9
#define MS_MOST 1e6
#define RATE_MOST 1e12

/* What only `serve` takes. */
typedef struct serve_arguments {
  dsm_serving_options options;
  size_t input;
  double output; /* 0 is a number of tokens too */
  size_t prefill_batch;
  size_t chips;
  size_t explained; /* requests of the step whose plan is wanted; 0: none */
  double ttft_ms;
  double tpot_ms;
} serve_arguments;

static void init(void *arguments) {
  serve_arguments *const own = arguments;
  dsm_serving_options_init(&own->options);
  own->input = own->options.input_tokens;
  own->prefill_batch = own->options.prefill_batch;
  own->output = (double)own->options.output_tokens;
}

/* Findings about options begin with their names. */
static cli_exit complain(const cli_arguments *arguments, dsm_status status) {
  if (status == DSM_ERROR_USAGE && dsm_diags_count(arguments->diags) > 0) {
    (void)cli_usage_error(arguments->command, "--%s", dsm_diags_get(arguments->diags, 0)->message);
    dsm_diags_clear(arguments->diags);
  }
  return cli_tell(arguments, status);
}

/* The plan of a step, as explore has it. */
static cli_exit put_step(const cli_arguments *arguments, const dsm_workload *workload,
                         const dsm_system *system, const dsm_serving_options *options) {
  const serve_arguments *const own = arguments->own;
  dsm_plan *plan = NULL;
  cli_exit outcome = complain(arguments, dsm_serve_step(&plan, workload, system, options,
                                                        own->explained, arguments->diags));
  if (plan != NULL) {
    outcome = cli_put_answer(arguments, DSM_ANSWER(plan, plan));
  }
  dsm_plan_free(plan);
  return outcome;
}

static cli_exit answer(const cli_arguments *arguments, const cli_input_file *workload,
                       const cli_input_file *system) {
  static const double ms = 1e-3;
  const serve_arguments *const own = arguments->own;
  dsm_serving_options options = own->options;
  options.input_tokens = own->input;
  options.output_tokens = (uint64_t)own->output;
  options.prefill_batch = own->prefill_batch;
  options.chips = own->chips;
  options.has_changes = true;
  options.ttft_seconds = own->ttft_ms * ms;
  options.tpot_seconds = own->tpot_ms * ms;
  if ((double)options.output_tokens != own->output) {
    return cli_usage_error(arguments->command,
                           "--output-tokens: expected a whole number of tokens");
  }
  if (own->explained > 0) {
    return put_step(arguments, workload->workload, system->system, &options);
  }
  dsm_serving *serving = NULL;
  const double start = cli_seconds_now();
  const dsm_status status =
      dsm_serve(&serving, workload->workload, system->system, &options, arguments->diags);
  cli_exit outcome = complain(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s: %llu steps explored, %.3f s", serving->name,
            (unsigned long long)serving->explorations, cli_seconds_now() - start);
    outcome = cli_put_answer(arguments, DSM_ANSWER(serving, serving));
  }
  dsm_serving_free(serving);
  return outcome;
}

static cli_exit run(const cli_arguments *arguments) {
  return cli_use_pair(arguments, DSM_DESCRIPTION_WORKLOAD, DSM_DESCRIPTION_SYSTEM, answer);
}

static const cli_companion_answer own_answer = {.kind = &dsm_answer_serving,
                                                .commands = CLI_DIFF | CLI_PLOT | CLI_REPORT,
                                                .expected = "a plan",
                                                .found = "an answer of serving",
                                                .hint =
                                                    "these show it: dsm report, dsm plot, dsm diff",
                                                .what = "an answer of serving"};

static dsm_status export_engine(dsm_export **made, const char *path, dsm_export_target target,
                                dsm_diags *diags) {
  dsm_answer serving;
  dsm_status status = dsm_answer_load(&serving, &dsm_answer_serving, path, diags);
  if (status == DSM_OK) {
    status = dsm_export_serving(made, serving.of, target, diags);
  }
  dsm_answer_free(&serving);
  return status;
}

static const cli_option options[] = {
    SET(0, "change a value of an input, such as workload.weight_bytes=1 or "
           "system.chip.memory.capacity_GB=141; may be given several times"),
    {.name = "input-tokens",
     .argument = "N",
     .help = "tokens of a request (default: 1024)",
     COUNT(input, DSM_SIDE_MAX)},
    {.name = "output-tokens",
     .argument = "N",
     .help = "tokens of its answer, 0 for a network that only reads, such as an encoder (default: "
             "256)",
     NUMBER(output, 0, DSM_SIDE_MAX)},
    {.name = "prefix-hit",
     .argument = "RATIO",
     .help = "share of the input that is in the cache already, such as 50% (default: 0)",
     RATIO(options.prefix_hit, CLI_READ_RATIO)},
    {.name = "prefill-batch",
     .argument = "N",
     .help = "requests that are prefilled together (default: 1)",
     COUNT(prefill_batch, DSM_SERVING_BATCH_MAX)},
    {.name = "ttft",
     .argument = "MS",
     .help = "longest mean time to the first token, in milliseconds (default: any)",
     NUMBER(ttft_ms, ABOVE_0, MS_MOST)},
    {.name = "tpot",
     .argument = "MS",
     .help = "longest mean time between two later tokens, in milliseconds (default: any)",
     NUMBER(tpot_ms, ABOVE_0, MS_MOST)},
    {.name = "rate",
     .argument = "R",
     .help = "requests a second, which arrive at random: find the fewest chips that serve them "
             "within the limits",
     NUMBER(options.rate, ABOVE_0, RATE_MOST)},
    {.name = "disaggregate",
     .help = "find also how many instances should only prefill, and how many only decode, to serve "
             "most requests",
     FLAG(options.is_disaggregated)},
    {.name = "instance",
     .argument = "AXIS=N,...",
     .help = "chips of instances along each axis, such as gpu=4,8 or gpu=8,node=1,2 (default: 1, "
             "then divisors of ever more axes, the innermost first)",
     NAME(CLI_READ_NAME, options.instances, CLI_TAKES_TEXT)},
    {.name = "explain-batch",
     .argument = "B",
     .help = "instead, the plan of a decode step of B requests on the largest instance, which "
             "explore, report, trace and others read; of a prefill with --output-tokens 0 or 1",
     COUNT(explained, DSM_SERVING_BATCH_MAX)},
    {.name = "chips",
     .argument = "N",
     .help = "chips that may be used (default: those of the system)",
     COUNT(chips, (double)DSM_PRODUCT_MAX)},
    {.name = "gap",
     .argument = "RATIO",
     .help = "how far from the optimum the front may be, such as 1%; more explores less (default: "
             "5%)",
     RATIO(options.gap, CLI_READ_RATIO)},
};

static const cli_rule rules[] = {
    {0, {"disaggregate"}, {"rate"}, EXCLUDES},
    {0, {"explain-batch"}, {"ttft", "tpot", "rate", "disaggregate", "gap"}, EXCLUDES},
};

const cli_companion cli_companion_serve = {
    .command =
        {.name = "serve",
         .shares = CLI_SHOWS | CLI_WRITES | CLI_IMPORTS,
         .operands = "WORKLOAD SYSTEM",
         .takes = {CLI_TAKES_WORKLOAD, CLI_TAKES_SYSTEM},
         .operand_min = 2,
         .operand_max = 2,
         .summary = "find out how many tokens users and chips get of a language model",
         .description =
             "Serves WORKLOAD, a transformer, on instances of SYSTEM: all of its chips, or equal "
             "parts of them. The more requests an instance runs together, the more tokens a second "
             "its chips make, and the fewer each user gets. The answer is the best of both, the "
             "front: for each number of requests the tokens a second of a user and of a chip, the "
             "time to the first token (TTFT), the time between later ones (TPOT), the memory, and "
             "how far the front is from the optimum at most. --ttft and --tpot leave out what is "
             "too slow; with --rate it finds the fewest chips.",
         .examples =
             {"dsm serve llama3_70b dgx_h100 --chips 8",
              "dsm serve llama3_8b h100 --input-tokens 2048 --output-tokens 128 --tpot 20",
              "dsm serve llama3_70b dgx_h100 --instance gpu=4 --explain-batch 50 -o step.json",
              "dsm serve llama3_8b dgx_h100 --rate 40 --ttft 500 --tpot 25",
              "dsm serve bert_base h100 --input-tokens 128 --output-tokens 0 --prefill-batch 64"},
         .run = run},
    .after = "check",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .rules = rules,
    .rule_count = sizeof rules / sizeof *rules,
    .arguments_size = sizeof(serve_arguments),
    .init = init,
    .answer = &own_answer,
    .make_export = export_engine,
    .targets = 1U << DSM_EXPORT_VLLM | 1U << DSM_EXPORT_TENSORRT_LLM | 1U << DSM_EXPORT_SGLANG,
};
