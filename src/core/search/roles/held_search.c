/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held_search.c: the fastest mapping with roles in which outputs are held.
 *
 * Between two layers later costs depend on where tensors lie (role_states.h), on which of them are
 * held, and on the DySM factor while some are: a *label*. Labels behind a layer are made of those
 * before it, with the edges of the relaxed graph (held_relaxed.c), which tell where each option
 * leads. A label's cost so far, with the relaxed graph's bound of what is still to come, are
 * those of the fastest mapping through it at least: with more than the limit it is left out. Of
 * what is left a graph is made (graph.h), in which memory counts too, and its fastest path is the
 * answer.
 *
 * The limit begins a little above the relaxed graph's fastest path and grows: a path within the
 * limit is the fastest of all; where there is none, nothing takes less than the limit. Where labels
 * are too many, those with the least bounds are kept and the least bound of the others bounds what
 * they lead to.
 */
#include "search/roles/held_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/counted_list.h"
#include "base/order.h"
#include "plan/core_layouts.h"
#include "plan/tolerance.h"
#include "search/roles/held_relaxed.h"

/* The most labels kept behind a layer, and edges of a graph. */
enum { LABELS_MAX = 1 << 11, EDGES_MAX = 3 << 20 };

/* An edge's tag: the option, the factor, whether the output is held. */
enum { OPTION_BITS = 20, FACTOR_BITS = 6 };

/* Before a layer. No padding up to `cost`: compared as bytes. */
typedef struct label {
  uint64_t held; /* bit k: what the layer k + 1 before made */
  uint32_t point;
  uint32_t factor; /* 0 while nothing is held */
  double cost;     /* so far */
  double bound;    /* with all that is to come */
  uint32_t node;
  bool is_left_out;
} label;
enum { LABEL_KEY = 16 };

/* A layer that runs with an option and leads to a label; no padding up to `cost`. */
typedef struct entry {
  uint64_t held;
  uint32_t point;
  uint32_t factor;
  uint64_t option;
  double cost;
  uint32_t node;
} entry;
enum { ENTRY_KEY = 24 };

typedef struct held_search {
  dsm__role_space *space;
  dsm__held_costs costs;
  dsm__held_least least;
  dsm__held_relaxed relaxed;
  double limit;
  size_t labels_max;
  dsm__graph_builder builder;
  DSM__LIST(label) labels; /* before the layer */
  DSM__LIST(label) next;   /* behind it */
  DSM__LIST(entry) entries;
  dsm__map index;              /* of entries, then of what is behind them */
  dsm_layer_memory **memories; /* of each kind of layer, once asked for: with each option */
  double left_out;             /* the least bound of labels that are */
  bool is_too_large;
} held_search;

static const dsm_layer *layer_of(const held_search *s, size_t index) {
  return &s->space->problem->inputs.workload->layers[index];
}

static bool is_training(const held_search *s) {
  return s->space->problem->inputs.options->mode == DSM_MODE_TRAINING;
}

bool dsm__held_roles_are_searched(const dsm__problem *problem) {
  return !problem->is_holding_off && dsm__may_choose(problem->inputs.options, DSM__CHOICE_OUTPUT) &&
         problem->lives.is_any_holdable && !dsm__has_layouts(problem->machine.system) &&
         dsm_held_limit_bytes(&problem->machine, problem->inputs.preloaded_bytes) > 0;
}

/* ---- labels ---- */

/* What a chip has of held tensors, the earliest first, and of the output where that is held: as
 * plan/holding.c adds them up. */
