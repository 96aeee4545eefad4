/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_schema.c: tables and views.
 *
 * Documented are `meta`, `inputs` and the views `points` and `layers` (docs/formats.md). Axes are
 * columns axis_0, axis_1, ... of a table, so that any path can vary; the view gives them their
 * names. Words that many layers share are stored once.
 */
#include <stdio.h>
#include <string.h>

#include "base/diag_add.h"
#include "model/names.h"
#include "sweep/point_record.h"
#include "sweep/store_internal.h"

dsm__layer_columns dsm__layer_columns_get(void) {
  dsm__layer_columns columns = {.fields = {NULL}};
  columns.count = 1 + dsm__record_columns(&dsm__point_layer_record, columns.fields + 1);
  return columns;
}

static const char *layer_column(const dsm__layer_columns *columns, size_t column) {
  return column == 0 ? "point" : dsm__field_column(columns->fields[column]);
}

void dsm__layer_columns_put(dsm__text_buffer *out) {
  const dsm__layer_columns columns = dsm__layer_columns_get();
  for (size_t c = 0; c < columns.count; c++) {
    dsm__text_printf(out, "%s%s", c == 0 ? "" : ",", layer_column(&columns, c));
  }
}

bool dsm__layer_column_is_pass(const dsm__field *field) {
  return field != NULL && field->words == &dsm__pass_words;
}

bool dsm__layer_column_is_word(const dsm__field *field) {
  return field != NULL && !dsm__layer_column_is_pass(field) &&
         (field->kind == DSM__FIELD_TEXT || field->kind == DSM__FIELD_WORD ||
          field->kind == DSM__FIELD_COUNTS);
}

/* ---- the columns of `points` ---- */

/* SQL does not tell upper from lower case in names. */
static bool has_column(const char *const *columns, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (columns[i] != NULL && sqlite3_stricmp(columns[i], name) == 0) {
      return true;
    }
  }
  return false;
}

bool dsm__store_columns(dsm_store *store) {
  const dsm__identity *const identity = &store->identity;
  const dsm__field *fields[DSM__FIELDS_MAX];
  const size_t field_count = dsm__point_columns(identity->parts, fields);
  const size_t count = field_count + identity->path_count;
  const char **const columns = dsm__arena_array(store->arena, count, sizeof *columns);
  if (columns == NULL) {
    return false;
  }
  for (size_t f = 0; f < field_count; f++) {
    columns[f < DSM__POINT_FIRST_COLUMNS ? f : f + identity->path_count] =
        dsm__field_column(fields[f]);
  }
  for (size_t i = 0; i < identity->path_count; i++) {
    const char *name = identity->paths[i];
    while (name != NULL && has_column(columns, count, name)) {
      name = dsm__arena_printf(store->arena, "%s:%zu", name, i);
    }
    if (name == NULL) {
      return false;
    }
    columns[DSM__POINT_FIRST_COLUMNS + i] = name;
  }
  store->columns = columns;
  store->column_count = count;
  return true;
}

static void put_quoted(dsm__text_buffer *out, const char *name) {
  dsm__text_puts(out, "\"");
  for (; *name != '\0'; name++) {
    dsm__text_append(out, name, 1);
    if (*name == '"') {
      dsm__text_puts(out, "\"");
    }
  }
  dsm__text_puts(out, "\"");
}

void dsm__store_put_columns(const dsm_store *store, size_t count, dsm__text_buffer *out) {
  for (size_t c = 0; c < count; c++) {
    dsm__text_puts(out, c == 0 ? "" : ",");
    put_quoted(out, store->columns[c]);
  }
}

/* ---- tables and views ---- */

/* Columns of point_row behind the first: axes, then results but for the plan. */
static void put_point_columns(const dsm_store *store, dsm__text_buffer *out) {
  const dsm__field *fields[DSM__FIELDS_MAX];
  const size_t count = dsm__point_columns(store->identity.parts, fields);
  for (size_t i = 0; i < store->identity.path_count; i++) {
    dsm__text_printf(out, ",axis_%zu", i);
  }
  for (size_t f = DSM__POINT_FIRST_COLUMNS; f + 1 < count; f++) {
    dsm__text_printf(out, ",%s", dsm__field_column(fields[f]));
  }
}

static void put_point_table(const dsm_store *store, dsm__text_buffer *out) {
  dsm__text_puts(out, "(point INTEGER PRIMARY KEY,status TEXT NOT NULL,reason TEXT");
  put_point_columns(store, out);
  dsm__text_puts(out, ")");
}

static void put_points_view(const dsm_store *store, dsm__text_buffer *out) {
  dsm__text_puts(out, "(");
  dsm__store_put_columns(store, store->column_count, out);
  dsm__text_puts(out, ") AS SELECT point,status,reason");
  put_point_columns(store, out);
  dsm__text_puts(out, ",(SELECT plan FROM plan_text WHERE plan_text.point = point_row.point)"
                      " FROM point_row");
}

