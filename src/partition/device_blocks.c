/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device_blocks.c: the programme taken apart by devices, and what a device is worth at prices. */
#include "partition/device_blocks.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "partition/instance_facts.h"

/* Nodes of a device's tree: where they are not enough, the bound of its best open node counts. */
enum { BLOCK_NODES = 400 };

/* As in solver_search.c, for the same reasons. */
enum { ITERATIONS = 40 };
static const double simplex_tolerance = 1e-9;

/* A device's worth is made a little greater by what the solver's tolerances allow. */
static const double slack = 1e-8;

/* Of a row: columns of no device yet, or of several. */
static const size_t no_device = (size_t)-1;
static const size_t many_devices = (size_t)-2;

/* ---- apart ---- */

static bool is_left_out(const dsm__row *row) {
  return row->kind == DSM__ROW_ORDER || row->kind == DSM__ROW_GOAL;
}

/* [row]: the device that all its columns are of. */
static size_t *find_devices(const dsm__programme *programme, dsm__arena *arena) {
  size_t *devices = NULL;
  if (!DSM__RESERVE(arena, devices, programme->row_count + 1)) {
    return NULL;
  }
  for (size_t r = 0; r < programme->row_count; r++) {
    devices[r] = no_device;
  }
  for (size_t e = 0; e < programme->entry_count; e++) {
    const dsm__entry *const it = &programme->entries[e];
    const size_t device =
        it->column == programme->rho ? many_devices : programme->columns[it->column].device;
    size_t *const of = &devices[it->row];
    *of = *of == no_device || *of == device ? device : many_devices;
  }
  return devices;
}

/* Equal devices are one block, unless somebody asks which of them receives. */
static void find_blocks(dsm__blocks *blocks) {
  const dsm__search *const search = blocks->search;
  const dsm_instance *const instance = search->instance;
  for (size_t j = 0; j < instance->device_count; j++) {
    size_t b = blocks->block_count;
    for (size_t k = 0; k < blocks->block_count && search->programme.moved == NULL; k++) {
      b = b == blocks->block_count &&
                  dsm__devices_are_equal(instance, search->options, blocks->blocks[k].device, j)
              ? k
              : b;
    }
    if (b == blocks->block_count) {
      blocks->blocks[blocks->block_count++] = (dsm__block){.device = j};
    }
    blocks->blocks[b].count++;
    blocks->block_of[j] = b;
  }
}

/* Entries of priced rows, by column. */
static bool sort_entries(dsm__blocks *blocks, const size_t *priced) {
  const dsm__programme *const programme = &blocks->search->programme;
  dsm__arena *const arena = blocks->search->arena;
  if (!DSM__RESERVE(arena, blocks->first, programme->column_count + 2) ||
      !DSM__RESERVE(arena, blocks->entries, programme->entry_count + 1)) {
    return false;
  }
  size_t *const begin = blocks->first;
  for (size_t e = 0; e < programme->entry_count; e++) {
    const dsm__entry *const it = &programme->entries[e];
    begin[it->column + 2] += priced[it->row] != no_device ? 1 : 0;
  }
  for (size_t c = 0; c < programme->column_count; c++) {
    begin[c + 2] += begin[c + 1];
  }
  for (size_t e = 0; e < programme->entry_count; e++) {
    const dsm__entry *const it = &programme->entries[e];
    if (priced[it->row] != no_device) {
      blocks->entries[begin[it->column + 1]++] =
          (dsm__entry){.row = priced[it->row], .column = it->column, .value = it->value};
    }
  }
  return true;
}

/* The columns of the block's device. */
static bool list_columns(dsm__blocks *blocks, dsm__block *block, size_t *local) {
  const dsm__programme *const programme = &blocks->search->programme;
  for (size_t c = 0; c < programme->column_count; c++) {
    const bool is_mine = c != programme->rho && programme->columns[c].device == block->device;
    local[c] = is_mine ? block->column_count++ : no_device;
  }
  if (!DSM__RESERVE(blocks->search->arena, block->columns, block->column_count + 1) ||
      !DSM__RESERVE(blocks->search->arena, block->values, block->column_count + 1)) {
    return false;
  }
  for (size_t c = 0; c < programme->column_count; c++) {
    if (local[c] != no_device) {
      block->columns[local[c]] = c;
    }
  }
  return true;
}

