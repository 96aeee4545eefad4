/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predictor.h: what all measurements are predicted as by some values of the constants. */
#ifndef DSM_CALIBRATE_PREDICTOR_H
#define DSM_CALIBRATE_PREDICTOR_H

#include "calibrate/measurements.h"
#include "dsm/explore.h"
#include "system/system_internal.h"

/** A constant that is to be chosen. */
typedef struct dsm__constant {
  const dsm__parameter *parameter;
  double given; /**< as the system has it */
  double low;   /**< least and most that are tried */
  double high;
  bool is_fixed; /**< no measurement sees it: it stays as it is */
} dsm__constant;

/** Values of the constants, and the seconds of each row that they predict. */
typedef struct dsm__trial {
  double values[DSM_CALIBRATION_CONSTANTS_MAX];
  double *seconds; /**< infinite where nothing fits the system */
} dsm__trial;

typedef struct dsm__predictor {
  const dsm__measurements *read;
  const dsm__constant *constants;
  size_t constant_count;
  uint64_t explorations;
  uint64_t exploration_max;
  bool is_stopped; /**< a trial would have taken more */
  bool is_out_of_memory;

  size_t thread_count;      /* private from here on */
  dsm_explorer **explorers; /* one a worker */
  size_t explorer_count;
  dsm_status *statuses; /* of each question */
  dsm__arena *arena;
  DSM__LIST(dsm__trial) kept; /* trials before, as many as there is room for */
  dsm__map kept_index;
} dsm__predictor;

/** Set are read, constants, constant_count, exploration_max and thread_count. False if out of
 * memory; to be freed in any case. */
bool dsm__predictor_init(dsm__predictor *predictor);
void dsm__predictor_fini(dsm__predictor *predictor);

/** Fills trial->seconds, of the values in it; those behind the last constant are 0. False if memory
 * or the explorations are out. */
bool dsm__predict(dsm__predictor *predictor, dsm__trial *trial);

/** Why the first question that has no prediction with these values has none. DSM_OK: all have. */
dsm_status dsm__predict_explain(dsm__predictor *predictor, const dsm__trial *trial,
                                dsm_diags *diags);

#endif
