/* SPDX-License-Identifier: GPL-3.0-or-later */
/* legal_passes.c: parallelisms and core splits of the passes of a layer (sections 3 and 11). */
#include <inttypes.h>

#include "base/number_text.h"
#include "model/axis_words.h"
#include "model/engine.h"
#include "plan/legal_internal.h"
#include "plan/named_roles.h"
#include "plan/role_rules.h"

/* ---- parallelisms ---- */

/* Roles beside data and model: those that the layer can have and the options allow. */
static bool are_roles_allowed(dsm__judge *judge, dsm__plan_place place,
                              dsm_parallelism parallelism) {
  const dsm_system *const system = judge->of->machine->system;
  const char *const why =
      dsm__roles_why_not(dsm__judged_layer(judge, place.index), system, parallelism);
  const char *const word = dsm__judged_word(judge, parallelism);
  if (why != NULL) {
    dsm__judge_tell(judge, place, NULL,
                    "expected roles that the layer can have, found \"%s\" in %s", word, why);
    return false;
  }
  for (unsigned a = 0; a < system->system.axis_count; a++) {
    const dsm_role role = dsm_parallelism_role(parallelism, a);
    if (!dsm__may_have_role(judge->of->options, role)) {
      dsm__judge_tell(
          judge, place, NULL, "expected no role \"%s\" without the optimization %s, found \"%s\"",
          dsm_role_name(role), dsm_optimization_name(dsm__role_optimization(role)), word);
      return false;
    }
  }
  if (!dsm__are_roles_named(judge->of->options, system, parallelism)) {
    dsm__judge_tell(judge, place,
                    dsm__has_named_roles(judge->of->options)
                        ? "the plan's options.roles decide"
                        : "the plan's options.parallelisms decide",
                    "expected roles that the plan's options allow, found \"%s\"", word);
    return false;
  }
  return true;
}

static bool is_allowed(dsm__judge *judge, dsm__plan_place place, dsm_parallelism parallelism) {
  const dsm_layer *const layer = dsm__judged_layer(judge, place.index);
  if (dsm_parallelism_has_roles(parallelism)) {
    return are_roles_allowed(judge, place, parallelism);
  }
  const unsigned bit = DSM_PARALLELISM_BIT(parallelism);
  const char *const word = dsm__judged_word(judge, parallelism);
  if ((dsm_layer_parallelisms(layer) & bit) == 0) {
    dsm__judge_tell(judge, place, NULL,
                    "expected \"data\", the only parallelism of %s, found \"%s\"",
                    layer->is_product ? "a matmul" : "a grouped convolution", word);
    return false;
  }
  if ((dsm__allowed_parallelisms(layer, judge->of->options, judge->of->machine->system) & bit) ==
      0) {
    dsm__judge_tell(judge, place,
                    dsm__has_named_roles(judge->of->options)
                        ? "the plan's optimizations and options.roles decide"
                        : "the plan's optimizations and options.parallelisms decide",
                    "expected a parallelism that the plan's options allow, found \"%s\"", word);
    return false;
  }
  return true;
}

/* The passes of a layer differ only with per_pass, and never in a pipeline. */
static bool may_differ(dsm__judge *judge, dsm__plan_place place, dsm_parallelism parallelism) {
  const dsm_parallelism forward = dsm__judged(judge, place.index)->layouts.of[DSM_PASS_FORWARD];
  const bool is_pipelined = judge->group_of[place.index] != DSM_NO_PIPELINE;
  if (parallelism == forward ||
      (!is_pipelined && dsm__may_choose(judge->of->options, DSM__CHOICE_PASSES))) {
    return true;
  }
  dsm__judge_tell(judge, place,
                  is_pipelined ? "the passes of a pipelined layer share its rows" : NULL,
                  "expected the parallelism of the forward pass, \"%s\", found \"%s\"",
                  dsm__judged_word(judge, forward), dsm__judged_word(judge, parallelism));
  return false;
}

