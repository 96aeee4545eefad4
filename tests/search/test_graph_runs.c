/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_graph_runs.c: graphs whose equal parts are stored once against the same graphs written out:
 * the same answer to the last bit. Parts begin and end with a few nodes, as segments of a network
 * do, and are repeated from one of the last such places on.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "how_many.h"
#include "random_numbers.h"
#include "search/hold/network_graph.h"
#include "suites.h"

enum { GRAPHS = HOW_MANY(4000, 1000, 300), PARTS = 4, ENTRIES_MAX = 3, INNER_MAX = 4 };

/* One graph, stored once and written out. */
typedef struct both {
  uint64_t *state;
  dsm__graph_builder once;
  dsm__graph_builder out;
  size_t shift; /* of numbers of the one to those of the other */
  size_t layer; /* of the nodes to come */
  uint32_t tag; /* of the edge to come: its own in `once` */
} both;

/* The nodes at which a part begins, in `once`. */
typedef struct place {
  size_t first;
  size_t entries;
  size_t layer;
} place;

/* Sums of sevenths depend on their order. */
static double amount(uint64_t *state, uint64_t spread) {
  return (double)random_below(state, spread) / 7;
}

static void add_node(both *b, double kept, double transient) {
  const dsm__node_info once = {.layer = (uint32_t)(b->layer - b->once.repeated_layers)};
  const dsm__node_info out = {.layer = (uint32_t)b->layer};
  dsm__graph_add_node(&b->once, once, kept, transient);
  dsm__graph_add_node(&b->out, out, kept, transient);
}

static void begin_edges(both *b, size_t node) {
  dsm__graph_begin_edges(&b->once, (uint32_t)node);
  dsm__graph_begin_edges(&b->out, (uint32_t)(node + b->shift));
}

static void add_edge(both *b, size_t to) {
  const double cycles = amount(b->state, 40);
  dsm__graph_add_edge(&b->once, (uint32_t)to, cycles, b->tag);
  dsm__graph_add_edge(&b->out, (uint32_t)(to + b->shift), cycles, b->tag++);
}

/* The nodes between parts, the same everywhere. */
static void add_entries(both *b, size_t entries) {
  for (size_t i = 0; i < entries; i++) {
    add_node(b, (double)i / 3, (double)(entries - i) / 3);
  }
}

/* Out of nodes first .. end edges to some of those from `to` to `last`; sometimes to none, but out
 * of the first. */
static void connect(both *b, size_t first, size_t end, size_t to, size_t last) {
  for (size_t v = first; v < end; v++) {
    begin_edges(b, v);
    for (size_t w = to; w < last; w++) {
      if ((v == first && w == to) || random_below(b->state, 3) > 0) {
        add_edge(b, w);
      }
    }
  }
}

static void add_part(both *b, place *at) {
  const size_t inner = at->first + at->entries;
  const size_t inner_count = 1 + random_below(b->state, INNER_MAX);
  for (size_t i = 0; i < inner_count; i++) {
    add_node(b, amount(b->state, 20), amount(b->state, 30));
  }
  b->layer++;
  add_entries(b, at->entries);
  connect(b, at->first, inner, inner, inner + inner_count);
  connect(b, inner, inner + inner_count, inner + inner_count, inner + inner_count + at->entries);
  *at = (place){inner + inner_count, at->entries, b->layer};
}

/* What lies between two places once more behind the later one: here in a run, there as copies. */
static void repeat(both *b, const place *from, const place *now, size_t layers) {
  const size_t count = now->first - from->first;
  const size_t delta = now->first + b->shift - from->first;
  ck_assert(dsm__graph_repeat(&b->once, from->first, now->first, from->entries, layers));
  b->layer += layers;
  for (size_t v = from->first + from->entries; v < now->first + now->entries; v++) {
    const dsm__graph_node node = b->once.nodes.items[v];
    dsm__node_info info = b->once.infos.items[v];
    info.layer += (uint32_t)b->once.repeated_layers;
    dsm__graph_add_node(&b->out, info, node.kept_bytes, node.transient_bytes);
  }
  for (size_t v = from->first; v < now->first; v++) {
    dsm__graph_begin_edges(&b->out, (uint32_t)(v + delta));
    for (size_t e = b->once.nodes.items[v].first_edge;
         e < (v + 1 < now->first ? b->once.nodes.items[v + 1].first_edge : b->once.edges.count);
         e++) {
      const dsm__graph_edge edge = b->once.edges.items[e];
      dsm__graph_add_edge(&b->out, (uint32_t)(edge.to + delta), edge.cost, edge.tag);
    }
  }
  b->shift += count;
}

