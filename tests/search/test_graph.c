/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_graph.c: the search over a graph against complete enumeration, on random graphs: with ample
 * memory, with a limit that binds, and where nothing fits. Numbers are small integers, so that ties
 * are exact and frequent, or fractions, whose sums differ from the two ends.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "search/graph.h"
#include "search/graph_limited.h"
#include "suites.h"

enum { NODES_MAX = 14, EDGES_MAX = 64, GRAPHS = 3000 };

typedef struct small_graph {
  dsm__graph graph;
  dsm__graph_node nodes[NODES_MAX + 1];
  dsm__graph_edge edges[EDGES_MAX];
} small_graph;

/* A number below `spread`, and often 0 if wanted. */
static double amount(uint64_t *state, uint64_t spread, bool is_often_zero) {
  const uint64_t number = random_below(state, spread);
  return is_often_zero && random_below(state, 2) == 0 ? 0 : (double)number;
}

/* Edges from any node to any later one: each node is left, and each is reached. Some pairs have
 * more than one edge. */
static size_t make_loose_pairs(size_t node_count, size_t (*pairs)[2], uint64_t *state) {
  bool is_left[NODES_MAX] = {false};
  size_t count = 0;
  for (size_t w = 1; w < node_count; w++) {
    const size_t v = random_below(state, w);
    is_left[v] = true;
    pairs[count][0] = v;
    pairs[count++][1] = w;
  }
  const size_t more = random_below(state, (uint64_t)2 * NODES_MAX);
  for (size_t v = 0; v + 1 < node_count; v++) {
    if (!is_left[v]) {
      pairs[count][0] = v;
      pairs[count++][1] = v + 1 + random_below(state, node_count - v - 1);
    }
  }
  for (size_t i = 0; i < more; i++) {
    const size_t v = random_below(state, node_count - 1);
    pairs[count][0] = v;
    pairs[count++][1] = v + 1 + random_below(state, node_count - v - 1);
  }
  return count;
}

/* Between two ends, layers of nodes with all edges from each to the next. */
static size_t make_layered_pairs(size_t node_count, size_t (*pairs)[2], uint64_t *state) {
  size_t starts[NODES_MAX + 1] = {0, 1};
  size_t layers = 1;
  while (starts[layers] < node_count - 1) {
    const size_t left = node_count - 1 - starts[layers];
    const size_t wide = 1 + random_below(state, 4);
    starts[layers + 1] = starts[layers] + (wide < left ? wide : left);
    layers++;
  }
  starts[++layers] = node_count;
  size_t count = 0;
  for (size_t layer = 0; layer + 1 < layers; layer++) {
    for (size_t v = starts[layer]; v < starts[layer + 1]; v++) {
      for (size_t w = starts[layer + 1]; w < starts[layer + 2]; w++) {
        pairs[count][0] = v;
        pairs[count++][1] = w;
      }
    }
  }
  return count;
}

static void make_graph(small_graph *made, uint64_t *state) {
  size_t pairs[EDGES_MAX][2];
  const size_t node_count = 2 + random_below(state, NODES_MAX - 1);
  const bool is_layered = random_below(state, 2) == 0;
  const size_t edge_count = is_layered ? make_layered_pairs(node_count, pairs, state)
                                       : make_loose_pairs(node_count, pairs, state);
  const uint64_t spread = 1 + random_below(state, 30);
  const bool is_often_zero = random_below(state, 3) == 0;
  memset(made, 0, sizeof *made);
  made->graph = (dsm__graph){made->nodes, node_count, made->edges, HUGE_VAL};
  size_t filled = 0;
  for (size_t v = 0; v < node_count; v++) {
    made->nodes[v].kept_bytes = amount(state, spread, is_often_zero);
    made->nodes[v].transient_bytes = amount(state, spread, is_often_zero);
    made->nodes[v].first_edge = filled;
    for (size_t i = 0; i < edge_count; i++) {
      if (pairs[i][0] == v) {
        made->edges[filled++] =
            (dsm__graph_edge){amount(state, spread, is_often_zero), (uint32_t)pairs[i][1], 0};
      }
    }
  }
  made->nodes[node_count].first_edge = filled;
}

