/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * capacity_bound.c: sets of devices, prices of their time, and the best bound of all.
 *
 * Why each set and each choice of prices gives a bound: multiply (1) of device j by its price and
 * add up. Then rho times what a request costs at these prices is at most the sum of the prices.
 * Each task costs at least its cheapest device, and one that is not stored on the set at least its
 * cheapest device outside. The tasks on the set fit into its memory together. So the cost of a
 * request is at least the least over all whole packings of that memory, which is a knapsack, and
 * the sum of the prices over that cost is a bound of rho. Every set and price is valid, so a search
 * that ends early or moves prices badly gives a weaker bound, never a wrong one (docs/partition.md,
 * whole tasks in limited room). Without it ResNet-50 on four devices of two kinds had a gap of 5.9
 * % in place of 0.46 after 5 s, by the relaxed knapsack alone of 3.0 %.
 */
#include "partition/capacity_bound.h"

#include <math.h>

#include "partition/instance_facts.h"

/* Sets are those of the first so many devices of each class of equal ones, at most SETS_MAX. Prices
 * are moved PRICE_STEPS times by the relaxed knapsack; with what was best then, whole tasks are
 * looked at for the WHOLE_MAX best sets. */
enum { SETS_MAX = 1024, PRICE_STEPS = 12, WHOLE_MAX = 6 };

/* Work of the relaxed knapsacks: sets * tasks * devices. */
static const double work_max = 4e6;

typedef struct candidate {
  double value;
  double *prices;
  bool *is_in_set;
} candidate;

typedef struct finder {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  size_t *class_of; /* [j]: the first device equal to j */
  bool *is_in_set;  /* [j] */
  double *prices;   /* [j] */
  double *loads;    /* [j]: seconds of a request at the relaxed optimum */
  size_t *inside;   /* [i]: cheapest device, if kept in the set */
  size_t *outside;  /* [i]: cheapest device outside, or device_count */
  double *rooms;    /* [j]: memory, scaled */
  double *needs;    /* [i]: scaled */
  dsm__knapsack knapsack;
  double base;     /* cost of what the knapsack does not decide */
  candidate found; /* for the set at hand */
  candidate best[WHOLE_MAX];
  size_t best_count;
} finder;

static bool is_throughput(const finder *f) {
  return f->options->objective == DSM_OBJECTIVE_THROUGHPUT;
}

/* What a task costs on a device. */
static double cost_of(const finder *f, size_t task, size_t device) {
  const double seconds = dsm_instance_seconds(f->instance, task, device);
  return f->prices[device] * seconds;
}

/* The cheapest device that can store the task; of all, or of those outside the set. */
static size_t cheapest(const finder *f, size_t task, bool is_outside) {
  const size_t device_count = f->instance->device_count;
  size_t best = device_count;
  for (size_t j = 0; j < device_count; j++) {
    if ((!is_outside || !f->is_in_set[j]) && dsm__task_can_run(f->instance, f->options, task, j) &&
        (best == device_count || cost_of(f, task, j) < cost_of(f, task, best))) {
      best = j;
    }
  }
  return best;
}

/* The knapsack of the set at these prices. An item is worth what it saves to keep a task on the set
 * in place of outside. A task that has no device outside must be kept, and takes its room first. A
 * task that needs no room, or is no dearer outside, is not decided: it costs its cheapest device
 * either way, since the cheapest of all is then the cheapest outside or takes nothing from others.
 * False: what must be kept does not fit, and the set gives no bound. */
