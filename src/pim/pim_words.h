/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_words.h: the words of workloads, systems and plans of processing in memory. */
#ifndef DSM_PIM_PIM_WORDS_H
#define DSM_PIM_PIM_WORDS_H

#include "base/words.h"

extern const dsm__words dsm__rl_algorithm_words;
extern const dsm__words dsm__rl_element_words;
extern const dsm__words dsm__rl_constants_words;
extern const dsm__words dsm__rl_sampling_words;
extern const dsm__words dsm__pim_operation_words;
extern const dsm__words dsm__pim_transfers_words;
extern const dsm__words dsm__pim_bound_words;
extern const dsm__words dsm__pim_objective_words;

#endif
