/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_bounds.c: bounds of a case that know its slowest stage, and relayouts.
 *
 * With m_j for a micro-batch and O_j once a step of stage j, a schedule takes S + g_j m_j at least
 * (makespan.c), and n m_j beside what the stages before take for a micro-batch, as the first comes
 * and the last goes back through these. So for each j a step takes
 *
 *     S + g_j m_j + O_j          and          m_0 + .. + m_(j - 1) + n m_j + O_j
 *
 * Both are paths through the outline of the graph of roles (role_outline.c) on which the layers of
 * stage j weigh more. The latency of a sum of gradients is paid once by the layers of a stage that
 * are in it, and is the largest that one of them has. Each has a share c in what it takes once: for
 * k layers and a largest latency of L, with no dearer option, (1 - k c) L more is no more than
 * that. L is looked at in groups of latencies that are nearly the same, with the least of the
 * group.
 *
 * Of v runs the largest stage takes x, and the step n x + (S - x) / v + O_j, which grows with x: no
 * less than with the stage that has any one segment, and than the mean, (a n S + O) / p. Where
 * gradients of weights fill the waiting that is so with n x + O_j: a part of 0 in place of 1 / v.
 * And with c_j and h_j as in add_handed() no stage takes more than
 *
 *     (n - 1 / v) (c_j + h_j) + O_j <= step - S / v - sum(h) / v^2
 *
 * so that with what each segment takes at least, on any path, there must be a cut that gives no
 * stage more (stage_deal.c): where blocks have several segments that alternate, and a stage has
 * every p-th of them, the slowest stage is far from the mean.
 *
 * A step within a limit has no layer with an option that alone, on its cheapest path, is over it:
 * O_j is no less than what one layer of the stage takes, with the whole latency. What is left makes
 * paths dearer, until no more falls out.
 */
#include "search/stages/stage_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/chip_link.h"
#include "plan/makespan.h"
#include "search/roles/role_outline.h"
#include "search/stages/stage_deal.h"

enum { GROUPS_MAX = 8 };

/* Stages of which the largest latency that a layer has is between two. */
typedef struct latency_group {
  double least;
  double most;
  dsm__role_outline outline; /* without options that have more */
} latency_group;

typedef struct cutting {
  const dsm__stage_case *of;
  const size_t *segments;
  size_t segment_count;
  const dsm__problem *problem;
  double charged; /* of latency that is shared, by each layer */
  dsm__role_outline outline;
  latency_group groups[GROUPS_MAX];
  size_t group_count;
  double **handed; /* over, where a segment begins, by each state before it, there and back */
  double **added;  /* of that, less what each is sure to cost: what is below nothing */
  double *least;   /* of each such place, and room to sort them */
  double sure;     /* of a place where a run begins, */
  double ends;     /* and of the first and the last of them, once more, by the stages at the ends */
  double *taken;   /* by segments before each, at least; */
  double *at;      /* paths in each stage, by group and state */
  double *given;   /* handed over at each, there or back, */
  double *round;   /* and how much more where a round begins; */
  double *further; /* of one micro-batch */
  bool is_good;    /* false: out of memory */
} cutting;

static size_t layer_of(const cutting *c, size_t segment) {
  return segment < c->segment_count ? c->segments[segment]
                                    : c->problem->inputs.workload->layer_count;
}

/* g_j */
static double waited(const cutting *c, size_t j) {
  const size_t n = (size_t)c->of->micro_batches;
  const double kept = (double)dsm__stored_micro_batches(false, c->of->of->stages.count, j, n);
  return (double)n - (1 + kept) / 2;
}

static size_t sharers_in(const cutting *c, size_t first, size_t end) {
  const dsm_layer *const layers = c->problem->inputs.workload->layers;
  size_t count = 0;
  for (size_t i = layer_of(c, first); i < layer_of(c, end); i++) {
    count += layers[i].has_update && layers[i].weight_elements > 0 ? 1 : 0;
  }
  return count;
}

/* ---- handing over ---- */