static bool fill_knapsack(finder *f) {
  const dsm_instance *const instance = f->instance;
  double room = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    room += f->is_in_set[j] ? f->rooms[j] : 0;
  }
  f->base = 0;
  f->knapsack.item_count = 0;
  for (size_t i = 0; i < instance->task_count; i++) {
    const double need = f->needs[i];
    f->inside[i] = cheapest(f, i, false);
    f->outside[i] = cheapest(f, i, true);
    const double kept = cost_of(f, i, f->inside[i]);
    if (f->outside[i] == instance->device_count) {
      f->base += kept;
      room -= need;
      continue;
    }
    const double left = cost_of(f, i, f->outside[i]);
    if (need == 0 || left <= kept) {
      f->outside[i] = f->inside[i];
      f->base += kept;
      continue;
    }
    f->base += left;
    f->knapsack.items[f->knapsack.item_count++] = (dsm__item){
        .need = need, .worth = left - kept, .density = (left - kept) / need, .label = i};
  }
  f->knapsack.room = room;
  if (room < 0) {
    return false;
  }
  dsm__knapsack_order(&f->knapsack);
  return true;
}

/* The bound that follows from the cost of a request, in the objective. For latency the prices are 1
 * and the cost is the time itself. For energy they are the watts that work adds to idling, and the
 * required rate times the cost is added to what idles; that the time of devices is limited is left
 * out, which can only lower it. A device that can be turned off draws its idle power at least while
 * it works: that is what its work adds then. */
static double bound_of(const finder *f, double cost) {
  const dsm_instance *const instance = f->instance;
  double sum = 0;
  if (is_throughput(f)) {
    for (size_t j = 0; j < instance->device_count; j++) {
      sum += f->prices[j];
    }
    return cost > 0 ? sum / cost : HUGE_VAL;
  }
  if (f->options->objective == DSM_OBJECTIVE_LATENCY) {
    return cost;
  }
  for (size_t j = 0; j < instance->device_count && !dsm__can_turn_off(f->options); j++) {
    sum += instance->devices[j].idle_watts;
  }
  return sum + f->options->required_rho * cost;
}

static bool is_stricter(const finder *f, double a, double b) {
  return is_throughput(f) ? a < b : a > b;
}

/* Equal devices on the same side of the set share what one of them was given. The bound is concave
 * in the prices and does not change where the prices of such devices change places, so that their
 * mean is at least as good: equal devices need one price. Without this the first of them would be
 * given all, become dearer than the others, and prices would go to and fro. */
static void share_loads(finder *f) {
  const size_t device_count = f->instance->device_count;
  for (size_t first = 0; first < device_count; first++) {
    double sum = 0;
    size_t count = 0;
    bool is_first = true;
    for (size_t j = 0; j < device_count; j++) {
      if (f->class_of[j] == f->class_of[first] && f->is_in_set[j] == f->is_in_set[first]) {
        is_first = is_first && j >= first;
        sum += f->loads[j];
        count++;
      }
    }
    for (size_t j = first; j < device_count && is_first; j++) {
      if (f->class_of[j] == f->class_of[first] && f->is_in_set[j] == f->is_in_set[first]) {
        f->loads[j] = sum / (double)count;
      }
    }
  }
}

/* Seconds of a request on each device where the relaxed knapsack puts it. */
static void count_loads(finder *f, size_t split, double part) {
  const dsm_instance *const instance = f->instance;
  for (size_t j = 0; j < instance->device_count; j++) {
    f->loads[j] = 0;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    const size_t j = f->outside[i] == instance->device_count ? f->inside[i] : f->outside[i];
    f->loads[j] += dsm_instance_seconds(instance, i, j);
  }
  for (size_t k = 0; k < f->knapsack.item_count && k <= split; k++) {
    const size_t i = f->knapsack.items[k].label;
    const double moved = k < split ? 1 : part;
    f->loads[f->outside[i]] -= moved * dsm_instance_seconds(instance, i, f->outside[i]);
    f->loads[f->inside[i]] += moved * dsm_instance_seconds(instance, i, f->inside[i]);
  }
  share_loads(f);
}

/* Dearer where more is to be done. At the best prices all devices that have one are equally busy at
 * the relaxed optimum (it is the dual of the fastest split), so a device that is busier than the
 * mean becomes dearer by a factor and an idler one cheaper, in steps that shrink. No step has to
 * succeed: the best prices that were met are kept. */
