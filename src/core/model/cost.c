/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost.c: joins the equations into the cost of an invocation. */
#include <math.h>

#include "model/chip_link.h"
#include "model/engine.h"
#include "model/streams.h"

/* What turns as it is overlaps: inputs, but in backward outputs' errors; in update both; keys and
 * values. Sums that turn do not. */
static bool is_beside_streams(const dsm_pass_work *work) {
  return work->is_operand_turning ||
         (work->pass != DSM_PASS_BACKWARD && work->share.in_turns > 1) ||
         (work->pass != DSM_PASS_FORWARD && work->share.out_turns > 1);
}

static void add_traffic(dsm_traffic *sum, const dsm_traffic *more) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    sum->bytes[l] += more->bytes[l];
  }
  sum->latency_cycles += more->latency_cycles;
}

dsm_traffic dsm__turning_traffic(const dsm_pass_work *work, dsm_divided turning) {
  const bool is_of_inputs = turning == DSM_DIVIDED_IN_TURNS;
  if ((is_of_inputs ? work->share.in_turns : work->share.out_turns) <= 1) {
    return (dsm_traffic){.latency_cycles = 0};
  }
  return dsm__rotation_traffic(work->machine, work->tensor_bytes.sum, turning,
                               dsm__is_sum_turning(work->pass, turning), work->share.parallelism,
                               is_of_inputs ? work->bytes.rotation : work->bytes.output_rotation);
}

static void derive_rotation(dsm_pass_work *work) {
  static const dsm_divided turning[] = {DSM_DIVIDED_IN_TURNS, DSM_DIVIDED_OUT_TURNS};
  for (size_t i = 0; i < sizeof turning / sizeof turning[0]; i++) {
    const dsm_traffic turned = dsm__turning_traffic(work, turning[i]);
    add_traffic(dsm__is_sum_turning(work->pass, turning[i]) ? &work->sum_rotation : &work->rotation,
                &turned);
  }
  if (work->is_operand_turning) {
    const dsm_traffic turned = dsm__operand_traffic(work);
    add_traffic(&work->rotation, &turned);
  }
  work->rotation_cycles = dsm_group_cycles(work->machine, &work->sum_rotation);
}

static double turning_cycles(const dsm_pass_work *work) {
  dsm_traffic along_axes = work->rotation;
  along_axes.bytes[DSM_LINK_MEMORY] = 0;
  along_axes.bytes[DSM_LINK_SHARED] = 0;
  along_axes.bytes[work->machine->core_links.link] = 0;
  along_axes.latency_cycles = 0;
  return is_beside_streams(work) ? dsm_group_cycles(work->machine, &along_axes) : 0;
}

static void derive_collectives(dsm_pass_work *work) {
  const dsm_exchanges list = dsm__exchanges_derive(work);
  for (unsigned i = 0; i < list.count; i++) {
    const double cycles = dsm_group_cycles(work->machine, &list.items[i].traffic);
    work->collective_cycles += cycles;
    work->hidden_cycles += list.items[i].hidden_share * cycles;
    work->collective_latency_cycles += list.items[i].traffic.latency_cycles;
  }
}

double dsm__shown_cycles(const dsm_pass_work *work, double product) {
  return work->collective_cycles - (work->hidden_cycles < product ? work->hidden_cycles : product);
}

/* What a causal mask hides is not computed. Where scores are made anew, each of the two invocations
 * of their backward pass has half of a forward pass on top. */
static double product_share(const dsm_layer *layer, const dsm_machine *machine, dsm_pass pass) {
  const dsm_assumptions *const model = &machine->system->model;
  const bool is_again = pass == DSM_PASS_BACKWARD && dsm__is_score_fused(layer, model);
  return dsm__visible_share(layer, model) * (is_again ? 1.5 : 1) * dsm__sent_share(layer);
}

/* The longest of what the special function units take and what memories do, of equals the first. */
static void derive_auxiliary(dsm_pass_work *work, double computing) {
  const dsm_machine *const machine = work->machine;
  const double moving = dsm_link_cycles(machine, machine->auxiliary_link, work->bytes.auxiliary);
  work->auxiliary_cycles = moving > computing ? moving : computing;
  work->auxiliary_bound = moving > computing ? DSM_BOUND_AUXILIARY_MEMORY : DSM_BOUND_AUXILIARY;
  if (machine->has_shared_memory) {
    const double shared = dsm_link_cycles(machine, DSM_LINK_SHARED, work->shared.auxiliary);
    if (shared > work->auxiliary_cycles) {
      work->auxiliary_cycles = shared;
      work->auxiliary_bound = DSM_BOUND_SHARED;
    }
  }
}

