/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_internal.h: what reading a profile's two formats has in common. */
#ifndef DSM_SERVER_PROFILE_INTERNAL_H
#define DSM_SERVER_PROFILE_INTERNAL_H

#include "base/json_read.h"
#include "dsm/instance.h"

/** Reads the planner format of msr-fiddle/dnn-partitioning into an instance that has only its
 * arena; findings are the document's. */
void dsm__planner_read(dsm_instance *instance, const dsm__json_node *root);

#endif
