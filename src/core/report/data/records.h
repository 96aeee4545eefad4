/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * records.h: the formats of results, each a table of fields, and how documents are made of them.
 * What a result says is filled into structs of the page's arena; JSON and CSV walk their tables.
 */
#ifndef DSM_REPORT_DATA_RECORDS_H
#define DSM_REPORT_DATA_RECORDS_H

#include "base/record.h"
#include "dsm/check.h"
#include "dsm/dispatch.h"
#include "dsm/limits.h"
#include "report/answer.h"

/* ---- the formats: each record's `format` is its name ---- */

extern const dsm__record_type dsm__check_record;
extern const dsm__record_type dsm__ladder_record;
extern const dsm__record_type dsm__budget_record;
extern const dsm__record_type dsm__describe_record;
extern const dsm__record_type dsm__diff_record;
extern const dsm__record_type dsm__explain_record;
extern const dsm__record_type dsm__elasticity_record;
extern const dsm__record_type dsm__list_record;
extern const dsm__record_type dsm__validate_record;

/** Rows have the columns that their sweep says: those of dsm__point_record and its axes. */
extern const dsm__record_type dsm__points_record;

/* ---- words that no record has ---- */

extern const dsm__words dsm__plan_figure_words;
extern const dsm__words dsm__plot_form_words;

/* ---- their parts ---- */

extern const dsm__record_type dsm__figures_record; /**< the main ones of dsm_plan_result */
extern const dsm__record_type dsm__finding_record; /**< of the rows of dsm__findings_of */

/* Flags of fields, in short. */
enum {
  DSM__ASKED = DSM__FIELD_IS_ASKED,
  DSM__CHOSEN = DSM__FIELD_IS_CHOSEN,
  DSM__ASIDE = DSM__FIELD_IS_ASIDE,
  DSM__FIGURE = DSM__FIELD_IS_FIGURE,
  DSM__COLUMN = DSM__FIELD_IS_COLUMN,
  DSM__ABOVE = DSM__FIELD_IS_ABOVE_MIN,
  DSM__OPTIONAL = DSM__FIELD_IS_OPTIONAL,
  DSM__NULLABLE = DSM__FIELD_IS_NULLABLE,
  DSM__LESS = DSM__FIELD_LESS_IS_BETTER,
  DSM__MORE = DSM__FIELD_MORE_IS_BETTER,
  DSM__UNLESS_0 = DSM__FIELD_UNLESS_0,
  DSM__UNLESS_1 = DSM__FIELD_UNLESS_1,
};

/** A list of structs. */
typedef struct dsm__rows {
  void *items;
  size_t count;
} dsm__rows;

/** The field of a minibatch. */
#define DSM__SAMPLES(struct_type, member, of_key, of_flags, about)                                 \
  DSM__FIELD(COUNT, struct_type, member, of_key, of_flags, .min = 1, .max = DSM_DIMENSION_MAX,     \
             .unit = "samples", .help = (about))

/** The field of a dsm__rows; of one that is compared by flags; that is left out where it is empty.
 */
#define DSM__ROWS(struct_type, member, of_key, of_type, about)                                     \
  DSM__LISTED(struct_type, member.items, member.count, of_key, 0, of_type, about)
#define DSM__COMPARED_ROWS(struct_type, member, of_key, of_flags, of_type, about)                  \
  DSM__LISTED(struct_type, member.items, member.count, of_key, of_flags, of_type, about)
#define DSM__ROWS_IF_ANY(struct_type, member, of_key, of_type, about)                              \
  DSM__LISTED(struct_type, member.items, member.count, of_key, DSM__UNLESS_0, of_type, about)

/** Defines the record of decisions that differ, for a document with names of its own for the column
 * of a decision and for both sides. */
#define DSM__DECISION_RECORD(about, of_column, first, about_first, second)                         \
  DSM__OWN_RECORD(                                                                                 \
      decision_record, dsm_decision_drift, true, about,                                            \
      DSM__FIELD(TEXT, dsm_decision_drift, layer, "layer", DSM__COLUMN | DSM__OPTIONAL,            \
                 .help = "Its name; absent: of the step."),                                        \
      DSM__FIELD(WORD, dsm_decision_drift, pass, "pass", DSM__COLUMN | DSM__OPTIONAL,              \
                 .words = &dsm__pass_words, .help = "Absent: of the whole layer."),                \
      DSM__FIELD(TEXT, dsm_decision_drift, decision, "decision", DSM__COLUMN,                      \
                 .column = (of_column), .help = "Its key in a plan."),                             \
      DSM__FIELD(TEXT, dsm_decision_drift, before, first, DSM__COLUMN, .help = (about_first)),     \
      DSM__FIELD(TEXT, dsm_decision_drift, after, second, DSM__COLUMN, .help = "Likewise."))

/** Defines the record of a value that was asked for and differs, for
 * a document with names of its own for both sides. */
#define DSM__INPUT_RECORD(about_path, first, second)                                               \
  DSM__OWN_RECORD(input_record, dsm_input_difference, true, "A value that was asked for.",         \
                  DSM__FIELD(TEXT, dsm_input_difference, path, "path", DSM__COLUMN,                \
                             .column = "name", .help = (about_path)),                              \
                  DSM__FIELD(JSON, dsm_input_difference, a, first, DSM__COLUMN | DSM__OPTIONAL,    \
                             .help = "The value in A; absent if it has none."),                    \
                  DSM__FIELD(JSON, dsm_input_difference, b, second, DSM__COLUMN | DSM__OPTIONAL,   \
                             .help = "The value in B; absent if it has none."))

#define DSM__FORMATS_MAX 32

/** The formats of results of the core and of all companions, by name. */
typedef struct dsm__formats {
  const dsm__record_type *items[DSM__FORMATS_MAX];
  size_t count;
} dsm__formats;

dsm__formats dsm__formats_of_results(void);

/** A layer or pass that one side alone has, as a row among decisions: it is "present" there. */
dsm_decision_drift dsm__presence_row(const char *layer, dsm_pass pass, dsm_presence presence);

/** Zeroed structs in the page's arena; none, and the page fails, if out of memory. */
dsm__rows dsm__rows_make(dsm__page *page, size_t count, size_t size);

/** The same of items that were made there; NULL: memory was out. */
dsm__rows dsm__rows_of(dsm__page *page, void *items, size_t count);

/** Puts a document in JSON on a page that has nothing yet. */
void dsm__data_json(dsm__page *page, const dsm__record_type *type, const void *document);

/** What was found; `diags` may be NULL. */
dsm__rows dsm__findings_of(dsm__page *page, const dsm_diags *diags);

#endif
