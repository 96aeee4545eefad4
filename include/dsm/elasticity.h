/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * elasticity.h: how much each parameter of a system matters.
 *
 * Every parameter of a system, and every number of bytes that a workload states, is varied alone:
 * a number is halved and doubled, a flag is flipped, a word gives way to each other word. Or, to
 * see what is worth buying, every number of the system is a tenth better: more, or less of what
 * costs time, room or bytes. For each variation every network is explored anew, so that the mapping
 * may change, and the time of its step is compared with that of the parameter as it is. Or a plan's
 * mapping is kept: nothing is explored, and no step is faster than the best mapping's.
 *
 * The elasticity of a step's time t to a number p is d ln t / d ln p: 0.5 says that 1 % more of p
 * makes the step 0.5 % longer, -1 that twice as much of p halves it. It is taken over the two
 * variations, ln(t(2p) / t(p/2)) / ln 4. Where only one of them is possible it is the one-sided
 * ln(t(2p) / t(p)) / ln 2 or ln(t(p) / t(p/2)) / ln 2; of a tenth more it is
 * ln(t(1.1p) / t(p)) / ln 1.1, of a tenth less ln(t(0.9p) / t(p)) / ln 0.9. The time is in seconds,
 * because the clock is a parameter too; for all others seconds and cycles have the same elasticity.
 */
#ifndef DSM_ELASTICITY_H
#define DSM_ELASTICITY_H

#include <stdbool.h>
#include <stddef.h>

#include "dsm/diag.h"
#include "dsm/plan.h"
#include "dsm/status.h"
#include "dsm/system.h"
#include "dsm/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which values parameters are varied to. */
typedef enum dsm_variation_choice {
  DSM_VARIATIONS_TWICE = 0,    /**< numbers are halved and doubled, flags flipped, words replaced by
                                    each other word */
  DSM_VARIATIONS_TENTH_BETTER, /**< numbers are 1.1 times as large, counts to the nearest whole
                                    number and at least one more, or 0.9 times where lower is
                                    better; flags and words are not varied */
  DSM_VARIATION_CHOICE_COUNT
} dsm_variation_choice;

/** What is varied, and with what it is measured. All is borrowed. */
typedef struct dsm_elasticity_request {
  const dsm_system *system;
  const dsm_workload *const *workloads; /**< networks; len = workload_count */
  size_t workload_count;                /**< 1 or more */
  dsm_explore_options options;          /**< of each exploration; with more threads several run at
                                             the same time */
  const char *const *paths; /**< parameters to vary, such as "array.rows" and those of the workloads
                                 such as "workload.element_bytes"; NULL: all, with
                                 DSM_VARIATIONS_TENTH_BETTER all numbers of the system;
                                 len = path_count */
  size_t path_count;
  dsm_variation_choice choice;
  const dsm_plan *kept; /**< its mapping is kept, and predicted for each variation: of workloads,
                             system and options only the threads count then. NULL: each is explored
                         */
} dsm_elasticity_request;

/** What a parameter's values are. */
typedef enum dsm_setting_kind {
  DSM_SETTING_NONE = 0, /**< there is no such value, or the networks have different ones */
  DSM_SETTING_NUMBER,
  DSM_SETTING_FLAG,
  DSM_SETTING_WORD,
  DSM_SETTING_KIND_COUNT
} dsm_setting_kind;

/** A value of a parameter, in the parameter's unit. */
typedef struct dsm_setting {
  dsm_setting_kind kind;
  double number;    /**< of a flag 0 or 1 */
  const char *word; /**< of a flag "false" or "true"; NULL for numbers */
} dsm_setting;

/** How a network responds to a variation. */
typedef struct dsm_response {
  const char *why_not; /**< NULL; or why there is no time: the value is not legal, or nothing fits
                            the memory. All below is then 0 */
  double time_ratio;   /**< step's time over that of the parameter as it is, exactly 1 if they are
                            within 1e-9; lower is better */
  double step_cycles;  /**< lower is better */
  double step_seconds; /**< lower is better */
  double utilization;  /**< 0 .. 1; higher is better */
} dsm_response;