static void put_layer_table(const dsm_store *store, dsm__text_buffer *out) {
  (void)store;
  dsm__text_puts(out, "(");
  dsm__layer_columns_put(out);
  dsm__text_puts(out, ",PRIMARY KEY(point,layer,pass)) WITHOUT ROWID");
}

static void put_layers_view(const dsm_store *store, dsm__text_buffer *out) {
  const dsm__layer_columns columns = dsm__layer_columns_get();
  (void)store;
  dsm__text_puts(out, "(");
  dsm__layer_columns_put(out);
  dsm__text_puts(out, ") AS SELECT ");
  for (size_t c = 0; c < columns.count; c++) {
    const char *const name = layer_column(&columns, c);
    dsm__text_puts(out, c == 0 ? "" : ",");
    if (dsm__layer_column_is_pass(columns.fields[c])) {
      dsm__text_puts(out, "CASE pass");
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        dsm__text_printf(out, " WHEN %d THEN '%s'", p, dsm_pass_name((dsm_pass)p));
      }
      dsm__text_puts(out, " END");
    } else if (dsm__layer_column_is_word(columns.fields[c])) {
      dsm__text_printf(out, "(SELECT text FROM word WHERE id = layer_row.%s)", name);
    } else {
      dsm__text_puts(out, name);
    }
  }
  dsm__text_puts(out, " FROM layer_row");
}

/* A table or view: "CREATE TABLE|VIEW <name><the rest>". */
typedef struct object {
  bool is_view;
  bool has_axes; /* its columns depend on the sweep */
  const char *name;
  const char *rest; /* NULL: what put_rest gives */
  void (*put_rest)(const dsm_store *store, dsm__text_buffer *out);
} object;

static const object objects[] = {
    {.name = "meta",
     .rest = "(name TEXT NOT NULL,dsm_version TEXT NOT NULL,digest TEXT NOT NULL,record TEXT NOT "
             "NULL,point_count INTEGER NOT NULL,specification TEXT NOT NULL)"},
    {.name = "inputs",
     .rest = "(kind TEXT NOT NULL,name TEXT NOT NULL,file TEXT NOT NULL,digest TEXT NOT NULL,"
             "PRIMARY KEY(kind,name))"},
    {.name = "axis", .rest = "(position INTEGER PRIMARY KEY,path TEXT NOT NULL)"},
    {.name = "word", .rest = "(id INTEGER PRIMARY KEY,text TEXT NOT NULL UNIQUE)"},
    {.name = "plan_text", .rest = "(point INTEGER PRIMARY KEY,plan TEXT NOT NULL)"},
    {.name = "point_row", .put_rest = put_point_table, .has_axes = true},
    {.name = "layer_row", .put_rest = put_layer_table},
    {.is_view = true, .name = "points", .put_rest = put_points_view, .has_axes = true},
    {.is_view = true, .name = "layers", .put_rest = put_layers_view},
};

static const char *kind_of(const object *made) {
  return made->is_view ? "view" : "table";
}

static void put_object(const dsm_store *store, const object *made, dsm__text_buffer *out) {
  dsm__text_printf(out, "CREATE %s %s", made->is_view ? "VIEW" : "TABLE", made->name);
  if (made->rest != NULL) {
    dsm__text_puts(out, made->rest);
  } else {
    made->put_rest(store, out);
  }
}

/* ---- checking ---- */

/* What the schema says of a table, view, index or trigger. */
typedef struct found_object {
  const char *kind;
  const char *name;
  const char *sql; /* NULL: an index that SQLite makes by itself */
} found_object;

static int read_object(sqlite3_stmt *row, found_object *found) {
  const char **const texts[] = {&found->kind, &found->name, &found->sql};
  int code = SQLITE_OK;
  for (int c = 0; c < 3 && code == SQLITE_OK; c++) {
    code = dsm__store_text(row, c, texts[c]);
  }
  return code == SQLITE_OK && (found->kind == NULL || found->name == NULL) ? SQLITE_CORRUPT : code;
}

/* An index of a constraint of `inputs` or `word`. */
static bool is_automatic(const found_object *found) {
  return found->sql == NULL && (strcmp(found->name, "sqlite_autoindex_inputs_1") == 0 ||
                                strcmp(found->name, "sqlite_autoindex_word_1") == 0);
}

static dsm_status odd_object(const dsm_store *store, const char *kind, const char *before,
                             const char *name, const char *after, dsm_diags *diags) {
  char what[200];
  (void)snprintf(what, sizeof what, "it%s %s \"%s\"%s", before, kind, name, after);
  return dsm__store_damaged(store, what, diags);
}

/* The object as dsm makes it? Before the axes are known, what depends on them is only told by its
 * kind; nothing is asked of it until then. */
