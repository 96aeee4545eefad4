/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loss.h: where the time of a pass, or of the whole step, goes (docs/model.md, section 6; the
 * stacked bars of DeepSpatialMatrix, Fig. 13). All in cycles of the step; the parts add up to
 * total.
 */
#ifndef DSM_REPORT_LOSS_H
#define DSM_REPORT_LOSS_H

#include "dsm/explore.h"
#include "dsm/plan.h"
#include "report/figure/palette.h"

typedef struct dsm__loss {
  double busy;     /**< a machine without loss needs this */
  double array;    /**< underuse of the arrays: primary - busy */
  double transfer; /**< overlapped transfers that computation does not hide */
  double auxiliary;
  double other; /**< not overlapped: the groups below added up */
  double groups[DSM_GROUP_COUNT];
  double waiting; /**< for data, of the whole step alone */
  double total;
} dsm__loss;

/** The parts of a time, in the order of dsm__time_part; they add up to the loss's total. */
typedef struct dsm__time_parts {
  double cycles[DSM__PART_COUNT];
} dsm__time_parts;

/** How many of the parts passes of a plan can have: overhead only where its system has some,
 * recomputation where some layers are made anew, and the bubble, the last, where the step has
 * stages. */
int dsm__part_count(const dsm_plan *plan);

dsm__time_parts dsm__time_parts_of(const dsm__loss *loss);

dsm__loss dsm__loss_of_pass(const dsm_pass_plan *pass);

/** The group whose words say what a part of a time is; DSM_GROUP_COUNT: the part has its own. */
dsm_group dsm__group_of_part(dsm__time_part part);

/** So many times a loss. */
dsm__loss dsm__loss_times(dsm__loss loss, double count);

/** Cycles of the step with those in which its chips wait for data: all that its time is divided
 * into. */
double dsm__step_cycles(const dsm_plan *plan);

/** Of the whole step. */
dsm__loss dsm__loss_of_plan(const dsm_plan *plan);

/** The group that takes most of `other`, the first of equals; DSM_GROUP_STREAM if none does. */
dsm_group dsm__loss_largest_group(const double groups[DSM_GROUP_COUNT]);

/** The word of the largest group of `other`, "" where `other` is less than 0.5 % of the time. */
const char *dsm__loss_kind_that_matters(const dsm__loss *loss);

/** Part over whole, 0 if the whole is. */
double dsm__share(double part, double whole);

#endif
