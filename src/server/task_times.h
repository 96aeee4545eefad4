/* SPDX-License-Identifier: GPL-3.0-or-later */
/* task_times.h: how long the layers of a workload take on a device. */
#ifndef DSM_SERVER_TASK_TIMES_H
#define DSM_SERVER_TASK_TIMES_H

#include "base/arena.h"
#include "dsm/server.h"
#include "dsm/workload.h"
#include "workload/name_index.h"

/** A request: what times are computed from. */
typedef struct dsm__request {
  const dsm_workload *workload;
  uint64_t batch;
  const double *operations;       /**< of each layer: dsm__layer_operations */
  const double *weights_bytes;    /**< of each layer */
  const double *activation_bytes; /**< of each layer: tensors that it reads and makes */
  dsm__name_index names;          /**< of the layers */
} dsm__request;

/** Operations of a layer for a request: two for each MAC, one for each element-pass of auxiliary
 * work (model.md, section 4, as on a chip that says nothing else). */
double dsm__layer_operations(const dsm_layer *layer, uint64_t batch);

/** Seconds of each layer on a device, written at every `stride` numbers; infinite where it cannot
 * run. Does not contain what the device takes for any task. */
DSM_NODISCARD dsm_status dsm__task_times(double *seconds, size_t stride,
                                         const dsm__request *request, const dsm_device *device,
                                         dsm_diags *diags);

/** The same for a chip: each layer alone, with nothing on chip. DSM_ERROR_INFEASIBLE if an element
 * does not fit into the scratchpad. Private to dsm__task_times. */
DSM_NODISCARD dsm_status dsm__chip_times(double *seconds, size_t stride,
                                         const dsm__request *request, const dsm_device *device,
                                         dsm_diags *diags);

#endif
