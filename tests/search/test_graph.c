/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_graph.c: the search over a graph against complete enumeration, on random graphs: with ample
 * memory, with a limit that binds, and where nothing fits. Numbers are small integers, so that ties
 * are exact and frequent, or fractions, whose sums differ from the two ends. Half of the graphs
 * count some edges.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "graph_facts.h"
#include "plan/tolerance.h"
#include "random_numbers.h"
#include "search/graph/graph.h"
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
  made->graph = (dsm__graph){.nodes = made->nodes,
                             .node_count = node_count,
                             .edges = made->edges,
                             .capacity_bytes = HUGE_VAL};
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
  made->graph.is_counting = random_below(state, 2) == 0;
  for (size_t e = 0; e < filled; e++) {
    made->edges[e].tag = random_below(state, 2) == 0 ? DSM__TAG_COUNTS | 5U : 5U;
  }
}

typedef struct enumeration {
  double best_cycles;   /* of those that fit */
  size_t counted;       /* most, of the best */
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
    const size_t counted = dsm__graph_sum(graph, path).counted;
    const bool is_faster = cycles < found->best_cycles * (1 - 1e-10);
    const bool is_as_fast = cycles <= found->best_cycles * (1 + 1e-10);
    if (kept + transient <= graph->capacity_bytes &&
        (is_faster || (is_as_fast && counted > found->counted))) {
      found->best_cycles = cycles;
      found->counted = counted;
      memcpy(found->first, path->edges, path->length * sizeof path->edges[0]);
      found->first_length = path->length;
    }
    return;
  }
  for (size_t e = node->first_edge; e < (node + 1)->first_edge; e++) {
    path->edges[path->length++] = e;
    enumerate_from(graph, graph->edges[e].to, path, cycles + graph->edges[e].cost, kept, transient,
                   found);
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

static void expect_first(const dsm__graph *graph, const enumeration *expected,
                         const dsm__graph_path *path, const dsm__graph_answer *answer,
                         uint64_t seed) {
  const path_facts facts = facts_of(graph, path);
  ck_assert_msg(answer->is_feasible && facts.is_whole, "seed %llu", (unsigned long long)seed);
  ck_assert_msg(facts.bytes <= graph->capacity_bytes, "seed %llu", (unsigned long long)seed);
  ck_assert_double_eq(facts.cycles, answer->cost);
  ck_assert_msg(fabs(answer->cost - expected->best_cycles) <= 1e-12 * expected->best_cycles,
                "seed %llu: found %g, expected %g", (unsigned long long)seed, answer->cost,
                expected->best_cycles);
  ck_assert_msg(fabs(answer->lower_bound - answer->cost) <= 1e-12 * answer->cost,
                "seed %llu: bound %g, expected %g", (unsigned long long)seed, answer->lower_bound,
                answer->cost);
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
                                      (double)random_below(&state, 200)};
    dsm__arena *const arena = dsm__arena_new();
    dsm__graph_path path;
    dsm__graph_answer answer;
    search_from_smallest(&made.graph, effort, arena, &path, &answer);
    const path_facts facts = facts_of(&made.graph, &path);
    ck_assert(answer.is_feasible && facts.is_whole);
    ck_assert_double_le(facts.bytes, made.graph.capacity_bytes);
    ck_assert_double_eq(facts.cycles, answer.cost);
    ck_assert_double_ge(answer.cost, best);
    ck_assert_double_le(answer.lower_bound, best);
    gaps += answer.lower_bound < best * (1 - 1e-9) ? 1 : 0;
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
      made.edges[e].cost /= e % 2 == 0 ? 3 : 11;
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

/* A sweep's entries are the cheapest paths to and from a node, by enumeration with the node as an
 * end. */
START_TEST(test_rest_and_before_are_the_cheapest_ways) {
  for (uint64_t seed = 0; seed < GRAPHS / 10; seed++) {
    uint64_t state = 6000000 + seed;
    small_graph made;
    double rest[NODES_MAX];
    double before[NODES_MAX];
    make_graph(&made, &state);
    dsm__graph_rest(&made.graph, rest);
    dsm__graph_before(&made.graph, before);
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
    const dsm__graph_price at_three = {1, 3, HUGE_VAL};
    dsm__graph_sweep_back(&made.graph, at_three, rest);
    dsm__graph_sweep_forward(&made.graph, at_three, before);
    for (size_t e = 0; e < made.nodes[made.graph.node_count].first_edge; e++) {
      made.edges[e].cost += 3 * made.nodes[made.edges[e].to].kept_bytes;
    }
    const double priced = enumerate(&made.graph).least_cycles;
    ck_assert_double_eq(rest[0], priced);
    ck_assert_double_eq(before[made.graph.node_count - 1], priced + 3 * made.nodes[0].kept_bytes);
  }
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
  tcase_add_test(tests, test_rest_and_before_are_the_cheapest_ways);
  suite_add_tcase(suite, tests);
  return suite;
}
