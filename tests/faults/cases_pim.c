/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_pim.c: pim.h, and what compares, draws and reports plans of cores in memory. */
#include <stdlib.h>
#include <string.h>

#include "subject.h"
#include "sweep/evaluator.h"

static const dsm_table_style style = {.width = 80, .color = true};

#define WORKLOAD_TEXT                                                                              \
  "{ \"format\": \"dsm-rl-workload/1\", \"name\": \"small\", \"algorithm\": \"sarsa\",\n"          \
  "  \"states\": 16, \"actions\": 4, \"transitions\": 1000, \"episodes\": 100 }\n"

#define SYSTEM_TEXT                                                                                \
  "{ \"format\": \"dsm-pim-system/1\", \"name\": \"memory\", \"cores\": 8, \"frequency_MHz\": "    \
  "400,\n"                                                                                         \
  "  \"dispatch_cycles\": 11, \"tasklets\": 4,\n"                                                  \
  "  \"mram\": { \"capacity_MiB\": 1, \"access_cycles\": 77, \"cycles_per_byte\": 0.5, "           \
  "\"dma_bytes\": 2048 },\n"                                                                       \
  "  \"wram\": { \"capacity_KiB\": 64 },\n"                                                        \
  "  \"host\": { \"to_cores_serial_GBps\": 0.3, \"to_cores_parallel_GBps\": 6, "                   \
  "\"broadcast_GBps\": 16,\n"                                                                      \
  "    \"from_cores_serial_GBps\": 0.1, \"from_cores_parallel_GBps\": 4, \"call_us\": 240,\n"      \
  "    \"calls_per_core\": 4, \"launch_ms\": 0.5 }, \"power_W\": 100,\n"                           \
  "  \"operations\": { \"int32_add\": 1, \"int32_mul\": 29, \"int32_div\": 26, \"int64_mul\": "    \
  "132,\n"                                                                                         \
  "    \"float32_add\": 66, \"float32_sub\": 71, \"float32_mul\": 178, \"float32_div\": 1024,\n"   \
  "    \"float32_compare\": 25, \"float64_add\": 100, \"float64_sub\": 108, \"float64_mul\": "     \
  "655,\n"                                                                                         \
  "    \"float64_div\": 2183, \"conversion\": 30, \"call\": 4 } }\n"

static const char workload_text[] = WORKLOAD_TEXT;
static const char system_text[] = SYSTEM_TEXT;
static const char plan_text[] =
    "{ \"format\": \"dsm-pim/1\", \"dsm_version\": \"0.1.0\", \"options\": { \"cores\": [4, 8] },\n"
    "  \"result\": { \"cores\": 4, \"tasklets\": 2, \"transfers\": \"serial\", \"seconds\": 1,\n"
    "    \"kernel_seconds\": 1, \"host_to_cores_seconds\": 0, \"cores_to_host_seconds\": 0,\n"
    "    \"between_cores_seconds\": 0, \"joules\": 1, \"updates_per_second\": 1,\n"
    "    \"utilization\": 0.5, \"core_bytes\": 100 },\n"
    "  \"workload\": " WORKLOAD_TEXT ", \"system\": " SYSTEM_TEXT "}\n";

/* Inputs that need no reading. */
static const dsm_rl_workload ready_workload = {.name = "ready",
                                               .transitions = 1000,
                                               .states = 16,
                                               .actions = 4,
                                               .record_bytes = 16,
                                               .episodes = 100,
                                               .synchronization_period = 50};
static const dsm_pim_system ready_system = {
    .name = "memory",
    .cores = 8,
    .frequency_MHz = 400,
    .dispatch_cycles = 11,
    .tasklets = 4,
    .mram = {.capacity_MiB = 1, .access_cycles = 77, .cycles_per_byte = 0.5, .dma_bytes = 2048},
    .wram = {64},
    .host = {0.3, 6, 16, 0.1, 4, 240, 4, 0.5},
    .power_W = 100,
    .idle_power_W = 50};

/* ---- inputs ---- */

