/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_schema.c: tables and views.
 *
 * Documented are `meta`, `inputs` and the views `points` and `layers` (docs/formats.md). Axes are
 * columns axis_0, axis_1, ... of a table, so that any path can vary; the view gives them their
 * names. Words that many layers share are stored once.
 */
#include <string.h>

#include "sweep/store_internal.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static const char *const first_columns[] = {"point", "status", "reason"};
static const char *const result_columns[] = {
    "mode",
    "minibatch",
    "optimizations",
    "parallelisms",
    "utilization",
    "step_seconds",
    "samples_per_second",
    "step_cycles",
    "lower_bound_cycles",
    "primary_cycles",
    "overlapped_cycles",
    "overlapped_visible_cycles",
    "auxiliary_cycles",
    "non_overlapped_cycles",
    "weights_bytes",
    "activations_bytes",
    "gradients_bytes",
    "errors_bytes",
    "optimizer_bytes",
    "memory_bytes",
    "capacity_bytes",
    "decisions",
    "plan",
};
const char *const dsm__layer_columns[] = {
    "point",
    "layer",
    "name",
    "pass",
    "parallelism",
    "core_split",
    "dysm_factor",
    "output_on_chip",
    "weights_on_chip",
    "pipeline_group",
    "bound",
    "utilization",
    "cycles",
    "primary_cycles",
    "overlapped_cycles",
    "overlapped_visible_cycles",
    "auxiliary_cycles",
    "non_overlapped_cycles",
};
const size_t dsm__layer_column_count = COUNT_OF(dsm__layer_columns);

bool dsm__layer_column_is_word(size_t column) {
  static const char *const words[] = {
      "name", "parallelism", "core_split", "pipeline_group", "bound",
  };
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    if (strcmp(dsm__layer_columns[column], words[i]) == 0) {
      return true;
    }
  }
  return false;
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
  const size_t count = COUNT_OF(first_columns) + identity->path_count + COUNT_OF(result_columns);
  const char **const columns = dsm__arena_array(store->arena, count, sizeof *columns);
  if (columns == NULL) {
    return false;
  }
  memcpy(columns, first_columns, sizeof first_columns);
  memcpy(columns + (count - COUNT_OF(result_columns)), result_columns, sizeof result_columns);
  for (size_t i = 0; i < identity->path_count; i++) {
    const char *name = identity->paths[i];
    while (name != NULL && has_column(columns, count, name)) {
      name = dsm__arena_printf(store->arena, "%s:%zu", name, i);
    }
    if (name == NULL) {
      return false;
    }
    columns[COUNT_OF(first_columns) + i] = name;
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

void dsm__store_put_columns(const dsm_store *store, size_t first, size_t end,
                            dsm__text_buffer *out) {
  for (size_t c = first; c < end; c++) {
    dsm__text_puts(out, c == first ? "" : ",");
    put_quoted(out, store->columns[c]);
  }
}

/* ---- tables and views ---- */

static void put_point_table(const dsm_store *store, dsm__text_buffer *out) {
  dsm__text_puts(out, "(point INTEGER PRIMARY KEY,status TEXT NOT NULL,reason TEXT");
  for (size_t i = 0; i < store->identity.path_count; i++) {
    dsm__text_printf(out, ",axis_%zu", i);
  }
  for (size_t i = 0; i + 1 < COUNT_OF(result_columns); i++) {
    dsm__text_printf(out, ",%s", result_columns[i]);
  }
  dsm__text_puts(out, ")");
}

static void put_points_view(const dsm_store *store, dsm__text_buffer *out) {
  dsm__text_puts(out, "(");
  dsm__store_put_columns(store, 0, store->column_count, out);
  dsm__text_puts(out, ") AS SELECT point,status,reason");
  for (size_t i = 0; i < store->identity.path_count; i++) {
    dsm__text_printf(out, ",axis_%zu", i);
  }
  for (size_t i = 0; i + 1 < COUNT_OF(result_columns); i++) {
    dsm__text_printf(out, ",%s", result_columns[i]);
  }
  dsm__text_puts(out, ",(SELECT plan FROM plan_text WHERE plan_text.point = point_row.point)"
                      " FROM point_row");
}

static void put_layer_table(dsm__text_buffer *out) {
  dsm__text_puts(out, "(");
  for (size_t c = 0; c < dsm__layer_column_count; c++) {
    dsm__text_printf(out, "%s,", dsm__layer_columns[c]);
  }
  dsm__text_puts(out, "PRIMARY KEY(point,layer,pass)) WITHOUT ROWID");
}

static void put_layers_view(dsm__text_buffer *out) {
  dsm__text_puts(out, "(");
  for (size_t c = 0; c < dsm__layer_column_count; c++) {
    dsm__text_printf(out, "%s%s", c == 0 ? "" : ",", dsm__layer_columns[c]);
  }
  dsm__text_puts(out, ") AS SELECT ");
  for (size_t c = 0; c < dsm__layer_column_count; c++) {
    const char *const name = dsm__layer_columns[c];
    dsm__text_puts(out, c == 0 ? "" : ",");
    if (c == DSM__LAYER_COLUMN_PASS) {
      dsm__text_puts(out, "CASE pass");
      for (int p = 0; p < DSM_PASS_COUNT; p++) {
        dsm__text_printf(out, " WHEN %d THEN '%s'", p, dsm_pass_name((dsm_pass)p));
      }
      dsm__text_puts(out, " END");
    } else if (dsm__layer_column_is_word(c)) {
      dsm__text_printf(out, "(SELECT text FROM word WHERE id = layer_row.%s)", name);
    } else {
      dsm__text_puts(out, name);
    }
  }
  dsm__text_puts(out, " FROM layer_row");
}

/* A table or view: "CREATE <kind> <name><the rest>". */
typedef struct object {
  const char *kind;
  const char *name;
  const char *columns; /* NULL: they depend on the sweep */
} object;

static const object objects[] = {
    {"TABLE", "meta",
     "(name TEXT NOT NULL,dsm_version TEXT NOT NULL,digest TEXT NOT NULL,record TEXT NOT NULL,"
     "point_count INTEGER NOT NULL,specification TEXT NOT NULL)"},
    {"TABLE", "inputs",
     "(kind TEXT NOT NULL,name TEXT NOT NULL,file TEXT NOT NULL,digest TEXT NOT NULL,"
     "PRIMARY KEY(kind,name))"},
    {"TABLE", "axis", "(position INTEGER PRIMARY KEY,path TEXT NOT NULL)"},
    {"TABLE", "word", "(id INTEGER PRIMARY KEY,text TEXT NOT NULL UNIQUE)"},
    {"TABLE", "plan_text", "(point INTEGER PRIMARY KEY,plan TEXT NOT NULL)"},
    {"TABLE", "point_row", NULL},
    {"TABLE", "layer_row", NULL},
    {"VIEW", "points", NULL},
    {"VIEW", "layers", NULL},
};

static void put_object(const dsm_store *store, const object *made, dsm__text_buffer *out) {
  dsm__text_printf(out, "CREATE %s %s", made->kind, made->name);
  if (made->columns != NULL) {
    dsm__text_puts(out, made->columns);
  } else if (strcmp(made->name, "point_row") == 0) {
    put_point_table(store, out);
  } else if (strcmp(made->name, "layer_row") == 0) {
    put_layer_table(out);
  } else if (strcmp(made->name, "points") == 0) {
    put_points_view(store, out);
  } else {
    put_layers_view(out);
  }
}

/* ---- checking ---- */

static int check_object(dsm_store *store, sqlite3_stmt *statement, const object *expected) {
  dsm__text_buffer text = {0};
  put_object(store, expected, &text);
  int code = text.failed ? SQLITE_NOMEM
                         : sqlite3_bind_text(statement, 1, expected->name, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) {
    code = sqlite3_step(statement);
  }
  if (code == SQLITE_ROW) {
    const char *found = NULL;
    code = dsm__store_text(statement, 0, &found);
    if (code == SQLITE_OK && (found == NULL || strcmp(found, text.text) != 0)) {
      code = SQLITE_CORRUPT;
    }
  } else if (code == SQLITE_DONE) {
    code = SQLITE_CORRUPT;
  }
  (void)sqlite3_reset(statement);
  dsm__text_fini(&text);
  return code;
}

int dsm__store_check_schema(dsm_store *store) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(store->database, "SELECT sql FROM sqlite_schema WHERE name = ?1",
                                -1, &statement, NULL);
  for (size_t i = 0; i < COUNT_OF(objects) && code == SQLITE_OK; i++) {
    code = check_object(store, statement, &objects[i]);
  }
  (void)sqlite3_finalize(statement);
  return code;
}