typedef struct enumeration {
  double best_cycles;   /* of those that fit */
  double smallest_need; /* of all */
  double least_cycles;  /* of all */
  size_t first[NODES_MAX];
  size_t first_length; /* lexicographically first of the best */
} enumeration;

/* Every path on from node v, in order of preference: the first that is better by more than rounding
 * is the first of equals. */
static void enumerate_from(const dsm__graph *graph, size_t v, dsm__graph_path *path, double cycles,
                           double kept, double transient, enumeration *found) {
  const dsm__graph_node *const node = &graph->nodes[v];
  kept += node->kept_bytes;
  transient = fmax(transient, node->transient_bytes);
  if (v == graph->node_count - 1) {
    found->smallest_need = fmin(found->smallest_need, kept + transient);
    found->least_cycles = fmin(found->least_cycles, cycles);
    if (kept + transient <= graph->capacity_bytes && cycles < found->best_cycles * (1 - 1e-10)) {
      found->best_cycles = cycles;
      memcpy(found->first, path->edges, path->length * sizeof path->edges[0]);
      found->first_length = path->length;
    }
    return;
  }
  for (size_t e = node->first_edge; e < (node + 1)->first_edge; e++) {
    path->edges[path->length++] = e;
    enumerate_from(graph, graph->edges[e].to, path, cycles + graph->edges[e].cycles, kept,
                   transient, found);
    path->length--;
  }
}

static enumeration enumerate(const dsm__graph *graph) {
  size_t edges[NODES_MAX];
  dsm__graph_path path = {edges, 0};
  enumeration found = {
      .best_cycles = HUGE_VAL, .smallest_need = HUGE_VAL, .least_cycles = HUGE_VAL};
  enumerate_from(graph, 0, &path, 0, 0, 0, &found);
  return found;
}

typedef struct path_facts {
  bool is_whole; /* edge after edge from the first node to the last */
  double cycles;
  double bytes;
} path_facts;

static path_facts facts_of(const dsm__graph *graph, const dsm__graph_path *path) {
  size_t v = 0;
  double cycles = 0;
  double kept = graph->nodes[0].kept_bytes;
  double transient = graph->nodes[0].transient_bytes;
  for (size_t i = 0; i < path->length; i++) {
    const size_t e = path->edges[i];
    if (v + 1 >= graph->node_count || e < graph->nodes[v].first_edge ||
        e >= graph->nodes[v + 1].first_edge) {
      return (path_facts){.is_whole = false};
    }
    v = graph->edges[e].to;
    cycles += graph->edges[e].cycles;
    kept += graph->nodes[v].kept_bytes;
    transient = fmax(transient, graph->nodes[v].transient_bytes);
  }
  return (path_facts){v == graph->node_count - 1, cycles, kept + transient};
}

static void expect_first(const dsm__graph *graph, const enumeration *expected,
                         const dsm__graph_path *path, const dsm__graph_answer *answer,
                         uint64_t seed) {
  const path_facts facts = facts_of(graph, path);
  ck_assert_msg(answer->is_feasible && facts.is_whole, "seed %llu", (unsigned long long)seed);
  ck_assert_msg(facts.bytes <= graph->capacity_bytes, "seed %llu", (unsigned long long)seed);
  ck_assert_double_eq(facts.cycles, answer->cycles);
  ck_assert_msg(fabs(answer->cycles - expected->best_cycles) <= 1e-12 * expected->best_cycles,
                "seed %llu: found %g, expected %g", (unsigned long long)seed, answer->cycles,
                expected->best_cycles);
  ck_assert_msg(fabs(answer->lower_bound_cycles - answer->cycles) <= 1e-12 * answer->cycles,
                "seed %llu: bound %g, expected %g", (unsigned long long)seed,
                answer->lower_bound_cycles, answer->cycles);
  ck_assert_msg(path->length == expected->first_length &&
                    memcmp(path->edges, expected->first, path->length * sizeof path->edges[0]) == 0,
                "seed %llu: not the first of the best", (unsigned long long)seed);
}

