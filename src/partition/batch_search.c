/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_search.c: which batch each device runs (docs/partition.md, batches).
 *
 * A node leaves each device a range of its sizes. Its bound is that of a server in which a device
 * has for each task the least time a request of the range, the activations of its smallest batch
 * and the fixed costs of its largest: whatever sizes of the ranges are chosen, no answer is better.
 * The node with the best bound is divided at the size that suits the rates of its answer best, and
 * all devices at such sizes are an answer to compare with. So the search ends with the optimum, or
 * with a bound and a gap where the time is over.
 */
#include "partition/batch_search.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/cases.h"
#include "base/deadline.h"
#include "base/diag_add.h"
#include "base/growing_list.h"
#include "partition/instance_facts.h"
#include "server/batch_tables.h"

typedef struct range {
  size_t first; /* of the sizes of a device */
  size_t last;
} range;

typedef struct node {
  dsm__open_case head; /* its bound: of what is less for what is better */
  range *ranges;       /* [j] */
  size_t *split;       /* [j]: the size that suits best */
  double bound;        /* of the objective */
  bool is_done;        /* one size for each device, or no answer was found in time */
} node;

/* Sizes that were solved at. */
typedef struct trial {
  const uint32_t *batches; /* [j] */
  double bound;            /* of the objective; the worst there is: they have no answer */
} trial;

typedef struct finder {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  dsm__batch_sizes sizes[DSM_DEVICES_MAX];
  dsm__arena *arena;
  dsm__deadline deadline;
  dsm_partition *best;
  uint32_t *best_batches; /* [j] */
  dsm__cases nodes;
  DSM__LIST(trial) trials;
  double relaxation; /* of the first node */
  dsm_partition_statistics statistics;
} finder;

static bool is_throughput(const finder *f) {
  return f->options->objective == DSM_OBJECTIVE_THROUGHPUT;
}

/* Larger is better. */
static double worth(const finder *f, double objective) {
  return is_throughput(f) ? objective : -objective;
}

bool dsm__has_batch_choice(const dsm_instance *instance) {
  bool has_one = false;
  for (size_t j = 0; j < instance->device_count; j++) {
    has_one = has_one || instance->devices[j].batch_size_count > 1;
  }
  return has_one;
}

/* ---- sizes ---- */

static double part_of(const finder *f, size_t task, size_t device, uint32_t size) {
  return dsm_instance_batch_seconds(f->instance, task, device, size) / size;
}

static bool find_sizes(finder *f, size_t device) {
  const dsm_instance_device *const it = &f->instance->devices[device];
  const uint32_t own = it->batch > 1 ? it->batch : 1;
  const uint32_t *const sizes = it->batch_size_count > 0 ? it->batch_sizes : &own;
  const size_t count = it->batch_size_count > 0 ? it->batch_size_count : 1;
  dsm__batch_sizes *const kept = &f->sizes[device];
  *kept = (dsm__batch_sizes){.count = count};
  if (!DSM__RESERVE(f->arena, kept->items, count)) {
    return false;
  }
  memcpy(kept->items, sizes, count * sizeof *sizes);
  return true;
}

/* ---- a node's server ---- */

static uint32_t least_of(const finder *f, const range *ranges, size_t device) {
  return f->sizes[device].items[ranges[device].first];
}

/* Of the fixed cost of a request of the smallest batch the part that is left in the largest. */
static double cost_left(const finder *f, const range *ranges, size_t device) {
  return (double)least_of(f, ranges, device) / f->sizes[device].items[ranges[device].last];
}

