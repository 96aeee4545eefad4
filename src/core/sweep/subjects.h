/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subjects.h: the parameters that are varied, and the values that each is varied to. */
#ifndef DSM_SWEEP_SUBJECTS_H
#define DSM_SWEEP_SUBJECTS_H

#include "base/arena.h"
#include "dsm/elasticity.h"
#include "system/system_internal.h"
#include "workload/byte_parameters.h"

/** A parameter of the system, or of the workloads. */
typedef struct dsm__elasticity_subject {
  dsm__parameter parameter;                /**< its path is below the root of its description */
  const dsm__byte_parameter *of_workloads; /**< NULL: it is of the system */
} dsm__elasticity_subject;

/** What the paths of the workloads' parameters begin with. */
#define DSM__WORKLOAD_PATH "workload."

/** All parameters of the system, then those of the workloads. */
size_t dsm__subject_count(void);
dsm__elasticity_subject dsm__subject_at(size_t index);

/** The parameter of a path; false if there is none. */
bool dsm__subject_find(const char *path, dsm__elasticity_subject *subject);

/** Path, unit, source, value and default, of a parameter; without variations. False if out of
 * memory. */
bool dsm__subject_describe(dsm_varied_parameter *described, const dsm__elasticity_subject *subject,
                           const dsm_elasticity_request *request, dsm__arena *arena);

/** How many variations a parameter has, legal or not. */
size_t dsm__subject_variation_count(const dsm__elasticity_subject *subject,
                                    dsm_variation_choice choice);

/** Is it varied where no parameters are named? */
bool dsm__subject_is_usual(const dsm__elasticity_subject *subject,
                           const dsm_elasticity_request *request);

/** A value that a parameter is varied to. */
typedef struct dsm__change {
  dsm_variation_kind kind;
  double factor;       /**< over the value as it is, without one what it would be; 0 for
                            DSM_VARIATION_OTHER */
  double number;       /**< as dsm__parameter_number gives it */
  const char *why_not; /**< NULL; or why there is no such value */
} dsm__change;

/** Variation number `index` of a parameter that has the value `number`. */
dsm__change dsm__subject_change(const dsm__elasticity_subject *subject, double number,
                                dsm_variation_choice choice, size_t index);

/** The value of a parameter in the system, or in one of the networks. */
double dsm__subject_number(const dsm__elasticity_subject *subject,
                           const dsm_elasticity_request *request, size_t network);

/** Such a number as a setting. */
dsm_setting dsm__subject_setting(const dsm__elasticity_subject *subject, double number);

#endif
