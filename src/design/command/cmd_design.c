/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_design.c: the best machine for a budget. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse/input_files.h"
#include "cli/parse/named_inputs.h"
#include "cli/parse/option_values.h"
#include "cli/parse/paths.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"
#include "cli/run/terminal.h"
#include "design/command/design_arguments.h"

enum { NETWORKS_MAX = 64 };

/* Cuts "a,b@0.5" at its commas. */
static size_t split_suite(char *suite, const char *names[NETWORKS_MAX]) {
  size_t count = 0;
  for (char *at = suite; at != NULL && count < NETWORKS_MAX;) {
    char *const comma = strchr(at, ',');
    names[count++] = at;
    if (comma != NULL) {
      *comma = '\0';
    }
    at = comma == NULL ? NULL : comma + 1;
  }
  return count;
}

static dsm_design_request request_of(const cli_arguments *arguments,
                                     const dsm_sweep_source *source) {
  const cli_design_arguments *const own = arguments->own;
  dsm_design_request request = {.system = arguments->operands[1],
                                .question = {.varies = own->varies.items,
                                             .vary_count = own->varies.count,
                                             .sets = arguments->overrides.recorded.items,
                                             .set_count = arguments->overrides.recorded.count},
                                .defines = own->defines.items,
                                .define_count = own->defines.count,
                                .budgets = own->budgets.items,
                                .budget_count = own->budgets.count,
                                .minimize = own->minimize,
                                .pareto = own->pareto,
                                .source = source,
                                .gap = own->gap,
                                .time_limit_seconds = own->time_limit_seconds,
                                .exploration_limit = own->exploration_limit,
                                .memory_limit_bytes = (size_t)(own->memory_limit_GB * 1e9),
                                .thread_count = arguments->options.thread_count,
                                .wants_plans = own->plans != NULL,
                                .store = own->database};
  request.question.mode = cli_is_given(arguments, "mode") ? &arguments->options.mode : NULL;
  request.question.parallelisms =
      cli_is_given(arguments, "parallelism") ? &arguments->options.parallelisms : NULL;
  request.question.roles = cli_is_given(arguments, "parallelism") ? arguments->options.roles : NULL;
  request.question.optimizations =
      arguments->has_optimizations ? &arguments->asked_optimizations : NULL;
  return request;
}

/* FOLDER/NETWORK.json of each network. */
static cli_exit write_plans(const cli_arguments *arguments, const dsm_design *design) {
  const cli_design_arguments *const own = arguments->own;
  cli_exit outcome = CLI_EXIT_DONE;
  (void)mkdir(own->plans, 0777); /* one that cannot be made is told of by its first file */
  for (size_t n = 0; n < design->network_count && outcome == CLI_EXIT_DONE; n++) {
    const dsm_design_network *const network = &design->networks[n];
    const char *const name = cli_last_part(network->name);
    const size_t size = strlen(own->plans) + strlen(name) + 8;
    char *const path = calloc(size, 1);
    if (path == NULL) {
      return cli_out_of_memory();
    }
    (void)snprintf(path, size, "%s/%s%s", own->plans, name,
                   cli_ends_in(name, ".json") ? "" : ".json");
    outcome = cli_put_file(arguments, "plans", path, network->plan, strlen(network->plan));
    free(path);
  }
  return outcome;
}

cli_exit cli_run_design(const cli_arguments *arguments) {
  const cli_design_arguments *const own = arguments->own;
  cli_named_inputs in = {.arguments = arguments};
  const dsm_sweep_source source = {.read = cli_read_named, .context = &in};
  dsm_design_request request = request_of(arguments, &source);
  const char *names[NETWORKS_MAX];
  const size_t size = strlen(arguments->operands[0]) + 1;
  char *const suite = calloc(size, 1);
  if (suite == NULL) {
    return cli_out_of_memory();
  }
  memcpy(suite, arguments->operands[0], size);
  request.network_count = split_suite(suite, names);
  request.networks = names;
  dsm_design *design = NULL;
  const double start = cli_seconds_now();
  const dsm_status status = dsm_design_find(&design, &request, arguments->diags);
  cli_exit outcome = cli_tell(arguments, status);
  if (status == DSM_OK) {
    cli_say(arguments, "%zu explorations, %zu boxes, %.3f s", design->explorations, design->boxes,
            cli_seconds_now() - start);
    outcome = own->plans == NULL ? CLI_EXIT_DONE : write_plans(arguments, design);
  }
  if (status == DSM_OK && outcome == CLI_EXIT_DONE) {
    outcome = cli_put_answer(arguments, DSM_ANSWER(design, design));
  }
  dsm_design_free(design);
  free(suite);
  return outcome;
}
