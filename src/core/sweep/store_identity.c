/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_identity.c: which sweep a database belongs to, and how two sweeps differ. */
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/digest.h"
#include "base/growing_list.h"
#include "base/utf8.h"
#include "sweep/point_record.h"
#include "sweep/store_internal.h"

/* ---- of a sweep ---- */

/* Names of files may be any bytes; a database has text only. */
static bool add_inputs(dsm__store_input *inputs, const char *kind, const dsm_sweep_input *from,
                       size_t count, dsm__arena *arena) {
  for (size_t i = 0; i < count; i++) {
    char *const file = dsm__arena_strdup(arena, from[i].file);
    if (file == NULL) {
      return false;
    }
    dsm__utf8_repair(file);
    inputs[i] = (dsm__store_input){
        .kind = kind, .name = from[i].name, .file = file, .digest = from[i].digest};
  }
  return true;
}

bool dsm__identity_of_sweep(dsm__identity *identity, const dsm_sweep *sweep, dsm__arena *arena) {
  const size_t input_count = sweep->workload_count + sweep->system_count;
  dsm__store_input *const inputs = dsm__arena_array(arena, input_count, sizeof *inputs);
  const char **const paths = dsm__arena_array(arena, sweep->column_count, sizeof *paths);
  if (inputs == NULL || paths == NULL ||
      !add_inputs(inputs, "workload", sweep->workloads, sweep->workload_count, arena) ||
      !add_inputs(inputs + sweep->workload_count, "system", sweep->systems, sweep->system_count,
                  arena)) {
    return false;
  }
  for (size_t c = 0; c < sweep->column_count; c++) {
    paths[c] = sweep->columns[c].path;
  }
  *identity = (dsm__identity){.dsm_version = dsm_version(),
                              .name = sweep->name,
                              .digest = sweep->digest,
                              .resolved = sweep->resolved,
                              .record = dsm_record_name(sweep->record),
                              .point_count = sweep->point_count,
                              .inputs = inputs,
                              .input_count = input_count,
                              .paths = paths,
                              .path_count = sweep->column_count,
                              .parts = dsm__point_parts(sweep->resolved),
                              .sweep = sweep};
  return true;
}

/* ---- of a database ---- */

/* The texts of all rows of a query, column by column. */
typedef struct texts {
  dsm__arena *arena;
  size_t most;
  DSM__LIST(const char *) list;
} texts;

/* SQLITE_CORRUPT if one is absent, or there are too many. */
static int take_texts(void *context, sqlite3_stmt *row) {
  texts *const to = context;
  const size_t count = (size_t)sqlite3_column_count(row);
  if (!DSM__LIST_RESERVE_IN(&to->list, count, to->arena)) {
    return SQLITE_NOMEM;
  }
  int code = to->list.count + count > to->most ? SQLITE_CORRUPT : SQLITE_OK;
  for (size_t c = 0; c < count && code == SQLITE_OK; c++) {
    const char **const text = &to->list.items[to->list.count++];
    code = dsm__store_copy_text(row, (int)c, to->arena, text);
    code = code == SQLITE_OK && *text == NULL ? SQLITE_CORRUPT : code;
  }
  return code;
}

enum { META_TEXTS = 5, INPUT_TEXTS = 4 };
_Static_assert(sizeof(dsm__store_input) == INPUT_TEXTS * sizeof(const char *), "it is its texts");

