/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences.h: two JSON values side by side.
 *
 * By the table of a record the flags of its fields say what a value is: decisions are compared for
 * equality, figures within a tolerance, what a document reads is what was asked; of all else
 * nothing is said. Without a table all is asked.
 */
#ifndef DSM_CHECK_DIFFERENCES_H
#define DSM_CHECK_DIFFERENCES_H

#include "base/growing_list.h"
#include "base/json_read.h"
#include "base/record.h"
#include "dsm/check.h"
#include "dsm/diff.h"

/** Most figures that decide together. */
#define DSM__JUDGED_MAX 4

/** Figures that decide whether an answer is better, by their paths: the first of them that moved;
 * or, where the key of a word says which, the one with its number. */
typedef struct dsm__judged {
  const char *paths[DSM__JUDGED_MAX];
  const char *by; /**< or NULL */
} dsm__judged;

typedef DSM__LIST(dsm_input_difference) dsm__values;
typedef DSM__LIST(dsm_figure_drift) dsm__moved_figures;

/** What is found; texts and lists are the arena's. */
typedef struct dsm__differences {
  dsm__arena *arena;
  double tolerance;          /**< of figures */
  const dsm__judged *judged; /**< these figures are listed in any case; or NULL */
  dsm__values inputs;
  dsm__values decisions;
  dsm__moved_figures figures;
  bool has_failed; /**< out of memory */
} dsm__differences;

/** A figure of a field, before and now. */
dsm_figure_drift dsm__figure_between(const char *path, const dsm__field *field, double before,
                                     double after, double tolerance);

/** Compares two values, documents of a record if there is one. What is wrong with them is reported
 * at them. */
void dsm__find_differences(dsm__differences *found, const dsm__record_type *type,
                           const dsm__json_node *a, const dsm__json_node *b);

/** Compares two documents of a record. As dsm_compare. */
DSM_NODISCARD dsm_status dsm__compare_documents(dsm_comparison **made, const dsm__record_type *type,
                                                const dsm__judged *judged, const dsm_document *a,
                                                const dsm_document *b, double tolerance,
                                                dsm_diags *diags);

#endif