/* Of products the layer's own, which all chips share, whatever the busiest one has of them. */
static void derive_energy(dsm_pass_work *work, dsm_element_type type, uint64_t samples,
                          double auxiliary_cycles) {
  const dsm_machine *const machine = work->machine;
  const double macs = (double)work->layer->macs * (double)samples *
                      product_share(work->layer, machine, work->pass) / (double)machine->chip_count;
  const double of_one = dsm__special_function_cycles(machine, 1);
  const double operations = of_one > 0 ? auxiliary_cycles / of_one : 0;
  work->energy = dsm__work_energy(work, type, macs, operations);
  if (machine->is_weighed) {
    work->fixed_joules = dsm__fixed_joules(work, is_beside_streams(work));
  }
}

dsm_pass_work dsm_pass_work_derive(const dsm_layer *layer, const dsm_machine *machine,
                                   dsm_precision precision, dsm_mode mode, dsm_pass pass,
                                   dsm_parallelism parallelism, uint64_t samples,
                                   const dsm_residency *residency) {
  dsm_pass_work work = {
      .layer = layer,
      .machine = machine,
      .mode = mode,
      .pass = pass,
      .precision = precision,
      .tensor_bytes = dsm__tensor_bytes_derive(layer, &precision, mode, pass),
      .product_share = product_share(layer, machine, pass),
      .share = dsm_chip_share_derive(layer, machine, parallelism, samples),
      .residency = *residency,
  };
  const double busiest = dsm__expert_imbalance(layer, machine, parallelism);
  work.product_share *= busiest;
  work.share.position_share *= busiest;
  work.precision.array_rate = dsm__pass_array_rate(layer, machine->system, &precision, mode, pass);
  work.bytes =
      dsm__chip_bytes_derive(layer, machine, precision, mode, pass, &work.share, residency);
  const double ops = dsm__auxiliary_ops(layer, machine->system, mode, pass) +
                     dsm__fork_ops(layer, &machine->system->model, pass) +
                     (dsm__input_widening(machine, &work.share) - 1) *
                         dsm__input_ops(layer, machine->system, mode, pass);
  if (machine->has_shared_memory) {
    work.shared = dsm__shared_bytes_derive(&work);
  }
  const double widening = dsm__widening_ops(layer, pass, &work.bytes, &work.tensor_bytes);
  const double passing = dsm__auxiliary_cycles(machine, &work.share, ops) +
                         dsm__special_function_cycles(machine, widening);
  derive_auxiliary(&work, passing);
  if (machine->overhead_cycles > 0) {
    work.overhead_cycles =
        dsm_invocation_kernels(layer, machine, mode, pass) * machine->overhead_cycles;
  }
  work.statistics_cycles = dsm__statistics_cycles(&work, samples);
  work.tile_bytes = dsm__tile_bytes_derive(&work);
  if (machine->has_shared_memory) {
    work.shared.spilled = dsm__shared_spill_bytes(&work);
  }
  work.is_operand_turning = dsm__is_operand_turning(&work);
  if (work.share.turns > 1 || work.is_operand_turning) {
    derive_rotation(&work);
  }
  work.turning_cycles = turning_cycles(&work);
  derive_collectives(&work);
  if (machine->engine->prepare != NULL) {
    machine->engine->prepare(&work);
  }
  if (machine->energy.is_known) {
    derive_energy(&work, dsm__pass_element_type(layer, &precision, mode, pass), samples, passing);
  }
  return work;
}

/* The streams to and from memory pass the links of the cores too, and a shared memory; rotation
 * joins them where it overlaps. */
typedef struct streams {
  double memory_bytes;
  double link_bytes;   /* of cores */
  double shared_bytes; /* of a shared memory */
} streams;

/* Behind a shared memory that has what is held, and some of what is fetched again. */
static streams shared_streams(const dsm_pass_work *work, const dsm__core_bytes *core,
                              dsm__refetch refetch) {
  const dsm__stream_shares shares = dsm__stream_shares_derive(work, core);
  return (streams){.memory_bytes = dsm__memory_bytes(work, dsm__memory_refetch(work, refetch)),
                   .link_bytes = dsm__shared_link_bytes(work, refetch, &shares),
                   .shared_bytes = dsm__shared_memory_bytes(work, refetch)};
}