static int read_rows(dsm_store *store) {
  static const char *const queries[] = {
      "SELECT name,dsm_version,digest,record,specification FROM meta LIMIT 1",
      "SELECT kind,name,file,digest FROM inputs ORDER BY rowid",
      "SELECT path FROM axis ORDER BY position"};
  texts found[] = {
      {.arena = store->arena, .most = META_TEXTS},
      {.arena = store->arena, .most = 2 * (size_t)INPUT_TEXTS * DSM_SWEEP_VALUES_MAX},
      {.arena = store->arena, .most = (size_t)DSM_SWEEP_AXES_MAX * DSM_SWEEP_AXES_MAX + 2}};
  sqlite3_int64 points = 0;
  int code = dsm__store_number(store, "SELECT point_count FROM meta LIMIT 1", &points);
  for (size_t i = 0; i < DSM__COUNT_OF(queries) && code == SQLITE_OK; i++) {
    code = dsm__store_query(store, queries[i], take_texts, &found[i]);
  }
  if (code != SQLITE_OK || points < 1 || points > DSM_SWEEP_OPEN_MAX) {
    return code == SQLITE_OK ? SQLITE_CORRUPT : code;
  }
  const char *const *const meta = found[0].list.items;
  store->identity = (dsm__identity){.name = meta[0],
                                    .dsm_version = meta[1],
                                    .digest = meta[2],
                                    .record = meta[3],
                                    .resolved = meta[4],
                                    .point_count = (size_t)points,
                                    .inputs = (const void *)found[1].list.items,
                                    .input_count = found[1].list.count / INPUT_TEXTS,
                                    .paths = found[2].list.items,
                                    .path_count = found[2].list.count};
  return SQLITE_OK;
}

/* The specification must be the one that was written. */
static int check_digest(dsm_store *store) {
  const dsm__identity *const identity = &store->identity;
  char digest[DSM__DIGEST_SIZE];
  dsm__digest_text(identity->resolved, strlen(identity->resolved), digest);
  return strcmp(digest, identity->digest) == 0 ? SQLITE_OK : SQLITE_CORRUPT;
}

/* A database that was made before a part was known has no columns for it. */
static int set_columns(dsm_store *store) {
  unsigned parts = dsm__point_parts(store->identity.resolved);
  int code = SQLITE_OK;
  for (unsigned p = 0; dsm__point_part_column(p) != NULL && code == SQLITE_OK; p++) {
    char query[120];
    sqlite3_int64 count = 1;
    (void)snprintf(query, sizeof query,
                   "SELECT count(*) FROM pragma_table_info('point_row') WHERE name='%s'",
                   dsm__point_part_column(p));
    code = (parts & 1U << p) != 0 ? dsm__store_number(store, query, &count) : SQLITE_OK;
    parts &= count == 0 ? ~(1U << p) : ~0U;
  }
  store->identity.parts = parts;
  return code != SQLITE_OK || dsm__store_columns(store) ? code : SQLITE_NOMEM;
}

dsm_status dsm__identity_read(dsm_store *store, dsm_diags *diags) {
  static int (*const steps[])(dsm_store *) = {read_rows, check_digest, set_columns};
  store->columns = NULL;
  dsm_status status = dsm__store_check_schema(store, diags);
  if (status != DSM_OK) {
    return status;
  }
  int code = SQLITE_OK;
  for (size_t i = 0; i < DSM__COUNT_OF(steps) && code == SQLITE_OK; i++) {
    code = steps[i](store);
  }
  status = dsm__store_have_read(store, code, DSM__STORE_ODD_TABLES, diags);
  return status == DSM_OK ? dsm__store_check_schema(store, diags) : status;
}

/* ---- differences ---- */

/* The first input of `from` that `in` lacks, or has with other contents. */
static const dsm__store_input *first_difference(const dsm__identity *from, const dsm__identity *in,
                                                bool *is_missing) {
  for (size_t i = 0; i < from->input_count; i++) {
    const dsm__store_input *const wanted = &from->inputs[i];
    size_t k = 0;
    while (k < in->input_count && (strcmp(in->inputs[k].kind, wanted->kind) != 0 ||
                                   strcmp(in->inputs[k].name, wanted->name) != 0)) {
      k++;
    }
    *is_missing = k == in->input_count;
    if (*is_missing || strcmp(in->inputs[k].digest, wanted->digest) != 0) {
      return wanted;
    }
  }
  return NULL;
}

