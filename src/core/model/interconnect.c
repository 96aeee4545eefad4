/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interconnect.c: what the busiest link between the cores of a chip carries, by the kind of
 * interconnect (section 5). The bandwidth of a link is that of both directions together.
 */
#include <math.h>

#include "model/engine.h"

/*
 * Source: the paper, II-B and Fig. 10. Symbols: all that the chip streams passes every link, data
 * for cores anywhere d(c) links, partial sums one link each, from neighbour to neighbour. Limits:
 * one core: what streams passes it.
 */
static dsm_core_links ring(uint64_t cores) {
  return (dsm_core_links){.link = DSM_LINK_RING,
                          .sharers = 1,
                          .crossings = 1,
                          .distance = dsm__two_way_distance(cores)};
}

/*
 * Source: section 5, derived there. Symbols: a link of its core only; what a core sends to another
 * passes the links of both, so that each core's carries as much again; of data for cores anywhere
 * (c - 1) / c leaves its core. Limits: one core: only what streams.
 */
static dsm_core_links crossbar(uint64_t cores) {
  const double all = (double)cores;
  return (dsm_core_links){.link = DSM_LINK_CORES,
                          .is_by_core = true,
                          .sharers = all,
                          .crossings = 2,
                          .distance = 2 * (all - 1) / all};
}

/* The shorter side of cores in equal rows, as square as possible. */
static uint64_t mesh_rows(uint64_t cores) {
  uint64_t rows = 1;
  for (uint64_t side = 1; side * side <= cores; side++) {
    rows = cores % side == 0 ? side : rows;
  }
  return rows;
}

/*
 * Source: section 5, derived there. Symbols: a x b cores, a <= b; a cut through the b cores of each
 * row has a links; of what cores send to cores anywhere 2*floor(b*b/4)/(b*b) passes it, one way or
 * the other: 2*d(b) bytes a link for each that a core sends. Limits: one core: only what streams;
 * c in a row: twice a ring's.
 */
static dsm_core_links mesh(uint64_t cores) {
  const double across = 2 * dsm__two_way_distance(cores / mesh_rows(cores));
  return (dsm_core_links){.link = DSM_LINK_CORES,
                          .is_by_core = true,
                          .sharers = (double)cores,
                          .crossings = across,
                          .distance = across};
}

/* One core beside its memory: no link between them, and nothing to carry. */
static dsm_core_links none(uint64_t cores) {
  (void)cores;
  return (dsm_core_links){.link = DSM_LINK_CORES, .sharers = HUGE_VAL};
}

dsm_core_links dsm__core_links_derive(const dsm_chip *chip) {
  static dsm_core_links (*const kinds[DSM_INTERCONNECT_COUNT])(uint64_t cores) = {
      [DSM_INTERCONNECT_RING] = ring,
      [DSM_INTERCONNECT_CROSSBAR] = crossbar,
      [DSM_INTERCONNECT_MESH] = mesh,
      [DSM_INTERCONNECT_NONE] = none,
  };
  return kinds[chip->interconnect](chip->cores);
}

double dsm__spread_bytes(const dsm_machine *machine, double bytes) {
  return bytes / machine->core_links.sharers;
}

double dsm__exchanged_bytes(const dsm_machine *machine, double bytes) {
  return bytes * machine->core_links.crossings;
}

double dsm__layout_move_bytes(const dsm_machine *machine, double bytes) {
  return bytes * machine->core_links.distance / (double)machine->system->chip.cores;
}

static double link_operand_bytes_per_cycle(const dsm_machine *machine) {
  const dsm_core_links *const links = &machine->core_links;
  return machine->link_bytes_per_cycle[links->link] * links->sharers /
         (double)machine->system->chip.cores;
}

static double shared_operand_bytes_per_cycle(const dsm_machine *machine) {
  return machine->link_bytes_per_cycle[DSM_LINK_SHARED] / (double)machine->system->chip.cores;
}

dsm_link dsm__tile_operand_link(const dsm_machine *machine) {
  return shared_operand_bytes_per_cycle(machine) < link_operand_bytes_per_cycle(machine)
             ? DSM_LINK_SHARED
             : machine->core_links.link;
}

double dsm__tile_operand_bytes_per_cycle(const dsm_machine *machine) {
  return fmin(link_operand_bytes_per_cycle(machine), shared_operand_bytes_per_cycle(machine));
}

/* What the cores need of features and of the kernel goes to each that needs it; all else has one
 * core each. */
dsm__stream_shares dsm__stream_shares_derive(const dsm_pass_work *work,
                                             const dsm__core_bytes *core) {
  const dsm_machine *const machine = work->machine;
  const dsm_chip_bytes *const chip = &work->bytes;
  const double even = 1 / machine->core_links.sharers;
  if (!machine->core_links.is_by_core || !machine->engine->has_splits) {
    return (dsm__stream_shares){even, even, even, even};
  }
  return (dsm__stream_shares){
      .input = core->input / chip->input,
      .output = core->output / chip->raw,
      .kernel = chip->kernel > 0 ? core->kernel / chip->kernel : 0,
      .rest = even,
  };
}
