/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * role_link.c: what the chips of an axis exchange in an invocation because of their role: gathers,
 * scatters and sums of whole tensors, and halos (section 5).
 */
#include "base/checked.h"
#include "base/order.h"
#include "model/chip_link.h"
#include "model/equations.h"
#include "model/links.h"
#include "model/role_row.h"

/* The axes of more than one chip, with a role that exchanges something. */
static dsm_axis_set axes_of(const dsm_pass_work *work, dsm__role_exchange exchange) {
  const dsm_network *const network = &work->machine->system->system;
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const bool has = dsm__role_has(dsm_parallelism_role(work->share.parallelism, a), exchange);
    axes |= has && network->axes[a].chips > 1 ? 1U << a : 0U;
  }
  return axes;
}

static void add(dsm_exchanges *list, const dsm_pass_work *work, dsm_transfer transfer,
                dsm_axis_set members, double bytes) {
  static const dsm__collective_kind kinds[DSM_TRANSFER_COUNT] = {
      [DSM_TRANSFER_ALL_REDUCE] = DSM__COLLECTIVE_BOTH_WAYS,
      [DSM_TRANSFER_ALL_TO_ALL] = DSM__COLLECTIVE_ALL_TO_ALL,
  };
  if (members == 0 || !(bytes > 0)) {
    return;
  }
  const dsm__collective_kind kind = kinds[transfer];
  const double passes = kind == DSM__COLLECTIVE_BOTH_WAYS ? 2 : 1;
  const dsm__collective_asked asked = {
      .kind = kind,
      .members = members,
      .bytes = bytes,
      .memory_bytes = work->machine->system->model.collective_memory_bytes * bytes * passes,
      .is_kept_from_cores = kind == DSM__COLLECTIVE_ALL_TO_ALL};
  list->items[list->count++] =
      (dsm_exchange){transfer, dsm__collective_traffic(work->machine, &asked), 0};
}

/* What reads some rows for each that it makes: a kernel or a pool; and what a chip has of both. */
typedef struct window {
  uint64_t halo; /* rows that it reads beyond its stride */
  uint64_t stride;
  double read_rows;
  double read_bytes;
  double made_rows;
  double made_bytes;
} window;

/*
 * Source: section 5, derived there (a window reads hk = k' - s rows beyond its chip's own, h1 =
 * floor(hk / 2) of them from one neighbour). Symbols: of what is read those; of errors of what is
 * made ceil(h1 / s) + ceil((hk - h1) / s) rows. A shift of the larger half where neighbours are
 * reached both ways, of both through a switch; at most the rows of all other chips. Limits: a
 * window no larger than its stride: nothing.
 */
static void add_halo(dsm_exchanges *list, const dsm_pass_work *work, unsigned axis,
                     const window *of, bool is_of_errors) {
  const dsm_network_axis *const along = &work->machine->system->system.axes[axis];
  const uint64_t before = of->halo / 2;
  const uint64_t after = of->halo - before;
  const uint64_t larger = is_of_errors ? dsm__ceil_div_u64(after, of->stride) : after;
  const uint64_t both = larger + (is_of_errors ? dsm__ceil_div_u64(before, of->stride) : before);
  const double own = is_of_errors ? of->made_rows : of->read_rows;
  const double others = own * (double)(along->chips - 1);
  const dsm__link_row *const link = dsm__link_row_of(along);
  const bool is_shared = link->has_ports; /* a port sends to both */
  const double rows =
      dsm__smaller(others, along->chips == 2 || !is_shared ? (double)larger : (double)both);
  const double bytes = is_of_errors ? of->made_bytes : of->read_bytes;
  dsm_traffic traffic = {.latency_cycles = dsm__step_latency_cycles(work->machine, axis)};
  traffic.bytes[DSM_LINK_AXIS + axis] = link->shift(along, 1, rows * (bytes / own));
  if (traffic.bytes[DSM_LINK_AXIS + axis] > 0) {
    list->items[list->count++] = (dsm_exchange){DSM_TRANSFER_HALO, traffic, 0};
  }
}

