/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff_figures.h: the figures of two plans side by side, as all forms of a difference show them. */
#ifndef DSM_REPORT_DIFF_FIGURES_H
#define DSM_REPORT_DIFF_FIGURES_H

#include "base/words.h"
#include "dsm/diff.h"

/** A figure of the step. */
typedef struct dsm__diff_figure {
  const char *name;  /**< of the formats: that of plans below "result", such as "cycles.primary" */
  const char *label; /**< for people, with the unit that `scale` leads to; NULL: not for them */
  double scale;
  bool is_main;         /**< for people also if it does not differ */
  bool is_lower_better; /**< else a higher value is, if any */
  bool is_neutral;      /**< neither is */
  dsm_moved moved;
} dsm__diff_figure;

enum { DSM__DIFF_RESULTS = 20, DSM__DIFF_PARTS = 7 + DSM_GROUP_LINKS_END };

/** From here on results are of systems that name a technology; 0 of others. */
enum { DSM__DIFF_ENERGY = 17 };

/** The keys of the parts of a step's time. */
extern const dsm__words dsm__diff_part_words;

/** What plans have below "result". */
void dsm__diff_results(const dsm_diff *diff, dsm__diff_figure figures[DSM__DIFF_RESULTS]);

/** Where the time of the step goes (loss.h), in seconds; what is not overlapped by its kind. */
void dsm__diff_parts(const dsm_diff *diff, dsm__diff_figure figures[DSM__DIFF_PARTS]);

/** B - A. */
double dsm__diff_of(const dsm_moved *moved);

/** The share of the step's difference in time; 0 if the step does not differ. */
double dsm__diff_share(const dsm_diff *diff, const dsm_moved *seconds);

#endif
