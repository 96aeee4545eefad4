/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_search.c: linear programmes by GLPK, and the best so far.
 *
 * An answer is a choice of what is stored; with that fixed the rest is a linear programme. So
 * whatever suggests a choice, a start, a dive, a tree or a neighbourhood, it is solved by the same
 * code and compared by its value.
 */
#include "partition/solver_search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/order.h"

/* Devices may differ in speed by many orders of ten. With GLPK's own 1e-7 a slow device was given
 * more than its link carries, which slowed all others down by as much, and some bounds were below
 * the optimum. */
static const double simplex_tolerance = 1e-9;

/* The first method goes round in circles at times: so many iterations a row or column are many more
 * than it ever needed otherwise. */
enum { ITERATIONS = 40 };

/* The best open node of a whole tree bounds all answers. */
static double bound_now(const dsm__search *search) {
  const bool is_stricter =
      search->is_whole && search->sign * (search->bound - search->tree_bound) > 0;
  return is_stricter ? search->tree_bound : search->bound;
}

/* The best of the search and of its start, of which one is there. */
static double best_now(const dsm__search *search) {
  const double start = search->has_assignment ? dsm__assignment_value(&search->assignment)
                                              : -search->sign * HUGE_VAL;
  const bool is_better = search->has_best && search->sign * (search->best - start) > 0;
  return is_better ? search->best : start;
}

double dsm__search_passed(const dsm__search *search) {
  return dsm__seconds_now() - search->begin;
}

static void report(const dsm__search *search) {
  const dsm_partition_options *const options = search->options;
  const double unit =
      options->objective == DSM_OBJECTIVE_ENERGY ? options->required_rho : 1; /* watts */
  const double bound = bound_now(search) / unit;
  dsm_partition_progress now = {.has_best = search->has_best || search->has_assignment,
                                .bound = bound,
                                .gap = HUGE_VAL,
                                .seconds = dsm__search_passed(search)};
  if (now.has_best) {
    now.best = best_now(search) / unit;
    now.bound = search->sign * (now.best - bound) > 0 ? now.best : bound;
    now.gap = fabs(now.bound - now.best) / fabs(now.best);
  }
  options->report(options->context, &now);
}

bool dsm__search_is_stopped(const dsm__search *search) {
  const dsm_partition_options *const options = search->options;
  if (options->report != NULL) {
    report(search);
  }
  return options->is_stopped != NULL && options->is_stopped(options->context);
}

double dsm__search_left(const dsm__search *search) {
  if (dsm__search_is_stopped(search)) {
    return 0;
  }
  const double passed = dsm__search_passed(search);
  return fmax(search->options->time_limit_seconds - passed, 0);
}

static int milliseconds(double seconds) {
  return seconds * 1000 >= INT_MAX ? INT_MAX : (int)fmax(seconds * 1000, 1);
}

void dsm__search_bound(glp_prob *problem, int column, double lower, double upper) {
  int kind = GLP_DB;
  if (lower == upper) {
    kind = GLP_FX;
  } else if (!isfinite(lower)) {
    kind = isfinite(upper) ? GLP_UP : GLP_FR;
  } else if (!isfinite(upper)) {
    kind = GLP_LO;
  }
  glp_set_col_bnds(problem, column, kind, lower, upper);
}

void dsm__search_bound_row(glp_prob *problem, int row, double lower, double upper) {
  int kind = GLP_DB;
  if (lower == upper) {
    kind = GLP_FX;
  } else if (!isfinite(lower)) {
    kind = isfinite(upper) ? GLP_UP : GLP_FR;
  } else if (!isfinite(upper)) {
    kind = GLP_LO;
  }
  glp_set_row_bnds(problem, row, kind, lower, upper);
}

/* GLPK scales rows and columns by itself and begins with a basis that it builds from the matrix:
 * both save steps and change no answer. */