static void find_bytes(held_search *s, size_t index, const label *from, const dsm__held_edge *edge,
                       unsigned factor, bool is_output_held, dsm__held_way *way) {
  dsm__held_costs *const costs = &s->costs;
  const dsm__role_state *const role = &s->relaxed.blocks[index]->points[from->point].role;
  dsm__held_sum sum = {.elements = 0};
  for (unsigned k = DSM__ROLE_REACH; from->held != 0 && k-- > 0;) {
    if ((from->held >> k & 1U) != 0) {
      const size_t maker = index - 1 - k;
      const uint64_t elements = layer_of(s, maker)->stored_size;
      const dsm__held_share share =
          dsm__held_share_at(costs, maker, factor, dsm__held_code_of(costs, role, k));
      dsm__held_sum_add(&sum, elements, &share, costs->element_bytes);
      if (k == 0 && is_training(s)) {
        dsm__held_sum own = {.elements = 0};
        dsm__held_sum_add(&own, elements, &share, costs->element_bytes);
        way->deferred_bytes = dsm__held_sum_bytes(&own, costs->element_bytes);
      }
    }
  }
  if (is_output_held) {
    const dsm_layouts made =
        dsm_output_layouts(dsm__role_options_of(s->space, index)->items[edge->option].parallelism);
    const dsm__held_share share =
        dsm__held_share_at(costs, index, factor, dsm__held_code(costs, &made));
    dsm__held_sum_add(&sum, layer_of(s, index)->stored_size, &share, costs->element_bytes);
  }
  way->held_bytes = dsm__held_sum_bytes(&sum, costs->element_bytes);
}

/* Cost of a layer out of a label; infinite where what is held does not fit. */
static double cost_of(held_search *s, size_t index, const label *from, const dsm__held_edge *edge,
                      unsigned factor, bool is_output_held) {
  const dsm__role_layer *const around = &s->space->layers[index];
  const dsm__role_option *const option =
      &dsm__role_options_of(s->space, index)->items[edge->option];
  if (from->held == 0 && !is_output_held) {
    return option->cost;
  }
  dsm__held_way way = {
      .option = edge->option,
      .factor_index = (uint8_t)factor,
      .is_input_held = edge->can_input_be_held != 0 && (around->inputs & ~from->held) == 0,
      .is_output_held = is_output_held,
      .is_shortcut_held = edge->can_shortcut_be_held != 0 && (around->added & ~from->held) == 0,
  };
  find_bytes(s, index, from, edge, factor, is_output_held, &way);
  return dsm__held_fitting_cost(&s->costs, index, way);
}

/* The layer's node that leads to a label; new ones keep memory. */
static entry *entry_of(held_search *s, size_t index, const entry *key) {
  const uint32_t hash = dsm__map_hash(0, key, ENTRY_KEY);
  const size_t found = dsm__map_find_in(&s->index, hash, s->entries.items,
                                        sizeof s->entries.items[0], key, ENTRY_KEY);
  if (found != DSM__MAP_NONE) {
    return &s->entries.items[found];
  }
  if (!DSM__LIST_RESERVE_COUNTED(&s->entries, 1, s->builder.bytes) ||
      !dsm__map_add(&s->index, hash, s->entries.count)) {
    s->builder.is_out_of_memory = true;
    return NULL;
  }
  const dsm__node_info info = {.layer = (uint32_t)index, .kind = DSM__NODE_ENTRY};
  const dsm_layer_memory *const memory = &s->memories[s->space->layers[index].kind][key->option];
  entry *const added = &s->entries.items[s->entries.count++];
  *added = *key;
  added->cost = HUGE_VAL;
  added->node =
      dsm__graph_add_node(&s->builder, info, dsm__kept_bytes(memory), memory->transient_bytes);
  return added;
}

/* The layer out of a label with an option, a factor, and its output held or not. */
static void add_way(held_search *s, size_t index, const label *from, const dsm__held_edge *edge,
                    unsigned factor, bool is_output_held) {
  const double cost = edge->moving + cost_of(s, index, from, edge, factor, is_output_held);
  const double so_far = from->cost + cost;
  if (!(so_far + s->relaxed.rest[index + 1][edge->to] <= s->limit)) {
    return;
  }
  entry key = {.held =
                   (from->held << 1 | (is_output_held ? 1U : 0U)) & s->space->layers[index].live,
               .point = edge->to,
               .option = edge->option};
  key.factor = key.held != 0 ? factor : 0;
  entry *const to = entry_of(s, index, &key);
  if (to != NULL) {
    const uint32_t tag = edge->option | (uint32_t)factor << OPTION_BITS |
                         (is_output_held ? (uint32_t)1 << (OPTION_BITS + FACTOR_BITS) : 0);
    to->cost = fmin(to->cost, so_far);
    dsm__graph_add_edge(&s->builder, to->node, cost, tag);
  }
}