/* The block as a programme, in the room of `part`: columns and rows of its device alone. */
static bool load_block(dsm__blocks *blocks, dsm__block *block, const size_t *devices,
                       dsm__programme part, size_t *local) {
  dsm__search *const search = blocks->search;
  const dsm__programme *const whole = &search->programme;
  if (!list_columns(blocks, block, local)) {
    return false;
  }
  if (block->column_count == 0) {
    return true; /* it can run nothing */
  }
  for (size_t k = 0; k < block->column_count; k++) {
    part.columns[part.column_count++] = whole->columns[block->columns[k]];
  }
  size_t last = no_device;
  for (size_t e = 0; e < whole->entry_count; e++) {
    const dsm__entry *const it = &whole->entries[e];
    if (devices[it->row] != block->device || is_left_out(&whole->rows[it->row])) {
      continue;
    }
    if (it->row != last) {
      part.rows[part.row_count++] = whole->rows[it->row];
      last = it->row;
    }
    part.entries[part.entry_count++] =
        (dsm__entry){.row = part.row_count - 1, .column = local[it->column], .value = it->value};
  }
  if (part.row_count == 0) { /* which GLPK does not take: one that says nothing */
    part.rows[part.row_count++] = (dsm__row){.lower = -HUGE_VAL, .upper = HUGE_VAL};
  }
  block->problem = dsm__search_load(search, &part);
  return block->problem != NULL;
}

bool dsm__blocks_make(dsm__blocks *blocks, dsm__search *search) {
  const dsm__programme *const programme = &search->programme;
  dsm__arena *const arena = search->arena;
  const size_t device_count = search->instance->device_count;
  *blocks = (dsm__blocks){.search = search};
  size_t *const devices = find_devices(programme, arena);
  size_t *priced = NULL;
  size_t *local = NULL;
  dsm__programme part = {.is_maximised = true};
  if (devices == NULL || !DSM__RESERVE(arena, priced, programme->row_count + 1) ||
      !DSM__RESERVE(arena, local, programme->column_count + 1) ||
      !DSM__RESERVE(arena, part.columns, programme->column_count + 1) ||
      !DSM__RESERVE(arena, part.rows, programme->row_count + 1) ||
      !DSM__RESERVE(arena, part.entries, programme->entry_count + 1) ||
      !DSM__RESERVE(arena, blocks->rows, programme->row_count + 1) ||
      !DSM__RESERVE(arena, blocks->blocks, device_count) ||
      !DSM__RESERVE(arena, blocks->block_of, device_count)) {
    return false;
  }
  for (size_t r = 0; r < programme->row_count; r++) {
    const bool is_priced = devices[r] == many_devices && !is_left_out(&programme->rows[r]);
    priced[r] = is_priced ? blocks->row_count : no_device;
    blocks->rows[blocks->row_count] = r;
    blocks->row_count += is_priced ? 1 : 0;
  }
  find_blocks(blocks);
  bool is_made = sort_entries(blocks, priced);
  for (size_t b = 0; b < blocks->block_count && is_made; b++) {
    is_made = load_block(blocks, &blocks->blocks[b], devices, part, local);
  }
  return is_made;
}

/* ---- worth ---- */

typedef struct tree_watch {
  dsm__search *search;
  size_t nodes_left;
  double bound;
} tree_watch;

static void watch(glp_tree *tree, void *info) {
  tree_watch *const it = info;
  if (glp_ios_reason(tree) != GLP_ISELECT) {
    return;
  }
  const int node = glp_ios_best_node(tree);
  if (node != 0) {
    it->bound = glp_ios_node_bound(tree, node);
  }
  if (--it->nodes_left == 0 || dsm__search_is_stopped(it->search)) {
    glp_ios_terminate(tree);
  }
}

