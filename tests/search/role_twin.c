/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "role_twin.h"

#include <check.h>
#include <math.h>

#include "model/chip_link.h"
#include "model/equations.h"
#include "tied_twin.h"

static unsigned axis_count(const role_twin *twin) {
  return twin->machine.system->system.axis_count;
}

static bool is_same(const role_twin *twin, const dsm_roles *a, const dsm_roles *b) {
  bool is_it = true;
  for (unsigned x = 0; x < axis_count(twin); x++) {
    is_it = is_it && a->of[x] == b->of[x];
  }
  return is_it;
}

static dsm_pass_layouts layouts_of(const role_twin *twin, const role_pair *roles) {
  const dsm_parallelism both = dsm_parallelism_of(&roles->both, axis_count(twin));
  const dsm_parallelism update = dsm_parallelism_of(&roles->update, axis_count(twin));
  return (dsm_pass_layouts){
      {[DSM_PASS_FORWARD] = both, [DSM_PASS_BACKWARD] = both, [DSM_PASS_UPDATE] = update}};
}

/* ---- what a layer takes by itself ---- */

/* All cores divide one loop: of a prime number of cores there are no other splits. */
static unsigned splits_of(const dsm_pass_work *work, dsm_loops splits[DSM_DIM_COUNT]) {
  const uint64_t cores = work->machine->system->chip.cores;
  unsigned count = 0;
  for (int is_any = 0; is_any < 2 && count == 0; is_any++) {
    for (int d = 0; d < (cores == 1 ? 1 : DSM_DIM_COUNT); d++) {
      dsm_loops split = {{1, 1, 1, 1, 1}};
      split.n[d] = cores;
      if (is_any == 1 || dsm_split_is_valid(&work->share, &split)) {
        splits[count++] = split;
      }
    }
  }
  return count;
}

/* On a machine that waits for all exchanges. */
static dsm_pass_work work_of(const role_twin *twin, size_t index, dsm_pass pass,
                             const dsm_roles *roles, dsm_axis_set shared, bool is_apart) {
  const dsm_workload *const workload = twin->workload;
  const dsm_machine *const machine = &twin->waiting_machine;
  dsm_residency residency = dsm_residency_none(machine);
  residency.gathered_axes = shared;
  residency.is_error_apart = is_apart;
  return dsm_pass_work_derive(
      &workload->layers[index], machine, dsm_precision_of(workload, machine->system), twin->mode,
      pass, dsm_parallelism_of(roles, axis_count(twin)), workload->minibatch, &residency);
}

/* What of exchanges can go on beside a product: so much of tokens, so much of gathers, scatters and
 * halos; of sums over all chips, and of keys and values, which an attention gathers, nothing. */
static double hidden_at_most(const role_twin *twin, const dsm_pass_work *work) {
  const dsm_assumptions *const model = &twin->machine.system->model;
  const dsm_exchanges list = dsm__exchanges_derive(work);
  const bool has_own_operands = dsm__has_own_groups(work->layer);
  double tokens = 0;
  double others = 0;
  for (unsigned i = 0; i < list.count; i++) {
    const double cycles = dsm_group_cycles(work->machine, &list.items[i].traffic);
    const dsm_transfer transfer = list.items[i].transfer;
    tokens += transfer == DSM_TRANSFER_ALL_TO_ALL ? cycles : 0;
    const bool is_in_pieces =
        transfer == DSM_TRANSFER_ALL_GATHER || transfer == DSM_TRANSFER_REDUCE_SCATTER;
    others += transfer == DSM_TRANSFER_HALO || (is_in_pieces && !has_own_operands) ? cycles : 0;
  }
  return model->overlapped_collectives * others + model->overlapped_dispatch * tokens;
}

static double pass_cycles(const role_twin *twin, size_t index, dsm_pass pass,
                          const dsm_roles *roles, dsm_axis_set shared, bool is_apart,
                          dsm_loops *best) {
  const dsm_pass_work work = work_of(twin, index, pass, roles, shared, is_apart);
  const double most = hidden_at_most(twin, &work);
  dsm_loops splits[DSM_DIM_COUNT];
  const unsigned count = splits_of(&work, splits);
  double least = HUGE_VAL;
  for (unsigned i = 0; i < count; i++) {
    const dsm_invocation_cost cost = dsm_invocation_score(&work, &splits[i]);
    const double hidden = fmin(most, fmax(cost.primary, cost.overlapped));
    const double cycles = cost.total - work.machine->weights.cycles * hidden;
    if (cycles < least) {
      least = cycles;
      *best = splits[i];
    }
  }
  return least;
}

