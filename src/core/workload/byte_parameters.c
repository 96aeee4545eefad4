/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/byte_parameters.h"

/* Most bytes of optimizer state for a weight. */
#define OPTIMIZER_MAX 1024

/* clang-format off: one parameter a line, its source below */
#define BYTES(key, min, max, fallback, unit, source)                                               \
  { #key, offsetof(dsm_workload, key), min, max, fallback, unit, source }

const dsm__byte_parameter dsm__byte_parameters[DSM__BYTE_PARAMETER_COUNT] = {
    BYTES(element_bytes, DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, 2, "bytes/element",
          "DeepSpatialMatrix paper, section IV: half precision"),
    BYTES(gradient_bytes, DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, 2, "bytes/element",
          "assumption: gradients travel in half precision"),
    BYTES(partial_sum_bytes, DSM__ELEMENT_BYTES_MIN, DSM__ELEMENT_BYTES_MAX, 2, "bytes/element",
          "assumption: partial sums are rounded to half precision before they travel"),
    BYTES(optimizer_bytes_per_weight, 0, OPTIMIZER_MAX, 0, "bytes/weight",
          "assumption: plain gradient descent, which keeps no state"),
};
/* clang-format on */

static unsigned bit_of(const dsm__byte_parameter *parameter) {
  return 1U << (parameter - dsm__byte_parameters);
}

void dsm__byte_parameter_set_stated(const dsm__byte_parameter *parameter, dsm_workload *workload) {
  workload->stated_bytes |= bit_of(parameter);
}

bool dsm__byte_parameter_is_assumed(const dsm__byte_parameter *parameter,
                                    const dsm_workload *workload) {
  const double value = dsm__byte_parameter_get(parameter, workload);
  const bool is_default = !(value < parameter->fallback) && !(value > parameter->fallback);
  return is_default && (workload->stated_bytes & bit_of(parameter)) == 0;
}
