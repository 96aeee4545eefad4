/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whole_requests.c: the most that requests reach which run each task on one device.
 *
 * A way gives each task to a device that stores it. With a_kr the part of a second for which a
 * request on way k occupies r, a device or a carrier of transfers, the programme is: maximise sum_k
 * z_k subject to sum_k a_kr z_k <= 1. There are very many ways, but an optimum uses at most two a
 * device, and the simplex method asks of all others only for the cheapest at prices y_r: one below
 * 1 enters, and where there is none the value is optimal, since y is then a solution of the dual.
 * The cheapest way is looked for task by task, and left as soon as it cannot be below the best.
 * What the tasks behind cost at least is known for each device of the ones before: of a task's
 * inputs one is looked at, so that these make trees, whose cheapest ways are sums. A way that takes
 * each task to where that promises the least is tried first.
 *
 * A limit L of latency is a row of its own, sum_k z_k (l_k / L - 1) <= 0 with l_k the seconds of
 * way k: all requests together take no longer than as many limits.
 *
 * Where that takes more steps than are worth it nothing is known, and nothing is said.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag_add.h"
#include "partition/dispatch_engine.h"
#include "partition/instance_facts.h"
#include "partition/whole_requests.h"

enum { STEPS_MAX = 2000000, PIVOTS_MAX = 2000, ROWS_MAX = 1000 };

/* What is closer to 0, or to a price of 1, than this is rounding. */
static const double rounding = 1e-9;
/* A way that is so much cheaper than 1 enters, without a look for the cheapest. */
static const double good_enough = 1e-4;

typedef struct solver {
  const dsm_partition *partition;
  const dsm_instance *instance;
  dsm__dispatch_graph graph;
  size_t row_count;   /* devices, then carriers: links out of them first; then the latency */
  size_t latency_row; /* row_count: requests may take any time */
  size_t steps_left;
  /* the simplex method, by rows of the basis */
  double *inverse; /* of the basis */
  double *values;
  double *columns;  /* a_kr of the ways in the basis */
  uint8_t *ways;    /* devices of their tasks */
  double *profits;  /* 1 for a way, 0 for what is left of a resource */
  double *prices;   /* y_r */
  double *entering; /* a_kr */
  double *direction;
  /* the cheapest way */
  size_t *devices; /* of each task */
  size_t *cheapest;
  size_t *cursors;    /* next candidate of each task */
  double *costs;      /* of tasks before */
  double *costs_here; /* [i * m + j]: own_cost */
  size_t *guides;     /* of a task: the largest input whose first consumer it is, or tensor_count */
  double *reached;    /* [i * m + a]: least of a task's tree where its guide is made on a */
  double *below;      /* [i * m + j]: of the trees of those that it guides, if it runs on j */
  double *rests;      /* of trees behind the tasks before, at least */
  size_t *uses;       /* of a tensor and a device: consumers there */
} solver;

static bool reserve(solver *s, dsm__arena *arena) {
  const size_t rows = s->row_count;
  const size_t tasks = s->instance->task_count;
  return DSM__RESERVE(arena, s->inverse, rows * rows) &&
         DSM__RESERVE(arena, s->columns, rows * rows) && DSM__RESERVE(arena, s->values, rows) &&
         DSM__RESERVE(arena, s->ways, rows * tasks) && DSM__RESERVE(arena, s->profits, rows) &&
         DSM__RESERVE(arena, s->prices, rows) && DSM__RESERVE(arena, s->entering, rows) &&
         DSM__RESERVE(arena, s->direction, rows) && DSM__RESERVE(arena, s->devices, tasks) &&
         DSM__RESERVE(arena, s->cheapest, tasks) && DSM__RESERVE(arena, s->cursors, tasks + 1) &&
         DSM__RESERVE(arena, s->costs, tasks + 1) && DSM__RESERVE(arena, s->guides, tasks) &&
         DSM__RESERVE(arena, s->costs_here, tasks * s->instance->device_count) &&
         DSM__RESERVE(arena, s->reached, tasks * s->instance->device_count) &&
         DSM__RESERVE(arena, s->below, tasks * s->instance->device_count) &&
         DSM__RESERVE(arena, s->rests, tasks + 1) &&
         DSM__RESERVE(arena, s->uses, s->instance->tensor_count * s->instance->device_count + 1);
}

static bool has_limit(const solver *s) {
  return s->latency_row < s->row_count;
}

