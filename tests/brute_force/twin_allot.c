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
  double least_cycles;
  bool collects; /* second round: the least is known */
  twin_allotments *out;
} walk;

/* Two allotments closer than this, relatively, may change places by rounding. */
static const double tie_ratio = 1e-10;

static bool is_no_more(const double a, const double b) {
  return a <= b * (1 + TWIN_TIE_RATIO);
}

/* Keeps an allotment of least cycles unless an equally fast one needs no more memory. */
static void collect(twin_allotments *out, const twin_allotment *found) {
  size_t kept = 0;
  bool is_needed = true;
  for (size_t i = 0; i < out->count; i++) {
    const twin_allotment *const other = &out->items[i];
    const bool is_same_group =
        other->group.first == found->group.first && other->group.count == found->group.count;
    const bool is_below = is_no_more(other->price.kept_bytes, found->price.kept_bytes) &&
                          is_no_more(other->price.transient_bytes, found->price.transient_bytes);
    const bool is_above = is_no_more(found->price.kept_bytes, other->price.kept_bytes) &&
                          is_no_more(found->price.transient_bytes, other->price.transient_bytes);
    out->is_ambiguous = out->is_ambiguous || (is_same_group && !(is_below && is_above));
    is_needed = is_needed && !(is_same_group && is_below);
    if (!is_same_group || is_below || !is_above) {
      out->items[kept++] = *other;
    }
  }
  out->count = kept;
  if (is_needed) {
    assert(out->count < TWIN_MAX_ALLOTMENTS);
    out->items[out->count++] = *found;
  }
}

static void finish(walk *w) {
  twin_group *const group = &w->current.group;
  twin_stage stages[TWIN_MAX_LAYERS];
  for (size_t i = 0; i < group->count; i++) {
    stages[i] = w->stages[i][group->rows[i]][w->current.parallelism[i]];
  }
  w->current.price = twin_price_group(w->pricer, group->first, group->count, stages);
  if (!w->collects) {
    w->least_cycles = fmin(w->least_cycles, w->current.price.cycles);
  } else if (w->current.price.cycles <= w->least_cycles * (1 + tie_ratio)) {
    collect(w->out, &w->current);
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
  const size_t most = (size_t)w->pricer->space.context.system->chips_y;
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
  const size_t rows = (size_t)w->pricer->space.context.system->chips_y;
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
  for (size_t columns = 1; (double)columns <= system->chips_x; columns++) {
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
  w->least_cycles = HUGE_VAL;
  w->collects = false;
  visit_widths(w);
  w->collects = true;
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
