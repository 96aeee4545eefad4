/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_plan.c: plan.h, explore.h and the pure functions of mapping.h and model.h. */
#include <stdlib.h>
#include <string.h>

#include "subject.h"

static void *poison(void) {
  static char place;
  return &place;
}

static uint64_t digest_plan(const dsm_plan *plan) {
  uint64_t digest = digest_double(DIGEST_START, plan->result.step_cycles);
  digest = digest_double(digest, plan->result.lower_bound_cycles);
  digest = digest_double(digest, plan->result.memory.total_bytes);
  digest = digest_u64(digest, plan->options.override_count);
  digest = digest_u64(digest, plan->statistics.evaluations);
  for (size_t i = 0; i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      digest = digest_u64(digest, pass->transfer_count);
      digest = digest_u64(digest, pass->exists ? pass->share.parallelism : 99);
      for (int d = 0; d < DSM_DIM_COUNT; d++) {
        digest = digest_u64(digest, pass->first.split.n[d]);
      }
    }
  }
  return digest;
}

static attempt finish_plan(dsm_status status, dsm_plan *plan) {
  const attempt made = attempt_of_status(status, plan, status == DSM_OK ? digest_plan(plan) : 0);
  if ((void *)plan != poison()) {
    dsm_plan_free(plan);
  }
  return made;
}

static attempt explore(const dsm_workload *workload, const dsm_system *system,
                       dsm_explore_options options, size_t thread_count, dsm_diags *diags) {
  dsm_plan *plan = poison();
  options.thread_count = thread_count;
  const dsm_status status = dsm_explore(&plan, workload, system, &options, diags);
  return finish_plan(status, plan);
}

static attempt explore_alone(const subject *s, dsm_diags *diags) {
  return explore(s->convolutional, s->system, s->training, 1, diags);
}

static attempt explore_with_threads(const subject *s, dsm_diags *diags) {
  return explore(s->convolutional, s->system, s->training, 2, diags);
}

static attempt explore_inference(const subject *s, dsm_diags *diags) {
  return explore(s->recurrent, s->system, s->inference, 2, diags);
}

static attempt explore_limited(const subject *s, dsm_diags *diags) {
  return explore(s->convolutional, s->tight_system, s->training, 1, diags);
}

static attempt explore_infeasible(const subject *s, dsm_diags *diags) {
  return explore(s->convolutional, s->tiny_system, s->training, 1, diags);
}

static attempt explore_nothing(const subject *s, dsm_diags *diags) {
  dsm_explore_options options = s->training;
  options.parallelisms = 0;
  return explore(s->convolutional, s->system, options, 1, diags);
}

static attempt bound(const subject *s, dsm_diags *diags) {
  const double before = s->plan->result.lower_bound_cycles;
  const dsm_status status = dsm_plan_bound(s->plan, diags);
  attempt made = {.status = status};
  made.digest = digest_double(DIGEST_START, s->plan->result.lower_bound_cycles);
  if (s->plan->result.lower_bound_cycles < before || s->plan->result.lower_bound_cycles > before) {
    made.wrong = "the bound of a plan is that of the exploration";
  }
  return made;
}

static attempt validate(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_validate(s->plan, diags)};
}

static attempt parse_text(const char *text, dsm_diags *diags) {
  dsm_plan *plan = poison();
  double recorded = -1;
  const dsm_status status = dsm_plan_parse(&plan, text, strlen(text), "p", &recorded, diags);
  return finish_plan(status, plan);
}

static attempt parse(const subject *s, dsm_diags *diags) {
  return parse_text(s->small_plan_text, diags);
}

static attempt parse_bad(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text("{ \"format\": \"dsm-plan/1\", \"mod\": \"training\", \"workload\": 1 }",
                    diags);
}

static attempt load(const subject *s, dsm_diags *diags) {
  dsm_plan *plan = poison();
  double recorded = -1;
  const dsm_status status = dsm_plan_load(&plan, s->plan_path, &recorded, diags);
  return finish_plan(status, plan);
}

static attempt print(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_plan_print(s->plan));
}

static attempt explain(const subject *s, dsm_diags *diags) {
  dsm_explanation *explanation = poison();
  const dsm_status status = dsm_explain(&explanation, s->plan, 0, 3, diags);
  uint64_t digest = 0;
  if (status == DSM_OK) {
    digest = digest_u64(DIGEST_START, explanation->alternative_count);
    for (size_t i = 0; i < explanation->alternative_count; i++) {
      digest = digest_double(digest, explanation->alternatives[i].cycles.total);
    }
  }
  const attempt made = attempt_of_status(status, explanation, digest);
  if ((void *)explanation != poison()) {
    dsm_explanation_free(explanation);
  }
  return made;
}

static uint64_t digest_names(uint64_t digest) {
  dsm_mode mode = DSM_MODE_TRAINING;
  dsm_parallelism parallelism = DSM_PARALLELISM_DATA;
  dsm_optimization optimization = DSM_OPTIMIZATION_HYBRID;
  const char *const names[] = {
      dsm_version(),
      dsm_status_name(DSM_ERROR_IO),
      dsm_layer_type_name(DSM_LAYER_FC),
      dsm_aux_op_name(DSM_AUX_BIAS),
      dsm_dim_name(DSM_DIM_MB),
      dsm_mode_name(DSM_MODE_INFERENCE),
      dsm_pass_name(DSM_PASS_UPDATE),
      dsm_parallelism_name(DSM_PARALLELISM_MODEL),
      dsm_link_name(DSM_LINK_RING),
      dsm_transfer_name(DSM_TRANSFER_ROTATE_X),
      dsm_group_name(DSM_GROUP_STREAM),
      dsm_bound_name(DSM_BOUND_RING),
      dsm_invocation_kind_name(DSM_INVOCATION_FIRST),
      dsm_optimization_name(DSM_OPTIMIZATION_HYBRID),
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    digest = digest_text(digest, names[i]);
  }
  digest = digest_u64(digest, dsm_mode_parse("training", &mode));
  digest = digest_u64(digest, dsm_parallelism_parse("model", &parallelism));
  return digest_u64(digest, dsm_optimization_parse("hybrid", &optimization));
}