/*
 * Of all places where segments begin k have a run begin there, and h_s is handed over, there and
 * back; at the others nothing is. For any u that is
 *
 *     sum(h_s) >= k u + sum over all places of min(0, h_s - u)
 *
 * which a path can count wherever it is cut. At its best u is the k-th of them. The first stage and
 * the last one hand over what is at their only border twice, and where a round of runs begins
 * behind another it comes from the last stage.
 *
 * To S belongs `part` of it. One run of each stage: all. Of v runs, with c_j of stage j's own and
 * h_j handed over, the largest takes x = c + h, and the step
 *
 *     n x + (sum(c_j + h_j / v) - (c + h / v)) / v >= (n - 1 / v) x + sum(c_j + h_j / v) / v
 *                                                  >= (n / p + (1 / v - 1 / p) / v) sum(h_j) + ..
 *
 * where the rest is what it is of S, since x is no less than the mean.
 */
static void add_handed(cutting *c, size_t runs, double part) {
  const size_t begun = c->of->of->stages.count * runs - 1;
  const size_t count = c->segment_count - 1;
  const bool are_known =
      dsm__stage_case_is_1f1b(c->of, runs) && begun == count; /* a run begins everywhere */
  double most = 0;
  double first = HUGE_VAL;
  double last = HUGE_VAL;
  for (size_t s = 1; s <= count; s++) {
    c->least[s - 1] = HUGE_VAL;
    for (size_t k = 0; k < c->outline.state_count; k++) {
      c->least[s - 1] = fmin(c->least[s - 1], c->handed[s][k]);
      most = fmax(most, c->handed[s][k]);
    }
    first = s + begun <= count + 1 ? fmin(first, c->least[s - 1]) : first;
    last = s >= begun ? fmin(last, c->least[s - 1]) : last;
  }
  c->ends = (are_known ? 0 : (first + last) / 2) + 2 * c->of->hand_round * (double)(runs - 1);
  qsort(c->least, count, sizeof c->least[0], dsm__order_numbers);
  c->sure = part * (begun == count ? most : c->least[begun - 1]);
  for (size_t s = 1; s <= count; s++) {
    for (size_t k = 0; k < c->outline.state_count; k++) {
      const double ends = are_known ? (s == 1 ? 0.5 : 0) + (s == count ? 0.5 : 0) : 0;
      c->added[s][k] = part * ends * c->handed[s][k] + fmin(0, part * c->handed[s][k] - c->sure);
    }
    c->outline.added[c->segments[s]] = c->added[s];
  }
}

/* What is handed over of a layer's output by a state behind it, which tells where it is whole. */
static double handed_by(const cutting *c, size_t layer, unsigned state) {
  const dsm__problem *const problem = c->problem;
  const unsigned axes = problem->machine.system->system.axis_count;
  dsm_roles roles = {{DSM__ROLE_DEFAULT}};
  for (unsigned a = 0; a < axes; a++) {
    const bool is_whole = !dsm__outline_is_inside(state, a) &&
                          dsm__outline_outer(state, a) == (unsigned)DSM_LAYOUT_WHOLE;
    roles.of[a] = dsm__role_lying(is_whole ? DSM_LAYOUT_WHOLE : DSM_LAYOUT_SAMPLES);
  }
  const dsm_workload *const micro = problem->inputs.workload;
  const dsm_boundary boundary = dsm__boundary_derive(
      &micro->layers[layer], &problem->machine, problem->inputs.precision, micro->minibatch,
      c->of->of->stages.axis, 1, dsm_parallelism_of(&roles, axes));
  return dsm_group_cycles(&problem->machine, &boundary.shift) +
         dsm_group_cycles(&problem->machine, &boundary.gather);
}

static double shift_of(const cutting *c, size_t segment, size_t stages) {
  const dsm_workload *const micro = c->problem->inputs.workload;
  return dsm__stage_case_shift(c->of, c->problem, &micro->layers[c->segments[segment] - 1],
                               micro->minibatch, stages);
}

static bool find_handed(cutting *c) {
  dsm__arena *const arena = c->problem->arena;
  bool is_good = DSM__RESERVE(arena, c->handed, c->segment_count) &&
                 DSM__RESERVE(arena, c->added, c->segment_count) &&
                 DSM__RESERVE(arena, c->least, c->segment_count) &&
                 DSM__RESERVE(arena, c->taken, c->segment_count + 1) &&
                 DSM__RESERVE(arena, c->given, c->segment_count + 1) &&
                 DSM__RESERVE(arena, c->round, c->segment_count + 1) &&
                 DSM__RESERVE(arena, c->further, c->segment_count);
  for (size_t s = 1; s < c->segment_count && is_good; s++) {
    c->further[s] = shift_of(c, s, c->of->of->stages.count - 1) - shift_of(c, s, 1);
    is_good = DSM__RESERVE(arena, c->handed[s], c->outline.state_count) &&
              DSM__RESERVE(arena, c->added[s], c->outline.state_count);
    for (unsigned k = 0; k < c->outline.state_count && is_good; k++) {
      c->handed[s][k] = 2 * handed_by(c, c->segments[s] - 1, k);
    }
  }
  return is_good;
}

