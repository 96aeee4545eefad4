/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subjects.h: the bundled descriptions, and random ones. */
#ifndef DSM_TESTS_PIM_SUBJECTS_H
#define DSM_TESTS_PIM_SUBJECTS_H

#include "dsm/pim.h"
#include "random_numbers.h"

/** A bundled workload or system, by its name; to be freed by the caller. */
dsm_rl_workload *bundled_workload(const char *name);
dsm_pim_system *bundled_system(const char *name);

/** Any workload and system, with few cores and tasklets. They have no arena: not to be freed. */
dsm_rl_workload random_workload(uint64_t *random);
dsm_pim_system random_system(uint64_t *random);

#endif
