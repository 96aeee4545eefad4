/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chip_link.c: bytes between the chips of the torus (section 5). */
#include "model/equations.h"

static double larger(double a, double b) {
  return a > b ? a : b;
}

static void scale(dsm_traffic *traffic, double factor) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->bytes[l] *= factor;
  }
}

dsm_traffic dsm__rotation_traffic(const dsm_machine *machine, dsm_precision precision,
                                  dsm_pass pass, dsm_parallelism parallelism, double full_bytes) {
  const dsm_torus *const torus = &machine->system->system;
  const dsm_axis_roles roles = dsm_parallelism_roles(parallelism);
  const bool is_x_turning = roles.x == DSM_ROLE_MODEL && torus->chips_x > 1;
  const bool is_y_turning = roles.y == DSM_ROLE_MODEL && torus->chips_y > 1;
  /* Where X turns too, Y moves once for every m turns of X. */
  const double x_turns = roles.x == DSM_ROLE_MODEL ? (double)torus->chips_x : 1;
  const double x = is_x_turning ? full_bytes : 0;
  const double y = is_y_turning ? full_bytes / x_turns : 0;
  const double through_memory = machine->system->model.rotate_memory_bytes * larger(x, y);
  dsm_traffic traffic = {{[DSM_LINK_X] = x, [DSM_LINK_Y] = y, [DSM_LINK_MEMORY] = through_memory}};
  if (pass == DSM_PASS_BACKWARD) {
    traffic.bytes[DSM_LINK_RING] = x + y;
    scale(&traffic, precision.partial_sum_bytes / precision.element_bytes);
  } else {
    traffic.bytes[DSM_LINK_RING] = through_memory;
  }
  return traffic;
}

/*
 * Source: section 5; DSM II-D (gradients are accumulated along X, then along Y; weights go back
 * along Y, then X) and Fig. 5. Symbols: w = w_el/nm*Bg, vx = w*(m-1)/m, w2 = w/m, vy = w2*(n-1)/n
 * on the D axes; nothing to sum where nd = 1. Limits: one chip: only its own weight update.
 */
dsm_update_traffic dsm_update_traffic_derive(const dsm_layer *layer, const dsm_machine *machine,
                                             dsm_precision precision, dsm_parallelism parallelism) {
  const dsm_torus *const torus = &machine->system->system;
  const dsm_assumptions *const model = &machine->system->model;
  const dsm_axis_roles roles = dsm_parallelism_roles(parallelism);
  const double m = (double)torus->chips_x;
  const double n = (double)torus->chips_y;
  const double data_x = roles.x == DSM_ROLE_DATA ? m : 1;
  const double data_y = roles.y == DSM_ROLE_DATA ? n : 1;
  const double model_ways = m / data_x * (n / data_y);
  const double weights = (double)layer->weight_elements / model_ways;
  dsm_update_traffic traffic = {0};
  if (layer->weight_elements == 0) {
    return traffic;
  }
  traffic.weight_update.bytes[DSM_LINK_MEMORY] =
      model->weight_update_memory_bytes * (weights * precision.element_bytes) / (data_x * data_y);
  if (data_x * data_y <= 1) {
    return traffic;
  }
  const double gradient = weights * precision.gradient_bytes;
  const double x = gradient * (data_x - 1) / data_x;
  const double y = gradient / data_x * (data_y - 1) / data_y;
  const dsm_traffic sum = {{
      [DSM_LINK_X] = x,
      [DSM_LINK_Y] = y,
      [DSM_LINK_MEMORY] = model->reduce_memory_bytes * gradient,
      [DSM_LINK_RING] = model->reduce_ring_crossings * (x + y),
  }};
  traffic.sum_of_gradients = sum;
  traffic.broadcast_weights = sum;
  traffic.broadcast_weights.bytes[DSM_LINK_MEMORY] = model->broadcast_memory_bytes * gradient;
  scale(&traffic.broadcast_weights, precision.element_bytes / precision.gradient_bytes);
  return traffic;
}

/*
 * Source: section 5; DSM II-D (each chip sends a distinct portion to every other chip). Symbols:
 * d = total_bytes / chips; all-to-all on each axis whose role changes, mean distance (k-1)/2 hops
 * on a ring of k chips: x = d*(m-1)/2, y = d*(n-1)/2. Limits: equal parallelisms: nothing; an axis
 * of length 1 carries nothing.
 */
dsm_traffic dsm_relayout_traffic(const dsm_machine *machine, double total_bytes,
                                 dsm_parallelism before, dsm_parallelism after) {
  dsm_traffic traffic = {{0}};
  if (before == after) {
    return traffic;
  }
  const dsm_torus *const torus = &machine->system->system;
  const dsm_axis_roles from = dsm_parallelism_roles(before);
  const dsm_axis_roles to = dsm_parallelism_roles(after);
  const double chip_bytes = total_bytes / (double)machine->chip_count;
  if (from.x != to.x) {
    traffic.bytes[DSM_LINK_X] = chip_bytes * ((double)torus->chips_x - 1) / 2;
  }
  if (from.y != to.y) {
    traffic.bytes[DSM_LINK_Y] = chip_bytes * ((double)torus->chips_y - 1) / 2;
  }
  traffic.bytes[DSM_LINK_MEMORY] = machine->system->model.relayout_memory_bytes * chip_bytes;
  return traffic;
}
