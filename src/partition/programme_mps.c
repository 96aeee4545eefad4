/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * programme_mps.c: the paper's programme as free MPS. MPS has no sense: it is minimised.
 *
 * The file is for other solvers: it has the plain form, in the paper's names and numbering, in
 * seconds and with no bound that only this search knows. Every number is written with 17 digits,
 * which give it back to the last bit. Tests solve it with CBC and compare the optimum.
 */
#include <math.h>
#include <stdlib.h>

#include "base/diag_add.h"
#include "base/text_buffer.h"
#include "partition/instance_facts.h"
#include "partition/programme.h"

static const char *const column_letters[DSM__COLUMN_KIND_COUNT] = {
    [DSM__COLUMN_RHO] = "rho",   [DSM__COLUMN_RATE] = "x",     [DSM__COLUMN_STORED] = "s",
    [DSM__COLUMN_SENT] = "c",    [DSM__COLUMN_RECEIVED] = "r", [DSM__COLUMN_MOVED] = "f",
    [DSM__COLUMN_BEGIN] = "b",   [DSM__COLUMN_CUT] = "v",      [DSM__COLUMN_ON] = "o",
    [DSM__COLUMN_WAITING] = "w", [DSM__COLUMN_GROUP] = "h",
};

static const char *const row_words[DSM__ROW_KIND_COUNT] = {
    [DSM__ROW_TIME] = "time",       [DSM__ROW_STORED] = "stored",
    [DSM__ROW_MEMORY] = "memory",   [DSM__ROW_EXCESS] = "excess",
    [DSM__ROW_LINK] = "link",       [DSM__ROW_RATE] = "rate",
    [DSM__ROW_RECEIPT] = "receipt", [DSM__ROW_DELIVERY] = "delivery",
    [DSM__ROW_COPIES] = "copies",   [DSM__ROW_SENT] = "sent",
    [DSM__ROW_BALANCE] = "balance", [DSM__ROW_OWN] = "own",
    [DSM__ROW_ARRIVAL] = "arrival", [DSM__ROW_ONCE] = "once",
    [DSM__ROW_CARRIER] = "carrier", [DSM__ROW_HELD] = "held",
    [DSM__ROW_PLACED] = "placed",   [DSM__ROW_ORDER] = "order",
    [DSM__ROW_GOAL] = "goal",       [DSM__ROW_BEGIN] = "begin",
    [DSM__ROW_STAGE] = "stage",     [DSM__ROW_CUT] = "cut",
    [DSM__ROW_CUTS] = "cuts",       [DSM__ROW_TOGETHER] = "together",
    [DSM__ROW_LATENCY] = "latency", [DSM__ROW_ON] = "on",
    [DSM__ROW_WAITING] = "waiting", [DSM__ROW_GROUP] = "group",
    [DSM__ROW_GROUPED] = "grouped",
};

/* Numbers from 1, as in the paper. */
static void put_column(dsm__text_buffer *out, const dsm__column *column) {
  dsm__text_puts(out, column_letters[column->kind]);
  if (column->kind != DSM__COLUMN_RHO) {
    dsm__text_printf(out, "_%zu_%zu", column->major + 1, column->device + 1);
  }
  if (column->kind == DSM__COLUMN_MOVED || column->kind == DSM__COLUMN_GROUP) {
    dsm__text_printf(out, "_%zu", column->target + 1);
  }
}

static void put_row(dsm__text_buffer *out, const dsm__row *row) {
  dsm__text_printf(out, "%s_%zu_%zu_%zu", row_words[row->kind], row->major + 1, row->device + 1,
                   row->consumer + 1);
}

static void put_rows(dsm__text_buffer *out, const dsm__programme *programme) {
  dsm__text_puts(out, "ROWS\n N goal\n");
  for (size_t r = 0; r < programme->row_count; r++) {
    const dsm__row *const row = &programme->rows[r];
    const char *sense = isinf(row->lower) ? "L" : "G";
    sense = row->lower == row->upper ? "E" : sense;
    dsm__text_printf(out, " %s ", sense);
    put_row(out, row);
    dsm__text_puts(out, "\n");
  }
}

/* Entries of each column, by counting: first[c] .. first[c + 1] - 1 of `sorted`. */
static bool sort_entries(const dsm__programme *programme, dsm__arena *arena, size_t **first,
                         size_t **sorted) {
  *first = dsm__arena_array(arena, programme->column_count + 2, sizeof **first);
  *sorted = dsm__arena_array(arena, programme->entry_count, sizeof **sorted);
  if (*first == NULL || *sorted == NULL) {
    return false;
  }
  for (size_t e = 0; e < programme->entry_count; e++) {
    (*first)[programme->entries[e].column + 2]++;
  }
  for (size_t c = 0; c < programme->column_count; c++) {
    (*first)[c + 2] += (*first)[c + 1];
  }
  for (size_t e = 0; e < programme->entry_count; e++) {
    (*sorted)[(*first)[programme->entries[e].column + 1]++] = e;
  }
  return true;
}

/* Free MPS goes by columns, and the programme was written by rows: entries are brought into order
 * by counting, which keeps rows in order within a column. */
