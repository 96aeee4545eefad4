/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured_question.h: what the cells of a row ask of the model: a network or a plan, a system,
 * options. */
#ifndef DSM_CALIBRATE_MEASURED_QUESTION_H
#define DSM_CALIBRATE_MEASURED_QUESTION_H

#include "calibrate/columns.h"
#include "calibrate/measurements.h"

/** The same for rows that ask the same; NULL if out of memory. */
const char *dsm__question_key(const dsm__cells *cells, dsm__arena *arena);

/** Reads what the cells name. Statuses as of dsm_calibrate. */
dsm_status dsm__question_make(dsm__question *question, const dsm__measurements *read,
                              const dsm__cells *cells, dsm_diags *diags);

#endif
