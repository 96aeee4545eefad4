/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dispatch_data.h: a simulation inside of a JSON report. */
#ifndef DSM_REPORT_DATA_DISPATCH_DATA_H
#define DSM_REPORT_DATA_DISPATCH_DATA_H

#include "base/json_write.h"
#include "dsm/dispatch.h"

/** An object of format "dsm-dispatch/1". */
void dsm__dispatch_write(dsm__json_writer *writer, const dsm_dispatch *dispatch);

#endif
