/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measurements.h: rows of CSV, and the questions that they ask of the model. */
#ifndef DSM_CALIBRATE_MEASUREMENTS_H
#define DSM_CALIBRATE_MEASUREMENTS_H

#include "base/growing_list.h"
#include "base/map.h"
#include "base/text_buffer.h"
#include "dsm/calibrate.h"

/** No further row. */
#define DSM__NO_ROW SIZE_MAX

/** What is explored, or, of a plan, predicted; several rows may be about it. */
typedef struct dsm__question {
  const char *key; /**< what the rows say of it */
  dsm_workload *workload;
  dsm_system *own_system; /**< with overrides; NULL: that of the request */
  dsm_plan *plan;         /**< whose decisions are kept; NULL: the best are searched */
  dsm_explore_options options;
  size_t first_row;
} dsm__question;

/** A measurement. Its layers are `layer_count` from `first_layer` on. */
typedef struct dsm__row {
  dsm_measured of;
  size_t question;
  size_t next_row; /**< of the same question, or DSM__NO_ROW */
  size_t first_layer;
  size_t layer_count;
} dsm__row;

typedef struct dsm__measurements {
  const dsm_calibration_request *request;
  dsm__arena *arena; /**< borrowed */
  DSM__LIST(dsm__question) questions;
  DSM__LIST(dsm__row) rows;
  dsm__map question_index;
  dsm__text_buffer system_text; /**< that of the request, as overrides need it */
} dsm__measurements;

/** Reads the measurements of a request. In any case to be freed. Statuses as of dsm_calibrate. */
dsm_status dsm__measurements_read(dsm__measurements *read, const dsm_calibration_request *request,
                                  dsm__arena *arena, dsm_diags *diags);
void dsm__measurements_fini(dsm__measurements *read);

/** Its system, with its overrides. */
const dsm_system *dsm__question_system(const dsm__measurements *read,
                                       const dsm__question *question);

#endif
