/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * figures.h: numbers as people read them. Results are small values, so that a call can stand where
 * a text is needed: dsm__figure_percent(x).text. The decimal point is '.' in any locale.
 */
#ifndef DSM_REPORT_TABLE_NUMBER_STYLE_H
#define DSM_REPORT_TABLE_NUMBER_STYLE_H

#include <stdint.h>

/** A short text by value. */
typedef struct dsm__figure {
  char text[48];
} dsm__figure;

/** 15470264320 as "15,470,264,320". */
dsm__figure dsm__figure_count(uint64_t value);

/** A real number >= 0 rounded to `decimals` (0 .. 9), with thousands separators; beyond 1e18 in
 * exponent form. */
dsm__figure dsm__figure_fixed(double value, int decimals);

/** A real number >= 0 with about `digits` significant ones; in exponent form below 1e-8 and beyond
 * 1e18. */
dsm__figure dsm__figure_digits(double value, int digits);

/** The same without zeros at the end of the fraction: 2.5, 2. */
dsm__figure dsm__figure_short(double value, int digits);

/** A share 0 .. 1 in percent with one decimal and no sign: "61.2"; "-" if it is exactly 0. */
dsm__figure dsm__figure_percent(double share);

/** A value with a decimal prefix: 8.39e15 and "FLOP/s" as "8.39 PFLOP/s". */
dsm__figure dsm__figure_scaled(double value, const char *unit);

#endif
