/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz_shelf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/limits.h"
#include "fuzz.h"
#include "sweep/point.h"

enum { POINTS_LOOKED_AT = 200 };

static dsm_status read_shelf(void *context, const char *name, const char *folder,
                             dsm_description kind, char **text, size_t *length, char **file,
                             dsm_diags *diags) {
  (void)context;
  (void)folder;
  (void)diags;
  const char *const found =
      kind == DSM_DESCRIPTION_WORKLOAD ? fuzz_workload_text : fuzz_system_text;
  *length = strlen(found);
  *text = fuzz_copy((const uint8_t *)found, *length);
  *file = fuzz_copy((const uint8_t *)name, strlen(name));
  return DSM_OK;
}

const dsm_sweep_source fuzz_shelf = {.read = read_shelf};

static void check_values(const dsm_sweep *sweep) {
  for (size_t p = 0; p < sweep->point_count && p < POINTS_LOOKED_AT; p++) {
    FUZZ_CHECK(p == 0 || sweep->products[p - 1] < sweep->products[p]);
    for (size_t c = 0; c < sweep->column_count; c++) {
      const dsm_axis_value *const value = dsm_sweep_value(sweep, p, c);
      FUZZ_CHECK(value->text != NULL && value->json != NULL && isfinite(value->number));
      FUZZ_CHECK(value->is_number || (value->number >= 0 && value->number <= 0));
    }
  }
}

static void check_points(const dsm_sweep *sweep) {
  for (size_t p = 0; p < sweep->point_count && p < POINTS_LOOKED_AT; p++) {
    dsm__arena *const arena = dsm__arena_new();
    dsm__sweep_point point;
    FUZZ_CHECK(arena != NULL && dsm__point_init(&point, sweep, p, arena));
    FUZZ_CHECK(point.inputs[DSM_DESCRIPTION_WORKLOAD].input != NULL &&
               point.inputs[DSM_DESCRIPTION_SYSTEM].input != NULL);
    FUZZ_CHECK(point.options.parallelisms != 0);
    FUZZ_CHECK((point.options.optimizations & ~dsm_mode_optimizations(point.options.mode)) == 0);
    FUZZ_CHECK(point.options.override_count ==
               point.inputs[DSM_DESCRIPTION_WORKLOAD].override_count +
                   point.inputs[DSM_DESCRIPTION_SYSTEM].override_count);
    dsm__arena_free(arena);
  }
}

void fuzz_check_sweep(const dsm_sweep *sweep) {
  FUZZ_CHECK(sweep->point_count >= 1 && sweep->point_count <= DSM_SWEEP_POINTS_MAX);
  FUZZ_CHECK(sweep->column_count >= 2 && strlen(sweep->digest) == sizeof sweep->digest - 1);
  FUZZ_CHECK(strcmp(sweep->columns[0].path, "workload") == 0);
  FUZZ_CHECK(strcmp(sweep->columns[1].path, "system") == 0);
  check_values(sweep);
  check_points(sweep);
  dsm_sweep *again = NULL;
  FUZZ_CHECK(dsm_sweep_make(&again, sweep->resolved, strlen(sweep->resolved), "x", NULL, NULL, NULL,
                            NULL) == DSM_OK);
  FUZZ_CHECK(strcmp(again->resolved, sweep->resolved) == 0);
  FUZZ_CHECK(strcmp(again->digest, sweep->digest) == 0);
  FUZZ_CHECK(again->point_count == sweep->point_count);
  dsm_sweep_free(again);
}
