/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_lean.c: of answers that are as good, one with few copies, little traffic, short ways.
 *
 * A vertex of a linear programme splits tasks over devices wherever that costs nothing. So when the
 * search is over the best is looked at again, with its value held within the gap and with no more
 * bytes moved for a request: one copy after the other is forbidden, the largest first, and stays so
 * where the linear programme still has an answer. With what is left the best value is looked for
 * again, with that the least traffic, and with that the least time of a request's tasks and
 * transfers. The same is done with what a dive stores that looks for the least traffic.
 *
 * The programme has no columns for what leaves by links without a limit; here each tensor counts,
 * so that they are added. What comes out is priced like any answer, and taken if it is no worse.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "partition/instance_facts.h"
#include "partition/solver_search.h"

/* Rates of less than this part of a task's are rounding. */
static const double rate_dust = 1e-7;
/* What linear programmes round, of values near one. */
static const double rounding = 1e-9;
/* Of the time limit, at most, whatever of it is left. */
static const double time_share = 0.1;
/* Steps of the simplex method in all, times rows: about a second. */
static const double work_max = 4e7;

typedef struct copy {
  size_t place; /* task * device_count + device */
  double need;
  double seconds;
} copy;

typedef struct lean {
  dsm__search *search;
  glp_prob *problem;
  const dsm_instance *instance;
  double end;          /* by GLPK's clock since the search began */
  int steps_max;       /* of the simplex method, in all */
  double traffic;      /* bytes of the largest tensor: the unit of what moves */
  int *sent;           /* [t * m + j]: column of what leaves; 0: none */
  int traffic_row;     /* what moves for a request */
  size_t column_count; /* of the programme and those that were added */
  int *row_columns;    /* scratch of that row */
  double *row_values;
  copy *copies;
  size_t *copies_of; /* [i]: that are left */
  size_t copy_count; /* of all tasks */
  size_t kept_count; /* of what is kept */
  double kept_traffic;
} lean;

/* ---- linear programmes ---- */

/* Only an optimum counts: that there is none is not worth a second opinion. */
static bool solve(lean *it) {
  glp_smcp how;
  glp_init_smcp(&how);
  const double left = it->end - dsm__search_passed(it->search);
  const int steps = it->steps_max - glp_get_it_cnt(it->problem);
  if (!(left > 0) || steps <= 0 || dsm__search_is_stopped(it->search)) {
    return false;
  }
  how.msg_lev = GLP_MSG_OFF;
  how.meth = GLP_DUALP;
  how.tol_bnd = rounding;
  how.tol_dj = rounding;
  how.it_lim = steps;
  how.tm_lim = (int)fmin(fmax(left * 1000, 1), 1e9);
  return glp_simplex(it->problem, &how) == 0 && glp_get_status(it->problem) == GLP_OPT;
}

static void forget_costs(lean *it, bool is_maximised) {
  glp_set_obj_dir(it->problem, is_maximised ? GLP_MAX : GLP_MIN);
  for (size_t c = 0; c <= it->column_count; c++) {
    glp_set_obj_coef(it->problem, (int)c, 0);
  }
}

/* Of a tensor from a device, by their place in `sent`. */
static double bytes_of(const lean *it, size_t place) {
  const size_t device_count = it->instance->device_count;
  return dsm__output_bytes(it->instance, place / device_count, place % device_count) / it->traffic;
}

static void ask_for_traffic(lean *it) {
  forget_costs(it, false);
  for (size_t k = 0; k < it->instance->tensor_count * it->instance->device_count; k++) {
    if (it->sent[k] > 0) {
      glp_set_obj_coef(it->problem, it->sent[k], bytes_of(it, k));
    }
  }
}

static void ask_for_value(lean *it) {
  const dsm__programme *const programme = &it->search->programme;
  forget_costs(it, programme->is_maximised);
  for (size_t c = 0; c < programme->column_count; c++) {
    glp_set_obj_coef(it->problem, (int)c + 1, programme->columns[c].cost);
  }
}

