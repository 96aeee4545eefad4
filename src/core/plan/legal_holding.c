/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_holding.c: what is on chip for longer than a layer, and whether it fits (sections 7, 10).
 */
#include <inttypes.h>
#include <math.h>

#include "base/number_text.h"
#include "model/axis_words.h"
#include "plan/core_layouts.h"
#include "plan/legal_internal.h"
#include "plan/tolerance.h"

/* ---- lives of held tensors ---- */

static const char keeps_its_layout[] =
    "from its producer to its last use, a held output keeps its layout";

/* May a layer run while the output of `holder` is held? Else that is told. With roles each layer
 * has its own, in all passes. */
static bool is_uniform(dsm__judge *judge, size_t holder, size_t index) {
  const dsm__plan_place place = DSM__LAYER_PLACE(holder, is_output_held);
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const dsm__layer_decision *const found = dsm__judged(judge, index);
  const dsm__layer_decision *const held = dsm__judged(judge, holder);
  const dsm_parallelism wanted =
      (judge->steps[0] != NULL ? found : held)->layouts.of[DSM_PASS_FORWARD];
  const bool is_forward_other = found->layouts.of[DSM_PASS_FORWARD] != wanted;
  const dsm_pass other = is_forward_other ? DSM_PASS_FORWARD : dsm__differing_pass(judge, index);
  if (layer->timesteps > 1) {
    dsm__judge_tell(judge, place, NULL,
                    "expected no layer with timesteps up to the output's last use, found \"%s\" "
                    "with %" PRIu64,
                    layer->name, layer->timesteps);
  } else if (judge->group_of[index] != DSM_NO_PIPELINE) {
    dsm__judge_tell(judge, place, NULL,
                    "expected no pipelined layer up to the output's last use, found \"%s\"",
                    layer->name);
  } else if (other != DSM_PASS_COUNT) {
    dsm__judge_tell(judge, place, keeps_its_layout,
                    "expected the parallelism \"%s\" in all passes up to the output's last use, "
                    "found \"%s\" in %s of \"%s\"",
                    dsm__judged_word(judge, wanted),
                    dsm__judged_word(judge, found->layouts.of[other]), dsm_pass_name(other),
                    layer->name);
  } else if (found->layer.dysm_factor != held->layer.dysm_factor) {
    dsm__judge_tell(judge, place, keeps_its_layout,
                    "expected the DySM factor %" PRIu64 " up to the output's last use, found "
                    "%" PRIu64 " of \"%s\"",
                    held->layer.dysm_factor, found->layer.dysm_factor, layer->name);
  } else {
    return true;
  }
  return false;
}

/* Along which axis does a held output not lie as it was made while a later layer runs, its last
 * user or one before it? DSM_AXES_MAX: along none. */
static unsigned moved_axis(const dsm__judge *judge, size_t holder, size_t index, bool is_last) {
  const dsm_network *const network = &judge->of->machine->system->system;
  for (unsigned p = 0; p < DSM__COUNT_OF(judge->steps); p++) {
    const dsm__role_step *const made = &judge->steps[p][holder];
    const dsm__role_step *const step = &judge->steps[p][index];
    for (unsigned a = 0; a < network->axis_count; a++) {
      const dsm_layout layout = made->made.of[a];
      const bool is_there =
          step->entering.after.of[a] == layout && (is_last || step->leaving.after.of[a] == layout);
      if (!dsm_axis_set_has(made->inside, a) && !is_there) {
        return a;
      }
    }
  }
  return DSM_AXES_MAX;
}

static bool has_layer(const size_t *layers, size_t count, size_t layer) {
  bool has = false;
  for (size_t i = 0; i < count; i++) {
    has = has || layers[i] == layer;
  }
  return has;
}

/* Does a held output pass between chips when a layer makes or uses it? */
static bool is_exchanged(const dsm__judge *judge, size_t holder, size_t index) {
  const dsm_network *const network = &judge->of->machine->system->system;
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const dsm_parallelism own = dsm__judged(judge, index)->layouts.of[DSM_PASS_FORWARD];
  if (index == holder) {
    return dsm__is_output_exchanged(network, own);
  }
  return (dsm__is_input_exchanged(network, own) &&
          has_layer(layer->producers, layer->producer_count, holder)) ||
         (dsm__are_shortcuts_exchanged(network, own) &&
          has_layer(layer->shortcuts, layer->shortcut_count, holder));
}

/* Where layers have roles: may an output stay as it was made, whatever a layer's roles do? Else
 * that is told. */
