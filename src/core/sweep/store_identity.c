/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_identity.c: which sweep a database belongs to, and how two sweeps differ. */
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "base/digest.h"
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

/* Copies the first texts of the next row; SQLITE_CORRUPT if there is no row, or one is absent. */
static int copy_row(dsm_store *store, sqlite3_stmt *statement, int count,
                    const char **const *texts) {
  const int step = sqlite3_step(statement);
  int code = step == SQLITE_ROW ? SQLITE_OK : step == SQLITE_DONE ? SQLITE_CORRUPT : step;
  for (int c = 0; c < count && code == SQLITE_OK; c++) {
    code = dsm__store_copy_text(statement, c, store->arena, texts[c]);
    code = code == SQLITE_OK && *texts[c] == NULL ? SQLITE_CORRUPT : code;
  }
  return code;
}

static int read_meta(dsm_store *store) {
  dsm__identity *const identity = &store->identity;
  const char **const texts[] = {&identity->name, &identity->dsm_version, &identity->digest,
                                &identity->record, &identity->resolved};
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(
      store->database, "SELECT name,dsm_version,digest,record,specification,point_count FROM meta",
      -1, &statement, NULL);
  if (code == SQLITE_OK) {
    code = copy_row(store, statement, DSM__COUNT_OF(texts), texts);
  }
  if (code == SQLITE_OK) {
    const sqlite3_int64 count = sqlite3_column_int64(statement, 5);
    if (count < 1 || count > DSM_SWEEP_POINTS_MAX) {
      code = SQLITE_CORRUPT;
    } else {
      identity->point_count = (size_t)count;
    }
  }
  (void)sqlite3_finalize(statement);
  return code;
}

static int read_inputs(dsm_store *store) {
  static const size_t most = 2 * (size_t)DSM_SWEEP_VALUES_MAX;
  size_t count = 0;
  int code = dsm__store_count(store, "SELECT count(*) FROM inputs", most, &count);
  dsm__store_input *const inputs =
      code == SQLITE_OK ? dsm__arena_array(store->arena, count, sizeof *inputs) : NULL;
  if (code != SQLITE_OK || inputs == NULL) {
    return code == SQLITE_OK ? SQLITE_NOMEM : code;
  }
  sqlite3_stmt *statement = NULL;
  code =
      sqlite3_prepare_v2(store->database, "SELECT kind,name,file,digest FROM inputs ORDER BY rowid",
                         -1, &statement, NULL);
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) {
    const char **const texts[] = {&inputs[i].kind, &inputs[i].name, &inputs[i].file,
                                  &inputs[i].digest};
    code = copy_row(store, statement, DSM__COUNT_OF(texts), texts);
  }
  (void)sqlite3_finalize(statement);
  store->identity.inputs = inputs;
  store->identity.input_count = count;
  return code;
}

static int read_paths(dsm_store *store) {
  static const size_t most = (size_t)DSM_SWEEP_AXES_MAX * DSM_SWEEP_AXES_MAX + 2;
  size_t count = 0;
  int code = dsm__store_count(store, "SELECT count(*) FROM axis", most, &count);
  const char **const paths =
      code == SQLITE_OK ? dsm__arena_array(store->arena, count, sizeof *paths) : NULL;
  if (code != SQLITE_OK || paths == NULL) {
    return code == SQLITE_OK ? SQLITE_NOMEM : code;
  }
  sqlite3_stmt *statement = NULL;
  code = sqlite3_prepare_v2(store->database, "SELECT path FROM axis ORDER BY position", -1,
                            &statement, NULL);
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) {
    code = copy_row(store, statement, 1, (const char **const[]){&paths[i]});
  }
  (void)sqlite3_finalize(statement);
  store->identity.paths = paths;
  store->identity.path_count = count;
  return code;
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
  static int (*const steps[])(dsm_store *) = {read_meta, read_inputs, read_paths, check_digest,
                                              set_columns};
  store->columns = NULL;
  dsm_status status = dsm__store_check_schema(store, diags);
  if (status != DSM_OK) {
    return status;
  }
  int code = SQLITE_OK;
  for (size_t i = 0; i < DSM__COUNT_OF(steps) && code == SQLITE_OK; i++) {
    code = steps[i](store);
  }
  status = dsm__store_have_read(store, code, "its tables are not as dsm makes them", diags);
  return status == DSM_OK ? dsm__store_check_schema(store, diags) : status;
}

/* ---- differences ---- */

static const dsm__store_input *find_input(const dsm__identity *identity,
                                          const dsm__store_input *wanted) {
  for (size_t i = 0; i < identity->input_count; i++) {
    if (strcmp(identity->inputs[i].kind, wanted->kind) == 0 &&
        strcmp(identity->inputs[i].name, wanted->name) == 0) {
      return &identity->inputs[i];
    }
  }
  return NULL;
}

/* The first input of `from` that `in` lacks, or has with other contents. */
static const dsm__store_input *first_difference(const dsm__identity *from, const dsm__identity *in,
                                                bool *is_missing) {
  for (size_t i = 0; i < from->input_count; i++) {
    const dsm__store_input *const same = find_input(in, &from->inputs[i]);
    if (same == NULL || strcmp(same->digest, from->inputs[i].digest) != 0) {
      *is_missing = same == NULL;
      return &from->inputs[i];
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
    bool is_known = false;
    for (size_t k = 0; k < in->path_count && !is_known; k++) {
      is_known = strcmp(from->paths[i], in->paths[k]) == 0;
    }
    if (!is_known) {
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
