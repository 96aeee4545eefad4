/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fc.c: every output feature from all input features, with weights of their own. */
#include "workload/layers/layer_kind.h"

static void lower(const dsm__lowering *lowering, dsm_layer *primary) {
  const dsm_layer_spec *const spec = lowering->layer->spec;
  *primary = dsm__loops_of_features(spec->in, spec->out);
  primary->timesteps = spec->timesteps;
}

const dsm__layer_kind dsm__fc_kind = {
    .pools_input = true,
    .has_timesteps = true,
    .lower = lower,
};
