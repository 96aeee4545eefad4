/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transfer_list.c: names the transfers of an invocation, and says what each moves on which link. */
#include "model/chip_link.h"
#include "model/streams.h"

static void append(dsm_transfer_list *list, dsm_transfer transfer, unsigned axis, dsm_group group,
                   dsm_traffic traffic) {
  bool is_empty = true;
  for (int l = 0; l < DSM_LINK_COUNT; l++) {
    is_empty = is_empty && traffic.bytes[l] <= 0;
  }
  if (!is_empty) {
    list->items[list->count++] = (dsm_transfer_volume){transfer, axis, group, traffic};
  }
}

/* A stream: once what it moves, how often, and what the link of a core carries of it. */
typedef struct stream_part {
  dsm_transfer transfer;
  double bytes;
  double times;
  double share;
} stream_part;

enum { STREAM_PARTS_MAX = 8 };

/* The streams of a pass, of external memory or of a shared one, by what of them moves there. */
typedef struct stream_parts {
  stream_part items[STREAM_PARTS_MAX];
  size_t count;
} stream_parts;

static stream_parts stream_parts_of(const dsm_pass_work *work, const dsm_chip_bytes *bytes,
                                    double spilled, dsm__refetch refetch,
                                    const dsm__stream_shares *shares) {
  const double features = refetch.features;
  const double kernel = refetch.kernel;
  const double input = shares->input;
  const double output = shares->output;
  const double rest = shares->rest;
  const stream_part spill = {DSM_TRANSFER_SPILL_SUMS, spilled, refetch.sums, rest};
  switch (work->pass) {
  case DSM_PASS_FORWARD:
    return (stream_parts){{{DSM_TRANSFER_FETCH_INPUT, bytes->input_moved, features, input},
                           {DSM_TRANSFER_FETCH_KERNEL, bytes->kernel_moved, kernel, shares->kernel},
                           {DSM_TRANSFER_FETCH_SHORTCUT, bytes->shortcut + bytes->gates, 1, rest},
                           {DSM_TRANSFER_WRITE_OUTPUT, bytes->output_moved, 1, rest},
                           {DSM_TRANSFER_WRITE_DEFERRED, bytes->deferred, 1, rest},
                           {DSM_TRANSFER_SAVE_STATE, bytes->state, 1, rest},
                           spill},
                          7};
  case DSM_PASS_BACKWARD:
    return (stream_parts){{{DSM_TRANSFER_FETCH_KERNEL, bytes->kernel_moved, kernel, shares->kernel},
                           {DSM_TRANSFER_FETCH_SHORTCUT, bytes->shortcut, 1, rest},
                           {DSM_TRANSFER_FETCH_ERROR, bytes->output_moved, features, output},
                           {DSM_TRANSFER_FETCH_FORK, bytes->fork, 1, rest},
                           {DSM_TRANSFER_FETCH_STATE, bytes->state, features, output},
                           {DSM_TRANSFER_WRITE_ERROR, bytes->input_moved + bytes->gates, 1, rest},
                           {DSM_TRANSFER_FETCH_MASK, bytes->mask, 1, rest},
                           spill},
                          8};
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  return (stream_parts){{{DSM_TRANSFER_FETCH_INPUT, bytes->input_moved, features, input},
                         {DSM_TRANSFER_FETCH_ERROR, bytes->output_moved, kernel, output},
                         {DSM_TRANSFER_FETCH_STATISTICS, bytes->statistics, kernel, output},
                         {DSM_TRANSFER_WRITE_GRADIENT, bytes->gradient, 1, rest},
                         spill},
                        5};
}

static double moved_bytes(const stream_part *part) {
  return part->bytes * part->times;
}

static void append_streams(dsm_transfer_list *list, const dsm_pass_work *work, dsm__refetch refetch,
                           const dsm__stream_shares *shares) {
  const dsm_link link = work->machine->core_links.link;
  const stream_parts parts =
      stream_parts_of(work, &work->bytes, work->tile_bytes.spilled, refetch, shares);
  for (size_t i = 0; i < parts.count; i++) {
    const double bytes = moved_bytes(&parts.items[i]);
    dsm_traffic traffic = {.latency_cycles = 0};
    traffic.bytes[DSM_LINK_MEMORY] = bytes;
    traffic.bytes[link] = bytes * parts.items[i].share;
    append(list, parts.items[i].transfer, DSM_NO_AXIS, DSM_GROUP_STREAM, traffic);
  }
}

/* The same with a shared memory, between which and the cores it all streams. */
static void append_shared_streams(dsm_transfer_list *list, const dsm_pass_work *work,
                                  dsm__refetch refetch, const dsm__stream_shares *shares) {
  const dsm_link link = work->machine->core_links.link;
  const dsm__refetch behind = dsm__memory_refetch(work, refetch);
  const dsm_chip_bytes open = dsm__open_bytes_derive(work);
  const stream_parts memory =
      stream_parts_of(work, &work->bytes, work->tile_bytes.spilled, behind, shares);
  const stream_parts shared = stream_parts_of(work, &open, work->shared.spilled, refetch, shares);
  for (size_t i = 0; i < shared.count; i++) {
    const bool is_deferred = shared.items[i].transfer == DSM_TRANSFER_WRITE_DEFERRED;
    const double bytes = moved_bytes(&shared.items[i]);
    dsm_traffic traffic = {.latency_cycles = 0};
    traffic.bytes[DSM_LINK_MEMORY] = moved_bytes(&memory.items[i]);
    traffic.bytes[DSM_LINK_SHARED] = is_deferred ? work->shared.deferred : bytes;
    traffic.bytes[link] = is_deferred ? 0 : bytes * shared.items[i].share;
    append(list, shared.items[i].transfer, DSM_NO_AXIS, DSM_GROUP_STREAM, traffic);
  }
}

static void append_between_cores(dsm_transfer_list *list, const dsm_pass_work *work,
                                 dsm_transfer transfer, dsm_group group, double bytes) {
  dsm_traffic traffic = {.latency_cycles = 0};
  traffic.bytes[work->machine->core_links.link] = bytes;
  append(list, transfer, DSM_NO_AXIS, group, traffic);
}

bool dsm_transfer_has_axis(dsm_transfer transfer) {
  return transfer >= DSM_TRANSFER_ROTATE && transfer != DSM_TRANSFER_WEIGHT_UPDATE &&
         transfer != DSM_TRANSFER_AUXILIARY_TRAFFIC;
}

dsm_transfer_list dsm_axis_transfers(dsm_transfer transfer, dsm_group group,
                                     const dsm_traffic *traffic) {
  dsm_transfer_list list = {.count = 0};
  if (!dsm_transfer_has_axis(transfer)) {
    append(&list, transfer, DSM_NO_AXIS, group, *traffic);
    return list;
  }
  unsigned first = 0; /* the first axis that carries something */
  while (first < DSM_AXES_MAX && traffic->bytes[DSM_LINK_AXIS + first] <= 0) {
    first++;
  }
  first = first == DSM_AXES_MAX ? 0 : first;
  for (unsigned a = first; a < DSM_AXES_MAX; a++) {
    dsm_traffic along = a == first ? *traffic : (dsm_traffic){.latency_cycles = 0};
    for (unsigned other = 0; other < DSM_AXES_MAX; other++) {
      const dsm_link link = (dsm_link)(DSM_LINK_AXIS + other);
      along.bytes[link] = other == a ? traffic->bytes[link] : 0;
    }
    append(&list, transfer, a, group, along);
  }
  return list;
}

static void append_along_axes(dsm_transfer_list *list, dsm_transfer transfer, dsm_group group,
                              const dsm_traffic *traffic) {
  const dsm_transfer_list along = dsm_axis_transfers(transfer, group, traffic);
  for (unsigned i = 0; i < along.count; i++) {
    list->items[list->count++] = along.items[i];
  }
}

static void append_rotation(dsm_transfer_list *list, const dsm_pass_work *work,
                            dsm_transfer transfer, dsm_divided turning) {
  const dsm_traffic turned = dsm__turning_traffic(work, turning);
  append_along_axes(
      list, transfer,
      dsm__is_sum_turning(work->pass, turning) ? DSM_GROUP_ROTATION : DSM_GROUP_STREAM, &turned);
}

dsm_transfer_list dsm_invocation_transfers(const dsm_pass_work *work, const dsm_loops *split) {
  dsm_transfer_list list = {.count = 0};
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(work->layer, work->share.groups, &work->bytes, split);
  const dsm__stream_shares shares = dsm__stream_shares_derive(work, &bytes);
  const dsm__core_extents extents = dsm__core_extents_derive(work, split);
  const dsm__refetch refetch = dsm__refetch_derive(work, &bytes, &extents);
  if (work->machine->has_shared_memory) {
    append_shared_streams(&list, work, refetch, &shares);
  } else {
    append_streams(&list, work, refetch, &shares);
  }
  append_between_cores(&list, work, DSM_TRANSFER_PARTIAL_SUM_ACCUMULATE, DSM_GROUP_PARTIAL_SUM,
                       dsm__partial_sum_bytes(work, split, &bytes));
  append_between_cores(&list, work, DSM_TRANSFER_SUM_OF_STATISTICS, DSM_GROUP_PARTIAL_SUM,
                       dsm__statistics_bytes(work, split));
  append_between_cores(&list, work, DSM_TRANSFER_LAYOUT_MOVE, DSM_GROUP_LAYOUT_MOVE,
                       dsm__layout_move_bytes(work->machine, dsm__misfit_bytes(work, split)));
  append_rotation(&list, work, DSM_TRANSFER_ROTATE, DSM_DIVIDED_IN_TURNS);
  append_rotation(&list, work, DSM_TRANSFER_ROTATE_OUTPUT, DSM_DIVIDED_OUT_TURNS);
  if (work->is_operand_turning) {
    const dsm_traffic turned = dsm__operand_traffic(work);
    append_along_axes(&list, DSM_TRANSFER_ROTATE, DSM_GROUP_STREAM, &turned);
  }
  const dsm_exchanges exchanges = dsm__exchanges_derive(work);
  for (unsigned i = 0; i < exchanges.count; i++) {
    append_along_axes(&list, exchanges.items[i].transfer, DSM_GROUP_COLLECTIVE,
                      &exchanges.items[i].traffic);
  }
  dsm_traffic auxiliary = {.bytes = {[DSM_LINK_SHARED] = work->shared.auxiliary}};
  auxiliary.bytes[work->machine->auxiliary_link] = work->bytes.auxiliary;
  append(&list, DSM_TRANSFER_AUXILIARY_TRAFFIC, DSM_NO_AXIS, DSM_GROUP_AUXILIARY, auxiliary);
  return list;
}