/* Of a second in parts of the limit of latency. */
static double part_of_limit(const solver *s) {
  return 1 / s->partition->options.latency_limit_seconds;
}

/* ---- the cheapest way ---- */

/* What a second of a request costs. */
static double latency_price(const solver *s) {
  return has_limit(s) ? s->prices[s->latency_row] * part_of_limit(s) : 0;
}

/* Requests that are sent together: those of the device that sends, or gets the input. */
static double batch_of(const solver *s, size_t from, size_t to) {
  return dsm_instance_batch(s->instance, from < s->instance->device_count ? from : to);
}

/* What a transfer costs; device_count is the world outside. Of plain routes nothing comes in from
 * there, and only links have a price. */
static double moving_cost(const solver *s, size_t from, size_t to, double bytes) {
  const dsm__way way = dsm__way_between(&s->graph.routes, from, to);
  double cost =
      latency_price(s) * batch_of(s, from, to) * dsm__way_seconds(&s->graph.routes, way, bytes);
  for (size_t h = 0; bytes > 0 && h < way.hop_count; h++) {
    cost += s->prices[s->instance->device_count + way.hops[h].carrier] *
            dsm__hop_seconds(&s->graph.routes, &way.hops[h], bytes);
  }
  return cost;
}

/* What a task costs on a device by itself: its time, and that in which its part of the request's
 * input comes and its results leave. */
static double own_cost(const solver *s, size_t task, size_t device) {
  const dsm_instance *const instance = s->instance;
  const bool leaves = dsm__leaves(instance, &s->partition->options, task);
  const double bytes = leaves ? dsm__result_bytes(instance, task, device) : 0;
  const double price = s->prices[device] + latency_price(s) * dsm_instance_batch(instance, device);
  return price * dsm_instance_seconds(instance, task, device) +
         moving_cost(s, device, instance->device_count, bytes) +
         moving_cost(s, instance->device_count, device,
                     dsm__input_bytes(&s->graph.routes, task, device));
}

/* A tensor is charged to the first of its consumers to be placed, and to that alone. */
static void find_guides(solver *s) {
  const dsm_instance *const instance = s->instance;
  const dsm__lists *const inputs = &s->graph.inputs;
  for (size_t i = 0; i < instance->task_count; i++) {
    double largest = -1;
    s->guides[i] = instance->tensor_count;
    for (size_t n = inputs->first[i]; n < inputs->first[i + 1]; n++) {
      const dsm_tensor *const tensor = &instance->tensors[inputs->items[n]];
      if (tensor->consumers[0] == i && tensor->bytes > largest) {
        largest = tensor->bytes;
        s->guides[i] = inputs->items[n];
      }
    }
  }
}

/* Where a task goes from the device of its guide (device_count: it has none), at least. */
static double least_of_tree(const solver *s, size_t task, size_t from) {
  const dsm__lists *const candidates = &s->graph.candidates;
  const size_t device_count = s->instance->device_count;
  const double bytes =
      from < device_count ? dsm_instance_tensor_bytes(s->instance, s->guides[task], from) : 0;
  double least = HUGE_VAL;
  for (size_t n = candidates->first[task]; n < candidates->first[task + 1]; n++) {
    const size_t j = candidates->items[n];
    const double moving = from < device_count && from != j ? moving_cost(s, from, j, bytes) : 0;
    least = fmin(least, s->costs_here[task * device_count + j] + moving +
                            s->below[task * device_count + j]);
  }
  return least;
}

/* Fills `below` and `reached`, from the last task on: those that a task guides stand behind it. */
static void find_trees(solver *s) {
  const dsm__lists *const candidates = &s->graph.candidates;
  const size_t device_count = s->instance->device_count;
  memset(s->below, 0, s->instance->task_count * device_count * sizeof *s->below);
  s->rests[0] = 0;
  for (size_t i = s->instance->task_count; i-- > 0;) {
    for (size_t n = candidates->first[i]; n < candidates->first[i + 1]; n++) {
      const size_t j = candidates->items[n];
      s->costs_here[i * device_count + j] = own_cost(s, i, j);
    }
    if (s->guides[i] == s->instance->tensor_count) {
      s->reached[i * device_count] = least_of_tree(s, i, device_count);
      s->rests[0] += s->reached[i * device_count];
      continue;
    }
    const size_t guide = s->instance->tensors[s->guides[i]].producer;
    for (size_t n = candidates->first[guide]; n < candidates->first[guide + 1]; n++) {
      const size_t from = candidates->items[n];
      s->reached[i * device_count + from] = least_of_tree(s, i, from);
      s->below[guide * device_count + from] += s->reached[i * device_count + from];
    }
  }
}

