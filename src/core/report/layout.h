/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.h: an answer for people as rows: sections of facts, a table, a figure or a note. They say
 * which values of the document are shown, in which words; a text and a page are made of them alike.
 */
#ifndef DSM_REPORT_LAYOUT_H
#define DSM_REPORT_LAYOUT_H

#include "report/figure/plot_maker.h"
#include "report/table/table.h"
#include "report/value_text.h"

/** A sentence with a label; without one, a note. It is not there where its pattern comes to "". */
typedef struct dsm__fact {
  const char *label; /**< or NULL */
  const char *text;  /**< a pattern */
  bool is_faint;     /**< of a note */
  dsm__condition when[2];
  const char *each; /**< the key of a list: it is said of each row, whose `when` it is; NULL:
                       it is said once */
} dsm__fact;

#define DSM__FACT(of_label, of_text)                                                               \
  { .label = (of_label), .text = (of_text) }
#define DSM__FACT_IF(of_label, of_text, ...)                                                       \
  {                                                                                                \
    .label = (of_label), .text = (of_text), .when = { __VA_ARGS__ }                                \
  }

/** A list of the document as a table: `value` of a column is a pattern of its rows. */
typedef struct dsm__row_table {
  const char *list;             /**< key of the list; NULL: it has none */
  const dsm__record_type *type; /**< of its rows with what is said of them; NULL: the list's */
  const char *const *cells;     /**< in place of a list: patterns of the document, row by row, */
  size_t cell_count;            /**< so many; NULL: `fill` adds the rows */
  const dsm__table_column *columns;
  size_t column_count;
  size_t most;    /**< rows that a text has; 0: all */
  bool is_spread; /**< these are spread over all, else the first ones */
  void (*fill)(dsm__table *table, const void *document);
  /** How a row is shown, if not plainly; NULL: all are. */
  bool (*is_shown)(const void *document, const void *row);
  dsm__text_style (*style)(const void *document, const void *row);
} dsm__row_table;

/** Where a section is not. */
typedef enum dsm__medium { DSM__EVERYWHERE = 0, DSM__TEXT_ONLY, DSM__PAGE_ONLY } dsm__medium;

/** A section: one of facts, table, figure and put. Figures are on pages alone. */
typedef struct dsm__section {
  const char *id;      /**< on a page, of it, its figure and its table; NULL: it has none */
  const char *title;   /**< with which it begins on a page; NULL: it goes on with the one before */
  const char *heading; /**< a pattern; of a page the caption of a table; NULL: none in a text, and
                          of a page its title */
  dsm__medium medium;
  bool is_joined;   /**< in a text no empty line is before it */
  bool is_optional; /**< it is not there where its table has no rows */
  dsm__condition when[2];
  const dsm__fact *facts;
  size_t fact_count;
  size_t label_width; /**< of the facts in a text; 0: as wide as they are, and two spaces */
  const dsm__row_table *table;
  void (*draw)(dsm__plot_maker *maker, const void *document);
  const char *label;                                  /**< of a figure: what it shows */
  const char *caption;                                /**< of a figure: a pattern */
  void (*put)(dsm__page *page, const void *document); /**< anything else */
} dsm__section;

/** An answer's sections. */
typedef struct dsm__layout {
  const dsm__record_type *type; /**< of the document with what is said of it beside its format */
  const char *heading;          /**< of a text: a pattern */
  bool is_plain;                /**< and it is no heading, but a line */
  bool is_dense;                /**< no empty line is between it and the first section */
  const char *title;            /**< of a page: a pattern; NULL: the heading */
  const char *subtitle;         /**< likewise; NULL: none */
  size_t series;                /**< colours of a page's figures */
  int (*part_count)(const void *document); /**< likewise, of parts of a time; NULL: none */
  bool has_leaders;                        /**< likewise */
  const dsm__section *sections;
  size_t section_count;
} dsm__layout;

/** The members `facts` and `fact_count`, and so on, of an array. */
#define DSM__FACTS(array) .facts = (array), .fact_count = DSM__COUNT_OF(array)
#define DSM__COLUMNS(array) .columns = (array), .column_count = DSM__COUNT_OF(array)
#define DSM__SECTIONS(array) .sections = (array), .section_count = DSM__COUNT_OF(array)

/** Put a document on a page that has nothing yet. */
void dsm__layout_text(dsm__page *page, const dsm__layout *layout, const void *document);
void dsm__layout_page(dsm__page *page, const dsm__layout *layout, const void *document);

/** The rows of a table; `shown` and `all` count those that may be shown. */
dsm__table dsm__row_table_fill(dsm__page *page, const dsm__row_table *of, const dsm__shown *shown,
                               bool is_text, size_t *row_count, size_t *all);

/** Is a section there? */
bool dsm__section_is_there(const dsm__section *section, const dsm__shown *shown, bool is_text);

/** Takes the facts of a section that are there, with their text. */
typedef void dsm__fact_writer(dsm__page *page, const void *context, const dsm__fact *fact,
                              const char *text);
void dsm__facts_put(dsm__page *page, const dsm__section *section, const dsm__shown *shown,
                    dsm__fact_writer *put, const void *context);

#endif