static attempt workload_attempt(dsm_status status, dsm_rl_workload *made,
                                const dsm_rl_workload *poison) {
  const attempt how =
      attempt_of_status(status, made, status == DSM_OK ? digest_text(DIGEST_START, made->name) : 0);
  if (made != poison) {
    dsm_rl_workload_free(made);
  }
  return how;
}

static attempt system_attempt(dsm_status status, dsm_pim_system *made,
                              const dsm_pim_system *poison) {
  const attempt how = attempt_of_status(
      status, made, status == DSM_OK ? digest_double(DIGEST_START, made->power_W) : 0);
  if (made != poison) {
    dsm_pim_system_free(made);
  }
  return how;
}

static dsm_rl_workload poison_workload;
static dsm_pim_system poison_system;

static attempt parse_workload_text(const char *text, dsm_diags *diags) {
  dsm_rl_workload *made = &poison_workload;
  const dsm_status status =
      dsm_rl_workload_parse(&made, text, strlen(text), "w.json", NULL, 0, diags);
  return workload_attempt(status, made, &poison_workload);
}

static attempt parse_workload(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_workload_text(workload_text, diags);
}

static attempt parse_bad_workload(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_workload_text("{ \"format\": \"dsm-rl-workload/1\", \"name\": 1 }", diags);
}

static attempt load_workload(const subject *s, dsm_diags *diags) {
  dsm_rl_workload *made = &poison_workload;
  const dsm_status status = dsm_rl_workload_load(&made, s->workload_path, NULL, 0, diags);
  return workload_attempt(status, made, &poison_workload);
}

static attempt parse_system(const subject *s, dsm_diags *diags) {
  dsm_pim_system *made = &poison_system;
  (void)s;
  const dsm_status status =
      dsm_pim_system_parse(&made, system_text, strlen(system_text), "s.json", NULL, 0, diags);
  return system_attempt(status, made, &poison_system);
}

static attempt load_system(const subject *s, dsm_diags *diags) {
  dsm_pim_system *made = &poison_system;
  const dsm_status status = dsm_pim_system_load(&made, s->system_path, NULL, 0, diags);
  return system_attempt(status, made, &poison_system);
}

/* ---- plans ---- */

static uint64_t digest_plan(const dsm_pim_plan *of) {
  uint64_t digest = digest_double(DIGEST_START, of->cost.seconds);
  for (size_t i = 0; i < of->curve_count; i++) {
    digest = digest_double(digest, of->curve[i].seconds);
  }
  for (size_t i = 0; i < of->tasklet_curve_count; i++) {
    digest = digest_double(digest, of->tasklet_curve[i].seconds);
  }
  return digest;
}

static dsm_pim_plan poison_plan;

static attempt plan_attempt(dsm_status status, dsm_pim_plan *made) {
  const attempt how = attempt_of_status(status, made, status == DSM_OK ? digest_plan(made) : 0);
  if (made != &poison_plan) {
    dsm_pim_plan_free(made);
  }
  return how;
}

static attempt choose(const subject *s, dsm_diags *diags) {
  dsm_pim_plan *made = &poison_plan;
  (void)s;
  const dsm_status status = dsm_pim(&made, &ready_workload, &ready_system, NULL, diags);
  return plan_attempt(status, made);
}

static attempt choose_among(const subject *s, dsm_diags *diags) {
  static const uint64_t cores[] = {4, 2};
  dsm_pim_plan *made = &poison_plan;
  dsm_pim_options options;
  (void)s;
  dsm_pim_options_init(&options);
  options.cores = cores;
  options.core_count = 2;
  options.tasklets = cores;
  options.tasklet_count = 2;
  options.transfers = DSM_PIM_SERIAL;
  options.objective = DSM_PIM_LEAST_ENERGY;
  const dsm_status status = dsm_pim(&made, &ready_workload, &ready_system, &options, diags);
  return plan_attempt(status, made);
}

static attempt choose_too_large(const subject *s, dsm_diags *diags) {
  dsm_pim_plan *made = &poison_plan;
  dsm_rl_workload large = ready_workload;
  (void)s;
  large.transitions = 10000000;
  const dsm_status status = dsm_pim(&made, &large, &ready_system, NULL, diags);
  return plan_attempt(status, made);
}

