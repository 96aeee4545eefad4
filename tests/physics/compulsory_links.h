/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compulsory_links.h: compulsory_layer_bytes of X and Y. */
#ifndef DSM_TESTS_PHYSICS_COMPULSORY_LINKS_H
#define DSM_TESTS_PHYSICS_COMPULSORY_LINKS_H

#include "dsm/dsm.h"

double compulsory_link_bytes(const dsm_workload *workload, const dsm_system *system, dsm_mode mode,
                             size_t layer, dsm_link link);

#endif
