/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv_read.h: comma-separated values as of RFC 4180, read record by record. */
#ifndef DSM_BASE_CSV_READ_H
#define DSM_BASE_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/** Most fields of a record. */
enum { DSM__CSV_FIELDS_MAX = 32 };

typedef struct dsm__csv_record {
  size_t line; /**< where it begins */
  size_t count;
  const char *fields[DSM__CSV_FIELDS_MAX]; /**< in the arena, without quotes */
} dsm__csv_record;

/** A text that is being read; `text`, `length` and `arena` are set at first, and line is 1. */
typedef struct dsm__csv_reader {
  const char *text;
  size_t length;
  size_t at;
  size_t line;
  const char *flaw; /**< why it ends early, at `line`; NULL: it does not */
  bool is_out_of_memory;
  dsm__arena *arena;
} dsm__csv_reader;

/** The next record; empty lines are passed over. False at the end, at a flaw, and out of memory. */
bool dsm__csv_read(dsm__csv_reader *reader, dsm__csv_record *record);

#endif