dsm_loops role_twin_split(const role_twin *twin, size_t layer, dsm_pass pass,
                          const dsm_roles *roles) {
  dsm_loops best = {{1, 1, 1, 1, 1}};
  (void)pass_cycles(twin, layer, pass, roles, 0, false, &best);
  return best;
}

/* Of gathers before forward and sums in backward some are another layer's, the same of both. */
static double both_cycles(const role_twin *twin, size_t index, const dsm_roles *roles,
                          dsm_axis_set shared, bool is_apart) {
  const dsm_layer *const layer = &twin->workload->layers[index];
  dsm_loops split;
  double cycles = pass_cycles(twin, index, DSM_PASS_FORWARD, roles, shared, false, &split);
  if (dsm_pass_exists(layer, twin->mode, DSM_PASS_BACKWARD)) {
    /* Of a product both operands have errors. */
    cycles += (layer->is_product ? 2 : 1) *
              pass_cycles(twin, index, DSM_PASS_BACKWARD, roles, shared, is_apart, &split);
  }
  return cycles;
}

static double update_cycles(const role_twin *twin, size_t index, const dsm_roles *roles,
                            dsm_axis_set gathered) {
  dsm_loops split;
  return dsm_pass_exists(&twin->workload->layers[index], twin->mode, DSM_PASS_UPDATE)
             ? pass_cycles(twin, index, DSM_PASS_UPDATE, roles, gathered, false, &split)
             : 0;
}

/* Once a step: the input as forward read it and the error as backward found it go where update
 * wants them, weights and gradients where they belong. */
static double once_cycles(const role_twin *twin, size_t index, const role_pair *roles) {
  const dsm_layer *const layer = &twin->workload->layers[index];
  const dsm_precision precision = dsm_precision_of(twin->workload, twin->machine.system);
  const dsm_pass_layouts layouts = layouts_of(twin, roles);
  if (!dsm_pass_exists(layer, twin->mode, DSM_PASS_UPDATE)) {
    return 0;
  }
  const dsm_weight_traffic traffic =
      dsm_weight_traffic_derive(layer, &twin->machine, precision, &layouts);
  double cycles = dsm_group_price(&twin->machine, &traffic.sum_of_gradients) +
                  dsm_group_price(&twin->machine, &traffic.broadcast_weights) +
                  dsm_group_price(&twin->machine, &traffic.weight_update);
  dsm_layouts ends[2][2]; /* of input, of error: before and after */
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    ends[0][0].of[a] = dsm_role_input_layout(roles->both.of[a]);
    ends[0][1].of[a] = dsm_role_input_layout(roles->update.of[a]);
    ends[1][0].of[a] = dsm_role_output_layout(roles->both.of[a]);
    ends[1][1].of[a] = dsm_role_output_layout(roles->update.of[a]);
  }
  const double bytes =
      (double)layer->timesteps * (double)twin->workload->minibatch * twin->workload->element_bytes;
  const uint64_t elements[2] = {layer->input_elements, layer->stored_elements};
  for (int e = 0; e < 2; e++) {
    const dsm_traffic move =
        dsm_layout_traffic(&twin->machine, (double)elements[e] * bytes, &ends[e][0], &ends[e][1]);
    cycles += dsm_group_price(&twin->machine, &move);
  }
  return cycles;
}

/* ---- tensors between layers ---- */

/* Of each tensor, by the layer that makes it. */
typedef struct tensors {
  dsm_layouts outer;
  bool is_inside[ROLE_TWIN_LAYERS][DSM_AXES_MAX];
  bool is_with_experts[ROLE_TWIN_LAYERS][DSM_AXES_MAX];
  bool is_gather_there[ROLE_TWIN_LAYERS][DSM_AXES_MAX]; /* what the layer gathered is as it was */
} tensors;