/* With the factor that what is held has, or each. Where nothing is held its option has the best. */
static void add_ways(held_search *s, size_t index, const label *from, const dsm__held_edge *edge) {
  const unsigned factor_count = s->costs.factor_count;
  if ((from->held & ~edge->entered) != 0 ||
      from->cost + edge->least + s->relaxed.rest[index + 1][edge->to] > s->limit) {
    return;
  }
  for (int own = 0; own <= (edge->can_output_be_held != 0 ? 1 : 0); own++) {
    if (from->held == 0 && own == 0) {
      const unsigned best = dsm__role_options_of(s->space, index)->items[edge->option].factor_index;
      add_way(s, index, from, edge, best, false);
      continue;
    }
    for (unsigned f = from->held != 0 ? from->factor : 0;
         f < (from->held != 0 ? from->factor + 1 : factor_count); f++) {
      if (layer_of(s, index)->timesteps == 1 && dsm__held_factor_is_open(&s->costs, index, f)) {
        add_way(s, index, from, edge, f, own == 1);
      }
    }
  }
}

/* The label that an entry leads to. */
static void add_label(held_search *s, size_t index, const entry *from) {
  label key = {.held = from->held, .point = from->point, .factor = from->factor};
  const uint32_t hash = dsm__map_hash(0, &key, LABEL_KEY);
  size_t found =
      dsm__map_find_in(&s->index, hash, s->next.items, sizeof s->next.items[0], &key, LABEL_KEY);
  if (found == DSM__MAP_NONE) {
    const dsm__node_info info = {.layer = (uint32_t)index + 1, .kind = DSM__NODE_OPEN};
    found = s->next.count;
    if (!DSM__LIST_RESERVE_COUNTED(&s->next, 1, s->builder.bytes) ||
        !dsm__map_add(&s->index, hash, found)) {
      s->builder.is_out_of_memory = true;
      return;
    }
    key.cost = HUGE_VAL;
    key.node = dsm__graph_add_node(&s->builder, info, 0, 0);
    s->next.items[s->next.count++] = key;
  }
  label *const to = &s->next.items[found];
  to->cost = fmin(to->cost, from->cost);
  to->bound = to->cost + s->relaxed.rest[index + 1][to->point];
  dsm__graph_begin_edges(&s->builder, from->node);
  dsm__graph_add_edge(&s->builder, to->node, 0, 0);
}

static int compare_bounds(const void *left, const void *right) {
  const label *const a = *(const label *const *)left;
  const label *const b = *(const label *const *)right;
  if (a->bound < b->bound || a->bound > b->bound) {
    return a->bound < b->bound ? -1 : 1;
  }
  return dsm__order_whole(a->node, b->node);
}

/* Leaves out the labels behind a layer that are too many. */
static void cut_labels(held_search *s) {
  if (s->next.count <= s->labels_max) {
    return;
  }
  label **const sorted = malloc(s->next.count * sizeof *sorted);
  if (sorted == NULL) {
    s->builder.is_out_of_memory = true;
    return;
  }
  for (size_t i = 0; i < s->next.count; i++) {
    sorted[i] = &s->next.items[i];
  }
  qsort(sorted, s->next.count, sizeof *sorted, compare_bounds);
  for (size_t i = s->labels_max; i < s->next.count; i++) {
    sorted[i]->is_left_out = true;
  }
  s->left_out = fmin(s->left_out, sorted[s->labels_max]->bound);
  free(sorted);
}

/* What a layer takes with each option: layers of a kind take the same. */
static bool find_memories(held_search *s, size_t index) {
  dsm_layer_memory **const memories = &s->memories[s->space->layers[index].kind];
  const size_t count = dsm__role_options_of(s->space, index)->count;
  if (*memories != NULL) {
    return true;
  }
  if (!DSM__RESERVE(s->space->problem->arena, *memories, count)) {
    return false;
  }
  for (size_t o = 0; o < count; o++) {
    (*memories)[o] = dsm__role_memory_of(s->space, index, o);
  }
  return true;
}

