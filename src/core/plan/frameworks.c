/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frameworks.c: what frameworks that train can run.
 *
 * Source: as of src/export/launch.c, whose settings say one degree for all layers. A new framework
 * is a value of dsm_as_run_by and a row.
 */
#include "plan/frameworks.h"

#include "base/diag_add.h"
#include "model/role_row.h"
#include "plan/degrees.h"

static const dsm__word words[] = {[DSM_AS_RUN_BY_ANY].key = "any",
                                  [DSM_AS_RUN_BY_MEGATRON].key = "megatron",
                                  [DSM_AS_RUN_BY_TORCHTITAN].key = "torchtitan",
                                  [DSM_AS_RUN_BY_DEEPSPEED].key = "deepspeed",
                                  [DSM_AS_RUN_BY_MAXTEXT].key = "maxtext"};
DSM__NAMED_WORDS(dsm__as_run_by_words, "framework", words, DSM_AS_RUN_BY_COUNT, dsm_as_run_by,
                 dsm_as_run_by_name);

/* ---- uses of axes ---- */

/* A role is of a use if it makes one parallelism, and does not make another one too. */
static const struct {
  dsm__degree_kind makes;
  dsm__degree_kind not_too; /* DSM__DEGREE_COUNT: any */
  unsigned not_exchanged;   /* what no role of attentions may do with keys and values */
} use_rows[DSM__USE_COUNT] = {
    [DSM__USE_DATA] = {DSM__DEGREE_DATA, DSM__DEGREE_EXPERT, 0},
    [DSM__USE_SEQUENCE] = {DSM__DEGREE_SEQUENCE, DSM__DEGREE_COUNT, 0},
    [DSM__USE_TENSOR] = {DSM__DEGREE_TENSOR, DSM__DEGREE_SEQUENCE, 0},
    [DSM__USE_EXPERT] = {DSM__DEGREE_DATA, DSM__DEGREE_COUNT, 0},
    [DSM__USE_CONTEXT] = {DSM__DEGREE_CONTEXT, DSM__DEGREE_TENSOR, DSM__ROLE_GATHERS_OPERANDS},
    [DSM__USE_GATHER_CONTEXT] = {DSM__DEGREE_CONTEXT, DSM__DEGREE_TENSOR, DSM__ROLE_TURNS_OPERANDS},
};

/* No framework passes features on from chip to chip. Weights that are cut in groups are the same
 * with and without sequence parallelism, and so are of both uses. */
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

/* ---- frameworks ---- */

#define USE(of) (1U << (unsigned)DSM__USE_##of)
#define LEVEL(of) (1U << ((unsigned)DSM__USE_COUNT + (unsigned)DSM_SHARD_LEVEL_##of))
#define ALL_LEVELS                                                                                 \
  (LEVEL(BEST) | LEVEL(NONE) | LEVEL(OPTIMIZER) | LEVEL(GRADIENTS) | LEVEL(WEIGHTS))

enum { EXCLUDED_MAX = 4 };

static const struct {
  unsigned has; /* uses of axes, and levels of shards */
  bool has_runs;
  unsigned excluded[EXCLUDED_MAX]; /* sets that no plan has all of */
} rows[DSM_AS_RUN_BY_COUNT] = {
    [DSM_AS_RUN_BY_MEGATRON] = {.has = USE(DATA) | USE(SEQUENCE) | USE(TENSOR) | USE(EXPERT) |
                                       USE(CONTEXT) | USE(GATHER_CONTEXT) | ALL_LEVELS,
                                .has_runs = true,
                                .excluded = {USE(SEQUENCE) | USE(TENSOR),
                                             USE(CONTEXT) | USE(GATHER_CONTEXT)}},
    /* TP is with SP; what shares the optimizer's state shares gradients too; experts are on chips
     * that share weights. */
    [DSM_AS_RUN_BY_TORCHTITAN] = {.has = USE(DATA) | USE(SEQUENCE) | USE(EXPERT) | USE(CONTEXT) |
                                         USE(GATHER_CONTEXT) | (ALL_LEVELS & ~LEVEL(OPTIMIZER)),
                                  .has_runs = true,
                                  .excluded = {USE(EXPERT) | USE(CONTEXT),
                                               USE(EXPERT) | USE(GATHER_CONTEXT),
                                               USE(EXPERT) | LEVEL(NONE),
                                               USE(CONTEXT) | USE(GATHER_CONTEXT)}},
    [DSM_AS_RUN_BY_DEEPSPEED] = {.has = USE(DATA) | USE(TENSOR) | USE(EXPERT) | ALL_LEVELS},
    [DSM_AS_RUN_BY_MAXTEXT] = {.has = USE(DATA) | USE(SEQUENCE) | USE(TENSOR) | USE(EXPERT) |
                                      USE(CONTEXT) | USE(GATHER_CONTEXT) |
                                      (ALL_LEVELS & ~LEVEL(GRADIENTS)),
                               .has_runs = true,
                               .excluded = {USE(SEQUENCE) | USE(TENSOR),
                                            USE(CONTEXT) | USE(GATHER_CONTEXT)}},
};

bool dsm__can_run(dsm_as_run_by by, const dsm_system *system, const dsm__axis_uses *uses,
                  dsm_shard_level level) {
  unsigned asked = 1U << ((unsigned)DSM__USE_COUNT + (unsigned)level);
  bool can = true;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const bool is_shared = system->system.axes[a].chips > 1;
    can = can && (is_shared || uses->of[a] == DSM__USE_DATA);
    asked |= is_shared ? 1U << (unsigned)uses->of[a] : 0;
  }
  for (size_t e = 0; e < EXCLUDED_MAX; e++) {
    const unsigned excluded = rows[by].excluded[e];
    can = can && (excluded == 0 || (asked & excluded) != excluded);
  }
  return can && (asked & ~rows[by].has) == 0;
}

bool dsm__has_runs(dsm_as_run_by by) {
  return rows[by].has_runs;
}

dsm_optimization_set dsm_as_run_by_optimizations(dsm_mode mode) {
  return dsm_mode_possible_optimizations(mode) & ~(DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PIPELINE) |
                                                   DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS));
}

dsm_status dsm__as_run_by_check(const dsm_explore_options *options, dsm_diags *diags) {
  const dsm_as_run_by by = options->as_run_by;
  const char *const name = dsm_as_run_by_name(by);
  if (by == DSM_AS_RUN_BY_ANY) {
    return DSM_OK;
  }
  if (options->mode != DSM_MODE_TRAINING) {
    return dsm__refuse(diags, DSM_ERROR_USAGE, "expected training as run by %s, found %s", name,
                       dsm_mode_name(options->mode));
  }
  if (options->interleave > 1 && !rows[by].has_runs) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected 1 run of layers of each stage as run by %s, found %llu", name,
                       (unsigned long long)options->interleave);
  }
  if (options->schedule != DSM_SCHEDULE_1F1B) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected schedule \"1f1b\" as run by %s, found \"%s\"", name,
                       dsm_schedule_name(options->schedule));
  }
  if ((rows[by].has >> ((unsigned)DSM__USE_COUNT + (unsigned)options->shard_level) & 1U) == 0) {
    return dsm__refuse(diags, DSM_ERROR_USAGE,
                       "expected a level of shards that %s has, found \"%s\"", name,
                       dsm_shard_level_name(options->shard_level));
  }
  return DSM_OK;
}
