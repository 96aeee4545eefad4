/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_internal.h: what the equations of storage have in common. */
#ifndef DSM_SUPPLY_STORAGE_INTERNAL_H
#define DSM_SUPPLY_STORAGE_INTERNAL_H

#include "base/arena.h"
#include "base/words.h"
#include "dsm/storage.h"

extern const dsm__words dsm__repeat_rule_words;
extern const dsm__words dsm__storage_bound_words;

/** The weighted sum of a row's metrics; not finite where it is too large for a number. */
double dsm__score(const double metrics[DSM_METRIC_COUNT], const double weights[DSM_METRIC_COUNT]);

/** Is it within the limits of sizes and rates? */
bool dsm__is_storage_number(double value);

/** Is a below b, beyond rounding? */
bool dsm__is_below(double a, double b);

/** The least whole number, 1 or more, that is not below a quotient. */
double dsm__ceil_ratio(double a, double b);

/** Does the largest of so many mini-epochs take at most half of the fast tier, or all of it where
 * there is but one? */
bool dsm__mini_epochs_fit(const dsm_storage_job *job, uint64_t mini_epochs);

/** EB1: what the chips read at most. */
double dsm__fast_rate(const dsm_storage_job *job);

/** S: bytes of a mini-epoch, on average. */
double dsm__mini_epoch_bytes(const dsm_storage_job *job, uint64_t mini_epochs);

/** Fills the rows of factors from which to choose, once there is a state; false if out of memory.
 */
bool dsm__storage_points_make(dsm_storage_result *result);

#endif
