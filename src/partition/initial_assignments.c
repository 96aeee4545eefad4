/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * initial_assignments.c: the best ways to cut the order of tasks into runs, one a device, as
 * answers and as a bound of stages; and filling up.
 *
 * A state is a set of devices and how many of the first tasks they run, each one run of them. The
 * best cut of a state ends in a run on one of its devices, before which stands the best of the
 * rest: what a run costs depends on its device, its begin and its end alone. Its tasks take their
 * times, and its link sends once each output that a task behind it reads, however many devices do,
 * and results. So the least over the last device and the last run's begin is the best of the state,
 * in 2^m m n^2 / 2 steps.
 *
 * On a chain the costs are those of the answer; in a graph some tensors go to several devices, so
 * that stages take no less: for throughput the least longest run is a bound, for latency the least
 * sum. Ports, ways in, inputs, cuts and groups only make answers worse. By pairs tensors may go
 * another way, so that a bound counts only results then.
 *
 * Where more than links out of devices carries transfers, the states of an answer also have the
 * last device, and what crosses into a run is counted by the way from there: 2^m m^2 n^2. What
 * several transfers do to a port together is not counted.
 */
#include "partition/assignment.h"

#include <math.h>
#include <stdint.h>

#include "partition/instance_facts.h"

/* Work is 2^devices * devices * tasks^2, and once more devices where ways matter. */
enum { SPLIT_DEVICES_MAX = 10, SPLIT_TASKS_MAX = 1000, INITIAL_MAX = 4 };
static const double split_work_max = 3e8;
/* Sums of needs are rounded; a bound must not miss what fits. */
static const double rounding = 1e-9;

/* What leaves a run: by its begin and end. */
typedef struct leaving {
  double bytes; /* as stated */
  double count;
} leaving;

/* What a task takes on a device, or several one after the other. */
typedef struct load {
  double seconds; /* infinite: it cannot run */
  double need;
  double come;  /* moving_cost of its input of the request; 0 where links are all that counts */
  double leave; /* of its results */
} load;

typedef struct splitter {
  const dsm_instance *instance;
  const dsm_partition_options *options;
  const dsm__routes *routes; /* NULL: a bound, for which links out of devices are all that counts */
  size_t ends;               /* last devices that states tell apart: 1 or m */
  double *cost;              /* [state]: best for the first tasks on a set of devices */
  uint16_t *from;            /* tasks before the last run */
  uint8_t *last;             /* device of the last run; where states have that, of the one before */
  leaving *leaves;           /* [begin * (n + 1) + end] */
  load *loads;               /* [j * n + i] */
} splitter;

static bool is_plain(const splitter *s) {
  return s->routes == NULL || s->routes->is_plain;
}

static size_t state_of(const splitter *s, size_t set, size_t last, size_t end) {
  return (set * s->ends + (s->ends > 1 ? last : 0)) * (s->instance->task_count + 1) + end;
}

static bool is_sum(const splitter *s) {
  return s->options->objective == DSM_OBJECTIVE_LATENCY;
}

/* What counts of a request on a device: for latency those that are run together with it too. */
static double weight(const splitter *s, size_t device) {
  return is_sum(s) ? dsm_instance_batch(s->instance, device) : 1;
}

/* Outputs of tasks from `begin` on that one from `end` on reads. */
static void count_leaving(splitter *s) {
  const dsm_instance *const instance = s->instance;
  const size_t n = instance->task_count;
  const bool may_go_elsewhere = s->routes == NULL && instance->pair_count > 0;
  for (size_t t = 0; t < instance->tensor_count && !may_go_elsewhere; t++) {
    const dsm_tensor *const it = &instance->tensors[t];
    const size_t last = it->consumers[it->consumer_count - 1];
    for (size_t end = it->producer + 1; end <= last && it->bytes > 0; end++) {
      leaving *const own = &s->leaves[it->producer * (n + 1) + end];
      own->bytes += it->bytes;
      own->count += 1;
    }
  }
  for (size_t begin = n; begin-- > 1;) {
    for (size_t end = begin + 1; end <= n; end++) {
      const leaving *const behind = &s->leaves[begin * (n + 1) + end];
      leaving *const all = &s->leaves[(begin - 1) * (n + 1) + end];
      all->bytes += behind->bytes;
      all->count += behind->count;
    }
  }
}

