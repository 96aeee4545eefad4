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
    digest = digest_u64(digest, plan->layers[i].decisions.dysm_factor);
    digest = digest_u64(digest, plan->layers[i].decisions.is_output_held);
    digest = digest_u64(digest, plan->layers[i].error_parallelism);
    digest = digest_double(digest, plan->layers[i].decisions.weights_on_chip);
    digest =
        digest_bytes(digest, &plan->layers[i].decisions.output_layout, sizeof(dsm_core_layout));
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[i].passes[p];
      digest = digest_u64(digest, pass->transfer_count);
      digest = digest_u64(digest, pass->exists ? pass->share.parallelism : 99);
      for (unsigned k = 0; k < pass->invocation_count; k++) {
        for (int d = 0; d < DSM_DIM_COUNT; d++) {
          digest = digest_u64(digest, pass->invocations[k].split.n[d]);
        }
      }
    }
  }
  for (size_t g = 0; g < plan->pipeline_count; g++) {
    for (size_t k = 0; k < plan->pipelines[g].layer_count; k++) {
      digest = digest_u64(digest, plan->pipelines[g].rows[k]);
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

static attempt explore_held(const subject *s, dsm_diags *diags) {
  return explore(s->residual, s->long_system, s->training, 1, diags);
}

static attempt explore_held_inference(const subject *s, dsm_diags *diags) {
  dsm_explore_options options = s->inference;
  options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  return explore(s->residual, s->long_system, options, 2, diags);
}

/* Every level of preloading allocates much the same, so one layer on the small system will do. */
static attempt explore_preloading(const subject *s, dsm_diags *diags) {
  return explore(s->single, s->system, s->inference, 1, diags);
}

static attempt explore_held_limited(const subject *s, dsm_diags *diags) {
  return explore(s->residual, s->tight_residual_system, s->training, 1, diags);
}

static attempt explore_uniform(const subject *s, dsm_diags *diags) {
  return explore(s->residual, s->uniform_system, s->training, 2, diags);
}

static attempt explore_pipelined(const subject *s, dsm_diags *diags) {
  return explore(s->stacked, s->long_system, s->training, 2, diags);
}

static attempt explore_pipelined_limited(const subject *s, dsm_diags *diags) {
  return explore(s->stacked, s->tight_stacked_system, s->training, 1, diags);
}

static attempt explore_laid(const subject *s, dsm_diags *diags) {
  return explore(s->laid, s->laid_system, s->training, 1, diags);
}

static attempt explore_laid_inference(const subject *s, dsm_diags *diags) {
  dsm_explore_options options = s->inference;
  options.optimizations &= ~DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PRELOAD);
  return explore(s->laid, s->laid_system, options, 2, diags);
}

static attempt explore_laid_limited(const subject *s, dsm_diags *diags) {
  return explore(s->laid, s->tight_laid_system, s->training, 1, diags);
}

/* One layer holds a tensor, the other uses it; more of them take the test minutes. */
static attempt explore_laid_preloading(const subject *s, dsm_diags *diags) {
  return explore(s->laid, s->laid_system, s->inference, 1, diags);
}

static dsm_explore_options with_roles(const subject *s) {
  dsm_explore_options options = s->training;
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_SPATIAL) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_TENSOR);
  return options;
}

static attempt explore_roles(const subject *s, dsm_diags *diags) {
  return explore(s->residual, s->long_system, with_roles(s), 1, diags);
}

static attempt explore_stages(const subject *s, dsm_diags *diags) {
  dsm_explore_options options = s->training;
  options.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_ACCUMULATE) |
                          DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_STAGES);
  options.stages = 2;
  options.micro_batches = 2;
  return explore(s->residual, s->long_system, options, 1, diags);
}

static attempt bound_of(dsm_plan *plan, dsm_diags *diags) {
  const double before = plan->result.lower_bound_cycles;
  const dsm_status status = dsm_plan_bound(plan, diags);
  attempt made = {.status = status};
  made.digest = digest_double(DIGEST_START, plan->result.lower_bound_cycles);
  if (plan->result.lower_bound_cycles < before || plan->result.lower_bound_cycles > before) {
    made.wrong = "the bound of a plan is that of the exploration";
  }
  return made;
}

static attempt bound(const subject *s, dsm_diags *diags) {
  return bound_of(s->plan, diags);
}

