/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * solver_branch.c: branch and cut by GLPK.
 *
 * Of a tree that ends at a limit the bound of its best open node holds for every answer in it: the
 * relaxation of a node is at least as good as all below it, and nodes that were closed hold nothing
 * that is better than the best answer by more than the gap. The bound is used only for the whole
 * tree; that of a neighbourhood is of answers near the best alone. What a tree finds is rounded and
 * solved again as a linear programme, so that no answer rests on the tree's tolerances.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "partition/solver_search.h"

/* By so much the same answer may differ when it is solved again, relative. */
static const double rounding = 1e-8;

/* The best open node is asked for its bound whenever a node is selected. The best answer so far is
 * offered once, so that the tree prunes from the beginning. */
static void watch(glp_tree *tree, void *info) {
  dsm__search *const search = info;
  if (glp_ios_reason(tree) == GLP_IBRANCH) {
    search->solution->statistics.node_count += 2;
  }
  if (glp_ios_reason(tree) == GLP_IHEUR && search->is_whole && search->has_best &&
      !search->is_offered) {
    search->is_offered = true;
    (void)glp_ios_heur_sol(tree, search->values);
  }
  if (glp_ios_reason(tree) != GLP_ISELECT) {
    return;
  }
  const int node = glp_ios_best_node(tree);
  if (node != 0) {
    const double bound = glp_ios_node_bound(tree, node);
    if (fabs(bound) < DBL_MAX / 2) {
      search->tree_bound = search->programme.goal_offset + search->programme.goal_unit * bound;
    }
  }
  const bool is_last = search->nodes_left > 0 && --search->nodes_left == 0;
  if (is_last || dsm__search_is_stopped(search)) {
    glp_ios_terminate(tree);
  }
}

/*
 * Rounds what the tree found and solves it again as a linear programme.
 *
 * An integer of the tree is a number within its tolerance. Rounded, and with all choices fixed, it
 * is a linear programme, whose optimum is an answer or none; the tree's own numbers are not used.
 */
static void take_found(dsm__search *search) {
  for (size_t k = 0; k < search->choice_count; k++) {
    search->trial[k] = glp_mip_col_val(search->problem, search->choices[k].column) > 0.5;
  }
  const double before = search->best;
  const bool had_best = search->has_best;
  dsm__search_try(search, search->trial);
  const double gain = search->sign * (search->best - before);
  search->is_improved =
      search->is_improved || (search->has_best && (!had_best || gain > rounding * fabs(before)));
}

/*
 * Whether GLPK finds a knapsack to make cover cuts of; where it finds none GLPK 5.0 gives up. A row
 * of memory is one if not everything fits, and if any two fit, by more than GLPK's thousandth: with
 * less it takes the row for one that is never full, or for one that says "at most one of these".
 */
static bool has_knapsack(const dsm__programme *programme) {
  static const double clear = 1.01;
  bool has_one = false;
  for (size_t e = 0; e < programme->entry_count && !has_one;) {
    const size_t r = programme->entries[e].row;
    double sum = 0;
    double least = HUGE_VAL; /* the two least needs */
    double second = HUGE_VAL;
    for (; e < programme->entry_count && programme->entries[e].row == r; e++) {
      const double need = programme->entries[e].value;
      sum += need;
      second = fmin(second, fmax(least, need));
      least = fmin(least, need);
    }
    const double room = programme->rows[r].upper;
    has_one = programme->rows[r].kind == DSM__ROW_MEMORY && room > 0 && sum > clear * room &&
              clear * (least + second) < room;
  }
  return has_one;
}

/*
 * Calls GLPK's branch and cut. UNKNOWN: a limit, or trouble.
 *
 * GLPK's presolver has tolerances of a thousandth in places: it has been seen to call a programme
 * infeasible that is not, and to break a bound by so much. So it is used for neighbourhoods, where
 * what it finds is solved again and what it misses costs nothing, and not where something is
 * proven; there the tight programme is all the presolving.
 */