static bool relax(dsm_instance *made, finder *f, dsm__arena *arena, const range *ranges) {
  const size_t m = f->instance->device_count;
  uint32_t batches[DSM_DEVICES_MAX];
  double *seconds = NULL;
  dsm_instance_device *devices = NULL;
  dsm_device_pair *pairs = NULL;
  for (size_t j = 0; j < m; j++) {
    batches[j] = least_of(f, ranges, j);
  }
  if (!dsm__instance_at(made, arena, f->instance, batches) ||
      !DSM__RESERVE(arena, seconds, f->instance->task_count * m) ||
      !DSM__RESERVE(arena, devices, m) || !DSM__RESERVE(arena, pairs, f->instance->pair_count)) {
    return false;
  }
  for (size_t j = 0; j < m; j++) {
    devices[j] = made->devices[j];
    devices[j].transfer_seconds *= cost_left(f, ranges, j);
    for (size_t i = 0; i < f->instance->task_count; i++) {
      seconds[i * m + j] = made->seconds[i * m + j];
      for (size_t k = ranges[j].first; k <= ranges[j].last; k++) {
        seconds[i * m + j] = fmin(seconds[i * m + j], part_of(f, i, j, f->sizes[j].items[k]));
      }
    }
  }
  for (size_t q = 0; q < f->instance->pair_count; q++) {
    pairs[q] = f->instance->pairs[q];
    pairs[q].transfer_seconds *=
        fmin(cost_left(f, ranges, pairs[q].devices[0]), cost_left(f, ranges, pairs[q].devices[1]));
  }
  made->seconds = seconds;
  made->devices = devices;
  made->pairs = pairs;
  return true;
}

/* ---- answers ---- */

static double tighter(const finder *f, double a, double b) {
  return is_throughput(f) ? fmin(a, b) : fmax(a, b);
}

/* Half of the time that is left, so that some is left for others, and of the gap, which bound and
 * answer both have. */
static dsm_partition_options limited(const finder *f) {
  dsm_partition_options options = *f->options;
  options.time_limit_seconds =
      fmax(dsm__deadline_left(&f->deadline) / 2, f->options->time_limit_seconds / 1000);
  options.gap /= 2;
  options.report = NULL; /* of one of many: tell says how far all are */
  return options;
}

static bool is_over(const finder *f) {
  return dsm__deadline_left(&f->deadline) <= 0 ||
         (f->options->is_stopped != NULL && f->options->is_stopped(f->options->context));
}

static void count_work(finder *f, const dsm_partition *made) {
  f->statistics.node_count += made->statistics.node_count;
  if (made->statistics.column_count > f->statistics.column_count) {
    f->statistics.column_count = made->statistics.column_count;
    f->statistics.row_count = made->statistics.row_count;
  }
}

/* The bound that is given where nothing has to be known of it. */
static double unbounded(const finder *f) {
  return is_throughput(f) ? HUGE_VAL : -HUGE_VAL;
}

/* Solves, with what was proven before, *bound, which is no worse then. */
static dsm_status solve(finder *f, dsm_partition **made, const dsm_instance *at, bool is_relaxed,
                        double *bound) {
  const dsm_partition_options options = limited(f);
  const bool matters = is_throughput(f) && options.latency_limit_seconds > 0;
  const dsm__question question = {.instance = at,
                                  .options = &options,
                                  .rho_most = matters ? *bound : HUGE_VAL,
                                  .is_relaxed = is_relaxed};
  double proven = unbounded(f);
  const dsm_status status = dsm__solve_at_batches(made, &proven, &question, NULL);
  *bound = tighter(f, *bound, *made == NULL ? proven : (*made)->bound);
  return status;
}

static double best_worth(const finder *f) {
  return f->best == NULL ? -HUGE_VAL : worth(f, f->best->objective);
}

/* Solves at these sizes, unless that was done, and keeps the answer if it is worth no less than the
 * best. *bound is no worse than before. */
