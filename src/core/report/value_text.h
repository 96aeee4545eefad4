/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value_text.h: sentences with values of a record in them. How a number reads follows from the
 * unit of its field, so that a sentence says only what is to be seen otherwise.
 *
 * In a pattern stands
 *   {KEY}         a value; of records in the record "job.samples", of the row of a list also what
 *                 the document has; {#1} is the number of the row, from 1
 *   {A*B}, {A/B}  a product with the unit of B, a ratio; {A<B?...} is a comparison; A and B may
 *                 be whole numbers
 *   {VALUE:STYLE} a number in another style: "4" digits, "4." below 1 so many decimals, "~4"
 * without zeros at the end,
 *                 ".2" decimals, "m4" milliseconds, "%2" percent with decimals, "%" likewise with
 *                 one and "-" for nothing, "+1" what it is more than 1 in percent with its sign,
 *                 ">2" the same and never below 0, "op/s" with a prefix of that unit
 *                 or, of words, "text", what people read, and "," between those of a
 *                 set, "=" as formats have it
 *   {VALUE:STYLE words|nothing}   likewise; words that follow it, and a text where it is not stated
 *   {VALUE;es}    the end of a word that is counted: nothing after 1
 *   {VALUE?A|B}   the pattern A if it is stated and above 0, a text that is not empty; else B
 */
#ifndef DSM_REPORT_VALUE_TEXT_H
#define DSM_REPORT_VALUE_TEXT_H

#include "base/record.h"
#include "report/table/text_page.h"

/** A record that is shown; of the row of a list with what the list is in. */
typedef struct dsm__shown {
  const dsm__record_type *type;
  const void *record;
  const struct dsm__shown *outer; /**< or NULL */
  size_t row;                     /**< from 0 */
} dsm__shown;

/** The row of a member that is shown, but written in no format. */
#define DSM__SAID(kind, struct_type, member)                                                       \
  DSM__FIELD(kind, struct_type, member, #member, 0, .help = NULL)

/** A pattern with its values, made safe for a terminal; never NULL. What is not stated is "", as
 * blanks at both ends are. */
const char *dsm__value_text(dsm__page *page, const dsm__shown *shown, const char *pattern);

/** The same, and the first of the numbers in it, exactly; NaN if it has none. */
const char *dsm__value_number(dsm__page *page, const dsm__shown *shown, const char *pattern,
                              double *exact);

/** The list with a key: the row with that number of `count`; all zero beyond the last. `type`: of a
 * row with what is said of it beside its format; NULL: as the list has it. */
dsm__shown dsm__shown_row(const dsm__shown *shown, const char *key, const dsm__record_type *type,
                          size_t row, size_t *count);

#endif
