/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frameworks.c: what frameworks that train can run.
 *
 * Source: that of src/export/launch.c, whose settings have one degree for all layers. A new
 * framework is a value of dsm_as_run_by. What it cannot run is a row of limits, which the search,
 * the check of plans and their export ask.
 */
#include "plan/frameworks.h"

#include "base/diag_add.h"
#include "model/role_row.h"
#include "plan/degrees.h"

static const dsm__word words[] = {[DSM_AS_RUN_BY_ANY] = {.key = "any"},
                                  [DSM_AS_RUN_BY_MEGATRON] = {"megatron", "Megatron-LM", NULL},
                                  [DSM_AS_RUN_BY_TORCHTITAN] = {.key = "torchtitan"},
                                  [DSM_AS_RUN_BY_DEEPSPEED] = {"deepspeed", "DeepSpeed", NULL},
                                  [DSM_AS_RUN_BY_MAXTEXT] = {"maxtext", "MaxText", NULL}};
DSM__NAMED_WORDS(dsm__as_run_by_words, "framework", words, DSM_AS_RUN_BY_COUNT, dsm_as_run_by,
                 dsm_as_run_by_name);

/* ---- uses of axes ---- */

/* A role belongs to a use if it makes the one parallelism and not the other. */
static const struct {
  dsm__degree_kind makes;
  dsm__degree_kind not_too; /* DSM__DEGREE_COUNT: any */
  unsigned not_exchanged;   /* what its roles of attentions may not do with keys and values */
} use_rows[DSM__USE_COUNT] = {
    [DSM__USE_DATA] = {DSM__DEGREE_DATA, DSM__DEGREE_EXPERT, 0},
    [DSM__USE_SEQUENCE] = {DSM__DEGREE_SEQUENCE, DSM__DEGREE_COUNT, 0},
    [DSM__USE_TENSOR] = {DSM__DEGREE_TENSOR, DSM__DEGREE_SEQUENCE, 0},
    [DSM__USE_EXPERT] = {DSM__DEGREE_DATA, DSM__DEGREE_COUNT, 0},
    [DSM__USE_CONTEXT] = {DSM__DEGREE_CONTEXT, DSM__DEGREE_TENSOR, DSM__ROLE_GATHERS_OPERANDS},
    [DSM__USE_GATHER_CONTEXT] = {DSM__DEGREE_CONTEXT, DSM__DEGREE_TENSOR, DSM__ROLE_TURNS_OPERANDS},
};

/* No framework passes features on from chip to chip. Weights that are cut in groups are the same
 * with and without sequence parallelism, so they belong to both uses. */
static bool has_role(dsm__axis_use use, dsm_role role) {
  const dsm__weight_cut cut = dsm__role_rows[role].cut;
  const bool is_passed_on = (cut == DSM__WEIGHT_CUT_OUT || cut == DSM__WEIGHT_CUT_IN) &&
                            !dsm__role_has(role, DSM__ROLE_OPENS | DSM__ROLE_CLOSES);
  const dsm__degree_kind not_too = use_rows[use].not_too;
  const bool is_of_groups = use == DSM__USE_SEQUENCE && cut == DSM__WEIGHT_CUT_GROUP &&
                            dsm__makes_degree(DSM__DEGREE_TENSOR, role);
  return !is_passed_on && (is_of_groups || dsm__makes_degree(use_rows[use].makes, role)) &&
         (not_too == DSM__DEGREE_COUNT || !dsm__makes_degree(not_too, role)) &&
         !(dsm__role_rows[role].group == DSM_ROLE_GROUP_CONTEXT &&
           dsm__role_has(role, use_rows[use].not_exchanged));
}

dsm_role_set dsm__use_roles(dsm__axis_use use) {
  dsm_role_set roles = 0;
  for (int r = 0; r < DSM_ROLE_COUNT; r++) {
    roles |= has_role(use, (dsm_role)r) ? 1U << (unsigned)r : 0;
  }
  return roles;
}

bool dsm__is_of_use(const dsm_layer *layer, dsm_role role, dsm__axis_use use, uint64_t chips) {
  const bool sends = dsm__role_has(role, DSM__ROLE_SENDS_TOKENS);
  return chips == 1 || (has_role(use, role) && has_role(use, dsm__role_of_layer(layer, role)) &&
                        (use != DSM__USE_EXPERT || sends == (layer->experts > 0)));
}

