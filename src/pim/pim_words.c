/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pim_words.c: the words of workloads, systems and plans of processing in memory. */
#include "pim/pim_record.h"

static const dsm__word algorithm_words[] = {
    [DSM_RL_Q_LEARNING] = {.key = "q_learning", .text = "Q-learning"},
    [DSM_RL_SARSA] = {.key = "sarsa", .text = "SARSA"},
};
DSM__NAMED_WORDS(dsm__rl_algorithm_words, "algorithm of reinforcement learning", algorithm_words,
                 DSM_RL_ALGORITHM_COUNT, dsm_rl_algorithm, dsm_rl_algorithm_name);

static const dsm__word element_words[] = {
    [DSM_RL_INT32].key = "int32",
    [DSM_RL_FLOAT32].key = "float32",
};
DSM__NAMED_WORDS(dsm__rl_element_words, "type of values of a table", element_words,
                 DSM_RL_ELEMENT_COUNT, dsm_rl_element, dsm_rl_element_name);

static const dsm__word constants_words[] = {
    [DSM_RL_DOUBLE].key = "double",
    [DSM_RL_FLOAT].key = "float",
};
DSM__NAMED_WORDS(dsm__rl_constants_words, "type of constants of a kernel", constants_words,
                 DSM_RL_CONSTANTS_COUNT, dsm_rl_constants, dsm_rl_constants_name);

static const dsm__word sampling_words[] = {
    [DSM_RL_SEQUENTIAL].key = "sequential",
    [DSM_RL_RANDOM].key = "random",
    [DSM_RL_STRIDED].key = "strided",
};
DSM__NAMED_WORDS(dsm__rl_sampling_words, "sampling of transitions", sampling_words,
                 DSM_RL_SAMPLING_COUNT, dsm_rl_sampling, dsm_rl_sampling_name);

static const dsm__word operation_words[] = {
    [DSM_PIM_INT32_ADD].key = "int32_add",
    [DSM_PIM_INT32_MUL].key = "int32_mul",
    [DSM_PIM_INT32_DIV].key = "int32_div",
    [DSM_PIM_INT64_MUL].key = "int64_mul",
    [DSM_PIM_FLOAT32_ADD].key = "float32_add",
    [DSM_PIM_FLOAT32_SUB].key = "float32_sub",
    [DSM_PIM_FLOAT32_MUL].key = "float32_mul",
    [DSM_PIM_FLOAT32_DIV].key = "float32_div",
    [DSM_PIM_FLOAT32_COMPARE].key = "float32_compare",
    [DSM_PIM_FLOAT64_ADD].key = "float64_add",
    [DSM_PIM_FLOAT64_SUB].key = "float64_sub",
    [DSM_PIM_FLOAT64_MUL].key = "float64_mul",
    [DSM_PIM_FLOAT64_DIV].key = "float64_div",
    [DSM_PIM_CONVERSION].key = "conversion",
};
DSM__NAMED_WORDS(dsm__pim_operation_words, "operation of a core in memory", operation_words,
                 DSM_PIM_OPERATION_COUNT, dsm_pim_operation, dsm_pim_operation_name);

static const dsm__word transfers_words[] = {
    [DSM_PIM_SERIAL].key = "serial",
    [DSM_PIM_PARALLEL].key = "parallel",
};
DSM__NAMED_WORDS(dsm__pim_transfers_words, "way of transfers of cores in memory", transfers_words,
                 DSM_PIM_TRANSFERS_COUNT, dsm_pim_transfers, dsm_pim_transfers_name);

static const dsm__word bound_words[] = {
    [DSM_PIM_COMPUTE].key = "compute",
    [DSM_PIM_MEMORY].key = "memory",
};
DSM__NAMED_WORDS(dsm__pim_bound_words, "roof of cores in memory", bound_words, DSM_PIM_BOUND_COUNT,
                 dsm_pim_bound, dsm_pim_bound_name);

static const dsm__word objective_words[] = {
    [DSM_PIM_LEAST_TIME].key = "time",
    [DSM_PIM_LEAST_ENERGY].key = "energy",
};
DSM__NAMED_WORDS(dsm__pim_objective_words, "objective of a plan of cores in memory",
                 objective_words, DSM_PIM_OBJECTIVE_COUNT, dsm_pim_objective,
                 dsm_pim_objective_name);