static bool is_given_up(const held_search *s) {
  return s->builder.is_out_of_memory || dsm__problem_is_over(s->space->problem);
}

static void add_layer(held_search *s, size_t index) {
  const dsm__held_block *const block = s->relaxed.blocks[index];
  if (!find_memories(s, index)) {
    s->builder.is_out_of_memory = true;
    return;
  }
  const size_t edges = s->builder.edges.count;
  s->entries.count = 0;
  s->next.count = 0;
  dsm__map_clear(&s->index);
  for (size_t i = 0; i < s->labels.count && !is_given_up(s); i++) {
    const label *const from = &s->labels.items[i];
    dsm__graph_begin_edges(&s->builder, from->node);
    for (size_t e = block->first_edge[from->point];
         !from->is_left_out && e < block->first_edge[from->point + 1]; e++) {
      add_ways(s, index, from, &block->edges[e]);
    }
  }
  dsm__map_clear(&s->index);
  for (size_t i = 0; i < s->entries.count && !s->builder.is_out_of_memory; i++) {
    add_label(s, index, &s->entries.items[i]);
  }
  cut_labels(s);
  dsm__deadline_add_work(s->space->problem->inputs.deadline,
                         DSM__WORK_OF_EDGE * (s->builder.edges.count - edges));
  s->is_too_large = s->builder.edges.count > EDGES_MAX || is_given_up(s);
  label *const items = s->labels.items;
  const size_t capacity = s->labels.capacity;
  s->labels.items = s->next.items;
  s->labels.count = s->next.count;
  s->labels.capacity = s->next.capacity;
  s->next.items = items;
  s->next.capacity = capacity;
}

static void add_end(held_search *s) {
  const dsm__node_info info = {.kind = DSM__NODE_END};
  const uint32_t last = (uint32_t)s->builder.nodes.count;
  for (size_t i = 0; i < s->labels.count; i++) {
    dsm__graph_begin_edges(&s->builder, s->labels.items[i].node);
    if (!s->labels.items[i].is_left_out) {
      dsm__graph_add_edge(&s->builder, last, 0, 0);
    }
  }
  dsm__graph_add_node(&s->builder, info, 0, 0);
  dsm__graph_begin_edges(&s->builder, last);
}

/* The graph of all labels within the limit; a network without nodes: it is too large, or the time
 * is over. False if out of memory. */
static bool build(held_search *s, dsm__arena *arena, dsm__network_graph *network) {
  const size_t layer_count = s->space->problem->inputs.workload->layer_count;
  const dsm__node_info info = {.kind = DSM__NODE_OPEN};
  label start = {.held = 0};
  s->left_out = HUGE_VAL;
  s->is_too_large = false;
  s->labels.count = 0;
  if (!DSM__LIST_RESERVE_COUNTED(&s->labels, 1, s->builder.bytes)) {
    return false;
  }
  start.node = dsm__graph_add_node(&s->builder, info, 0, 0);
  s->labels.items[s->labels.count++] = start;
  for (size_t i = 0; i < layer_count && !s->builder.is_out_of_memory && !s->is_too_large; i++) {
    add_layer(s, i);
  }
  add_end(s);
  if (s->builder.is_out_of_memory || s->costs.is_out_of_memory) {
    return false;
  }
  if (s->is_too_large) {
    return true;
  }
  const bool is_built = dsm__graph_finish(&s->builder, network, NULL, arena);
  network->graph.capacity_bytes = s->space->problem->capacity_bytes;
  network->graph.deadline = s->space->problem->inputs.deadline;
  return is_built;
}

/* ---- decisions ---- */

/* Core splits of a layer as it is run; those of the last layer of its class, where that was run
 * alike. */