static bool is_kept_by_roles(dsm__judge *judge, size_t holder, size_t k, bool is_last) {
  const dsm__plan_place place = DSM__LAYER_PLACE(holder, is_output_held);
  const dsm_parallelism own = dsm__judged(judge, k)->layouts.of[DSM_PASS_FORWARD];
  const char *const name = dsm__judged_layer(judge, k)->name;
  const unsigned axis = k == holder ? DSM_AXES_MAX : moved_axis(judge, holder, k, is_last);
  if (dsm__has_layouts(judge->of->machine->system) && dsm_parallelism_has_roles(own)) {
    dsm__judge_tell(judge, place, "the system's model.layout_move is \"exact\"",
                    "expected only data and model up to the output's last use, found \"%s\" of "
                    "\"%s\"",
                    dsm__judged_word(judge, own), name);
  } else if (axis < DSM_AXES_MAX) {
    dsm__judge_tell(
        judge, place, keeps_its_layout,
        "expected roles that leave the output along %s as it was made up to its last use, found "
        "\"%s\" of \"%s\"",
        dsm__axis_name(&judge->of->machine->system->system, axis), dsm__judged_word(judge, own),
        name);
  } else if (is_exchanged(judge, holder, k)) {
    dsm__judge_tell(
        judge, place,
        "what gather_column reads, row_scatter makes and expert has is exchanged between chips",
        "expected false for an output that is exchanged, found true, with \"%s\" of \"%s\"",
        dsm__judged_word(judge, own), name);
  } else {
    return true;
  }
  return false;
}

/* What is held has the same layout for all its life: the first layer that changes that is told. */
static void judge_life(dsm__judge *judge, size_t holder) {
  const size_t last = dsm__last_use(dsm__judged_layer(judge, holder));
  const bool has_roles = judge->steps[0] != NULL;
  for (size_t k = holder; k <= last; k++) {
    if (!dsm__is_known(judge, k) || !is_uniform(judge, holder, k) ||
        (has_roles && !is_kept_by_roles(judge, holder, k, k == last))) {
      return;
    }
  }
}

void dsm__judge_lives(dsm__judge *judge) {
  const bool has_roles = dsm__has_roles(judge->of->workload, judge->of->decisions);
  for (size_t i = 0; i < judge->of->workload->layer_count; i++) {
    const bool is_held = dsm__judged(judge, i)->layer.is_output_held &&
                         dsm__last_use(dsm__judged_layer(judge, i)) != DSM_NEVER_USED;
    if (is_held && (!has_roles || judge->told_count == 0)) {
      judge_life(judge, i);
    }
  }
}

/* ---- room ---- */

/* Of what the room is. */
static const char *place_of(const dsm_machine *machine) {
  return machine->has_shared_memory ? "chip" : "core";
}

/* Weights on chip across requests, of all layers together. False if they are too many. */
static bool judge_preloaded(dsm__judge *judge) {
  const dsm__decisions *const decisions = judge->of->decisions;
  const double room = dsm_preload_room_bytes(judge->of->machine);
  const double bytes =
      dsm__preloaded_weight_bytes(judge->of->workload, judge->of->machine, decisions);
  if (bytes <= dsm__capacity_limit(room)) {
    return true;
  }
  size_t last = judge->of->workload->layer_count;
  while (last > 0 && decisions->layers[last - 1].layer.weights_on_chip <= 0) {
    last--;
  }
  dsm__judge_tell(judge, DSM__LAYER_PLACE(last == 0 ? 0 : last - 1, weights_on_chip),
                  "the plan's preloaded weights are counted together",
                  "expected preloaded weights of at most %.0f byte%s a %s, found %.0f too many",
                  room, dsm__plural(round(room)), place_of(judge->of->machine), bytes - room);
  return false;
}

/* Of the tensors that are held while a layer runs, the one made last. */
static size_t latest_held(const dsm__judge *judge, size_t index) {
  size_t k = index;
  while (k > 0 && !(dsm__judged(judge, k)->layer.is_output_held &&
                    dsm__last_use(dsm__judged_layer(judge, k)) >= index)) {
    k--;
  }
  return k;
}

/* What a steady invocation takes at least. */
static double least_steady_cycles(const dsm__judge *judge, const dsm_pass_work *work) {
  const dsm__core_splits *const splits = &judge->splits;
  const dsm__parts_limit candidates = dsm__candidate_parts(splits, &work->share);
  double least = HUGE_VAL;
  for (size_t i = 0; i < splits->count; i++) {
    const dsm_loops *const split = &splits->items[i];
    if (dsm__is_within_parts(&candidates, split) && dsm__kernel_can_stay(work, split)) {
      least = fmin(least, dsm_invocation_score(work, split).total);
    }
  }
  return least;
}

/*
 * A group pays first - steady once (section 9), so that a slower steady invocation in a stage that
 * does not set the pace would make the group faster than the work is. A stage's steady invocations
 * therefore have the best core split; it is no decision.
 */