glp_prob *dsm__search_load(dsm__search *search, const dsm__programme *programme) {
  const size_t count = programme->entry_count;
  if (count >= INT_MAX / 2 || programme->row_count >= INT_MAX / 2 ||
      programme->column_count >= INT_MAX / 2) {
    return NULL;
  }
  int *const rows = dsm__arena_array(search->arena, count + 1, sizeof *rows);
  int *const columns = dsm__arena_array(search->arena, count + 1, sizeof *columns);
  double *const values = dsm__arena_array(search->arena, count + 1, sizeof *values);
  if (rows == NULL || columns == NULL || values == NULL) {
    return NULL;
  }
  for (size_t k = 0; k < count; k++) {
    rows[k + 1] = (int)programme->entries[k].row + 1;
    columns[k + 1] = (int)programme->entries[k].column + 1;
    values[k + 1] = programme->entries[k].value;
  }
  glp_prob *const problem = glp_create_prob();
  glp_set_obj_dir(problem, programme->is_maximised ? GLP_MAX : GLP_MIN);
  glp_add_rows(problem, (int)programme->row_count);
  glp_add_cols(problem, (int)programme->column_count);
  for (size_t r = 0; r < programme->row_count; r++) {
    const dsm__row *const row = &programme->rows[r];
    const double lower = row->kind == DSM__ROW_ORDER ? -HUGE_VAL : row->lower;
    dsm__search_bound_row(problem, (int)r + 1, lower, row->upper);
  }
  for (size_t c = 0; c < programme->column_count; c++) {
    const dsm__column *const column = &programme->columns[c];
    dsm__search_bound(problem, (int)c + 1, column->lower, column->upper);
    glp_set_obj_coef(problem, (int)c + 1, column->cost);
    if (column->is_integer) {
      glp_set_col_kind(problem, (int)c + 1, GLP_IV);
    }
  }
  glp_load_matrix(problem, (int)count, rows, columns, values);
  glp_scale_prob(problem, GLP_SF_AUTO);
  glp_adv_basis(problem, 0);
  return problem;
}

/* The dual simplex method first: after a bound has changed the old basis is dual feasible, and few
 * steps are needed. Should it fail, the primal method begins from a new basis. That there is no
 * answer counts only if both say so. */
dsm__solved dsm__search_relax(dsm__search *search, glp_prob *problem) {
  int infeasible_count = 0;
  for (int attempt = 0; attempt < 2; attempt++) {
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = attempt == 0 ? GLP_DUALP : GLP_PRIMAL;
    how.tol_bnd = simplex_tolerance;
    how.tol_dj = simplex_tolerance;
    how.tm_lim = milliseconds(dsm__search_left(search));
    if (attempt > 0) {
      glp_adv_basis(problem, 0);
    } else {
      how.it_lim = ITERATIONS * (glp_get_num_rows(problem) + glp_get_num_cols(problem) + 100);
    }
    if (search->steps_max > 0) {
      const int left = search->steps_max - glp_get_it_cnt(problem);
      how.it_lim = left < how.it_lim ? left : how.it_lim;
    }
    if (how.it_lim <= 0) {
      break;
    }
    const int ended = glp_simplex(problem, &how);
    const int status = glp_get_status(problem);
    if (ended == 0 && status == GLP_OPT) {
      return DSM__SOLVED_OPTIMAL;
    }
    infeasible_count += ended == 0 && status == GLP_NOFEAS ? 1 : 0;
    if (ended == GLP_ETMLIM) {
      break;
    }
  }
  return infeasible_count == 2 ? DSM__SOLVED_INFEASIBLE : DSM__SOLVED_UNKNOWN;
}

double dsm__search_value(const dsm__search *search) {
  return search->programme.goal_offset +
         search->programme.goal_unit * glp_get_obj_val(search->problem);
}

bool dsm__search_is_done(const dsm__search *search) {
  return search->has_best &&
         search->sign * (search->bound - search->best) <= search->gap * fabs(search->best);
}

/* The best becomes what the linear optimum holds, with the choices of `trial`, if better. */
static void take(dsm__search *search, const bool *trial) {
  const double value = dsm__search_value(search);
  if (search->has_best && search->sign * (value - search->best) <= 0) {
    return;
  }
  search->has_best = true;
  search->best = value;
  for (size_t c = 0; c < search->programme.column_count; c++) {
    const double prim = glp_get_col_prim(search->problem, (int)c + 1);
    search->values[c + 1] = search->programme.columns[c].is_integer ? round(prim) : prim;
  }
  for (size_t k = 0; k < search->choice_count; k++) {
    search->is_chosen[k] = trial[k];
  }
}

void dsm__search_release(dsm__search *search) {
  for (size_t k = 0; k < search->choice_count; k++) {
    dsm__search_bound(search->problem, search->choices[k].column, 0, 1);
  }
}

void dsm__search_try(dsm__search *search, const bool *trial) {
  for (size_t k = 0; k < search->choice_count; k++) {
    const double value = trial[k] ? 1 : 0;
    dsm__search_bound(search->problem, search->choices[k].column, value, value);
  }
  if (dsm__search_relax(search, search->problem) == DSM__SOLVED_OPTIMAL) {
    take(search, trial);
  }
  dsm__search_release(search);
}

/* ---- a dive ---- */

/* Rates of less than this part of a time unit's requests are rounding. */
static const double least_rate = 1e-7;
/* A dive decides this part of what is undecided at a time: 30 to 40 linear programmes for a
 * thousand choices, and one choice at a time where few are left. */
enum { BATCH_PART = 8 };

typedef struct dsm__wish wish;

/* The largest rate is the decision of which the relaxation is surest; of equal ones the first. */
static int compare_wishes(const void *left, const void *right) {
  const wish *const a = left;
  const wish *const b = right;
  const int by_rate = dsm__order(b->rate, a->rate);
  return dsm__order_then(by_rate, dsm__order_whole(a->choice, b->choice));
}

