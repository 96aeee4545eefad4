/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * number.h: numbers that a user wrote.
 */
#ifndef DSM_NUMBER_H
#define DSM_NUMBER_H

#include <stdbool.h>

#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reads a number as JSON writes it, such as 12, 0.5 or 1e6, in min..max, whatever the locale;
 * false, *value untouched, if it is not one. */
DSM_API bool dsm_number_parse(const char *text, double min, double max, double *value);

#ifdef __cplusplus
}
#endif

#endif
