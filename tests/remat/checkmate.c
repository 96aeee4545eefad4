/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checkmate.c: the best way to run a small block, by an integer programme.
 *
 * There is a stage for each operation and each backward pass. In a stage every operation may run
 * once, in order; stage t of the first ones must run operation t, and a stage of a backward pass
 * ends with that. R[s] of each place s of an operation in a stage is 1 if it runs there, and P[s,i]
 * whether tensor i is there at that time: it is, only if it was at the place before, or is made.
 */
#include "checkmate.h"

#include <glpk.h>
#include <math.h>
#include <stdlib.h>

typedef struct model {
  const dsm__remat_block *block;
  glp_prob *problem;
  int places; /* in a stage: operations, and the backward pass */
} model;

static int operations(const model *of) {
  return (int)of->block->count;
}

/* Column of R. */
static int runs(const model *of, int stage, int place) {
  return 1 + stage * of->places + place;
}

/* Column of P. */
static int there(const model *of, int stage, int place, int tensor) {
  const int all = 2 * operations(of) * of->places;
  return 1 + all + (stage * of->places + place) * operations(of) + tensor;
}

static void add_row(const model *of, int count, const int *columns, const double *values, int kind,
                    double bound) {
  const int row = glp_add_rows(of->problem, 1);
  glp_set_row_bnds(of->problem, row, kind, bound, bound);
  glp_set_mat_row(of->problem, row, count, columns, values);
}

static void add_pair(const model *of, int first, double first_value, int second,
                     double second_value, int kind, double bound) {
  const int columns[] = {0, first, second};
  const double values[] = {0, first_value, second_value};
  add_row(of, 2, columns, values, kind, bound);
}

/* The operation whose backward pass a stage ends with; -1: none. */
static int backward_of(const model *of, int stage) {
  const int n = operations(of);
  return stage < n ? -1 : 2 * n - 1 - stage;
}

/* May an operation run in a stage? Not before its own. */
static bool may_run(const model *of, int stage, int place) {
  const int n = operations(of);
  return place < n ? place <= stage : stage >= n;
}

static void add_columns(const model *of) {
  const int n = operations(of);
  glp_add_cols(of->problem, 2 * n * of->places * (n + 1));
  for (int t = 0; t < 2 * n; t++) {
    for (int k = 0; k < of->places; k++) {
      const int column = runs(of, t, k);
      const bool must = k == t || k == n;
      glp_set_col_kind(of->problem, column, GLP_BV);
      glp_set_col_bnds(of->problem, column, may_run(of, t, k) && !must ? GLP_DB : GLP_FX,
                       may_run(of, t, k) && must ? 1 : 0, 1);
      glp_set_obj_coef(of->problem, column,
                       k < n    ? of->block->operations[k].forward_seconds
                       : t >= n ? of->block->operations[backward_of(of, t)].backward_seconds
                                : 0);
      for (int i = 0; i < n; i++) {
        glp_set_col_bnds(of->problem, there(of, t, k, i), GLP_DB, 0, 1);
      }
    }
  }
}

/* A tensor is there only if it was before, or is made; what runs needs its inputs, and its place.
 */
static void add_tensors(const model *of, int t, int k) {
  const int n = operations(of);
  const dsm__tensors needs = k < n ? of->block->operations[k].inputs | dsm__tensor((size_t)k)
                                   : (t >= n ? of->block->operations[backward_of(of, t)].needs : 0);
  for (int i = 0; i < n; i++) {
    const bool is_first = t == 0 && k == 0;
    const int before = is_first ? 0 : k > 0 ? there(of, t, k - 1, i) : there(of, t - 1, n, i);
    const int columns[] = {0, there(of, t, k, i), i == k ? runs(of, t, k) : before, before};
    const double values[] = {0, 1, -1, -1};
    const int count = 1 + (i == k ? 1 : 0) + (is_first ? 0 : 1);
    add_row(of, count, columns, values, GLP_UP, 0);
    if ((needs & dsm__tensor((size_t)i)) != 0) {
      add_pair(of, there(of, t, k, i), 1, runs(of, t, k), -1, GLP_LO, 0);
    }
  }
}

static void add_memory(const model *of, int t, int k, double peak) {
  enum { MOST = 16 };
  const int n = operations(of);
  const int o = backward_of(of, t);
  int columns[MOST] = {0};
  double values[MOST] = {0};
  double errors = 0;
  if (o >= 0) {
    errors = k == n ? dsm__remat_errors_during(of->block, (size_t)o)
                    : dsm__remat_errors_before(of->block, (size_t)o);
  }
  if (t == n - 1 && k == n) {
    errors = dsm__remat_errors_before(of->block, (size_t)n - 1); /* what is saved meets it */
  }
  for (int i = 0; i < n; i++) {
    columns[i + 1] = there(of, t, k, i);
    values[i + 1] = of->block->operations[i].bytes;
  }
  columns[n + 1] = runs(of, t, k);
  values[n + 1] = k < n    ? of->block->operations[k].temporary_bytes
                  : o >= 0 ? of->block->operations[o].temporary_bytes
                           : 0;
  add_row(of, n + 1, columns, values, GLP_UP, peak - errors);
}

double checkmate_seconds(const dsm__remat_block *block, double peak) {
  const model of = {block, glp_create_prob(), (int)block->count + 1};
  glp_term_out(GLP_OFF);
  glp_set_obj_dir(of.problem, GLP_MIN);
  add_columns(&of);
  for (int t = 0; t < 2 * operations(&of); t++) {
    for (int k = 0; k < of.places; k++) {
      add_tensors(&of, t, k);
      add_memory(&of, t, k, peak);
    }
  }
  /* The output is there when all forward passes are done. */
  glp_set_col_bnds(of.problem,
                   there(&of, operations(&of) - 1, operations(&of), operations(&of) - 1), GLP_FX, 1,
                   1);
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.presolve = GLP_ON;
  parameters.msg_lev = GLP_MSG_OFF;
  const bool is_solved =
      glp_intopt(of.problem, &parameters) == 0 && glp_mip_status(of.problem) == GLP_OPT;
  const double seconds = is_solved ? glp_mip_obj_val(of.problem) : HUGE_VAL;
  glp_delete_prob(of.problem);
  return seconds;
}