static dsm_status try_batches(finder *f, const uint32_t *batches, double *bound) {
  const size_t m = f->instance->device_count;
  for (size_t k = 0; k < f->trials.count; k++) {
    if (memcmp(f->trials.items[k].batches, batches, m * sizeof *batches) == 0) {
      *bound = tighter(f, *bound, f->trials.items[k].bound);
      return DSM_OK;
    }
  }
  uint32_t *kept = NULL;
  dsm_instance *at = NULL;
  if (!DSM__RESERVE(f->arena, kept, m) || !DSM__RESERVE(f->arena, at, 1) ||
      !DSM__LIST_RESERVE_IN(&f->trials, 1, f->arena) ||
      !dsm__instance_at(at, f->arena, f->instance, batches)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  memcpy(kept, batches, m * sizeof *kept);
  dsm_partition *made = NULL;
  const dsm_status status = solve(f, &made, at, false, bound);
  f->trials.items[f->trials.count++] = (trial){kept, *bound};
  if (made == NULL) {
    return status == DSM_ERROR_OUT_OF_MEMORY ? status : DSM_OK;
  }
  count_work(f, made);
  if (worth(f, made->objective) < best_worth(f)) {
    dsm_partition_free(made);
    return DSM_OK;
  }
  dsm_partition_free(f->best);
  f->best = made;
  f->best_batches = kept;
  return DSM_OK;
}

/* ---- nodes ---- */

/* The size with which a device needs least time for the rates of an answer. */
static size_t suited(const finder *f, const range *ranges, const double *rates, size_t device) {
  const size_t m = f->instance->device_count;
  size_t best = ranges[device].first;
  double least = HUGE_VAL;
  for (size_t k = ranges[device].first; k <= ranges[device].last; k++) {
    double busy = 0;
    for (size_t i = 0; i < f->instance->task_count; i++) {
      const double rate = rates[i * m + device];
      busy += rate > 0 ? rate * part_of(f, i, device, f->sizes[device].items[k]) : 0;
    }
    if (busy < least) {
      least = busy;
      best = k;
    }
  }
  return best;
}

/* Equal devices: the order of their batches does not matter. */
static bool are_equal(const dsm_instance *instance, const dsm_partition_options *options, size_t a,
                      size_t b) {
  const dsm_instance_device *const x = &instance->devices[a];
  const dsm_instance_device *const y = &instance->devices[b];
  bool is_equal =
      dsm__devices_are_equal(instance, options, a, b) &&
      x->batch_size_count == y->batch_size_count &&
      memcmp(x->batch_sizes, y->batch_sizes, x->batch_size_count * sizeof *x->batch_sizes) == 0;
  for (size_t i = 0; i < instance->task_count && is_equal; i++) {
    for (size_t k = 0; k < x->batch_size_count && is_equal; k++) {
      is_equal = dsm_instance_batch_seconds(instance, i, a, x->batch_sizes[k]) ==
                 dsm_instance_batch_seconds(instance, i, b, x->batch_sizes[k]);
    }
  }
  return is_equal;
}

/* Whether another node has the same with equal devices in another order: batches rise. Without it 8
 * tasks on 3 equal devices took 1.45 s in place of 0.52. */
static bool is_mirrored(const finder *f, const range *ranges) {
  bool is_one = false;
  for (size_t a = 0; a < f->instance->device_count; a++) {
    for (size_t b = a + 1; b < f->instance->device_count && !is_one; b++) {
      is_one = ranges[a].first > ranges[b].last && f->instance->devices[a].batch_size_count > 1 &&
               are_equal(f->instance, f->options, a, b);
    }
  }
  return is_one;
}

static bool is_single(const finder *f, const range *ranges) {
  bool is_one = true;
  for (size_t j = 0; j < f->instance->device_count; j++) {
    is_one = is_one && ranges[j].first == ranges[j].last;
  }
  return is_one;
}

/* The sizes that suit the answer of a node's server. */
static dsm_status try_split(finder *f, const node *of, double *bound) {
  uint32_t batches[DSM_DEVICES_MAX];
  for (size_t j = 0; j < f->instance->device_count; j++) {
    batches[j] = f->sizes[j].items[of->split[j]];
  }
  return try_batches(f, batches, bound);
}

/* Solves the server of a node with several sizes, and says which suit its answer. */
static dsm_status solve_relaxed(finder *f, node *made, bool is_first) {
  dsm_instance relaxed;
  dsm_partition *answer = NULL;
  dsm__arena *const scratch = dsm__arena_new();
  dsm_status status = DSM_ERROR_OUT_OF_MEMORY;
  if (scratch != NULL && relax(&relaxed, f, scratch, made->ranges)) {
    status = solve(f, &answer, &relaxed, true, &made->bound);
  }
  if (answer == NULL) {
    made->is_done = true;
  } else {
    count_work(f, answer);
    f->relaxation = is_first ? answer->relaxation : f->relaxation;
  }
  for (size_t j = 0; j < f->instance->device_count && answer != NULL; j++) {
    made->split[j] = suited(f, made->ranges, answer->rates, j);
  }
  dsm_partition_free(answer);
  dsm__arena_free(scratch);
  return status == DSM_ERROR_OUT_OF_MEMORY ? status : DSM_OK;
}

/* A node of which no answer is better than `above`, with its bound and an answer to compare with.
 */
static dsm_status add_node(finder *f, const range *ranges, double above, bool is_first) {
  const size_t m = f->instance->device_count;
  node made = {.bound = above, .is_done = is_single(f, ranges)};
  if (is_mirrored(f, ranges)) {
    return DSM_OK;
  }
  if (!DSM__RESERVE(f->arena, made.ranges, m) || !DSM__RESERVE(f->arena, made.split, m)) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  memcpy(made.ranges, ranges, m * sizeof *ranges);
  for (size_t j = 0; j < m; j++) {
    made.split[j] = ranges[j].first;
  }
  dsm_status status = DSM_OK;
  double bound = above; /* of the answer to compare with */
  if (made.is_done) {
    status = try_split(f, &made, &made.bound);
    f->relaxation = is_first && f->best != NULL ? f->best->relaxation : f->relaxation;
  } else {
    status = solve_relaxed(f, &made, is_first);
    if (status == DSM_OK && !made.is_done && worth(f, made.bound) > best_worth(f)) {
      status = try_split(f, &made, &bound);
    }
  }
  made.head.bound = -worth(f, made.bound);
  return status != DSM_OK || dsm__cases_open(&f->nodes, &made, sizeof made) != NULL
             ? status
             : DSM_ERROR_OUT_OF_MEMORY;
}

/* The device with most sizes; below, at and above the one that suits it are three nodes. */
static dsm_status divide(finder *f, const node *of) {
  const size_t m = f->instance->device_count;
  size_t device = 0;
  for (size_t j = 1; j < m; j++) {
    const range *const a = &of->ranges[device];
    const range *const b = &of->ranges[j];
    device = b->last - b->first > a->last - a->first ? j : device;
  }
  const range whole = of->ranges[device];
  const size_t at = of->split[device];
  const range parts[] = {{at, at}, {at + 1, whole.last}, {whole.first, at - 1}};
  const bool is_part[] = {true, at<whole.last, at> whole.first};
  dsm_status status = DSM_OK;
  for (size_t p = 0; p < 3 && status == DSM_OK; p++) {
    range ranges[DSM_DEVICES_MAX];
    memcpy(ranges, of->ranges, m * sizeof *ranges);
    ranges[device] = parts[p];
    status = is_part[p] ? add_node(f, ranges, of->bound, false) : DSM_OK;
  }
  return status;
}

/* What no choice of sizes is better than. */
static double proven(const finder *f) {
  const double most = fmax(best_worth(f), -dsm__cases_bound(&f->nodes));
  return is_throughput(f) ? most : -most;
}

static bool is_good_enough(const finder *f) {
  return f->best != NULL &&
         fabs(proven(f) - f->best->objective) <= f->options->gap * fabs(f->best->objective);
}

static void tell(const finder *f) {
  if (f->options->report != NULL) {
    const bool has_best = f->best != NULL;
    const double best = has_best ? f->best->objective : 0;
    const double bound = proven(f);
    f->options->report(
        f->options->context,
        &(dsm_partition_progress){.has_best = has_best,
                                  .best = best,
                                  .bound = bound,
                                  .gap = has_best ? fabs(bound - best) / fabs(best) : HUGE_VAL,
                                  .seconds = f->options->time_limit_seconds -
                                             dsm__deadline_left(&f->deadline)});
  }
}

static dsm__looked look(void *context, dsm__open_case *one) {
  finder *const f = context;
  const node *const it = (const node *)one;
  if (it->is_done) {
    return DSM__LOOK_CLOSED;
  }
  tell(f);
  return divide(f, it) == DSM_OK ? DSM__LOOK_DIVIDED : DSM__LOOK_FAILED;
}

/* What is closed may have the best bound. */
static bool is_search_done(const void *context, double bound) {
  (void)bound;
  return is_good_enough(context) || is_over(context);
}

static dsm_status search(finder *f) {
  static const dsm__case_kind node_kind = {look, is_search_done};
  const size_t m = f->instance->device_count;
  range all[DSM_DEVICES_MAX] = {{0, 0}};
  for (size_t j = 0; j < m; j++) {
    all[j] = (range){0, f->sizes[j].count - 1};
  }
  const dsm_status status = add_node(f, all, is_throughput(f) ? HUGE_VAL : 0, true);
  return status != DSM_OK || dsm__cases_search(&f->nodes, &node_kind, f) ? status
                                                                         : DSM_ERROR_OUT_OF_MEMORY;
}

/* ---- the answer ---- */

/* Of each device, which need least memory and time. */
static void find_smallest(const finder *f, uint32_t *batches) {
  const dsm_instance *const instance = f->instance;
  for (size_t j = 0; j < instance->device_count; j++) {
    batches[j] = instance->devices[j].batch_size_count > 0 ? instance->devices[j].batch_sizes[0]
                                                           : instance->devices[j].batch;
    batches[j] = batches[j] == 0 ? 1 : batches[j];
  }
}

/* Why there is no answer is said of the smallest batches, which need least memory. */
static dsm_status report_none(const finder *f, dsm_diags *diags) {
  const dsm_instance *const instance = f->instance;
  uint32_t batches[DSM_DEVICES_MAX];
  dsm_instance at;
  find_smallest(f, batches);
  if (!dsm__instance_at(&at, f->arena, instance, batches)) {
    return dsm__out_of_memory(diags);
  }
  dsm_partition *none = NULL;
  double bound = 0;
  const dsm__question question = {&at, f->options, HUGE_VAL, false};
  const dsm_status status = dsm__solve_at_batches(&none, &bound, &question, diags);
  dsm_partition_free(none);
  return status != DSM_OK ? status
                          : dsm__refuse(diags, DSM_ERROR_INFEASIBLE,
                                        "no choice of batches was found that has an answer");
}

/* The answer owns its instance. */
static dsm_status hand_over(finder *f, dsm_partition **partition, dsm_diags *diags) {
  dsm_partition *const made = f->best;
  dsm_instance *at = NULL;
  if (!DSM__RESERVE(made->arena, at, 1) ||
      !dsm__instance_at(at, made->arena, f->instance, f->best_batches)) {
    return dsm__out_of_memory(diags);
  }
  made->instance = at;
  made->options.time_limit_seconds = f->options->time_limit_seconds;
  made->options.gap = f->options->gap;
  made->statistics = f->statistics;
  made->solver_seconds = f->options->time_limit_seconds - dsm__deadline_left(&f->deadline);
  dsm__set_bounds(made, proven(f), f->relaxation);
  made->was_stopped = made->status == DSM_SOLUTION_LIMITED && f->options->is_stopped != NULL &&
                      f->options->is_stopped(f->options->context);
  f->best = NULL;
  *partition = made;
  return DSM_OK;
}

dsm_status dsm__search_batches(dsm_partition **partition, const dsm_instance *instance,
                               const dsm_partition_options *options, dsm_diags *diags) {
  finder f = {.instance = instance,
              .options = options,
              .arena = dsm__arena_new(),
              .relaxation = options->objective == DSM_OBJECTIVE_THROUGHPUT ? HUGE_VAL : -HUGE_VAL};
  dsm__deadline_begin(&f.deadline, options->time_limit_seconds);
  f.nodes = dsm__cases_begin(f.arena);
  bool is_made = f.arena != NULL;
  for (size_t j = 0; j < instance->device_count && is_made; j++) {
    is_made = find_sizes(&f, j);
  }
  dsm_status status = is_made ? search(&f) : DSM_ERROR_OUT_OF_MEMORY;
  if (status != DSM_OK) {
    status = dsm__out_of_memory(diags);
  } else {
    status = f.best == NULL ? report_none(&f, diags) : hand_over(&f, partition, diags);
  }
  dsm_partition_free(f.best);
  dsm__arena_free(f.arena);
  return status;
}
