/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe_sweep.h: the part of a description that is about a sweep. */
#ifndef DSM_REPORT_DATA_DESCRIBE_SWEEP_H
#define DSM_REPORT_DATA_DESCRIBE_SWEEP_H

#include "base/json_write.h"
#include "report/table/text_page.h"

/** Appends a sweep: how many points it has, and its axes. */
void dsm__describe_sweep(dsm__page *page, const dsm_sweep *sweep);

/** Writes the members of a sweep. */
void dsm__describe_sweep_json(dsm__json_writer *writer, const dsm_sweep *sweep);

#endif