static void decide_splits(held_search *s, size_t index, size_t option_index,
                          const dsm__holding *holding, dsm__layer_decision *decision) {
  const dsm__problem *const problem = s->space->problem;
  const dsm__role_option *const option =
      &dsm__role_options_of(s->space, index)->items[option_index];
  dsm__layer_setting setting =
      dsm__open_setting(&problem->inputs, layer_of(s, index), decision->layer.dysm_factor);
  setting.gathered_before = option->shares.both;
  setting.summed_later = option->shares.both;
  setting.gathered_in_update = option->shares.in_update;
  setting.shard = option->shard;
  setting.holding = *holding;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    if (dsm_pass_exists(setting.layer, setting.mode, (dsm_pass)p)) {
      const dsm__best_pass best = dsm__best_pass_find(&setting, (dsm_pass)p, option->parallelism,
                                                      true, &problem->table.splits);
      decision->is_kernel_kept[p] = best.is_kernel_kept;
      memcpy(decision->splits[p], best.splits, sizeof best.splits);
    }
  }
}

static bool decide(held_search *s, const dsm__network_graph *network, const dsm__graph_path *path,
                   dsm__decisions *decisions) {
  const dsm__problem *const problem = s->space->problem;
  const dsm_workload *const workload = problem->inputs.workload;
  const size_t layer_count = workload->layer_count;
  dsm__layer_decision *layers = NULL;
  dsm__holding *holdings = NULL;
  size_t *chosen = NULL;
  if (!DSM__RESERVE(problem->lasting, layers, layer_count) ||
      !DSM__RESERVE(problem->arena, holdings, layer_count) ||
      !DSM__RESERVE(problem->arena, chosen, layer_count)) {
    return false;
  }
  for (size_t i = 0; i < path->length; i++) {
    const dsm__graph_edge *const edge = &network->graph.edges[path->edges[i]];
    if (network->infos[edge->to].kind == DSM__NODE_ENTRY) {
      const size_t index = network->infos[edge->to].layer;
      const unsigned factor = edge->tag >> OPTION_BITS & ((1U << FACTOR_BITS) - 1);
      chosen[index] = edge->tag & ((1U << OPTION_BITS) - 1);
      const dsm__role_option *const option =
          &dsm__role_options_of(s->space, index)->items[chosen[index]];
      layers[index] = (dsm__layer_decision){
          .layouts = dsm_pass_layouts_uniform(option->parallelism),
          .layer = {.dysm_factor = layer_of(s, index)->timesteps == 1 ? dsm__factor_of(factor) : 1,
                    .is_output_held = (edge->tag >> (OPTION_BITS + FACTOR_BITS) & 1U) != 0,
                    .shard = option->shard},
      };
    }
  }
  const dsm__decisions micro = {.layers = layers}; /* the workload is a micro-batch already */
  if (!dsm__holdings_derive(workload, &problem->machine, &micro, holdings, problem->arena)) {
    return false;
  }
  for (size_t i = 0; i < layer_count; i++) {
    decide_splits(s, i, chosen[i], &holdings[i], &layers[i]);
  }
  *decisions = (dsm__decisions){.layers = layers, .micro_batches = problem->inputs.micro_batches};
  return true;
}

/* ---- limits ---- */

/* The fastest path of all labels within the limit. */
static bool search_within(held_search *s, double limit, dsm__graph_answer *answer,
                          dsm__decisions *decisions) {
  dsm__network_graph network = {.is_cut = false};
  dsm__graph_path path;
  dsm__arena *const arena = dsm__problem_arena(s->space->problem);
  s->limit = dsm__tie_limit(limit);
  *answer = (dsm__graph_answer){.cost = HUGE_VAL, .lower_bound = HUGE_VAL};
  bool is_good = arena != NULL && build(s, arena, &network);
  dsm__graph_builder_fini(&s->builder);
  if (is_good && network.graph.nodes != NULL && dsm__graph_edge_count(&network.graph) > 0) {
    is_good = dsm__graph_search(&network.graph, arena, &path, answer) &&
              (!answer->is_feasible || decide(s, &network, &path, decisions));
  }
  if (!answer->is_feasible) {
    answer->cost = HUGE_VAL;
  }
  dsm__arena_free(arena);
  return is_good;
}

