/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_roof.c: the roofline of reading a data set. */
#include <math.h>

#include "dsm/model.h"
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

/* Source: section 1 of docs/model.md: MACs of a layer are of one pass and one timestep. Symbols: 2
 * * MACs * timesteps, of each pass that there is. Limits: inference: 2 * those of the forward pass.
 */
double dsm_sample_flop(const dsm_workload *workload, dsm_mode mode) {
  static const double flop_per_mac = 2;
  double flop = 0;
  for (size_t i = 0; i < workload->layer_count; i++) {
    const dsm_layer *const layer = &workload->layers[i];
    for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
      if (dsm_pass_exists(layer, mode, (dsm_pass)pass)) {
        flop += flop_per_mac * (double)layer->macs * (double)layer->timesteps;
      }
    }
  }
  return flop;
}
