/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of the calibrate room. */
#ifndef DSM_TESTS_CALIBRATE_SUITES_H
#define DSM_TESTS_CALIBRATE_SUITES_H

#include <check.h>

Suite *suite_calibration(void);
Suite *suite_csv_read(void);
Suite *suite_linear_step(void);
Suite *suite_measurements(void);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
