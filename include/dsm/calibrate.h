/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * calibrate.h: constants of a system that fit measured times.
 *
 * Measurements are rows of CSV (docs/calibrate.md): a network or a plan, options, and how long its
 * step, a layer or a pass took. The constants of a system that no datasheet has are chosen so that
 * the mean of |predicted / measured - 1| over all rows is least. How far that is to be believed is
 * told beside it: what each measurement is predicted as by constants that were chosen without it,
 * which constants no measurement sees, and which the measurements cannot tell apart.
 */
#ifndef DSM_CALIBRATE_H
#define DSM_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/mapping.h"
#include "dsm/model.h"
#include "dsm/plan.h"
#include "dsm/status.h"
#include "dsm/sweep.h"
#include "dsm/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Largest file of measurements (16 MiB). */
#define DSM_MEASUREMENTS_BYTES_MAX ((size_t)16 << 20)

/** Up to so many measurements each is left out alone; more are left out in
 * DSM_CALIBRATION_FOLDS. */
#define DSM_CALIBRATION_SINGLES_MAX 40
/** Groups in which more are left out. */
#define DSM_CALIBRATION_FOLDS 10

/** Most constants that are chosen at a time. */
#define DSM_CALIBRATION_CONSTANTS_MAX 16

/** Explorations that a calibration takes at most, if a request does not say. */
#define DSM_CALIBRATION_EXPLORATIONS 1000000

/** What is to be calibrated, and with what. All is borrowed. */
typedef struct dsm_calibration_request {
  const char *text; /**< the measurements, CSV; len = length */
  size_t length;
  const char *file;   /**< what findings call them */
  const char *folder; /**< relative names of workloads and plans are looked for there first */
  const dsm_sweep_source *source; /**< reads workloads and plans */
  const dsm_system *system;
  const char *const *paths; /**< constants, such as "array.efficiency_ratio"; NULL: the usual ones,
                                 as many as the system has; len = path_count */
  size_t path_count;
  size_t thread_count;      /**< the result does not depend on it */
  uint64_t exploration_max; /**< 0: DSM_CALIBRATION_EXPLORATIONS */
} dsm_calibration_request;

/** A measurement, and what is predicted of it. Times are in seconds. */
typedef struct dsm_measured {
  size_t line;          /**< in the file */
  const char *workload; /**< name of the network */
  uint64_t minibatch;
  dsm_mode mode;
  const char *layer; /**< NULL: all layers */
  dsm_pass pass;     /**< DSM_PASS_COUNT: all passes */
  double measured;
  double before;   /**< with the constants as they were */
  double after;    /**< with the chosen ones */
  double left_out; /**< with those that were chosen without it; 0: of a single measurement */
} dsm_measured;

/** A constant that was to be chosen. */
typedef struct dsm_calibrated_constant {
  const char *path;
  const char *unit;
  double before;
  double after;
  double lowest;  /**< among those that were chosen without some of the measurements */
  double highest; /**< likewise */
  bool is_seen;   /**< some prediction changes by 0.1 % or more when it is halved or doubled */
} dsm_calibrated_constant;

/** Two constants whose effects on all measurements go together: the data do not say which it is. */
typedef struct dsm_alike_constants {
  size_t first;
  size_t second;
  double correlation; /**< of the derivatives of the logarithms of all predictions, above 0.99 by
                           size; not centred */
} dsm_alike_constants;

/** Constants that were chosen, and how well they predict. */
typedef struct dsm_calibration {
  const char *file; /**< of the measurements, without its folder */
  const char *name; /**< of the system */
  const dsm_measured *rows;
  size_t row_count;
  const dsm_calibrated_constant *constants; /**< in the order of the request */
  size_t constant_count;
  const dsm_alike_constants *alike;
  size_t alike_count;
  double error_before; /**< mean of |predicted / measured - 1| */
  double error_after;
  double error_left_out; /**< of dsm_measured.left_out; 0: there is a single measurement */
  size_t fold_count;     /**< parts of the measurements that were left out in turn; 0: none */
  double spread_low;     /**< 10th percentile of measured / predicted of those left out; or 0 */
  double spread_high;    /**< the 90th */
  uint64_t explorations;
  bool is_stopped;          /**< the most explorations were reached before the end */
  const dsm_system *system; /**< the calibrated one; borrows of that of the request */

  struct dsm__arena *arena; /**< private */
} dsm_calibration;

/**
 * Chooses constants. *calibration borrows the system, which must outlive it, and belongs to the
 * caller. DSM_ERROR_INVALID: findings in the measurements or in what they name, with lines.
 * DSM_ERROR_USAGE: a path is none of a constant of the system. DSM_ERROR_INFEASIBLE: a measured
 * network does not fit the system as it is. DSM_ERROR_IO: what a row names cannot be read.
 * DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_calibrate(dsm_calibration **calibration,
                                               const dsm_calibration_request *request,
                                               dsm_diags *diags);

/** Frees it; NULL is fine. */
DSM_API void dsm_calibration_free(dsm_calibration *calibration);

/** The calibrated system as JSON text, malloc'ed, to be freed by the caller; notes say on what it
 * was calibrated. NULL if out of memory. */
DSM_API char *dsm_calibration_print_system(const dsm_calibration *calibration);

#ifdef __cplusplus
}
#endif

#endif