static bool is_fixed(const dsm__search *search, size_t choice) {
  return glp_get_col_type(search->problem, search->choices[choice].column) == GLP_FX;
}

/* The undecided choices that the relaxation uses, the surest first. */
static size_t list_wishes(const dsm__search *search, wish *wishes) {
  size_t count = 0;
  for (size_t k = 0; k < search->choice_count; k++) {
    const double rate = glp_get_col_prim(search->problem, search->choices[k].rate);
    if (rate > least_rate && !is_fixed(search, k)) {
      wishes[count++] = (wish){.rate = rate, .choice = k};
    }
  }
  if (count > 1) {
    qsort(wishes, count, sizeof wishes[0], compare_wishes);
  }
  return count;
}

static void decide(dsm__search *search, size_t choice, bool is_taken) {
  const dsm__choice *const it = &search->choices[choice];
  const double value = is_taken ? 1 : 0;
  dsm__search_bound(search->problem, it->column, value, value);
  search->used[it->device] += is_taken ? it->need : 0;
  search->used[it->device] -= search->trial[choice] ? it->need : 0;
  search->trial[choice] = is_taken;
}

static void undo(dsm__search *search, size_t choice) {
  decide(search, choice, false);
  dsm__search_bound(search->problem, search->choices[choice].column, 0, 1);
}

static bool does_fit(const dsm__search *search, size_t choice) {
  const dsm__choice *const it = &search->choices[choice];
  return search->used[it->device] + it->need <= search->instance->devices[it->device].memory_bytes;
}

static void decide_nothing(dsm__search *search) {
  for (size_t k = 0; k < search->choice_count; k++) {
    search->trial[k] = false;
  }
  for (size_t j = 0; j < search->instance->device_count; j++) {
    search->used[j] = 0;
  }
}

/* All that the relaxation uses is stored, as far as it fits: where memory is ample that is nearly
 * the relaxation itself, at the price of one linear programme. Without it 40 tasks on 8 devices
 * with slow links had a gap of 3.1 % in place of 0.46 after 5 s. */
void dsm__search_store_used(dsm__search *search) {
  if (dsm__search_relax(search, search->problem) != DSM__SOLVED_OPTIMAL) {
    return;
  }
  wish *const wishes = search->wishes;
  const size_t count = list_wishes(search, wishes);
  decide_nothing(search);
  for (size_t k = 0; k < count; k++) {
    const size_t choice = wishes[k].choice;
    if (does_fit(search, choice)) {
      search->trial[choice] = true;
      search->used[search->choices[choice].device] += search->choices[choice].need;
    }
  }
  dsm__search_try(search, search->trial);
}

/* If all of a batch leaves no answer, the surest of it alone is decided; if that leaves none either
 * and it was to be stored, it is not. */
static dsm__solved decide_batch(dsm__search *search, const wish *wishes, size_t count) {
  for (size_t k = 0; k < count; k++) {
    decide(search, wishes[k].choice, does_fit(search, wishes[k].choice));
  }
  dsm__solved solved = dsm__search_relax(search, search->problem);
  if (solved == DSM__SOLVED_INFEASIBLE && count > 1) {
    for (size_t k = 1; k < count; k++) {
      undo(search, wishes[k].choice);
    }
    solved = dsm__search_relax(search, search->problem);
  }
  if (solved == DSM__SOLVED_INFEASIBLE && search->trial[wishes[0].choice]) {
    decide(search, wishes[0].choice, false);
    solved = dsm__search_relax(search, search->problem);
  }
  return solved;
}

/* After each batch the relaxation is solved again, so that what follows knows of it. If nothing is
 * left the dive ends: it costs little, and another start may do better. */
dsm__solved dsm__search_dive_on(dsm__search *search) {
  wish *const wishes = search->wishes;
  decide_nothing(search);
  dsm__solved solved = dsm__search_relax(search, search->problem);
  while (solved == DSM__SOLVED_OPTIMAL && dsm__search_left(search) > 0) {
    const size_t count = list_wishes(search, wishes);
    if (count == 0) {
      return DSM__SOLVED_OPTIMAL;
    }
    solved = decide_batch(search, wishes, (count + BATCH_PART - 1) / BATCH_PART);
  }
  return solved == DSM__SOLVED_OPTIMAL ? DSM__SOLVED_UNKNOWN : solved;
}

/* Without it 100 tasks on 8 devices with short memory had a gap of 3.5 % in place of 0.23 after 5
 * s.
 */
void dsm__search_dive(dsm__search *search) {
  const dsm__solved solved = dsm__search_dive_on(search);
  dsm__search_release(search);
  if (solved == DSM__SOLVED_OPTIMAL) {
    dsm__search_try(search, search->trial);
  }
}
