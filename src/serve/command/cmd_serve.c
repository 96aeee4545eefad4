/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_serve.c: what serving a language model gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLI_ROW_ARGUMENTS serve_arguments
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"
#include "dsm/file.h"
#include "dsm/limits.h"

/* Bounds that no use comes near. */
#define ABOVE_0 1e-9
#define MS_MOST 1e6
#define RATE_MOST 1e12
#define REQUESTS_MOST 256

#define SPECULATED_MOST 1024

/* A chance, as a number or of a hundred. */
static const cli_unit shares[] = {{"%", 0.01}, {"", 1}};

/* What only `serve` takes. */
typedef struct serve_arguments {
  dsm_serving_options options;
  size_t input;
  double output; /* 0 is a number of tokens too */
  size_t prefill_batch;
  size_t chunk;
  const char *lengths;
  const char *speculate;
  size_t simulate;
  size_t seed;
  const char *requests;
  size_t chips;
  size_t explained; /* requests of the step whose plan is wanted; 0: none */
  double ttft_ms;
  double tpot_ms;
} serve_arguments;

static void init(void *arguments) {
  serve_arguments *const own = arguments;
  dsm_serving_options_init(&own->options);
  own->input = own->options.input_tokens;
  own->seed = own->options.seed;
  own->output = (double)own->options.output_tokens;
}

/* Findings about options begin with their names and a colon. */
static cli_exit complain(const cli_arguments *arguments, dsm_status status) {
  const char *const message = status == DSM_ERROR_USAGE && dsm_diags_count(arguments->diags) > 0
                                  ? dsm_diags_get(arguments->diags, 0)->message
                                  : "";
  if (message[strcspn(message, ": ")] == ':') {
    (void)cli_usage_error(arguments->command, "--%s", message);
    dsm_diags_clear(arguments->diags);
  }
  return cli_tell(arguments, status);
}

static dsm_status load_lengths(const cli_arguments *arguments, dsm_serving_lengths **lengths) {
  const serve_arguments *const own = arguments->own;
  char *text = NULL;
  size_t length = 0;
  if (own->lengths == NULL) {
    return DSM_OK;
  }
  dsm_status status = dsm_file_read(&text, &length, own->lengths, arguments->diags);
  if (status == DSM_OK) {
    status = dsm_serving_lengths_parse(lengths, text, length, own->lengths, arguments->diags);
  }
  free(text);
  return status;
}