/** How a parameter is varied. */
typedef enum dsm_variation_kind {
  DSM_VARIATION_HALVED = 0, /**< counts are rounded to the nearest, a half upward */
  DSM_VARIATION_DOUBLED,
  DSM_VARIATION_OTHER,   /**< a flag flipped, another word */
  DSM_VARIATION_RAISED,  /**< a tenth more */
  DSM_VARIATION_LOWERED, /**< a tenth less */
  DSM_VARIATION_KIND_COUNT
} dsm_variation_kind;

/** A change of one parameter. */
typedef struct dsm_variation {
  dsm_variation_kind kind;
  dsm_setting setting;
  double factor; /**< value over the parameter as it is; 0 for DSM_VARIATION_OTHER */
  const dsm_response *responses; /**< one for each network */
} dsm_variation;

/** Which variations an elasticity is taken over. */
typedef enum dsm_elasticity_basis {
  DSM_ELASTICITY_BASIS_NONE =
      0,                        /**< there is none: a flag or a word, or no variation is possible */
  DSM_ELASTICITY_BASIS_HALVED,  /**< one-sided */
  DSM_ELASTICITY_BASIS_DOUBLED, /**< one-sided */
  DSM_ELASTICITY_BASIS_BOTH,
  DSM_ELASTICITY_BASIS_RAISED,  /**< one-sided */
  DSM_ELASTICITY_BASIS_LOWERED, /**< one-sided */
  DSM_ELASTICITY_BASIS_COUNT
} dsm_elasticity_basis;

/** Of the time of a network's step to a parameter. */
typedef struct dsm_slope {
  dsm_elasticity_basis basis;
  double elasticity; /**< 0 without a basis */
} dsm_slope;

/** What each variation of one parameter does. */
typedef struct dsm_varied_parameter {
  const char *path;     /**< as in a request */
  const char *unit;     /**< as in docs/model.md, section 2 */
  const char *source;   /**< where the value comes from, or "assumption...", or "given" */
  bool is_free;         /**< an assumption, derived, or of the model: nothing measured or published
                             says what it is */
  bool is_lower_better; /**< a number of which less is better: it costs time, room or bytes */
  dsm_setting setting;
  dsm_setting fallback;            /**< its default; DSM_SETTING_NONE if it is required */
  const dsm_variation *variations; /**< none where there is no other word, or none is asked for */
  size_t variation_count;
  const dsm_slope *slopes; /**< one for each network */
  double influence;        /**< largest |ln(time_ratio) / ln(factor)| over all variations and
                                networks, that is the largest one-sided elasticity by size, where
                                another flag or word counts as a factor of 2; 0: no step's time
                                changes */
  bool is_software;        /**< of what runs on the hardware, or of the model: nothing of it can be
                                bought, such as tiles, efficiencies and times of launches */
} dsm_varied_parameter;

/** How the step times of networks follow each parameter of a system. */
typedef struct dsm_elasticity {
  const dsm_system *system;             /**< borrowed */
  const dsm_workload *const *workloads; /**< borrowed ones; len = workload_count */
  size_t workload_count;
  dsm_explore_options options;    /**< without overrides */
  const dsm_response *references; /**< of each network, with all parameters as they are */
  dsm_variation_choice choice;
  bool is_mapping_kept;                   /**< nothing was explored */
  const dsm_varied_parameter *parameters; /**< by influence, the largest first, then in the order
                                             of the formats; those of software behind all others,
                                             with DSM_VARIATIONS_TWICE free ones of hardware before
                                             given ones */
  size_t parameter_count;

  struct dsm__arena *arena; /**< private */
} dsm_elasticity;

/**
 * Varies and explores. *elasticity borrows system and workloads, which must outlive it, and belongs
 * to the caller. Takes an exploration for each network and variation, with DSM_VARIATIONS_TWICE
 * about twice as many of each network as there are parameters; the result does not depend on the
 * number of threads. DSM_ERROR_USAGE: a path names no parameter, or the options leave no
 * parallelism. DSM_ERROR_INFEASIBLE: a network does not fit the system as it is; the finding names
 * it. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_elasticity_derive(dsm_elasticity **elasticity,
                                                       const dsm_elasticity_request *request,
                                                       dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_elasticity_free(dsm_elasticity *elasticity);

/** The word of the formats. Never NULL. */
DSM_API const char *dsm_variation_kind_name(dsm_variation_kind kind);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_elasticity_basis_name(dsm_elasticity_basis basis);

#ifdef __cplusplus
}
#endif

#endif
