/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point.h"

#include <stdio.h>

#include "base/diag_add.h"
#include "sweep/evaluator.h"

static void report(const dsm_sweep *sweep, const char *reason, const char *file, dsm_diags *diags) {
  char more[64] = "";
  if (sweep->point_count > 1) {
    (void)snprintf(more, sizeof more, " and %zu more", sweep->point_count - 1);
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file}, NULL,
                 "no point is valid: point 0%s: %s", more, reason);
}

dsm_status dsm__sweep_check_points(const dsm_sweep *sweep, const char *file, dsm_diags *diags) {
  dsm__evaluator *const evaluator = dsm__evaluator_new(sweep);
  const char *reason = NULL;
  bool is_good = evaluator != NULL && dsm__evaluator_check(evaluator, 0, &reason);
  const size_t count =
      sweep->point_count < DSM_SWEEP_POINTS_MAX ? sweep->point_count : DSM_SWEEP_POINTS_MAX;
  for (size_t p = 1; p < count && is_good && reason != NULL; p++) {
    is_good = dsm__evaluator_check(evaluator, p, &reason);
  }
  if (is_good && reason != NULL) {
    is_good = dsm__evaluator_check(evaluator, 0, &reason);
  }
  dsm_status status = is_good ? DSM_OK : dsm__out_of_memory(diags);
  if (is_good && reason != NULL) {
    report(sweep, reason, file, diags);
    status = DSM_ERROR_INVALID;
  }
  dsm__evaluator_free(evaluator);
  return status;
}