/* Is what a layer makes used by a layer, or a later one? A relayout moves no operands. */
static bool is_used_from(const role_twin *twin, size_t maker, size_t from, bool has_operands) {
  for (size_t r = from; r < twin->count; r++) {
    const dsm_layer *const reader = &twin->workload->layers[r];
    for (size_t i = 0; i < reader->producer_count; i++) {
      if (reader->producers[i] == maker) {
        return true;
      }
    }
    for (size_t i = 0; i < reader->shortcut_count; i++) {
      if (reader->shortcuts[i] == maker) {
        return true;
      }
    }
    for (size_t i = 0; has_operands && i < reader->operand_count; i++) {
      if (reader->operands[i] == maker) {
        return true;
      }
    }
  }
  return false;
}

/* Tensors that are made before `end`, used from `from` on, and outside along an axis. */
static uint64_t elements_outside(const role_twin *twin, const tensors *all, size_t end, size_t from,
                                 unsigned axis) {
  uint64_t elements = 0;
  for (size_t i = 0; i < end; i++) {
    if (!all->is_inside[i][axis] && !all->is_with_experts[i][axis] &&
        is_used_from(twin, i, from, false)) {
      elements += twin->workload->layers[i].stored_elements;
    }
  }
  return elements;
}

/* There, and in training back: tensors of the same number of elements go together. */
static double move_cycles(const role_twin *twin, const dsm_layouts *before,
                          const dsm_layouts *after, const uint64_t elements[DSM_AXES_MAX]) {
  const double bytes = (double)twin->workload->minibatch * twin->workload->element_bytes;
  double cycles = 0;
  for (int is_back = 0; is_back < (twin->mode == DSM_MODE_TRAINING ? 2 : 1); is_back++) {
    const dsm_layouts *const from = is_back == 1 ? after : before;
    const dsm_layouts *const to = is_back == 1 ? before : after;
    bool is_done[DSM_AXES_MAX] = {false};
    dsm_traffic sum = {.latency_cycles = 0};
    for (unsigned a = 0; a < axis_count(twin); a++) {
      dsm_layouts target = *from;
      const uint64_t moved = from->of[a] != to->of[a] && !is_done[a] ? elements[a] : 0;
      for (unsigned b = a; b < axis_count(twin) && moved > 0; b++) {
        if (from->of[b] != to->of[b] && elements[b] == moved) {
          target.of[b] = to->of[b];
          is_done[b] = true;
        }
      }
      const dsm_traffic one =
          dsm_layout_traffic(&twin->machine, (double)moved * bytes, from, &target);
      for (int l = 0; l < DSM_LINK_COUNT; l++) {
        sum.bytes[l] += one.bytes[l];
      }
      sum.latency_cycles += one.latency_cycles;
    }
    cycles += dsm_group_price(&twin->machine, &sum);
  }
  return cycles;
}

/* Outside tensors take other layouts. What was gathered of them is gone. */
static double move_outside(const role_twin *twin, tensors *all, const dsm_layouts *to, size_t end,
                           size_t from) {
  uint64_t elements[DSM_AXES_MAX] = {0};
  for (unsigned a = 0; a < axis_count(twin); a++) {
    if (all->outer.of[a] != to->of[a]) {
      elements[a] = elements_outside(twin, all, end, from, a);
      for (size_t i = 0; i < twin->count; i++) {
        all->is_gather_there[i][a] = false;
      }
    }
  }
  const double cycles = move_cycles(twin, &all->outer, to, elements);
  all->outer = *to;
  return cycles;
}

typedef struct sides {
  bool is_any_inside;
  bool is_any_with_experts;
  bool is_any_outside;
} sides;

static void add_sides(sides *s, const tensors *all, const size_t *makers, size_t count,
                      unsigned axis) {
  for (size_t i = 0; i < count; i++) {
    const bool is_made = makers[i] != DSM_NETWORK_INPUT;
    const bool is_inside = is_made && all->is_inside[makers[i]][axis];
    const bool is_with_experts = is_made && all->is_with_experts[makers[i]][axis];
    s->is_any_inside = s->is_any_inside || is_inside;
    s->is_any_with_experts = s->is_any_with_experts || is_with_experts;
    s->is_any_outside = s->is_any_outside || !(is_inside || is_with_experts);
  }
}

static bool is_opening(dsm_role role) {
  return role == DSM_ROLE_COLUMN || role == DSM_ROLE_GATHER_COLUMN;
}