static inline streams streams_derive(const dsm_pass_work *work, const dsm__core_bytes *core,
                                     dsm__refetch refetch) {
  const dsm_core_links *const links = &work->machine->core_links;
  streams all = {.shared_bytes = 0};
  if (work->machine->has_shared_memory) {
    all = shared_streams(work, core, refetch);
  } else {
    all.memory_bytes = dsm__memory_bytes(work, refetch);
    if (links->is_by_core) {
      const dsm__stream_shares shares = dsm__stream_shares_derive(work, core);
      all.link_bytes = dsm__streamed_bytes(work, refetch, &shares);
    } else {
      all.link_bytes = dsm__spread_bytes(work->machine, all.memory_bytes);
    }
  }
  if (is_beside_streams(work)) {
    all.shared_bytes += work->rotation.bytes[DSM_LINK_SHARED];
    all.memory_bytes += work->rotation.bytes[DSM_LINK_MEMORY];
    all.link_bytes += work->rotation.bytes[links->link];
  }
  return all;
}

static dsm_traffic stream_traffic(const dsm_pass_work *work, const streams *all) {
  dsm_traffic traffic = {.latency_cycles = 0};
  if (is_beside_streams(work)) {
    traffic = work->rotation;
  }
  traffic.bytes[DSM_LINK_MEMORY] = all->memory_bytes;
  traffic.bytes[DSM_LINK_SHARED] = all->shared_bytes;
  traffic.bytes[work->machine->core_links.link] = all->link_bytes;
  return traffic;
}

/* dsm_group_cycles of the streams: only those of their links that are on the chip differ from split
 * to split. */
static inline double stream_cycles(const dsm_pass_work *work, const streams *all) {
  const dsm_machine *const machine = work->machine;
  const double *const rates = machine->link_bytes_per_cycle;
  const double memory = all->memory_bytes / rates[DSM_LINK_MEMORY];
  const double link = all->link_bytes / rates[machine->core_links.link];
  const double latency = is_beside_streams(work) ? work->rotation.latency_cycles : 0;
  double within = memory > link ? memory : link;
  if (machine->has_shared_memory) {
    within = fmax(within, all->shared_bytes / rates[DSM_LINK_SHARED]);
  }
  return (within > work->turning_cycles ? within : work->turning_cycles) + latency;
}

static double layout_move_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  return dsm__layout_move_bytes(work->machine, dsm__misfit_bytes(work, split));
}

double dsm__core_link_cycles(const dsm_machine *machine, double bytes) {
  return dsm_link_cycles(machine, machine->core_links.link, bytes);
}

double dsm_layout_move_cycles(const dsm_machine *machine, double bytes) {
  return dsm__core_link_cycles(machine, dsm__layout_move_bytes(machine, bytes));
}

double dsm_core_kernel_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  return dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, split).kernel;
}

double dsm_kept_kernel_bytes(const dsm_pass_work *work, const dsm_loops *split) {
  return work->machine->has_shared_memory ? work->bytes.kernel : dsm_core_kernel_bytes(work, split);
}

dsm__refetch dsm__refetch_derive(const dsm_pass_work *work, const dsm__core_bytes *core,
                                 const dsm__core_extents *extents) {
  return work->machine->has_shared_memory ? dsm__shared_refetch(work, core, extents)
                                          : dsm__scratchpad_refetch(work, core, extents);
}

double dsm__stream_cycles(const dsm_pass_work *work, const dsm__core_bytes *core,
                          const dsm__core_extents *extents) {
  const streams all = streams_derive(work, core, dsm__refetch_derive(work, core, extents));
  return stream_cycles(work, &all);
}

static double price_of(const dsm_pass_work *work, double cycles, const streams *all,
                       double exchanged_bytes) {
  const dsm_machine *const machine = work->machine;
  const double *const rates = machine->energy.link_joules;
  const double joules = work->fixed_joules + all->memory_bytes * rates[DSM_LINK_MEMORY] +
                        all->shared_bytes * rates[DSM_LINK_SHARED] +
                        (all->link_bytes + exchanged_bytes) * rates[machine->core_links.link];
  return machine->weights.cycles * cycles + machine->weights.joules * joules;
}

