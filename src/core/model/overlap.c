/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overlap.c: sums of gradients that go on while earlier layers still compute (section 5). */
#include "base/order.h"
#include "model/chip_link.h"

void dsm__reductions_overlap(dsm__reduction *reductions, size_t count) {
  double computed = 0;
  double summed = 0; /* the end of the chain of collectives */
  for (size_t i = 0; i < count; i++) {
    dsm__reduction *const one = &reductions[i];
    computed += one->update_cycles;
    for (int half = 0; half < DSM__HALF_COUNT; half++) {
      one->begin[half] = dsm__larger(summed, computed);
      summed = one->cycles[half] > 0 ? one->begin[half] + one->cycles[half] : summed;
    }
    computed += one->backward_cycles;
  }
  for (size_t i = 0; i < count; i++) {
    dsm__reduction *const one = &reductions[i];
    for (int half = 0; half < DSM__HALF_COUNT; half++) {
      const double end = one->begin[half] + one->cycles[half];
      const bool is_after = one->begin[half] >= computed;
      one->visible[half] = is_after ? one->cycles[half] : dsm__larger(0, end - computed);
    }
  }
}
