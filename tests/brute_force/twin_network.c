/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_network.h"

#include <assert.h>
#include <math.h>

#include "twin_quantities.h"

double twin_chips(const twin_system *system) {
  return twin_row_chips(system) * twin_last_axis(system)->chips;
}

const twin_axis *twin_last_axis(const twin_system *system) {
  return &system->axes[system->axis_count - 1];
}

double twin_row_chips(const twin_system *system) {
  double chips = 1;
  for (size_t a = 0; a + 1 < system->axis_count; a++) {
    chips *= system->axes[a].chips;
  }
  return chips;
}

twin_system twin_stage_system(const twin_system *system, const size_t columns, const size_t rows) {
  twin_system stage = *system;
  if (stage.axis_count == 2) {
    stage.axes[0].chips = (double)columns;
  }
  stage.axes[stage.axis_count - 1].chips = (double)rows;
  stage.fused_reductions = false; /* its chips sum what no others do */
  stage.overlapped_reduction = false;
  assert(twin_row_chips(&stage) == (double)columns);
  return stage;
}

size_t twin_parallelism_count(const twin_system *system) {
  return (size_t)1 << system->axis_count;
}

twin_layout twin_layout_with(const twin_system *system, const bool is_data[TWIN_MAX_AXES]) {
  twin_layout layout = {.nm = 1, .nd = 1};
  for (size_t a = 0; a < system->axis_count; a++) {
    layout.is_data[a] = is_data[a];
    *(is_data[a] ? &layout.nd : &layout.nm) *= system->axes[a].chips;
  }
  return layout;
}

twin_layout twin_layout_of(const twin_system *system, const twin_parallelism parallelism) {
  static const char *const roles[TWIN_PARALLELISM_COUNT] = {"DDD", "MMM", "DMM", "MDM",
                                                            "DDM", "MMD", "DMD", "MDD"};
  bool is_data[TWIN_MAX_AXES];
  for (size_t a = 0; a < TWIN_MAX_AXES; a++) {
    is_data[a] = roles[parallelism][a] == 'D';
  }
  return twin_layout_with(system, is_data);
}

double twin_chip_groups(const twin_node *node, const twin_layout layout) {
  return twin_is_attention(node) ? node->groups / layout.nm : node->groups;
}

double twin_cores_of_group(const twin_node *node, const twin_layout layout, const double k_out) {
  return fmax(1, floor(k_out / twin_chip_groups(node, layout)));
}

double twin_output_parts(const twin_node *node, const twin_layout layout, const double k_out) {
  return fmin(twin_chip_groups(node, layout), k_out) * twin_cores_of_group(node, layout, k_out);
}

double twin_turns(const twin_node *node, const twin_layout layout) {
  return twin_is_attention(node) || node->kind == TWIN_EMBEDDING ? 1 : layout.nm;
}

double twin_group_inputs(const twin_node *node, const twin_layout layout) {
  return node->groups > 1 ? node->in / node->groups : ceil(twin_in_features(node) / layout.nm);
}

double twin_group_outputs(const twin_node *node, const twin_layout layout) {
  return node->groups > 1 ? node->out / node->groups : ceil(twin_out_features(node) / layout.nm);
}

double twin_even_bytes(const twin_system *system, const double bytes) {
  switch (system->joint) {
  case TWIN_CORES_RING:
    break;
  case TWIN_CORES_CROSSBAR:
  case TWIN_CORES_MESH:
    return bytes / system->cores;
  case TWIN_CORES_NONE:
    return 0;
  }
  return bytes;
}

/* In a mesh as square as can be, what a link of the cut through its middle carries if each core
 * sends so many bytes to cores anywhere: counted column by column. */
static double cut_bytes(const double cores, const double bytes) {
  size_t rows = 1;
  for (size_t side = 1; (double)side * (double)side <= cores; side++) {
    rows = fmod(cores, (double)side) > 0 ? rows : side;
  }
  const size_t columns = (size_t)cores / rows;
  double crossing = 0;
  for (size_t from = 0; from < columns; from++) {
    for (size_t to = 0; to < columns; to++) {
      const bool crosses = (from < columns / 2) != (to < columns / 2);
      crossing += crosses ? (double)rows * bytes / (double)columns : 0;
    }
  }
  return crossing / (double)rows;
}

double twin_sent_bytes(const twin_system *system, const double bytes) {
  switch (system->joint) {
  case TWIN_CORES_RING:
    break;
  case TWIN_CORES_CROSSBAR:
    return bytes + bytes; /* and as much comes */
  case TWIN_CORES_MESH:
    return cut_bytes(system->cores, bytes);
  case TWIN_CORES_NONE:
    return 0;
  }
  return bytes; /* to the next */
}