/* Opening roles gather what others may read too; tokens are sent to experts that others may have.
 */
static bool is_bringing(dsm_role role) {
  return is_opening(role) || role == DSM_ROLE_EXPERT;
}

static bool are_same_experts(const dsm_layer *a, const dsm_layer *b) {
  return a->experts == b->experts && a->routed == b->routed && a->ij == b->ij;
}

static bool is_read_by(const dsm_layer *reader, size_t maker) {
  bool is_read = false;
  for (size_t i = 0; i < reader->producer_count; i++) {
    is_read = is_read || reader->producers[i] == maker;
  }
  for (size_t i = 0; i < reader->shortcut_count; i++) {
    is_read = is_read || reader->shortcuts[i] == maker;
  }
  return is_read;
}

/* Is what a layer of experts makes read by layers of the same experts alone, and added to nothing
 * else? */
static bool stays_with_experts(const role_twin *twin, size_t index) {
  const dsm_layer *const layer = &twin->workload->layers[index];
  bool is_staying = layer->experts > 0 && is_used_from(twin, index, index + 1, false);
  for (size_t r = index + 1; r < twin->count; r++) {
    const dsm_layer *const reader = &twin->workload->layers[r];
    is_staying = is_staying && (!is_read_by(reader, index) || are_same_experts(layer, reader));
  }
  for (size_t i = 0; i < layer->shortcut_count && is_staying; i++) {
    is_staying = stays_with_experts(twin, layer->shortcuts[i]);
  }
  return is_staying;
}

static bool is_same_input(const dsm_layer *a, const dsm_layer *b) {
  if (a->producer_count != b->producer_count ||
      (a->experts + b->experts > 0 && !are_same_experts(a, b))) {
    return false;
  }
  for (size_t i = 0; i < a->producer_count; i++) {
    if (a->producers[i] != b->producers[i]) {
      return false;
    }
  }
  return true;
}

/* The latest layer that has gathered the same; SIZE_MAX: none, or all that such layers made is used
 * up. */
static size_t gatherer(const role_twin *twin, const tensors *all, size_t index, unsigned axis,
                       const role_pair *roles, bool *is_any_in_update) {
  const dsm_role role = roles[index].both.of[axis];
  const bool is_again =
      role == DSM_ROLE_GATHER_COLUMN && roles[index].update.of[axis] == DSM_ROLE_GATHER_COLUMN;
  size_t latest = SIZE_MAX;
  bool is_any_live = false;
  *is_any_in_update = false;
  for (size_t i = 0; i < index; i++) {
    if (all->is_gather_there[i][axis] && roles[i].both.of[axis] == role && is_bringing(role) &&
        is_same_input(&twin->workload->layers[i], &twin->workload->layers[index])) {
      const bool is_live = (all->is_inside[i][axis] || all->is_with_experts[i][axis]) &&
                           is_used_from(twin, i, index, true);
      latest = i;
      is_any_live = is_any_live || is_live;
      *is_any_in_update = *is_any_in_update || (is_live && is_again &&
                                                roles[i].update.of[axis] == DSM_ROLE_GATHER_COLUMN);
    }
  }
  return is_any_live ? latest : SIZE_MAX;
}

/* A layer runs: what moves before and after takes cycles; false if its roles break a rule.
 * `gatherers`: whose gathers it shares along each axis; `again`: along which in update too. */