static void judge_steady_split(dsm__judge *judge, dsm__plan_place place, const dsm_pass_work *work,
                               const dsm_loops *split) {
  const double least = least_steady_cycles(judge, work);
  const double found = dsm_invocation_score(work, split).total;
  if (found > dsm__tie_limit(least)) {
    dsm__judge_tell(judge, place, "a group gains nothing by a stage that does not do its best",
                    "expected a core split with which a steady invocation of a pipelined layer "
                    "takes %.17g cycles, the least, found one with which it takes %.17g",
                    least, found);
  }
}

/* A kernel that stays for all timesteps leaves room for the rest. */
static void judge_kept_kernel(dsm__judge *judge, const dsm__layer_setting *setting, size_t index,
                              dsm_pass pass) {
  const dsm__layer_decision *const decision = dsm__judged(judge, index);
  const dsm_parallelism parallelism = decision->layouts.of[pass];
  const dsm__parts parts =
      dsm__pass_parts(setting, pass, parallelism, decision->is_kernel_kept[pass]);
  for (unsigned k = 0; k < parts.count; k++) {
    const dsm_pass_work work = dsm__part_work(setting, pass, parallelism, &parts.items[k]);
    const dsm_loops *const split = &decision->splits[pass][k];
    dsm__plan_place place = DSM__PASS_PLACE(index, core_split);
    place.pass = pass;
    place.part = k;
    place.dim = DSM_DIM_COUNT;
    if (parts.items[k].kind != DSM_INVOCATION_STEADY) {
      continue;
    }
    if (!dsm__kernel_can_stay(&work, split)) {
      const double limit = dsm_resident_kernel_limit_bytes(
          setting->machine, pass, dsm_kept_room_bytes(setting->machine, &work.residency));
      dsm__judge_tell(judge, place, "the kernel stays on chip for all timesteps",
                      "expected at most %.0f byte%s of the kernel a %s, found %.0f", limit,
                      dsm__plural(round(limit)), place_of(setting->machine),
                      dsm_kept_kernel_bytes(&work, split));
    } else if (judge->group_of[index] != DSM_NO_PIPELINE) {
      judge_steady_split(judge, place, &work, split);
    }
  }
}

static void judge_kept_kernels(dsm__judge *judge, double preloaded_bytes) {
  for (size_t i = 0; i < judge->of->workload->layer_count; i++) {
    dsm__stage stage;
    const dsm_machine *const machine = dsm__judged_machine(judge, i, &stage);
    dsm__layer_setting setting = dsm__judged_setting(judge, i, machine);
    setting.preloaded_bytes = preloaded_bytes;
    for (int p = 0; p < DSM_PASS_COUNT && setting.layer->timesteps > 1; p++) {
      if (dsm_pass_exists(setting.layer, setting.mode, (dsm_pass)p)) {
        judge_kept_kernel(judge, &setting, i, (dsm_pass)p);
      }
    }
  }
}

bool dsm__judge_room(dsm__judge *judge) {
  const dsm__candidate *const of = judge->of;
  const size_t count = of->workload->layer_count;
  dsm__holding *const holdings = dsm__arena_array(judge->arena, count, sizeof *holdings);
  if (holdings == NULL ||
      !dsm__holdings_derive(of->workload, of->machine, of->decisions, holdings, judge->arena)) {
    return false;
  }
  if (!judge_preloaded(judge)) {
    return true;
  }
  const double preloaded = dsm__preloaded_bytes(of->workload, of->machine, of->decisions);
  judge_kept_kernels(judge, preloaded);
  bool was_too_much = false;
  for (size_t i = 0; i < count; i++) {
    dsm__layer_setting setting = dsm__judged_setting(judge, i, of->machine);
    const dsm_parallelism parallelism = dsm__judged(judge, i)->layouts.of[DSM_PASS_FORWARD];
    setting.holding = holdings[i];
    setting.preloaded_bytes = preloaded;
    const bool is_too_much =
        dsm__is_holding(&holdings[i]) && !dsm__holding_fits(&setting, parallelism);
    if (is_too_much && !was_too_much) { /* once for neighbours: the same tensor is to blame */
      const double excess = dsm__holding_excess_bytes(&setting, parallelism);
      dsm__judge_tell(judge, DSM__LAYER_PLACE(latest_held(judge, i), is_output_held), NULL,
                      "expected held outputs that fit %s, found %.0f byte%s of a chip too many "
                      "while \"%s\" runs",
                      of->machine->has_shared_memory ? "the shared memory"
                                                     : "beside the streaming buffers",
                      excess, dsm__plural(round(excess)), setting.layer->name);
    }
    was_too_much = is_too_much;
  }
  return true;
}
