/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_link.c: bytes between the stages of a step (section 8). */
#include "model/chip_link.h"
#include "model/equations.h"
#include "model/links.h"

dsm_boundary dsm__boundary_derive(const dsm_layer *layer, const dsm_machine *machine,
                                  dsm_precision precision, uint64_t samples, unsigned axis,
                                  size_t stages, dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  const dsm_layouts layouts = dsm_output_layouts(parallelism);
  const double total = (double)layer->stored_elements * (double)layer->timesteps * (double)samples *
                       dsm__stated_bytes(layer->bytes.output, precision.element_bytes);
  const dsm_network_axis *const along = &network->axes[axis];
  const dsm__link_row *const link = dsm__link_row_of(along);
  const double places = link->stage_distance(along, stages);
  dsm_boundary boundary = {.bytes = total};
  dsm_axis_set whole = 0;
  double alike = 1;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const bool is_whole = layouts.of[a] == DSM_LAYOUT_WHOLE && network->axes[a].chips > 1;
    whole |= is_whole ? 1U << a : 0U;
    alike *= is_whole ? (double)network->axes[a].chips : 1;
    boundary.bytes /= is_whole ? 1 : (double)network->axes[a].chips;
  }
  boundary.shift.bytes[DSM_LINK_AXIS + axis] = link->shift(along, places, boundary.bytes / alike);
  boundary.shift.latency_cycles =
      dsm__step_latency_cycles(machine, axis) * (link->has_ports ? 1 : places);
  boundary.gather = dsm__reduce_scatter_traffic(machine, whole, boundary.bytes);
  boundary.gather.latency_cycles = 0;
  return boundary;
}

dsm_traffic dsm__tie_traffic(const dsm_layer *layer, const dsm_machine *machine,
                             dsm_precision precision, unsigned axis, dsm_parallelism parallelism) {
  const dsm_network *const network = &machine->system->system;
  const dsm_axis_set summing = dsm__summing_axes(layer, network, parallelism);
  double bytes = (double)layer->weight_elements * precision.gradient_bytes;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const bool is_cut = dsm_role_divides(dsm_parallelism_role(parallelism, a), DSM_DIVIDED_WEIGHTS);
    bytes /= is_cut || dsm_axis_set_has(summing, a) ? (double)network->axes[a].chips : 1;
  }
  const dsm_network_axis *const along = &network->axes[axis];
  const dsm__link_row *const link = dsm__link_row_of(along);
  dsm_system both = *machine->system;
  both.system.axes[axis].chips = 2;
  both.system.axes[axis].group_chips = 2; /* of the links between groups below */
  const dsm_machine pair = dsm_machine_derive(&both);
  const dsm__collective_asked asked = {
      .kind = DSM__COLLECTIVE_BOTH_WAYS, .members = 1U << axis, .bytes = bytes};
  dsm_traffic traffic = dsm__collective_traffic(&pair, &asked);
  if (link->has_ports) { /* as far apart as stages are */
    traffic.bytes[DSM_LINK_AXIS + axis] =
        link->shift(along, (double)along->chips, traffic.bytes[DSM_LINK_AXIS + axis]);
  }
  return traffic;
}