bool dsm__has_its_experts(const dsm_explore_options *options, const dsm_system *system,
                          unsigned axis, const dsm_layer *layer, dsm_role role) {
  const dsm_role_set named = options->roles[axis];
  const bool are_shared = options->as_run_by != DSM_AS_RUN_BY_ANY && named != 0 &&
                          (named & ~dsm__use_roles(DSM__USE_DATA)) != 0 &&
                          (named & ~dsm__use_roles(DSM__USE_EXPERT)) == 0;
  return !are_shared ||
         dsm__is_of_use(layer, role, DSM__USE_EXPERT, system->system.axes[axis].chips);
}

bool dsm__axis_uses_get(unsigned axis_count, size_t number, dsm__axis_uses *uses) {
  *uses = (dsm__axis_uses){.of = {DSM__USE_DATA}};
  for (unsigned a = 0; a < axis_count; a++) {
    uses->of[a] = (dsm__axis_use)(number % DSM__USE_COUNT);
    number /= DSM__USE_COUNT;
  }
  return number == 0;
}

/* ---- what frameworks have ---- */

#define BY(of) (1U << (unsigned)DSM_AS_RUN_BY_##of)
#define ALL (BY(MEGATRON) | BY(TORCHTITAN) | BY(DEEPSPEED) | BY(MAXTEXT))
#define USE(of) DSM__ASKED_USE(DSM__USE_##of)
#define LEVEL(of) DSM__ASKED_LEVEL(DSM_SHARD_LEVEL_##of)
#define TYPE(of) DSM__ASKED_TYPE(DSM__TRAINED_##of)

/* The first that a plan has all of is why it is not run. */
static const dsm__framework_limit limits[] = {
    {ALL, DSM__ASKED_INFERENCE, "runs training alone"},
    {ALL, DSM__ASKED_ZERO_BUBBLE,
     "has no schedule with one run of layers a stage that makes gradients of weights apart"},
    {BY(MEGATRON), TYPE(OTHER), "trains in bf16, fp16, fp8 or 32 bits"},
    {BY(TORCHTITAN) | BY(MAXTEXT), TYPE(OTHER), "trains in bf16, fp8 or 32 bits"},
    {BY(TORCHTITAN) | BY(MAXTEXT), TYPE(FP16), "trains in bf16, fp8 or 32 bits"},
    {BY(DEEPSPEED), TYPE(OTHER), "trains in bf16, fp16 or 32 bits"},
    {BY(DEEPSPEED), TYPE(FP8), "trains in bf16, fp16 or 32 bits"},
    {BY(DEEPSPEED), USE(SEQUENCE),
     "has no sequence parallelism between the layers of tensor parallelism"},
    {BY(DEEPSPEED), USE(CONTEXT),
     "shares positions by heads alone (Ulysses), not by keys that go round"},
    {BY(DEEPSPEED), USE(GATHER_CONTEXT),
     "shares positions by heads alone (Ulysses), not by keys that are gathered"},
    {BY(DEEPSPEED), DSM__ASKED_RUNS, "has no interleaved stages"},
    {BY(TORCHTITAN), USE(TENSOR), "has sequence parallelism in all of tensor parallelism"},
    {BY(MEGATRON) | BY(MAXTEXT), USE(SEQUENCE) | USE(TENSOR),
     "has sequence parallelism in all of tensor parallelism or in none"},
    {ALL, USE(CONTEXT) | USE(GATHER_CONTEXT),
     "has one form of context parallelism: keys are passed around, or gathered"},
    {BY(TORCHTITAN), LEVEL(OPTIMIZER),
     "shares gradients where it shares the optimizer's state: expected ZeRO 0, 2 or 3"},
    {BY(MAXTEXT), LEVEL(GRADIENTS), "has no ZeRO 2: expected ZeRO 0, 1 or 3"},
    {BY(TORCHTITAN), USE(EXPERT) | USE(CONTEXT), "runs experts on the chips of CP first"},
    {BY(TORCHTITAN), USE(EXPERT) | USE(GATHER_CONTEXT), "runs experts on the chips of CP first"},
    {BY(TORCHTITAN), USE(EXPERT) | LEVEL(NONE),
     "runs experts on chips that share weights (ZeRO 2 or 3)"},
};

const dsm__framework_limit *dsm__framework_limit_of(dsm_as_run_by by, unsigned asked) {
  for (size_t i = 0; i < DSM__COUNT_OF(limits); i++) {
    if ((limits[i].frameworks >> (unsigned)by & 1U) != 0 &&
        (asked & limits[i].asked) == limits[i].asked) {
      return &limits[i];
    }
  }
  return NULL;
}