/* ---- cuts ---- */

/* Takes paths through the layers of a segment. Where a stage begins the relayout there is its own,
 * and that back is the one's before: such a one weighs no more than of any stage. */
static void pass_segment(const cutting *c, const dsm__role_outline *outline, size_t segment,
                         dsm__prices prices, double moved, double added, double *states) {
  double behind[DSM__OUTLINE_CODES];
  for (size_t i = layer_of(c, segment); i < layer_of(c, segment + 1); i++) {
    dsm__outline_pass(outline, i, &prices, i == layer_of(c, segment) ? moved : prices.micro, added,
                      states, behind);
    memcpy(states, behind, c->outline.state_count * sizeof behind[0]);
  }
}

/* The least of paths that go on with a part of what is least. */
static double least_of(const cutting *c, size_t segment, const double *states, double part) {
  const double *const behind = &c->outline.behind[layer_of(c, segment) * c->outline.state_count];
  double least = HUGE_VAL;
  for (size_t k = 0; k < c->outline.state_count; k++) {
    if (states[k] < HUGE_VAL) {
      least = fmin(least, states[k] + (part > 0 ? part * behind[k] : 0));
    }
  }
  return least;
}

static void begin(const cutting *c, size_t segment, double part, double *states) {
  for (size_t k = 0; k < c->outline.state_count; k++) {
    states[k] = part * c->outline.before[layer_of(c, segment) * c->outline.state_count + k];
  }
}

/* How many segments from one on stage j can have within a limit, up to `most`, where so many layers
 * share latency. */
static size_t reached(const cutting *c, size_t j, size_t first, size_t most, size_t sharers,
                      double limit) {
  const double n = (double)c->of->micro_batches;
  const double handed = 2 * c->of->hand_over;
  const double begun = (double)c->of->of->stages.count - 1;
  const double with_all = limit - c->ends - handed * waited(c, j) - c->sure * begun;
  const double own = c->ends > 0 ? n : n - 1; /* times: what ends hand over is on the path */
  const double with_first = limit - handed * own - c->sure * (double)j;
  const double more = sharers > 0 ? fmax(0, 1 / (double)sharers - c->charged) : 0;
  double all[DSM__OUTLINE_CODES];
  double before[DSM__OUTLINE_CODES];
  size_t count = 0;
  bool is_in = true;
  begin(c, first, 1, all);
  begin(c, first, 1, before);
  while (is_in && count < most) {
    pass_segment(c, &c->outline, first + count,
                 (dsm__prices){.micro = 1 + waited(c, j), .once = 1, .latency = more},
                 count == 0 ? 1 : 1 + waited(c, j), 1, all);
    pass_segment(c, &c->outline, first + count,
                 (dsm__prices){.micro = n, .once = 1, .latency = more}, count == 0 ? 1 : n,
                 count == 0 ? 1 : 0, before);
    is_in = least_of(c, first + count + 1, all, 1) <= with_all &&
            least_of(c, first + count + 1, before, 0) <= with_first;
    count += is_in ? 1 : 0;
  }
  return count;
}

/* The same, with no more that share than these segments have. */
static size_t most_within(const cutting *c, size_t j, size_t first, size_t most, double limit) {
  size_t sharers = SIZE_MAX;
  size_t count = most;
  while (count > 0 && sharers_in(c, first, first + count) < sharers) {
    sharers = sharers_in(c, first, first + count);
    count = reached(c, j, first, count, sharers, limit);
  }
  return count;
}

/* Each stage has as many segments as it can, and leaves one to each behind: no cut gets further, as
 * neither term is larger for a stage that begins later. */
static bool may_be_cut(const cutting *c, double limit) {
  const size_t stages = c->of->of->stages.count;
  size_t first = 0;
  size_t count = 1;
  for (size_t j = 0; j < stages && count > 0; j++) {
    count = most_within(c, j, first, c->segment_count - first - (stages - 1 - j), limit);
    first += count;
  }
  return first == c->segment_count;
}