/* A bound above the step is a finding, which needs no memory. */
static attempt set_bound(const subject *s, dsm_diags *diags) {
  const double before = s->plan->result.lower_bound_cycles;
  dsm_plan_set_bound(s->plan, 2 * s->plan->result.step_cycles, diags);
  const uint64_t digest = digest_double(DIGEST_START, s->plan->result.lower_bound_cycles);
  dsm_plan_set_bound(s->plan, before, diags);
  return (attempt){.status = DSM_OK, .digest = digest};
}

static attempt bound_held(const subject *s, dsm_diags *diags) {
  return bound_of(s->held_plan, diags);
}

static attempt bound_laid(const subject *s, dsm_diags *diags) {
  return bound_of(s->laid_plan, diags);
}

static attempt validate(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_validate(s->plan, diags)};
}

static attempt validate_held(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_validate(s->held_plan, diags)};
}

static attempt validate_laid(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_validate(s->laid_plan, diags)};
}

static attempt validate_pipelined(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_validate(s->pipelined_plan, diags)};
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

static attempt parse_decisions(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text(subject_decisions_text, diags);
}

static attempt parse_bad(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_text("{ \"format\": \"dsm-plan/1\", \"mod\": \"training\", \"workload\": 1 }",
                    diags);
}

static attempt add_up(const subject *s, dsm_diags *diags) {
  const char *const text = s->small_plan_text;
  return (attempt){.status = dsm_plan_validate_text(text, strlen(text), "p", diags)};
}

static attempt compare(const subject *s, dsm_diags *diags) {
  const char *const text = s->small_plan_text;
  dsm_plan *plan = NULL;
  dsm_status status = dsm_plan_parse(&plan, text, strlen(text), "p", NULL, diags);
  if (status == DSM_OK) {
    status = dsm_plan_compare_text(plan, text, strlen(text), "p", diags);
  }
  dsm_plan_free(plan);
  return (attempt){.status = status};
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

static attempt print_held(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_plan_print(s->held_plan));
}

static attempt print_laid(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_plan_print(s->laid_plan));
}

static attempt print_pipelined(const subject *s, dsm_diags *diags) {
  (void)diags;
  return attempt_of_text(dsm_plan_print(s->pipelined_plan));
}

static uint64_t digest_explanation(const dsm_explanation *explanation) {
  uint64_t digest = digest_u64(DIGEST_START, explanation->alternative_count);
  for (size_t i = 0; i < explanation->alternative_count; i++) {
    digest = digest_double(digest, explanation->alternatives[i].cycles.total);
    digest = digest_double(digest, explanation->alternatives[i].network_cycles);
  }
  for (size_t i = 0; i < explanation->what_if_count; i++) {
    const dsm_what_if *const what_if = &explanation->what_ifs[i];
    digest = digest_u64(digest, what_if->value);
    digest = digest_double(digest, what_if->network_cycles);
    digest = digest_text(digest, what_if->why_not == NULL ? "" : what_if->why_not);
    for (size_t k = 0; k < what_if->also_held_count; k++) {
      digest = digest_u64(digest, what_if->also_held[k]);
    }
    for (size_t k = 0; k < what_if->not_held_count; k++) {
      digest = digest_u64(digest, what_if->not_held[k]);
    }
  }
  return digest;
}

static attempt explain_layer(const dsm_plan *plan, size_t layer_index, dsm_diags *diags) {
  dsm_explanation *explanation = poison();
  const dsm_status status = dsm_explain(&explanation, plan, layer_index, 3, diags);
  const attempt made = attempt_of_status(status, explanation,
                                         status == DSM_OK ? digest_explanation(explanation) : 0);
  if ((void *)explanation != poison()) {
    dsm_explanation_free(explanation);
  }
  return made;
}

static attempt explain(const subject *s, dsm_diags *diags) {
  return explain_layer(s->plan, 0, diags);
}

static attempt explain_held(const subject *s, dsm_diags *diags) {
  return explain_layer(s->held_plan, 1, diags);
}

static attempt explain_laid(const subject *s, dsm_diags *diags) {
  return explain_layer(s->laid_plan, 1, diags);
}

static attempt explain_pipelined(const subject *s, dsm_diags *diags) {
  return explain_layer(s->pipelined_plan, 1, diags);
}

static attempt explore_what_fits(const subject *s, dsm_diags *diags) {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.optimizations = 0;
  dsm_plan *plan = poison();
  dsm_fit fit = DSM_FIT_NONE;
  const dsm_status status =
      dsm_explore_what_fits(&plan, &fit, s->single, s->system, &options, diags);
  return finish_plan(status, plan);
}