/* ---- what is asked of them ---- */

enum { HALF_BYTES = 2, SINGLE_BYTES = 4 };

/* By types of elements. */
static const dsm__trained_type trained[DSM_ELEMENT_TYPE_COUNT] = {
    [DSM_ELEMENT_TYPE_INT8] = DSM__TRAINED_OTHER,  [DSM_ELEMENT_TYPE_FP8] = DSM__TRAINED_FP8,
    [DSM_ELEMENT_TYPE_FP16] = DSM__TRAINED_FP16,   [DSM_ELEMENT_TYPE_BF16] = DSM__TRAINED_BF16,
    [DSM_ELEMENT_TYPE_TF32] = DSM__TRAINED_SINGLE, [DSM_ELEMENT_TYPE_FP32] = DSM__TRAINED_SINGLE,
    [DSM_ELEMENT_TYPE_INT4] = DSM__TRAINED_OTHER,  [DSM_ELEMENT_TYPE_FP4] = DSM__TRAINED_OTHER,
    [DSM_ELEMENT_TYPE_NVFP4] = DSM__TRAINED_OTHER, [DSM_ELEMENT_TYPE_MXFP4] = DSM__TRAINED_OTHER,
    [DSM_ELEMENT_TYPE_E4M3] = DSM__TRAINED_OTHER,  [DSM_ELEMENT_TYPE_E5M2] = DSM__TRAINED_OTHER,
    [DSM_ELEMENT_TYPE_MXFP8] = DSM__TRAINED_OTHER,
};

/* Without a stated type elements of 2 bytes are bf16, and those of 4 are of 32 bits. */
dsm__trained_type dsm__trained_type_of(const dsm_workload *workload) {
  const double bytes = workload->element_bytes;
  const dsm_element_type operands = workload->types.of[DSM_USE_OPERANDS];
  const dsm_element_type type = operands != DSM_ELEMENT_TYPE_ANY ? operands
                                : workload->element_type != DSM_ELEMENT_TYPE_ANY
                                    ? workload->element_type
                                : bytes == HALF_BYTES   ? DSM_ELEMENT_TYPE_BF16
                                : bytes == SINGLE_BYTES ? DSM_ELEMENT_TYPE_FP32
                                                        : DSM_ELEMENT_TYPE_INT8;
  return trained[type];
}

unsigned dsm__asked_level(const dsm_system *system, dsm_shard_level level) {
  return level == DSM_SHARD_LEVEL_NONE && system->model.sharded_update ? 0
                                                                       : DSM__ASKED_LEVEL(level);
}

bool dsm__can_run(dsm_as_run_by by, const dsm_system *system, const dsm__axis_uses *uses,
                  dsm_shard_level level) {
  unsigned asked = dsm__asked_level(system, level);
  bool can = true;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const bool is_shared = system->system.axes[a].chips > 1;
    can = can && (is_shared || uses->of[a] == DSM__USE_DATA);
    asked |= is_shared ? DSM__ASKED_USE(uses->of[a]) : 0;
  }
  return can && dsm__framework_limit_of(by, asked) == NULL;
}

dsm_optimization_set dsm_as_run_by_optimizations(dsm_mode mode) {
  return dsm_mode_possible_optimizations(mode) & DSM_OPTIMIZATION_EVERYTHING &
         ~(DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE) |
           DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS));
}

dsm_status dsm__as_run_by_check(const dsm_workload *workload, const dsm_explore_options *options,
                                dsm_diags *diags) {
  const unsigned asked = DSM__ASKED_LEVEL(options->shard_level) |
                         DSM__ASKED_TYPE(dsm__trained_type_of(workload)) |
                         (options->mode == DSM_MODE_TRAINING ? 0 : DSM__ASKED_INFERENCE) |
                         (options->schedule == DSM_SCHEDULE_1F1B ? 0 : DSM__ASKED_ZERO_BUBBLE) |
                         (options->interleave > 1 ? DSM__ASKED_RUNS : 0);
  const dsm__framework_limit *const limit = dsm__framework_limit_of(options->as_run_by, asked);
  return limit == NULL ? DSM_OK
                       : dsm__refuse(diags, DSM_ERROR_USAGE, "%s %s",
                                     dsm__word_text(&dsm__as_run_by_words, options->as_run_by),
                                     limit->reason);
}