static dsm__solved branch(dsm__search *search, double seconds, bool is_learning) {
  if (search->is_whole) {
    const dsm__solved relaxed = dsm__search_relax(search, search->problem);
    if (relaxed != DSM__SOLVED_OPTIMAL) {
      return relaxed;
    }
  }
  glp_iocp how;
  glp_init_iocp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.presolve = search->is_whole ? GLP_OFF : GLP_ON;
  /* In small programmes learnt costs of branching end the tree soonest, with cover cuts, which
   * halve it where memory is tight; with the other cuts of 35 instances 3 took two to fifty times
   * as long and one did not end. In larger ones they find answers later than the other rule does
   * with those cuts. */
  how.br_tech = is_learning ? GLP_BR_PCH : GLP_BR_DTH;
  how.bt_tech = GLP_BT_BLB;
  how.mir_cuts = is_learning ? GLP_OFF : GLP_ON;
  how.cov_cuts = is_learning && has_knapsack(&search->programme) ? GLP_ON : GLP_OFF;
  how.mip_gap = search->gap;
  how.tm_lim = seconds * 1000 >= INT_MAX ? INT_MAX : (int)fmax(seconds * 1000, 1);
  how.cb_func = watch;
  how.cb_info = search;
  search->solution->statistics.node_count++; /* the root */
  const int ended = glp_intopt(search->problem, &how);
  const int status = glp_mip_status(search->problem);
  if (ended == GLP_ENOPFS || (ended == 0 && status == GLP_NOFEAS)) {
    return DSM__SOLVED_INFEASIBLE;
  }
  if (ended != 0 && ended != GLP_EMIPGAP) {
    return DSM__SOLVED_UNKNOWN;
  }
  const double value = search->programme.goal_offset +
                       search->programme.goal_unit * glp_mip_obj_val(search->problem);
  search->tree_bound = value * (1 + (ended == 0 ? 0 : search->sign * search->gap));
  return DSM__SOLVED_OPTIMAL;
}

/* Equal devices stand in order in whole trees alone (programme_tight.c): there it saves looking at
 * the same answer under other names. Where answers are looked for it would only be in the way, as
 * most that are found first have other names. */
static void keep_order(dsm__search *search, bool is_kept) {
  for (size_t r = 0; r < search->programme.row_count; r++) {
    if (search->programme.rows[r].kind == DSM__ROW_ORDER) {
      glp_set_row_bnds(search->problem, (int)r + 1, is_kept ? GLP_LO : GLP_FR, 0, 0);
    }
  }
}

/* No answer is faster than the bound, so that a tree need not be told. Where the bound is stricter
 * than the relaxation all of its first nodes would be worth just that: it could neither see which
 * of them is the best nor learn what a choice costs. In larger programmes cuts rest on it. */
static void limit_rate(dsm__search *search, bool is_limited) {
  const dsm__programme *const programme = &search->programme;
  if (programme->rho != DSM__NO_COLUMN) {
    const dsm__column *const rho = &programme->columns[programme->rho];
    dsm__search_bound(search->problem, (int)programme->rho + 1, rho->lower,
                      is_limited ? rho->upper : HUGE_VAL);
  }
}

dsm__solved dsm__search_branch(dsm__search *search, size_t node_count, double seconds) {
  const bool is_learning = search->is_whole && search->is_small;
  search->is_offered = false;
  search->nodes_left = node_count;
  search->tree_bound = search->sign * HUGE_VAL;
  keep_order(search, search->is_whole);
  if (is_learning) {
    limit_rate(search, false);
  }
  const dsm__solved solved = branch(search, seconds, is_learning);
  keep_order(search, false);
  if (is_learning) {
    limit_rate(search, true);
  }
  const int status = glp_mip_status(search->problem);
  if (solved != DSM__SOLVED_INFEASIBLE && (status == GLP_OPT || status == GLP_FEAS)) {
    take_found(search);
  }
  return solved;
}
