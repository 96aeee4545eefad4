/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fc.c: every output feature from all input features, with weights of their own. With positions
 * each of them has its outputs, by the same weights: a convolution with a kernel of 1 x 1.
 */
#include "workload/layers/layer_kind.h"

static void read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node) {
  (void)arena;
  dsm__positions_read(spec, node);
}

static void write(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full) {
  (void)is_full;
  dsm__positions_put(writer, spec);
}

static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  *primary = dsm__loops_of_features(spec->in, spec->out);
  primary->is_convolution = spec->feature.rows > 1;
  primary->ij = spec->feature.rows;
  primary->timesteps = spec->timesteps;
}

const dsm__layer_kind dsm__fc_kind = {
    .states_features = DSM__STATES_IN | DSM__STATES_OUT,
    .read = read,
    .write = write,
    .keeps_positions = true,
    .works_on_input = true,
    .has_timesteps = true,
    .lower = lower,
};