/* So many transfers over the link out of a device. */
static double sending_cost(const splitter *s, size_t device, leaving sent) {
  const dsm_instance_device *const it = &s->instance->devices[device];
  const double fixed = it->transfer_seconds / dsm_instance_batch(s->instance, device);
  return weight(s, device) * (sent.count * fixed + sent.bytes / it->link_bytes_per_second);
}

/* Of so many transfers the time on the slowest carrier, or for latency from end to end. */
static double moving_cost(const splitter *s, size_t from, size_t to, leaving moved) {
  const dsm__way way = dsm__way_between(s->routes, from, to);
  double fixed = 0;
  double longest = 0;
  for (size_t h = 0; h < way.hop_count && moved.bytes > 0; h++) {
    const double seconds = dsm__hop_seconds(s->routes, &way.hops[h], moved.bytes) +
                           (moved.count - 1) * way.hops[h].transfer_seconds;
    longest = fmax(longest, seconds);
    fixed += way.hops[h].transfer_seconds;
  }
  return is_sum(s) ? weight(s, from < s->instance->device_count ? from : to) *
                         (dsm__way_seconds(s->routes, way, moved.bytes) + (moved.count - 1) * fixed)
                   : longest;
}

static load load_of(const splitter *s, size_t task, size_t device) {
  const dsm_instance *const instance = s->instance;
  const size_t outside = instance->device_count;
  load made = {.seconds = weight(s, device) * dsm_instance_seconds(instance, task, device),
               .need = dsm__task_need(instance, s->options, task, device)};
  const bool leaves = dsm__leaves(instance, s->options, task);
  const double bytes = leaves ? dsm__result_bytes(instance, task, device) : 0;
  const leaving results = {bytes, bytes > 0 ? 1 : 0};
  if (is_plain(s)) {
    made.leave = sending_cost(s, device, results);
  } else {
    const leaving input = {dsm__input_bytes(s->routes, task, device), 1};
    made.come = moving_cost(s, outside, device, input);
    made.leave = moving_cost(s, device, outside, results);
  }
  return made;
}

static bool begin_split(splitter *s, dsm__arena *arena) {
  const size_t n = s->instance->task_count;
  const size_t m = s->instance->device_count;
  const size_t states = ((size_t)1 << m) * s->ends * (n + 1);
  if (!DSM__RESERVE(arena, s->cost, states) || !DSM__RESERVE(arena, s->from, states) ||
      !DSM__RESERVE(arena, s->last, states) || !DSM__RESERVE(arena, s->loads, n * m) ||
      !DSM__RESERVE(arena, s->leaves, (n + 1) * (n + 1))) {
    return false;
  }
  count_leaving(s);
  for (size_t k = 0; k < n * m; k++) {
    s->loads[k] = load_of(s, k % n, k / n);
  }
  return true;
}

/* A run with one task more at its end. False: it does not fit, nor does any longer one. */
static bool add_task(const splitter *s, load *run, size_t task, size_t device) {
  const load *const it = &s->loads[device * s->instance->task_count + task];
  const double room = s->instance->devices[device].memory_bytes;
  run->seconds += it->seconds;
  run->need += it->need;
  run->come += it->come;
  run->leave += it->leave;
  return isfinite(run->seconds) && run->need <= room * (s->routes == NULL ? 1 + rounding : 1);
}

/* Time, or for latency the sum of times, but for what comes from a run before. */
static double run_cost(const splitter *s, const load *run, size_t begin, size_t end,
                       size_t device) {
  leaving sent = s->leaves[begin * (s->instance->task_count + 1) + end];
  sent.bytes *= dsm_instance_element_ratio(s->instance, device);
  const double leave = run->leave + (is_plain(s) ? sending_cost(s, device, sent) : 0);
  return is_sum(s) ? run->seconds + run->come + leave : fmax(run->seconds, fmax(run->come, leave));
}

/* The state becomes one that ends in this run, if better. */
static void offer(splitter *s, size_t state, double rest, double run, size_t begin, size_t last) {
  const double cost = is_sum(s) ? rest + run : fmax(rest, run);
  if (cost < s->cost[state]) {
    s->cost[state] = cost;
    s->from[state] = (uint16_t)begin;
    s->last[state] = (uint8_t)last;
  }
}