static void expect_optimum(const dsm__graph *graph, uint64_t seed) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__graph_path path;
  dsm__graph_answer answer;
  const enumeration expected = enumerate(graph);
  ck_assert(dsm__graph_search(graph, arena, &path, &answer));
  if (isfinite(expected.best_cycles)) {
    expect_first(graph, &expected, &path, &answer, seed);
    if (answer.smallest_need_bytes > 0) {
      ck_assert_double_eq_tol(answer.smallest_need_bytes, expected.smallest_need, 1e-9);
    }
  } else {
    const path_facts facts = facts_of(graph, &path);
    ck_assert_msg(!answer.is_feasible && facts.is_whole, "seed %llu", (unsigned long long)seed);
    ck_assert_msg(fabs(answer.smallest_need_bytes - expected.smallest_need) <= 1e-9,
                  "seed %llu: need %g, expected %g", (unsigned long long)seed,
                  answer.smallest_need_bytes, expected.smallest_need);
    ck_assert_double_eq(facts.bytes, answer.smallest_need_bytes);
  }
  dsm__arena_free(arena);
}

START_TEST(test_ample_memory_gives_the_first_of_the_fastest) {
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    uint64_t state = seed;
    small_graph made;
    make_graph(&made, &state);
    expect_optimum(&made.graph, seed);
  }
}
END_TEST

START_TEST(test_no_memory_gives_a_path_of_smallest_need) {
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    uint64_t state = 4000000 + seed;
    small_graph made;
    make_graph(&made, &state);
    made.graph.capacity_bytes = -1;
    expect_optimum(&made.graph, seed);
  }
}
END_TEST

START_TEST(test_limited_memory_gives_the_first_of_the_fastest_that_fit) {
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    uint64_t state = 1000000 + seed;
    small_graph made;
    make_graph(&made, &state);
    /* From just too small over exactly enough to somewhat more. */
    made.graph.capacity_bytes =
        enumerate(&made.graph).smallest_need - 1 + (double)random_below(&state, 12);
    expect_optimum(&made.graph, seed);
  }
}
END_TEST

/* Some path that fits, and what the search finds from it. */
static void search_from_smallest(const dsm__graph *graph, dsm__graph_effort effort,
                                 dsm__arena *arena, dsm__graph_path *path,
                                 dsm__graph_answer *answer) {
  dsm__graph tight = *graph;
  tight.capacity_bytes = -1;
  ck_assert(dsm__graph_search(&tight, arena, path, answer));
  ck_assert(dsm__graph_limited_search(graph, effort, arena, path, answer));
}

/* Also where the fastest path fits after all: the limited search does not count on it. */
START_TEST(test_dominance_changes_no_answer) {
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    uint64_t state = 2000000 + seed;
    small_graph made;
    make_graph(&made, &state);
    made.graph.capacity_bytes =
        enumerate(&made.graph).smallest_need + (double)random_below(&state, 20);
    const enumeration expected = enumerate(&made.graph);
    for (int is_on = 0; is_on <= 1; is_on++) {
      const dsm__graph_effort effort = {DSM__LABELS_MAX, is_on == 1, DSM__GRAPH_WORK_MAX};
      dsm__arena *const arena = dsm__arena_new();
      dsm__graph_path path;
      dsm__graph_answer answer;
      search_from_smallest(&made.graph, effort, arena, &path, &answer);
      expect_first(&made.graph, &expected, &path, &answer, seed);
      dsm__arena_free(arena);
    }
  }
}
END_TEST

/* Too few labels or too little work allowed: a path that fits, and a bound that is none above the
 * optimum. */