static void move_prices(finder *f, int step) {
  const size_t device_count = f->instance->device_count;
  double mean = 0;
  double prices = 0;
  for (size_t j = 0; j < device_count; j++) {
    mean += f->prices[j] * f->loads[j];
    prices += f->prices[j];
  }
  mean /= prices;
  for (size_t j = 0; j < device_count && mean > 0; j++) {
    const double excess = fmin(fmax(f->loads[j] / mean - 1, -1), 1);
    f->prices[j] *= exp(excess / (1 + 0.3 * step));
  }
}

static void copy(const finder *f, candidate *to, const candidate *from) {
  to->value = from->value;
  for (size_t j = 0; j < f->instance->device_count; j++) {
    to->prices[j] = from->prices[j];
    to->is_in_set[j] = from->is_in_set[j];
  }
}

/* Keeps the set at hand, with its best prices, among the best. */
static void keep(finder *f) {
  size_t place = f->best_count < WHOLE_MAX ? f->best_count++ : WHOLE_MAX;
  while (place > 0 && is_stricter(f, f->found.value, f->best[place - 1].value)) {
    if (place < WHOLE_MAX) {
      copy(f, &f->best[place], &f->best[place - 1]);
    }
    place--;
  }
  if (place < WHOLE_MAX) {
    copy(f, &f->best[place], &f->found);
  }
}

/* Prices that begin as they are, moved; what they give by the relaxed knapsack. The relaxed
 * knapsack saves at least as much as the whole one, so its bound is weaker but valid, and it orders
 * sets and prices well enough to choose those that the whole one is solved for. */
static void price_set(finder *f) {
  const int steps = is_throughput(f) ? PRICE_STEPS : 1;
  for (int step = 0; step < steps; step++) {
    if (!fill_knapsack(f)) {
      return;
    }
    size_t split = 0;
    double part = 0;
    const double cost = f->base - dsm__knapsack_relaxed(&f->knapsack, &split, &part);
    const candidate now = {bound_of(f, cost), f->prices, f->is_in_set};
    if (is_stricter(f, now.value, f->found.value)) {
      copy(f, &f->found, &now);
    }
    if (is_throughput(f)) {
      count_loads(f, split, part);
      move_prices(f, step);
    }
  }
}

static void begin_prices(finder *f, bool is_inside_free) {
  for (size_t j = 0; j < f->instance->device_count; j++) {
    const dsm_instance_device *const it = &f->instance->devices[j];
    switch (f->options->objective) {
    case DSM_OBJECTIVE_THROUGHPUT:
    case DSM_OBJECTIVE_KIND_COUNT:
      f->prices[j] = is_inside_free && f->is_in_set[j] ? 0 : 1;
      break;
    case DSM_OBJECTIVE_LATENCY:
      f->prices[j] = 1;
      break;
    case DSM_OBJECTIVE_ENERGY:
      f->prices[j] = it->busy_watts - (dsm__can_turn_off(f->options) ? 0 : it->idle_watts);
      break;
    }
  }
}

static double nothing_known(const finder *f) {
  return is_throughput(f) ? HUGE_VAL : -HUGE_VAL;
}

/* Prices begin in two ways, as neither is better in general: all equal, and with the set for
 * nothing, where memory and not its time is what is short. */
static void try_set(finder *f) {
  f->found.value = nothing_known(f);
  begin_prices(f, false);
  price_set(f);
  if (is_throughput(f)) {
    begin_prices(f, true);
    price_set(f);
  }
  if (isfinite(f->found.value)) {
    keep(f);
  }
}

/* The next set: a device may enter when those of its class before it are in. Equal devices have
 * equal memory and equal times, so sets with as many of each class give the same bound, and one of
 * them is enough. A set with a device of unlimited memory holds every task and binds nothing, so
 * such devices never enter. False: that was the last. */
static bool next_set(finder *f) {
  const size_t device_count = f->instance->device_count;
  for (size_t first = 0; first < device_count; first++) {
    if (f->class_of[first] != first || !isfinite(f->instance->devices[first].memory_bytes)) {
      continue;
    }
    for (size_t j = first; j < device_count; j++) {
      if (f->class_of[j] == first && !f->is_in_set[j]) {
        f->is_in_set[j] = true;
        return true;
      }
    }
    for (size_t j = first; j < device_count; j++) {
      f->is_in_set[j] = f->is_in_set[j] && f->class_of[j] != first;
    }
  }
  return false;
}

