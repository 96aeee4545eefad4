/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hoist.c: an lstm whose input products are hoisted out of its timesteps (section 7). */
#include "base/checked.h"
#include "model/equations.h"

/* Source: section 7. Symbols: T * mbc * nd, mbc = ceil(Nmb/nd). Limits: T = 1: nd * mbc. */
uint64_t dsm_hoisted_samples(const dsm_layer *layer, const dsm_machine *machine,
                             dsm_parallelism parallelism, uint64_t minibatch) {
  const uint64_t data_ways = dsm__divided_ways(machine, parallelism, DSM_DIVIDED_SAMPLES);
  return layer->timesteps * dsm__ceil_div_u64(minibatch, data_ways) * data_ways;
}

/* Source: sections 7 and 12. Symbols: 4H * T * mbc/nm * Bo. Limits: one chip: 4H*T of all
 * samples. */
double dsm_hoisted_bytes(const dsm_layer *layer, const dsm_machine *machine,
                         const dsm_workload *workload, dsm_parallelism parallelism) {
  const dsm_chip_share share =
      dsm_chip_share_derive(layer, machine, parallelism, workload->minibatch);
  return (double)layer->output_elements * (double)layer->timesteps *
         (double)share.chip.n[DSM_DIM_MB] / (double)share.raw_ways *
         dsm__stated_bytes(layer->bytes.output, workload->element_bytes);
}