/* What is known meanwhile. */
typedef struct progress {
  double known;  /* cost of the fastest mapping so far; DBL_MAX: none */
  double proven; /* no mapping that holds something is faster */
  dsm__graph_answer best;
  dsm__decisions decisions;
  bool is_found; /* one that is faster than what was known at first */
} progress;

/* The relaxed graph with all mappings up to some cost, of a choice; false if out of memory. */
static bool relax(held_search *s, double cost, dsm__held_choice choice, dsm__arena **arena) {
  dsm__arena_free(*arena);
  *arena = dsm__problem_arena(s->space->problem);
  const double slack = fmin(dsm__tie_limit(cost) - s->least.sum, DBL_MAX);
  return *arena != NULL &&
         dsm__held_relaxed_find(&s->costs, &s->least, slack, choice, &s->relaxed, *arena);
}

/* How far the fastest mapping may be over what the outline proves: as far as that which holds
 * nothing was over what its layers take at least, where it is known. */
static double first_more(const held_search *s, const dsm__graph_answer *open, double proven) {
  static const double first_share = 0.02;
  double least = 0;
  for (size_t i = 0; i < s->space->problem->inputs.workload->layer_count; i++) {
    least += s->space->least[i];
  }
  const double over = open->is_feasible ? open->cost - least : 0;
  return fmax(first_share * proven, over - (proven - s->least.sum));
}

/* The fastest path of the relaxed graph: a bound of all mappings. *reach: up to which cost it has
 * all of them. Windows grow above what the outline proves. */
static bool find_bound(held_search *s, const dsm__graph_answer *open, progress *found,
                       double *reach, dsm__arena **arena) {
  static const double growth = 2;
  enum { RETREATS_MAX = 2 };
  const double least = found->proven;
  double more = first_more(s, open, least);
  for (int retreats = 0;;) {
    const double cost =
        found->known - least <= growth * more && retreats == 0 ? found->known : least + more;
    if (!relax(s, cost, NULL, arena)) {
      return false;
    }
    if (s->relaxed.is_too_large) {
      if (*reach > 0 || retreats++ == RETREATS_MAX) {
        return true;
      }
      more /= growth;
      continue;
    }
    *reach = cost;
    found->proven = fmax(found->proven, fmin(cost, s->relaxed.cost));
    if (s->relaxed.cost <= dsm__tie_limit(cost) || cost >= found->known || retreats > 0) {
      return true;
    }
    more = isfinite(s->relaxed.cost) ? s->relaxed.cost - least : growth * more;
  }
}

/* Takes what a search up to some cost found. Is it all there is? */
static bool take(held_search *s, double cost, const dsm__graph_answer *answer,
                 const dsm__decisions *decisions, progress *found) {
  const bool is_whole = !s->is_too_large && !(s->left_out < HUGE_VAL);
  const double bound = answer->is_feasible ? answer->lower_bound : HUGE_VAL;
  if (!s->is_too_large) {
    found->proven = fmax(found->proven, fmin(fmin(cost, s->left_out), bound));
  }
  if (answer->is_feasible && dsm__tie_limit(answer->cost) < found->known) {
    found->known = answer->cost;
    found->best = *answer;
    found->decisions = *decisions;
    found->is_found = true;
  }
  return is_whole && found->known <= dsm__tie_limit(cost);
}

/* What the fastest mapping that holds nothing gains where it holds what it can, roles being as they
 * are: a first mapping. False if out of memory. */
static bool search_choice(held_search *s, const dsm__decisions *open, progress *found,
                          dsm__arena **arena) {
  dsm__graph_answer answer;
  dsm__decisions decisions;
  const double proven = found->proven; /* of all roles */
  if (!relax(s, DBL_MAX, open->layers, arena)) {
    return false;
  }
  if (dsm__tie_limit(s->relaxed.cost) < found->known) {
    if (!search_within(s, found->known, &answer, &decisions)) {
      return false;
    }
    (void)take(s, found->known, &answer, &decisions, found);
    found->proven = proven;
  }
  return true;
}