double dsm__stream_price(const dsm_pass_work *work, double cycles, const dsm__core_bytes *core,
                         const dsm__core_extents *extents, double exchanged_bytes) {
  const streams all = streams_derive(work, core, dsm__refetch_derive(work, core, extents));
  return price_of(work, cycles, &all, exchanged_bytes);
}

static double primary_cycles(const dsm_pass_work *work, const dsm_loops *split) {
  return work->machine->engine->cycles(work, split);
}

dsm_computing dsm_invocation_computing(const dsm_pass_work *work, const dsm_loops *split) {
  return work->machine->engine->computing(work, split);
}

static dsm_invocation_cost score(const dsm_pass_work *work, const dsm_loops *split, double limit,
                                 streams *stream) {
  const dsm_machine *const machine = work->machine;
  const double primary = primary_cycles(work, split);
  if (machine->weights.cycles * (primary + work->auxiliary_cycles) > limit) {
    return (dsm_invocation_cost){.total = HUGE_VAL};
  }
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, split);
  dsm__core_extents extents = {.in = 0};
  if (dsm__is_blocked(work)) {
    extents = dsm__core_extents_derive(work, split);
  }
  const dsm__refetch refetch = dsm__refetch_derive(work, &bytes, &extents);
  *stream = streams_derive(work, &bytes, refetch);
  const double sum_bytes =
      dsm__partial_sum_bytes(work, split, &bytes) + dsm__statistics_bytes(work, split);
  const double moved_bytes = layout_move_bytes(work, split);
  dsm_invocation_cost cost = {
      .primary = primary,
      .overlapped = stream_cycles(work, stream),
      .auxiliary = work->auxiliary_cycles,
      .partial_sum = dsm__core_link_cycles(machine, sum_bytes) + work->statistics_cycles,
      .layout_move = dsm__core_link_cycles(machine, moved_bytes),
      .rotation = work->rotation_cycles,
      .overhead = work->overhead_cycles,
      .footprint_bytes = bytes.input + bytes.output + bytes.kernel,
  };
  const double hidden = cost.overlapped - cost.primary;
  cost.overlapped_visible = hidden > 0 ? hidden : 0;
  cost.collective = dsm__shown_cycles(work, cost.primary + cost.overlapped_visible);
  cost.total =
      cost.primary + cost.overlapped_visible + cost.auxiliary +
      (cost.partial_sum + cost.rotation + cost.layout_move + cost.overhead + cost.collective);
  if (machine->is_weighed) {
    cost.total = price_of(work, cost.total, stream, sum_bytes + moved_bytes);
  }
  return cost;
}

dsm_invocation_cost dsm_invocation_score(const dsm_pass_work *work, const dsm_loops *split) {
  streams stream;
  return score(work, split, HUGE_VAL, &stream);
}

/*
 * No split is cut that is within the limit: all that is added to primary is at least 0, auxiliary
 * is one of the terms, and rounding keeps the order of sums, so that the total as computed is at
 * least primary + auxiliary as computed.
 */
double dsm__invocation_total_within(const dsm_pass_work *work, const dsm_loops *split,
                                    double limit) {
  streams stream;
  return score(work, split, limit, &stream).total;
}

/* ---- what decides ---- */

static dsm_bound slowest_bound(const dsm_machine *machine, const dsm_traffic *traffic) {
  return dsm_bound_of_link(dsm_group_slowest_link(machine, traffic));
}

dsm_resources dsm_group_resources(const dsm_machine *machine, const dsm_traffic *traffic) {
  dsm_resources resources = {{0}};
  const double latency_cycles = traffic->latency_cycles;
  const dsm_bound slowest = slowest_bound(machine, traffic);
  const double before = /* at memory's own rate */
      slowest == DSM_BOUND_AUXILIARY_MEMORY
          ? dsm_link_cycles(machine, DSM_LINK_MEMORY, traffic->bytes[DSM_LINK_MEMORY])
          : 0;
  resources.cycles[DSM_BOUND_MEMORY] = before;
  resources.cycles[slowest] = dsm_group_cycles(machine, traffic) - latency_cycles - before;
  resources.cycles[DSM_BOUND_LATENCY] += latency_cycles;
  return resources;
}

/*
 * Source: section 6, derived here. Symbols: d total / d ln(time of a resource) = the cycles given
 * to that resource, since of max(a, b) the derivative is that of the larger; so of what roles
 * exchange those that are not hidden, or all, where the product is too short and hides behind them.
 * Limits: one resource has all: it halves when that is twice as fast.
 */