static attempt choose_too_many(const subject *s, dsm_diags *diags) {
  static const uint64_t cores[] = {9};
  dsm_pim_plan *made = &poison_plan;
  dsm_pim_options options;
  (void)s;
  dsm_pim_options_init(&options);
  options.cores = cores;
  options.core_count = 1;
  const dsm_status status = dsm_pim(&made, &ready_workload, &ready_system, &options, diags);
  return plan_attempt(status, made);
}

/* Needs no memory. */
static attempt predict(const subject *s, dsm_diags *diags) {
  dsm_pim_cost cost;
  dsm_pim_update update;
  (void)s;
  (void)diags;
  dsm_pim_predict(&cost, &ready_workload, &ready_system, (dsm_pim_choice){4, 2, DSM_PIM_PARALLEL});
  dsm_pim_update_cost(&update, &ready_workload, &ready_system, 3);
  uint64_t digest = digest_double(DIGEST_START, cost.seconds + update.cycles);
  digest = digest_double(digest, dsm_pim_table_bytes(&ready_workload));
  digest = digest_double(digest, dsm_pim_core_bytes(&ready_workload, 2));
  digest = digest_u64(digest, dsm_pim_fewest_cores(&ready_workload, &ready_system));
  return (attempt){.status = DSM_OK, .digest = digest};
}

static attempt words(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  uint64_t digest = digest_text(DIGEST_START, dsm_rl_algorithm_name(DSM_RL_SARSA));
  digest = digest_text(digest, dsm_rl_element_name(DSM_RL_INT32));
  digest = digest_text(digest, dsm_rl_constants_name(DSM_RL_FLOAT));
  digest = digest_text(digest, dsm_rl_sampling_name(DSM_RL_RANDOM));
  digest = digest_text(digest, dsm_pim_operation_name(DSM_PIM_INT32_ADD));
  digest = digest_text(digest, dsm_pim_transfers_name(DSM_PIM_SERIAL));
  digest = digest_text(digest, dsm_pim_bound_name(DSM_PIM_COMPUTE));
  digest = digest_text(digest, dsm_pim_objective_name(DSM_PIM_LEAST_TIME));
  digest = digest_text(digest, dsm_answer_figure_name(&dsm_answer_pim, 1));
  digest = digest_u64(digest, dsm_pim_working_cores(&ready_workload, 8));
  return (attempt){.status = DSM_OK, .digest = digest};
}

/* ---- plans as text ---- */

static attempt parse_plan(const subject *s, dsm_diags *diags) {
  dsm_pim_plan *made = &poison_plan;
  double recorded = 0;
  (void)s;
  const dsm_status status =
      dsm_pim_plan_parse(&made, &recorded, plan_text, strlen(plan_text), "p.json", diags);
  return plan_attempt(status, made);
}

/* Its numbers are not those of its choice, but neither are its seconds. */
static attempt validate_plan(const subject *s, dsm_diags *diags) {
  dsm_pim_plan *made = NULL;
  (void)s;
  dsm_status status =
      dsm_pim_plan_parse(&made, NULL, plan_text, strlen(plan_text), "p.json", diags);
  if (status == DSM_OK) {
    status = dsm_pim_plan_compare_text(made, plan_text, strlen(plan_text), "p.json", diags);
  }
  dsm_pim_plan_free(made);
  return (attempt){.status = status};
}

static attempt parse_question(const subject *s, dsm_diags *diags) {
  static const dsm_override overrides[] = {{.path = "workload.episodes", .value = "50"}};
  dsm_pim_plan *made = &poison_plan;
  (void)s;
  const dsm_status status =
      dsm_pim_question_parse(&made, plan_text, strlen(plan_text), "p.json", overrides, 1, diags);
  return plan_attempt(status, made);
}

/* ---- what is made of a plan, which may fail as well ---- */

typedef attempt plan_use(const dsm_pim_plan *plan, dsm_diags *diags);