static bool run_layer(const role_twin *twin, tensors *all, size_t index, const role_pair *roles,
                      double *cycles, size_t gatherers[DSM_AXES_MAX], dsm_axis_set *again) {
  const dsm_layer *const layer = &twin->workload->layers[index];
  dsm_layouts before = all->outer;
  bool is_made_inside[DSM_AXES_MAX];
  bool is_kept[DSM_AXES_MAX]; /* by experts */
  bool is_read_there[DSM_AXES_MAX];
  for (unsigned a = 0; a < axis_count(twin); a++) {
    const dsm_role role = roles[index].both.of[a];
    const bool is_heads =
        role == DSM_ROLE_HEADS || (role == DSM_ROLE_MODEL && layer->operand_groups > 0);
    const bool is_row = role == DSM_ROLE_ROW || role == DSM_ROLE_ROW_SCATTER;
    const bool is_expert = role == DSM_ROLE_EXPERT;
    sides read = {false, false, false};
    sides added = {false, false, false};
    add_sides(&read, all, layer->producers, layer->producer_count, a);
    add_sides(&read, all, layer->operands, layer->operand_count, a);
    add_sides(&added, all, layer->shortcuts, layer->shortcut_count, a);
    is_made_inside[a] = is_opening(role) || (read.is_any_inside && is_heads);
    is_kept[a] = is_expert && stays_with_experts(twin, index);
    is_read_there[a] = read.is_any_with_experts;
    const int kinds = (read.is_any_inside ? 1 : 0) + (read.is_any_outside ? 1 : 0) +
                      (read.is_any_with_experts ? 1 : 0);
    if (kinds > 1 || (read.is_any_inside && !(is_heads || is_row)) ||
        (read.is_any_with_experts && !is_expert)) {
      return false;
    }
    const bool is_added_elsewhere =
        is_kept[a]          ? added.is_any_outside || added.is_any_inside
        : is_made_inside[a] ? added.is_any_outside || added.is_any_with_experts
                            : added.is_any_inside || (added.is_any_with_experts && !is_expert);
    if (is_added_elsewhere) {
      return false;
    }
    if (!read.is_any_inside && !read.is_any_with_experts) {
      before.of[a] = dsm_role_input_layout(role);
    }
  }
  if (index == 0) {
    all->outer = before; /* the network's input lies as its first reader wants it */
  }
  *cycles = move_outside(twin, all, &before, index, index);
  dsm_layouts behind = all->outer;
  *again = 0;
  for (unsigned a = 0; a < axis_count(twin); a++) {
    /* What is there was brought by no one: as if by the layer itself. */
    bool is_any_in_update = false;
    gatherers[a] =
        is_read_there[a] ? index : gatherer(twin, all, index, a, roles, &is_any_in_update);
    *again |= is_any_in_update ? 1U << a : 0U;
    if (!is_made_inside[a] && !is_kept[a]) {
      behind.of[a] = dsm_role_output_layout(roles[index].both.of[a]);
    }
  }
  *cycles += move_outside(twin, all, &behind, index, index + 1);
  for (unsigned a = 0; a < axis_count(twin); a++) {
    all->is_inside[index][a] = is_made_inside[a];
    all->is_with_experts[index][a] = is_kept[a];
    all->is_gather_there[index][a] = is_bringing(roles[index].both.of[a]);
  }
  return true;
}

/* Of layers up to one; those that share a table have the same roles in all passes. */
static void take_both(const role_pair *roles, size_t index, dsm_roles both[ROLE_TWIN_LAYERS]) {
  for (size_t i = 0; i <= index; i++) {
    both[i] = roles[i].both;
  }
}

/* With the roles of all layers up to it. */
static double tied_cycles(const role_twin *twin, size_t index, const role_pair *roles) {
  dsm_roles both[ROLE_TWIN_LAYERS];
  take_both(roles, index, both);
  return twin->mode == DSM_MODE_TRAINING
             ? tied_twin_cycles(twin->workload, &twin->machine, index, both)
             : 0;
}

double role_twin_cycles(role_twin *twin, const role_pair *roles) {
  tensors all = {.outer = {{DSM_LAYOUT_SAMPLES}}};
  dsm_axis_set gathered[ROLE_TWIN_LAYERS] = {0};
  dsm_axis_set again[ROLE_TWIN_LAYERS] = {0};
  double cycles = 0;
  for (size_t i = 0; i < twin->count; i++) {
    double moving = 0;
    size_t gatherers[DSM_AXES_MAX];
    const bool is_apart = !is_same(twin, &roles[i].both, &roles[i].update);
    if ((is_apart && !role_twin_may_differ(twin, i, &roles[i].both, &roles[i].update)) ||
        !run_layer(twin, &all, i, roles, &moving, gatherers, &again[i])) {
      return -1;
    }
    cycles += moving;
    for (unsigned a = 0; a < axis_count(twin); a++) {
      gathered[i] |= gatherers[a] != SIZE_MAX ? 1U << a : 0U;
    }
  }
  for (size_t i = 0; i < twin->count; i++) {
    const bool is_apart = !is_same(twin, &roles[i].both, &roles[i].update);
    cycles += both_cycles(twin, i, &roles[i].both, gathered[i], is_apart) +
              update_cycles(twin, i, &roles[i].update, again[i]) + once_cycles(twin, i, &roles[i]) +
              tied_cycles(twin, i, roles);
  }
  return cycles;
}