/* What is left of the trees when a task is on its device as well. */
static double rest_after(const solver *s, size_t task) {
  const size_t device_count = s->instance->device_count;
  const size_t from = s->guides[task] == s->instance->tensor_count
                          ? 0
                          : s->devices[s->instance->tensors[s->guides[task]].producer];
  return s->rests[task] - s->reached[task * device_count + from] +
         s->below[task * device_count + s->devices[task]];
}

/* Gives a task to a device; what that costs, its inputs included. A tensor is sent to a device
 * once. Producers stand before consumers, so that they have a device. */
static double place(solver *s, size_t task, size_t device) {
  const dsm_instance *const instance = s->instance;
  const dsm__lists *const inputs = &s->graph.inputs;
  double cost = s->costs_here[task * instance->device_count + device];
  for (size_t n = inputs->first[task]; n < inputs->first[task + 1]; n++) {
    const size_t tensor = inputs->items[n];
    const size_t from = s->devices[instance->tensors[tensor].producer];
    const bool is_first = s->uses[tensor * instance->device_count + device]++ == 0;
    if (from != device && is_first) {
      cost += moving_cost(s, from, device, dsm_instance_tensor_bytes(instance, tensor, from));
    }
  }
  s->devices[task] = device;
  return cost;
}

static void take_back(solver *s, size_t task) {
  const dsm__lists *const inputs = &s->graph.inputs;
  for (size_t n = inputs->first[task]; n < inputs->first[task + 1]; n++) {
    s->uses[inputs->items[n] * s->instance->device_count + s->devices[task]]--;
  }
}

static void use_up(solver *s, size_t steps) {
  s->steps_left -= steps < s->steps_left ? steps : s->steps_left;
}

/* Fills `cheapest` with a way that takes each task to where it and its trees cost least; its cost.
 */
static double follow_trees(solver *s) {
  const dsm__lists *const candidates = &s->graph.candidates;
  const size_t task_count = s->instance->task_count;
  double cost = 0;
  for (size_t i = 0; i < task_count; i++) {
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t n = candidates->first[i]; n < candidates->first[i + 1]; n++) {
      const size_t j = candidates->items[n];
      const double tried = place(s, i, j) + s->below[i * s->instance->device_count + j];
      take_back(s, i);
      if (tried < least) {
        least = tried;
        best = j;
      }
    }
    cost += place(s, i, best);
  }
  memcpy(s->cheapest, s->devices, task_count * sizeof *s->devices);
  for (size_t i = 0; i < task_count; i++) {
    take_back(s, i);
  }
  use_up(s, candidates->first[task_count]);
  return cost;
}

/* Fills `cheapest` with a way that costs less than `most`, and most of the time the least; false if
 * there is none, or if the steps are used up. */
static bool find_cheapest(solver *s, double most) {
  const dsm__lists *const candidates = &s->graph.candidates;
  const size_t task_count = s->instance->task_count;
  bool is_found = false;
  find_trees(s);
  const double promised = follow_trees(s);
  if (promised < most - good_enough) {
    return true;
  }
  size_t i = 0;
  s->costs[0] = 0;
  s->cursors[0] = candidates->first[0];
  for (; s->steps_left > 0; s->steps_left--) {
    if (i == task_count || s->cursors[i] == candidates->first[i + 1]) {
      if (i == task_count) {
        most = s->costs[i];
        is_found = true;
        memcpy(s->cheapest, s->devices, task_count * sizeof *s->devices);
      }
      if (i == 0) {
        return is_found;
      }
      take_back(s, --i);
      continue;
    }
    s->costs[i + 1] = s->costs[i] + place(s, i, candidates->items[s->cursors[i]++]);
    s->rests[i + 1] = rest_after(s, i);
    if (s->costs[i + 1] + s->rests[i + 1] < most) {
      i++;
      s->cursors[i] = i < task_count ? candidates->first[i] : 0;
    } else {
      take_back(s, i);
    }
  }
  return false;
}