/* Is the mean of stages within a limit, and each segment by itself? `share`: of the others' times,
 * what the step has of them. */
static bool may_be_run(const cutting *c, double share, double mean, double of_mean, double limit) {
  const double n = (double)c->of->micro_batches;
  double states[DSM__OUTLINE_CODES];
  begin(c, 0, 1, states);
  for (size_t s = 0; s < c->segment_count; s++) {
    pass_segment(c, &c->outline, s,
                 (dsm__prices){.micro = mean, .once = 1 / (double)c->of->of->stages.count}, mean,
                 mean, states);
  }
  bool is_in = least_of(c, c->segment_count, states, 0) <= of_mean;
  for (size_t s = 0; s < c->segment_count && is_in; s++) {
    begin(c, s, share, states);
    pass_segment(c, &c->outline, s, (dsm__prices){.micro = n, .once = 1}, share, 0, states);
    is_in = least_of(c, s + 1, states, share) <= limit;
  }
  return is_in;
}

/* Is there a cut that gives no stage more than is left of a limit? False if out of memory, which is
 * told. */
static bool may_be_dealt(cutting *c, size_t runs, double limit) {
  const double share = dsm__stage_case_share(c->of, runs);
  const dsm__prices own = {.micro = (double)c->of->micro_batches - share, .once = 1};
  const size_t states = c->outline.state_count;
  const double *const before = c->outline.before;
  double all = HUGE_VAL;
  for (size_t k = 0; k < states; k++) {
    all = fmin(all, before[c->problem->inputs.workload->layer_count * states + k]);
  }
  dsm__deal deal = {.stages = c->of->of->stages.count,
                    .runs = runs,
                    .count = c->segment_count,
                    .taken = c->taken,
                    .given = c->given,
                    .round = c->round,
                    .most =
                        limit - share * (all + share * dsm__stage_case_handed_once(c->of, runs))};
  c->taken[0] = c->given[0] = c->given[c->segment_count] = 0;
  for (size_t s = 0; s < c->segment_count; s++) {
    double paths[DSM__OUTLINE_CODES];
    double given = HUGE_VAL;
    for (size_t k = 0; k < states; k++) {
      paths[k] = before[layer_of(c, s) * states + k] < HUGE_VAL ? 0 : HUGE_VAL;
      given = s > 0 ? fmin(given, c->handed[s][k]) : 0;
    }
    pass_segment(c, &c->outline, s, own, 0, 0, paths);
    c->taken[s + 1] = c->taken[s] + least_of(c, s + 1, paths, 0);
    c->given[s] = own.micro * given / 2; /* there or back */
    c->round[s] = own.micro * c->further[s];
  }
  return dsm__may_be_dealt(&deal, &c->is_good);
}

/* May a step with so many runs be within a limit? */
static bool may_be_within(cutting *c, size_t runs, double limit) {
  const double stages = (double)c->of->of->stages.count;
  const double whole = fmax(0, 1 - c->charged);
  if (!dsm__stage_case_is_1f1b(c->of, runs)) {
    const double share = dsm__stage_case_share(c->of, runs);
    const double n = (double)c->of->micro_batches;
    const double mean = dsm__stage_case_factor(c->of, runs) * n / stages;
    const double handed = n / stages + (share - 1 / stages) * share;
    const dsm__outline_rule rule = {mean, {.once = 1, .latency = whole}};
    add_handed(c, runs, handed / mean);
    const double left = limit - handed * c->ends - mean * c->sure * (stages * (double)runs - 1);
    return dsm__outline_restrict(&c->outline, &rule, left) &&
           may_be_run(c, share, mean, left, limit - dsm__stage_case_handed(c->of, runs)) &&
           may_be_dealt(c, runs, limit);
  }
  const dsm__outline_rule rule = {
      1, {.micro = waited(c, 0), .once = 1, .latency = whole}}; /* where one waits least */
  add_handed(c, 1, 1);
  const double left =
      limit - c->ends - 2 * c->of->hand_over * waited(c, 0) - c->sure * (stages - 1);
  return dsm__outline_restrict(&c->outline, &rule, left) && may_be_cut(c, limit);
}