/* Times of a request's tasks and transfers, one after the other, with those of its batches. */
static void ask_for_seconds(lean *it) {
  const dsm__programme *const programme = &it->search->programme;
  const dsm__routes *const routes = &it->search->assignment.routes;
  const double unit = programme->time_unit;
  forget_costs(it, false);
  for (size_t c = 0; c < programme->column_count; c++) {
    const dsm__column *const column = &programme->columns[c];
    const double batch = dsm_instance_batch(it->instance, column->device);
    double cost = 0;
    if (column->kind == DSM__COLUMN_RATE) {
      const dsm__way in = dsm__way_between(routes, it->instance->device_count, column->device);
      cost = batch * (dsm_instance_seconds(it->instance, column->major, column->device) +
                      dsm__way_seconds(routes, in,
                                       dsm__input_bytes(routes, column->major, column->device)));
    } else if (column->kind == DSM__COLUMN_MOVED ||
               (column->kind == DSM__COLUMN_SENT &&
                (!routes->has_targets || column->major >= it->instance->tensor_count))) {
      const size_t to =
          column->kind == DSM__COLUMN_MOVED ? column->target : it->instance->device_count;
      cost =
          batch * dsm__way_seconds(routes, dsm__way_between(routes, column->device, to),
                                   dsm__output_bytes(it->instance, column->major, column->device));
    }
    glp_set_obj_coef(it->problem, (int)c + 1, cost / unit);
  }
}

/* ---- what is held ---- */

/* Values no worse than this, in the programme's terms. */
static void hold_value(lean *it, double value) {
  const dsm__programme *const programme = &it->search->programme;
  const double held = (value - programme->goal_offset) / programme->goal_unit;
  if (programme->rho != DSM__NO_COLUMN) {
    dsm__search_bound(it->problem, (int)programme->rho + 1, held,
                      fmax(programme->columns[programme->rho].upper, held));
  } else {
    glp_set_row_bnds(it->problem, (int)programme->goal_row + 1, GLP_UP, 0, held);
  }
}

/* What a request moves at the linear optimum. */
static double traffic_of(const lean *it) {
  const size_t rho = it->search->programme.rho;
  double moved = 0;
  for (size_t k = 0; k < it->instance->tensor_count * it->instance->device_count; k++) {
    moved += it->sent[k] == 0 ? 0 : bytes_of(it, k) * glp_get_col_prim(it->problem, it->sent[k]);
  }
  return rho == DSM__NO_COLUMN ? moved : moved / glp_get_col_prim(it->problem, (int)rho + 1);
}

/* No more traffic a request than this. */
static void hold_traffic(lean *it, double moved) {
  const size_t rho = it->search->programme.rho;
  int count = 0;
  for (size_t k = 0; k < it->instance->tensor_count * it->instance->device_count; k++) {
    const double bytes = bytes_of(it, k);
    if (it->sent[k] > 0 && bytes > 0) {
      it->row_columns[++count] = it->sent[k];
      it->row_values[count] = bytes;
    }
  }
  if (rho != DSM__NO_COLUMN && moved > 0) {
    it->row_columns[++count] = (int)rho + 1;
    it->row_values[count] = -moved;
  }
  glp_set_mat_row(it->problem, it->traffic_row, count, it->row_columns, it->row_values);
  glp_set_row_bnds(it->problem, it->traffic_row, GLP_UP, 0,
                   (rho == DSM__NO_COLUMN ? moved : 0) + rounding * fmax(fabs(moved), 1));
}

/* The value that is as good within the gap: nearer to the bound than that, where it was. */
static double least_value(const dsm__search *search) {
  if (search->sign > 0) {
    const double worse = 1 + search->options->gap;
    return fmax(search->best / worse, fmin(search->best, search->bound / worse));
  }
  const double worse = search->options->gap * fabs(search->bound);
  return fmin(search->best + search->options->gap * fabs(search->best),
              fmax(search->best, search->bound + worse));
}

/* ---- columns ---- */

static size_t rate_of(const lean *it, size_t task, size_t device) {
  return it->search->programme.rate[task * it->instance->device_count + device];
}

static bool is_left(const lean *it, size_t column) {
  return column != DSM__NO_COLUMN && glp_get_col_ub(it->problem, (int)column + 1) > 0;
}

static void forbid(lean *it, size_t place) {
  const size_t column = it->search->programme.rate[place];
  dsm__search_bound(it->problem, (int)column + 1, 0, 0);
  it->copies_of[place / it->instance->device_count]--;
  it->copy_count--;
}

static void allow(lean *it, size_t place) {
  const size_t column = it->search->programme.rate[place];
  dsm__search_bound(it->problem, (int)column + 1, 0, it->search->programme.columns[column].upper);
  it->copies_of[place / it->instance->device_count]++;
  it->copy_count++;
}

static bool is_used(const dsm__search *search, size_t place) {
  const size_t column = search->programme.rate[place];
  return column != DSM__NO_COLUMN && search->values[column + 1] > rate_dust;
}

/* Stored is what the best stores, and tasks run where it runs them; or both are free again. Devices
 * that are off stay so. */
