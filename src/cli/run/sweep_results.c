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

/* How many points came out how, and an example of why not. */
typedef struct tally {
  size_t counts[DSM_POINT_STATUS_COUNT];
  char *examples[DSM_POINT_STATUS_COUNT]; /* NULL: no such point, or out of memory */
} tally;

typedef struct summary {
  const dsm_point_table *table; /* the rows to show */
  size_t recorded;
  size_t point_count; /* of the sweep */
  tally statuses;
  const char *database;
  const char *shown; /* which rows they are */
} summary;

/* ---- which rows ---- */

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
  if (arguments->sweep.pareto == NULL && arguments->sweep.best_count == 0) {
    return DSM_OK;
  }
  dsm_point_table *table = NULL;
  dsm_status status = dsm_store_points(store, &table, arguments->diags);
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

static void count_statuses(tally *to, const dsm_point_table *table) {
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

/* A line whose text may quote names of files. */
static void print_labelled(FILE *to, const char *label, const char *text) {
  char visible[4096];
  dsm_text_make_visible(visible, sizeof visible, text);
  (void)fprintf(to, "%-12s%s\n", label, visible);
}

static void print_tail(FILE *to, const summary *of) {
  (void)fputc('\n', to);
  print_labelled(to, "shown", of->shown);
  (void)fprintf(to, "points      %zu", of->recorded);
  if (of->recorded < of->point_count) {
    (void)fprintf(to, " of %zu recorded", of->point_count);
  }
  const char *separator = ": ";
  for (size_t status = 0; status < DSM_POINT_STATUS_COUNT; status++) {
    if (of->statuses.counts[status] > 0) {
      (void)fprintf(to, "%s%zu %s", separator, of->statuses.counts[status],
                    dsm_point_status_name((dsm_point_status)status));
      separator = ", ";
    }
  }
  (void)fputc('\n', to);
  for (size_t status = 0; status < DSM_POINT_STATUS_COUNT; status++) {
    if (of->statuses.examples[status] != NULL) {
      print_labelled(to, dsm_point_status_name((dsm_point_status)status),
                     of->statuses.examples[status]);
    }
  }
  print_labelled(to, "database", of->database);
}

static char *print_summary(const summary *of, dsm_table_style style) {
  char *const rows = dsm_report_points_table(of->table, style);
  char *text = NULL;
  size_t length = 0;
  FILE *const to = rows == NULL ? NULL : open_memstream(&text, &length);
  if (to == NULL) {
    free(rows);
    return NULL;
  }
  (void)fputs(rows, to);
  print_tail(to, of);
  const bool is_whole = ferror(to) == 0;
  if (fclose(to) != 0 || !is_whole) {
    free(text);
    text = NULL;
  }
  free(rows);
  return text;
}

/* ---- what is printed ---- */

CLI_PRINTER(print_rows, summary, dsm_report_points, of->table)

static char *print_points(const void *result, cli_format format, dsm_table_style style) {
  const summary *const of = result;
  return format == CLI_FORMAT_TABLE && of->shown != NULL ? print_summary(of, style)
                                                         : print_rows(result, format, style);
}

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
  summary of = {.table = table,
                .recorded = table->row_count,
                .point_count = table->point_count,
                .database = path};
  const bool is_summary = !arguments->has_format && !cli_output_tells_format(arguments);
  if (is_summary) {
    of.shown = shown;
    count_statuses(&of.statuses, table);
  }
  const dsm_status status = is_summary ? select_for_summary(arguments, table, shown, sizeof shown)
                                       : select_rows(arguments, table);
  cli_print_findings(arguments);
  const cli_exit outcome =
      status == DSM_OK ? cli_put_result(arguments, print_points, &of) : cli_exit_of(status);
  for (size_t i = 0; i < DSM_POINT_STATUS_COUNT; i++) {
    free(of.statuses.examples[i]);
  }
  return outcome;
}

cli_exit cli_put_points(const cli_arguments *arguments, dsm_store *store, const char *path) {
  dsm_point_table *table = NULL;
  const dsm_status status = dsm_store_points(store, &table, arguments->diags);
  cli_exit outcome = cli_exit_of(status);
  if (status == DSM_OK) {
    outcome = put_table(arguments, table, path);
  } else {
    cli_print_findings(arguments);
  }
  dsm_point_table_free(table);
  return outcome;
}
