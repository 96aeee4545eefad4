/* SPDX-License-Identifier: GPL-3.0-or-later */
/* area.c: the area of a chip by its parts (docs/budget.md). Constants: LLMCompass (Zhang et al.,
 * ISCA 2024), which took them from GA100 and MI210, and efficiencies of macros from CACTI. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "technology/machine_parts.h"

/* Transistors of a multiply-accumulate unit of 64 bits, whose mantissa has 52; of an integer unit
 * of 32 bits. A unit grows as the square of its mantissa. */
#define WIDE_MAC_TRANSISTORS 685300.0
#define WIDE_MANTISSA 52.0
#define INT32_TRANSISTORS 177690.0
enum { FP32_MANTISSA = 23, FP64_MANTISSA = 52 };

/* Bits of a mantissa. Assumption: integers as floating point as wide, and types of 4 bits have 1.
 */
static const unsigned char mantissas[DSM_ELEMENT_TYPE_COUNT] = {
    [DSM_ELEMENT_TYPE_ANY] = 10,  [DSM_ELEMENT_TYPE_INT8] = 3,  [DSM_ELEMENT_TYPE_FP8] = 3,
    [DSM_ELEMENT_TYPE_FP16] = 10, [DSM_ELEMENT_TYPE_BF16] = 7,  [DSM_ELEMENT_TYPE_TF32] = 10,
    [DSM_ELEMENT_TYPE_FP32] = 23, [DSM_ELEMENT_TYPE_INT4] = 1,  [DSM_ELEMENT_TYPE_FP4] = 1,
    [DSM_ELEMENT_TYPE_NVFP4] = 1, [DSM_ELEMENT_TYPE_MXFP4] = 1, [DSM_ELEMENT_TYPE_E4M3] = 3,
    [DSM_ELEMENT_TYPE_E5M2] = 2,  [DSM_ELEMENT_TYPE_MXFP8] = 3};

/* An interface: what does not shrink with the node, what does, and the bandwidth of one. */
typedef struct interface {
  double phy_mm2;
  double transistors;
  double GBps; /* one way */
} interface;

/* Bandwidths: JEDEC, 3.6 Gbit/s on 1,024 pins of a stack; 4,800 MT/s on 32 bits of a channel. */
static const interface memories[DSM_MEMORY_INTERFACE_COUNT] = {
    [DSM_MEMORY_INTERFACE_HBM2E] = {10.45, 552.743e6, 460.8},
    [DSM_MEMORY_INTERFACE_DDR5] = {1.45, 90.446e6, 19.2},
};
/* Bandwidths: of a link of NVLink and of Infinity Fabric; 32 GT/s on a lane of PCIe 5, 128 of 130
 * bits of which are data. */
static const interface links[DSM_LINK_INTERFACE_COUNT] = {
    [DSM_LINK_INTERFACE_NVLINK3] = {1.888, 74.632e6, 25},
    [DSM_LINK_INTERFACE_NVLINK4] = {.965, 86.628e6, 25},
    [DSM_LINK_INTERFACE_INFINITY_FABRIC] = {5.69, 348.148e6, 100},
    [DSM_LINK_INTERFACE_PCIE5] = {.64, 5.372e6, 32.0 / 8 * 128 / 130},
};

double dsm__needed(dsm_machine_cost *cost, double number, const char *path) {
  if (number > 0) {
    return number;
  }
  bool is_noted = cost->unstated_count == DSM_UNSTATED_MAX;
  for (unsigned i = 0; i < cost->unstated_count; i++) {
    is_noted = is_noted || strcmp(cost->unstated[i], path) == 0;
  }
  if (!is_noted) {
    cost->unstated[cost->unstated_count++] = path;
  }
  return (double)NAN;
}

/* Source: LLMCompass. Symbols: 685,300 * (mantissa / 52)^2. */
static double mac_transistors(double mantissa) {
  const double share = mantissa / WIDE_MANTISSA;
  return WIDE_MAC_TRANSISTORS * share * share;
}

/* ---- static memory ---- */

