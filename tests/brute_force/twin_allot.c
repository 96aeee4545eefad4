/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_allot.h"

#include <assert.h>
#include <math.h>

enum { MAX_ROWS = 16 };

/* Prices of a group's stages under every choice, and the walk through all allotments. */
typedef struct {
  const twin_pricer *pricer;
  twin_stage stages[TWIN_MAX_LAYERS][MAX_ROWS + 1][TWIN_PARALLELISM_COUNT];
  twin_allotment current;
  twin_allotments *out;
  size_t first; /* in *out, of this group's allotments */
} walk;

static bool is_no_more(const double a, const double b) {
  return a <= b * (1 + TWIN_TIE_RATIO);
}

static bool is_as_good(const twin_group_price *a, const twin_group_price *b) {
  return is_no_more(a->cycles, b->cycles) && is_no_more(a->kept_bytes, b->kept_bytes) &&
         is_no_more(a->transient_bytes, b->transient_bytes);
}

/* Is an allotment of this price, or a better one, there already? */
static bool is_there(const walk *w, const twin_group_price *price) {
  bool is_known = false;
  for (size_t i = w->first; i < w->out->count && !is_known; i++) {
    is_known = is_as_good(&w->out->items[i].price, price);
  }
  return is_known;
}

static void collect(const walk *w) {
  twin_allotments *const out = w->out;
  size_t kept = w->first;
  for (size_t i = w->first; i < out->count; i++) {
    if (!is_as_good(&w->current.price, &out->items[i].price)) {
      out->items[kept++] = out->items[i];
    }
  }
  assert(kept < TWIN_MAX_ALLOTMENTS);
  out->items[kept] = w->current;
  out->count = kept + 1;
}

static void finish(walk *w) {
  const twin_group *const group = &w->current.group;
  twin_stage stages[TWIN_MAX_LAYERS];
  twin_stage at_best[TWIN_MAX_LAYERS]; /* keeping costs nothing: no choice of it is faster */
  const twin_fetching none[TWIN_MAX_LAYERS] = {{{false}}};
  for (size_t i = 0; i < group->count; i++) {
    stages[i] = w->stages[i][group->rows[i]][w->current.parallelism[i]];
    at_best[i] = stages[i];
    for (int pass = TWIN_FORWARD; pass < TWIN_PASS_COUNT; pass++) {
      at_best[i].kept_extra[pass] = 0;
    }
  }
  const twin_group_price least =
      twin_price_group(w->pricer, group->first, group->count, at_best, none);
  if (is_there(w, &least)) {
    return;
  }
  w->current.price =
      twin_price_group_best(w->pricer, group->first, group->count, stages, w->current.fetching);
  if (!is_there(w, &w->current.price)) {
    collect(w);
  }
}

/* Every number of rows and every parallelism of this stage and those after it. */
static void visit_stage(walk *w, const size_t stage, const size_t rows_left) {
  twin_group *const group = &w->current.group;
  if (stage == group->count) {
    finish(w);
    return;
  }
  const size_t later_stages = group->count - stage - 1;
  const size_t most = (size_t)twin_last_axis(w->pricer->space.context.system)->chips;
  for (size_t rows = 1; rows <= most && rows + later_stages <= rows_left; rows++) {
    group->rows[stage] = rows;
    for (int i = TWIN_DATA; i < TWIN_PARALLELISM_COUNT; i++) {
      if (w->pricer->space.allowed[group->first + stage][i]) {
        w->current.parallelism[stage] = (twin_parallelism)i;
        visit_stage(w, stage + 1, rows_left - rows);
      }
    }
  }
}

/* All stages as wide as the group. */
static void price_stages(walk *w, const twin_group *group) {
  const size_t rows = (size_t)twin_last_axis(w->pricer->space.context.system)->chips;
  assert(rows <= MAX_ROWS);
  for (size_t i = 0; i < group->count; i++) {
    const unsigned place = (i == 0 ? (unsigned)TWIN_STAGE_FIRST : 0) |
                           (i + 1 == group->count ? (unsigned)TWIN_STAGE_LAST : 0);
    for (size_t r = 1; r <= rows; r++) {
      for (int p = TWIN_DATA; p < TWIN_PARALLELISM_COUNT; p++) {
        if (w->pricer->space.allowed[group->first + i][p]) {
          w->stages[i][r][p] = twin_price_stage(w->pricer, group->first + i, group->columns, r,
                                                (twin_parallelism)p, place);
        }
      }
    }
  }
}

/* Every width of the stages with every allotment of rows. */
static void visit_widths(walk *w) {
  const twin_system *const system = w->pricer->space.context.system;
  twin_group *const group = &w->current.group;
  for (size_t columns = 1; (double)columns <= twin_row_chips(system); columns++) {
    const double rows = twin_chain_rows(system, columns);
    if (twin_columns_are_allowed(system, columns) && rows >= (double)group->count) {
      group->columns = columns;
      price_stages(w, group);
      visit_stage(w, 0, (size_t)rows);
    }
  }
}

static void allot_group(walk *w, const size_t first, const size_t count) {
  w->current.group = (twin_group){.first = first, .count = count};
  w->first = w->out->count;
  visit_widths(w);
}

void twin_allot(twin_allotments *out, const twin_pricer *pricer) {
  *out = (twin_allotments){0};
  walk w = {.pricer = pricer, .out = out};
  const size_t layers = pricer->space.context.workload->node_count;
  for (size_t first = 0; first < layers; first++) {
    for (size_t count = 2; first + count <= layers; count++) {
      if (twin_group_is_allowed(&pricer->space, first, count)) {
        allot_group(&w, first, count);
      }
    }
  }
}
