/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns.h: which columns measurements have, and the cells of a row by them. */
#ifndef DSM_CALIBRATE_COLUMNS_H
#define DSM_CALIBRATE_COLUMNS_H

#include "base/csv_read.h"
#include "base/words.h"
#include "dsm/diag.h"

typedef enum dsm__column {
  DSM__COLUMN_WORKLOAD = 0,
  DSM__COLUMN_MINIBATCH,
  DSM__COLUMN_MODE,
  DSM__COLUMN_PARALLELISM,
  DSM__COLUMN_OPTIMIZE,
  DSM__COLUMN_OVERRIDES,
  DSM__COLUMN_PLAN,
  DSM__COLUMN_LAYER,
  DSM__COLUMN_PASS,
  DSM__COLUMN_MILLISECONDS,
  DSM__COLUMN_NOTE,
  DSM__COLUMN_COUNT
} dsm__column;

/** Where each column is among the fields of a record; DSM__CSV_FIELDS_MAX: nowhere. */
typedef struct dsm__columns {
  size_t at[DSM__COLUMN_COUNT];
  size_t count;
} dsm__columns;

/** Finds the columns in the first record. DSM_ERROR_INVALID: a name is unknown, twice there or
 * missing. */
dsm_status dsm__columns_find(dsm__columns *columns, const dsm__csv_record *head, const char *file,
                             dsm_diags *diags);

/** A row: texts by column, "" where there is none. */
typedef struct dsm__cells {
  const char *file;
  size_t line;
  const char *texts[DSM__COLUMN_COUNT];
} dsm__cells;

/** The cells of a record. DSM_ERROR_INVALID: it has not as many fields as there are columns. */
dsm_status dsm__cells_take(dsm__cells *cells, const dsm__columns *columns,
                           const dsm__csv_record *record, const char *file, dsm_diags *diags);

/** Reports what is wrong with a row; `hint` may be NULL. DSM_ERROR_INVALID. */
dsm_status dsm__cell_refuse(const dsm__cells *cells, dsm_diags *diags, const char *hint,
                            const char *format, ...) DSM_PRINTF(4, 5);

/** Reports that a text of a column is none of some words. */
dsm_status dsm__cell_refuse_word(const dsm__cells *cells, dsm__column column,
                                 const dsm__words *words, const char *text, dsm_diags *diags);

#endif
