/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_graph.c: the search over a graph against complete enumeration, on random graphs: with ample
 * memory, with a limit that binds, and where nothing fits. Numbers are small integers, so that ties
 * are exact and frequent, or fractions, whose sums differ from the two ends.
 */
#include <float.h>
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
  const size_t more = random_below(state, 2 * NODES_MAX);
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

/*LIMITED*/

Suite *suite_graph(void) {
  Suite *const suite = suite_create("graph");
  TCase *const tests = tcase_create("against enumeration");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_ample_memory_gives_the_first_of_the_fastest);
  tcase_add_test(tests, test_no_memory_gives_a_path_of_smallest_need);
  suite_add_tcase(suite, tests);
  return suite;
}
