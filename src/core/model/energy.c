/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy.c: what the products, the operations and the bytes of the ledger take (docs/energy.md). */
#include "base/element_types.h"
#include "base/words.h"
#include "model/chip_link.h"
#include "model/equations.h"

static const dsm__word parts[] = {
    [DSM_ENERGY_COMPUTE].key = "compute",       [DSM_ENERGY_VECTOR].key = "vector",
    [DSM_ENERGY_SCRATCHPAD].key = "scratchpad", [DSM_ENERGY_CORES].key = "core_links",
    [DSM_ENERGY_SHARED].key = "shared_memory",  [DSM_ENERGY_MEMORY].key = "memory",
    [DSM_ENERGY_LINKS].key = "links",           [DSM_ENERGY_STATIC].key = "static",
};
DSM__NAMED_WORDS(dsm__energy_parts, "part", parts, DSM_ENERGY_PART_COUNT, dsm_energy_part,
                 dsm_energy_part_name);

static dsm_energy_part part_of(int link) {
  static const dsm_energy_part within[] = {
      [DSM_LINK_MEMORY] = DSM_ENERGY_MEMORY,
      [DSM_LINK_RING] = DSM_ENERGY_CORES,
      [DSM_LINK_CORES] = DSM_ENERGY_CORES,
      [DSM_LINK_SHARED] = DSM_ENERGY_SHARED,
      [DSM_LINK_AUXILIARY_MEMORY] = DSM_ENERGY_MEMORY,
  };
  return link < DSM_LINK_MEMORY ? DSM_ENERGY_LINKS : within[link];
}

double dsm_traffic_joules(const dsm_energy_rates *rates, const dsm_traffic *traffic) {
  double joules = 0;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    joules += traffic->bytes[l] * rates->link_joules[l];
  }
  return joules;
}

void dsm_joules_add_traffic(dsm_joules *sum, const dsm_energy_rates *rates,
                            const dsm_traffic *traffic, double times) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    sum->of[part_of(l)] += times * traffic->bytes[l] * rates->link_joules[l];
  }
}

void dsm_joules_add(dsm_joules *sum, const dsm_joules *more, double times) {
  for (int p = 0; p < DSM_ENERGY_PART_COUNT; p++) {
    sum->of[p] += times * more->of[p];
  }
}

double dsm_joules_dynamic(const dsm_joules *joules) {
  double sum = 0;
  for (int p = 0; p < DSM_ENERGY_STATIC; p++) {
    sum += joules->of[p];
  }
  return sum;
}

double dsm_joules_total(const dsm_joules *joules) {
  return dsm_joules_dynamic(joules) + joules->of[DSM_ENERGY_STATIC];
}

static double mac_pJ(const dsm_energy *energy, int type) {
  dsm_element_type rate = dsm__element_type_rows[type].rate;
  while (!(energy->mac_pJ[rate] > 0) && dsm__element_type_rows[rate].wider != rate) {
    rate = dsm__element_type_rows[rate].wider;
  }
  return energy->mac_pJ[rate];
}

dsm_energy_rates dsm__energy_rates_of(const dsm_system *system, const dsm_core_links *links) {
  static const double joules_of_pJ = 1e-12;
  const dsm_technology *const technology = &system->technology;
  const dsm_energy *const energy = &technology->energy;
  const double of_links = links->is_by_core ? (double)system->chip.cores : 1;
  dsm_energy_rates rates = {
      .is_known = true,
      .vector_joules = joules_of_pJ * energy->vector_pJ,
      .scratchpad_joules = joules_of_pJ * energy->scratchpad_pJ_per_byte,
      .link_joules = {[DSM_LINK_MEMORY] = joules_of_pJ * energy->memory_pJ_per_byte,
                      [DSM_LINK_AUXILIARY_MEMORY] = joules_of_pJ * energy->memory_pJ_per_byte,
                      [DSM_LINK_SHARED] = joules_of_pJ * energy->shared_pJ_per_byte}};
  rates.link_joules[links->link] = joules_of_pJ * energy->core_link_pJ_per_byte * of_links;
  for (int t = DSM_ELEMENT_TYPE_ANY + 1; t < DSM_ELEMENT_TYPE_COUNT; t++) {
    rates.mac_joules[t] = joules_of_pJ * mac_pJ(energy, t);
  }
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    rates.link_joules[(unsigned)DSM_LINK_AXIS + a] =
        joules_of_pJ * energy->link_pJ_per_byte[energy->medium[a]];
  }
  return rates;
}

/*
 * Source: docs/energy.md. Symbols: macs * e_mac, the products of all chips shared out evenly; of
 * each product the array reads 1 / (columns) of an operand from the scratchpad, and reads and
 * writes 1 / (rows) of a sum there, as weights stay in it (A); ops * e_vector. Limits: rates of 0:
 * nothing.
 */
dsm_joules dsm__work_energy(const dsm_pass_work *work, dsm_element_type type, double macs,
                            double operations) {
  const dsm_machine *const machine = work->machine;
  const dsm_energy_rates *const rates = &machine->energy;
  const double scratchpad_bytes =
      macs * (work->tensor_bytes.input / (double)machine->production_chunk +
              2 * work->precision.partial_sum_bytes / (double)machine->reduction_chunk);
  dsm_joules energy = {{0}};
  energy.of[DSM_ENERGY_COMPUTE] = macs * rates->mac_joules[type];
  energy.of[DSM_ENERGY_VECTOR] = operations * rates->vector_joules;
  energy.of[DSM_ENERGY_SCRATCHPAD] = scratchpad_bytes * rates->scratchpad_joules;
  return energy;
}

dsm_joules dsm_invocation_energy(const dsm_pass_work *work, const dsm_loops *split) {
  dsm_joules energy = work->energy;
  const dsm_transfer_list list = dsm_invocation_transfers(work, split);
  for (unsigned i = 0; i < list.count; i++) {
    dsm_joules_add_traffic(&energy, &work->machine->energy, &list.items[i].traffic, 1);
  }
  return energy;
}

/* What is the same for all core splits: that, and what goes between chips or is of operations. */
double dsm__fixed_joules(const dsm_pass_work *work, bool is_turning_streamed) {
  const dsm_machine *const machine = work->machine;
  const dsm_energy_rates *const rates = &machine->energy;
  dsm_traffic turned = work->rotation;
  dsm_traffic auxiliary = {.bytes = {[DSM_LINK_SHARED] = work->shared.auxiliary}};
  const dsm_exchanges exchanges = dsm__exchanges_derive(work);
  auxiliary.bytes[machine->auxiliary_link] = work->bytes.auxiliary;
  if (is_turning_streamed) { /* the streams have what it puts on the chip's own links */
    turned.bytes[DSM_LINK_MEMORY] = 0;
    turned.bytes[DSM_LINK_SHARED] = 0;
    turned.bytes[machine->core_links.link] = 0;
  }
  double joules = dsm_joules_dynamic(&work->energy) + dsm_traffic_joules(rates, &turned) +
                  dsm_traffic_joules(rates, &work->sum_rotation) +
                  dsm_traffic_joules(rates, &auxiliary);
  for (unsigned i = 0; i < exchanges.count; i++) {
    joules += dsm_traffic_joules(rates, &exchanges.items[i].traffic);
  }
  return joules;
}

double dsm_group_price(const dsm_machine *machine, const dsm_traffic *traffic) {
  const double cycles = dsm_group_cycles(machine, traffic);
  return machine->is_weighed
             ? machine->weights.cycles * cycles +
                   machine->weights.joules * dsm_traffic_joules(&machine->energy, traffic)
             : cycles;
}