/* From one that is a bound on up to a limit, in steps that double, and then by halves. */
static double raised(cutting *c, size_t runs, double low, double limit) {
  static const double precision = 1e-3;
  double high = limit;
  double step = fmax(precision * low, precision * precision * limit);
  bool is_growing = true;
  if (low >= high || !may_be_within(c, runs, high)) {
    return fmax(low, high);
  }
  while (high - low > precision * high) {
    const double middle = is_growing ? fmin(low + step, high) : low + (high - low) / 2;
    const bool is_possible = may_be_within(c, runs, middle);
    high = is_possible ? middle : high;
    low = is_possible ? low : middle;
    step *= 2;
    is_growing = is_growing && !is_possible;
  }
  return low;
}

/* ---- all stages at a time ---- */

/* Opens a group of latencies below one, down to `floor` of the largest. */
static bool open_group(cutting *c, double below, double floor) {
  dsm__arena *const arena = c->problem->arena;
  latency_group *const group = &c->groups[c->group_count++];
  *group = (latency_group){.outline = c->outline};
  for (size_t i = 0; i < c->outline.layer_count; i++) {
    const dsm__outline_layer *const layer = c->outline.layers[i];
    for (size_t p = 0; p < layer->point_count; p++) {
      const double latency = layer->points[p].latency;
      group->most = latency < below ? fmax(group->most, latency) : group->most;
    }
  }
  group->least = floor * group->most;
  bool is_good = DSM__RESERVE(arena, group->outline.is_out, c->outline.layer_count);
  for (size_t i = 0; i < c->outline.layer_count && is_good; i++) {
    is_good = DSM__RESERVE(arena, group->outline.is_out[i], c->outline.layers[i]->point_count + 1);
  }
  return is_good;
}

/* Of latencies that differ by a little, and what is left. */
static bool find_groups(cutting *c) {
  static const double nearly = 0.95;
  double least = HUGE_VAL;
  bool is_good = true;
  while (is_good && least > 0) {
    is_good = open_group(c, least, c->group_count + 1 < GROUPS_MAX ? nearly : 0);
    least = c->groups[c->group_count - 1].least;
  }
  return is_good;
}

/* Options that have more are out of each group. */
static void part_by_latency(cutting *c) {
  for (size_t g = 0; g < c->group_count; g++) {
    latency_group *const group = &c->groups[g];
    for (size_t i = 0; i < c->outline.layer_count; i++) {
      const dsm__outline_layer *const layer = c->outline.layers[i];
      for (size_t p = 0; p < layer->point_count; p++) {
        group->outline.is_out[i][p] =
            c->outline.is_out[i][p] || layer->points[p].latency > group->most;
      }
    }
  }
}

/* Enters stage j with a segment, out of any group of the stage before; the first one at the start.
 */
static void enter_stage(const cutting *c, size_t j, size_t segment, double times, double *entered) {
  const size_t states = c->outline.state_count;
  const size_t groups = c->group_count;
  for (size_t k = 0; k < states; k++) {
    entered[k] = j == 0 && segment == 0 ? c->outline.before[k] : HUGE_VAL;
    for (size_t g = 0; j > 0 && segment > 0 && g < groups; g++) {
      entered[k] = fmin(entered[k], c->at[((j - 1) * groups + g) * states + k]);
    }
    entered[k] += segment > 0 ? times * c->handed[segment][k] : 0;
  }
}

/*
 * The least of all cuts and paths of the mean of what stages bound,
 *
 *     S + sum(g_j m_j + O_j) / p
 *
 * In it each stage has its own largest latency, and one path is of all of them: a stage that takes
 * less once, and so more for a micro-batch, has all others wait. A relayout where a stage begins
 * counts as it does where that is least.
 */
