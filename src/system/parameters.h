/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parameters.h: every parameter of a system, as rows of one table. Reading, writing, describing and
 * checking notes all walk this table; a new parameter is a field in system.h and a row here.
 */
#ifndef DSM_SYSTEM_PARAMETERS_H
#define DSM_SYSTEM_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/system.h"

typedef enum dsm__parameter_kind {
  DSM__PARAMETER_COUNT = 0, /**< uint64_t */
  DSM__PARAMETER_REAL,      /**< double */
  DSM__PARAMETER_FLAG,      /**< bool */
  DSM__PARAMETER_INTERCONNECT,
  DSM__PARAMETER_TOPOLOGY,
  DSM__PARAMETER_LAYOUT_MOVE
} dsm__parameter_kind;

typedef struct dsm__parameter {
  const char *path; /**< below the root: "chip.memory.capacity_GB" */
  dsm__parameter_kind kind;
  size_t offset;    /**< of the field in dsm_system */
  bool is_required; /**< false: `fallback` where absent */
  double min;       /**< counts and reals: smallest legal value */
  double max;       /**< largest legal value */
  double fallback;
} dsm__parameter;

extern const dsm__parameter dsm__parameters[];
extern const size_t dsm__parameter_count;

extern const char *const dsm__interconnect_names[DSM_INTERCONNECT_COUNT];
extern const char *const dsm__topology_names[DSM_TOPOLOGY_COUNT];
extern const char *const dsm__layout_move_names[DSM_LAYOUT_MOVE_COUNT];

/** The word that a parameter of a kind with words has in a system. */
const char *dsm__parameter_word(const dsm__parameter *parameter, const dsm_system *system);

/* The field of a parameter. The pointer has the type that the kind says. */
static inline const void *dsm__parameter_get(const dsm__parameter *parameter,
                                             const dsm_system *system) {
  return (const unsigned char *)system + parameter->offset;
}
static inline void *dsm__parameter_field(const dsm__parameter *parameter, dsm_system *system) {
  return (unsigned char *)system + parameter->offset;
}

#endif