/* Weights have one cut along an axis, by out or by in; data, spatial and whole may stand beside it.
 * Tokens stay with their experts, and both operands of a product are where each pass wants them.
 * True if a pass goes with those before it: of those that come after one that does not no more is
 * told. */
static bool judge_cuts(dsm__judge *judge, dsm__plan_place place, dsm_pass pass) {
  const dsm_layer *const layer = dsm__judged_layer(judge, place.index);
  const dsm_system *const system = judge->of->machine->system;
  const dsm_parallelism *const layouts = dsm__judged(judge, place.index)->layouts.of;
  for (int other = 0; other < (int)pass; other++) {
    const unsigned axis = dsm_pass_exists(layer, judge->of->options->mode, (dsm_pass)other)
                              ? dsm__roles_clash(layer, system, layouts[other], layouts[pass])
                              : DSM_NO_AXIS;
    if (axis != DSM_NO_AXIS) {
      dsm__judge_tell(
          judge, place,
          layer->is_product ? "both operands of a product lie as its roles want them in all passes"
                            : "all passes cut the weights by out, all by in, or some not at all, "
                              "as data, spatial and whole; expert stands beside nothing else",
          "expected roles that cut the weights along %s as those of the %s pass, \"%s\", found "
          "\"%s\"",
          dsm__axis_name(&system->system, axis), dsm_pass_name((dsm_pass)other),
          dsm__judged_word(judge, layouts[other]), dsm__judged_word(judge, layouts[pass]));
      return false;
    }
  }
  return true;
}

/* The layout in which the error of the output is left, where no backward pass says so. Where it is
 * that of the update pass, it is judged there. */
static void judge_error_parallelism(dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const dsm_parallelism *const layouts = dsm__judged(judge, index)->layouts.of;
  const dsm_parallelism error = layouts[DSM_PASS_BACKWARD];
  const dsm__plan_place place = DSM__LAYER_PLACE(index, error_parallelism);
  if (judge->of->options->mode == DSM_MODE_TRAINING && !layer->has_backward &&
      error != layouts[layer->has_update ? DSM_PASS_UPDATE : DSM_PASS_FORWARD] &&
      is_allowed(judge, place, error) && may_differ(judge, place, error)) {
    (void)judge_cuts(judge, place, DSM_PASS_BACKWARD);
  }
}

dsm_pass dsm__differing_pass(const dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  const dsm_parallelism *const layouts = dsm__judged(judge, index)->layouts.of;
  const dsm_mode mode = judge->of->options->mode;
  for (int p = DSM_PASS_BACKWARD; p < DSM_PASS_COUNT; p++) {
    const bool has_layout = dsm_pass_exists(layer, mode, (dsm_pass)p) ||
                            (mode == DSM_MODE_TRAINING && p == DSM_PASS_BACKWARD);
    if (has_layout && layouts[p] != layouts[DSM_PASS_FORWARD]) {
      return (dsm_pass)p;
    }
  }
  return DSM_PASS_COUNT;
}

/* ---- core splits ---- */

/* All parts divide the cores (one, of tiles that cores take), and multiply to them. Not known ones
 * are nobody's fault. */
static bool is_factorisation(dsm__judge *judge, dsm__plan_place place, const dsm_loops *split) {
  const uint64_t cores = dsm_split_cores(judge->of->machine->system);
  uint64_t product = 1;
  bool is_good = true;
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    const uint64_t part = split->n[d];
    place.dim = (dsm_dim)d;
    if (part > 1 && !judge->of->machine->engine->has_splits) {
      dsm__judge_tell(judge, place, NULL,
                      "expected 1, as cores take tiles of outputs as they become free, found "
                      "%" PRIu64,
                      part);
    } else if (part != 0 && cores % part != 0) {
      dsm__judge_tell(judge, place, NULL,
                      "expected a divisor of the %" PRIu64 " core%s, found %" PRIu64, cores,
                      dsm__plural((double)cores), part);
    }
    is_good = is_good && part != 0 && cores % part == 0;
    product = is_good && product <= cores ? product * part : product;
  }
  if (is_good && product != cores) {
    place.dim = DSM_DIM_COUNT;
    dsm__judge_tell(judge, place, NULL,
                    "expected parts that multiply to the %" PRIu64 " core%s, found %s%" PRIu64,
                    cores, dsm__plural((double)cores), product > cores ? "at least " : "", product);
    return false;
  }
  return is_good;
}