static attempt with_plan(plan_use *use, dsm_diags *diags) {
  dsm_pim_plan *plan = NULL;
  const dsm_status status = dsm_pim(&plan, &ready_workload, &ready_system, NULL, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, plan, 0);
  }
  const attempt how = use(plan, diags);
  dsm_pim_plan_free(plan);
  return how;
}

#define PLAN_CASE(name, text)                                                                      \
  static attempt name##_of(const dsm_pim_plan *plan, dsm_diags *diags) {                           \
    (void)diags;                                                                                   \
    return attempt_of_text(text);                                                                  \
  }                                                                                                \
  static attempt name(const subject *s, dsm_diags *diags) {                                        \
    (void)s;                                                                                       \
    return with_plan(name##_of, diags);                                                            \
  }

PLAN_CASE(print, dsm_pim_plan_print(plan))
PLAN_CASE(report_table, as_table(DSM_ANSWER(pim, plan), style))
PLAN_CASE(report_json, as_json(DSM_ANSWER(pim, plan)))
PLAN_CASE(report_csv, as_csv(DSM_ANSWER(pim, plan)))
PLAN_CASE(report_page, as_page(DSM_ANSWER(pim, plan)))
PLAN_CASE(report_trace, as_trace(DSM_ANSWER(pim, plan)))

static attempt plot_of(const dsm_pim_plan *plan, size_t figure, dsm_diags *diags) {
  static dsm_plot poison;
  dsm_plot *made = &poison;
  const dsm_status status = dsm_plot_answer(&made, DSM_ANSWER(pim, plan), figure, diags);
  const attempt how =
      attempt_of_status(status, made, status == DSM_OK ? digest_text(DIGEST_START, made->body) : 0);
  if (made != &poison) {
    dsm_plot_free(made);
  }
  return how;
}

static attempt breakdown_of(const dsm_pim_plan *plan, dsm_diags *diags) {
  return plot_of(plan, 0, diags);
}

static attempt tasklets_of(const dsm_pim_plan *plan, dsm_diags *diags) {
  return plot_of(plan, 1, diags);
}

static attempt plot_breakdown(const subject *s, dsm_diags *diags) {
  (void)s;
  return with_plan(breakdown_of, diags);
}

static attempt plot_tasklets(const subject *s, dsm_diags *diags) {
  (void)s;
  return with_plan(tasklets_of, diags);
}

/* What it recorded, compared with what it is asked again. */
static attempt compare_of(const dsm_pim_plan *before, const dsm_pim_plan *after, dsm_diags *diags) {
  static dsm_comparison poison;
  char *const texts[] = {dsm_pim_plan_print(before), dsm_pim_plan_print(after)};
  dsm_comparison *made = texts[0] == NULL || texts[1] == NULL ? NULL : &poison;
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (made != NULL) {
    const dsm_document a = {texts[0], strlen(texts[0]), "a.json"};
    const dsm_document b = {texts[1], strlen(texts[1]), "b.json"};
    status = dsm_answer_compare(&made, &dsm_answer_pim, &a, &b, 0, diags);
  }
  attempt how = attempt_of_status(status, made, 0);
  if (status == DSM_OK) {
    const dsm_diffed of = {.a_file = "a.json", .b_file = "b.json", .comparison = made};
    how = attempt_of_text(as_table(DSM_ANSWER(diff, &of), style));
  }
  if (made != &poison) {
    dsm_comparison_free(made);
  }
  free(texts[0]);
  free(texts[1]);
  return how;
}

/* What the plan records is not what comes out. */
static attempt check_of(const dsm_pim_plan *plan, dsm_diags *diags) {
  dsm_pim_plan recorded = *plan;
  recorded.cost.seconds *= 2;
  recorded.cost.choice.cores = 1;
  return compare_of(&recorded, plan, diags);
}

static attempt check(const subject *s, dsm_diags *diags) {
  (void)s;
  return with_plan(check_of, diags);
}

static attempt diff_of(const dsm_pim_plan *plan, dsm_diags *diags) {
  dsm_rl_workload other = *plan->workload;
  dsm_pim_plan changed = *plan;
  other.episodes = 200;
  changed.workload = &other;
  return compare_of(plan, &changed, diags);
}

static attempt diff(const subject *s, dsm_diags *diags) {
  (void)s;
  return with_plan(diff_of, diags);
}

/* ---- a sweep ---- */

/* A sweep of two points, one of which is infeasible. */
static dsm_status make_sweep(dsm_sweep **sweep, dsm_diags *diags) {
  static const char text[] =
      "{ \"format\": \"dsm-sweep/1\", \"name\": \"two\", \"record\": \"plans\",\n"
      "  \"workloads\": [ { \"name\": \"w\", \"description\": " WORKLOAD_TEXT " } ],\n"
      "  \"systems\": [ { \"name\": \"s\", \"description\": " SYSTEM_TEXT " } ],\n"
      "  \"axes\": [ { \"path\": \"system.mram.capacity_MiB\", \"values\": [1, 1e-6] } ] }\n";
  return dsm_sweep_make(sweep, text, strlen(text), "two.json", NULL, NULL, NULL, diags);
}

static attempt sweep_points(const subject *s, dsm_diags *diags) {
  dsm_sweep *sweep = NULL;
  uint64_t digest = DIGEST_START;
  (void)s;
  dsm_status status = make_sweep(&sweep, diags);
  dsm__evaluator *evaluator = status == DSM_OK ? dsm__evaluator_new(sweep) : NULL;
  status = status == DSM_OK && evaluator == NULL ? DSM_ERROR_OUT_OF_MEMORY : status;
  for (size_t point = 0; point < 2 && status == DSM_OK; point++) {
    dsm_point_result result;
    status = dsm__evaluate(evaluator, point, &result, diags);
    if (status == DSM_OK) {
      digest = digest_u64(digest, (uint64_t)result.status);
      digest = digest_double(digest, result.result.step_seconds);
    }
  }
  dsm__evaluator_free(evaluator);
  dsm_sweep_free(sweep);
  return (attempt){.status = status, .digest = status == DSM_OK ? digest : 0};
}

const faulty_case pim_cases[] = {
    {"dsm_rl_workload_parse", parse_workload, DSM_OK, NULL},
    {"dsm_rl_workload_parse: a bad one", parse_bad_workload, DSM_ERROR_INVALID, NULL},
    {"dsm_rl_workload_load: a network", load_workload, DSM_ERROR_INVALID, NULL},
    {"dsm_pim_system_parse", parse_system, DSM_OK, NULL},
    {"dsm_pim_system_load: another system", load_system, DSM_ERROR_INVALID, NULL},
    {"dsm_pim", choose, DSM_OK, NULL},
    {"dsm_pim: among some", choose_among, DSM_OK, NULL},
    {"dsm_pim: too large", choose_too_large, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_pim: too many", choose_too_many, DSM_ERROR_USAGE, NULL},
    {"dsm_pim_predict", predict, DSM_OK, NULL},
    {"dsm_pim_transfers_name", words, DSM_OK, NULL},
    {"dsm_pim_plan_parse", parse_plan, DSM_OK, NULL},
    {"dsm_pim_plan_compare_text", validate_plan, DSM_OK, NULL},
    {"dsm_pim_question_parse", parse_question, DSM_OK, NULL},
    {"dsm_pim_plan_print", print, DSM_OK, NULL},
    {"dsm_answer_print: pim table", report_table, DSM_OK, NULL},
    {"dsm_answer_print: pim json", report_json, DSM_OK, NULL},
    {"dsm_answer_print: pim csv", report_csv, DSM_OK, NULL},
    {"dsm_answer_print: pim page", report_page, DSM_OK, NULL},
    {"dsm_answer_print: pim trace", report_trace, DSM_OK, NULL},
    {"dsm_plot_answer: the breakdown", plot_breakdown, DSM_OK, NULL},
    {"dsm_plot_answer: tasklets", plot_tasklets, DSM_OK, NULL},
    {"dsm_answer_compare: recorded figures", check, DSM_OK, NULL},
    {"dsm_answer_compare: inputs", diff, DSM_OK, NULL},
    {"dsm__evaluate, cores in memory", sweep_points, DSM_OK, NULL},
};
const size_t pim_case_count = sizeof pim_cases / sizeof *pim_cases;
