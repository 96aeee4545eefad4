/* SPDX-License-Identifier: GPL-3.0-or-later */
/* storage_optimum.h: the most requests per second with given storage: the linear programme of
 * partition.h with s fixed, as GLPK solves it; (7) with equality where
 * the tensors form no chain. Memory is not looked at. */
#ifndef DSM_TESTS_PARTITION_STORAGE_OPTIMUM_H
#define DSM_TESTS_PARTITION_STORAGE_OPTIMUM_H

#include "dsm/partition.h"

double storage_optimum(const dsm_partition *partition);

#endif
