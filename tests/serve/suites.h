/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h: the suites of serving. */
#ifndef DSM_TESTS_SERVE_SUITES_H
#define DSM_TESTS_SERVE_SUITES_H

#include <check.h>

#include "dsm/dsm.h"

Suite *suite_steady(void);
Suite *suite_serve(void);
Suite *suite_chunks(void);
Suite *suite_apart(void);
Suite *suite_speculation(void);
Suite *suite_lengths(void);
Suite *suite_simulate(void);

/* A network with an attention, and a machine of four chips that holds some dozens of requests. */
extern dsm_workload *network;
extern dsm_system *machine;
extern dsm_diags *diags;
void set_up(void);
void tear_down(void);

/** 24 tokens in, 17 out, a gap of 2 %. */
dsm_serving_options options_of(void);

/** An answer, which there must be. */
dsm_serving *serve(const dsm_serving_options *options);

/** How many elements an array has, as the loop tests want it. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
