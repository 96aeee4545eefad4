/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shared_memory.c: a memory of the chip between its scratchpads and external memory (section 7).
 *
 * Cores read and write all that they work on there. So what passes it, and the links of the cores,
 * is the same whatever is held: only external memory is spared. Where an operand that is fetched
 * again fits in what is left, external memory has it once.
 *
 * What is left does not depend on the core split, nor on the part of a kernel that stays there, and
 * each memory and link has to do no less where a core's part falls into more tiles. So with each
 * order of loops time never falls where a need of a split rises (split_walk.c), and the least of
 * both orders does not either.
 */
#include <math.h>

#include "model/engine.h"
#include "model/streams.h"

dsm_chip_bytes dsm__open_bytes_derive(const dsm_pass_work *work) {
  dsm_residency none = dsm_residency_none(work->machine);
  none.is_accumulating = work->residency.is_accumulating;
  return dsm__chip_bytes_derive(work->layer, work->machine, work->precision, work->mode, work->pass,
                                &work->share, &none);
}

dsm_shared_bytes dsm__shared_bytes_derive(const dsm_pass_work *work) {
  if (!work->machine->has_shared_memory) {
    return (dsm_shared_bytes){.features = 0};
  }
  dsm_pass_work open = *work; /* nothing held */
  open.bytes = dsm__open_bytes_derive(work);
  open.tile_bytes.spilled = 0;
  return (dsm_shared_bytes){
      .features = dsm__streamed_features(&open, &dsm__whole_stream),
      .kernel = dsm__streamed_kernel(&open, &dsm__whole_stream),
      .rest = dsm__streamed_bytes(&open, (dsm__refetch){0, 0, 0}, &dsm__whole_stream),
      .deferred = work->bytes.deferred,
      .auxiliary = open.bytes.auxiliary,
  };
}

/* Of what the shares of a link are. */
static double feature_share(const dsm_pass_work *work, const dsm__stream_shares *shares) {
  return work->pass == DSM_PASS_BACKWARD ? shares->output : shares->input;
}

static double kernel_share(const dsm_pass_work *work, const dsm__stream_shares *shares) {
  return work->pass == DSM_PASS_UPDATE ? shares->output : shares->kernel;
}

double dsm__shared_link_bytes(const dsm_pass_work *work, dsm__refetch refetch,
                              const dsm__stream_shares *shares) {
  const dsm_shared_bytes *const shared = &work->shared;
  return shared->features * feature_share(work, shares) * refetch.features +
         shared->kernel * kernel_share(work, shares) * refetch.kernel +
         (shared->rest + shared->spilled * refetch.sums) * shares->rest;
}

double dsm__shared_memory_bytes(const dsm_pass_work *work, dsm__refetch refetch) {
  return dsm__shared_link_bytes(work, refetch, &dsm__whole_stream) + work->shared.deferred;
}

/* What the kernel takes of the shared memory does not depend on the part of it that stays there, so
 * that less of it on chip never makes it fit. */
static double whole_kernel_bytes(const dsm_pass_work *work) {
  return work->pass == DSM_PASS_UPDATE ? dsm__streamed_kernel(work, &dsm__whole_stream)
                                       : work->bytes.kernel;
}

dsm__refetch dsm__memory_refetch(const dsm_pass_work *work, dsm__refetch refetch) {
  const double room_bytes = work->residency.shared_bytes;
  if (!work->machine->has_shared_memory) {
    return refetch;
  }
  if (refetch.features > 1 &&
      dsm__fits_shared(dsm__streamed_features(work, &dsm__whole_stream), room_bytes)) {
    refetch.features = 1;
  }
  if (refetch.kernel > 1 && dsm__fits_shared(whole_kernel_bytes(work), room_bytes)) {
    refetch.kernel = 1;
  }
  if (dsm__fits_shared(work->tile_bytes.spilled / 2, room_bytes)) {
    refetch.sums = 0;
  }
  return refetch;
}

/* Of external memory where some of it is fetched once, whatever the cores do. */
static dsm__stream_load behind_shared(const dsm_pass_work *work, dsm__stream_load load) {
  static const dsm__refetch again = {2, 2, 1};
  const dsm__refetch left = dsm__memory_refetch(work, again);
  if (left.features <= 1) {
    load.fixed += load.features;
    load.features = 0;
  }
  if (left.kernel <= 1) {
    load.fixed += load.kernel;
    load.kernel = 0;
  }
  load.spilled = left.sums > 0 ? load.spilled : 0;
  return load;
}

