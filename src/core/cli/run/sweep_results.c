/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/sweep_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/comma_list.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

#define OBJECTIVES_MAX 16
#define BEST_COUNT 10                                    /* rows of a summary */
static const char best_objective[] = "min:step_seconds"; /* unless said */

/* ---- which rows ---- */

dsm_status cli_define_columns(const cli_arguments *arguments, dsm_point_table *table) {
  dsm_status status = DSM_OK;
  for (size_t d = 0; d < arguments->defines.count && status == DSM_OK; d++) {
    status = dsm_point_table_define(table, arguments->defines.items[d], arguments->diags);
  }
  return status;
}

/* Reads the objectives of a comma-separated list. */
static dsm_status parse_objectives(dsm_objective objectives[OBJECTIVES_MAX], size_t *count,
                                   const dsm_point_table *table, const char *list,
                                   dsm_diags *diags) {
  cli_list names;
  dsm_status status = cli_list_split(&names, list) ? DSM_OK : cli_note_out_of_memory(diags);
  for (*count = 0; status == DSM_OK && *count < names.count; (*count)++) {
    status = *count == OBJECTIVES_MAX
                 ? cli_refuse(diags, DSM_ERROR_USAGE, NULL, NULL,
                              "--pareto: expected at most %d objectives", OBJECTIVES_MAX)
                 : dsm_objective_parse(&objectives[*count], table, names.items[*count], diags);
  }
  cli_list_fini(&names);
  return status;
}

/* Keeps the rows that the options ask for; with none, all. */
static dsm_status select_rows(const cli_arguments *arguments, dsm_point_table *table) {
  dsm_diags *const diags = arguments->diags;
  const cli_sweep_arguments *const options = &arguments->sweep;
  dsm_objective objectives[OBJECTIVES_MAX] = {{0}};
  size_t count = 0;
  const char *const list = options->pareto != NULL    ? options->pareto
                           : options->best_by != NULL ? options->best_by
                                                      : best_objective;
  if (options->pareto == NULL && options->best_count == 0) {
    return DSM_OK;
  }
  dsm_status status = dsm_point_table_means(table, diags);
  if (status == DSM_OK) {
    status = parse_objectives(objectives, &count, table, list, diags);
  }
  if (status != DSM_OK) {
    return status;
  }
  return options->pareto != NULL
             ? dsm_point_table_pareto(table, objectives, count, diags)
             : dsm_point_table_best(table, objectives[0], options->best_count, diags);
}

dsm_status cli_check_objectives(const cli_arguments *arguments, dsm_store *store) {
  if (arguments->sweep.pareto == NULL && arguments->sweep.best_count == 0 &&
      arguments->defines.count == 0 && arguments->wheres.count == 0) {
    return DSM_OK;
  }
  dsm_point_table *table = NULL;
  dsm_status status = dsm_store_points(store, &table, arguments->diags);
  if (status == DSM_OK) {
    status = cli_define_columns(arguments, table);
  }
  if (status == DSM_OK) {
    dsm_point_table names = *table; /* a value may be one of a point to come */
    names.row_count = 0;
    status = dsm_point_table_where(&names, arguments->wheres.items, arguments->wheres.count,
                                   arguments->diags);
  }
  if (status == DSM_OK) {
    status = select_rows(arguments, table);
  }
  dsm_point_table_free(table);
  return status;
}

/* ---- a summary ---- */

static const dsm_cell *cell_of(const dsm_point_table *table, size_t row, const char *column) {
  for (size_t c = 0; c < table->column_count; c++) {
    if (strcmp(table->columns[c], column) == 0) {
      return &table->cells[row * table->column_count + c];
    }
  }
  return NULL;
}

static const char *text_of(const dsm_cell *cell) {
  return cell != NULL && cell->kind == DSM_CELL_TEXT ? cell->text : "";
}