/* The plan is made anew, since that of data and model has no roles to explain. */
static attempt explain_roles(const subject *s, dsm_diags *diags) {
  const dsm_explore_options options = with_roles(s);
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_explore(&plan, s->single, s->system, &options, diags);
  if (status != DSM_OK) {
    return attempt_of_status(status, plan, 0);
  }
  const attempt made = explain_layer(plan, 0, diags);
  dsm_plan_free(plan);
  return made;
}

static uint64_t digest_roles(const dsm_layer *layer, const dsm_machine *machine, uint64_t digest) {
  dsm_role role = DSM_ROLE_DATA;
  digest = digest_u64(digest, dsm_role_parse("row", &role));
  const dsm_parallelism parallelism = dsm_parallelism_of(&(dsm_roles){{role}}, 2);
  const dsm_layouts before = dsm_output_layouts(parallelism);
  const dsm_layouts after = dsm_input_layouts(parallelism);
  const dsm_traffic moved = dsm_layout_traffic(machine, 1000, &before, &after);
  digest = digest_text(digest, dsm_role_name(role));
  digest = digest_u64(digest, dsm_role_input_layout(role) + dsm_role_output_layout(role));
  digest = digest_u64(digest, dsm_role_divides(role, DSM_DIVIDED_IN));
  digest = digest_u64(digest, dsm_layer_can_have_role(layer, role));
  const dsm_pass_layouts all = dsm_pass_layouts_uniform(parallelism);
  digest = digest_double(digest, dsm_used_weight_ways(layer, machine, &all));
  return digest_double(digest, dsm_group_cycles(machine, &moved));
}

static uint64_t digest_names(const subject *s, uint64_t digest) {
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
      dsm_transfer_name(DSM_TRANSFER_ROTATE),
      dsm_group_name(DSM_GROUP_STREAM),
      dsm_bound_name(DSM_BOUND_RING),
      dsm_plan_parallelism_name(s->plan, DSM_PARALLELISM_DATA_X_MODEL_Y),
      dsm_plan_link_name(s->plan, DSM_LINK_AXIS),
      dsm_plan_bound_name(s->plan, DSM_BOUND_AXIS),
      dsm_plan_transfer_name(s->plan, DSM_TRANSFER_ROTATE, 0),
      dsm_invocation_kind_name(DSM_INVOCATION_FIRST),
      dsm_optimization_name(DSM_OPTIMIZATION_HYBRID),
      dsm_sharding_name(DSM_SHARDING_WEIGHTS),
      dsm_recomputation_name(DSM_RECOMPUTATION_SELECTIVE),
      dsm_stages_at_name(DSM_STAGES_AT_BLOCKS),
      dsm_schedule_name(DSM_SCHEDULE_ZERO_BUBBLE),
      dsm_shard_level_name(DSM_SHARD_LEVEL_WEIGHTS),
      dsm_as_run_by_name(DSM_AS_RUN_BY_MEGATRON),
      dsm_aim_name(DSM_AIM_JOULES),
      dsm_energy_part_name(DSM_ENERGY_MEMORY),
      dsm_recomputation_why_not(s->convolutional, DSM_RECOMPUTATION_SELECTIVE),
      dsm_decision_name(DSM_DECISION_DYSM_FACTOR),
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    digest = digest_text(digest, names[i]);
  }
  digest = digest_u64(digest, dsm_mode_parse("training", &mode));
  digest = digest_u64(digest, dsm_parallelism_parse("model", &parallelism));
  digest = digest_u64(digest, dsm_system_parallelism_parse(s->system, "model", &parallelism));
  digest = digest_text(digest, dsm_system_parallelism_name(s->system, parallelism).text);
  return digest_u64(digest, dsm_optimization_parse("hybrid", &optimization));
}

