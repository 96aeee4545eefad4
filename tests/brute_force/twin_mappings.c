/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every mapping there is: layer by layer, a pipeline group or a factor, an output held or not and
 * how it is laid out, and the parallelisms of the three passes. A mapping that has begun is given
 * up only where it breaks a rule, needs more memory than there is, or is already slower than the
 * best complete one.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "twin_allot.h"
#include "twin_search.h"

typedef struct {
  twin_pricer pricer;
  twin_allotments allotments;
  bool is_plain; /* first round: passes alike and factor 1 only, for a first answer */
  twin_mapping current;
  twin_mapping best;
  double best_cycles;
  double smallest_need_bytes;
} search;

/* Of the layers decided so far. */
typedef struct {
  double cycles;
  double kept_bytes;
  double transient_bytes;
} prefix;

static void visit_layer(search *s, size_t layer, prefix so_far);

static void complete(search *s, const prefix total) {
  const twin_cost cost = twin_price(&s->pricer, &s->current);
  assert(twin_mapping_fault(&s->pricer.space, &s->current) == NULL);
  assert(total.cycles <= cost.cycles * (1 + 1e-9)); /* what layers share is not in it */
  (void)total;
  if (cost.fits && cost.cycles < s->best_cycles) {
    s->best_cycles = cost.cycles;
    s->best = s->current;
  }
}

static bool is_hopeless(const search *s, const prefix so_far) {
  return so_far.cycles > s->best_cycles ||
         !twin_fits(&s->pricer.space, so_far.kept_bytes + so_far.transient_bytes);
}

/* The parallelism of one pass of a layer, then those after it. */
static void visit_pass(search *s, const size_t layer, const twin_pass_kind pass,
                       const prefix so_far) {
  const twin_space *const space = &s->pricer.space;
  twin_decision *const decision = &s->current.layers[layer];
  const bool may_differ = twin_passes_may_differ(space) && !s->is_plain && pass != TWIN_FORWARD;
  for (int i = TWIN_DATA; i < TWIN_PARALLELISM_COUNT; i++) {
    if (pass != TWIN_FORWARD && !may_differ && i != (int)decision->parallelism[TWIN_FORWARD]) {
      continue;
    }
    decision->parallelism[pass] = (twin_parallelism)i;
    if (twin_layer_fault(space, &s->current, layer, pass) != NULL) {
      continue;
    }
    prefix next = so_far;
    if (pass == TWIN_FORWARD || !space->options.inference) {
      next.cycles += twin_price_pass(&s->pricer, &s->current, layer, pass);
      next.cycles += twin_price_boundary(&s->pricer, &s->current, layer, pass);
    }
    if (pass == TWIN_UPDATE) {
      next.kept_bytes +=
          twin_kept_bytes(&space->context, layer, decision->parallelism[TWIN_FORWARD]);
      if (decision->is_hoisted) {
        next.kept_bytes +=
            twin_hoisted_bytes(&space->context, layer, decision->parallelism[TWIN_FORWARD]);
      }
      next.transient_bytes =
          fmax(next.transient_bytes, twin_price_transient(&s->pricer, &s->current, layer));
    }
    if (is_hopeless(s, next)) {
      continue;
    }
    if (pass == TWIN_UPDATE) {
      visit_layer(s, layer + 1, next);
    } else {
      visit_pass(s, layer, (twin_pass_kind)(pass + 1), next);
    }
  }
}

/* Makes the layers of a group follow those decided so far; the group is the mapping's last. */
static void push_group(twin_mapping *mapping, const twin_allotment *allotment) {
  const twin_group *const group = &allotment->group;
  mapping->groups[mapping->group_count++] = *group;
  for (size_t i = 0; i < group->count; i++) {
    const twin_parallelism p = allotment->parallelism[i];
    twin_decision *const decision = &mapping->layers[group->first + i];
    *decision = (twin_decision){.parallelism = {p, p, p}, .factor = 1};
    memcpy(decision->fetches, allotment->fetching[i].passes, sizeof decision->fetches);
  }
}

static void visit_groups(search *s, const size_t layer, const prefix so_far) {
  for (size_t i = 0; i < s->allotments.count; i++) {
    const twin_allotment *const allotment = &s->allotments.items[i];
    const twin_group *const group = &allotment->group;
    if (group->first != layer) {
      continue;
    }
    push_group(&s->current, allotment);
    const prefix next = {
        .cycles = so_far.cycles + allotment->price.cycles,
        .kept_bytes = so_far.kept_bytes + allotment->price.kept_bytes,
        .transient_bytes = fmax(so_far.transient_bytes, allotment->price.transient_bytes),
    };
    if (twin_group_fault(&s->pricer.space, &s->current, group) == NULL && !is_hopeless(s, next)) {
      visit_layer(s, layer + group->count, next);
    }
    s->current.group_count--;
  }
}

/* Every layout of the output over the cores. */
static void visit_layouts(search *s, const size_t layer, const prefix so_far) {
  const size_t cores = (size_t)s->pricer.space.context.system->cores;
  const twin_decision decided = s->current.layers[layer];
  for (size_t features = 1; features <= cores; features++) {
    for (size_t positions = 1; features * positions <= cores; positions++) {
      if (cores % (features * positions) == 0) {
        s->current.layers[layer] = decided;
        s->current.layers[layer].parts = (twin_parts){.features = features,
                                                      .positions = positions,
                                                      .samples = cores / (features * positions)};
        visit_pass(s, layer, TWIN_FORWARD, so_far);
      }
    }
  }
}

