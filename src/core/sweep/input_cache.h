/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input_cache.h: workloads and systems that were read for earlier points. */
#ifndef DSM_SWEEP_INPUT_CACHE_H
#define DSM_SWEEP_INPUT_CACHE_H

#include "sweep/machine_kind.h"
#include "sweep/point.h"

/** Inputs of each kind that are kept: those used last. */
#define DSM__INPUT_CACHE_SIZE 16

/** An input with its overrides, as it was read. */
typedef struct dsm__read_input {
  const dsm__machine *machine; /**< that it is for */
  const dsm__description *row; /**< what it is */
  void *of;                    /**< of the row; NULL: it is not valid */
  const dsm_diag *finding;     /**< the first, if it is not valid; else NULL */

  const dsm_sweep_input *input; /* private: what it was read from */
  char *overrides;              /* private: PATH and VALUE of each, NUL-terminated */
  size_t overrides_length;      /* private */
  uint64_t last_use;            /* private */
  struct dsm__arena *arena;     /* private; NULL: an empty place */
} dsm__read_input;

/** All zero is a valid empty cache. */
typedef struct dsm__input_cache {
  dsm__read_input places[2][DSM__INPUT_CACHE_SIZE]; /**< by dsm_description */
  uint64_t use_count;
  dsm__text_buffer key; /**< of what is wanted */
  dsm_diag mismatch;    /**< of inputs that do not go together */
} dsm__input_cache;

/** The answer to a question, or why it has none. */
typedef struct dsm__found {
  dsm_status status;
  const dsm_diag *finding; /**< the first; NULL: it has none */
  const char *subject;     /**< the kind of input that it is about; NULL: it is about none alone */
  const dsm_plan *plan;    /**< NULL: none, or a companion chose */
} dsm__found;

void dsm__input_cache_fini(dsm__input_cache *cache);

/** Gives the workload and the system of a point, by dsm_description, valid until the next call;
 * or why one is not valid, or both do not go together (DSM_ERROR_INVALID), or
 * DSM_ERROR_OUT_OF_MEMORY. `diags` is scratch. */
dsm__found dsm__inputs_read(dsm__input_cache *cache, const dsm__sweep_point *point,
                            const dsm__read_input *read[2], dsm_diags *diags);

/** A finding as one line, such as "system $.core.frequency_GHz: expected ..., found ...". The
 * arena's; NULL if out of memory. There must be a finding. */
const char *dsm__finding_text(const dsm__found *found, dsm__arena *arena);

#endif
