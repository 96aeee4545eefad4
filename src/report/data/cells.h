/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h: the one writer of comma-separated values (RFC 4180: quoted where needed, CRLF).
 *
 * A text that a spreadsheet would run as a formula gets a ' before it; what is no UTF-8, steers a
 * terminal or turns the direction of text becomes U+FFFD. JSON has names as they are.
 */
#ifndef DSM_REPORT_DATA_CELLS_H
#define DSM_REPORT_DATA_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text_buffer.h"

/** All zero but `out` is the start of a document. */
typedef struct dsm__cells {
  dsm__text_buffer *out;
  bool is_in_row; /**< the row has a field already */
} dsm__cells;

/* The next field of the row. */
void dsm__cells_text(dsm__cells *csv, const char *text); /**< NULL: empty */
void dsm__cells_u64(dsm__cells *csv, uint64_t value);
void dsm__cells_double(dsm__cells *csv, double value); /**< finite, in full precision */
void dsm__cells_bool(dsm__cells *csv, bool value);
void dsm__cells_empty(dsm__cells *csv, size_t count);

/** Several fields of text. */
void dsm__cells_texts(dsm__cells *csv, const char *const *texts, size_t count);

/** A field whose text is "head.tail". */
void dsm__cells_dotted(dsm__cells *csv, const char *head, const char *tail);

void dsm__cells_end_row(dsm__cells *csv);

#endif
