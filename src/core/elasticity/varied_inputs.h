/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * varied_inputs.h: systems and workloads with one value replaced.
 *
 * A description is written once and read again with the new value, so that whatever its format
 * refuses is refused here too, in the same words.
 */
#ifndef DSM_ELASTICITY_VARIED_INPUTS_H
#define DSM_ELASTICITY_VARIED_INPUTS_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "dsm/elasticity.h"

/** Makes varied inputs. Own everything that they make. */
typedef struct dsm__varied_inputs {
  const dsm_elasticity_request *request;
  dsm__arena *arena;                /**< borrowed: of reasons and of the lists here */
  dsm__text_buffer system_text;     /**< the description of the system */
  dsm__text_buffer *workload_texts; /**< those of the networks */
  dsm_diags *diags;                 /**< what the reader finds */
  dsm_system **systems;             /**< len = system_count */
  size_t system_count;
  dsm_workload **workloads; /**< len = workload_count */
  size_t workload_count;
} dsm__varied_inputs;

/** Room for so many systems and workloads. False if out of memory; to be freed in any case. */
bool dsm__varied_inputs_init(dsm__varied_inputs *inputs, const dsm_elasticity_request *request,
                             dsm__arena *arena, size_t system_max, size_t workload_max);
void dsm__varied_inputs_fini(dsm__varied_inputs *inputs);

/**
 * The system with another value (as in a description) at a path; or *system is NULL, and *why_not
 * says why it is not legal. False if out of memory.
 */
bool dsm__varied_system(dsm__varied_inputs *inputs, const char *path, const char *value,
                        const dsm_system **system, const char **why_not);

/** The same for a network. */
bool dsm__varied_workload(dsm__varied_inputs *inputs, size_t network, const char *path,
                          const char *value, const dsm_workload **workload, const char **why_not);

#endif
