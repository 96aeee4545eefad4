/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_UNROLL_H
#define DSM_TESTS_TWIN_UNROLL_H

/* The twin reads plain lists of layers with numbers: what a good workload says shorter is written
 * out in its tree, from the innermost block outwards. */

#include <cjson/cJSON.h>

/* Puts numbers in place of expressions of parameters, and layers in place of blocks. From outside a
 * block in a block is known by its own name alone. */
void twin_unroll(cJSON *workload);

#endif