static void carry(solver *s, size_t from, size_t to, double bytes) {
  const dsm__way way = dsm__way_between(&s->graph.routes, from, to);
  if (has_limit(s)) {
    s->entering[s->latency_row] +=
        part_of_limit(s) * batch_of(s, from, to) * dsm__way_seconds(&s->graph.routes, way, bytes);
  }
  for (size_t h = 0; bytes > 0 && h < way.hop_count; h++) {
    s->entering[s->instance->device_count + way.hops[h].carrier] +=
        dsm__hop_seconds(&s->graph.routes, &way.hops[h], bytes);
  }
}

/* a_kr of the cheapest way. */
static void occupy(solver *s) {
  const dsm_instance *const instance = s->instance;
  const size_t device_count = instance->device_count;
  memset(s->entering, 0, s->row_count * sizeof *s->entering);
  memset(s->uses, 0, instance->tensor_count * device_count * sizeof *s->uses);
  if (has_limit(s)) {
    s->entering[s->latency_row] = -1;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    const size_t j = s->cheapest[i];
    s->entering[j] += dsm_instance_seconds(instance, i, j);
    if (has_limit(s)) {
      s->entering[s->latency_row] +=
          part_of_limit(s) * dsm_instance_batch(instance, j) * dsm_instance_seconds(instance, i, j);
    }
    if (dsm__leaves(instance, &s->partition->options, i)) {
      carry(s, j, device_count, dsm__result_bytes(instance, i, j));
    }
    carry(s, device_count, j, dsm__input_bytes(&s->graph.routes, i, j));
    const dsm__lists *const inputs = &s->graph.inputs;
    for (size_t n = inputs->first[i]; n < inputs->first[i + 1]; n++) {
      const size_t tensor = inputs->items[n];
      const size_t from = s->cheapest[instance->tensors[tensor].producer];
      if (from != j && s->uses[tensor * device_count + j]++ == 0) {
        carry(s, from, j, dsm_instance_tensor_bytes(instance, tensor, from));
      }
    }
  }
  memset(s->uses, 0, instance->tensor_count * device_count * sizeof *s->uses);
}

/* ---- the simplex method ---- */

static void begin(solver *s) {
  for (size_t r = 0; r < s->row_count; r++) {
    s->inverse[r * s->row_count + r] = 1;
    s->values[r] = r == s->latency_row ? 0 : 1;
  }
}

static void find_prices(solver *s) {
  for (size_t r = 0; r < s->row_count; r++) {
    s->prices[r] = 0;
    for (size_t b = 0; b < s->row_count; b++) {
      s->prices[r] += s->profits[b] * s->inverse[b * s->row_count + r];
    }
  }
}

/* What enters: what is left of a resource whose price is below 0, else a way; false: nothing. */
static bool find_entering(solver *s, bool *is_way) {
  size_t lowest = 0;
  double sum = 0;
  for (size_t r = 0; r < s->row_count; r++) {
    lowest = s->prices[r] < s->prices[lowest] ? r : lowest;
    sum += fabs(s->prices[r]);
  }
  *is_way = !(s->prices[lowest] < -rounding * sum);
  if (!*is_way) {
    memset(s->entering, 0, s->row_count * sizeof *s->entering);
    s->entering[lowest] = 1;
    return true;
  }
  for (size_t r = 0; r < s->row_count; r++) {
    s->prices[r] = fmax(s->prices[r], 0);
  }
  const double bonus = has_limit(s) ? s->prices[s->latency_row] : 0;
  if (!find_cheapest(s, 1 + bonus - rounding)) {
    return false;
  }
  occupy(s);
  return true;
}

/* Exchanges a column of the basis for the one that enters; false if nothing limits it. */
static bool pivot(solver *s, bool is_way) {
  const size_t rows = s->row_count;
  size_t out = rows;
  for (size_t b = 0; b < rows; b++) {
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
      sum += s->inverse[b * rows + r] * s->entering[r];
    }
    s->direction[b] = sum;
  }
  double least = HUGE_VAL;
  for (size_t b = 0; b < rows; b++) {
    const double ratio = s->direction[b] > 0 ? s->values[b] / s->direction[b] : HUGE_VAL;
    if (ratio < least) {
      least = ratio;
      out = b;
    }
  }
  if (out == rows) {
    return false;
  }
  const double unit = s->direction[out];
  for (size_t b = 0; b < rows; b++) {
    const double factor = s->direction[b] / unit;
    s->values[b] = b == out ? least : fmax(s->values[b] - least * s->direction[b], 0);
    for (size_t r = 0; r < rows && b != out; r++) {
      s->inverse[b * rows + r] -= factor * s->inverse[out * rows + r];
    }
  }
  for (size_t r = 0; r < rows; r++) {
    s->inverse[out * rows + r] /= unit;
  }
  s->profits[out] = is_way ? 1 : 0;
  memcpy(&s->columns[out * rows], s->entering, rows * sizeof *s->entering);
  for (size_t i = 0; i < s->instance->task_count && is_way; i++) {
    s->ways[out * s->instance->task_count + i] = (uint8_t)s->cheapest[i];
  }
  return true;
}

