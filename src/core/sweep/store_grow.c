/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_grow.c: a sweep that has all points of the one that a database belongs to, and more.
 *
 * An axis got more values, or there are more workloads or systems: what is recorded stays, under
 * the numbers that the points have now. All else must be the same: what a point is follows from its
 * values, the inputs, what is set for all points, and the options.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/order.h"
#include "sweep/option_words.h"
#include "sweep/store_internal.h"

/* A point of the larger sweep, to be sorted by its values. */
typedef struct place {
  const dsm_sweep *sweep;
  size_t point;
} place;

static int compare_values(const dsm_axis_value *one, const dsm_axis_value *other) {
  if (one->is_number != other->is_number) {
    return one->is_number ? -1 : 1;
  }
  return one->is_number ? dsm__order(one->number, other->number) : strcmp(one->text, other->text);
}

/* Both sweeps have the same columns. */
static int compare_places(const void *first, const void *second) {
  const place *const one = first;
  const place *const other = second;
  int order = 0;
  for (size_t c = 0; c < one->sweep->column_count && order == 0; c++) {
    order = compare_values(dsm_sweep_value(one->sweep, one->point, c),
                           dsm_sweep_value(other->sweep, other->point, c));
  }
  return order;
}

/* ---- is it a part? ---- */

/* What can be told without the old specification. */
static bool has_same_frame(const dsm__identity *old, const dsm__identity *wanted) {
  bool is_same = strcmp(old->name, wanted->name) == 0 && strcmp(old->record, wanted->record) == 0 &&
                 strcmp(old->dsm_version, wanted->dsm_version) == 0 &&
                 old->path_count == wanted->path_count && old->parts == wanted->parts &&
                 old->point_count <= wanted->point_count;
  for (size_t i = 0; i < old->path_count && is_same; i++) {
    is_same = strcmp(old->paths[i], wanted->paths[i]) == 0;
  }
  return is_same && dsm__identity_has_inputs(wanted, old);
}

static bool has_same_settings(const dsm_sweep *old, const dsm_sweep *sweep) {
  bool is_same = old->set_count == sweep->set_count && old->options.gap == sweep->options.gap &&
                 old->options.time_limit_seconds == sweep->options.time_limit_seconds;
  for (size_t o = 0; o < DSM__SWEEP_OPTION_COUNT && is_same; o++) {
    const dsm__words_text own = dsm__sweep_option_text(&dsm__sweep_options[o], &sweep->options);
    is_same =
        strcmp(dsm__sweep_option_text(&dsm__sweep_options[o], &old->options).text, own.text) == 0;
  }
  for (size_t s = 0; s < old->set_count && is_same; s++) {
    is_same = strcmp(old->sets[s], sweep->sets[s]) == 0;
  }
  return is_same;
}

/* Where each point of the old sweep is in the new one: places[old] = new; *is_part is false if one
 * is not there. */
static dsm_status find_places(const dsm_sweep *old, const dsm_sweep *sweep, size_t *places,
                              bool *is_part, dsm_diags *diags) {
  dsm__arena *const arena = dsm__arena_new();
  place *const sorted =
      arena == NULL ? NULL : dsm__arena_array(arena, sweep->point_count, sizeof *sorted);
  if (sorted == NULL || places == NULL) {
    dsm__arena_free(arena);
    return dsm__out_of_memory(diags);
  }
  for (size_t p = 0; p < sweep->point_count; p++) {
    sorted[p] = (place){.sweep = sweep, .point = p};
  }
  qsort(sorted, sweep->point_count, sizeof *sorted, compare_places);
  *is_part = true;
  for (size_t p = 0; p < old->point_count && *is_part; p++) {
    const place wanted = {.sweep = old, .point = p};
    const place *const found =
        bsearch(&wanted, sorted, sweep->point_count, sizeof *sorted, compare_places);
    *is_part = found != NULL;
    places[p] = found == NULL ? 0 : found->point;
  }
  dsm__arena_free(arena);
  return DSM_OK;
}