START_TEST(test_too_many_labels_leave_an_honest_bound) {
  size_t gaps = 0;
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    uint64_t state = 3000000 + seed;
    small_graph made;
    make_graph(&made, &state);
    made.graph.capacity_bytes =
        enumerate(&made.graph).smallest_need + (double)random_below(&state, 20);
    const double best = enumerate(&made.graph).best_cycles;
    const dsm__graph_effort effort = {random_below(&state, 6), true,
                                      (double)random_below(&state, 10000)};
    dsm__arena *const arena = dsm__arena_new();
    dsm__graph_path path;
    dsm__graph_answer answer;
    search_from_smallest(&made.graph, effort, arena, &path, &answer);
    const path_facts facts = facts_of(&made.graph, &path);
    ck_assert(answer.is_feasible && facts.is_whole);
    ck_assert_double_le(facts.bytes, made.graph.capacity_bytes);
    ck_assert_double_eq(facts.cycles, answer.cycles);
    ck_assert_double_ge(answer.cycles, best);
    ck_assert_double_le(answer.lower_bound_cycles, best);
    gaps += answer.lower_bound_cycles < best * (1 - 1e-9) ? 1 : 0;
    dsm__arena_free(arena);
  }
  ck_assert_uint_gt(gaps, GRAPHS / 100);
}
END_TEST

/* Thirds and sevenths sum differently from the front and from the back. With exactly the memory
 * that the best path of a limit needs, the same path must come again. */
START_TEST(test_a_limit_that_binds_exactly_still_admits_its_path) {
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    uint64_t state = 5000000 + seed;
    small_graph made;
    make_graph(&made, &state);
    for (size_t v = 0; v < made.graph.node_count; v++) {
      made.nodes[v].kept_bytes /= v % 2 == 0 ? 3 : 7;
      made.nodes[v].transient_bytes /= 7;
    }
    for (size_t e = 0; e < made.nodes[made.graph.node_count].first_edge; e++) {
      made.edges[e].cycles /= e % 2 == 0 ? 3 : 11;
    }
    made.graph.capacity_bytes = dsm__capacity_limit(enumerate(&made.graph).smallest_need +
                                                    0.5 * (double)random_below(&state, 6));
    expect_optimum(&made.graph, seed);
    const enumeration found = enumerate(&made.graph);
    dsm__graph_path path = {(size_t[NODES_MAX]){0}, found.first_length};
    memcpy(path.edges, found.first, found.first_length * sizeof found.first[0]);
    made.graph.capacity_bytes = dsm__capacity_limit(facts_of(&made.graph, &path).bytes);
    expect_optimum(&made.graph, seed);
  }
}
END_TEST

typedef struct large_graph {
  dsm__graph graph;
  dsm__graph_node *nodes;
  dsm__graph_edge *edges;
} large_graph;

/* Layers of `width` nodes between two ends, all edges from layer to layer; numbers are all 0. */
static large_graph make_layers(size_t layers, size_t width) {
  const size_t node_count = layers * width + 2;
  const size_t edge_count = 2 * width + (layers - 1) * width * width;
  large_graph made = {.nodes = calloc(node_count + 1, sizeof(dsm__graph_node)),
                      .edges = calloc(edge_count, sizeof(dsm__graph_edge))};
  ck_assert(made.nodes != NULL && made.edges != NULL);
  size_t filled = 0;
  for (size_t v = 0; v + 1 < node_count; v++) {
    const size_t next = v == 0 ? 1 : 1 + ((v - 1) / width + 1) * width;
    made.nodes[v].first_edge = filled;
    for (size_t w = next; w < next + width && w < node_count; w++) {
      made.edges[filled++].to = (uint32_t)w;
    }
  }
  made.nodes[node_count - 1].first_edge = filled;
  made.nodes[node_count].first_edge = filled;
  made.graph = (dsm__graph){made.nodes, node_count, made.edges, HUGE_VAL};
  return made;
}

static void free_layers(large_graph *made) {
  free(made->nodes);
  free(made->edges);
}

enum { SAME_LAYERS = 700, SAME_CHOICES = 4, SAME_KEPT_MAX = 5 * SAME_LAYERS };
static const double SAME_CYCLES[SAME_CHOICES] = {30, 10, 25, 20};
static const double SAME_KEPT[SAME_CHOICES] = {1, 5, 2, 3};
static const double SAME_CHANGE = 7; /* cycles of a change of choice */

