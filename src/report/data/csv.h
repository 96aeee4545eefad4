/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h: the one writer of comma-separated values (RFC 4180: quoted where needed, CRLF).
 *
 * A text that a spreadsheet would run as a formula gets a ' before it; what is no UTF-8, steers a
 * terminal or turns the direction of text becomes U+FFFD. JSON has names as they are.
 */
#ifndef DSM_REPORT_DATA_CSV_H
#define DSM_REPORT_DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text_buffer.h"

/** All zero but `out` is the start of a document. */
typedef struct dsm__csv {
  dsm__text_buffer *out;
  bool is_in_row; /**< the row has a field already */
} dsm__csv;

/* The next field of the row. */
void dsm__csv_text(dsm__csv *csv, const char *text); /**< NULL: empty */
void dsm__csv_u64(dsm__csv *csv, uint64_t value);
void dsm__csv_double(dsm__csv *csv, double value); /**< finite, in full precision */
void dsm__csv_bool(dsm__csv *csv, bool value);
void dsm__csv_empty(dsm__csv *csv, size_t count);

/** Several fields of text. */
void dsm__csv_texts(dsm__csv *csv, const char *const *texts, size_t count);

/** A field whose text is "head.tail". */
void dsm__csv_dotted(dsm__csv *csv, const char *head, const char *tail);

void dsm__csv_end_row(dsm__csv *csv);

#endif
