/* SPDX-License-Identifier: GPL-3.0-or-later */
/* two_devices.h: three tasks on two devices, as small as a placement can be that has something to
 * decide in time, memory, links and energy. */
#ifndef DSM_TESTS_FAULTS_TWO_DEVICES_H
#define DSM_TESTS_FAULTS_TWO_DEVICES_H

#include "dsm/partition.h"

/** The first task's output is needed by both others. */
extern const dsm_instance two_devices;

#endif