static large_graph make_same_layers(void) {
  large_graph made = make_layers(SAME_LAYERS, SAME_CHOICES);
  for (size_t v = 0; v + 1 < made.graph.node_count; v++) {
    if (v > 0) {
      made.nodes[v].kept_bytes = SAME_KEPT[(v - 1) % SAME_CHOICES];
      made.nodes[v].transient_bytes = 1;
    }
    for (size_t e = made.nodes[v].first_edge; e < made.nodes[v + 1].first_edge; e++) {
      const bool is_end = made.edges[e].to == made.graph.node_count - 1;
      const size_t to = (made.edges[e].to - 1) % SAME_CHOICES;
      const bool is_change = v > 0 && to != (v - 1) % SAME_CHOICES;
      made.edges[e].cycles = is_end ? 0 : SAME_CYCLES[to] + (is_change ? SAME_CHANGE : 0);
    }
  }
  return made;
}

/* least[kept]: least cycles of all layers with so many kept bytes, by a table over all sums. */
static void tabulate_same_layers(double least[SAME_KEPT_MAX + 1]) {
  static double now[SAME_CHOICES][SAME_KEPT_MAX + 1];
  static double then[SAME_CHOICES][SAME_KEPT_MAX + 1];
  for (int layer = 0; layer < SAME_LAYERS; layer++) {
    memcpy(then, now, sizeof then);
    for (size_t c = 0; c < SAME_CHOICES; c++) {
      for (size_t kept = 0; kept <= SAME_KEPT_MAX; kept++) {
        const size_t own = (size_t)SAME_KEPT[c];
        double before = layer == 0 && kept == own ? 0 : HUGE_VAL;
        for (size_t q = 0; q < SAME_CHOICES && layer > 0 && kept >= own; q++) {
          before = fmin(before, then[q][kept - own] + (q == c ? 0 : SAME_CHANGE));
        }
        now[c][kept] = before + SAME_CYCLES[c];
      }
    }
  }
  for (size_t kept = 0; kept <= SAME_KEPT_MAX; kept++) {
    least[kept] = HUGE_VAL;
    for (size_t c = 0; c < SAME_CHOICES; c++) {
      least[kept] = fmin(least[kept], now[c][kept]);
    }
  }
}

/* Identical layers have one price at which all change their mind. The path is the best all the
 * same, and proven so given labels enough; with the usual number, up to one change remains open. */
START_TEST(test_identical_layers_under_a_limit_are_right) {
  static double least[SAME_KEPT_MAX + 1];
  const dsm__graph_effort more = {2 * DSM__LABELS_MAX, true, DSM__GRAPH_WORK_MAX};
  large_graph made = make_same_layers();
  tabulate_same_layers(least);
  double best = HUGE_VAL;
  for (size_t kept = SAME_LAYERS; kept <= SAME_KEPT_MAX; kept++) {
    best = fmin(best, least[kept]);
    if ((kept - SAME_LAYERS) % 399 != 0) {
      continue;
    }
    dsm__arena *const arena = dsm__arena_new();
    dsm__graph_path path;
    dsm__graph_answer answer;
    made.graph.capacity_bytes = (double)kept + 1;
    ck_assert(dsm__graph_search(&made.graph, arena, &path, &answer));
    const path_facts facts = facts_of(&made.graph, &path);
    ck_assert(answer.is_feasible && facts.is_whole);
    ck_assert_double_le(facts.bytes, made.graph.capacity_bytes);
    ck_assert_double_eq(facts.cycles, answer.cycles);
    ck_assert_double_eq(answer.cycles, best);
    ck_assert_double_ge(answer.lower_bound_cycles, answer.cycles - SAME_CHANGE);
    ck_assert_double_le(answer.lower_bound_cycles, answer.cycles);
    search_from_smallest(&made.graph, more, arena, &path, &answer);
    ck_assert_double_eq(answer.cycles, best);
    ck_assert_double_ge(answer.lower_bound_cycles, best * (1 - 1e-12));
    dsm__arena_free(arena);
  }
  free_layers(&made);
}
END_TEST

/* A choice that keeps k bytes takes (15 - k) squared cycles, so the bytes are best spread evenly.
 */