double twin_anywhere_bytes(const twin_system *system, const double bytes) {
  const double c = system->cores;
  if (system->joint == TWIN_CORES_RING) {
    return bytes * floor(c * c / 4) / c; /* the shorter way round */
  }
  const double leaving = system->joint == TWIN_CORES_CROSSBAR ? bytes * (c - 1) / c : bytes;
  return twin_sent_bytes(system, leaving);
}

double twin_group_cycles(const twin_system *system, const twin_links *links,
                         const double memory_bytes, const double ring_bytes) {
  double slowest = fmax(memory_bytes / system->memory_bytes_per_cycle,
                        ring_bytes / system->core_link_bytes_per_cycle);
  slowest = fmax(slowest, memory_bytes / system->shared_bytes_per_cycle); /* on the way */
  for (size_t a = 0; links != NULL && a < system->axis_count; a++) {
    slowest = fmax(slowest, links->along[a] / system->axes[a].bytes_per_cycle);
  }
  return slowest;
}

/* Of chips each of which sends a byte to each of the others, or to the next one round, what goes
 * out of the busiest group, or to the group where most goes: chip by chip. */
static double leaving(const twin_axis *axis, const bool is_to_all, const bool is_to_one_group) {
  const size_t n = (size_t)axis->chips;
  const size_t group = (size_t)axis->group_chips;
  const size_t groups = (n + group - 1) / group;
  double most = 0;
  for (size_t from = 0; from < groups; from++) {
    double out = 0;
    for (size_t to = 0; to < groups; to++) {
      double bytes = 0;
      for (size_t i = from * group; i < n && i < (from + 1) * group; i++) {
        for (size_t j = to * group; j < n && j < (to + 1) * group; j++) {
          bytes += i != j && (is_to_all || j == (i + 1) % n) ? 1 : 0;
        }
      }
      out += from != to ? bytes : 0;
      most = is_to_one_group && from != to ? fmax(most, bytes) : most;
    }
    most = is_to_one_group ? most : fmax(most, out);
  }
  return most;
}

/* Bytes of a link of a chip that take as long as those that leave the groups. */
static double shared_links_bytes(const twin_axis *axis, const bool is_to_all) {
  switch (axis->link) {
  case TWIN_LINK_FAT_TREE:
    return leaving(axis, is_to_all, false) / (axis->group_chips / axis->oversubscription);
  case TWIN_LINK_DRAGONFLY:
    return leaving(axis, is_to_all, true) / axis->global_links;
  case TWIN_LINK_RING:
  case TWIN_LINK_LINE:
  case TWIN_LINK_SWITCH:
    break;
  }
  return 0;
}

/* How much longer than a link of a chip takes what a chip sends to the next. */
static double slowed(const twin_axis *axis) {
  return fmax(1, shared_links_bytes(axis, false));
}

double twin_steps(const twin_axis *axis) {
  return (axis->chips - 1) * (axis->both_ways ? 0.5 : 1);
}

static double sum_of(const twin_links *links) {
  return links->along[0] + links->along[1] + links->along[2];
}

/* The steps from chip to chip along an axis, one after the other. */
static double steps_cycles(const twin_axis *axis) {
  return twin_steps(axis) * axis->latency_cycles;
}

twin_rotation twin_rotation_of(const twin_system *system, const twin_layout *layout,
                               const double full) {
  twin_rotation rotation = {.largest_bytes = 0};
  double ways = 1; /* a turn along this axis is one iteration of all those before */
  for (size_t a = 0; a < system->axis_count; a++) {
    const double n = system->axes[a].chips;
    if (layout->is_data[a] || n <= 1) {
      continue;
    }
    const double turn = system->exact_rotation ? full * (n - 1) / n : full;
    rotation.links.along[a] = turn / ways * slowed(&system->axes[a]);
    rotation.all_bytes += turn / ways;
    rotation.largest_bytes = fmax(rotation.largest_bytes, turn / ways);
    rotation.latency_cycles += steps_cycles(&system->axes[a]);
    ways *= n;
  }
  return rotation;
}

/* Along one axis after the other: each gets what the one before it has left. */
static twin_links nested_links(const twin_system *system, const size_t *order, const size_t count,
                               double bytes) {
  twin_links links = {{0}};
  for (size_t i = 0; i < count; i++) {
    const twin_axis *const axis = &system->axes[order[i]];
    const bool is_chip_to_chip = axis->link == TWIN_LINK_RING || axis->link == TWIN_LINK_LINE;
    const bool adds = system->in_network_reduction && !is_chip_to_chip && !axis->protocols;
    links.along[order[i]] = adds ? bytes / 2 : bytes * (axis->chips - 1) / axis->chips;
    bytes /= axis->chips;
  }
  return links;
}