/* ---- memory ---- */

static dsm_layer_memory memory_of(const role_twin *twin, size_t index, const role_pair *roles) {
  const dsm_pass_layouts layouts = layouts_of(twin, roles);
  return dsm_layer_memory_derive(&twin->workload->layers[index], &twin->machine, twin->workload,
                                 twin->mode, &layouts);
}

static double kept_bytes(const role_twin *twin, size_t index, const role_pair *roles) {
  const dsm_layer_memory memory = memory_of(twin, index, roles);
  return memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes +
         memory.input_bytes + memory.activations_bytes + memory.cache_bytes;
}

double role_twin_bytes(const role_twin *twin, const role_pair *roles) {
  double kept = 0;
  double transient = 0;
  for (size_t i = 0; i < twin->count; i++) {
    kept += kept_bytes(twin, i, &roles[i]);
    dsm_roles both[ROLE_TWIN_LAYERS];
    take_both(roles, i, both);
    kept += tied_twin_bytes(twin->workload, &twin->machine, twin->mode, i, both);
    transient = fmax(transient, memory_of(twin, i, &roles[i]).transient_bytes);
  }
  return kept + transient;
}

/* ---- all mappings ---- */

/* What is asked again and again. */
static double known(double *number,
                    double (*find)(role_twin *, size_t, size_t, size_t, dsm_axis_set),
                    role_twin *twin, const size_t of[3], dsm_axis_set shared) {
  if (*number < 0) {
    *number = find(twin, of[0], of[1], of[2], shared);
  }
  return *number;
}

static double find_both(role_twin *twin, size_t index, size_t option, size_t apart,
                        dsm_axis_set shared) {
  return both_cycles(twin, index, &twin->options[index][option], shared, apart != 0);
}

static double find_update(role_twin *twin, size_t index, size_t option, size_t unused,
                          dsm_axis_set shared) {
  (void)unused;
  return update_cycles(twin, index, &twin->options[index][option], shared);
}

static double find_once(role_twin *twin, size_t index, size_t option, size_t update,
                        dsm_axis_set unused) {
  (void)unused;
  const role_pair roles = {twin->options[index][option], twin->options[index][update]};
  return once_cycles(twin, index, &roles);
}

static double find_transient(role_twin *twin, size_t index, size_t option, size_t update,
                             dsm_axis_set unused) {
  (void)unused;
  const role_pair roles = {twin->options[index][option], twin->options[index][update]};
  return memory_of(twin, index, &roles).transient_bytes;
}

/* Of an option in forward and backward, and one in update. */
static double price_of(role_twin *twin, size_t index, size_t option, size_t update,
                       dsm_axis_set sharing, dsm_axis_set again) {
  const size_t apart = option != update ? 1 : 0;
  const size_t of_both[3] = {index, option, apart};
  const size_t of_update[3] = {index, update, 0};
  const size_t of_once[3] = {index, option, update};
  dsm_axis_set shared = 0;
  for (unsigned a = 0; a < axis_count(twin); a++) {
    shared |= is_bringing(twin->options[index][option].of[a]) ? sharing & 1U << a : 0U;
  }
  return known(&twin->both[index][option][shared][apart], find_both, twin, of_both, shared) +
         known(&twin->update[index][update][again], find_update, twin, of_update, again) +
         known(apart == 1 ? &twin->once[index][option][update] : &twin->same_once[index][option],
               find_once, twin, of_once, 0);
}

static void forget(role_twin *twin, size_t i) {
  for (size_t o = 0; o < twin->option_count[i]; o++) {
    twin->same_once[i][o] = -1;
    twin->same_transient[i][o] = -1;
    for (int s = 0; s < 1 << DSM_AXES_MAX; s++) {
      twin->both[i][o][s][0] = -1;
      twin->both[i][o][s][1] = -1;
      twin->update[i][o][s] = -1;
    }
    for (size_t u = 0; twin->has_per_pass && u < twin->option_count[i]; u++) {
      twin->once[i][o][u] = -1;
      twin->transient[i][o][u] = -1;
    }
  }
}

