/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assignment_search.c: a good assignment, without a programme.
 *
 * It proves nothing. It begins with the better of two simple placements and anneals: a step that
 * makes the cost no larger is taken, another with a probability that falls with what it costs and
 * with the steps that are behind. The best by the objective itself is kept apart from where the
 * walk is, so the answer is never worse than a placement that it began with, if that kept all
 * memories. Steps are counted and drawn from a fixed state, so that two runs are the same.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/random_draw.h"
#include "partition/assignment.h"
#include "partition/instance_facts.h"

/* Steps of the annealing: a task's share, and most. */
enum { STEPS_PER_TASK = 1500, STEPS_MAX = 2000000, BLOCK_MAX = 16, LIMIT_STEPS = 40 };
/* Clock and rounding are looked at after so many. */
enum { STEPS_BETWEEN = 1024 };

/* Relative loss that is accepted once in e times, at first and at last. */
static const double hot = 0.1;
static const double cold = 1e-4;

/* What an overflow by all tasks' need multiplies the cost by. */
static const double overflow_price = 40;

/* What a cut too many, in parts of those allowed, multiplies the cost by: as much as memory that is
 * short by as large a part. */
static const double cuts_price = 40;

/* The same of a request that is too slow, by as large a part of what it may take. */
static const double delay_price = 40;

typedef struct annealer {
  dsm__assignment *a;
  uint64_t random;
  double need;   /* bytes of all tasks */
  size_t *kept;  /* [i]: devices before a step, or scratch */
  size_t *best;  /* [i] */
  size_t *moved; /* tasks of a step */
  size_t moved_count;
  struct ranked *order; /* [i] or [j], scratch */
  double *busy;         /* [j], scratch */
  double *room;         /* [j], scratch */
  double best_value;    /* of the objective */
  bool has_best;
} annealer;

static bool can_be(const annealer *n, size_t task, size_t device) {
  return dsm__task_can_run(n->a->instance, n->a->options, task, device);
}

/* ---- cost ---- */

static double eighth_power(double value) {
  const double square = value * value;
  const double fourth = square * square;
  return fourth * fourth;
}

/*
 * Smooth where the slowest device decides, so that also the next slower ones count.
 *
 * The eighth root of the sum of eighth powers lies between the largest load and that times the
 * eighth root of their number. So it follows the slowest device closely, and still falls when the
 * second slowest is relieved, where the maximum itself would be flat.
 */
static double loads(const dsm__assignment *a) {
  double sum = 0;
  for (size_t j = 0; j < a->instance->device_count; j++) {
    sum += eighth_power(a->busy_seconds[j]) + eighth_power(dsm__assignment_carried(a, j));
  }
  for (size_t r = a->instance->device_count; r < dsm__assignment_carriers(a); r++) {
    sum += eighth_power(dsm__assignment_carried(a, r));
  }
  return sqrt(sqrt(sqrt(sum)));
}

/* What is no row of stages costs without end, so that it is left and not come back to. */
static double cost_of(const annealer *n) {
  const dsm__assignment *const a = n->a;
  if (!dsm__assignment_is_staged(a)) {
    return HUGE_VAL;
  }
  const double over = n->need > 0 ? dsm__assignment_overflow(a) / n->need : 0;
  double cost = loads(a);
  if (a->options->objective == DSM_OBJECTIVE_LATENCY) {
    cost = dsm__assignment_value(a);
  } else if (a->options->objective == DSM_OBJECTIVE_ENERGY) {
    /* first within the required time, then by power */
    cost = dsm__assignment_watts(a) * fmax(cost * a->options->required_rho, 1);
  }
  const double excess = dsm__assignment_excess_cuts(a);
  const double cuts = excess > 0 ? excess / (double)a->options->cuts_max : 0;
  return cost *
         (1 + overflow_price * over + cuts_price * cuts + delay_price * dsm__assignment_delay(a));
}

static bool is_better(const dsm_partition_options *options, double value, double than) {
  return options->objective == DSM_OBJECTIVE_THROUGHPUT ? value > than : value < than;
}

