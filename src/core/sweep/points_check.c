/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/point.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "plan/named_roles.h"
#include "plan/plan_internal.h"
#include "sweep/input_cache.h"

#define FINDINGS_MAX 20

/* Why a point is not valid, in *reason, NULL if it is; false if out of memory. */
static bool find_reason(const char **reason, const dsm_sweep *sweep, size_t index,
                        dsm__input_cache *inputs, dsm__arena *arena, dsm_diags *scratch) {
  dsm__sweep_point point;
  const dsm__read_input *read[2];
  if (!dsm__point_init(&point, sweep, index, arena) ||
      !dsm__inputs_read(inputs, &point, read, reason, scratch)) {
    return false;
  }
  if (*reason == NULL && read[0]->machine == &dsm__network_machine &&
      dsm__option_parallelisms(&point.options, read[DSM_DESCRIPTION_SYSTEM]->of) == 0 &&
      !dsm__has_named_roles(&point.options)) {
    *reason = "expected options that leave a parallelism, found none";
  }
  return true;
}

static void report(const dsm_sweep *sweep, const char *reason, const char *file, dsm_diags *diags) {
  char more[64] = "";
  if (sweep->point_count > 1) {
    (void)snprintf(more, sizeof more, " and %zu more", sweep->point_count - 1);
  }
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = file}, NULL,
                 "no point is valid: point 0%s: %s", more, reason);
}

dsm_status dsm__sweep_check_points(const dsm_sweep *sweep, const char *file, dsm_diags *diags) {
  dsm__input_cache inputs = {.use_count = 0};
  dsm_diags *const scratch = dsm_diags_new(FINDINGS_MAX);
  dsm__arena *const kept = dsm__arena_new();
  const char *first = NULL; /* of point 0 */
  bool is_good = scratch != NULL && kept != NULL;
  bool is_valid = false;
  for (size_t p = 0; p < sweep->point_count && is_good && !is_valid; p++) {
    dsm__arena *const arena = dsm__arena_new();
    const char *reason = NULL;
    is_good = arena != NULL && find_reason(&reason, sweep, p, &inputs, arena, scratch);
    is_valid = is_good && reason == NULL;
    if (is_good && p == 0 && reason != NULL) {
      first = dsm__arena_strdup(kept, reason);
      is_good = first != NULL;
    }
    dsm__arena_free(arena);
  }
  dsm_status status = is_good ? DSM_OK : dsm__out_of_memory(diags);
  if (is_good && !is_valid) {
    report(sweep, first, file, diags);
    status = DSM_ERROR_INVALID;
  }
  dsm__input_cache_fini(&inputs);
  dsm__arena_free(kept);
  dsm_diags_free(scratch);
  return status;
}
