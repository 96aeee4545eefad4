/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fixed_options.h: what options ask for of a step, in place of the best (section 8). */
#ifndef DSM_PLAN_FIXED_OPTIONS_H
#define DSM_PLAN_FIXED_OPTIONS_H

#include "dsm/plan.h"

enum { DSM__FIXED_OPTIONS_MAX = 10 };

typedef struct dsm__fixed_option {
  const char *key;    /**< of plans */
  const char *option; /**< of the command line */
  double number;      /**< whole ones but for a power cap */
  const char *word;   /**< in place of a number; else NULL */
} dsm__fixed_option;

/** Those that are asked for, in order; how many. */
size_t dsm__fixed_options(const dsm_explore_options *options,
                          dsm__fixed_option fixed[DSM__FIXED_OPTIONS_MAX]);

#endif
