/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * made.h: plans of small networks from decisions that a test makes itself. All layers are data
 * parallel and each chip's output features are split over its 4 cores, until the test changes that.
 */
#ifndef DSM_TESTS_PLAN_MADE_H
#define DSM_TESTS_PLAN_MADE_H

#include "dsm/dsm.h"
#include "plan/plan_internal.h"

enum { MADE_LAYERS_MAX = 8, MADE_GROUPS_MAX = 2 };

typedef struct made {
  dsm_workload *workload; /**< of 32 samples a step */
  dsm_system *system;     /**< 2 x 4 chips of 4 cores of 1 MiB */
  dsm_explore_options options;
  dsm__layer_decision layers[MADE_LAYERS_MAX];
  dsm__pipeline_decision pipelines[MADE_GROUPS_MAX];
  size_t pipeline_count;
  dsm_plan *plan; /**< NULL until made_predict */
} made;

/* Layers of a workload, as JSON. */

/** conv1 to conv3 of 32 features of 8 x 8, then fc4 of 64. conv3 adds the output of conv1. */
extern const char made_convs[];
/** lstm1 to lstm4 of 32 units, 10 timesteps, and fc5. */
extern const char made_lstms[];
/** fc1, fc2 and a matmul of both, 6 timesteps. */
extern const char made_matmul[];

/** A network with neutral decisions. `model` is the system's model, as JSON, or NULL. */
made made_of(const char *layers, dsm_mode mode, const char *model);

/** Gives a layer one parallelism in all passes. */
void made_set_parallelism(made *m, size_t layer, dsm_parallelism parallelism);

/** Keeps the kernel of a layer over its timesteps, in a pass. */
void made_keep_kernel(made *m, size_t layer, dsm_pass pass, dsm_loops steady_split);
/** The same with the split that makes a recurrent layer's steady invocations fastest, which a stage
 * of a group must have; once its group and parallelism are as they shall be. */
void made_keep_kernel_well(made *m, size_t layer, dsm_pass pass);

/** Pipelines a run of layers. Name and rows are borrowed. */
void made_add_group(made *m, const char *name, size_t first, size_t count, const uint64_t *rows);

/** Makes the plan, whether its decisions are legal or not. */
void made_predict(made *m);

void made_free(made *m);

#endif