/* Share of a macro that is cells, of 4, 8 .. 1024 KiB. Source: CACTI, as LLMCompass has it. */
static const double efficiencies[] = {.076, .142, .247, .393, .559, .704, .526, .602, .561};
enum { SMALLEST_KIB = 4, UNIT_KIB = 512, LARGEST_SIZES = 7 /* 4 .. 256 KiB */ };

/* Of the next size that is no smaller. */
static double efficiency_of(double bytes) {
  size_t index = 0;
  double size = SMALLEST_KIB * DSM__BYTES_PER_KIB;
  while (size < bytes && index + 1 < DSM__COUNT_OF(efficiencies)) {
    size *= 2;
    index++;
  }
  return efficiencies[index];
}

/* Source: LLMCompass; own: a larger macro may be smaller than one that fits, and is taken then, so
 * that area never falls as memory grows. Symbols: min of bytes * 8 * cell / eff(unit), unit =
 * min(bytes, 512 KiB), and of s * 8 * cell / eff(2 s), s = 4 .. 256 KiB, s >= bytes. Limits: above
 * 256 KiB the first alone. */
double dsm_sram_mm2(double bytes, double cell_um2) {
  if (!(bytes > 0)) {
    return 0;
  }
  const double cell_mm2 = cell_um2 * 1e-6;
  const double unit = fmin(bytes, UNIT_KIB * DSM__BYTES_PER_KIB);
  double least = bytes * 8 * cell_mm2 / efficiency_of(unit);
  double size = SMALLEST_KIB * DSM__BYTES_PER_KIB;
  for (size_t i = 0; i < LARGEST_SIZES; i++) {
    if (size >= bytes) {
      least = fmin(least, size * 8 * cell_mm2 / efficiency_of(2 * size));
    }
    size *= 2;
  }
  return least;
}

/* ---- registers ---- */

/* The density at which the fit of registers was made, MTr/mm2. */
#define REGISTER_DENSITY 1.6

/* Source: LLMCompass, a fit of register files of 90 nm, um2. Symbols: D registers of W bits with P
 * ports. Limits: at least 0; none for no registers. */
static double register_file_mm2(const dsm_area *area, double density) {
  const double D = area->registers;
  const double W = area->register_bits;
  const double P = area->register_ports;
  const double um2 = 3.29e4 - 1.09e3 * D - 883 * W - 5.55e3 * P + 53.5 * D * W + .015 * D * D +
                     .0108 * W * W + .586 * P * P + 142 * D * P + 368 * W * P;
  return D > 0 ? fmax(um2, 0) * 1e-6 * REGISTER_DENSITY / density : 0;
}

/* ---- parts ---- */

/* Adds interfaces: each a PHY, and a controller of logic. */
static void add_interfaces(dsm_machine_cost *cost, const interface *of, double count,
                           double per_mm2, dsm_area_part phy) {
  cost->parts_mm2[phy] = count * of->phy_mm2;
  cost->parts_mm2[phy + 1] = count > 0 ? count * of->transistors / per_mm2 : 0;
}

/* Source: A: a chip of a ring or line of more than two has a link to each of two neighbours, else
 * one link or port. */
double dsm__axis_GBps(const dsm_network_axis *axis) {
  const bool has_two = axis->link == DSM_LINK_KIND_RING || axis->link == DSM_LINK_KIND_LINE;
  const double count = axis->chips < 2 ? 0 : has_two && axis->chips > 2 ? 2 : 1;
  return count * axis->bandwidth_GBps;
}

static double link_GBps(const dsm_system *system) {
  double sum = 0;
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    sum += dsm__axis_GBps(&system->system.axes[a]);
  }
  return system->area.link_GBps > 0 ? system->area.link_GBps : sum;
}

static void add_links(const dsm_system *system, dsm_machine_cost *cost, double per_mm2) {
  const dsm_area *const area = &system->area;
  const interface *const memory = &memories[area->memory_interface];
  const interface *const link = &links[area->link_interface];
  const double stacks = area->memory_stacks > 0
                            ? (double)area->memory_stacks
                            : ceil(system->chip.memory.bandwidth_GBps / memory->GBps);
  add_interfaces(cost, memory, stacks, per_mm2, DSM_AREA_PART_MEMORY_PHY);
  add_interfaces(cost, link, ceil(link_GBps(system) / link->GBps), per_mm2, DSM_AREA_PART_LINK_PHY);
}

