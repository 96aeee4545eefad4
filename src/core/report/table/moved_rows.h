/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moved_rows.h: the rows of lists of what moved, in which equal layers that moved equally have one
 * row together. */
#ifndef DSM_REPORT_TABLE_MOVED_ROWS_H
#define DSM_REPORT_TABLE_MOVED_ROWS_H

#include "dsm/check.h"
#include "report/table/text_page.h"

/** Equal items of a list. */
typedef struct dsm__moved_row {
  size_t first;      /**< of the list */
  size_t count;      /**< of layers: 1 or more */
  const char *name;  /**< of these layers */
  const char *times; /**< their count as a cell of a table; "" for one */
  double size;       /**< of passes: by how much they differ together */
} dsm__moved_row;

typedef struct dsm__moved_rows {
  dsm__moved_row *items; /**< of the page's arena */
  size_t count;
  bool is_folded; /**< one of them is of several layers */
} dsm__moved_rows;

/* Without any, and the page fails, if out of memory. */

/** Of lines that have a name each, with what tells which others are equal. */
dsm__moved_rows dsm__moved_lines(dsm__page *page, const char *const *names,
                                 const char *const *texts, size_t count);

/** The names of the first `most` rows (0: of all), "a, b"; `left` is set to the lines of others. */
const char *dsm__moved_names(dsm__page *page, const dsm__moved_rows *rows, size_t most,
                             size_t *left);

/** Of passes, those whose times differ most together first. */
dsm__moved_rows dsm__moved_passes(dsm__page *page, const dsm_pass_difference *passes, size_t count);

/** The difference of a pass, of so many layers together. */
dsm_pass_difference dsm__moved_together(const dsm_pass_difference *pass, size_t count);

/** Of decisions, in their order. */
dsm__moved_rows dsm__moved_decisions(dsm__page *page, const dsm_decision_drift *decisions,
                                     size_t count);

/** Of the layers of one side, in their order. */
dsm__moved_rows dsm__moved_layers(dsm__page *page, const dsm_layer_drift *layers, size_t count,
                                  dsm_presence presence);

/** Says what n is, where a row that is shown is of several layers. */
void dsm__put_moved_note(dsm__page *page, const dsm__moved_rows *rows, size_t shown,
                         bool are_times);

#endif
