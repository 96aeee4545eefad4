/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_parts.h: simulations inside of a JSON report. */
#ifndef DSM_REPORT_DATA_JSON_PARTS_H
#define DSM_REPORT_DATA_JSON_PARTS_H

#include "base/json_write.h"
#include "dsm/dispatch.h"

/** An object of format "dsm-dispatch/1". */
void dsm__dispatch_write(dsm__json_writer *writer, const dsm_dispatch *dispatch);

#endif