static double mean_of_stages(cutting *c) {
  const size_t stages = c->of->of->stages.count;
  const size_t states = c->outline.state_count;
  const double part = 1 / (double)stages;
  const double least_micro = 1 + part * waited(c, 0);
  double least = HUGE_VAL;
  for (size_t i = 0; i < stages * c->group_count * states; i++) {
    c->at[i] = HUGE_VAL;
  }
  for (size_t s = 0; s < c->segment_count; s++) {
    const double shared = part * c->charged * (double)sharers_in(c, s, s + 1);
    for (size_t j = s < stages ? s + 1 : stages; j-- > 0;) {
      const dsm__prices prices = {.micro = 1 + part * waited(c, j), .once = part};
      double entered[DSM__OUTLINE_CODES];
      enter_stage(c, j, s, least_micro, entered);
      for (size_t g = 0; g < c->group_count; g++) {
        const latency_group *const group = &c->groups[g];
        double *const at = &c->at[(j * c->group_count + g) * states];
        for (size_t k = 0; k < states; k++) {
          at[k] = fmin(at[k], entered[k] + part * group->least);
        }
        pass_segment(c, &group->outline, s, prices, least_micro, 0, at);
        for (size_t k = 0; k < states; k++) {
          at[k] -= shared * group->least;
        }
      }
    }
  }
  for (size_t k = 0; k < c->group_count * states; k++) {
    least = fmin(least, c->at[(stages - 1) * c->group_count * states + k]);
  }
  return least + c->ends;
}

/* States of all stages before all layers: more take longer than what they tell is worth. */
enum { MEAN_STATES_MAX = 1 << 22 };

/* The same, where a step within a limit takes more than is known. Where no latency is shared paths
 * through the graph of roles tell as much. */
static double raised_by_mean(cutting *c, double low, double limit) {
  const size_t states = c->of->of->stages.count * GROUPS_MAX * c->outline.state_count;
  if (!(low < limit) || !(c->charged < 1) || states > MEAN_STATES_MAX / c->outline.layer_count) {
    return low;
  }
  c->is_good = c->is_good && find_groups(c) && DSM__RESERVE(c->problem->arena, c->at, states);
  if (!c->is_good || !may_be_within(c, 1, limit)) {
    return low;
  }
  part_by_latency(c);
  return fmin(limit, fmax(low, mean_of_stages(c)));
}

/* What floors of more states take costs more than they tell. */
enum { STATES_MAX = 1 << 19 };

static dsm__cost point_of(const void *context, size_t layer_index, size_t whole, bool may_share) {
  const dsm__role_space *const space = context;
  const dsm__role_option *const option = &dsm__role_options_of(space, layer_index)->items[whole];
  (void)may_share;
  return isfinite(option->least_cost) && dsm__is_role_open(space, layer_index, option)
             ? dsm__role_cost_of(space, layer_index, option)
             : (dsm__cost){.micro = HUGE_VAL};
}

static bool find_outline(const dsm__problem *problem, dsm__role_outline *outline) {
  const size_t states = (size_t)2 << 3 * problem->machine.system->system.axis_count;
  const uint64_t micro_batches = problem->inputs.micro_batches;
  dsm__role_space space = {.problem = problem};
  const dsm__outline_source source = {&space, point_of,
                                      micro_batches > 0 ? (double)micro_batches : 1};
  *outline = (dsm__role_outline){.layer_count = 0};
  return problem->inputs.workload->layer_count + 1 > STATES_MAX / states ||
         (dsm__role_space_find(&space, false, false) &&
          dsm__role_outline_find(&space, &source, problem->arena, outline));
}

bool dsm__stage_bounds_raise(dsm__stage_case *of, const size_t *segments, size_t segment_count,
                             const dsm__problem *problem, double limit) {
  cutting c = {.of = of,
               .segments = segments,
               .segment_count = segment_count,
               .problem = problem,
               .charged = of->of->problem.reductions.shares[0],
               .is_good = true};
  if (!find_outline(problem, &c.outline) || !find_handed(&c)) {
    return false;
  }
  dsm__stage_case_count(of, problem);
  if (c.outline.layer_count > 0) {
    const size_t count = of->runs_most - of->runs_least + 1;
    size_t lowest = 0;
    for (size_t r = 1; r < count; r++) {
      lowest = of->bounds[r] < of->bounds[lowest] ? r : lowest;
    }
    of->head.bound = raised(&c, of->runs_least + lowest, of->bounds[lowest], limit);
    of->bounds[lowest] = of->head.bound;
    for (size_t r = 0; r < count; r++) { /* no higher: the least counts */
      of->bounds[r] = raised(&c, of->runs_least + r, of->bounds[r], of->head.bound);
      of->head.bound = fmin(of->head.bound, of->bounds[r]);
    }
    if (count == 1 && dsm__stage_case_is_1f1b(of, of->runs_least)) {
      of->bounds[0] = raised_by_mean(&c, of->bounds[0], limit);
      of->head.bound = of->bounds[0];
    }
  }
  return c.is_good;
}
