/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_neighbours.c: better answers around the best, by branch and cut over a few choices.
 *
 * Most choices are fixed as in the best answer and a few are freed, so that a small tree finds the
 * best of all that differ in these alone (large neighbourhood search: Shaw, "Using constraint
 * programming and local search methods to solve vehicle routing problems", CP 1998). It proves
 * nothing about the rest; its bound is not used. Which tasks are freed is drawn, in four ways that
 * each have seen a different thing be what is wrong with an answer. Without it 30 tasks on 6
 * devices with slow links had a gap of 16.9 % in place of 8.1 after 5 s.
 */
#include <math.h>

#include "base/random_draw.h"
#include "partition/instance_facts.h"
#include "partition/solver_search.h"

/* Nodes of a neighbourhood's tree, and neighbourhoods without success before giving up: counts, not
 * seconds, so that every run goes the same way. */
enum { NEIGHBOUR_NODES = 300, NEIGHBOUR_FAILURES = 100, NEIGHBOUR_CHOICES = 40 };

/* What a neighbourhood has to gain, relative. */
static const double least_gain = 1e-5;

/* Only what is better than the best by the factor 1 + margin is looked for. The cut-off is a bound
 * of a column or row that is there already, so the tree gets no new row, and it is lifted
 * afterwards: the whole tree must not lack answers that are only as good. */
static void cut_off(dsm__search *search, double margin) {
  const dsm__programme *const programme = &search->programme;
  const double wanted = search->best * (1 + search->sign * margin);
  const double goal = (wanted - programme->goal_offset) / programme->goal_unit;
  if (programme->is_maximised) {
    const double upper = programme->columns[programme->rho].upper;
    dsm__search_bound(search->problem, (int)programme->rho + 1, fmin(goal, upper), upper);
  } else {
    glp_set_row_bnds(search->problem, (int)programme->goal_row + 1, GLP_UP, 0, goal);
  }
}

static void lift_cut_off(dsm__search *search) {
  const dsm__programme *const programme = &search->programme;
  if (programme->is_maximised) {
    const dsm__column *const rho = &programme->columns[programme->rho];
    dsm__search_bound(search->problem, (int)programme->rho + 1, rho->lower, rho->upper);
  } else {
    glp_set_row_bnds(search->problem, (int)programme->goal_row + 1, GLP_FR, 0, 0);
  }
}

/* Which tasks are freed. */
typedef enum neighbourhood {
  NEIGHBOURHOOD_RUN = 0,   /* consecutive ones: what they send */
  NEIGHBOURHOOD_SCATTERED, /* any */
  NEIGHBOURHOOD_HEAVY,     /* any, likelier by what they need: how memory is filled */
  NEIGHBOURHOOD_PAIR,      /* the same, between two devices only */
  NEIGHBOURHOOD_COUNT
} neighbourhood;

/* Frees the `count` tasks with the least keys. */
static void free_least(dsm__search *search, size_t count) {
  const size_t task_count = search->instance->task_count;
  for (size_t made = 0; made < count; made++) {
    size_t best = task_count;
    for (size_t i = 0; i < task_count; i++) {
      if (!search->is_freed[i] && (best == task_count || search->keys[i] < search->keys[best])) {
        best = i;
      }
    }
    if (best == task_count || !isfinite(search->keys[best])) {
      return;
    }
    search->is_freed[best] = true;
  }
}

/* The tasks with the least of independent exponential times are a draw without replacement; a time
 * divided by the need makes a task as much likelier as it needs more. */
static void draw_tasks(dsm__search *search, neighbourhood kind, size_t count) {
  const size_t task_count = search->instance->task_count;
  const size_t first = (size_t)(dsm__splitmix64(&search->random) % task_count);
  for (size_t i = 0; i < task_count; i++) {
    const double need = dsm__task_need(search->instance, search->options, i, 0);
    const double wait = dsm__exponential_gap(&search->random, 1); /* the shorter come first */
    search->is_freed[i] = false;
    switch (kind) {
    case NEIGHBOURHOOD_RUN:
      search->keys[i] = (double)((i + task_count - first) % task_count);
      break;
    case NEIGHBOURHOOD_SCATTERED:
    case NEIGHBOURHOOD_COUNT:
      search->keys[i] = wait;
      break;
    case NEIGHBOURHOOD_HEAVY:
    case NEIGHBOURHOOD_PAIR:
      search->keys[i] = wait / need;
      break;
    }
  }
  free_least(search, count);
}

/* Frees some tasks; all else stays as in the best. */
static void free_some(dsm__search *search) {
  const size_t device_count = search->instance->device_count;
  const neighbourhood kind =
      (neighbourhood)(dsm__splitmix64(&search->random) %
                      (device_count > 2 ? NEIGHBOURHOOD_COUNT : NEIGHBOURHOOD_PAIR));
  const size_t one = (size_t)(dsm__splitmix64(&search->random) % device_count);
  const size_t step = 1 + (size_t)(dsm__splitmix64(&search->random) % (device_count - 1));
  const size_t other = (one + step) % device_count;
  const bool is_pair = kind == NEIGHBOURHOOD_PAIR;
  const size_t count = NEIGHBOUR_CHOICES / (is_pair ? 2 : device_count);
  draw_tasks(search, kind, count < 2 ? 2 : count);
  for (size_t k = 0; k < search->choice_count; k++) {
    const dsm__choice *const it = &search->choices[k];
    const bool is_free =
        search->is_freed[it->task] && (!is_pair || it->device == one || it->device == other);
    const double value = search->is_chosen[k] ? 1 : 0;
    dsm__search_bound(search->problem, it->column, is_free ? 0 : value, is_free ? 1 : value);
  }
}

void dsm__search_neighbours(dsm__search *search) {
  if (search->instance->device_count < 2) {
    return; /* nothing can be elsewhere */
  }
  int failures = 0;
  const double keep = dsm__search_left(search) / 2;
  while (search->has_best && failures < NEIGHBOUR_FAILURES && !dsm__search_is_done(search) &&
         dsm__search_left(search) > keep) {
    const double before = search->best;
    free_some(search);
    cut_off(search, fmax(search->gap / 4, least_gain));
    search->is_whole = false;
    (void)dsm__search_branch(search, NEIGHBOUR_NODES, dsm__search_left(search) - keep);
    lift_cut_off(search);
    dsm__search_release(search);
    failures = search->best == before ? failures + 1 : 0;
  }
}