/* By the objective itself: of two the smoother cost can be that of the worse. */
static void keep_best(annealer *n) {
  const double value = dsm__assignment_value(n->a);
  if ((n->has_best && !is_better(n->a->options, value, n->best_value)) ||
      !dsm__assignment_is_allowed(n->a) || !isfinite(value)) {
    return;
  }
  n->has_best = true;
  n->best_value = value;
  for (size_t i = 0; i < n->a->instance->task_count; i++) {
    n->best[i] = n->a->device_of[i];
  }
}

/* ---- where to begin ---- */

typedef struct ranked {
  double key;
  size_t index;
} ranked;

/* By falling key. */
static int compare(const void *a, const void *b) {
  const ranked *const x = a;
  const ranked *const y = b;
  return dsm__order_then(dsm__order(y->key, x->key), dsm__order_whole(x->index, y->index));
}

/*
 * By falling need, each to the device that is ready first with it among those where it fits; where
 * it fits nowhere, to the one that it exceeds least.
 *
 * The heaviest first, since what is heavy has the fewest places; light ones fill what is left.
 */
static void place_by_need(annealer *n) {
  dsm__assignment *const a = n->a;
  const dsm_instance *const instance = a->instance;
  for (size_t i = 0; i < instance->task_count; i++) {
    n->order[i] = (ranked){dsm__task_need(instance, a->options, i, 0), i};
  }
  qsort(n->order, instance->task_count, sizeof *n->order, compare);
  double *const busy = n->busy;
  double *const room = n->room;
  for (size_t j = 0; j < instance->device_count; j++) {
    busy[j] = 0;
    room[j] = instance->devices[j].memory_bytes;
  }
  for (size_t k = 0; k < instance->task_count; k++) {
    const size_t i = n->order[k].index;
    size_t best = instance->device_count;
    double least_over = HUGE_VAL;
    double first_end = HUGE_VAL;
    for (size_t j = 0; j < instance->device_count; j++) {
      if (!can_be(n, i, j)) {
        continue;
      }
      const double over = fmax(dsm__task_need(instance, a->options, i, j) - room[j], 0);
      const double ends = busy[j] + dsm_instance_seconds(instance, i, j);
      if (over < least_over || (over == least_over && ends < first_end)) {
        best = j;
        least_over = over;
        first_end = ends;
      }
    }
    n->kept[i] = best;
    busy[best] = first_end;
    room[best] -= dsm__task_need(instance, a->options, i, best);
  }
}

/* In runs, one device after the other, none busy for longer than `limit`. False: tasks are left. */
static bool place_runs(annealer *n, double limit) {
  const dsm_instance *const instance = n->a->instance;
  size_t i = 0;
  for (size_t k = 0; k < instance->device_count && i < instance->task_count; k++) {
    const size_t j = n->order[k].index;
    double busy = 0;
    double room = instance->devices[j].memory_bytes;
    while (i < instance->task_count && can_be(n, i, j)) {
      busy += dsm_instance_seconds(instance, i, j);
      room -= dsm__task_need(instance, n->a->options, i, j);
      if (busy > limit || room < 0) {
        break;
      }
      n->kept[i++] = j;
    }
  }
  return i == instance->task_count;
}

/*
 * The fastest device first; the shortest time that is enough.
 *
 * Whether a limit is enough grows with the limit for the most part, so halving finds the least that
 * is, and forty halvings leave nothing to gain. A limit that was found to be enough is what is
 * taken at last.
 */
