/* SPDX-License-Identifier: GPL-3.0-or-later */
/* matmul.c: the product of what a layer reads with what another one has made. */
#include "workload/layers/layer_kind.h"

static void read_matmul(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  const dsm__json_node operand = dsm__json_member(node, "operand");
  if (dsm__json_require(&operand, "the name of the layer that makes the second operand")) {
    dsm__json_string(&operand, 1, DSM_NAME_BYTES_MAX, arena, &spec->operand);
  }
  dsm__json_optional_u64(node, "operand_elements", 1, DSM_PRODUCT_MAX, 0, &spec->operand_elements);
}

static void write_matmul(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  (void)is_full;
  dsm__json_put_string(writer, "operand", spec->operand);
  dsm__json_put_u64(writer, "operand_elements", spec->operand_elements);
}

static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  *primary = dsm__loops_of_features(spec->in, spec->out);
  primary->is_product = true;
  primary->timesteps = spec->timesteps;
  primary->operand_elements = spec->operand_elements;
  primary->has_update = false;
}

const dsm__layer_kind dsm__matmul_kind = {
    .states_features = DSM__STATES_IN | DSM__STATES_OUT,
    .read = read_matmul,
    .write = write_matmul,
    .has_timesteps = true,
    .starts_backward = true,
    .lower = lower,
};
