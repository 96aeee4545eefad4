/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pim_plan_json.c: reads and writes a plan in the format "dsm-pim/1".
 *
 * Of a plan its inputs, its options and its choice are read, which may have been edited; what
 * follows from them is predicted anew. Figures are read as they were recorded, for comparisons.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/json_read.h"
#include "dsm/limits.h"
#include "pim/choose.h"
#include "pim/pim_record.h"

/* ---- the question, and what was recorded ---- */

/* Holds of any choice, edited or not. */
static void check_sum(const dsm_pim_cost *cost, const dsm__json_node *result) {
  const dsm__json_node node = dsm__json_member(result, "seconds");
  const double sum = cost->kernel_seconds + cost->host_to_cores_seconds +
                     cost->cores_to_host_seconds + cost->between_cores_seconds;
  if (!dsm__is_close(cost->seconds, sum)) {
    dsm__json_error(&node, NULL,
                    "expected %.12g, the sum of kernel_seconds, host_to_cores_seconds, "
                    "cores_to_host_seconds and between_cores_seconds, found %.12g",
                    sum, cost->seconds);
  }
}

static void read_question(void *made, const dsm__json_node *root) {
  dsm_pim_plan *const question = made;
  const dsm__record_reader reader = {.arena = question->arena,
                                     .wanted = DSM__FIELD_IS_READ | DSM__FIELD_IS_DECISION |
                                               DSM__FIELD_IS_FIGURE};
  question->own_workload = dsm__rl_workload_description.make();
  question->own_system = dsm__pim_system_description.make();
  if (question->own_workload == NULL || question->own_system == NULL) {
    dsm__json_set_out_of_memory(root->doc);
    return;
  }
  question->workload = question->own_workload;
  question->system = question->own_system;
  question->cost.is_feasible = true;
  question->dsm_version = "";
  dsm_pim_options_init(&question->options);
  if (dsm__document_only(root, &dsm__pim_plan_record) &&
      dsm__record_read(&reader, root, &dsm__pim_plan_record, question)) {
    const dsm__json_node result = dsm__json_member(root, "result");
    check_sum(&question->cost, &result);
  }
}

dsm_status dsm_pim_question_parse(dsm_pim_plan **question, const char *text, size_t length,
                                  const char *file, const dsm_override *overrides,
                                  size_t override_count, dsm_diags *diags) {
  const dsm__json_input input = {text, length, file, overrides, override_count};
  *question = DSM__ARENA_OWNER(dsm_pim_plan);
  const dsm_status status = dsm__json_doc_read(&input, diags, read_question, *question);
  if (status != DSM_OK) {
    dsm_pim_plan_free(*question);
    *question = NULL;
  }
  return status;
}

/* ---- plans ---- */

/* A choice that the system has not; the text is read again, for its place. */
static dsm_status check_choice(const dsm_pim_plan *plan, const char *text, size_t length,
                               const char *file, dsm_diags *diags) {
  const dsm_pim_choice *const choice = &plan->cost.choice;
  const dsm_pim_system *const system = plan->system;
  const struct {
    const char *key;
    uint64_t found;
    uint64_t most;
  } limits[] = {{"cores", choice->cores, system->cores},
                {"tasklets", choice->tasklets, system->tasklets}};
  dsm__json_doc *doc = NULL;
  dsm_status status = dsm__json_doc_parse(&doc, text, length, file, NULL, 0, diags);
  if (status != DSM_OK) {
    return status;
  }
  const dsm__json_node root = dsm__json_root(doc);
  const dsm__json_node result = dsm__json_member(&root, "result");
  for (size_t i = 0; i < DSM__COUNT_OF(limits); i++) {
    const dsm__json_node node = dsm__json_member(&result, limits[i].key);
    if (limits[i].found > limits[i].most) {
      dsm__json_error(&node, NULL,
                      "expected at most %" PRIu64 " %s, as the system has, found %" PRIu64,
                      limits[i].most, limits[i].key, limits[i].found);
    }
  }
  status = dsm__json_doc_finish(doc);
  dsm__json_doc_free(doc);
  return status;
}

/* Predicts the choice anew; the lists of the options are those that the curves are over. */
static dsm_status predict(dsm_pim_plan *plan, dsm_diags *diags) {
  dsm_pim_options *const options = &plan->options;
  plan->dsm_version = dsm_version();
  dsm_pim_predict(&plan->cost, plan->workload, plan->system, plan->cost.choice);
  plan->fewest_cores = dsm_pim_fewest_cores(plan->workload, plan->system);
  if (!plan->cost.is_feasible) {
    return dsm__pim_refuse_memory(plan->workload, plan->system, plan->cost.choice.cores, diags);
  }
  return dsm__pim_sorted(&options->cores, &options->core_count, plan->arena) &&
                 dsm__pim_sorted(&options->tasklets, &options->tasklet_count, plan->arena) &&
                 dsm__pim_plan_finish(plan)
             ? DSM_OK
             : dsm__out_of_memory(diags);
}

dsm_status dsm_pim_plan_parse(dsm_pim_plan **plan, double *recorded_seconds, const char *text,
                              size_t length, const char *file, dsm_diags *diags) {
  dsm_pim_plan *made = NULL;
  *plan = NULL;
  dsm_status status = dsm_pim_question_parse(&made, text, length, file, NULL, 0, diags);
  if (status != DSM_OK) {
    return status;
  }
  const double seconds = made->cost.seconds;
  status = check_choice(made, text, length, file, diags);
  if (status == DSM_OK) {
    status = predict(made, diags);
  }
  if (status != DSM_OK) {
    dsm_pim_plan_free(made);
    return status;
  }
  if (recorded_seconds != NULL) {
    *recorded_seconds = seconds;
  }
  *plan = made;
  return DSM_OK;
}

/* ---- what follows from a choice ---- */

/* All that a plan says beside its question; but not where its seconds are others. */
dsm_status dsm_pim_plan_compare_text(const dsm_pim_plan *plan, const char *text, size_t length,
                                     const char *file, dsm_diags *diags) {
  static const char *const paths[] = {"result.seconds", "result",       "update",
                                      "roofline",       "fewest_cores", "knee_tasklets",
                                      "over_cores",     "over_tasklets"};
  const dsm__json_input recorded = {.text = text, .length = length, .file = file};
  return dsm__json_compare_text(&recorded, dsm_pim_plan_print(plan), paths, DSM__COUNT_OF(paths),
                                diags);
}

char *dsm_pim_plan_print(const dsm_pim_plan *plan) {
  dsm__text_buffer out = {0};
  dsm__json_writer writer = {.out = &out};
  dsm__record_write(&writer, &dsm__pim_plan_record, plan);
  dsm__json_finish(&writer);
  return dsm__text_finish(&out);
}