static void put_columns(dsm__text_buffer *out, const dsm__programme *programme, const size_t *first,
                        const size_t *sorted) {
  const double sign = programme->is_maximised ? -1 : 1;
  bool is_integer = false;
  dsm__text_puts(out, "COLUMNS\n");
  for (size_t c = 0; c < programme->column_count; c++) {
    const dsm__column *const column = &programme->columns[c];
    if (column->is_integer != is_integer) {
      is_integer = column->is_integer;
      dsm__text_printf(out, " MARKER%zu 'MARKER' '%s'\n", c, is_integer ? "INTORG" : "INTEND");
    }
    if (column->cost != 0 || first[c] == first[c + 1]) {
      dsm__text_puts(out, " ");
      put_column(out, column);
      dsm__text_printf(out, " goal %.17g\n",
                       column->cost == 0 ? 0 : sign * column->cost * programme->goal_unit);
    }
    for (size_t k = first[c]; k < first[c + 1]; k++) {
      const dsm__entry *const entry = &programme->entries[sorted[k]];
      dsm__text_puts(out, " ");
      put_column(out, column);
      dsm__text_puts(out, " ");
      put_row(out, &programme->rows[entry->row]);
      dsm__text_printf(out, " %.17g\n", entry->value);
    }
  }
  if (is_integer) {
    dsm__text_puts(out, " MARKEREND 'MARKER' 'INTEND'\n");
  }
}

static void put_sides(dsm__text_buffer *out, const dsm__programme *programme) {
  dsm__text_puts(out, "RHS\n");
  if (programme->goal_offset != 0) {
    dsm__text_printf(out, " RHS goal %.17g\n", -programme->goal_offset);
  }
  for (size_t r = 0; r < programme->row_count; r++) {
    const dsm__row *const row = &programme->rows[r];
    const double side = isinf(row->lower) ? row->upper : row->lower;
    if (side != 0) {
      dsm__text_puts(out, " RHS ");
      put_row(out, row);
      dsm__text_printf(out, " %.17g\n", side);
    }
  }
  dsm__text_puts(out, "BOUNDS\n");
  for (size_t c = 0; c < programme->column_count; c++) {
    if (isfinite(programme->columns[c].upper)) {
      dsm__text_puts(out, " UP BOUND ");
      put_column(out, &programme->columns[c]);
      dsm__text_printf(out, " %.17g\n", programme->columns[c].upper);
    }
  }
  dsm__text_puts(out, "ENDATA\n");
}

static const char *goal_words(const dsm_partition_options *options) {
  switch (options->objective) {
  case DSM_OBJECTIVE_LATENCY:
    return "seconds of a request";
  case DSM_OBJECTIVE_ENERGY:
    return "watts; joules a request are watts / the required rate";
  case DSM_OBJECTIVE_THROUGHPUT:
  case DSM_OBJECTIVE_KIND_COUNT:
    break;
  }
  return "-rho, requests per second";
}

static bool put_programme(dsm__text_buffer *out, dsm__arena *arena, const dsm_instance *instance,
                          const dsm_partition_options *options) {
  dsm__programme programme;
  size_t *first = NULL;
  size_t *sorted = NULL;
  if (!dsm__programme_build(&programme, arena, instance, options,
                            (dsm__programme_form){.time_unit = 1}) ||
      !sort_entries(&programme, arena, &first, &sorted)) {
    return false;
  }
  dsm__text_printf(out, "* minimise %s\n", goal_words(options));
  dsm__text_puts(
      out,
      "* x_i_j: tasks i per second on device j; s_i_j: stored there;\n"
      "* c_t_j: tensors t (then results) per second from device j; memory and links are in parts\n"
      "NAME dsm FREE\n");
  put_rows(out, &programme);
  put_columns(out, &programme, first, sorted);
  put_sides(out, &programme);
  return !out->failed;
}

dsm_status dsm_partition_mps(char **text, const dsm_instance *instance,
                             const dsm_partition_options *options, dsm_diags *diags) {
  *text = NULL;
  dsm_partition_options defaults;
  dsm_partition_options_init(&defaults);
  options = options == NULL ? &defaults : options;
  const dsm_partition_options meant = dsm__meant_options(options);
  dsm_status status = dsm__check_question(instance, options, diags);
  for (size_t j = 0; j < instance->device_count && status == DSM_OK; j++) {
    const dsm_instance_device *const it = &instance->devices[j];
    if (it->batch_size_count > 1) {
      status = dsm__refuse(diags, DSM_ERROR_USAGE,
                           "a programme is of one batch for each device: expected one size for "
                           "device \"%s\", found %zu to choose from",
                           it->name, it->batch_size_count);
    }
  }
  options = &meant;
  if (status != DSM_OK) {
    return status;
  }
  dsm__arena *const arena = dsm__arena_new();
  dsm__text_buffer out = {.text = NULL};
  const bool is_whole = arena != NULL && put_programme(&out, arena, instance, options);
  dsm__arena_free(arena);
  if (!is_whole) {
    dsm__text_fini(&out);
    return dsm__out_of_memory(diags);
  }
  *text = out.text;
  return DSM_OK;
}
