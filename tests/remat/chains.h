/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chains.h: chains for tests. */
#ifndef DSM_TESTS_REMAT_CHAINS_H
#define DSM_TESTS_REMAT_CHAINS_H

#include "dsm/remat.h"

enum { CHAIN_STAGES_MAX = 64, CHAIN_OPTIONS_MAX = 4 };

/** A chain with room for its stages and options; chain.stages leads to its own stages. */
typedef struct own_chain {
  dsm_remat_chain chain;
  dsm_remat_stage stages[CHAIN_STAGES_MAX];
  dsm_remat_option options[CHAIN_STAGES_MAX][CHAIN_OPTIONS_MAX];
} own_chain;

/** Stages that are all equal: times 1 and 2, output and error 1, saved 3, nothing temporary. */
void chain_of_equal(own_chain *own, size_t stage_count);

/** A chain of small whole numbers. */
void chain_of_random(own_chain *own, uint64_t *state, size_t stage_count, size_t option_max);

/** What a budget gives. The result is to be freed; the test fails unless there is one. */
dsm_remat_result *solved(const dsm_remat_chain *chain, double budget, size_t slots);

#endif