static void set_bounds(lean *it, bool is_free) {
  const dsm__search *const search = it->search;
  const dsm__programme *const programme = &search->programme;
  for (size_t k = 0; k < search->choice_count; k++) {
    const double value = search->is_chosen[k] ? 1 : 0;
    const bool is_task = search->choices[k].task < it->instance->task_count;
    dsm__search_bound(it->problem, search->choices[k].column, is_free && is_task ? 0 : value,
                      is_free && is_task ? 1 : value);
  }
  for (size_t k = 0; k < it->instance->task_count * it->instance->device_count; k++) {
    const size_t column = programme->rate[k];
    if (column != DSM__NO_COLUMN) {
      const bool is_allowed = is_free || is_used(search, k);
      dsm__search_bound(it->problem, (int)column + 1, 0,
                        is_allowed ? programme->columns[column].upper : 0);
    }
  }
}

/* What a device sends of a tensor, where the programme does not ask: at least what it makes and a
 * consumer there does not use. */
static void add_sent_column(lean *it, size_t tensor, size_t device) {
  const dsm_tensor *const made = &it->instance->tensors[tensor];
  const int column = glp_add_cols(it->problem, 1);
  dsm__search_bound(it->problem, column, 0, HUGE_VAL);
  it->sent[tensor * it->instance->device_count + device] = column;
  it->column_count++;
  for (size_t k = 0; k < made->consumer_count; k++) {
    const int row = glp_add_rows(it->problem, 1);
    const size_t used = rate_of(it, made->consumers[k], device);
    const int columns[] = {0, column, (int)rate_of(it, made->producer, device) + 1,
                           used == DSM__NO_COLUMN ? 0 : (int)used + 1};
    const double values[] = {0, 1, -1, 1};
    glp_set_mat_row(it->problem, row, used == DSM__NO_COLUMN ? 2 : 3, columns, values);
    glp_set_row_bnds(it->problem, row, GLP_LO, 0, 0);
  }
}

static void add_traffic(lean *it) {
  const dsm__programme *const programme = &it->search->programme;
  it->column_count = programme->column_count;
  for (size_t t = 0; t < it->instance->tensor_count; t++) {
    it->traffic = fmax(it->traffic, it->instance->tensors[t].bytes);
    for (size_t j = 0; j < it->instance->device_count; j++) {
      const size_t place = t * it->instance->device_count + j;
      const size_t rate = rate_of(it, it->instance->tensors[t].producer, j);
      if (programme->sent[place] != DSM__NO_COLUMN) {
        it->sent[place] = (int)programme->sent[place] + 1;
      } else if (it->instance->tensors[t].bytes > 0 && rate != DSM__NO_COLUMN) {
        add_sent_column(it, t, j);
      }
    }
  }
  it->traffic = it->traffic > 0 ? it->traffic : 1;
  it->traffic_row = glp_add_rows(it->problem, 1);
}

/* ---- copies ---- */

static int compare_copies(const void *left, const void *right) {
  const copy *const a = left;
  const copy *const b = right;
  const int by_need = dsm__order(b->need, a->need);
  const int by_time = dsm__order_then(by_need, dsm__order(b->seconds, a->seconds));
  return dsm__order_then(by_time, dsm__order_whole(a->place, b->place));
}

static size_t list_copies(lean *it) {
  size_t count = 0;
  memset(it->copies_of, 0, it->instance->task_count * sizeof *it->copies_of);
  for (size_t k = 0; k < it->instance->task_count * it->instance->device_count; k++) {
    if (is_left(it, it->search->programme.rate[k])) {
      const size_t task = k / it->instance->device_count;
      it->copies_of[task]++;
      it->copies[count++] = (copy){.place = k,
                                   .need = dsm__task_need(it->instance, it->search->options, task,
                                                          k % it->instance->device_count),
                                   .seconds = it->instance->seconds[k]};
    }
  }
  if (count > 1) {
    qsort(it->copies, count, sizeof *it->copies, compare_copies);
  }
  it->copy_count = count;
  return count;
}

/* What the linear optimum does not use is not needed. */
static void drop_unused(lean *it, size_t count) {
  for (size_t k = 0; k < count; k++) {
    const size_t column = it->search->programme.rate[it->copies[k].place];
    if (is_left(it, column) && glp_get_col_prim(it->problem, (int)column + 1) <= rate_dust) {
      forbid(it, it->copies[k].place);
    }
  }
}

static void drop_copies(lean *it) {
  const size_t count = list_copies(it);
  drop_unused(it, count);
  for (size_t k = 0; k < count; k++) {
    const size_t place = it->copies[k].place;
    if (!is_left(it, it->search->programme.rate[place]) ||
        it->copies_of[place / it->instance->device_count] < 2) {
      continue;
    }
    forbid(it, place);
    if (solve(it)) {
      drop_unused(it, count);
    } else {
      allow(it, place);
    }
  }
}