/* An lstm with hoisted input products. */
static void visit_hoisted(search *s, const size_t layer, const prefix so_far) {
  if (twin_may_hoist(&s->pricer.space, layer)) {
    s->current.layers[layer] = (twin_decision){.factor = 1, .is_hoisted = true};
    visit_pass(s, layer, TWIN_FORWARD, so_far);
  }
}

static void visit_layer(search *s, const size_t layer, const prefix so_far) {
  const twin_space *const space = &s->pricer.space;
  if (layer == s->current.layer_count) {
    complete(s, so_far);
    return;
  }
  visit_groups(s, layer, so_far);
  visit_hoisted(s, layer, so_far);
  twin_decision *const decision = &s->current.layers[layer];
  for (size_t i = 0; i < (s->is_plain ? 1 : space->factor_count); i++) {
    for (int held = 1; held >= 0; held--) {
      *decision = (twin_decision){.factor = space->factors[i], .is_held = held != 0};
      if (!twin_factor_is_allowed(space, layer, decision->factor) ||
          (decision->is_held && !(space->options.reuse && space->is_holdable[layer]))) {
        continue;
      }
      if (decision->is_held && space->context.system->layout_move == TWIN_MOVE_EXACT) {
        visit_layouts(s, layer, so_far);
      } else {
        visit_pass(s, layer, TWIN_FORWARD, so_far);
      }
    }
  }
}

/* The least need of any mapping; of the decisions it depends on pF, pB and groups alone. */
static void visit_need(search *s, const size_t layer, const prefix so_far) {
  const twin_space *const space = &s->pricer.space;
  if (so_far.kept_bytes + so_far.transient_bytes >= s->smallest_need_bytes) {
    return;
  }
  if (layer == s->current.layer_count) {
    s->smallest_need_bytes = so_far.kept_bytes + so_far.transient_bytes;
    return;
  }
  for (size_t i = 0; i < s->allotments.count; i++) {
    const twin_allotment *const allotment = &s->allotments.items[i];
    if (allotment->group.first == layer) {
      visit_need(s, layer + allotment->group.count,
                 (prefix){.kept_bytes = so_far.kept_bytes + allotment->price.kept_bytes,
                          .transient_bytes =
                              fmax(so_far.transient_bytes, allotment->price.transient_bytes)});
    }
  }
  twin_parallelism *const p = s->current.layers[layer].parallelism;
  for (int i = 0; i < TWIN_PARALLELISM_COUNT * TWIN_PARALLELISM_COUNT; i++) {
    const int forward = i / TWIN_PARALLELISM_COUNT;
    const int backward = i % TWIN_PARALLELISM_COUNT;
    if (!space->allowed[layer][forward] || !space->allowed[layer][backward] ||
        (forward != backward && !twin_passes_may_differ(space))) {
      continue;
    }
    p[TWIN_FORWARD] = (twin_parallelism)forward;
    p[TWIN_BACKWARD] = (twin_parallelism)backward;
    prefix next = so_far;
    next.kept_bytes += twin_kept_bytes(&space->context, layer, p[TWIN_FORWARD]);
    next.transient_bytes =
        fmax(next.transient_bytes, twin_price_transient(&s->pricer, &s->current, layer));
    visit_need(s, layer + 1, next);
  }
}

static bool has_choice(const twin_space *space) {
  for (size_t i = 0; i < space->context.workload->node_count; i++) {
    bool has_some = false;
    for (int p = TWIN_DATA; p < TWIN_PARALLELISM_COUNT; p++) {
      has_some = has_some || space->allowed[i][p];
    }
    if (!has_some) {
      return false;
    }
  }
  return true;
}

bool twin_search_mappings(twin_result *out, const twin_context *context,
                          const twin_options options) {
  const size_t layer_count = context->workload->node_count;
  search s = {.current = {.layer_count = layer_count},
              .best_cycles = HUGE_VAL,
              .smallest_need_bytes = HUGE_VAL};
  if (!twin_pricer_make(&s.pricer, context, options) || !has_choice(&s.pricer.space)) {
    twin_pricer_free(&s.pricer);
    return false;
  }
  twin_allot(&s.allotments, &s.pricer);
  const prefix start = {.kept_bytes = 0};
  visit_need(&s, 0, start);
  for (int round = 0; round < 2; round++) {
    s.is_plain = round == 0;
    visit_layer(&s, 0, start);
  }
  out->feasible = s.best_cycles < HUGE_VAL;
  out->smallest_need_bytes = s.smallest_need_bytes;
  for (size_t i = 0; i < layer_count; i++) {
    (void)snprintf(out->layers[i].name, sizeof out->layers[i].name, "%s",
                   context->workload->nodes[i].name);
  }
  if (out->feasible) {
    out->mapping = s.best;
    out->step_cycles = s.best_cycles;
    out->memory_bytes = twin_price(&s.pricer, &s.best).memory_bytes;
  }
  twin_pricer_free(&s.pricer);
  return true;
}
