/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_product.c: from axes to columns, and to the points that no condition excludes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "sweep/conditions.h"

/* ---- columns ---- */

static void add_columns(dsm_sweep *sweep, dsm_sweep_column *columns, const char *only) {
  for (size_t a = 0; a < sweep->axis_count; a++) {
    for (size_t p = 0; p < sweep->axes[a].path_count; p++) {
      const char *const path = sweep->axes[a].paths[p];
      const bool is_input = strcmp(path, "workload") == 0 || strcmp(path, "system") == 0;
      if (only == NULL ? !is_input : strcmp(path, only) == 0) {
        columns[sweep->column_count++] = (dsm_sweep_column){.path = path, .axis = a, .slot = p};
      }
    }
  }
}

static void make_columns(dsm__sweep_draft *draft, dsm_sweep *sweep) {
  size_t count = 0;
  for (size_t a = 0; a < sweep->axis_count; a++) {
    count += sweep->axes[a].path_count;
  }
  dsm_sweep_column *const columns = dsm__draft_array(draft, count, sizeof *columns);
  if (columns == NULL) {
    return;
  }
  sweep->columns = columns;
  sweep->column_count = 0;
  add_columns(sweep, columns, "workload");
  add_columns(sweep, columns, "system");
  add_columns(sweep, columns, NULL);
}

/* ---- points ---- */

/* Where findings about the sweep as a whole point to. */
static dsm__origin whole_of(dsm__sweep_draft *draft) {
  const bool has_axes = draft->doc != NULL && dsm__json_is_present(&draft->axes_node);
  return (dsm__origin){.node = has_axes             ? &draft->axes_node
                               : draft->doc != NULL ? &draft->root
                                                    : NULL};
}

/* "2 x 3 x 400"; cut if it does not fit. */
static void word_product(const dsm_sweep *sweep, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t a = 0; a < sweep->axis_count && used < size; a++) {
    const int length = snprintf(text + used, size - used, "%s%zu", a == 0 ? "" : " x ",
                                sweep->axes[a].value_count);
    used += length > 0 ? (size_t)length : 0;
  }
}

/* How many points the whole product has; 0, reported, if they are too many. */
static uint64_t count_product(dsm__sweep_draft *draft, const dsm_sweep *sweep) {
  uint64_t count = 1;
  bool is_over = false;
  for (size_t a = 0; a < sweep->axis_count; a++) {
    is_over = dsm__ckd_mul_u64(&count, count, sweep->axes[a].value_count) || is_over;
  }
  if (!is_over && count <= (draft->is_open ? DSM_SWEEP_OPEN_MAX : DSM_SWEEP_POINTS_MAX)) {
    return count;
  }
  char product[200];
  char total[32] = "over 2^64";
  word_product(sweep, product, sizeof product);
  if (!is_over) {
    (void)snprintf(total, sizeof total, "%" PRIu64, count);
  }
  dsm__draft_error(draft, whole_of(draft), "conditions do not count",
                   "expected at most %d points, found %s = %s", DSM_SWEEP_POINTS_MAX, product,
                   total);
  return 0;
}

static bool is_excluded(const dsm__condition *conditions, size_t count, const dsm_sweep *sweep,
                        uint64_t index) {
  for (size_t c = 0; c < count; c++) {
    if (dsm__condition_holds(&conditions[c], sweep, index)) {
      return true;
    }
  }
  return false;
}

static void number_points(dsm__sweep_draft *draft, dsm_sweep *sweep, uint64_t product,
                          const dsm__condition *conditions) {
  uint64_t *const products = dsm__draft_array(draft, (size_t)product, sizeof *products);
  if (products == NULL) {
    return;
  }
  for (uint64_t i = 0; i < product; i++) {
    if (!is_excluded(conditions, draft->condition_count, sweep, i)) {
      products[sweep->point_count++] = i;
    }
  }
  sweep->products = products;
  if (sweep->point_count == 0) {
    dsm__draft_error(draft, whole_of(draft), NULL,
                     "expected at least one point, found that the conditions exclude all %" PRIu64,
                     product);
  }
}

void dsm__product_make(dsm__sweep_draft *draft, dsm_sweep *sweep) {
  dsm__condition *const conditions =
      dsm__draft_array(draft, draft->condition_count, sizeof *conditions);
  make_columns(draft, sweep);
  if (dsm__draft_is_stopped(draft)) {
    return;
  }
  bool is_good = true;
  for (size_t c = 0; c < draft->condition_count; c++) {
    is_good = dsm__condition_parse(draft, sweep, &draft->conditions[c], &conditions[c]) && is_good;
    draft->conditions[c].text = conditions[c].text;
  }
  const uint64_t product = count_product(draft, sweep);
  if (is_good && draft->is_open) {
    sweep->is_open = true;
    sweep->point_count = (size_t)product;
  } else if (is_good && product > 0) {
    number_points(draft, sweep, product, conditions);
  }
}
