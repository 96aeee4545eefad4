/* SPDX-License-Identifier: GPL-3.0-or-later */
/* makespan.h: how long a pipeline takes, by recurrences over devices and micro-batches. */
#ifndef DSM_REMAT_MAKESPAN_H
#define DSM_REMAT_MAKESPAN_H

#include "remat/chain.h"

/** Times of a pipeline's devices for its micro-batches: of device d and micro-batch i at
 * d * micro_batches + i. */
typedef struct dsm__remat_times {
  size_t devices;
  size_t micro_batches;
  const double *forward;
  const double *backward;
  const double *output_link; /**< of each device: its output to the next one; len = devices */
  const double *error_link;  /**< the error of its output, from the next one; len = devices */
} dsm__remat_times;

/** Micro-batches whose activations a device has at a time, at most. */
size_t dsm__remat_stored(dsm_remat_order order, size_t devices, size_t device,
                         size_t micro_batches);

/** From the first forward pass to the last backward pass; negative if out of memory. */
double dsm__remat_makespan(const dsm__remat_times *times, dsm_remat_order order);

#endif