void role_twin_weigh(role_twin *twin, const dsm_weights *weights) {
  twin->machine.is_weighed = twin->waiting_machine.is_weighed = true;
  twin->machine.weights = twin->waiting_machine.weights = *weights;
}

void role_twin_init(role_twin *twin, const dsm_workload *workload, const dsm_system *system,
                    dsm_mode mode, role_space space) {
  twin->workload = workload;
  twin->machine = dsm_machine_derive(system);
  twin->waiting = *system;
  twin->waiting.model.overlapped_collectives = twin->waiting.model.overlapped_dispatch = 0;
  twin->waiting_machine = dsm_machine_derive(&twin->waiting);
  twin->mode = mode;
  twin->capacity_bytes = HUGE_VAL;
  twin->has_per_pass = space.has_per_pass;
  twin->count = workload->layer_count;
  twin->cycles = HUGE_VAL;
  twin->tried = 0;
  ck_assert_uint_le(twin->count, ROLE_TWIN_LAYERS);
  for (size_t i = 0; i < twin->count; i++) {
    twin->option_count[i] = 0;
    for (unsigned n = 0; n < DSM_ROLE_COUNT * DSM_ROLE_COUNT * DSM_ROLE_COUNT; n++) {
      const unsigned digits[DSM_AXES_MAX] = {n % DSM_ROLE_COUNT,
                                             n / DSM_ROLE_COUNT % DSM_ROLE_COUNT,
                                             n / DSM_ROLE_COUNT / DSM_ROLE_COUNT};
      dsm_roles roles = {{DSM_ROLE_DATA}};
      bool is_good = true;
      for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
        roles.of[a] = (dsm_role)digits[a];
        is_good = is_good && (a < axis_count(twin) || digits[a] == 0);
      }
      if (is_good && role_twin_is_option(twin, i, &roles, space)) {
        ck_assert_uint_lt(twin->option_count[i], ROLE_TWIN_OPTIONS);
        twin->options[i][twin->option_count[i]++] = roles;
      }
    }
    ck_assert(!twin->has_per_pass || twin->option_count[i] <= ROLE_TWIN_PAIRED);
    forget(twin, i);
  }
}

/* May an update pass have an option beside another one? */
static bool is_open(const role_twin *twin, size_t index, size_t option, size_t update) {
  return option == update || (twin->has_per_pass && twin->mode == DSM_MODE_TRAINING &&
                              !tied_twin_has_table(twin->workload, index) &&
                              role_twin_may_differ(twin, index, &twin->options[index][option],
                                                   &twin->options[index][update]));
}

typedef struct walk {
  role_twin *twin;
  bool is_apart; /* update passes have other roles too */
  role_pair roles[ROLE_TWIN_LAYERS];
  size_t of[ROLE_TWIN_LAYERS][2]; /* their numbers */
} walk;

/* What a layer needs while it runs, where memory is short. */
static double transient_of(role_twin *twin, size_t index, size_t option, size_t update) {
  const size_t of[3] = {index, option, update};
  double *const number = option == update ? &twin->same_transient[index][option]
                                          : &twin->transient[index][option][update];
  return twin->capacity_bytes < HUGE_VAL ? known(number, find_transient, twin, of, 0) : 0;
}

/* As role_twin_bytes, of what is known of each layer. */
static double needed_bytes(const walk *w) {
  role_twin *const twin = w->twin;
  dsm_roles both[ROLE_TWIN_LAYERS];
  double bytes = 0;
  double transient = 0;
  take_both(w->roles, twin->count - 1, both);
  for (size_t i = 0; i < twin->count; i++) {
    bytes += twin->kept[i][w->of[i][0]] +
             tied_twin_bytes(twin->workload, &twin->machine, twin->mode, i, both);
    transient = fmax(transient, transient_of(twin, i, w->of[i][0], w->of[i][1]));
  }
  return bytes + transient;
}

static void note_best(walk *w, double cycles) {
  role_twin *const twin = w->twin;
  twin->tried++;
  if (cycles < twin->cycles &&
      (twin->capacity_bytes >= HUGE_VAL || needed_bytes(w) <= twin->capacity_bytes * (1 + 1e-11))) {
    twin->cycles = cycles;
    for (size_t i = 0; i < twin->count; i++) {
      twin->best[i] = w->roles[i];
    }
  }
}

