/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frameworks.h: what frameworks that train can run, as rows (docs/export.md): along each axis all
 * layers do the same, all share out the same of their weights, all blocks recompute alike, and
 * stages have equally many blocks. The cases of a search try one after the other
 * what a row leaves open.
 */
#ifndef DSM_PLAN_FRAMEWORKS_H
#define DSM_PLAN_FRAMEWORKS_H

#include "base/words.h"
#include "dsm/plan.h"
#include "plan/plan_internal.h"

extern const dsm__words dsm__as_run_by_words; /**< of dsm_as_run_by */

/** What chips along an axis do of all layers, in the order in which uses are tried. */
typedef enum dsm__axis_use {
  DSM__USE_DATA = 0,       /**< DP */
  DSM__USE_SEQUENCE,       /**< TP with SP */
  DSM__USE_TENSOR,         /**< TP without */
  DSM__USE_EXPERT,         /**< EP: DP, and experts of layers that have some */
  DSM__USE_CONTEXT,        /**< CP, keys and values go round */
  DSM__USE_GATHER_CONTEXT, /**< CP, they are gathered */
  DSM__USE_COUNT
} dsm__axis_use;

/** A use of each axis. */
typedef struct dsm__axis_uses {
  dsm__axis_use of[DSM_AXES_MAX];
} dsm__axis_uses;

/** The uses number `number` of a system with so many axes; false: there are not so many. */
bool dsm__axis_uses_get(unsigned axis_count, size_t number, dsm__axis_uses *uses);

/** The roles of layers with a use. */
dsm_role_set dsm__use_roles(dsm__axis_use use);

/** May a layer have a role along an axis with a use? Where the axis has one chip, any role. */
bool dsm__is_of_use(const dsm_layer *layer, dsm_role role, dsm__axis_use use, uint64_t chips);

/** Is a role right as to experts? Where options name a framework, and for an axis roles that send
 * tokens to experts, layers with experts have such a role, and the others have none. */
bool dsm__has_its_experts(const dsm_explore_options *options, const dsm_system *system,
                          unsigned axis, const dsm_layer *layer, dsm_role role);

/** In what products are trained. */
typedef enum dsm__trained_type {
  DSM__TRAINED_SINGLE = 0, /**< 32 bits */
  DSM__TRAINED_BF16,
  DSM__TRAINED_FP16,
  DSM__TRAINED_FP8,
  DSM__TRAINED_OTHER,
  DSM__TRAINED_COUNT
} dsm__trained_type;

dsm__trained_type dsm__trained_type_of(const dsm_workload *workload);

/** What may be asked of a framework, a bit each. */
#define DSM__ASKED_USE(use) (1U << (unsigned)(use))
#define DSM__ASKED_LEVEL(level) (1U << ((unsigned)DSM__USE_COUNT + (unsigned)(level)))
#define DSM__ASKED_TYPE(type)                                                                      \
  (1U << ((unsigned)DSM__USE_COUNT + (unsigned)DSM_SHARD_LEVEL_COUNT + (unsigned)(type)))
#define DSM__ASKED_INFERENCE DSM__ASKED_TYPE(DSM__TRAINED_COUNT)
#define DSM__ASKED_ZERO_BUBBLE (DSM__ASKED_INFERENCE << 1U)
#define DSM__ASKED_RUNS (DSM__ASKED_INFERENCE << 2U) /**< several runs of layers of each stage */

/** The bit of a level; without shards where the system shares updates: none. */
unsigned dsm__asked_level(const dsm_system *system, dsm_shard_level level);

/** What frameworks do not run. */
typedef struct dsm__framework_limit {
  unsigned frameworks; /**< a bit each */
  unsigned asked;      /**< all of this together */
  const char *reason;  /**< goes on from "the framework" */
} dsm__framework_limit;

/** Why a framework does not run what is asked; NULL: it does. */
const dsm__framework_limit *dsm__framework_limit_of(dsm_as_run_by by, unsigned asked);

/** Can a framework run a system whose axes have these uses, with such a level of shards? An axis of
 * one chip has the first use alone. */
bool dsm__can_run(dsm_as_run_by by, const dsm_system *system, const dsm__axis_uses *uses,
                  dsm_shard_level level);

/** Where options have stages begin: between blocks where a framework is to run them. */
static inline dsm_stages_at dsm__stages_at_of(const dsm_explore_options *options) {
  return options->as_run_by != DSM_AS_RUN_BY_ANY ? DSM_STAGES_AT_BLOCKS : options->stages_at;
}

/** Refuses options that no plan of their framework has. DSM_ERROR_USAGE. */
DSM_NODISCARD dsm_status dsm__as_run_by_check(const dsm_workload *workload,
                                              const dsm_explore_options *options, dsm_diags *diags);

#endif