static void make(both *b) {
  place at = {1, 1 + random_below(b->state, ENTRIES_MAX), 0};
  place from = at;
  add_node(b, amount(b->state, 9), amount(b->state, 9));
  add_entries(b, at.entries);
  connect(b, 0, 1, 1, 1 + at.entries);
  for (int part = 0; part < PARTS; part++) {
    if (random_below(b->state, 2) == 0) {
      from = at;
    }
    add_part(b, &at);
    const size_t layers = at.layer - from.layer;
    for (size_t times = random_below(b->state, 5); times > 0; times--) {
      repeat(b, &from, &at, layers);
      from.layer += layers;
      at.layer += layers;
    }
  }
  const size_t last = at.first + at.entries;
  add_node(b, 0, 0);
  connect(b, at.first, last, last, last + 1);
  begin_edges(b, last);
}

typedef struct found {
  dsm__network_graph network;
  dsm__graph_path path;
  dsm__graph_answer answer;
} found;

static found search(dsm__graph_builder *builder, double capacity_bytes, dsm__arena *arena) {
  found made;
  size_t *const new_edge = dsm__arena_array(arena, builder->edges.count, sizeof *new_edge);
  ck_assert(new_edge != NULL);
  ck_assert(dsm__graph_finish(builder, &made.network, new_edge, arena));
  made.network.graph.capacity_bytes = capacity_bytes;
  ck_assert(dsm__graph_search(&made.network.graph, arena, &made.path, &made.answer));
  return made;
}

/* The same edges, out of nodes of the same layers. */
static void expect_same_path(const found *once, const found *out) {
  const dsm__graph *const graph = &once->network.graph;
  dsm__graph_place at = dsm__graph_start(graph);
  size_t node = 0;
  ck_assert_uint_eq(once->path.length, out->path.length);
  for (size_t i = 0; i < out->path.length; i++) {
    const dsm__graph_edge *const edge = dsm__graph_edge_at(graph, at, once->path.edges[i]);
    const dsm__graph_edge *const other = &out->network.graph.edges[out->path.edges[i]];
    ck_assert_uint_eq(edge->tag, other->tag);
    ck_assert_uint_eq(once->network.infos[at.node].layer + at.run.layers,
                      out->network.infos[node].layer);
    at = dsm__graph_behind(graph, at, edge);
    node = other->to;
  }
  ck_assert(dsm__graph_is_last(graph, at));
}

static void expect_same(const found *once, const found *out, uint64_t seed) {
  ck_assert_msg(once->answer.is_feasible == out->answer.is_feasible &&
                    memcmp(&once->answer.cost, &out->answer.cost, sizeof(double)) == 0 &&
                    memcmp(&once->answer.lower_bound, &out->answer.lower_bound, sizeof(double)) ==
                        0 &&
                    memcmp(&once->answer.smallest_need_bytes, &out->answer.smallest_need_bytes,
                           sizeof(double)) == 0,
                "seed %llu: found %.17g, %.17g, %.17g, expected %.17g, %.17g, %.17g",
                (unsigned long long)seed, once->answer.cost, once->answer.lower_bound,
                once->answer.smallest_need_bytes, out->answer.cost, out->answer.lower_bound,
                out->answer.smallest_need_bytes);
  expect_same_path(once, out);
}

/* With ample memory, with none, and with amounts between. */
START_TEST(test_equal_parts_stored_once_are_searched_as_if_written_out) {
  size_t folded = 0;
  size_t limited = 0;
  for (uint64_t seed = 0; seed < GRAPHS; seed++) {
    double capacity = _i == 0 ? HUGE_VAL : -1;
    uint64_t state = seed + 1000000 * (uint64_t)_i;
    both b = {.state = &state};
    make(&b);
    dsm__arena *const arena = dsm__arena_new();
    if (_i == 2) {
      const found fastest = search(&b.out, HUGE_VAL, arena);
      const found smallest = search(&b.out, -1, arena);
      const double most = dsm__graph_bytes(dsm__graph_sum(&fastest.network.graph, &fastest.path));
      const double least = smallest.answer.smallest_need_bytes;
      capacity = least + (most - least) * (double)random_below(&state, 8) / 8;
    }
    const found once = search(&b.once, capacity, arena);
    const found out = search(&b.out, capacity, arena);
    expect_same(&once, &out, seed);
    folded += once.network.graph.run_count > 2 ? 1 : 0;
    limited += out.answer.is_feasible && out.answer.smallest_need_bytes > 0 ? 1 : 0;
    ck_assert_uint_eq(out.network.graph.run_count, 0);
    dsm__arena_free(arena);
    dsm__graph_builder_fini(&b.once);
    dsm__graph_builder_fini(&b.out);
  }
  ck_assert_uint_gt(folded, GRAPHS / 2);
  ck_assert(_i < 2 || limited > GRAPHS / 2);
}
END_TEST

Suite *suite_graph_runs(void) {
  Suite *const suite = suite_create("graph of runs");
  TCase *const tests = tcase_create("against the graph written out");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_equal_parts_stored_once_are_searched_as_if_written_out, 0, 3);
  suite_add_tcase(suite, tests);
  return suite;
}
