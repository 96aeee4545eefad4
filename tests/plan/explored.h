/* SPDX-License-Identifier: GPL-3.0-or-later */
/* explored.h: explored plans of bundled descriptions, and their texts with single values edited. */
#ifndef DSM_TESTS_PLAN_EXPLORED_H
#define DSM_TESTS_PLAN_EXPLORED_H

#include "dsm/dsm.h"

/** An exploration with its inputs. To be freed with explored_free. */
typedef struct explored {
  dsm_workload *workload;
  dsm_system *system;
  dsm_plan *plan;
} explored;

/** Explores workloads/NAME.json on systems/NAME.json; fails where that is not possible. */
explored explore_bundled(const char *workload, const char *system, const char *minibatch,
                         const dsm_explore_options *options);

void explored_free(explored *made);

/** One change of a JSON text. */
typedef struct edit {
  const char *path;  /**< members and indices joined by dots: "layers.0.name" */
  const char *value; /**< JSON text; NULL takes the value away */
} edit;

/** The text with the edits made in order, malloc'ed. Fails where a path leads nowhere. */
char *edited(const char *text, const edit *edits, size_t edit_count);

/** The same JSON with the members of every object in reverse order, malloc'ed. */
char *with_reversed_keys(const char *text);

/** What reading a plan gave. To be freed with reading_free. */
typedef struct reading {
  dsm_status status;
  dsm_plan *plan; /**< NULL unless status is DSM_OK */
  dsm_diags *diags;
  double recorded_step_cycles;
} reading;

reading read_plan(const char *text);
void reading_free(reading *read);

#endif
