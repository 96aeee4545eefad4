/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * answer.h: what a kind of answer is: the record of its document, which is JSON and CSV by itself,
 * and what writes the other forms.
 */
#ifndef DSM_REPORT_ANSWER_H
#define DSM_REPORT_ANSWER_H

#include "base/companion.h"
#include "check/differences.h"
#include "report/layout.h"
#include "report/table/text_page.h"

/** Fills a page that has nothing yet with an answer; the page is finished by who began it. */
typedef void dsm__view(dsm__page *page, const dsm_answer *answer);

/** Most lists of a document that can be its CSV. */
#define DSM__TABLES_MAX 3

struct dsm__csv;

#define DSM__FIGURES_MAX 3

/** A figure of an answer by itself. */
typedef struct dsm__answer_figure {
  const char *word;
  void (*draw)(dsm__plot_maker *maker, const void *of); /**< of what the answer is of */
  bool (*is_there)(const void *of);                     /**< NULL: it is always */
  const char *needs;                                    /**< what is not there, where it is not */
} dsm__answer_figure;

struct dsm_answer_kind {
  const dsm__record_type *record; /**< of its document; NULL: it has none, or writes it itself */
  /** Makes the document, all zero at first; NULL: that is what the answer is of. */
  void (*fill)(dsm__page *page, const dsm_answer *answer, void *document);
  /** Keys of lists of the document: CSV has the rows of the first that is not empty, or else the
   * columns of the last. */
  const char *tables[DSM__TABLES_MAX];
  /** In place of these: puts the columns and rows of the document. */
  void (*put_rows)(struct dsm__csv *csv, const void *document);
  const dsm__layout *layout;                        /**< of its text and its page; or NULL */
  dsm__answer_figure figures[DSM__FIGURES_MAX + 1]; /**< no word behind the last */
  dsm__view *views[DSM_FORM_COUNT];                 /**< of the forms that neither says */
  /** Reads what it is of into `owned`, which stays NULL unless DSM_OK; NULL: it cannot be read. */
  dsm_status (*read)(dsm_answer *answer, const dsm__json_input *from, dsm_diags *diags);
  void (*discard)(void *owned); /**< frees it */
  /** Asks the question that a document holds again, as `read`; NULL: it holds none. */
  dsm_status (*ask)(dsm_answer *answer, const dsm__json_input *from, dsm_diags *diags);
  dsm__judged judged; /**< what decides whether one is better than another */
};

/** Defines the functions `read` and `discard` of a kind that is of a `type`: a call reads `made`
 * from `from`. */
#define DSM__READ_BY(type, free_it, ...)                                                           \
  static void discard(void *owned) {                                                               \
    free_it(owned);                                                                                \
  }                                                                                                \
  DSM__MADE_BY(read, type, free_it, __VA_ARGS__)

/** Defines one such function, `read` or `ask`. */
#define DSM__MADE_BY(function, type, free_it, ...)                                                 \
  static dsm_status function(dsm_answer *answer, const dsm__json_input *from, dsm_diags *diags) {  \
    type *made = NULL;                                                                             \
    const dsm_status status = __VA_ARGS__;                                                         \
    if (status != DSM_OK) {                                                                        \
      free_it(made);                                                                               \
    }                                                                                              \
    answer->owned = status == DSM_OK ? made : NULL;                                                \
    return status;                                                                                 \
  }                                                                                                \
  _Static_assert(sizeof(type) > 0, "it is known")

/** The kinds of answers whose document has a format, of the core and of companions: number `index`,
 * NULL after the last. */
const dsm_answer_kind *dsm__answer_kind(size_t index);

bool dsm__answer_has_form(const dsm_answer_kind *kind, dsm_form form);

/** The heading of an answer that has a layout: "frozen_lake on upmem2524: 885 of 2,524 cores, ...".
 */
const char *dsm__answer_heading(dsm__page *page, dsm_answer answer);

/** The table of a section of it, as a page has it. */
dsm__table dsm__answer_table(dsm__page *page, dsm_answer answer, size_t section);

/* ---- views that stand in files of their own ---- */

dsm__view dsm__put_junit, dsm__put_step_trace;
dsm__view dsm__show_check, dsm__show_diff, dsm__show_explanation, dsm__show_plan, dsm__show_points;

#endif
