/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operand_elements.c: what a matmul says of its second operand, against what makes that. */
#include <stdio.h>

#include "workload/layers/layer_kind.h"
#include "workload/workload_internal.h"

static bool check_divisor(const dsm__layer_entry *layer, const char *hint) {
  const dsm_layer_spec *const spec = layer->spec;
  const uint64_t macs = spec->in * spec->out; /* is a layer's quantity by now: at most 2^53 */
  const dsm__json_node node = dsm__json_member(layer->node, "operand_elements");
  if (macs % spec->operand_elements != 0) {
    dsm__json_error(&node, hint, "expected a divisor of %llu, which is in times out, found %llu",
                    (unsigned long long)macs, (unsigned long long)spec->operand_elements);
    return false;
  }
  return true;
}

/*
 * A dense product multiplies each element of its matrix equally often: once for every head and
 * position that shares it. So the elements divide the MACs, `in` times `out`. And they come from
 * the producer, which delivers features * stored size * timesteps for each sample; where positions
 * are samples, those of one sample's operand are from many. Nothing else is known of which of them
 * a product takes: heads, windows of timesteps and parts of a producer are all fine.
 */
bool dsm__operand_elements_check(const dsm__layer_entry *layer, const dsm__delivery *one,
                                 uint64_t timesteps, uint64_t samples) {
  const dsm_layer_spec *const spec = layer->spec;
  uint64_t delivered = 0;
  if (one == NULL && spec->operand_elements == 0) {
    const dsm__json_node node = dsm__json_member(layer->node, "operand_elements");
    return dsm__json_require(&node, "the second operand's elements per sample, of which no layer "
                                    "of a list tells");
  }
  if (one == NULL) {
    return check_divisor(layer, NULL);
  }
  if (!dsm__bounded_product(&delivered, one->features, one->size.rows, one->size.columns,
                            timesteps)) {
    return true; /* the producer is wrong, and was reported */
  }
  const dsm__json_node node = dsm__json_member(layer->node, "operand_elements");
  const unsigned long long elements = spec->operand_elements;
  char hint[64 + DSM_NAME_BYTES_MAX];
  (void)snprintf(hint, sizeof hint, "\"%s\" delivers %llu elements a sample", spec->operand,
                 (unsigned long long)delivered);
  if (!check_divisor(layer, hint)) {
    return false;
  }
  if ((elements - 1) / delivered >= samples) {
    dsm__json_error(
        &node, NULL,
        "expected at most the elements that \"%s\" delivers in a step, %llu for each of "
        "%llu sample%s, found %llu",
        spec->operand, (unsigned long long)delivered, (unsigned long long)samples,
        samples == 1 ? "" : "s", elements);
    return false;
  }
  return true;
}
