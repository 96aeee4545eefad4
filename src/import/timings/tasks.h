/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks.h: timed layers as the tasks of a profile, with their sizes. */
#ifndef DSM_IMPORT_TIMINGS_TASKS_H
#define DSM_IMPORT_TIMINGS_TASKS_H

#include "dsm/profile_import.h"
#include "import/timings/timings.h"

/** The profile of all rows; `name` is that of one without a workload. As dsm_profile_import. */
DSM_NODISCARD dsm_status dsm__profile_of_timings(char **text, const dsm__timings *timings,
                                                 const char *name,
                                                 const dsm_profile_import_options *options,
                                                 dsm_diags *diags);

#endif