static uint64_t digest_score(uint64_t digest, const dsm_workload *workload,
                             const dsm_machine *machine, const dsm_loops *split) {
  const dsm_layer *const layer = &workload->layers[0];
  const dsm_precision precision = dsm_precision_of(workload);
  const dsm_parallelism parallelism = DSM_PARALLELISM_DATA_X_MODEL_Y;
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, machine, precision, DSM_MODE_TRAINING, DSM_PASS_FORWARD,
                           parallelism, workload->minibatch);
  const dsm_invocation_cost cost = dsm_invocation_score(&work, split);
  const dsm_transfer_list list = dsm_invocation_transfers(&work, split);
  const dsm_update_traffic update =
      dsm_update_traffic_derive(layer, machine, precision, parallelism);
  const dsm_transfer_list axes =
      dsm_axis_transfers(DSM_TRANSFER_SUM_OF_GRADIENTS_X, DSM_TRANSFER_SUM_OF_GRADIENTS_Y,
                         DSM_GROUP_SUM_OF_GRADIENTS, &update.sum_of_gradients);
  const dsm_traffic relayout =
      dsm_relayout_traffic(machine, 1000, DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL);
  const dsm_layer_memory memory =
      dsm_layer_memory_derive(layer, machine, workload, DSM_MODE_TRAINING, parallelism);
  digest = digest_double(digest, cost.total + memory.weights_bytes);
  digest = digest_u64(digest, list.count + axes.count);
  digest = digest_double(digest, dsm_group_cycles(machine, &relayout));
  digest = digest_u64(digest, dsm_group_slowest_link(machine, &relayout));
  digest = digest_double(digest, dsm_link_cycles(machine, DSM_LINK_X, 1000));
  digest = digest_double(digest, dsm_input_memory_bytes(machine, workload));
  return digest_double(digest,
                       dsm_ideal_cycles(layer, machine, DSM_PASS_FORWARD, workload->minibatch));
}

/* None of these allocates, so all succeed whatever fails. */
static attempt use_pure_functions(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_machine machine = dsm_machine_derive(s->system);
  const dsm_layer *const layer = &s->convolutional->layers[0];
  const dsm_loops split = {{1, 2, 2, 1, 1}};
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, &machine, DSM_PARALLELISM_MODEL, s->convolutional->minibatch);
  const dsm_loops core = dsm_core_share(layer, &share, &split);
  const dsm_loops array = dsm_array_share(layer, &machine, DSM_PASS_FORWARD, &share, &split);
  uint64_t digest = digest_names(DIGEST_START);
  digest = digest_score(digest, s->convolutional, &machine, &split);
  digest = digest_u64(digest, core.n[DSM_DIM_OUT] + array.n[DSM_DIM_OUT]);
  digest = digest_u64(digest, dsm_split_is_valid(layer, &share, &split));
  digest = digest_u64(digest, dsm_layer_parallelisms(layer));
  digest = digest_u64(digest, dsm_pass_exists(layer, DSM_MODE_TRAINING, DSM_PASS_BACKWARD));
  digest = digest_u64(digest, dsm_invocation_count(layer, DSM_PASS_FORWARD));
  digest = digest_u64(digest, dsm_parallelism_roles(DSM_PARALLELISM_MODEL).x);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  dsm_diags_free(NULL);
  dsm_workload_free(NULL);
  dsm_system_free(NULL);
  dsm_plan_free(NULL);
  dsm_explanation_free(NULL);
  return (attempt){.status = DSM_OK, .digest = digest_u64(digest, options.parallelisms)};
}

const faulty_case plan_cases[] = {
    {"dsm_explore, 1 thread", explore_alone, DSM_OK, NULL},
    {"dsm_explore, 2 threads", explore_with_threads, DSM_OK, NULL},
    {"dsm_explore, inference", explore_inference, DSM_OK, NULL},
    {"dsm_explore, limited by memory", explore_limited, DSM_OK, NULL},
    {"dsm_explore, infeasible", explore_infeasible, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_explore, no parallelism", explore_nothing, DSM_ERROR_USAGE, NULL},
    {"dsm_plan_bound", bound, DSM_OK, NULL},
    {"dsm_plan_validate", validate, DSM_OK, NULL},
    {"dsm_plan_parse", parse, DSM_OK, NULL},
    {"dsm_plan_parse, bad", parse_bad, DSM_ERROR_INVALID, NULL},
    {"dsm_plan_load", load, DSM_OK, NULL},
    {"dsm_plan_print", print, DSM_OK, NULL},
    {"dsm_explain", explain, DSM_OK, NULL},
    {"pure functions", use_pure_functions, DSM_OK, NULL},
};
const size_t plan_case_count = sizeof plan_cases / sizeof plan_cases[0];
