/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bundled_sweep.h: sweeps over the bundled descriptions. */
#ifndef DSM_TESTS_SWEEP_BUNDLED_SWEEP_H
#define DSM_TESTS_SWEEP_BUNDLED_SWEEP_H

#include "dsm/sweep.h"

/** Makes a sweep of a specification without its format, in which a single quote stands for a double
 * one; fails the test, with a finding, if that does not work. */
dsm_sweep *bundled_sweep(const char *members, dsm_record record);

#endif
