/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_pim.c: tables of values on cores in memory. */
#include <stdlib.h>

#define CLI_ROW_ARGUMENTS pim_arguments
#include "cli/parse/comma_list.h"
#include "cli/parse/option_values.h"
#include "cli/rows/companion_command.h"
#include "cli/rows/option_row.h"
#include "cli/run/complain.h"
#include "cli/run/explored.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"
#include "dsm/limits.h"

/* Whole numbers to choose from. */
typedef struct counts {
  uint64_t *items; /* malloc'ed */
  size_t count;
} counts;

/* What only `pim` takes. */
typedef struct pim_arguments {
  counts cores;
  counts tasklets;
  unsigned transfers; /* a dsm_pim_transfers */
  unsigned objective; /* a dsm_pim_objective */
} pim_arguments;

static cli_exit answer(const cli_arguments *arguments, const cli_input_file *workload_file,
                       const cli_input_file *system_file) {
  const dsm_rl_workload *const workload = workload_file->other;
  const dsm_pim_system *const system = system_file->other;
  const pim_arguments *const asked = arguments->own;
  const dsm_pim_options options = {.cores = asked->cores.items,
                                   .core_count = asked->cores.count,
                                   .tasklets = asked->tasklets.items,
                                   .tasklet_count = asked->tasklets.count,
                                   .transfers = (dsm_pim_transfers)asked->transfers,
                                   .objective = (dsm_pim_objective)asked->objective};
  dsm_pim_plan *plan = NULL;
  const double start = cli_seconds_now();
  const dsm_status status = dsm_pim(&plan, workload, system, &options, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%s on %s: %.3f s", workload->name, system->name, cli_seconds_now() - start);
    outcome = cli_put_with_table(arguments, DSM_ANSWER(pim, plan), DSM_FORM_JSON);
  }
  dsm_pim_plan_free(plan);
  return outcome;
}

static cli_exit run(const cli_arguments *arguments) {
  return cli_use_pair(arguments, DSM_DESCRIPTION_RL_WORKLOAD, DSM_DESCRIPTION_PIM_SYSTEM, answer);
}

/* ---- its answer ---- */

static double seconds_of(const void *of) {
  return ((const dsm_pim_plan *)of)->cost.seconds;
}

static dsm_status load_point(void **made, dsm_store *store, size_t point, double *seconds,
                             dsm_diags *diags) {
  dsm_pim_plan *plan = NULL;
  const dsm_status status = dsm_store_pim_plan(store, point, &plan, seconds, diags);
  *made = plan;
  return status;
}

static const cli_companion_answer own_answer = {
    .kind = &dsm_answer_pim,
    .commands = CLI_SCORE | CLI_CHECK | CLI_DIFF | CLI_PLOT | CLI_REPORT | CLI_TRACE,
    .expected = "a plan of a network",
    .found = "one of cores in memory",
    .hint = "these show it: dsm report, dsm plot, dsm score, dsm trace",
    .what = "a plan of cores in memory",
    .seconds = seconds_of,
    .is_in = dsm_store_is_pim,
    .load_point = load_point};

/* ---- files ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): a type stands bare there. */
/* An input, after the values that arguments set below a root. */
#define INPUT(type, root)                                                                          \
  static dsm_status parse_##type(cli_input_file *loaded, const cli_arguments *arguments,           \
                                 dsm_diags *diags) {                                               \
    const cli_override_list *const sets = &arguments->overrides.of[root];                          \
    type *made = NULL;                                                                             \
    const dsm_status status = type##_parse(&made, loaded->text, loaded->length, loaded->path,      \
                                           sets->items, sets->count, diags);                       \
    loaded->other = made;                                                                          \
    return status;                                                                                 \
  }                                                                                                \
  static void discard_##type(void *made) {                                                         \
    type##_free(made);                                                                             \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

INPUT(dsm_rl_workload, DSM_DESCRIPTION_WORKLOAD)
INPUT(dsm_pim_system, DSM_DESCRIPTION_SYSTEM)

/* A plan is edited, not overridden: its decisions may not fit other inputs. */
static dsm_status parse_plan(cli_input_file *loaded, const cli_arguments *arguments,
                             dsm_diags *diags) {
  if (arguments->overrides.recorded.count > 0) {
    return cli_refuse(diags, DSM_ERROR_USAGE, loaded->path, NULL,
                      "expected no --set for a plan: edit the plan, or ask again");
  }
  dsm_pim_plan *made = NULL;
  const dsm_status status = dsm_pim_plan_parse(&made, &loaded->recorded, loaded->text,
                                               loaded->length, loaded->path, diags);
  loaded->other = made;
  return status;
}

static void discard_plan(void *made) {
  dsm_pim_plan_free(made);
}

static void name_plan(const void *made, const char **workload, const char **system) {
  const dsm_pim_plan *const plan = made;
  *workload = plan->workload->name;
  *system = plan->system->name;
}

static dsm_status compare_plan(const void *made, const cli_input_file *loaded, dsm_diags *diags) {
  return dsm_pim_plan_compare_text(made, loaded->text, loaded->length, loaded->path, diags);
}