static void add_halos_of(dsm_exchanges *list, const dsm_pass_work *work, const window *of,
                         bool is_of_errors) {
  const dsm_axis_set axes = axes_of(work, DSM__ROLE_SHIFTS_ROWS);
  for (unsigned a = 0; a < DSM_AXES_MAX && of->halo > 0; a++) {
    if (dsm_axis_set_has(axes, a)) {
      add_halo(list, work, a, of, is_of_errors);
    }
  }
}

/* Is something of the output's error gathered before a pass? Once for update and backward, of which
 * update comes first, where they have the same roles; else for each. */
static bool is_error_gathered(const dsm_pass_work *work) {
  const bool has_update = work->layer->has_update;
  return work->pass == DSM_PASS_UPDATE
             ? has_update
             : work->pass == DSM_PASS_BACKWARD && (!has_update || work->residency.is_error_apart);
}

/* A pool on the output makes errors of what it read for update and backward: once, for the first.
 * Nothing that is held is fetched. */
static void add_halos(dsm_exchanges *list, const dsm_pass_work *work) {
  const dsm_layer *const layer = work->layer;
  const bool has_input_pool = layer->input_pooled.rows > 0;
  const bool is_backward = work->pass == DSM_PASS_BACKWARD;
  const double rows =
      (double)work->share.chip.n[DSM_DIM_IJ] /
      ((double)layer->ij / (double)layer->rows); /* of the output, before its pool */
  const double direct_rows = rows * (double)layer->stride_rows;
  const double direct_bytes =
      has_input_pool
          ? work->bytes.input * (double)layer->input_pool_elements / (double)layer->input_elements
          : work->bytes.input;
  const window input_pool = {layer->input_pooled.halo,
                             layer->input_pooled.stride,
                             direct_rows * (double)layer->input_pooled.stride,
                             work->bytes.input,
                             direct_rows,
                             direct_bytes};
  const window kernel = {layer->halo_rows, layer->stride_rows, direct_rows, direct_bytes, rows,
                         work->bytes.raw};
  const window pool = {layer->pooled.halo,
                       layer->pooled.stride,
                       rows,
                       work->bytes.raw,
                       rows / (double)(layer->pooled.stride > 0 ? layer->pooled.stride : 1),
                       work->bytes.stored};
  const bool is_there = work->pass == DSM_PASS_UPDATE && work->residency.is_input_held;
  if (!is_there) {
    add_halos_of(list, work, &input_pool, is_backward);
    add_halos_of(list, work, &kernel, is_backward);
  }
  const bool is_of_pool_errors = is_error_gathered(work);
  if (work->pass == DSM_PASS_FORWARD || is_of_pool_errors) {
    add_halos_of(list, work, &pool, is_of_pool_errors);
  }
}

/*
 * Source: section 5, spatial attention. Symbols: b = bytes of the keys (score) or values (context)
 * that the chip's queries see. They turn as an all-gather, beside the streams, or are gathered
 * before the product, first, so that what turns is whole; and in backward again, when sums of their
 * errors are scattered; of the two invocations of a backward pass each has half. Limits: one chip
 * along the axes: nothing.
 */
static double operand_times(const dsm_pass_work *work) {
  return work->pass == DSM_PASS_BACKWARD ? 0.5 : 1;
}

static dsm_axis_set operand_axes(const dsm_pass_work *work, dsm__role_exchange exchange) {
  return dsm__has_own_groups(work->layer) ? axes_of(work, exchange) : 0;
}

bool dsm__is_operand_turning(const dsm_pass_work *work) {
  return operand_axes(work, DSM__ROLE_TURNS_OPERANDS) != 0;
}

static void scale(dsm_traffic *traffic, double times) {
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    traffic->bytes[l] *= times;
  }
  traffic->latency_cycles *= times;
}

dsm_traffic dsm__operand_traffic(const dsm_pass_work *work) {
  const dsm_machine *const machine = work->machine;
  const double through_memory = machine->system->model.collective_memory_bytes * work->bytes.kernel;
  dsm_traffic traffic = dsm__reduce_scatter_traffic(
      machine, operand_axes(work, DSM__ROLE_TURNS_OPERANDS), work->bytes.kernel);
  traffic.bytes[DSM_LINK_MEMORY] = through_memory;
  traffic.bytes[DSM_LINK_SHARED] = machine->has_shared_memory ? through_memory : 0;
  traffic.bytes[machine->core_links.link] = dsm__spread_bytes(machine, through_memory);
  scale(&traffic, operand_times(work));
  return traffic;
}