static dsm_status compare_object(const dsm_store *store, const object *expected,
                                 const found_object *found, dsm_diags *diags) {
  bool is_same = strcmp(found->kind, kind_of(expected)) == 0 && found->sql != NULL;
  if (is_same && (!expected->has_axes || store->columns != NULL)) {
    dsm__text_buffer text = {0};
    put_object(store, expected, &text);
    const bool has_failed = text.failed;
    is_same = !has_failed && strcmp(found->sql, text.text) == 0;
    dsm__text_fini(&text);
    if (has_failed) {
      return dsm__out_of_memory(diags);
    }
  }
  return is_same
             ? DSM_OK
             : odd_object(store, found->kind, "s", found->name, " is not as dsm makes it", diags);
}

/* What a database has, while it is looked at. */
typedef struct looking {
  const dsm_store *store;
  bool is_found[DSM__COUNT_OF(objects)];
  dsm_diags *diags;
  dsm_status status;
} looking;

static int take_object(void *context, sqlite3_stmt *row) {
  looking *const at = context;
  found_object found = {.kind = NULL};
  const int code = read_object(row, &found);
  if (code != SQLITE_OK) {
    return code;
  }
  size_t i = 0;
  while (i < DSM__COUNT_OF(objects) && strcmp(objects[i].name, found.name) != 0) {
    i++;
  }
  if (i < DSM__COUNT_OF(objects)) {
    at->is_found[i] = true;
    at->status = compare_object(at->store, &objects[i], &found, at->diags);
  } else if (!is_automatic(&found)) {
    at->status = odd_object(at->store, found.kind, " also has the", found.name, "", at->diags);
  }
  return at->status == DSM_OK ? SQLITE_OK : SQLITE_ABORT;
}

dsm_status dsm__store_check_schema(dsm_store *store, dsm_diags *diags) {
  looking at = {.store = store, .diags = diags, .status = DSM_OK};
  const int code =
      dsm__store_query(store, "SELECT type,name,sql FROM sqlite_schema", take_object, &at);
  if (at.status == DSM_OK) {
    at.status = dsm__store_have_read(store, code, DSM__STORE_ODD_TABLES, diags);
  }
  for (size_t i = 0; i < DSM__COUNT_OF(objects) && at.status == DSM_OK; i++) {
    if (!at.is_found[i]) {
      at.status = odd_object(store, kind_of(&objects[i]), " has no", objects[i].name, "", diags);
    }
  }
  return at.status;
}

/* ---- making ---- */

static int make_objects(dsm_store *store) {
  int code = SQLITE_OK;
  for (size_t i = 0; i < DSM__COUNT_OF(objects) && code == SQLITE_OK; i++) {
    dsm__text_buffer text = {0};
    put_object(store, &objects[i], &text);
    code = dsm__store_execute(store, &text);
  }
  return code;
}

/* Inserts a row of texts; one that is NULL stands for `number`. */
static int insert(dsm_store *store, const char *sql, const char *const *texts, size_t count,
                  sqlite3_int64 number) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) {
    code = texts[i] == NULL ? sqlite3_bind_int64(statement, (int)i + 1, number)
                            : sqlite3_bind_text(statement, (int)i + 1, texts[i], -1, SQLITE_STATIC);
  }
  if (code == SQLITE_OK) {
    code = dsm__store_run(statement);
  }
  (void)sqlite3_finalize(statement);
  return code;
}

int dsm__store_write_identity(dsm_store *store) {
  const dsm__identity *const identity = &store->identity;
  const char *const meta[] = {
      identity->name, identity->dsm_version, identity->digest, identity->record,
      NULL,           identity->resolved};
  int code = insert(store, "INSERT INTO meta VALUES (?1,?2,?3,?4,?5,?6)", meta, DSM__COUNT_OF(meta),
                    (sqlite3_int64)identity->point_count);
  for (size_t i = 0; i < identity->input_count && code == SQLITE_OK; i++) {
    const dsm__store_input *const input = &identity->inputs[i];
    const char *const texts[] = {input->kind, input->name, input->file, input->digest};
    code = insert(store, "INSERT INTO inputs VALUES (?1,?2,?3,?4)", texts, DSM__COUNT_OF(texts), 0);
  }
  for (size_t i = 0; i < identity->path_count && code == SQLITE_OK; i++) {
    const char *const texts[] = {NULL, identity->paths[i]};
    code = insert(store, "INSERT INTO axis VALUES (?1,?2)", texts, DSM__COUNT_OF(texts),
                  (sqlite3_int64)i);
  }
  return code;
}

/* The version is written in the same transaction as everything else: a database has both or none.
 */
static int write_versions(dsm_store *store) {
  dsm__text_buffer text = {0};
  dsm__text_printf(&text, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
                   DSM__STORE_APPLICATION, DSM__STORE_SCHEMA);
  return dsm__store_execute(store, &text);
}

int dsm__store_set_up(dsm_store *store) {
  static int (*const steps[])(dsm_store *) = {make_objects, dsm__store_write_identity,
                                              write_versions};
  int code = dsm__store_do(store, DSM__STATEMENT_BEGIN);
  for (size_t i = 0; i < DSM__COUNT_OF(steps) && code == SQLITE_OK; i++) {
    code = steps[i](store);
  }
  return code == SQLITE_OK ? dsm__store_do(store, DSM__STATEMENT_COMMIT) : code;
}