/* ---- all of it ---- */

static bool reserve(lean *it) {
  dsm__arena *const arena = it->search->arena;
  const size_t device_count = it->instance->device_count;
  const size_t places = it->instance->task_count * device_count;
  const size_t moving = it->instance->tensor_count * device_count;
  return DSM__RESERVE(arena, it->sent, moving + 1) &&
         DSM__RESERVE(arena, it->row_columns, moving + 2) &&
         DSM__RESERVE(arena, it->row_values, moving + 2) &&
         DSM__RESERVE(arena, it->copies, places) &&
         DSM__RESERVE(arena, it->copies_of, it->instance->task_count);
}

static bool has_more_than_one(const dsm__search *search) {
  size_t count = 0;
  for (size_t k = 0; k < search->instance->task_count * search->instance->device_count; k++) {
    count += is_used(search, k) ? 1 : 0;
  }
  return count > search->instance->task_count;
}

static void keep_values(lean *it) {
  for (size_t c = 0; c < it->search->programme.column_count; c++) {
    it->search->lean_values[c + 1] = glp_get_col_prim(it->problem, (int)c + 1);
  }
  it->search->has_lean = true;
}

/* The value of the linear optimum, of which nothing is to be lost from here on. */
static void hold_optimum(lean *it) {
  const dsm__programme *const programme = &it->search->programme;
  hold_value(it, programme->goal_offset + programme->goal_unit * glp_get_obj_val(it->problem));
}

/* Whether fewer copies are left than are kept, or as many with less traffic. */
static bool is_leaner(const lean *it, double traffic) {
  return !it->search->has_lean || it->copy_count < it->kept_count ||
         (it->copy_count == it->kept_count && traffic < it->kept_traffic * (1 - rate_dust));
}

/* Of what is stored now. The problem has an optimum of least traffic. */
static void improve(lean *it) {
  drop_copies(it);
  ask_for_value(it);
  if (!solve(it)) {
    return;
  }
  hold_optimum(it);
  ask_for_traffic(it);
  if (!solve(it)) {
    return;
  }
  const double traffic = traffic_of(it);
  if (!is_leaner(it, traffic)) {
    return;
  }
  it->kept_count = it->copy_count;
  it->kept_traffic = traffic;
  keep_values(it);
  hold_traffic(it, traffic);
  ask_for_seconds(it);
  if (solve(it)) {
    keep_values(it);
  }
}

/* With what a dive for the least traffic stores in place of what the best stores. */
static void look_elsewhere(lean *it) {
  dsm__search *const search = it->search;
  glp_prob *const whole = search->problem;
  set_bounds(it, true);
  ask_for_traffic(it);
  search->problem = it->problem;
  search->steps_max = it->steps_max;
  const dsm__solved solved = dsm__search_dive_on(search);
  search->steps_max = 0;
  search->problem = whole;
  if (solved == DSM__SOLVED_OPTIMAL && solve(it)) {
    improve(it);
  }
}

/* Each begins with no more traffic than the best has, and a value as good within the gap. */
static void look(lean *it) {
  set_bounds(it, false);
  hold_value(it, it->search->best);
  ask_for_traffic(it);
  if (!solve(it)) {
    return;
  }
  const double most = traffic_of(it);
  for (int round = 0; round < 2; round++) {
    hold_traffic(it, most);
    hold_value(it, least_value(it->search));
    if (round == 0) {
      improve(it);
    } else {
      look_elsewhere(it);
    }
  }
}

dsm_status dsm__search_make_lean(dsm__search *search) {
  if (!search->has_best || search->options->objective == DSM_OBJECTIVE_LATENCY ||
      !has_more_than_one(search)) {
    return DSM_OK;
  }
  lean it = {.search = search, .instance = search->instance};
  it.problem = glp_create_prob();
  glp_copy_prob(it.problem, search->problem, GLP_OFF);
  glp_set_it_cnt(it.problem, 0);
  if (!reserve(&it) ||
      !DSM__RESERVE(search->arena, search->lean_values, search->programme.column_count + 1)) {
    glp_delete_prob(it.problem);
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  it.end = dsm__search_passed(search) + time_share * search->options->time_limit_seconds;
  add_traffic(&it);
  it.steps_max = (int)fmin(work_max / glp_get_num_rows(it.problem), INT_MAX);
  look(&it);
  glp_delete_prob(it.problem);
  return DSM_OK;
}