static double lanes_of(const dsm_system *system) {
  const dsm_core *const core = &system->core;
  return system->area.vector_lanes > 0 ? system->area.vector_lanes
                                       : fmax(core->sfu_ops_per_cycle, core->vector_macs_per_cycle);
}

/* The areas of a core's parts, in those of the chip; how many cores there are, with spare ones, is
 * for the caller. */
static void add_core(const dsm_system *system, dsm_machine_cost *cost, double per_mm2) {
  const dsm_area *const area = &system->area;
  const double lanes = lanes_of(system);
  const double macs = (double)system->core.arrays * (double)system->array.rows *
                      (double)system->array.columns * (double)system->pe.simd_macs;
  const double unit = area->int32_per_lane * INT32_TRANSISTORS +
                      area->fp32_per_lane * mac_transistors(FP32_MANTISSA) +
                      area->fp64_per_lane * mac_transistors(FP64_MANTISSA);
  const double cell =
      dsm__needed(cost, system->technology.silicon.cell_um2, "technology.silicon.cell_um2");
  double *const parts = cost->parts_mm2;
  parts[DSM_AREA_PART_ARRAYS] = macs * mac_transistors(mantissas[area->mac_type]) / per_mm2;
  parts[DSM_AREA_PART_VECTOR] = lanes * unit / per_mm2;
  parts[DSM_AREA_PART_CONTROL] = lanes * system->technology.silicon.control_transistors / per_mm2;
  parts[DSM_AREA_PART_REGISTERS] = area->register_files * register_file_mm2(area, per_mm2 * 1e-6);
  parts[DSM_AREA_PART_SCRATCHPADS] =
      dsm_sram_mm2(system->core.scratchpad_MiB * DSM__BYTES_PER_MIB, cell);
  cost->core_mm2 = 0;
  for (int part = 0; part <= DSM_AREA_PART_SCRATCHPADS; part++) {
    cost->core_mm2 += parts[part];
  }
  const bool is_joined = system->chip.interconnect != DSM_INTERCONNECT_NONE;
  parts[DSM_AREA_PART_PORTS] =
      is_joined ? system->technology.silicon.port_transistors / per_mm2 : 0;
  parts[DSM_AREA_PART_SHARED] =
      dsm_sram_mm2(system->chip.shared_memory.capacity_MB * DSM__BYTES_PER_MB, cell);
}

/* Source: LLMCompass: cores * (core + port) + shared + memory + links + other. Limits: a chip of
 * which only the peak rate is known has the area that is stated of it, or none. */
void dsm__area_of(const dsm_system *system, dsm_machine_cost *cost) {
  const double cores = (double)system->chip.cores + (double)system->area.spare_cores;
  const double dies = (double)system->area.dies;
  const bool is_known = !(system->chip.peak_TFLOPS > 0);
  double sum = 0;
  if (is_known) {
    const double per_mm2 = 1e6 * dsm__needed(cost, system->technology.silicon.density_MTr_per_mm2,
                                             "technology.silicon.density_MTr_per_mm2");
    add_core(system, cost, per_mm2);
    add_links(system, cost, per_mm2);
  }
  cost->parts_mm2[DSM_AREA_PART_OTHER] = system->area.other_mm2;
  for (int part = 0; part < DSM_AREA_PART_COUNT; part++) {
    cost->parts_mm2[part] *= part <= DSM_AREA_PART_PORTS ? cores : 1;
    sum += cost->parts_mm2[part];
  }
  if (system->area.die_mm2 > 0) {
    cost->chip_mm2 = system->area.die_mm2 * dies;
  } else {
    cost->chip_mm2 = is_known ? sum : dsm__needed(cost, 0, "area.die_mm2");
  }
  cost->die_mm2 = cost->chip_mm2 / dies;
}
