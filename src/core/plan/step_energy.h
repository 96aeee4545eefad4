/* SPDX-License-Identifier: GPL-3.0-or-later */
/* step_energy.h: what a step takes in energy and money, and what of it a search minimises. */
#ifndef DSM_PLAN_STEP_ENERGY_H
#define DSM_PLAN_STEP_ENERGY_H

#include "base/words.h"
#include "dsm/plan.h"

extern const dsm__words dsm__aim_words; /**< of dsm_aim */

/** What seconds and joules of a step cost on a system that names a technology. */
typedef struct dsm__energy_terms {
  bool is_known;
  bool has_prices;
  double static_watts;   /**< of all chips */
  double second_dollars; /**< of a second of the system: capital, and power that always flows */
  double joule_dollars;  /**< of a joule beside that */
} dsm__energy_terms;

dsm__energy_terms dsm__energy_terms_of(const dsm_system *system);

/**
 * An objective as a function of two sums over what is decided, the seconds of a step and a second
 * quantity of the same decisions: y = seconds * of_second + dynamic joules * of_joule.
 */
typedef struct dsm__aim_terms {
  dsm_aim aim;
  bool is_capped;
  double of_second;
  double of_joule;
} dsm__aim_terms;

/** Those of options that aim at something else than time, or have a power cap. */
dsm__aim_terms dsm__aim_terms_of(const dsm_explore_options *options, const dsm_system *system);

/** The second quantity. */
double dsm__aim_other(const dsm__aim_terms *terms, double seconds, double dynamic_joules);

/** The objective: y of joules and dollars, seconds * y of edp, the larger of both under a cap. */
double dsm__aim_value(const dsm__aim_terms *terms, double seconds, double other);

/** Do options aim at something else than the time that a step takes without a power cap? */
static inline bool dsm__is_aimed(const dsm_explore_options *options) {
  return options->aim != DSM_AIM_TIME || options->power_cap_watts > 0;
}

/** What is told where options aim at something else, and the system names no technology. */
extern const char dsm__aim_needs_technology[];

/** Fills result.energy, and raises result.step_seconds to what a power cap leaves. */
void dsm__energy_predict(dsm_plan *plan);

#endif