/* What the next search is of: fewer labels where they were too many, else a higher limit, *more
 * above the least. False: so many searches are enough. */
static bool widen(held_search *s, const progress *found, double *more, int *cut_searches) {
  static const double growth = 4;
  enum { LEAST_LABELS = 32, CUT_SEARCHES_MAX = 3 };
  if (s->is_too_large) {
    s->labels_max /= 4;
  } else {
    *more *= growth;
  }
  *cut_searches += s->is_too_large || s->left_out < HUGE_VAL ? 1 : 0;
  return s->labels_max >= LEAST_LABELS && !(found->is_found && *cut_searches >= CUT_SEARCHES_MAX);
}

/* With growing limits. False if out of memory. */
static bool search_all(held_search *s, const dsm__graph_answer *open, progress *found,
                       dsm__arena **arena) {
  static const double first_part = 1.0 / 16; /* of what the bound leaves */
  double reach = 0;
  if (!find_bound(s, open, found, &reach, arena)) {
    return false;
  }
  const double least = found->proven;
  double more = fmax(1e-3 * least, first_part * (fmin(found->known, 4 * least) - least));
  more = reach > dsm__tie_limit(least) ? reach - least : more;
  int cut_searches = 0;
  while (!s->relaxed.is_too_large && dsm__tie_limit(least) < found->known &&
         !dsm__problem_is_over(s->space->problem)) {
    const double cost = fmin(found->known, least + more);
    if (cost > reach && !relax(s, cost, NULL, arena)) {
      return false;
    }
    if (s->relaxed.is_too_large || s->relaxed.cost > dsm__tie_limit(cost)) {
      break;
    }
    dsm__graph_answer answer;
    dsm__decisions decisions;
    reach = fmax(reach, cost);
    const double known = found->known;
    if (!search_within(s, cost, &answer, &decisions)) {
      return false;
    }
    if (take(s, cost, &answer, &decisions, found) ||
        (cost >= known && !s->is_too_large && !(found->known < known)) ||
        !widen(s, found, &more, &cut_searches)) {
      break;
    }
  }
  return true;
}

bool dsm__held_role_search(dsm__role_space *space, double cost_limit, dsm__graph_answer *answer,
                           dsm__decisions *decisions) {
  held_search s = {.space = space,
                   .builder = {.bytes = dsm__deadline_bytes(space->problem->inputs.deadline)},
                   .labels_max = LABELS_MAX};
  progress found = {
      .known = fmin(DBL_MAX, fmin(cost_limit, answer->is_feasible ? answer->cost : HUGE_VAL))};
  dsm__arena *arena = NULL;
  bool is_good = dsm__held_costs_init(&s.costs, space) &&
                 DSM__RESERVE(space->problem->arena, s.memories,
                              space->problem->inputs.workload->layer_count) &&
                 dsm__held_least_find(&s.costs, &s.least);
  const bool is_cut_off = dsm__deadline_is_final(space->problem->inputs.deadline);
  found.proven = is_cut_off ? 0 : fmax(s.least.sum, s.least.rooms.least_cost);
  if (is_good && !is_cut_off && dsm__tie_limit(found.proven) < found.known) {
    is_good = (!answer->is_feasible || search_choice(&s, decisions, &found, &arena)) &&
              search_all(&s, answer, &found, &arena);
  }
  if (is_good && found.is_found) {
    const dsm__graph_answer open = *answer; /* of what holds nothing */
    *answer = found.best;
    *decisions = found.decisions;
    answer->lower_bound = open.lower_bound;
    answer->is_memory_short = open.is_memory_short;
  }
  answer->lower_bound = fmin(answer->lower_bound, found.proven);
  dsm__held_costs_fini(&s.costs);
  dsm__map_fini(&s.index);
  DSM__LIST_FREE_COUNTED(&s.labels, s.builder.bytes);
  DSM__LIST_FREE_COUNTED(&s.next, s.builder.bytes);
  DSM__LIST_FREE_COUNTED(&s.entries, s.builder.bytes);
  dsm__arena_free(arena);
  return is_good;
}
