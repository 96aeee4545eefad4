/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_PARTS_H
#define DSM_TESTS_INSTANCE_PARTS_H

/* The two halves of an instance. */

#include "instance_random.h"
#include "instance_text.h"

/* A whole workload description. */
void instance_workload_write(instance_text *text, instance_random *random);

/* A whole system description; `random` by value, so that it can be written again with another
 * capacity. */
void instance_system_write(instance_text *text, instance_random random, double capacity_GB);

#endif