static void try_layer(walk *w, const tensors *all, size_t index, double cycles, double bytes);

/* An option with each one that its update may have. */
static void try_option(walk *w, const tensors *all, size_t index, size_t o, double cycles,
                       double bytes) {
  role_twin *const twin = w->twin;
  const size_t first = w->is_apart ? 0 : o;
  const size_t end = w->is_apart ? twin->option_count[index] : o + 1;
  for (size_t u = first; u < end; u++) {
    tensors next = *all;
    double moving = 0;
    size_t gatherers[DSM_AXES_MAX];
    dsm_axis_set shared = 0;
    dsm_axis_set again = 0;
    w->roles[index] = (role_pair){twin->options[index][o], twin->options[index][u]};
    w->of[index][0] = o;
    w->of[index][1] = u;
    if (!is_open(twin, index, o, u)) {
      continue;
    }
    /* As if others gathered all that may be gathered: no way is faster. */
    const dsm_axis_set all_axes = (1U << axis_count(twin)) - 1;
    const double known_bytes =
        bytes + twin->rest_bytes[index + 1] + transient_of(twin, index, o, u);
    if (known_bytes > twin->capacity_bytes * (1 + 1e-9) ||
        cycles + price_of(twin, index, o, u, all_axes, all_axes) + twin->rest[index + 1] >=
            twin->cycles) {
      continue;
    }
    if (!run_layer(twin, &next, index, w->roles, &moving, gatherers, &again)) {
      return; /* whatever update has */
    }
    for (unsigned a = 0; a < axis_count(twin); a++) {
      shared |= gatherers[a] != SIZE_MAX ? 1U << a : 0U;
    }
    const double sum = cycles + moving + price_of(twin, index, o, u, shared, again) +
                       tied_cycles(twin, index, w->roles);
    if (sum + twin->rest[index + 1] < twin->cycles) {
      try_layer(w, &next, index + 1, sum, bytes);
    }
  }
}

static void try_layer(walk *w, const tensors *all, size_t index, double cycles, double bytes) {
  role_twin *const twin = w->twin;
  if (index == twin->count) {
    note_best(w, cycles);
    return;
  }
  for (size_t o = 0; o < twin->option_count[index]; o++) {
    const double kept = bytes + twin->kept[index][o];
    if (cycles + twin->rest[index] >= twin->cycles) {
      return;
    }
    if (kept + twin->rest_bytes[index + 1] <= twin->capacity_bytes * (1 + 1e-9)) {
      try_option(w, all, index, o, cycles, kept);
    }
  }
}

/* What an option takes at least, whoever gathers and whatever update has. */
static double least_of(role_twin *twin, size_t index, size_t option) {
  double least = HUGE_VAL;
  for (size_t u = 0; u < twin->option_count[index]; u++) {
    for (dsm_axis_set s = 0; is_open(twin, index, option, u) && s < 1U << axis_count(twin); s++) {
      least = fmin(least, price_of(twin, index, option, u, s, s));
    }
  }
  return least;
}

void role_twin_search(role_twin *twin) {
  twin->rest[twin->count] = 0;
  twin->rest_bytes[twin->count] = 0;
  for (size_t i = twin->count; i-- > 0;) {
    double least = HUGE_VAL;
    double least_bytes = HUGE_VAL;
    for (size_t o = 0; o < twin->option_count[i]; o++) {
      const role_pair same = {twin->options[i][o], twin->options[i][o]};
      twin->kept[i][o] = kept_bytes(twin, i, &same); /* whatever update has */
      least_bytes = fmin(least_bytes, twin->kept[i][o]);
      least = fmin(least, least_of(twin, i, o));
    }
    twin->rest[i] = twin->rest[i + 1] + least;
    twin->rest_bytes[i] = twin->rest_bytes[i + 1] + least_bytes;
  }
  walk w = {.twin = twin};
  const tensors all = {.outer = {{DSM_LAYOUT_SAMPLES}}};
  try_layer(&w, &all, 0, 0, 0);
  if (twin->has_per_pass) { /* what is known now leaves less to look at */
    w.is_apart = true;
    try_layer(&w, &all, 0, 0, 0);
  }
}