static uint64_t digest_score(uint64_t digest, const dsm_workload *workload,
                             const dsm_machine *machine, const dsm_loops *split) {
  const dsm_layer *const layer = &workload->layers[0];
  digest = digest_u64(digest, dsm_workload_element_type(workload));
  digest = digest_double(digest, dsm_workload_peak_flops(workload, machine->system));
  const dsm_precision precision = dsm_precision_of(workload, machine->system);
  const dsm_residency residency = dsm_residency_none(machine);
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, machine, precision, DSM_MODE_TRAINING, DSM_PASS_FORWARD,
                           DSM_PARALLELISM_DATA_X_MODEL_Y, workload->minibatch, &residency);
  const dsm_invocation_cost cost = dsm_invocation_score(&work, split);
  digest = digest_double(digest, dsm_resident_fraction_needed(&work, split));
  digest = digest_u64(digest, dsm_invocation_computing(&work, split));
  const dsm_transfer_list list = dsm_invocation_transfers(&work, split);
  const dsm_joules joules = dsm_invocation_energy(&work, split);
  digest = digest_double(digest, joules.of[DSM_ENERGY_COMPUTE]);
  digest = digest_double(digest, cost.total);
  digest = digest_double(digest, dsm_core_kernel_bytes(&work, split));
  digest = digest_double(digest, dsm_kept_kernel_bytes(&work, split));
  digest = digest_double(digest, dsm_kept_room_bytes(machine, &residency));
  digest = digest_double(digest, dsm_resident_breaks_derive(&work, split).fractions[0]);
  dsm_resources spent = dsm_invocation_resources(&work, split);
  const dsm_traffic traffic = {.bytes = {[DSM_LINK_MEMORY] = 100}};
  const dsm_resources more = dsm_group_resources(machine, &traffic);
  dsm_resources_add(&spent, &more, 2);
  digest = digest_u64(digest, dsm_resources_bound(&spent));
  return digest_u64(digest, list.count);
}

/* How held tensors lie in the cores. */
static uint64_t digest_layouts(uint64_t digest, const dsm_machine *machine,
                               const dsm_loops *split) {
  const dsm_held_tensor input = {.layout = {1, 1, 1}, .elements = 8};
  const dsm_held_layouts layouts = {.inputs = &input, .input_count = 1};
  digest = digest_u64(digest, dsm_split_fits_output(split, &input.layout));
  digest = digest_u64(digest, dsm_split_fits_input(split, &input.layout));
  digest = digest_double(digest, dsm_misfitting_input(&layouts, split));
  return digest_double(digest, dsm_layout_move_cycles(machine, 1000));
}

/* What is on chip for longer than an invocation. */
static uint64_t digest_holding(uint64_t digest, const dsm_workload *workload,
                               const dsm_machine *machine) {
  const dsm_layer *const layer = &workload->layers[0];
  const double tensor = dsm_tensor_chip_bytes(layer->stored_elements, machine,
                                              dsm_precision_of(workload, machine->system),
                                              DSM_PARALLELISM_DATA, workload->minibatch);
  const double limits[] = {
      dsm_held_limit_bytes(machine, 0),
      dsm_preload_room_bytes(machine),
      dsm_scratchpad_left_bytes(machine, 0, tensor),
      dsm_shared_left_bytes(machine, 0, tensor),
      dsm_resident_kernel_limit_bytes(machine, DSM_PASS_UPDATE, machine->scratchpad_bytes),
  };
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    digest = digest_double(digest, limits[i]);
  }
  digest = digest_u64(digest, dsm_kernel_can_be_kept(layer, machine));
  return digest_u64(digest, dsm_dysm_factor_is_valid(layer, machine, workload->minibatch, 2));
}

static uint64_t digest_step(uint64_t digest, const dsm_workload *workload,
                            const dsm_machine *machine) {
  const dsm_layer *const layer = &workload->layers[0];
  const dsm_precision precision = dsm_precision_of(workload, machine->system);
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA_X_MODEL_Y);
  const dsm_weight_traffic weights = dsm_weight_traffic_derive(layer, machine, precision, &layouts);
  const dsm_transfer_list axes = dsm_axis_transfers(
      DSM_TRANSFER_SUM_OF_GRADIENTS, DSM_GROUP_SUM_OF_GRADIENTS, &weights.sum_of_gradients);
  const dsm_traffic relayout =
      dsm_relayout_traffic(machine, 1000, DSM_PARALLELISM_DATA, DSM_PARALLELISM_MODEL);
  const dsm_update_relayouts inside =
      dsm_update_relayouts_derive(layer, machine, precision, workload->minibatch, &layouts);
  const dsm_traffic hand_over =
      dsm_hand_over_traffic(layer, machine, precision, workload->minibatch);
  const dsm_layer_memory memory =
      dsm_layer_memory_derive(layer, machine, workload, DSM_MODE_TRAINING, &layouts);
  digest = digest_double(digest, memory.weights_bytes);
  digest = digest_double(digest, dsm_hoisted_bytes(layer, machine, workload, DSM_PARALLELISM_DATA));
  digest = digest_u64(
      digest, dsm_hoisted_samples(layer, machine, DSM_PARALLELISM_DATA, workload->minibatch));
  digest = digest_u64(digest, axes.count);
  digest = digest_double(digest, dsm_group_cycles(machine, &relayout));
  digest = digest_double(digest, dsm_group_cycles(machine, &inside.error));
  digest = digest_double(digest, dsm_group_cycles(machine, &hand_over));
  digest = digest_double(digest, dsm_group_price(machine, &relayout));
  dsm_joules joules = {{0}};
  dsm_joules_add_traffic(&joules, &machine->energy, &relayout, 2);
  dsm_joules_add(&joules, &joules, 1);
  digest = digest_double(digest, dsm_traffic_joules(&machine->energy, &hand_over));
  digest = digest_double(digest, dsm_joules_total(&joules) - dsm_joules_dynamic(&joules));
  digest = digest_double(digest, dsm_stage_hand_over_cycles(machine, &hand_over, 1));
  digest = digest_u64(digest, dsm_stage_hands_over(DSM_PASS_FORWARD, 0, 2));
  digest = digest_u64(digest, dsm_bound_of_link(dsm_group_slowest_link(machine, &relayout)));
  digest = digest_double(digest, dsm_link_cycles(machine, DSM_LINK_AXIS, 1000));
  return digest_double(digest,
                       dsm_ideal_cycles(layer, machine, 1, DSM_PASS_FORWARD, workload->minibatch));
}