/* K,ACCEPTANCE[,DRAFT] */
static cli_exit take_speculation(const cli_arguments *arguments, dsm_serving_options *options,
                                 cli_input_file *draft) {
  const serve_arguments *const own = arguments->own;
  char text[64];
  if (own->speculate == NULL) {
    return CLI_EXIT_DONE;
  }
  const size_t number = strcspn(own->speculate, ",");
  const char *const chance = own->speculate + number + (own->speculate[number] == ',' ? 1 : 0);
  const size_t length = strcspn(chance, ",");
  size_t speculated = 0;
  bool is_good = number < sizeof text && length > 0 && length < sizeof text;
  if (is_good) {
    (void)snprintf(text, sizeof text, "%.*s", (int)number, own->speculate);
    is_good = cli_parse_size(text, 1, SPECULATED_MOST, &speculated);
    (void)snprintf(text, sizeof text, "%.*s", (int)length, chance);
    const cli_unit *const unit = cli_read_amount(text, shares, 1, &options->acceptance);
    is_good = is_good && unit != NULL;
    options->acceptance *= is_good ? unit->worth : 0;
  }
  if (!is_good) {
    return cli_usage_error(
        arguments->command,
        "--speculate: expected 1 to %d tokens, a chance above 0 such as 70%%, and if "
        "there is one a draft, found '%s'",
        SPECULATED_MOST, own->speculate);
  }
  options->speculated_tokens = speculated;
  if (chance[length] == ',') {
    *draft = cli_load(arguments, chance + length + 1, DSM_DESCRIPTION_WORKLOAD, arguments->diags);
    options->draft = draft->workload;
    return cli_tell(arguments, draft->status);
  }
  return CLI_EXIT_DONE;
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

/* Numbers of requests, separated by commas. False: they are none. */
static bool read_requests(const char *text, uint64_t *requests, size_t *count) {
  *count = 0;
  while (text != NULL && *count < REQUESTS_MOST) {
    char word[24];
    size_t number;
    const size_t length = strcspn(text, ",");
    (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (length >= sizeof word || !cli_parse_size(word, 1, DSM_SERVING_BATCH_MAX, &number)) {
      return false;
    }
    requests[(*count)++] = number;
    text = text[length] == ',' ? text + length + 1 : NULL;
  }
  return text == NULL;
}

static cli_exit answer(const cli_arguments *arguments, const cli_input_file *workload,
                       const cli_input_file *system) {
  static const double ms = 1e-3;
  uint64_t requests[REQUESTS_MOST];
  const serve_arguments *const own = arguments->own;
  dsm_serving_options options = own->options;
  options.input_tokens = own->input;
  options.output_tokens = (uint64_t)own->output;
  options.prefill_batch = own->prefill_batch;
  options.chunk_tokens = own->chunk;
  options.simulated_requests = own->simulate;
  options.seed = own->seed;
  options.chips = own->chips;
  options.has_changes = true;
  options.ttft_seconds = own->ttft_ms * ms;
  options.tpot_seconds = own->tpot_ms * ms;
  options.parallelisms = arguments->options.parallelisms;
  memcpy(options.roles, arguments->options.roles, sizeof options.roles);
  options.requests = own->requests == NULL ? NULL : requests;
  if (!read_requests(own->requests, requests, &options.request_count)) {
    return cli_usage_error(arguments->command,
                           "--requests: expected at most %d numbers from 1 to %d, separated by "
                           "commas, found '%s'",
                           REQUESTS_MOST, DSM_SERVING_BATCH_MAX, own->requests);
  }
  if ((double)options.output_tokens != own->output) {
    return cli_usage_error(arguments->command,
                           "--output-tokens: expected a whole number of tokens");
  }
  cli_input_file draft = {.status = DSM_OK};
  const cli_exit taken = take_speculation(arguments, &options, &draft);
  if (taken != CLI_EXIT_DONE) {
    cli_input_file_fini(&draft);
    return taken;
  }
  if (own->explained > 0) {
    const cli_exit outcome = put_step(arguments, workload->workload, system->system, &options);
    cli_input_file_fini(&draft);
    return outcome;
  }
  dsm_serving *serving = NULL;
  dsm_serving_lengths *lengths = NULL;
  const double start = cli_seconds_now();
  dsm_status status = load_lengths(arguments, &lengths);
  if (status == DSM_OK) {
    options.lengths = lengths;
    status = dsm_serve(&serving, workload->workload, system->system, &options, arguments->diags);
  }
  cli_exit outcome = complain(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s: %llu steps explored, %.3f s", serving->name,
            (unsigned long long)serving->explorations, cli_seconds_now() - start);
    outcome = cli_put_answer(arguments, DSM_ANSWER(serving, serving));
  }
  dsm_serving_free(serving);
  dsm_serving_lengths_free(lengths);
  cli_input_file_fini(&draft);
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
    {.name = "lengths",
     .argument = "FILE",
     .help = "requests of a trace in place of both: CSV with the columns input_tokens, "
             "output_tokens and, if it is known, arrival_seconds",
     NAME(CLI_READ_NAME, lengths, CLI_TAKES_FILE)},
    {.name = "prefix-hit",
     .argument = "RATIO",
     .help = "prefix caching: share of the input that is in the KV cache already, such as 50% "
             "(default: 0)",
     RATIO(options.prefix_hit, CLI_READ_RATIO)},
    {.name = "prefill-batch",
     .argument = "N",
     .help = "requests that are prefilled together (default: as many as end in the same step, "
             "with 8192 new tokens at most; 1 with --disaggregate, and with --rate where that "
             "serves it)",
     COUNT(prefill_batch, DSM_SERVING_BATCH_MAX)},
    {.name = "chunk",
     .argument = "N",
     .help = "chunked prefill: tokens of a prompt that share a step with decodes of other requests "
             "(default: the whole prompt, in a step of its own)",
     COUNT(chunk, DSM_SIDE_MAX)},
    {.name = "requests",
     .argument = "N,...",
     .help = "only these batches (concurrencies), on all chips, in place of the front; requests "
             "that do not fit the memory wait",
     TEXT(requests, CLI_TAKES_TEXT)},
    {.name = "waves",
     .argument = "N",
     .help = "a benchmark, which begins with all requests at once and has N times as many, one "
             "after the other (default: a run without a beginning)",
     NUMBER(options.waves, 1, RATE_MOST)},
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
     .help = "find also how many instances should only prefill and how many only decode: to serve "
             "most requests, or with --rate to serve it with the fewest chips",
     FLAG(options.is_disaggregated)},
    {.name = "speculate",
     .argument = "K,ACCEPTANCE[,DRAFT]",
     .help = "speculative decoding: a decode step checks K tokens; the acceptance rate, such as "
             "70%, is the chance of each if those before it are accepted; DRAFT, a workload, makes "
             "them one by one (default: heads of WORKLOAD do, which are among its layers)",
     TEXT(speculate, CLI_TAKES_TEXT)},
    {.name = "simulate",
     .argument = "N",
     .help = "simulate N requests event by event, with --rate at one of the instances, else at the "
             "best point: means, percentiles (P50, P90, P99) and goodput (default: none)",
     COUNT(simulate, DSM_SERVING_REQUESTS_MAX)},
    {.name = "seed",
     .argument = "N",
     .help = "number with which random numbers begin (default: 1)",
     COUNT(seed, (double)DSM_PRODUCT_MAX)},
    {.name = "instance",
     .argument = "AXIS=N,...",
     .help = "chips of instances along each axis, such as gpu=4,8 or gpu=8,node=1,2 (default: 1, "
             "then divisors of ever more axes, the innermost first)",
     NAME(CLI_READ_NAME, options.instances, CLI_TAKES_TEXT)},
    {.name = "explain-batch",
     .argument = "B",
     .help = "instead, the plan of a decode step of B requests on the largest instance, which "
             "score, report, trace and others read; of a prefill with --output-tokens 0 or 1",
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
    {0, {"lengths"}, {"input-tokens", "output-tokens"}, EXCLUDES},
    {0, {"seed"}, {"simulate"}, NEEDS},
    {0, {"chunk"}, {"disaggregate"}, EXCLUDES},
    {0, {"chunk"}, {"prefill-batch", "waves"}, EXCLUDES},
    {0,
     {"explain-batch"},
     {"ttft", "tpot", "rate", "disaggregate", "gap", "chunk", "simulate", "lengths"},
     EXCLUDES},
    {0, {"requests"}, {"rate", "disaggregate", "explain-batch"}, EXCLUDES},
    {0, {"waves"}, {"requests"}, NEEDS},
};

const cli_companion cli_companion_serve = {
    .command =
        {.name = "serve",
         .shares = CLI_SHOWS | CLI_WRITES | CLI_SPLITS | CLI_IMPORTS,
         .operands = "WORKLOAD SYSTEM",
         .takes = {CLI_TAKES_WORKLOAD, CLI_TAKES_SYSTEM},
         .operand_min = 2,
         .operand_max = 2,
         .summary = "find out how many tokens users and chips get of a language model",
         .description =
             "Serves WORKLOAD, a transformer, on instances of SYSTEM: all of its chips, or equal "
             "parts of them. The more requests an instance runs together (its batch), the more "
             "tokens a second its chips make, and the fewer each user gets. The answer is the best "
             "of both, the front: for each batch the tokens a second of a user and of a chip, the "
             "time to the first token (TTFT), the time between later ones (TPOT), the memory, and "
             "how far the front is from the optimum at most. --ttft and --tpot leave out what is "
             "too slow; with --rate it finds the fewest chips. The last table says what would make "
             "it cheaper.",
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
