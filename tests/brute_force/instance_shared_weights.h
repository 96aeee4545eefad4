/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_SHARED_WEIGHTS_H
#define DSM_TESTS_INSTANCE_SHARED_WEIGHTS_H

#include "instance_network.h"

/* Ties layers of some networks to earlier ones, of which the sizes are changed where they may. */
void instance_tie(instance_network *network, instance_random *random);

/* Gives experts to layers of some networks that are not tied and to which none is. */
void instance_add_experts(instance_network *network, instance_random *random);

#endif
