/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list.h: sizes of descriptions, of which `list` shows a line each. */
#ifndef DSM_REPORT_DATA_LIST_H
#define DSM_REPORT_DATA_LIST_H

#include "base/record.h"

/** In the order in which a table has them. */
enum {
  DSM__LIST_LAYERS = 0,
  DSM__LIST_WEIGHTS,
  DSM__LIST_MACS,
  DSM__LIST_CHIPS,
  DSM__LIST_DEVICES,
  DSM__LIST_CORES,
  DSM__LIST_PEAK,
  DSM__LIST_MEMORY,
  DSM__LIST_POINTS,
  DSM__LIST_STAGES,
  DSM__LIST_SECONDS,
  DSM__LIST_TRANSITIONS,
  DSM__LIST_TABLE,
  DSM__LIST_COUNT
};

/** Says one of them; infinity: it is unlimited. */
void dsm__put_size(dsm__value *sizes, size_t size, double value);

#endif