static bool place_by_runs(annealer *n) {
  const dsm_instance *const instance = n->a->instance;
  double high = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    double speed = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      const double seconds = dsm_instance_seconds(instance, i, j);
      speed += isfinite(seconds) ? 1 / seconds : 0;
      high += isfinite(seconds) ? seconds : 0;
    }
    n->order[j] = (ranked){speed, j};
  }
  qsort(n->order, instance->device_count, sizeof *n->order, compare);
  if (!place_runs(n, high)) {
    return false;
  }
  double low = 0;
  for (int step = 0; step < LIMIT_STEPS; step++) {
    const double middle = (low + high) / 2;
    if (place_runs(n, middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return place_runs(n, high);
}

/* Takes what `kept` says; returns its cost. */
static double take(annealer *n) {
  for (size_t i = 0; i < n->a->instance->task_count; i++) {
    n->a->device_of[i] = n->kept[n->a->leader[i]];
  }
  dsm__assignment_count(n->a);
  const double cost = cost_of(n);
  keep_best(n);
  return cost;
}

/* All on the device that can run most of them: a stage, if perhaps one that does not fit. */
static void place_on_one(annealer *n) {
  const dsm_instance *const instance = n->a->instance;
  size_t best = 0;
  size_t most = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    size_t count = 0;
    for (size_t i = 0; i < instance->task_count; i++) {
      count += can_be(n, i, j) ? 1 : 0;
    }
    best = count > most ? j : best;
    most = count > most ? count : most;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    if (can_be(n, i, best)) {
      n->kept[i] = best;
    }
  }
}

/* By need where nothing else is known, so that each task is where it can run. */
static double begin_stages(annealer *n) {
  place_by_need(n);
  if (!place_by_runs(n)) {
    place_by_need(n);
    place_on_one(n);
  }
  return take(n);
}

static double begin(annealer *n) {
  if (n->a->options->is_staged) {
    return begin_stages(n);
  }
  place_by_need(n);
  return take(n);
}

/* ---- annealing ---- */

static size_t draw(annealer *n, size_t count) {
  return (size_t)(dsm__splitmix64(&n->random) % count);
}

/* With the tasks of its group, which are where it is. */
static void move(annealer *n, size_t task, size_t device) {
  const size_t *const mate = n->a->mate;
  bool can_all = n->a->device_of[task] != device && can_be(n, task, device);
  for (size_t i = mate[task]; i != task; i = mate[i]) {
    can_all = can_all && can_be(n, i, device);
  }
  for (size_t i = task; can_all;) {
    n->moved[n->moved_count++] = i;
    n->kept[i] = n->a->device_of[i];
    dsm__assignment_move(n->a, i, device);
    i = mate[i];
    can_all = i != task;
  }
}

/*
 * A task to another device, two tasks changing places, or some consecutive ones to one device.
 *
 * Runs matter because what crosses the end of a run is all that a chain sends: moving a task to
 * where the one before it is makes a run longer by one end, and blocks of tasks pass the barrier
 * that single tasks would have to climb. Without tasks that change places 20 tasks on 6 devices
 * took 4.0 s in place of 1.6.
 */
static void step(annealer *n) {
  const size_t task_count = n->a->instance->task_count;
  const size_t task = draw(n, task_count);
  const size_t kind = draw(n, 4);
  n->moved_count = 0;
  if (kind == 0) {
    move(n, task, draw(n, n->a->instance->device_count));
  } else if (kind == 1) {
    const size_t other = draw(n, task_count);
    const size_t device = n->a->device_of[task];
    const size_t place = n->a->device_of[other];
    if (device != place && can_be(n, task, place) && can_be(n, other, device)) {
      move(n, task, place);
      move(n, other, device);
    }
  } else {
    /* where the task before it is: runs grow and shrink */
    const size_t length = 1 + draw(n, BLOCK_MAX);
    const bool is_random = kind == 3 || task == 0;
    const size_t device =
        is_random ? draw(n, n->a->instance->device_count) : n->a->device_of[task - 1];
    for (size_t i = task; i < task_count && i < task + length; i++) {
      move(n, i, device);
    }
  }
}

/* Two devices change places. */
static void exchange_devices(annealer *n, size_t one, size_t other) {
  const dsm__assignment *const a = n->a;
  for (size_t i = 0; i < a->instance->task_count; i++) {
    const size_t at = a->device_of[i];
    if (a->leader[i] == i) {
      move(n, i, at == one ? other : at == other ? one : at);
    }
  }
}

/* The first or last task of the run of one device around a task. */
static size_t end_of_run(const dsm__assignment *a, size_t task, bool is_forward) {
  const size_t task_count = a->instance->task_count;
  const size_t here = a->device_of[task];
  size_t end = task;
  while (is_forward ? end + 1 < task_count && a->device_of[end + 1] == here
                    : end > 0 && a->device_of[end - 1] == here) {
    end = is_forward ? end + 1 : end - 1;
  }
  return end;
}

/*
 * Stages stay stages: an end of the run around a task moves to it, giving what lies between to the
 * run beyond, or, one time in four, to any device, which splits the run; or two devices change
 * places.
 *
 * A split that gives tasks to a device with others elsewhere breaks the form, costs without end,
 * and is undone.
 */
static void step_stages(annealer *n) {
  const dsm__assignment *const a = n->a;
  const size_t task_count = a->instance->task_count;
  const size_t task = draw(n, task_count);
  const size_t kind = draw(n, 4);
  const size_t any = draw(n, a->instance->device_count);
  const bool is_forward = draw(n, 2) == 0;
  n->moved_count = 0;
  if (kind == 0) {
    exchange_devices(n, a->device_of[task], any);
    return;
  }
  const size_t end = end_of_run(a, task, is_forward);
  const bool is_last = is_forward ? end + 1 == task_count : end == 0;
  const size_t beyond = kind == 1 || is_last ? any : a->device_of[is_forward ? end + 1 : end - 1];
  const size_t first = is_forward ? task : end;
  const size_t last = is_forward ? end : task;
  for (size_t i = first; i <= last; i++) {
    move(n, i, beyond);
  }
}

static void undo(annealer *n) {
  while (n->moved_count > 0) {
    const size_t task = n->moved[--n->moved_count];
    dsm__assignment_move(n->a, task, n->kept[task]);
  }
}

/*
 * Metropolis with a draw from the exponential distribution in place of an exponential and a uniform
 * draw: a step is taken if its relative loss is at most heat times the draw, which happens with
 * probability exp(-loss / heat). The heat falls geometrically from `hot` to `cold` over all steps,
 * whatever their number, so that a small instance is cooled as slowly per task as a large one, as
 * far as steps last.
 */
static void anneal(annealer *n, double cost, dsm__is_over *is_over, void *context) {
  const size_t task_count = n->a->instance->task_count;
  const size_t steps =
      task_count < STEPS_MAX / STEPS_PER_TASK ? task_count * STEPS_PER_TASK : (size_t)STEPS_MAX;
  double heat = hot;
  const double cooling = pow(cold / hot, (double)STEPS_BETWEEN / (double)steps);
  for (size_t k = 0; k < steps; k++) {
    if (k % STEPS_BETWEEN == 0) {
      dsm__assignment_count(n->a);
      cost = cost_of(n);
      heat *= cooling;
      if (is_over(context)) {
        return;
      }
    }
    if (n->a->options->is_staged) {
      step_stages(n);
    } else {
      step(n);
    }
    const double now = n->moved_count > 0 ? cost_of(n) : cost;
    if (now <= cost * (1 + heat * dsm__exponential_gap(&n->random, 1))) {
      cost = now;
      keep_best(n);
    } else {
      undo(n);
    }
  }
}

/* ---- all of it ---- */

static bool reserve(annealer *n, dsm__arena *arena) {
  const dsm_instance *const instance = n->a->instance;
  const size_t most = instance->task_count + instance->device_count;
  return DSM__RESERVE(arena, n->kept, instance->task_count) &&
         DSM__RESERVE(arena, n->best, instance->task_count) &&
         DSM__RESERVE(arena, n->moved, instance->task_count + 2) &&
         DSM__RESERVE(arena, n->order, most) &&
         DSM__RESERVE(arena, n->busy, instance->device_count) &&
         DSM__RESERVE(arena, n->room, instance->device_count);
}

dsm__found dsm__assignment_search(dsm__assignment *a, dsm__arena *arena, dsm__is_over *is_over,
                                  void *context) {
  annealer n = {.a = a, .random = 1};
  if (!reserve(&n, arena)) {
    return DSM__FOUND_NO_MEMORY;
  }
  for (size_t i = 0; i < a->instance->task_count; i++) {
    n.need += dsm__task_need(a->instance, a->options, i, 0);
  }
  const double cost = begin(&n);
  if (a->instance->device_count > 1) {
    anneal(&n, cost, is_over, context);
  }
  if (!n.has_best) {
    return DSM__FOUND_NOTHING;
  }
  for (size_t i = 0; i < a->instance->task_count; i++) {
    a->device_of[i] = n.best[i];
  }
  dsm__assignment_count(a);
  const bool is_good = dsm__assignment_is_allowed(a) && isfinite(dsm__assignment_value(a));
  return is_good ? DSM__FOUND_ONE : DSM__FOUND_NOTHING;
}