static void add_of_operands(dsm_exchanges *list, const dsm_pass_work *work) {
  const unsigned before = list->count;
  const dsm_axis_set turning = operand_axes(work, DSM__ROLE_TURNS_OPERANDS);
  const dsm_axis_set gathered = operand_axes(work, DSM__ROLE_GATHERS_OPERANDS);
  add(list, work, DSM_TRANSFER_ALL_GATHER, gathered,
      work->bytes.kernel / dsm__chips_of(&work->machine->system->system, turning));
  if (work->pass == DSM_PASS_BACKWARD) {
    add(list, work, DSM_TRANSFER_REDUCE_SCATTER, turning | gathered,
        work->bytes.kernel * work->tensor_bytes.sum);
  }
  for (unsigned i = before; i < list->count; i++) {
    scale(&list->items[i].traffic, operand_times(work));
  }
}

double dsm__gathered_operand_share(const dsm_layer *layer, const dsm_network *network,
                                   dsm_parallelism parallelism) {
  double gathered = 1;
  double turning = 1;
  for (unsigned a = 0; dsm__has_own_groups(layer) && a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    const double chips = (double)network->axes[a].chips;
    gathered *= dsm__role_has(role, DSM__ROLE_GATHERS_OPERANDS) ? chips : 1;
    turning *= dsm__role_has(role, DSM__ROLE_TURNS_OPERANDS) ? chips : 1;
  }
  return (1 - 1 / gathered) / turning;
}

/* Column-like roles read whole inputs, and each chip has a part of the sum of their errors. */
static void add_of_inputs(dsm_exchanges *list, const dsm_pass_work *work) {
  const double input = work->bytes.input;
  const double widening = work->tensor_bytes.sum;
  const dsm_axis_set open = ~work->residency.gathered_axes;
  const dsm_axis_set gathered = axes_of(work, DSM__ROLE_GATHERS_INPUT) & open;
  if (work->pass == DSM_PASS_BACKWARD) {
    add(list, work, DSM_TRANSFER_ALL_REDUCE, axes_of(work, DSM__ROLE_REDUCES_ERROR) & open,
        input * widening);
    add(list, work, DSM_TRANSFER_REDUCE_SCATTER, gathered, input * widening);
  } else {
    add(list, work, DSM_TRANSFER_ALL_GATHER, gathered, input);
  }
}

/* Of row-like roles each chip has a part of the sum of the outputs. The error of an output that was
 * scattered is gathered. */
static void add_of_outputs(dsm_exchanges *list, const dsm_pass_work *work) {
  const double raw = work->bytes.raw;
  const double widening = work->tensor_bytes.sum;
  const dsm_axis_set scattered = axes_of(work, DSM__ROLE_SCATTERS_OUTPUT);
  if (work->pass == DSM_PASS_FORWARD) {
    add(list, work, DSM_TRANSFER_ALL_REDUCE, axes_of(work, DSM__ROLE_REDUCES_OUTPUT),
        raw * widening);
    add(list, work, DSM_TRANSFER_REDUCE_SCATTER, scattered, raw * widening);
  } else if (is_error_gathered(work)) {
    add(list, work, DSM_TRANSFER_ALL_GATHER, scattered, raw);
  }
}

/*
 * Tokens go to the chips of their experts, and what these made of them comes back. Source: section
 * 5. Symbols: d = bytes of a chip, k*f*positions*features a sample; along each axis with the role
 * an all-to-all of d, one after the other as one exchange. Limits: what comes from layers of the
 * same experts, or goes to such alone, is there; an update pass has what forward and backward
 * brought.
 */
static void add_of_experts(dsm_exchanges *list, const dsm_pass_work *work) {
  const dsm_layer *const layer = work->layer;
  const dsm_axis_set axes = axes_of(work, DSM__ROLE_SENDS_TOKENS);
  const dsm_axis_set read = axes & ~work->residency.gathered_axes;
  const dsm_axis_set made = layer->feeds_experts ? 0 : axes;
  const bool is_of_errors =
      work->pass == DSM_PASS_BACKWARD || (work->pass == DSM_PASS_UPDATE && !layer->has_backward);
  if (work->pass == DSM_PASS_FORWARD || work->pass == DSM_PASS_BACKWARD) {
    add(list, work, DSM_TRANSFER_ALL_TO_ALL, read, work->bytes.input);
  }
  if (work->pass == DSM_PASS_FORWARD || is_of_errors) {
    add(list, work, DSM_TRANSFER_ALL_TO_ALL, made, work->bytes.stored);
  }
}