START_TEST(test_ten_thousand_layers_are_exact) {
  enum { LAYERS = 10000, WIDTH = 16, EACH = 6, MORE = 20 };
  large_graph made = make_layers(LAYERS, WIDTH);
  dsm__arena *const arena = dsm__arena_new();
  dsm__graph_path path;
  dsm__graph_answer answer;
  for (size_t v = 0; v + 1 < made.graph.node_count; v++) {
    made.nodes[v].kept_bytes = v == 0 ? 0 : (double)((v - 1) % WIDTH);
    for (size_t e = made.nodes[v].first_edge; e < made.nodes[v + 1].first_edge; e++) {
      const bool is_end = made.edges[e].to == made.graph.node_count - 1;
      const double without = is_end ? 0 : WIDTH - 1 - (double)((made.edges[e].to - 1) % WIDTH);
      made.edges[e].cycles = without * without;
    }
  }
  made.graph.capacity_bytes = LAYERS * EACH + MORE;
  ck_assert(dsm__graph_search(&made.graph, arena, &path, &answer));
  ck_assert_double_eq(answer.smallest_need_bytes, 0);
  ck_assert_double_eq(answer.cycles, (LAYERS - MORE) * 9.0 * 9.0 + MORE * 8.0 * 8.0);
  ck_assert_double_ge(answer.lower_bound_cycles, answer.cycles * (1 - 1e-12));
  /* The order of edges prefers less kept bytes: what is over comes last. */
  for (size_t i = 0; i < LAYERS; i++) {
    const size_t kept = (made.edges[path.edges[i]].to - 1) % WIDTH;
    ck_assert_uint_eq(kept, i < LAYERS - MORE ? EACH : EACH + 1);
  }
  dsm__arena_free(arena);
  free_layers(&made);
}
END_TEST

/* Different layers with transients that differ: a knapsack with as many partial sums as there are.
 * The answer must come, exact or not, with a bound that is none above it. */
START_TEST(test_different_layers_under_a_limit_have_an_honest_bound) {
  enum { LAYERS = 400, WIDTH = 16 };
  large_graph made = make_layers(LAYERS, WIDTH);
  dsm__arena *const arena = dsm__arena_new();
  dsm__graph_path path;
  dsm__graph_answer answer;
  uint64_t state = 5;
  for (size_t v = 0; v + 1 < made.graph.node_count; v++) {
    if (v > 0) {
      made.nodes[v].kept_bytes = (double)random_below(&state, 1000);
      made.nodes[v].transient_bytes = (double)random_below(&state, 10000);
    }
    for (size_t e = made.nodes[v].first_edge; e < made.nodes[v + 1].first_edge; e++) {
      made.edges[e].cycles = 1000 + (double)random_below(&state, 1000);
    }
  }
  made.graph.capacity_bytes = -1;
  ck_assert(dsm__graph_search(&made.graph, arena, &path, &answer));
  ck_assert(!answer.is_feasible);
  made.graph.capacity_bytes = 1.5 * answer.smallest_need_bytes;
  ck_assert(dsm__graph_search(&made.graph, arena, &path, &answer));
  const path_facts facts = facts_of(&made.graph, &path);
  ck_assert(answer.is_feasible && facts.is_whole);
  ck_assert_double_le(facts.bytes, made.graph.capacity_bytes);
  ck_assert_double_eq(facts.cycles, answer.cycles);
  ck_assert_double_le(answer.lower_bound_cycles, answer.cycles * (1 + 1e-11));
  ck_assert_double_ge(answer.lower_bound_cycles, answer.cycles * 0.999);
  dsm__arena_free(arena);
  free_layers(&made);
}
END_TEST

/* A sweep's entries are the cheapest paths to and from a node, by enumeration with the node as an
 * end. */
