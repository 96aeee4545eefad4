/* SPDX-License-Identifier: GPL-3.0-or-later */
/* streams.h: parts of the equations of streams (sections 5 and 7) that several files need. */
#ifndef DSM_MODEL_STREAMS_H
#define DSM_MODEL_STREAMS_H

#include "model/equations.h"

/** With so many fetches: of the one that has most to do. */
static inline double dsm__largest_load(const dsm__stream_loads *loads, dsm__refetch refetch) {
  double most = 0;
  for (int i = 0; i < loads->count; i++) {
    const dsm__stream_load *const load = &loads->of[i];
    const double sum = load->fixed + load->features * refetch.features +
                       load->kernel * refetch.kernel + load->spilled * refetch.sums;
    most = sum > most ? sum : most;
  }
  return most;
}

/** Does an operand fit in what is left of a shared memory, but for rounding? */
static inline bool dsm__fits_shared(double bytes, double room_bytes) {
  return bytes <= room_bytes * (1 + 1e-9);
}

/** What dsm__streamed_bytes multiplies: what moves past the kernel, and the kernel; in update the
 * input, and the errors that it moves past. */
double dsm__streamed_features(const dsm_pass_work *work, const dsm__stream_shares *shares);
double dsm__streamed_kernel(const dsm_pass_work *work, const dsm__stream_shares *shares);

/** Inputs turn as sums of their errors in backward, outputs as sums in forward. */
static inline bool dsm__is_sum_turning(dsm_pass pass, dsm_divided turning) {
  return pass == (turning == DSM_DIVIDED_IN_TURNS ? DSM_PASS_BACKWARD : DSM_PASS_FORWARD);
}

/** What turns along the axes that divide one of the two. */
dsm_traffic dsm__turning_traffic(const dsm_pass_work *work, dsm_divided turning);

/** What a link carries of rotation that overlaps. */
double dsm__rotated_bytes(const dsm_pass_work *work, dsm_link link);

/** Of external memory. */
dsm__stream_load dsm__memory_load(const dsm_pass_work *work);

/** Of a shared memory: spilled, wherever the sums are in the end. Source: section 7. Limits:
 * nothing held: that of dsm__tile_bytes_derive. */
double dsm__shared_spill_bytes(const dsm_pass_work *work);

#endif
