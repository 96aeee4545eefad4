/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layer_predictor.h: shared by what predicts layers one after the other and what predicts those of
 * a pipeline. */
#ifndef DSM_PLAN_LAYER_PREDICTOR_H
#define DSM_PLAN_LAYER_PREDICTOR_H

#include "plan/holding.h"
#include "plan/role_flow.h"

/** Everything that predicting a layer asks for. */
typedef struct dsm__predictor {
  dsm_plan *plan;
  dsm_machine machine;
  const dsm__decisions *decisions;
  dsm_workload micro;     /**< with the samples of a micro-batch, and layers as stages have them */
  dsm__holding *holdings; /**< of each layer */
  double preloaded_bytes;
  dsm__reductions *reductions; /**< of each stage, where they are shared */
  dsm__role_step *steps[2];    /**< of forward and backward, where layers have roles; else NULL */
  double *group_passes;        /**< of each pipeline: cycles of its backward and update passes */
} dsm__predictor;

/** How a layer runs, on the predictor's machine. */
dsm__layer_setting dsm__predictor_setting(const dsm__predictor *p, size_t index);

/** Predicts the passes of a pipeline's layers, and what the group takes. False if out of memory. */
bool dsm__predict_group(const dsm__predictor *p, size_t g, dsm_pipeline_plan *out);

/** What is added and taken away again leaves rounding behind: no resource decides that. */
void dsm__drop_rounding(dsm_resources *resources);

#endif
