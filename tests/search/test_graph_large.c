/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_graph_large.c: the search over large graphs under a limit, of which the answer is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "graph_facts.h"
#include "random_numbers.h"
#include "suites.h"

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
  made.graph = (dsm__graph){.nodes = made.nodes,
                            .node_count = node_count,
                            .edges = made.edges,
                            .capacity_bytes = HUGE_VAL};
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
      made.edges[e].cost = is_end ? 0 : SAME_CYCLES[to] + (is_change ? SAME_CHANGE : 0);
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
 * same, and proven so. */
START_TEST(test_identical_layers_under_a_limit_are_right) {
  static double least[SAME_KEPT_MAX + 1];
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
    ck_assert_double_eq(facts.cycles, answer.cost);
    ck_assert_double_eq(answer.cost, best);
    ck_assert_double_le(answer.lower_bound, answer.cost);
    ck_assert_double_ge(answer.lower_bound, best * (1 - 1e-12));
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
      made.edges[e].cost = without * without;
    }
  }
  made.graph.capacity_bytes = LAYERS * EACH + MORE;
  ck_assert(dsm__graph_search(&made.graph, arena, &path, &answer));
  ck_assert_double_eq(answer.smallest_need_bytes, 0);
  ck_assert_double_eq(answer.cost, (LAYERS - MORE) * 9.0 * 9.0 + MORE * 8.0 * 8.0);
  ck_assert_double_ge(answer.lower_bound, answer.cost * (1 - 1e-12));
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
      made.edges[e].cost = 1000 + (double)random_below(&state, 1000);
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
  ck_assert_double_eq(facts.cycles, answer.cost);
  ck_assert_double_le(answer.lower_bound, answer.cost * (1 + 1e-11));
  ck_assert_double_ge(answer.lower_bound, answer.cost * 0.999);
  dsm__arena_free(arena);
  free_layers(&made);
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
  const dsm__graph graph = {
      .nodes = nodes, .node_count = CHAIN + 3, .edges = edges, .capacity_bytes = 9};
  const dsm__graph_effort effort = {CHAIN + 3, true, DSM__GRAPH_WORK_MAX};
  dsm__arena *const arena = dsm__arena_new();
  dsm__graph_path path;
  dsm__graph_answer answer;
  search_from_smallest(&graph, effort, arena, &path, &answer);
  ck_assert_double_eq(answer.cost, CHAIN + 9);
  ck_assert_double_eq(answer.lower_bound, CHAIN + 9);
  dsm__arena_free(arena);
}
END_TEST

Suite *suite_graph_large(void) {
  Suite *const suite = suite_create("graph_large");
  TCase *const tests = tcase_create("large");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_identical_layers_under_a_limit_are_right);
  tcase_add_test(tests, test_ten_thousand_layers_are_exact);
  tcase_add_test(tests, test_different_layers_under_a_limit_have_an_honest_bound);
  tcase_add_test(tests, test_junctions_do_not_multiply_labels);
  suite_add_tcase(suite, tests);
  return suite;
}
