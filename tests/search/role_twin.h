/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_twin.h: all mappings of a small network with a role for each layer and axis, one after the
 * other, by rules written a second time: which role a layer can have, what is inside and outside,
 * what moves when, which gathers are shared. It asks the model what a layer takes by itself and
 * what a move takes, and nothing of plans or the search.
 */
#ifndef DSM_TESTS_SEARCH_ROLE_TWIN_H
#define DSM_TESTS_SEARCH_ROLE_TWIN_H

#include "dsm/dsm.h"

enum { ROLE_TWIN_LAYERS = 8, ROLE_TWIN_OPTIONS = 729 };

/** What may be chosen among: the groups that options name. */
typedef struct role_space {
  bool has_hybrid;
  bool has_tensor;
  bool has_spatial;
  bool has_expert;
} role_space;

typedef struct role_twin {
  const dsm_workload *workload;
  dsm_machine machine;
  dsm_mode mode;
  double capacity_bytes;
  size_t count; /**< layers */
  dsm_roles options[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS];
  size_t option_count[ROLE_TWIN_LAYERS];
  double rest[ROLE_TWIN_LAYERS + 1];       /**< the least that later layers take by themselves, */
  double rest_bytes[ROLE_TWIN_LAYERS + 1]; /**< and that they keep */
  double kept[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS];
  double price[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS][1 << DSM_AXES_MAX]; /**< below 0: not known */

  /* The best mapping. */
  double cycles; /**< infinite: none is legal and fits */
  dsm_roles best[ROLE_TWIN_LAYERS];
  uint64_t tried;
} role_twin;

/** The groups of roles that each layer may have of a space. */
void role_twin_init(role_twin *twin, const dsm_workload *workload, const dsm_system *system,
                    dsm_mode mode, role_space space);

/** The fastest mapping within the capacity. */
void role_twin_search(role_twin *twin);

/** What a mapping takes; below 0: it breaks a rule of what is inside and outside. */
double role_twin_cycles(role_twin *twin, const dsm_roles *roles);

/** What it needs of a chip's memory. */
double role_twin_bytes(const role_twin *twin, const dsm_roles *roles);

/** The best core split of a pass of a layer by itself. */
dsm_loops role_twin_split(const role_twin *twin, size_t layer, dsm_pass pass,
                          const dsm_roles *roles);

/** Can a layer have a role at all, whatever the options? */
bool role_twin_can(const dsm_layer *layer, dsm_role role);

#endif
