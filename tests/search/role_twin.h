/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_twin.h: all mappings of a small network with a role for each layer and axis, and where
 * passes may differ one for its update pass, one after the other, by rules written a second time:
 * which role a layer can have, which may stand beside another one, what is inside and outside, what
 * moves when, which gathers are shared. It asks the model what a layer takes by itself and what a
 * move takes, and nothing of plans or the search.
 */
#ifndef DSM_TESTS_SEARCH_ROLE_TWIN_H
#define DSM_TESTS_SEARCH_ROLE_TWIN_H

#include "dsm/dsm.h"

enum { ROLE_TWIN_LAYERS = 8, ROLE_TWIN_OPTIONS = 729, ROLE_TWIN_PAIRED = 128 };

/** What may be chosen among: the groups that options name. */
typedef struct role_space {
  bool has_hybrid;
  bool has_tensor;
  bool has_spatial;
  bool has_expert;
  dsm_role_set contexts; /**< of its two forms those that attentions have in place of spatial */
  bool has_per_pass;     /**< then a layer has at most ROLE_TWIN_PAIRED */
} role_space;

/** Roles of forward and backward, and of update. */
typedef struct role_pair {
  dsm_roles both;
  dsm_roles update;
} role_pair;

typedef struct role_twin {
  const dsm_workload *workload;
  dsm_machine machine;
  dsm_system waiting; /**< hides nothing */
  dsm_machine waiting_machine;
  dsm_mode mode;
  double capacity_bytes;
  bool has_per_pass;
  size_t count; /**< layers */
  dsm_roles options[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS];
  size_t option_count[ROLE_TWIN_LAYERS];
  double rest[ROLE_TWIN_LAYERS + 1];       /**< the least that later layers take by themselves, */
  double rest_bytes[ROLE_TWIN_LAYERS + 1]; /**< and that they keep */
  double kept[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS];
  /* What each option takes in forward and backward, with a gather of its own of the error or not,
   * and in update, by who gathers; and two of them once a step. Below 0: not known. */
  double both[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS][1 << DSM_AXES_MAX][2];
  double update[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS][1 << DSM_AXES_MAX];
  double same_once[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS];
  double once[ROLE_TWIN_LAYERS][ROLE_TWIN_PAIRED][ROLE_TWIN_PAIRED];
  double same_transient[ROLE_TWIN_LAYERS][ROLE_TWIN_OPTIONS]; /* bytes while it runs, likewise */
  double transient[ROLE_TWIN_LAYERS][ROLE_TWIN_PAIRED][ROLE_TWIN_PAIRED];

  /* The best mapping. */
  double cycles; /**< infinite: none is legal and fits */
  role_pair best[ROLE_TWIN_LAYERS];
  uint64_t tried;
} role_twin;

/** The groups of roles that each layer may have of a space. */
void role_twin_init(role_twin *twin, const dsm_workload *workload, const dsm_system *system,
                    dsm_mode mode, role_space space);

/** Lets cycles and joules count with weights, in place of cycles alone. */
void role_twin_weigh(role_twin *twin, const dsm_weights *weights);

/** The fastest mapping within the capacity. */
void role_twin_search(role_twin *twin);

/** What a mapping takes; below 0: it breaks a rule of what is inside and outside. */
double role_twin_cycles(role_twin *twin, const role_pair *roles);

/** What it needs of a chip's memory. */
double role_twin_bytes(const role_twin *twin, const role_pair *roles);

/** The best core split of a pass of a layer by itself. */
dsm_loops role_twin_split(const role_twin *twin, size_t layer, dsm_pass pass,
                          const dsm_roles *roles);

/** May an update pass of a layer have roles beside those of forward and backward? */
bool role_twin_may_differ(const role_twin *twin, size_t layer, const dsm_roles *both,
                          const dsm_roles *update);

/** May a layer of a space have these roles, in all its passes? */
bool role_twin_is_option(const role_twin *twin, size_t layer, const dsm_roles *roles,
                         role_space space);

/** Can a layer have a role at all, whatever the options? */
bool role_twin_can(const dsm_layer *layer, dsm_role role);

#endif