/* "point 12: REASON"; malloc'ed. */
static char *make_example(const dsm_point_table *table, size_t row) {
  const dsm_cell *const point = cell_of(table, row, "point");
  const char *const reason = text_of(cell_of(table, row, "reason"));
  const size_t size = strlen(reason) + 64;
  char *const example = calloc(size, 1);
  if (example != NULL) {
    (void)snprintf(example, size, "point %.0f: %s", point == NULL ? 0 : point->number, reason);
  }
  return example;
}

static void count_statuses(dsm_points_summary *to, const dsm_point_table *table) {
  for (size_t row = 0; row < table->row_count; row++) {
    const char *const word = text_of(cell_of(table, row, "status"));
    for (size_t status = 0; status < DSM_POINT_STATUS_COUNT; status++) {
      if (strcmp(word, dsm_point_status_name((dsm_point_status)status)) == 0) {
        to->counts[status]++;
        if (to->counts[status] == 1 && status != DSM_POINT_OK) {
          to->examples[status] = make_example(table, row);
        }
      }
    }
  }
}

/* ---- what is printed ---- */

/* Chooses the rows of a summary, and says which they are. */
static dsm_status select_for_summary(const cli_arguments *arguments, dsm_point_table *table,
                                     char *shown, size_t size) {
  dsm_diags *const diags = arguments->diags;
  const cli_sweep_arguments *const options = &arguments->sweep;
  if (options->pareto != NULL) {
    const dsm_status status = select_rows(arguments, table);
    (void)snprintf(shown, size, "those that no other %s beats in %s",
                   table->workload_count > 0 ? "system" : "point", options->pareto);
    return status;
  }
  const bool is_said = options->best_by != NULL;
  const char *const by = is_said ? options->best_by : best_objective;
  const size_t most = options->best_count > 0 ? options->best_count : BEST_COUNT;
  dsm_objective objective;
  dsm_status status = dsm_point_table_means(table, diags);
  const size_t before = table->row_count;
  if (status == DSM_OK) {
    status = dsm_objective_parse(&objective, table, by, diags);
  }
  if (status == DSM_OK) {
    status = dsm_point_table_best(table, objective, most, diags);
  }
  if (table->row_count == 0) {
    (void)snprintf(shown, size, "nothing: no %s has a number for %s",
                   table->workload_count > 0 ? "system" : "point", by);
  } else {
    (void)snprintf(shown, size, "%s %zu%s by %s%s%s",
                   table->row_count < before ? "the best" : "all", table->row_count,
                   table->workload_count > 0 ? " systems with all workloads" : "",
                   is_said ? "" : "step time (", by, is_said ? "" : ")");
  }
  return status;
}

static cli_exit put_table(const cli_arguments *arguments, dsm_point_table *table,
                          const char *path) {
  char shown[300];
  dsm_points_summary of = {.points = table,
                           .shown = shown,
                           .recorded = table->row_count,
                           .point_count = table->point_count,
                           .database = path};
  const bool is_summary = !arguments->has_format && !cli_output_tells_format(arguments);
  if (is_summary) {
    count_statuses(&of, table);
  }
  dsm_status status = cli_define_columns(arguments, table);
  if (status == DSM_OK) {
    status = dsm_point_table_where(table, arguments->wheres.items, arguments->wheres.count,
                                   arguments->diags);
  }
  if (status == DSM_OK) {
    status = is_summary ? select_for_summary(arguments, table, shown, sizeof shown)
                        : select_rows(arguments, table);
  }
  const cli_exit outcome = cli_put_made(
      arguments, status, is_summary ? DSM_ANSWER(points_summary, &of) : DSM_ANSWER(points, table));
  for (size_t i = 0; i < DSM_POINT_STATUS_COUNT; i++) {
    free(of.examples[i]);
  }
  return outcome;
}

cli_exit cli_put_points(const cli_arguments *arguments, dsm_store *store, const char *path) {
  dsm_point_table *table = NULL;
  const dsm_status status = dsm_store_points(store, &table, arguments->diags);
  const cli_exit outcome =
      status == DSM_OK ? put_table(arguments, table, path) : cli_tell(arguments, status);
  dsm_point_table_free(table);
  return outcome;
}