/* None of these allocates, so all succeed whatever fails. */
static attempt use_pure_functions(const subject *s, dsm_diags *diags) {
  (void)diags;
  const dsm_machine machine = dsm_machine_derive(s->system);
  const dsm_layer *const layer = &s->convolutional->layers[0];
  const dsm_loops split = {{1, 2, 2, 1, 1}};
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, &machine, DSM_PARALLELISM_MODEL, s->convolutional->minibatch);
  const dsm_loops core = dsm_core_share(&share, &split);
  const dsm_loops array = dsm_array_share(&machine, DSM_PASS_FORWARD, &share, &split);
  uint64_t digest = digest_names(s, DIGEST_START);
  digest = digest_u64(digest, dsm_machine_for(s->system, DSM_MODE_TRAINING).chip_count);
  digest = digest_score(digest, s->convolutional, &machine, &split);
  digest = digest_roles(layer, &machine, digest);
  digest = digest_holding(digest, s->convolutional, &machine);
  digest = digest_layouts(digest, &machine, &split);
  digest = digest_step(digest, s->convolutional, &machine);
  digest = digest_u64(digest, core.n[DSM_DIM_OUT] + array.n[DSM_DIM_OUT]);
  digest = digest_u64(digest, dsm_split_is_valid(&share, &split));
  digest = digest_u64(digest, dsm_layer_parallelisms(layer));
  digest = digest_u64(digest, dsm_model_ways_fit(layer, s->system, DSM_PARALLELISM_MODEL));
  digest = digest_u64(digest, dsm_pass_exists(layer, DSM_MODE_TRAINING, DSM_PASS_BACKWARD));
  digest = digest_u64(digest, dsm_invocation_count(layer, DSM_PASS_FORWARD));
  digest = digest_u64(digest, dsm_parallelism_model_axes(DSM_PARALLELISM_MODEL));
  digest = digest_u64(digest, dsm_transfer_has_axis(DSM_TRANSFER_ROTATE));
  digest = digest_u64(digest, dsm_system_chips(s->system));
  digest = digest_u64(digest, dsm_split_cores(s->system));
  digest = digest_double(
      digest, dsm_invocation_kernels(layer, &machine, DSM_MODE_TRAINING, DSM_PASS_FORWARD));
  digest = digest_text(digest, dsm_optimizer_name(DSM_OPTIMIZER_LARS));
  digest = digest_text(digest, dsm_element_type_name(DSM_ELEMENT_TYPE_INT8));
  digest = digest_double(digest, dsm_element_type_bytes(DSM_ELEMENT_TYPE_INT4));
  digest = digest_u64(digest, dsm_system_rate_type(s->system, DSM_ELEMENT_TYPE_FP4));
  digest = digest_text(digest, dsm_computing_name(DSM_COMPUTING_SAMPLES));
  digest = digest_u64(digest, dsm_mode_optimizations(DSM_MODE_INFERENCE));
  digest = digest_u64(digest, dsm_mode_possible_optimizations(DSM_MODE_TRAINING));
  digest = digest_u64(digest, dsm_as_run_by_optimizations(DSM_MODE_TRAINING));
  digest = digest_u64(digest, dsm_system_optimizations(s->system, DSM_MODE_TRAINING));
  digest = digest_text(digest, dsm_strategy_of(DSM_OPTIMIZATION_HYBRID)->help);
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  dsm_role_set any = 0;
  dsm_role_set of_axes[DSM_AXES_MAX] = {0};
  digest = digest_u64(digest, dsm_named_role_parse(s->system, "x=column", &any, of_axes));
  digest = digest_u64(digest, dsm_options_allow(&options, 0, any, of_axes));
  dsm_options_settle(&options);
  char exclusions[1024];
  dsm_strategy_exclusions(exclusions, sizeof exclusions);
  digest = digest_text(digest, exclusions);
  dsm_optimization rungs[DSM_OPTIMIZATION_COUNT];
  digest = digest_u64(digest, dsm_ladder_additions(&options, rungs));
  digest = digest_u64(digest, dsm_optimization_why_not(DSM_OPTIMIZATION_HOIST, s->recurrent,
                                                       s->system, &options) == NULL);
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
    {"dsm_explore_what_fits", explore_what_fits, DSM_OK, NULL},
    {"dsm_explore, no parallelism", explore_nothing, DSM_ERROR_USAGE, NULL},
    {"dsm_explore, held outputs", explore_held, DSM_OK, NULL},
    {"dsm_explore, held, inference", explore_held_inference, DSM_OK, NULL},
    {"dsm_explore, preloading", explore_preloading, DSM_OK, NULL},
    {"dsm_explore, held, limited", explore_held_limited, DSM_OK, NULL},
    {"dsm_explore, one DySM factor", explore_uniform, DSM_OK, NULL},
    {"dsm_explore, pipelined", explore_pipelined, DSM_OK, NULL},
    {"dsm_explore, pipelined, limited", explore_pipelined_limited, DSM_OK, NULL},
    {"dsm_explore, layouts", explore_laid, DSM_OK, NULL},
    {"dsm_explore, layouts, inference", explore_laid_inference, DSM_OK, NULL},
    {"dsm_explore, layouts, limited", explore_laid_limited, DSM_OK, NULL},
    {"dsm_explore, layouts, preloading", explore_laid_preloading, DSM_OK, NULL},
    {"dsm_explore, roles", explore_roles, DSM_OK, NULL},
    {"dsm_explore, stages", explore_stages, DSM_OK, NULL},
    {"dsm_plan_bound", bound, DSM_OK, NULL},
    {"dsm_plan_set_bound", set_bound, DSM_OK, NULL},
    {"dsm_plan_bound, held outputs", bound_held, DSM_OK, NULL},
    {"dsm_plan_bound, layouts", bound_laid, DSM_OK, NULL},
    {"dsm_plan_validate", validate, DSM_OK, NULL},
    {"dsm_plan_validate_text", add_up, DSM_OK, NULL},
    {"dsm_plan_compare_text", compare, DSM_OK, NULL},
    {"dsm_plan_validate, held outputs", validate_held, DSM_OK, NULL},
    {"dsm_plan_validate, layouts", validate_laid, DSM_OK, NULL},
    {"dsm_plan_validate, pipelined", validate_pipelined, DSM_OK, NULL},
    {"dsm_plan_parse", parse, DSM_OK, NULL},
    {"dsm_plan_parse, every decision", parse_decisions, DSM_OK, NULL},
    {"dsm_plan_parse, bad", parse_bad, DSM_ERROR_INVALID, NULL},
    {"dsm_plan_load", load, DSM_OK, NULL},
    {"dsm_plan_print", print, DSM_OK, NULL},
    {"dsm_plan_print, held outputs", print_held, DSM_OK, NULL},
    {"dsm_plan_print, layouts", print_laid, DSM_OK, NULL},
    {"dsm_plan_print, pipelined", print_pipelined, DSM_OK, NULL},
    {"dsm_explain", explain, DSM_OK, NULL},
    {"dsm_explain, held outputs", explain_held, DSM_OK, NULL},
    {"dsm_explain, layouts", explain_laid, DSM_OK, NULL},
    {"dsm_explain, pipelined", explain_pipelined, DSM_OK, NULL},
    {"dsm_explain, roles", explain_roles, DSM_OK, NULL},
    {"pure functions", use_pure_functions, DSM_OK, NULL},
};
const size_t plan_case_count = sizeof plan_cases / sizeof plan_cases[0];