static void judge_split(dsm__judge *judge, dsm__plan_place place, const dsm_chip_share *share,
                        const dsm_loops *split) {
  if (!is_factorisation(judge, place, split) || share == NULL || dsm_split_is_valid(share, split) ||
      !dsm__core_splits_any_valid(&judge->splits, share)) {
    return;
  }
  for (int d = 0; d < DSM_DIM_COUNT; d++) {
    const uint64_t most = d == DSM_DIM_IN ? share->chip.n[d] / share->groups : share->chip.n[d];
    if (split->n[d] > most) {
      place.dim = (dsm_dim)d;
      dsm__judge_tell(judge, place, NULL,
                      "expected at most %" PRIu64 ", as many as one chip has of this loop, found "
                      "%" PRIu64,
                      most, split->n[d]);
    }
  }
}

/* ---- passes ---- */

/* Splits of a pass whose parallelism is good: of each kind of invocation. */
static void judge_splits(dsm__judge *judge, size_t index, dsm_pass pass) {
  const dsm__layer_decision *const decision = dsm__judged(judge, index);
  const dsm_parallelism parallelism = decision->layouts.of[pass];
  dsm__stage stage;
  const dsm_machine *const machine = dsm__judged_machine(judge, index, &stage);
  dsm__layer_setting setting = dsm__judged_setting(judge, index, machine);
  const bool is_factor_good =
      dsm_dysm_factor_is_valid(setting.layer, machine, setting.minibatch, setting.dysm_factor);
  setting.dysm_factor = is_factor_good ? setting.dysm_factor : 1;
  const dsm__parts parts =
      dsm__pass_parts(&setting, pass, parallelism, decision->is_kernel_kept[pass]);
  for (unsigned k = 0; k < parts.count; k++) {
    dsm__plan_place place = DSM__PASS_PLACE(index, core_split);
    place.pass = pass;
    place.part = k;
    const dsm__part *const part = &parts.items[k];
    const dsm_chip_share share =
        dsm_chip_share_derive(part->layer, machine, parallelism, part->samples);
    judge_split(judge, place, is_factor_good ? &share : NULL, &decision->splits[pass][k]);
    place.record = &dsm__invocation_record;
    place.key = dsm__record_key_at(place.record, offsetof(dsm_invocation, kind));
    if (part->kind == DSM_INVOCATION_STEADY) {
      (void)dsm__judge_made(
          judge, place, DSM__CHOICE_KERNEL,
          dsm_kernel_can_be_kept(setting.layer, machine) ? 0 : DSM__LAYER_FACT(NO_RESIDENT),
          "no steady invocations", "some");
    }
  }
}

void dsm__judge_passes(dsm__judge *judge, size_t index) {
  const dsm_layer *const layer = dsm__judged_layer(judge, index);
  bool is_forward_good = false;
  bool are_cuts_good = true;
  for (int p = 0; p < DSM_PASS_COUNT; p++) {
    const dsm_pass pass = (dsm_pass)p;
    const dsm_parallelism parallelism = dsm__judged(judge, index)->layouts.of[pass];
    dsm__plan_place place = DSM__PASS_PLACE(index, parallelism);
    place.pass = pass;
    if (!dsm_pass_exists(layer, judge->of->options->mode, pass) ||
        !is_allowed(judge, place, parallelism)) {
      continue;
    }
    is_forward_good = is_forward_good || pass == DSM_PASS_FORWARD;
    if (!is_forward_good || may_differ(judge, place, parallelism)) {
      judge_splits(judge, index, pass);
      are_cuts_good = are_cuts_good && judge_cuts(judge, place, pass);
    }
  }
  judge_error_parallelism(judge, index);
}