/* The members that share a port of an axis: of the innermost chips behind it, one in each way to
 * share the features does not take part. */
static double members_behind_port(const twin_system *system, const twin_layout *layout,
                                  const size_t axis) {
  double left = system->axes[axis].chips_per_port;
  double members = 1;
  for (size_t a = 0; a < axis && left > 1; a++) {
    const double along = fmin(left, system->axes[a].chips);
    members *= layout->is_data[a] ? along : 1;
    left /= along;
  }
  return members;
}

/* One ring through all members. */
static twin_links ring_links(const twin_system *system, const twin_layout *layout,
                             const size_t *order, const size_t count, const double bytes) {
  twin_links links = {{0}};
  for (size_t i = 0; i < count; i++) {
    const double c = system->axes[order[i]].chips_per_port;
    const double rings = c / members_behind_port(system, layout, order[i]);
    links.along[order[i]] = bytes * (layout->nd - 1) / layout->nd * rings / c;
  }
  return links;
}

/* Walks the ring, innermost members first: each step is along the innermost axis that has not come
 * to its end. The way from the last member to the first takes no step. */
static double ring_steps_cycles(const twin_system *system, const twin_layout *layout,
                                const size_t *order, const size_t count) {
  size_t at[TWIN_MAX_AXES] = {0};
  double cycles = 0;
  for (double step = 1; step < layout->nd; step++) {
    size_t i = 0;
    while (i < count && (double)at[i] + 1 == system->axes[order[i]].chips) {
      at[i++] = 0;
    }
    assert(i < count);
    at[i]++;
    cycles += system->axes[order[i]].latency_cycles;
  }
  return cycles;
}

typedef struct {
  const twin_system *system;
  double bytes;
  double memory_bytes;
  const twin_protocol *by; /* NULL: links carry the bytes alone */
} reduction;

/* `received`: bytes of a chip, from all of its links. */
static double links_cycles(const reduction *of, const twin_links *links, const double received) {
  const double crossing = of->system->reduce_ring_crossings * received;
  twin_links shared = *links;
  for (size_t a = 0; a < of->system->axis_count; a++) {
    const twin_axis *const axis = &of->system->axes[a];
    shared.along[a] *= slowed(axis) * (of->by == NULL ? 1 : twin_protocol_slowing(axis, of->by));
  }
  return twin_group_cycles(of->system, &shared, of->memory_bytes,
                           twin_even_bytes(of->system, crossing));
}

static double order_cycles(const reduction *of, const size_t *order, const size_t count) {
  const twin_links links = nested_links(of->system, order, count, of->bytes);
  return links_cycles(of, &links, sum_of(&links));
}

/* The fastest of all orders; those up to `fixed` stay where they are. */
static double best_order_cycles(const reduction *of, const size_t *order, const size_t count,
                                const size_t fixed) {
  if (fixed == count) {
    return order_cycles(of, order, count);
  }
  double least = HUGE_VAL;
  for (size_t i = fixed; i < count; i++) {
    size_t other[TWIN_MAX_AXES] = {order[0], order[1], order[2]};
    other[fixed] = order[i];
    other[i] = order[fixed];
    least = fmin(least, best_order_cycles(of, other, count, fixed + 1));
  }
  return least;
}

/* As many equal parts as axes; each begins along another and goes on along those after it. */
static double parts_cycles(const reduction *of, const size_t *order, const size_t count) {
  twin_links all = {{0}};
  for (size_t first = 0; first < count; first++) {
    size_t turned[TWIN_MAX_AXES] = {0};
    for (size_t i = 0; i < count; i++) {
      turned[i] = order[(first + i) % count];
    }
    const twin_links part = nested_links(of->system, turned, count, of->bytes / (double)count);
    for (size_t a = 0; a < TWIN_MAX_AXES; a++) {
      all.along[a] += part.along[a];
    }
  }
  return links_cycles(of, &all, sum_of(&all));
}

/* Axes with several members, innermost first. */
static size_t member_axes(const twin_system *system, const twin_layout *layout,
                          size_t order[TWIN_MAX_AXES]) {
  size_t count = 0;
  for (size_t a = 0; a < system->axis_count; a++) {
    if (layout->is_data[a] && system->axes[a].chips > 1) {
      order[count++] = a;
    }
  }
  return count;
}

double twin_half_all_reduce_moving_cycles(const twin_system *system, const twin_layout *layout,
                                          const double bytes, const double memory_factor) {
  return twin_moving_cycles_by(system, layout, bytes, memory_factor * bytes, NULL);
}

