/* SPDX-License-Identifier: GPL-3.0-or-later */
/* largest.h: which rows are shown where not all are. */
#ifndef DSM_REPORT_LARGEST_H
#define DSM_REPORT_LARGEST_H

#include <stdbool.h>

#include "base/arena.h"

/** Of each number: is it among the `most` largest (0: all), of equals the first? In the arena; NULL
 * if out of memory. */
const bool *dsm__largest(const double *numbers, size_t count, size_t most, dsm__arena *arena);

#endif
