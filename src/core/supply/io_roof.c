/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_roof.c: the roofline of reading a data set. */
#include <math.h>

#include "dsm/storage.h"

/* Equation 7. Source: Xu et al., section II-A: FLOP of a sample over its size. Symbols: samples/s =
 * min(F / FLOP of a sample, B / bytes of a sample), ridge = F/B, needed = F / intensity. Limits: B
 * infinite: F / FLOP of a sample. */
dsm_io_roof dsm_io_roof_of(double sample_flop, double sample_bytes, double flop_per_second,
                           double bytes_per_second) {
  const double intensity = sample_flop / sample_bytes;
  return (dsm_io_roof){.sample_flop = sample_flop,
                       .sample_bytes = sample_bytes,
                       .intensity = intensity,
                       .flop_per_second = flop_per_second,
                       .bytes_per_second = bytes_per_second,
                       .ridge_intensity = flop_per_second / bytes_per_second,
                       .needed_bytes_per_second = flop_per_second / intensity,
                       .samples_per_second =
                           fmin(flop_per_second / sample_flop, bytes_per_second / sample_bytes)};
}

/* Source: section 1 of docs/model.md; that errors and weight gradients are as many products again
 * as the forward pass is how published FLOP of a sample are counted, assumed here too (layers that
 * only the network's input feeds need no errors). Symbols: 2 * MACs, 3 times in training. Limits:
 * inference: 2 * MACs. */
double dsm_sample_flop(const dsm_workload *workload, dsm_mode mode) {
  static const double flop_per_mac = 2;
  static const double passes[DSM_MODE_COUNT] = {[DSM_MODE_TRAINING] = 3, [DSM_MODE_INFERENCE] = 1};
  return flop_per_mac * passes[mode] * (double)workload->forward_macs;
}
