/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pass_columns.h: the table of layers and passes, for terminals (plan_table.c) and for pages
 * (page/web_layers.c): its columns, what stands in them, and what there is to explain. */
#ifndef DSM_REPORT_TABLE_PASS_COLUMNS_H
#define DSM_REPORT_TABLE_PASS_COLUMNS_H

#include "report/pass_rows.h"
#include "report/table/plan_table.h"
#include "report/table/table.h"

typedef enum dsm__pass_column_id {
  DSM__COLUMN_LAYER = 0,
  DSM__COLUMN_COUNT,
  DSM__COLUMN_PASS,
  DSM__COLUMN_PARALLELISM,
  DSM__COLUMN_SPLIT,
  DSM__COLUMN_ON_CHIP,
  DSM__COLUMN_DYSM,
  DSM__COLUMN_PIPELINE,
  DSM__COLUMN_TIME,
  DSM__COLUMN_STEP,
  DSM__COLUMN_UTILIZATION,
  DSM__COLUMN_ARRAY,
  DSM__COLUMN_TRANSFER,
  DSM__COLUMN_AUXILIARY,
  DSM__COLUMN_OTHER,
  DSM__COLUMN_KIND,
  DSM__COLUMN_INTENSITY,
  DSM__COLUMN_BOUND,
  DSM__PASS_COLUMN_COUNT
} dsm__pass_column_id;

typedef struct dsm__pass_column {
  const char *key; /**< for programs */
  const char *title;
  const char *meaning;
  const char *brief; /**< the title in terminals; NULL: pages alone have it */
  unsigned gap;      /**< as of dsm__table_column */
  unsigned rank;
  bool is_number;
  bool is_optional;
} dsm__pass_column;

extern const dsm__pass_column dsm__pass_columns[DSM__PASS_COLUMN_COUNT];

/** What stands in a column of a pass. */
typedef struct dsm__pass_cell {
  const char *text; /**< of the page's arena; "" where there is nothing */
  double exact;     /**< of a number */
  dsm__text_style style;
} dsm__pass_cell;

/** Of a pass that exists. The time is left to the page. Time and share of the step are those of all
 * layers of the row together. */
dsm__pass_cell dsm__pass_cell_of(dsm__page *page, const dsm_plan *plan, const dsm__pass_row *row,
                                 dsm__pass_column_id column);

/** What a plan has of what the table can leave out or explain. */
typedef struct dsm__pass_traits {
  dsm__on_chip_set on_chip;
  bool has_group[DSM_GROUP_COUNT]; /**< named in the column of the largest kind of other */
  bool has_hybrid;
  bool has_roles; /**< other than data and model */
  bool has_other_split;
  bool has_dysm;
  bool has_pipeline;
} dsm__pass_traits;

dsm__pass_traits dsm__pass_traits_of(const dsm_plan *plan);

/** What the star of a core split says. */
extern const char dsm__other_split_note[];

#endif
