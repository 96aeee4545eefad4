/* SPDX-License-Identifier: GPL-3.0-or-later */
/* alone.c: one chip sends nothing to other chips, one core nothing to other cores. */
#include "physics.h"

static double link_bytes(const dsm_pass_plan *pass, size_t transfer, dsm_link link) {
  const bool is_it = pass->transfers[transfer].link == link;
  return is_it ? pass->transfers[transfer].bytes : 0;
}

/* Bytes of one transfer of a pass on a link. */
static double transfer_bytes(const dsm_pass_plan *pass, dsm_transfer which, dsm_link link) {
  double bytes = 0;
  for (size_t t = 0; t < pass->transfer_count; t++) {
    bytes += pass->transfers[t].transfer == which ? link_bytes(pass, t, link) : 0;
  }
  return bytes;
}

/* Strips of a torus are joined as one chain, and all its hops count as ones along Y. */
static bool is_between_strips(const physics_case *one, const dsm_plan_transfer *transfer) {
  return one->system.model.pipeline_columns && transfer->group == DSM_GROUP_HAND_OVER &&
         one->system.system.axes[0].chips > 1;
}

static void check_links(physics_log *log, const physics_case *one, const dsm_pass_plan *pass) {
  const bool is_one_x = one->system.system.axes[0].chips == 1;
  const bool is_one_y = one->system.system.axes[1].chips == 1;
  for (size_t t = 0; t < pass->transfer_count; t++) {
    const char *const name = dsm_transfer_name(pass->transfers[t].transfer);
    const double x = link_bytes(pass, t, DSM_LINK_AXIS);
    const double y = link_bytes(pass, t, DSM_LINK_AXIS + 1);
    const bool may_fail = is_between_strips(one, &pass->transfers[t]);
    physics_expect(log, one, name, !(is_one_x && x > 0), x, 0);
    (may_fail ? physics_excuse : physics_expect)(log, one, name, !(is_one_y && y > 0), y, 0);
  }
}

/* What a single core streams, from a shared memory or from external memory, crosses its link too,
 * and what comes from other chips; nothing else. What is only written from one memory to the other
 * does not. */
static void check_core_link(physics_log *log, const physics_case *one, const dsm_pass_plan *pass) {
  const bool is_one_chip = one->system.system.axes[0].chips * one->system.system.axes[1].chips == 1;
  for (size_t t = 0; t < pass->transfer_count; t++) {
    const dsm_plan_transfer *const transfer = &pass->transfers[t];
    const double ring = link_bytes(pass, t, DSM_LINK_RING) + link_bytes(pass, t, DSM_LINK_CORES);
    const bool is_shared = one->system.chip.shared_memory.capacity_MB > 0;
    const bool is_passing = is_shared && transfer->transfer == DSM_TRANSFER_WRITE_DEFERRED;
    const double memory =
        transfer_bytes(pass, transfer->transfer, is_shared ? DSM_LINK_SHARED : DSM_LINK_MEMORY);
    const bool is_stream = transfer->group == DSM_GROUP_STREAM;
    const bool is_within = transfer->group == DSM_GROUP_PARTIAL_SUM;
    const double limit = is_stream && !is_passing ? memory : 0;
    if (is_stream || is_within || is_one_chip) {
      physics_expect(log, one, dsm_transfer_name(transfer->transfer),
                     ring <= 0 || physics_is_close(ring, limit), ring, limit);
    }
  }
}

void physics_alone(physics_log *log, const physics_case *one) {
  physics_case alone = *one;
  alone.system.system.axes[0].chips = one->seed % 3 == 0 ? one->system.system.axes[0].chips : 1;
  alone.system.system.axes[1].chips = one->seed % 3 == 1 ? one->system.system.axes[1].chips : 1;
  alone.system.chip.cores = one->seed % 4 == 0 ? one->system.chip.cores : 1;
  if (alone.system.chip.cores == 1 && one->seed % 5 == 0) {
    alone.system.chip.interconnect = DSM_INTERCONNECT_NONE;
  }
  dsm_plan *const plan = physics_explore(&alone, &alone.system);
  for (size_t i = 0; plan != NULL && i < plan->layer_count; i++) {
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      check_links(log, &alone, &plan->layers[i].passes[p]);
      if (alone.system.chip.cores == 1) {
        check_core_link(log, &alone, &plan->layers[i].passes[p]);
      }
    }
  }
  if (plan != NULL) {
    physics_log_plan(log, &alone, plan);
  }
  dsm_plan_free(plan);
}