/* Axes of more than one chip along which something is cut by features, whatever the experts have.
 */
static dsm_axis_set cut_axes(const dsm_pass_work *work, dsm_divided what) {
  const dsm_network *const network = &work->machine->system->system;
  dsm_axis_set axes = 0;
  for (unsigned a = 0; a < network->axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(work->share.parallelism, a);
    const bool is_cut =
        dsm_role_divides(role, what) && !dsm__role_has(role, DSM__ROLE_SENDS_TOKENS);
    axes |= is_cut && network->axes[a].chips > 1 ? 1U << a : 0U;
  }
  return axes;
}

/*
 * Source: section 5, model.feature_statistics. Symbols: for each layer_norm, rms_norm or softmax 2
 * numbers of 4 bytes a position and sample, all-reduced over the chips that have parts of the
 * features it works on; forward, and once on the way back. Limits: features that are not cut,
 * norms of heads and softmax of scores, as nobody cuts a head: nothing.
 */
static void add_statistics(dsm_exchanges *list, const dsm_pass_work *work) {
  static const double bytes = 2 * 4;
  const dsm_layer *const layer = work->layer;
  const dsm_pass back = layer->has_backward ? DSM_PASS_BACKWARD : DSM_PASS_UPDATE;
  const double samples = (double)work->share.chip.n[DSM_DIM_MB] * work->share.position_share;
  const bool has_norm = (layer->has_op[DSM_AUX_LAYER_NORM] || layer->has_op[DSM_AUX_RMS_NORM]) &&
                        layer->head_norm_features == 0;
  const bool has_softmax =
      layer->has_op[DSM_AUX_SOFTMAX] && !layer->is_score && !layer->reads_score;
  const bool has_input_norm =
      layer->has_input_op[DSM_AUX_LAYER_NORM] || layer->has_input_op[DSM_AUX_RMS_NORM];
  if (!work->machine->system->model.feature_statistics ||
      (work->pass != DSM_PASS_FORWARD && work->pass != back)) {
    return;
  }
  if (has_input_norm) {
    const double positions = (double)layer->input_op_elements / (double)layer->in;
    add(list, work, DSM_TRANSFER_ALL_REDUCE, cut_axes(work, DSM_DIVIDED_INPUT),
        positions * samples * bytes);
  }
  const double each = (double)layer->ij * samples * bytes;
  const double operations = (has_norm ? 1 : 0) + (has_softmax ? 1 : 0);
  add(list, work, DSM_TRANSFER_ALL_REDUCE, cut_axes(work, DSM_DIVIDED_RAW), each * operations);
}

/* What is exchanged piece by piece beside the product. Frameworks cut gathers and scatters into
 * pieces, and no all-reduces. Not statistics, for which all of a product has to be there, nor keys
 * and values, whose form that hides is the role along which they turn. */
static void hide(dsm_exchanges *list, unsigned first, double share) {
  for (unsigned i = first; i < list->count; i++) {
    list->items[i].hidden_share = list->items[i].transfer == DSM_TRANSFER_ALL_REDUCE ? 0 : share;
  }
}

dsm_exchanges dsm__exchanges_derive(const dsm_pass_work *work) {
  const dsm_assumptions *const model = &work->machine->system->model;
  dsm_exchanges list = {.count = 0};
  add_statistics(&list, work);
  if (dsm_parallelism_has_roles(work->share.parallelism)) {
    const unsigned first = list.count;
    add_halos(&list, work);
    add_of_inputs(&list, work);
    add_of_outputs(&list, work);
    hide(&list, first, model->overlapped_collectives);
    const unsigned tokens = list.count;
    add_of_experts(&list, work);
    hide(&list, tokens, model->overlapped_dispatch);
    add_of_operands(&list, work);
  }
  return list;
}