static bool reserve_candidate(const finder *f, dsm__arena *arena, candidate *it) {
  return DSM__RESERVE(arena, it->prices, f->instance->device_count) &&
         DSM__RESERVE(arena, it->is_in_set, f->instance->device_count);
}

static bool reserve(finder *f, dsm__arena *arena) {
  const size_t device_count = f->instance->device_count;
  const size_t task_count = f->instance->task_count;
  f->class_of = dsm__arena_array(arena, device_count, sizeof *f->class_of);
  f->is_in_set = dsm__arena_array(arena, device_count, sizeof *f->is_in_set);
  f->prices = dsm__arena_array(arena, device_count, sizeof *f->prices);
  f->loads = dsm__arena_array(arena, device_count, sizeof *f->loads);
  f->inside = dsm__arena_array(arena, task_count, sizeof *f->inside);
  f->outside = dsm__arena_array(arena, task_count, sizeof *f->outside);
  bool is_done = f->class_of != NULL && f->is_in_set != NULL && f->prices != NULL &&
                 f->loads != NULL && f->inside != NULL && f->outside != NULL &&
                 DSM__RESERVE(arena, f->rooms, device_count) &&
                 DSM__RESERVE(arena, f->needs, task_count) &&
                 dsm__knapsack_reserve(&f->knapsack, arena, task_count);
  is_done = is_done && reserve_candidate(f, arena, &f->found);
  for (size_t k = 0; k < WHOLE_MAX && is_done; k++) {
    is_done = reserve_candidate(f, arena, &f->best[k]);
  }
  return is_done;
}

/*
 * Whole tasks for one of the best.
 *
 * A candidate has the prices that were best for the relaxed knapsack. With whole tasks less is
 * saved by the same prices, so that the bound becomes stricter, and never wrong.
 */
static void settle(finder *f, const candidate *it, double *bound) {
  candidate now = {it->value, f->prices, f->is_in_set};
  copy(f, &now, it);
  if (!fill_knapsack(f)) {
    return;
  }
  const double value = bound_of(f, f->base - dsm__knapsack_whole(&f->knapsack));
  *bound = is_stricter(f, value, *bound) ? value : *bound;
}

static void scale_memory(const finder *f) {
  double scales[DSM_DEVICES_MAX];
  dsm__memory_scales(scales, f->instance, f->options);
  for (size_t j = 0; j < f->instance->device_count; j++) {
    f->rooms[j] = f->instance->devices[j].memory_bytes / scales[j];
  }
  for (size_t i = 0; i < f->instance->task_count; i++) {
    f->needs[i] = dsm__scaled_need(f->instance, f->options, i, scales);
  }
}

bool dsm__capacity_bound_find(double *bound, dsm__arena *arena, const dsm_instance *instance,
                              const dsm_partition_options *options, dsm__is_over *is_over,
                              void *context) {
  finder f = {.instance = instance, .options = options};
  *bound = nothing_known(&f);
  if (!reserve(&f, arena)) {
    return false;
  }
  scale_memory(&f);
  for (size_t j = 0; j < instance->device_count; j++) {
    f.class_of[j] = j;
    for (size_t k = 0; k < j && f.class_of[j] == j; k++) {
      f.class_of[j] = dsm__devices_are_equal(instance, options, j, k) ? f.class_of[k] : j;
    }
  }
  const double places = (double)instance->task_count * (double)instance->device_count;
  const size_t set_max = (size_t)fmax(1, fmin(SETS_MAX, work_max / places));
  size_t set_count = 0;
  do {
    try_set(&f);
  } while (++set_count < set_max && !is_over(context) && next_set(&f));
  for (size_t k = 0; k < f.best_count && (k == 0 || !is_over(context)); k++) {
    settle(&f, &f.best[k], bound);
  }
  return true;
}