dsm_status dsm__store_find_part(const dsm_store *store, const dsm__identity *wanted,
                                const size_t **places, dsm_diags *diags) {
  *places = NULL;
  if (wanted->sweep == NULL || wanted->sweep->is_open ||
      !has_same_frame(&store->identity, wanted)) {
    return DSM_OK;
  }
  dsm_sweep *old = NULL;
  const char *const text = store->identity.resolved;
  const dsm_status status =
      dsm_sweep_make(&old, text, strlen(text), store->path, NULL, NULL, NULL, NULL);
  if (status != DSM_OK) {
    return status == DSM_ERROR_OUT_OF_MEMORY ? dsm__out_of_memory(diags) : DSM_OK;
  }
  bool is_part =
      old->point_count == store->identity.point_count && has_same_settings(old, wanted->sweep);
  size_t *const found = dsm__arena_array(store->arena, old->point_count, sizeof *found);
  const dsm_status outcome =
      is_part ? find_places(old, wanted->sweep, found, &is_part, diags) : DSM_OK;
  dsm_sweep_free(old);
  *places = outcome == DSM_OK && is_part ? found : NULL;
  return outcome;
}

/* ---- becoming the larger one ---- */

static const char *const tables[] = {"point_row", "layer_row", "plan_text"};

static int run_on(dsm_store *store, const char *before, const char *table, const char *after) {
  dsm__text_buffer text = {0};
  dsm__text_printf(&text, "%s %s%s", before, table, after);
  return dsm__store_execute(store, &text);
}

/* Moves what a table has of each point. A number that another point still has must not be taken:
 * first all become negative. */
static int move_points(dsm_store *store, const char *table, const size_t *places) {
  dsm__text_buffer text = {0};
  dsm__text_printf(&text, "UPDATE %s SET point = ?2 WHERE point = ?1", table);
  sqlite3_stmt *statement = NULL;
  int code = dsm__store_prepare(store, &text, 0, &statement);
  for (size_t p = 0; p < store->identity.point_count && code == SQLITE_OK; p++) {
    if (places[p] != p) {
      code = sqlite3_bind_int64(statement, 1, (sqlite3_int64)p);
      code = code == SQLITE_OK ? sqlite3_bind_int64(statement, 2, -1 - (sqlite3_int64)places[p])
                               : code;
      code = code == SQLITE_OK ? dsm__store_run(statement) : code;
    }
  }
  (void)sqlite3_finalize(statement);
  return code == SQLITE_OK
             ? run_on(store, "UPDATE", table, " SET point = -1 - point WHERE point < 0")
             : code;
}

static int rewrite(dsm_store *store, const dsm__identity *wanted, const size_t *places) {
  static const char *const own[] = {"meta", "inputs", "axis"};
  int code = dsm__store_do(store, DSM__STATEMENT_BEGIN);
  for (size_t i = 0; i < DSM__COUNT_OF(tables) && code == SQLITE_OK; i++) {
    code = move_points(store, tables[i], places);
  }
  for (size_t i = 0; i < DSM__COUNT_OF(own) && code == SQLITE_OK; i++) {
    code = run_on(store, "DELETE FROM", own[i], "");
  }
  if (code == SQLITE_OK) {
    store->identity = *wanted;
    code = dsm__store_write_identity(store);
  }
  return code == SQLITE_OK ? dsm__store_do(store, DSM__STATEMENT_COMMIT) : code;
}

dsm_status dsm__store_grow(dsm_store *store, const dsm__identity *wanted, const size_t *places,
                           dsm_diags *diags) {
  const dsm_status status = dsm__store_have_written(store, rewrite(store, wanted, places), diags);
  return status == DSM_OK ? dsm__identity_read(store, diags) : status; /* it is the store's own */
}