static const cli_companion_description descriptions[] = {
    {.kind = DSM_DESCRIPTION_RL_WORKLOAD,
     .root = DSM_DESCRIPTION_WORKLOAD,
     .parse = parse_dsm_rl_workload,
     .discard = discard_dsm_rl_workload,
     .place = offsetof(dsm_described, rl_workload),
     .count_place = offsetof(dsm_rl_workload, transitions),
     .noun = "transition"},
    {.kind = DSM_DESCRIPTION_PIM_SYSTEM,
     .root = DSM_DESCRIPTION_SYSTEM,
     .parse = parse_dsm_pim_system,
     .discard = discard_dsm_pim_system,
     .place = offsetof(dsm_described, pim_system),
     .count_place = offsetof(dsm_pim_system, cores),
     .noun = "core"},
    {.kind = DSM_DESCRIPTION_PIM,
     .root = DSM_DESCRIPTION_PIM,
     .parse = parse_plan,
     .discard = discard_plan,
     .place = offsetof(dsm_described, pim),
     .name = name_plan,
     .answer = &dsm_answer_pim,
     .compare = compare_plan},
};

/* ---- numbers to choose from, such as 125,250,500 ---- */

enum { COUNTS_MAX = 10000 };

static cli_exit apply_counts(cli_arguments *arguments, const cli_option *option, char *value) {
  void *const place = (char *)arguments->own + option->place;
  counts *const to = place;
  const size_t most = (size_t)option->max;
  cli_list list;
  const bool is_split = cli_list_split(&list, value);
  free(to->items);
  to->items = is_split ? calloc(list.count, sizeof *to->items) : NULL;
  if (to->items == NULL) {
    cli_list_fini(&list);
    return cli_out_of_memory();
  }
  bool is_good = list.count <= COUNTS_MAX;
  for (to->count = 0; is_good && to->count < list.count; to->count++) {
    size_t number = 0;
    is_good = cli_parse_size(list.items[to->count], 1, most, &number);
    to->items[to->count] = number;
  }
  cli_list_fini(&list);
  return is_good ? CLI_EXIT_DONE
                 : cli_usage_error(arguments->command,
                                   "--%s: expected whole numbers from 1 to %zu, separated by "
                                   "commas, found '%s'",
                                   option->name, most, value);
}

/* ---- rows ---- */

static DSM_WORDS_AT(transfers_word, dsm_pim_transfers, DSM_PIM_TRANSFERS_COUNT);
static DSM_WORDS_AT(objective_word, dsm_pim_objective, DSM_PIM_OBJECTIVE_COUNT);

static void init(void *arguments) {
  ((pim_arguments *)arguments)->transfers = DSM_PIM_TRANSFERS_COUNT;
}

static void fini(void *arguments) {
  const pim_arguments *const own = arguments;
  free(own->cores.items);
  free(own->tasklets.items);
}

#define COUNTS(member, most)                                                                       \
  READ(CLI_READ_OWN, member, counts), .takes = CLI_TAKES_TEXT, .max = (most), .apply = apply_counts

static const cli_option options[] = {
    SET(0, "change a value of an input, such as workload.sampling=random or "
           "system.host.call_us=20. May be given several times"),
    {.name = "cores",
     .argument = "N,...",
     .help = "the number of cores, or several to choose from (default: any number)",
     COUNTS(cores, DSM_CORES_MAX)},
    {.name = "tasklets",
     .argument = "T,...",
     .help = "the number of tasklets of each core, or several to choose from (default: any number)",
     COUNTS(tasklets, DSM_PIM_TASKLETS_MAX)},
    {.name = "transfers",
     .argument = "MODE",
     .help = "how the host moves data that differ from core to core: one core after the other "
             "(serial), or all at once (parallel); default: the better",
     WORD(transfers, transfers_word)},
    {.name = "objective",
     .argument = "OBJECTIVE",
     .help = "what to minimize: time (default) or energy; they are the same if the system states "
             "no idle_power_W",
     WORD(objective, objective_word)},
};

const cli_companion cli_companion_pim = {
    .command =
        {.name = "pim",
         .shares = CLI_SHOWS | CLI_WRITES_PLAN,
         .operands = "WORKLOAD SYSTEM",
         .takes = {CLI_TAKES_RL_WORKLOAD, CLI_TAKES_PIM_SYSTEM},
         .operand_min = 2,
         .operand_max = 2,
         .summary = "how many cores in memory are worth it, and where the time goes",
         .description =
             "Finds how many cores of SYSTEM, which sit in its memory chips, and how many "
             "tasklets of each train the table of values of WORKLOAD fastest ('dsm help "
             "rl-workload' and 'dsm help pim-system' show the keys). Shows the time of the kernel "
             "and of transfers from host to cores, from cores to host and between cores; the time "
             "of an update and its roof; the energy; and the time over cores and over tasklets. "
             "If the memories of the cores do not hold the data set, the exit code is 4, and the "
             "message says how many cores would do.",
         .examples =
             {"dsm pim frozen_lake upmem2524",
              "dsm pim taxi upmem2524 --tasklets 1 --transfers serial --cores 125,250,500,2000",
              "dsm pim frozen_lake upmem2524 --set workload.element_type=float32",
              "dsm pim frozen_lake_1000_agents upmem2524 --objective energy",
              "dsm pim frozen_lake upmem2524 -o training.json && dsm check training.json",
              "dsm init pim -o my_pim_system.json"},
         .run = run},
    .after = "check",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_size = sizeof(pim_arguments),
    .init = init,
    .descriptions = descriptions,
    .description_count = sizeof descriptions / sizeof *descriptions,
    .answer = &own_answer,
    .fini = fini,
};