/* ---- making ---- */

static int make_objects(dsm_store *store) {
  int code = SQLITE_OK;
  for (size_t i = 0; i < COUNT_OF(objects) && code == SQLITE_OK; i++) {
    dsm__text_buffer text = {0};
    put_object(store, &objects[i], &text);
    code = text.failed ? SQLITE_NOMEM : sqlite3_exec(store->database, text.text, NULL, NULL, NULL);
    dsm__text_fini(&text);
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

static int write_identity(dsm_store *store) {
  const dsm__identity *const identity = &store->identity;
  const char *const meta[] = {
      identity->name, identity->dsm_version, identity->digest, identity->record,
      NULL,           identity->resolved};
  int code = insert(store, "INSERT INTO meta VALUES (?1,?2,?3,?4,?5,?6)", meta, COUNT_OF(meta),
                    (sqlite3_int64)identity->point_count);
  for (size_t i = 0; i < identity->input_count && code == SQLITE_OK; i++) {
    const dsm__store_input *const input = &identity->inputs[i];
    const char *const texts[] = {input->kind, input->name, input->file, input->digest};
    code = insert(store, "INSERT INTO inputs VALUES (?1,?2,?3,?4)", texts, COUNT_OF(texts), 0);
  }
  for (size_t i = 0; i < identity->path_count && code == SQLITE_OK; i++) {
    const char *const texts[] = {NULL, identity->paths[i]};
    code =
        insert(store, "INSERT INTO axis VALUES (?1,?2)", texts, COUNT_OF(texts), (sqlite3_int64)i);
  }
  return code;
}

/* The version is written in the same transaction as everything else: a database has both or none.
 */
static int write_versions(dsm_store *store) {
  dsm__text_buffer text = {0};
  dsm__text_printf(&text, "PRAGMA application_id=%d;PRAGMA user_version=%d;",
                   DSM__STORE_APPLICATION, DSM__STORE_SCHEMA);
  const int code =
      text.failed ? SQLITE_NOMEM : sqlite3_exec(store->database, text.text, NULL, NULL, NULL);
  dsm__text_fini(&text);
  return code;
}

int dsm__store_set_up(dsm_store *store) {
  int code = dsm__store_do(store, DSM__STATEMENT_BEGIN);
  if (code == SQLITE_OK) {
    code = make_objects(store);
  }
  if (code == SQLITE_OK) {
    code = write_identity(store);
  }
  if (code == SQLITE_OK) {
    code = write_versions(store);
  }
  return code == SQLITE_OK ? dsm__store_do(store, DSM__STATEMENT_COMMIT) : code;
}