/* Of all ways, before they are slowed down. */
static double sum_of_rates(const solver *s) {
  double rate = 0;
  for (size_t b = 0; b < s->row_count; b++) {
    rate += s->profits[b] * s->values[b];
  }
  return rate;
}

/* What the busiest device or carrier has to do in a second, at least 1: by so much all ways are
 * slowed down. */
static double busiest(const solver *s) {
  double most = 1;
  for (size_t r = 0; r < s->row_count; r++) {
    double occupied = 0;
    for (size_t b = 0; b < s->row_count; b++) {
      occupied += s->profits[b] * s->values[b] * s->columns[b * s->row_count + r];
    }
    if (r == s->latency_row) { /* slower requests are no faster: nothing mends it */
      most = occupied <= rounding * sum_of_rates(s) ? most : HUGE_VAL;
    } else {
      most = fmax(most, occupied);
    }
  }
  return most;
}

/* The prices are a solution of the dual but for a factor of 1 - rounding: what they add up to is a
 * bound. Where both agree the rate is the optimum, whatever was rounded on the way. */
static double solve(solver *s) {
  begin(s);
  bool is_way = false;
  find_prices(s);
  size_t pivots_left = PIVOTS_MAX;
  while (find_entering(s, &is_way)) {
    if (--pivots_left == 0 || !pivot(s, is_way)) {
      return 0;
    }
    find_prices(s);
  }
  double bound = 0;
  for (size_t r = 0; r < s->row_count; r++) {
    bound += r == s->latency_row ? 0 : s->prices[r];
  }
  const double rate = sum_of_rates(s) / busiest(s);
  return s->steps_left > 0 && bound <= rate * (1 + 1e-6) ? rate : 0;
}

/* The ways of the basis, in its order; false: out of memory. */
static bool hand_over(dsm__whole_requests *whole, dsm__arena *arena, const solver *s) {
  const size_t task_count = s->instance->task_count;
  const double slower = busiest(s);
  dsm_request_way *const ways = dsm__arena_array(arena, s->row_count, sizeof *ways);
  for (size_t b = 0; b < s->row_count && ways != NULL; b++) {
    const double rate = s->profits[b] * s->values[b] / slower;
    if (rate > 0) {
      uint8_t *const devices = dsm__arena_array(arena, task_count, sizeof *devices);
      if (devices == NULL) {
        return false;
      }
      memcpy(devices, &s->ways[b * task_count], task_count * sizeof *devices);
      ways[whole->way_count++] = (dsm_request_way){.rate = rate, .devices = devices};
    }
  }
  whole->ways = ways;
  return ways != NULL;
}

dsm_status dsm__whole_requests_find(dsm__whole_requests *whole, dsm__arena *scratch,
                                    dsm__arena *arena, const dsm_partition *partition,
                                    dsm_diags *diags) {
  *whole = (dsm__whole_requests){.rate = 0};
  solver s = {.partition = partition, .instance = partition->instance, .steps_left = STEPS_MAX};
  const dsm_status status =
      dsm__dispatch_graph_make(&s.graph, scratch, partition, DSM_DISPATCH_RATES, diags);
  if (status != DSM_OK) {
    return status;
  }
  const dsm__routes *const routes = &s.graph.routes;
  const size_t device_count = partition->instance->device_count;
  s.latency_row = device_count + (routes->is_plain ? device_count : routes->carrier_count);
  s.row_count = s.latency_row + (partition->options.latency_limit_seconds > 0 ? 1 : 0);
  if (s.row_count > ROWS_MAX) {
    return DSM_OK;
  }
  if (!reserve(&s, scratch)) {
    return dsm__out_of_memory(diags);
  }
  find_guides(&s);
  whole->rate = solve(&s);
  return hand_over(whole, arena, &s) ? DSM_OK : dsm__out_of_memory(diags);
}