START_TEST(test_rest_and_before_are_the_cheapest_ways) {
  for (uint64_t seed = 0; seed < GRAPHS / 10; seed++) {
    uint64_t state = 6000000 + seed;
    small_graph made;
    double rest[NODES_MAX];
    double before[NODES_MAX];
    make_graph(&made, &state);
    dsm__graph_rest(&made.graph, 0, rest);
    dsm__graph_before(&made.graph, 0, before);
    for (size_t v = 0; v < made.graph.node_count; v++) {
      size_t edges[NODES_MAX];
      dsm__graph_path path = {edges, 0};
      enumeration onward = {
          .best_cycles = HUGE_VAL, .smallest_need = HUGE_VAL, .least_cycles = HUGE_VAL};
      enumerate_from(&made.graph, v, &path, 0, 0, 0, &onward);
      ck_assert_double_eq(rest[v], onward.least_cycles);
      /* Through the node: no less than the best of all, which some nodes reach. */
      ck_assert_double_ge(before[v] + rest[v], rest[0]);
    }
    ck_assert_double_eq(before[made.graph.node_count - 1], rest[0]);
    /* A price on kept bytes is as cycles on each edge to their node. */
    dsm__graph_rest(&made.graph, 3, rest);
    dsm__graph_before(&made.graph, 3, before);
    for (size_t e = 0; e < made.nodes[made.graph.node_count].first_edge; e++) {
      made.edges[e].cycles += 3 * made.nodes[made.edges[e].to].kept_bytes;
    }
    const double priced = enumerate(&made.graph).least_cycles;
    ck_assert_double_eq(rest[0], priced);
    ck_assert_double_eq(before[made.graph.node_count - 1], priced + 3 * made.nodes[0].kept_bytes);
  }
}
END_TEST

/* Alternatives that differ by cycles only come to the same after each: a chain of junctions behind
 * them has one label a node, so that very few suffice. */
START_TEST(test_junctions_do_not_multiply_labels) {
  enum { CHAIN = 1000 };
  static dsm__graph_node nodes[CHAIN + 4];
  static dsm__graph_edge edges[2 * CHAIN + 4];
  size_t filled = 0;
  for (size_t v = 0; v < CHAIN; v++) {
    nodes[v].first_edge = filled;
    edges[filled++] = (dsm__graph_edge){1, (uint32_t)(v + 1), 0};
    edges[filled++] = (dsm__graph_edge){2, (uint32_t)(v + 1), 0};
  }
  /* At the end a fast way that does not fit, and a slow one. */
  nodes[CHAIN].first_edge = filled;
  edges[filled++] = (dsm__graph_edge){5, CHAIN + 1, 0};
  edges[filled++] = (dsm__graph_edge){9, CHAIN + 2, 0};
  nodes[CHAIN + 1] = (dsm__graph_node){10, 0, filled};
  edges[filled++] = (dsm__graph_edge){0, CHAIN + 2, 0};
  nodes[CHAIN + 2].first_edge = filled;
  nodes[CHAIN + 3].first_edge = filled;
  const dsm__graph graph = {nodes, CHAIN + 3, edges, 9};
  const dsm__graph_effort effort = {CHAIN + 3, true, DSM__GRAPH_WORK_MAX};
  dsm__arena *const arena = dsm__arena_new();
  dsm__graph_path path;
  dsm__graph_answer answer;
  search_from_smallest(&graph, effort, arena, &path, &answer);
  ck_assert_double_eq(answer.cycles, CHAIN + 9);
  ck_assert_double_eq(answer.lower_bound_cycles, CHAIN + 9);
  dsm__arena_free(arena);
}
END_TEST

Suite *suite_graph(void) {
  Suite *const suite = suite_create("graph");
  TCase *const tests = tcase_create("against enumeration");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_ample_memory_gives_the_first_of_the_fastest);
  tcase_add_test(tests, test_no_memory_gives_a_path_of_smallest_need);
  tcase_add_test(tests, test_limited_memory_gives_the_first_of_the_fastest_that_fit);
  tcase_add_test(tests, test_dominance_changes_no_answer);
  tcase_add_test(tests, test_too_many_labels_leave_an_honest_bound);
  tcase_add_test(tests, test_a_limit_that_binds_exactly_still_admits_its_path);
  tcase_add_test(tests, test_identical_layers_under_a_limit_are_right);
  tcase_add_test(tests, test_ten_thousand_layers_are_exact);
  tcase_add_test(tests, test_different_layers_under_a_limit_have_an_honest_bound);
  tcase_add_test(tests, test_rest_and_before_are_the_cheapest_ways);
  tcase_add_test(tests, test_junctions_do_not_multiply_labels);
  suite_add_tcase(suite, tests);
  return suite;
}