dsm_resources dsm_invocation_resources(const dsm_pass_work *work, const dsm_loops *split) {
  const dsm_machine *const machine = work->machine;
  streams all = {.memory_bytes = 0};
  const dsm_invocation_cost cost = score(work, split, HUGE_VAL, &all);
  dsm_resources resources = dsm_group_resources(machine, &work->sum_rotation);
  const dsm_exchanges exchanges = dsm__exchanges_derive(work);
  const bool is_product_hidden = work->hidden_cycles > cost.primary + cost.overlapped_visible;
  for (unsigned i = 0; i < exchanges.count; i++) {
    const dsm_resources one = dsm_group_resources(machine, &exchanges.items[i].traffic);
    dsm_resources_add(&resources, &one,
                      is_product_hidden ? 1 : 1 - exchanges.items[i].hidden_share);
  }
  double *const cycles = resources.cycles;
  if (is_product_hidden) {
    /* twice as fast a product hides half as much */
  } else if (cost.overlapped > cost.primary) {
    const dsm_traffic stream = stream_traffic(work, &all);
    cycles[slowest_bound(machine, &stream)] += cost.overlapped - stream.latency_cycles;
    cycles[DSM_BOUND_LATENCY] += stream.latency_cycles;
  } else {
    machine->engine->add_resources(work, split, cost.primary, cycles);
  }
  cycles[work->auxiliary_bound] += cost.auxiliary;
  cycles[dsm_bound_of_link(machine->core_links.link)] +=
      cost.partial_sum - work->statistics_cycles + cost.layout_move;
  cycles[DSM_BOUND_LATENCY] += work->statistics_cycles;
  cycles[DSM_BOUND_OVERHEAD] += cost.overhead;
  return resources;
}

void dsm_resources_add(dsm_resources *sum, const dsm_resources *more, double times) {
  for (int b = 0; b < DSM_BOUND_COUNT; b++) {
    sum->cycles[b] += more->cycles[b] * times;
  }
}

dsm_bound dsm_resources_bound(const dsm_resources *resources) {
  dsm_bound bound = DSM_BOUND_COMPUTE;
  for (int b = 1; b < DSM_BOUND_COUNT; b++) {
    if (resources->cycles[b] > resources->cycles[bound]) {
      bound = (dsm_bound)b;
    }
  }
  return bound;
}

/* Memory and links of cores both carry the stream; the slower leaves it less in the time. */
dsm_resident_breaks dsm_resident_breaks_derive(const dsm_pass_work *work, const dsm_loops *split) {
  const dsm_machine *const machine = work->machine;
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, split);
  dsm_traffic along_axes = work->rotation;
  along_axes.bytes[DSM_LINK_MEMORY] = 0;
  along_axes.bytes[DSM_LINK_SHARED] = 0;
  along_axes.bytes[machine->core_links.link] = 0;
  const double rotation = dsm_group_cycles(machine, &along_axes);
  const double primary = primary_cycles(work, split);
  const double bound = (primary > rotation ? primary : rotation) - work->rotation.latency_cycles;
  if (machine->has_shared_memory) {
    return dsm__shared_breaks(work, &bytes, bound);
  }
  const double by_memory = bound * machine->link_bytes_per_cycle[DSM_LINK_MEMORY] -
                           work->rotation.bytes[DSM_LINK_MEMORY];
  const dsm_link link = machine->core_links.link;
  const double by_link = bound * machine->link_bytes_per_cycle[link] - work->rotation.bytes[link];
  const dsm__stream_shares shares = dsm__stream_shares_derive(work, &bytes);
  const double enough =
      fmax(dsm__resident_fraction_within(work, &bytes, &dsm__whole_stream, by_memory),
           dsm__resident_fraction_within(work, &bytes, &shares, by_link));
  const dsm__core_extents extents = dsm__core_extents_derive(work, split);
  return (dsm_resident_breaks){
      {dsm__blocked_fraction_within(work, &bytes, &extents, by_memory, by_link, enough)}, 1};
}

double dsm_resident_fraction_needed(const dsm_pass_work *work, const dsm_loops *split) {
  const dsm_resident_breaks breaks = dsm_resident_breaks_derive(work, split);
  return breaks.fractions[breaks.count - 1];
}
