/* SPDX-License-Identifier: GPL-3.0-or-later */
/* descriptions.c: tables of values, cores in memory and their plans, as files of the command line.
 */
#include "cli/run/complain.h"
#include "pim/command/pim_arguments.h"

/* ---- tables of values ---- */

static dsm_status parse_workload(void **made, const cli_input_file *loaded,
                                 const cli_arguments *arguments, double *recorded,
                                 dsm_diags *diags) {
  const cli_override_list *const overrides = &arguments->overrides.of[DSM_DESCRIPTION_WORKLOAD];
  dsm_rl_workload *workload = NULL;
  (void)recorded;
  const dsm_status status =
      dsm_rl_workload_parse(&workload, loaded->text, loaded->length, loaded->path, overrides->items,
                            overrides->count, diags);
  *made = workload;
  return status;
}

static void discard_workload(void *made) {
  dsm_rl_workload_free(made);
}

static void put_workload(dsm_described *to, const void *made) {
  to->rl_workload = made;
}

static uint64_t transitions(const void *made) {
  return ((const dsm_rl_workload *)made)->transitions;
}

/* ---- cores in memory ---- */

static dsm_status parse_system(void **made, const cli_input_file *loaded,
                               const cli_arguments *arguments, double *recorded, dsm_diags *diags) {
  const cli_override_list *const overrides = &arguments->overrides.of[DSM_DESCRIPTION_SYSTEM];
  dsm_pim_system *system = NULL;
  (void)recorded;
  const dsm_status status =
      dsm_pim_system_parse(&system, loaded->text, loaded->length, loaded->path, overrides->items,
                           overrides->count, diags);
  *made = system;
  return status;
}

static void discard_system(void *made) {
  dsm_pim_system_free(made);
}

static void put_system(dsm_described *to, const void *made) {
  to->pim_system = made;
}

static uint64_t cores(const void *made) {
  return ((const dsm_pim_system *)made)->cores;
}

/* ---- plans ---- */

/* A plan is edited, not overridden: its decisions may not fit other inputs. */
static dsm_status parse_plan(void **made, const cli_input_file *loaded,
                             const cli_arguments *arguments, double *recorded, dsm_diags *diags) {
  dsm_pim_plan *plan = NULL;
  if (arguments->overrides.recorded.count > 0) {
    return cli_refuse(diags, DSM_ERROR_USAGE, loaded->path, NULL,
                      "expected no --set for a plan: edit the plan, or ask again");
  }
  const dsm_status status =
      dsm_pim_plan_parse(&plan, recorded, loaded->text, loaded->length, loaded->path, diags);
  *made = plan;
  return status;
}

static void discard_plan(void *made) {
  dsm_pim_plan_free(made);
}

static void put_plan(dsm_described *to, const void *made) {
  to->pim = made;
}

static void name_plan(const void *made, const char **workload, const char **system) {
  const dsm_pim_plan *const plan = made;
  *workload = plan->workload->name;
  *system = plan->system->name;
}

static dsm_status compare_plan(const void *made, const cli_input_file *loaded, dsm_diags *diags) {
  return dsm_pim_plan_compare_text(made, loaded->text, loaded->length, loaded->path, diags);
}

const cli_companion_description cli_pim_descriptions[CLI_PIM_DESCRIPTION_COUNT] = {
    {.kind = DSM_DESCRIPTION_RL_WORKLOAD,
     .root = DSM_DESCRIPTION_WORKLOAD,
     .parse = parse_workload,
     .discard = discard_workload,
     .put = put_workload,
     .count = transitions,
     .noun = "transition"},
    {.kind = DSM_DESCRIPTION_PIM_SYSTEM,
     .root = DSM_DESCRIPTION_SYSTEM,
     .parse = parse_system,
     .discard = discard_system,
     .put = put_system,
     .count = cores,
     .noun = "core"},
    {.kind = DSM_DESCRIPTION_PIM,
     .root = DSM_DESCRIPTION_PIM,
     .parse = parse_plan,
     .discard = discard_plan,
     .put = put_plan,
     .name = name_plan,
     .answer = &dsm_answer_pim,
     .compare = compare_plan},
};