/* What a column is worth, less what it takes of priced rows. */
static double worth_of_column(const dsm__blocks *blocks, size_t column, const double *prices) {
  double worth = blocks->search->sign * blocks->search->programme.columns[column].cost;
  for (size_t e = blocks->first[column]; e < blocks->first[column + 1]; e++) {
    worth -= prices[blocks->entries[e].row] * blocks->entries[e].value;
  }
  return worth;
}

/* The primal method: after prices have changed the old basis still is an answer. */
static bool relax_block(const dsm__block *block) {
  glp_smcp how;
  glp_init_smcp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.meth = GLP_PRIMAL;
  how.tol_bnd = simplex_tolerance;
  how.tol_dj = simplex_tolerance;
  how.it_lim =
      ITERATIONS * (glp_get_num_rows(block->problem) + glp_get_num_cols(block->problem) + 100);
  return glp_simplex(block->problem, &how) == 0 && glp_get_status(block->problem) == GLP_OPT;
}

/* The most that a block is worth: exact, or the bound of the best open node. */
static double solve_block(const dsm__blocks *blocks, dsm__block *block, const double *prices) {
  for (size_t k = 0; k < block->column_count; k++) {
    const double worth = worth_of_column(blocks, block->columns[k], prices);
    glp_set_obj_coef(block->problem, (int)k + 1, worth);
  }
  block->has_values = false;
  if (!relax_block(block)) {
    return HUGE_VAL;
  }
  const double relaxed = glp_get_obj_val(block->problem);
  tree_watch watched = {blocks->search, BLOCK_NODES, relaxed};
  glp_iocp how;
  glp_init_iocp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.cb_func = watch;
  how.cb_info = &watched;
  how.tm_lim = (int)fmin(fmax(dsm__search_left(blocks->search) * 1000, 1), INT_MAX);
  const int ended = glp_intopt(block->problem, &how);
  const int status = glp_mip_status(block->problem);
  block->has_values = status == GLP_OPT || status == GLP_FEAS;
  for (size_t k = 0; k < block->column_count && block->has_values; k++) {
    block->values[k] = glp_mip_col_val(block->problem, (int)k + 1);
  }
  if (ended == 0 && status == GLP_OPT) {
    return fmin(glp_mip_obj_val(block->problem), relaxed);
  }
  return fabs(watched.bound) < DBL_MAX / 2 ? fmin(watched.bound, relaxed) : relaxed;
}

/* The most of price * activity within the row's limits. */
static double worth_of_row(const dsm__row *row, double *price) {
  if ((*price > 0 && !isfinite(row->upper)) || (*price < 0 && !isfinite(row->lower))) {
    *price = 0;
  }
  return *price == 0 ? 0 : *price * (*price > 0 ? row->upper : row->lower);
}

/* The most that the rate itself is worth, which is of no device. */
static double worth_of_rate(const dsm__blocks *blocks, const double *prices) {
  const dsm__programme *const programme = &blocks->search->programme;
  if (programme->rho == DSM__NO_COLUMN) {
    return 0;
  }
  const dsm__column *const rho = &programme->columns[programme->rho];
  const double worth = worth_of_column(blocks, programme->rho, prices);
  return fmax(worth * rho->lower, worth * rho->upper);
}

double dsm__blocks_price(dsm__blocks *blocks, double *prices) {
  const dsm__programme *const programme = &blocks->search->programme;
  double sum = 0;
  double size = 0;
  for (size_t r = 0; r < blocks->row_count; r++) {
    const double worth = worth_of_row(&programme->rows[blocks->rows[r]], &prices[r]);
    sum += worth;
    size += fabs(worth);
  }
  sum += worth_of_rate(blocks, prices);
  for (size_t b = 0; b < blocks->block_count; b++) {
    dsm__block *const block = &blocks->blocks[b];
    block->worth = block->column_count == 0 ? 0 : solve_block(blocks, block, prices);
    sum += (double)block->count * block->worth;
    size += (double)block->count * fabs(block->worth);
  }
  return sum + slack * size;
}
