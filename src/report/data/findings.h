/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings.h: findings inside of a JSON report. */
#ifndef DSM_REPORT_DATA_FINDINGS_H
#define DSM_REPORT_DATA_FINDINGS_H

#include "base/json_write.h"
#include "dsm/diag.h"

/** A list of objects, as dsm_report_diags_json describes them. */
void dsm__findings_write(dsm__json_writer *writer, const dsm_diags *diags);

#endif