double twin_adding_cycles_by(const twin_system *system, const twin_layout *layout,
                             const double bytes, const double memory_bytes,
                             const twin_protocol *by) {
  const reduction of = {.system = system, .memory_bytes = memory_bytes, .by = by};
  const double received = bytes + bytes / layout->nd;
  twin_links links = {{0}};
  for (size_t a = 0; a < system->axis_count; a++) {
    links.along[a] = layout->is_data[a] && system->axes[a].chips > 1 ? received : 0;
  }
  return links_cycles(&of, &links, received);
}

double twin_moving_cycles_by(const twin_system *system, const twin_layout *layout,
                             const double bytes, const double memory_bytes,
                             const twin_protocol *by) {
  const reduction of = {.system = system, .bytes = bytes, .memory_bytes = memory_bytes, .by = by};
  size_t order[TWIN_MAX_AXES] = {0};
  const size_t count = member_axes(system, layout, order);
  if (system->one_ring && count > 0) {
    const twin_links links = ring_links(system, layout, order, count, bytes);
    const double received = bytes * (layout->nd - 1) / layout->nd; /* from one link only */
    return links_cycles(&of, &links, received);
  }
  switch (system->collective_order) {
  case TWIN_ORDER_BEST:
    return best_order_cycles(&of, order, count, 0);
  case TWIN_ORDER_BOTH_HALVES:
    return parts_cycles(&of, order, count);
  case TWIN_ORDER_GIVEN:
    break;
  }
  return order_cycles(&of, order, count);
}

double twin_all_reduce_steps_cycles(const twin_system *system, const twin_layout *layout) {
  size_t order[TWIN_MAX_AXES] = {0};
  const size_t count = member_axes(system, layout, order);
  double cycles = 0;
  if (system->one_ring) {
    return ring_steps_cycles(system, layout, order, count);
  }
  for (size_t i = 0; i < count; i++) {
    cycles += steps_cycles(&system->axes[order[i]]);
  }
  return cycles;
}

/* Links that a portion of an all-to-all loads, in links of a chip. */
static double mean_hops(const twin_system *system, const twin_axis *axis) {
  const double n = axis->chips;
  const double shorter_way = floor(n * n / 4) / n;
  switch (axis->link) {
  case TWIN_LINK_LINE:
    return n > 1 ? n / 4 : 0;
  case TWIN_LINK_SWITCH:
  case TWIN_LINK_FAT_TREE:
  case TWIN_LINK_DRAGONFLY:
    return fmax(n - 1, shared_links_bytes(axis, true)) / n;
  case TWIN_LINK_RING:
    break;
  }
  if (axis->both_ways) {
    return shorter_way / 2;
  }
  return system->two_way_relayout ? shorter_way : (n - 1) / 2;
}

double twin_move_cycles(const twin_system *system, const double total_bytes,
                        const twin_parallelism from, const twin_parallelism to) {
  if (from == to || total_bytes <= 0) {
    return 0;
  }
  const twin_layout before = twin_layout_of(system, from);
  const twin_layout after = twin_layout_of(system, to);
  const double chips = twin_chips(system);
  const twin_protocol *const by = &system->protocols[TWIN_PROTOCOL_ALL_TO_ALL];
  twin_links links = {{0}};
  bool is_plain = by->efficiency <= 0;
  for (size_t a = 0; a < system->axis_count; a++) {
    const bool is_moved = before.is_data[a] != after.is_data[a] && system->axes[a].chips > 1;
    is_plain = is_plain || (is_moved && !system->axes[a].protocols);
  }
  double latency = is_plain ? system->collective_base_cycles : by->base_cycles;
  for (size_t a = 0; a < system->axis_count; a++) {
    if (before.is_data[a] != after.is_data[a]) {
      const twin_axis *const axis = &system->axes[a];
      links.along[a] = total_bytes * mean_hops(system, axis) / chips *
                       (is_plain ? 1 : twin_protocol_slowing(axis, by));
      latency += is_plain ? steps_cycles(axis) : twin_steps(axis) * by->step_cycles;
    }
  }
  return twin_group_cycles(system, &links, system->relayout_memory_bytes * total_bytes / chips, 0) +
         latency;
}

double twin_hand_over_cycles(const twin_system *system, const double bytes) {
  twin_links links = {{0}};
  twin_axis between = *twin_last_axis(system); /* a chip of a stage, and one of the next */
  between.chips = between.all_chips > between.group_chips ? 2 : 1;
  between.oversubscription /= between.group_chips; /* one of a group sends */
  between.group_chips = 1;
  links.along[system->axis_count - 1] = bytes * slowed(&between);
  return twin_group_cycles(system, &links, 0, 0) + twin_last_axis(system)->latency_cycles;
}
