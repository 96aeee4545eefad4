/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pass_rows.h"

#include "report/folded_name.h"
#include "report/largest.h"

/* All rows, in order. */
static bool list_all(dsm__pass_rows *rows, const dsm_plan *plan, const dsm__folding *folding,
                     dsm__arena *arena) {
  if (!DSM__RESERVE(arena, rows->items, folding->row_count * DSM_PASS_COUNT)) {
    return false;
  }
  for (size_t row = 0; row < folding->row_count; row++) {
    const dsm__fold_row *const of = &folding->rows[row];
    const char *const name = dsm__fold_row_name(arena, plan, folding, row);
    if (name == NULL) {
      return false;
    }
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_plan *const pass = &plan->layers[of->first].passes[p];
      if (pass->exists) {
        rows->items[rows->count++] =
            (dsm__pass_row){.layer = of->first,
                            .count = of->count,
                            .name = name,
                            .pass = (dsm_pass)p,
                            .fold_row = row,
                            .cycles = (double)of->count * pass->cycles.total};
      }
    }
  }
  return true;
}

static bool keep_longest(dsm__pass_rows *rows, size_t most, dsm__arena *arena) {
  double *cycles;
  size_t kept = 0;
  if (!DSM__RESERVE(arena, cycles, rows->count)) {
    return false;
  }
  for (size_t i = 0; i < rows->count; i++) {
    cycles[i] = rows->items[i].cycles;
  }
  const bool *const is_kept = dsm__largest(cycles, rows->count, most, arena);
  for (size_t i = 0; i < rows->count && is_kept != NULL; i++) {
    const dsm__pass_row row = rows->items[i];
    if (is_kept[i]) {
      rows->items[kept++] = row;
    } else {
      rows->left_out += row.count;
      rows->left_cycles += row.cycles;
    }
  }
  rows->count = kept;
  return is_kept != NULL;
}

bool dsm__pass_rows_find(dsm__pass_rows *rows, const dsm_plan *plan, bool is_unfolded, size_t most,
                         dsm__arena *arena) {
  dsm__folding folding;
  *rows = (dsm__pass_rows){0};
  if (!dsm__fold_plan(&folding, plan, is_unfolded, arena) ||
      !list_all(rows, plan, &folding, arena) || !keep_longest(rows, most, arena)) {
    *rows = (dsm__pass_rows){0};
    return false;
  }
  rows->folding = folding;
  for (size_t i = 0; i < rows->count; i++) {
    rows->items[i].is_first_of_name = i == 0 || rows->items[i - 1].layer != rows->items[i].layer;
    rows->is_folded = rows->is_folded || rows->items[i].count > 1;
  }
  return true;
}