static dsm__stream_loads shared_loads_of(const dsm_pass_work *work, const dsm__core_bytes *core) {
  static const dsm__refetch none = {0, 0, 0};
  const dsm_machine *const machine = work->machine;
  const dsm_shared_bytes *const shared = &work->shared;
  const dsm_link link = machine->core_links.link;
  const double rate = machine->link_bytes_per_cycle[DSM_LINK_SHARED];
  const double link_rate = machine->link_bytes_per_cycle[link];
  const dsm__stream_shares shares = dsm__stream_shares_derive(work, core);
  const dsm__stream_load memory = dsm__memory_load(work);
  return (dsm__stream_loads){
      .of = {behind_shared(work, memory),
             {.fixed = (dsm__shared_memory_bytes(work, none) +
                        dsm__rotated_bytes(work, DSM_LINK_SHARED)) /
                       rate,
              .features = shared->features / rate,
              .kernel = shared->kernel / rate,
              .spilled = shared->spilled / rate},
             {.fixed =
                  (dsm__shared_link_bytes(work, none, &shares) + dsm__rotated_bytes(work, link)) /
                  link_rate,
              .features = shared->features * feature_share(work, &shares) / link_rate,
              .kernel = shared->kernel * kernel_share(work, &shares) / link_rate,
              .spilled = shared->spilled * shares.rest / link_rate}},
      .count = 3};
}

/* With a shared memory both orders fetch from there, and what they leave to external memory differs
 * by what fits: the faster of all that carry them decides. */
dsm__refetch dsm__shared_refetch(const dsm_pass_work *work, const dsm__core_bytes *core,
                                 const dsm__core_extents *extents) {
  const dsm__refetch_orders orders = dsm__refetch_orders_derive(work, core);
  const dsm__stream_loads loads = shared_loads_of(work, core);
  const dsm__refetch paper = dsm__largest_load(&loads, orders.kernel_outer) <=
                                     dsm__largest_load(&loads, orders.feature_outer)
                                 ? orders.kernel_outer
                                 : orders.feature_outer;
  if (!dsm__is_blocked(work) || (paper.features <= 1 && paper.kernel <= 1)) {
    return paper;
  }
  return dsm__blocked_refetch(work, extents, &loads, paper);
}

/* Along the part of the kernel that is on chip external memory has less to do with each order, and
 * nothing else changes: its time falls along a line, down to what the others take. */
typedef struct fall {
  double none;  /* cycles of external memory with nothing on chip */
  double slope; /* that all of the kernel saves */
  double rest;  /* cycles of shared memory and link of the cores */
} fall;

static fall fall_of(const dsm_pass_work *work, const dsm__stream_loads *loads,
                    dsm__refetch refetch) {
  dsm__stream_loads rest = *loads;
  const dsm__stream_loads memory = {{loads->of[0]}, 1};
  rest.of[0] = (dsm__stream_load){.fixed = 0};
  return (fall){
      .none = dsm__largest_load(&memory, refetch),
      .slope = work->bytes.kernel * dsm__memory_refetch(work, refetch).kernel /
               work->machine->link_bytes_per_cycle[DSM_LINK_MEMORY],
      .rest = dsm__largest_load(&rest, refetch),
  };
}

/* Where external memory takes so long. */
static double fraction_at(const fall *f, double cycles) {
  if (f->none <= cycles) {
    return 0;
  }
  const double fraction = f->slope > 0 ? (f->none - cycles) / f->slope : 1;
  return fraction < 1 ? fraction : 1;
}

dsm_resident_breaks dsm__shared_breaks(const dsm_pass_work *work, const dsm__core_bytes *core,
                                       double bound_cycles) {
  enum { ORDERS = 2 };
  dsm_pass_work without = *work; /* the whole kernel moves */
  without.bytes.kernel_moved = work->bytes.kernel;
  const dsm__stream_loads loads = shared_loads_of(&without, core);
  const dsm__refetch_orders orders = dsm__refetch_orders_derive(work, core);
  const fall falls[ORDERS] = {
      fall_of(&without, &loads, orders.kernel_outer),
      fall_of(&without, &loads, orders.feature_outer),
  };
  double least = HUGE_VAL; /* with all of it on chip */
  for (int o = 0; o < ORDERS; o++) {
    least = fmin(least, fmax(falls[o].rest, falls[o].none - falls[o].slope));
  }
  least = fmax(least, bound_cycles);
  double needed = 1;
  for (int o = 0; o < ORDERS; o++) {
    if (falls[o].rest <= least) {
      needed = fmin(needed, fraction_at(&falls[o], least));
    }
  }
  dsm_resident_breaks breaks = {.count = 0};
  for (int o = 0; o < ORDERS; o++) {
    const double end = fraction_at(&falls[o], falls[o].rest);
    if (falls[o].rest > least && end > 0 && end < needed) {
      breaks.fractions[breaks.count++] = end;
    }
  }
  if (breaks.count == ORDERS && breaks.fractions[0] > breaks.fractions[1]) {
    const double first = breaks.fractions[1];
    breaks.fractions[1] = breaks.fractions[0];
    breaks.fractions[0] = first;
  }
  breaks.fractions[breaks.count++] = needed;
  return breaks;
}