/* After each device that may have run the tasks before. */
static void offer_ways(splitter *s, size_t state, size_t before, size_t begin, size_t device,
                       double run) {
  if (begin == 0) {
    offer(s, state, 0, run, 0, device);
  }
  for (size_t k = 0; k < s->instance->device_count && begin > 0; k++) {
    const double rest = (before >> k & 1) != 0 ? s->cost[state_of(s, before, k, begin)] : HUGE_VAL;
    if (rest < s->cost[state]) {
      leaving crossing = s->leaves[begin]; /* of all tasks before */
      crossing.bytes *= dsm_instance_element_ratio(s->instance, k);
      const double come = moving_cost(s, k, device, crossing);
      offer(s, state, rest, is_sum(s) ? run + come : fmax(run, come), begin, k);
    }
  }
}

/* Last runs on a device of the set. Sets are visited in the order of their numbers: a set without
 * one of its devices is a smaller number, and is complete. */
static void extend(splitter *s, size_t set, size_t device) {
  const size_t before = set & ~((size_t)1 << device);
  for (size_t begin = 0; begin < s->instance->task_count; begin++) {
    const double rest = s->cost[state_of(s, before, 0, begin)];
    load run = {0};
    for (size_t end = begin + 1;
         end <= s->instance->task_count && (s->ends > 1 || isfinite(rest)) &&
         add_task(s, &run, end - 1, device);
         end++) {
      const size_t state = state_of(s, set, device, end);
      const double cost = run_cost(s, &run, begin, end, device);
      if (is_plain(s)) {
        offer(s, state, rest, cost, begin, device);
      } else {
        offer_ways(s, state, before, begin, device, cost);
      }
    }
  }
}

/* A set of devices, and the last of them where states tell that. */
typedef struct split_end {
  size_t set;
  size_t last;
} split_end;

/* The best of all tasks; its cost is infinite: there is none. */
static split_end find_best(splitter *s) {
  const size_t n = s->instance->task_count;
  split_end best = {0, 0};
  for (size_t set = 0; set < (size_t)1 << s->instance->device_count; set++) {
    for (size_t k = 0; k < s->ends; k++) {
      for (size_t i = 0; i <= n; i++) {
        s->cost[state_of(s, set, k, i)] = i == 0 ? 0 : HUGE_VAL;
      }
    }
    for (size_t j = 0; j < s->instance->device_count; j++) {
      if ((set >> j & 1) != 0) {
        extend(s, set, j);
      }
    }
    for (size_t k = 0; k < s->ends; k++) {
      const bool is_better =
          s->cost[state_of(s, set, k, n)] < s->cost[state_of(s, best.set, best.last, n)];
      best = is_better ? (split_end){set, k} : best;
    }
  }
  return best;
}

/* The tasks of each run are stored on its device. False: there is no split. Without it 60 tasks on
 * 8 devices had a gap of 2.3 % in place of 0.37 after 5 s, and 20 on 6 took 3.7 s in place of 1.6.
 */
static bool split(splitter *s, bool *storage) {
  split_end at = find_best(s);
  if (!isfinite(s->cost[state_of(s, at.set, at.last, s->instance->task_count)])) {
    return false;
  }
  for (size_t end = s->instance->task_count; end > 0;) {
    const size_t state = state_of(s, at.set, at.last, end);
    const size_t here = is_plain(s) ? s->last[state] : at.last;
    for (size_t i = s->from[state]; i < end; i++) {
      storage[i * s->instance->device_count + here] = true;
    }
    end = s->from[state];
    at = (split_end){at.set & ~((size_t)1 << here), s->last[state]};
  }
  return true;
}

static size_t count_copies(const dsm_instance *instance, const bool *storage, size_t task) {
  size_t count = 0;
  for (size_t j = 0; j < instance->device_count; j++) {
    count += storage[task * instance->device_count + j] ? 1 : 0;
  }
  return count;
}

/*
 * Fills what memory is left of each device, first with what gives a byte the most work.
 *
 * Copies cost nothing but memory where throughput or energy counts: a task that is stored twice can
 * run on either device, and the linear programme says how often. What a byte makes possible is the
 * time that its task takes there. Where copies are limited no task gets more, and tasks that run
 * together get none, as all of them would need one. Without it 60 tasks on 6 devices had a gap of
 * 3.75 % after 5 s, in place of 0.8 after 2.6.
 */