bool dsm__identity_has_inputs(const dsm__identity *identity, const dsm__identity *part) {
  bool is_missing;
  return first_difference(part, identity, &is_missing) == NULL;
}

static const char *first_path(const dsm__identity *from, const dsm__identity *in) {
  for (size_t i = 0; i < from->path_count; i++) {
    size_t k = 0;
    while (k < in->path_count && strcmp(from->paths[i], in->paths[k]) != 0) {
      k++;
    }
    if (k == in->path_count) {
      return from->paths[i];
    }
  }
  return NULL;
}

static void put_inputs(const dsm__identity *found, const dsm__identity *wanted,
                       dsm__text_buffer *out) {
  bool is_missing;
  const dsm__store_input *input = first_difference(wanted, found, &is_missing);
  if (input != NULL) {
    dsm__text_printf(out, is_missing ? "; it has no %s \"%s\"" : "; its %s \"%s\" is another",
                     input->kind, input->name);
    return;
  }
  input = first_difference(found, wanted, &is_missing);
  if (input != NULL) {
    dsm__text_printf(out, "; it also has the %s \"%s\"", input->kind, input->name);
  }
}

static void put_paths(const dsm__identity *found, const dsm__identity *wanted,
                      dsm__text_buffer *out) {
  const char *const missing = first_path(wanted, found);
  const char *const more = first_path(found, wanted);
  if (missing != NULL) {
    dsm__text_printf(out, "; it does not vary %s", missing);
  }
  if (more != NULL) {
    dsm__text_printf(out, "; it varies %s", more);
  }
}

/* Says what differs, the most telling things first. */
static void put_differences(const dsm__identity *found, const dsm__identity *wanted,
                            dsm__text_buffer *out) {
  const size_t nothing = out->length;
  if (strcmp(found->name, wanted->name) != 0) {
    dsm__text_printf(out, "; it is called \"%s\", not \"%s\"", found->name, wanted->name);
  }
  put_paths(found, wanted, out);
  put_inputs(found, wanted, out);
  if (found->point_count != wanted->point_count) {
    dsm__text_printf(out, "; it has %zu point%s, not %zu", found->point_count,
                     found->point_count == 1 ? "" : "s", wanted->point_count);
  }
  if (strcmp(found->record, wanted->record) != 0) {
    dsm__text_printf(out, "; it records %s, not %s", found->record, wanted->record);
  }
  if (out->length == nothing) {
    dsm__text_puts(out, "; values, conditions or options differ");
  }
}

dsm_status dsm__identity_compare(const dsm_store *store, const dsm__identity *wanted,
                                 const char *other, dsm_diags *diags) {
  const dsm__identity *const found = &store->identity;
  const bool is_same_sweep = strcmp(found->digest, wanted->digest) == 0;
  if (is_same_sweep && strcmp(found->dsm_version, wanted->dsm_version) == 0) {
    return other == NULL || found->parts == wanted->parts
               ? DSM_OK
               : dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags,
                                   "it and %s have other columns: one was made by an older dsm",
                                   other);
  }
  if (is_same_sweep) {
    return dsm__store_refuse(store, DSM_ERROR_INVALID, NULL, diags,
                             "it has results of dsm %s, but %s is of dsm %s", found->dsm_version,
                             other == NULL ? "this program" : other, wanted->dsm_version);
  }
  dsm__text_buffer text = {0};
  put_differences(found, wanted, &text);
  const char *const hint = other == NULL ? "--database names a file for this one" : NULL;
  const dsm_status status =
      text.failed ? dsm__out_of_memory(diags)
                  : dsm__store_refuse(store, DSM_ERROR_INVALID, hint, diags,
                                      "the database belongs to another sweep than %s%s",
                                      other == NULL ? "the one asked for" : other, text.text);
  dsm__text_fini(&text);
  return status;
}