static void fill(const dsm_instance *instance, const dsm_partition_options *options,
                 bool *storage) {
  const size_t copies_max = dsm__copies_max(instance, options);
  for (size_t j = 0; j < instance->device_count; j++) {
    double spare = instance->devices[j].memory_bytes;
    for (size_t i = 0; i < instance->task_count; i++) {
      spare -=
          storage[i * instance->device_count + j] ? dsm__task_need(instance, options, i, j) : 0;
    }
    for (;;) {
      size_t best = instance->task_count;
      double most = -1;
      for (size_t i = 0; i < instance->task_count; i++) {
        const double need = dsm__task_need(instance, options, i, j);
        const double seconds = dsm_instance_seconds(instance, i, j);
        if (storage[i * instance->device_count + j] || !isfinite(seconds) || need > spare ||
            instance->tasks[i].group != NULL || count_copies(instance, storage, i) >= copies_max) {
          continue;
        }
        const double worth = seconds / (need + 1); /* work that a byte makes possible */
        if (worth > most) {
          most = worth;
          best = i;
        }
      }
      if (best == instance->task_count) {
        break;
      }
      storage[best * instance->device_count + j] = true;
      spare -= dsm__task_need(instance, options, best, j);
    }
  }
}

static bool is_small(const dsm_instance *instance, size_t ends) {
  const double tasks = (double)instance->task_count;
  const double devices = (double)instance->device_count;
  return instance->device_count <= SPLIT_DEVICES_MAX && instance->task_count <= SPLIT_TASKS_MAX &&
         ldexp(devices * tasks * tasks * (double)ends, (int)instance->device_count) <=
             split_work_max;
}

typedef struct list {
  bool *storages;
  size_t count;
} list;

/* Adds the last storage as it is, and filled up. */
static void add(list *made, const dsm_instance *instance, const dsm_partition_options *options) {
  const size_t places = instance->task_count * instance->device_count;
  bool *const storage = &made->storages[made->count++ * places];
  if (options->objective != DSM_OBJECTIVE_LATENCY && dsm__copies_max(instance, options) > 1) {
    bool *const filled = &made->storages[made->count++ * places];
    for (size_t k = 0; k < places; k++) {
      filled[k] = storage[k];
    }
    fill(instance, options, filled);
  }
}

bool dsm__make_initial_assignments(dsm__initial *initial, dsm__arena *arena,
                                   const dsm_instance *instance,
                                   const dsm_partition_options *options, const dsm__routes *routes,
                                   const size_t *device_of) {
  const size_t ends = routes->is_plain ? 1 : instance->device_count;
  const size_t places = instance->task_count * instance->device_count;
  list made = {.storages = dsm__arena_array(arena, INITIAL_MAX * places, sizeof *made.storages)};
  *initial = (dsm__initial){.storages = made.storages};
  if (made.storages == NULL) {
    return false;
  }
  if (is_small(instance, ends)) {
    splitter s = {.instance = instance, .options = options, .routes = routes, .ends = ends};
    if (!begin_split(&s, arena)) {
      return false;
    }
    if (split(&s, made.storages)) {
      add(&made, instance, options);
    }
  }
  for (size_t i = 0; i < instance->task_count && device_of != NULL; i++) {
    made.storages[made.count * places + i * instance->device_count + device_of[i]] = true;
  }
  if (device_of != NULL) {
    add(&made, instance, options);
  }
  initial->storage_count = made.count;
  return true;
}

bool dsm__stage_bound_find(double *seconds, dsm__arena *arena, const dsm_instance *instance,
                           const dsm_partition_options *options) {
  splitter s = {.instance = instance, .options = options, .ends = 1};
  *seconds = 0;
  if (!options->is_staged || options->objective == DSM_OBJECTIVE_ENERGY || !is_small(instance, 1)) {
    return true;
  }
  if (!begin_split(&s, arena)) {
    return false;
  }
  const double least = s.cost[state_of(&s, find_best(&s).set, 0, instance->task_count)];
  *seconds = isfinite(least) ? least : 0;
  return true;
}
