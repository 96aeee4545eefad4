/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>

#include "instance.h"
#include "instance_parts.h"
#include "twin_price.h"

/* Mappings of an instance, the memory aside; more and the twin is too slow. */
static const double mapping_limit = 1e7;

static const char *const case_names[INSTANCE_CASE_COUNT] = {
    [INSTANCE_REUSE] = "reuse",
    [INSTANCE_DYSM] = "dysm",
    [INSTANCE_DYSM_UNIFORM] = "dysm_uniform",
    [INSTANCE_PIPELINE] = "pipeline",
    [INSTANCE_PIPELINE_REUSE] = "pipeline_reuse",
    [INSTANCE_PER_PASS] = "per_pass",
    [INSTANCE_PER_PASS_ONLY] = "per_pass_only",
    [INSTANCE_ALL] = "all",
    [INSTANCE_ALL_LIMITED] = "all_limited",
    [INSTANCE_MIXED] = "mixed",
    [INSTANCE_MIXED_LIMITED] = "mixed_limited",
    [INSTANCE_INFERENCE] = "inference",
    [INSTANCE_INFERENCE_LIMITED] = "inference_limited",
    [INSTANCE_RECURRENT] = "recurrent",
    [INSTANCE_RECURRENT_LIMITED] = "recurrent_limited",
};

const char *instance_case_name(const instance_case which) {
  return which < INSTANCE_CASE_COUNT ? case_names[which] : "unknown";
}

static bool is_recurrent(const instance_case which) {
  return which == INSTANCE_RECURRENT || which == INSTANCE_RECURRENT_LIMITED;
}

static instance_network make_network(instance_random *random, const bool must_recur,
                                     instance_regime *regime) {
  static const size_t few_features[] = {1, 2, 3, 4, 4, 6, 8, 8, 12, 16, 16, 17, 24, 32};
  static const size_t features[] = {1,  2,  3,  4,  4,  6,  8,  8,  12, 16,
                                    16, 17, 24, 32, 32, 48, 64, 64, 96, 128};
  instance_network_settings settings = instance_network_defaults();
  settings.min_declared = 2;
  settings.max_declared = instance_random_chance(random, 60) ? 3 : 4;
  settings.max_expanded = 4;
  settings.max_grid = 9;
  settings.bidirectional_percent = 15;
  settings.features = features;
  settings.feature_count = sizeof features / sizeof features[0];
  const size_t style = must_recur ? 85 : instance_random_between(random, 0, 99);
  if (style < 14) { /* narrow and wide tensors, which cores want to divide in different ways */
    static const size_t narrow_or_wide[] = {1, 1, 1, 1, 1, 2, 16, 32};
    settings.conv_percent = 48;
    settings.fc_percent = 44;
    settings.lstm_percent = 4;
    settings.one_timestep_percent = 100;
    settings.same_timesteps_percent = 100;
    settings.several_inputs_percent = 70;
    settings.point_kernel_percent = 85;
    settings.features = narrow_or_wide;
    settings.feature_count = sizeof narrow_or_wide / sizeof narrow_or_wide[0];
    *regime = INSTANCE_MEMORY_REGIME;
  } else if (style < 52) { /* feed-forward */
    settings.conv_percent = 72;
    settings.fc_percent = 14;
    settings.lstm_percent = 4;
    settings.one_timestep_percent = 90;
    settings.max_grid = 16;
    settings.features = few_features;
    settings.feature_count = sizeof few_features / sizeof few_features[0];
    *regime = instance_random_chance(random, 60) ? INSTANCE_MEMORY_REGIME : INSTANCE_ANY_REGIME;
  } else if (style < 86) { /* recurrent */
    settings.conv_percent = 3;
    settings.fc_percent = 8;
    settings.lstm_percent = 84;
    static const size_t timesteps[] = {1, 2, 5, 8, 16, 40};
    static const size_t few_timesteps[] = {2, 2, 3, 5}; /* what is kept does not count so often */
    settings.one_timestep_percent = must_recur ? 0 : 12;
    settings.same_timesteps_percent = must_recur ? 100 : 97;
    settings.bidirectional_percent = must_recur ? 5 : settings.bidirectional_percent;
    settings.timesteps = must_recur ? few_timesteps : timesteps;
    settings.timestep_count = must_recur ? sizeof few_timesteps / sizeof few_timesteps[0]
                                         : sizeof timesteps / sizeof timesteps[0];
    *regime = instance_random_chance(random, 60) ? INSTANCE_STARTUP_REGIME : INSTANCE_ANY_REGIME;
  }
  instance_network network = instance_network_make(random, &settings);
  instance_network_group(&network, random);
  return network;
}

static size_t count_factors(const size_t minibatch, const size_t chips) {
  size_t count = 1;
  for (size_t f = 2; minibatch % f == 0 && minibatch / f >= chips; f *= 2) {
    count++;
  }
  return count;
}

/* Mostly with two to four DySM factors. */
static size_t pick_minibatch(instance_random *random, const size_t chips) {
  static const size_t minibatches[] = {4, 8, 8, 16, 16, 32, 64, 5, 6, 12, 24, 40};
  size_t minibatch = 0;
  do {
    minibatch = INSTANCE_PICK(random, minibatches);
  } while (count_factors(minibatch, chips) > 4 ||
           (count_factors(minibatch, chips) == 1 && !instance_random_chance(random, 15)));
  return minibatch;
}

/* What some layer would have on chip: its own output and perhaps others, under some parallelism and
 * factor. 0 if nothing can be held. Bytes of a core. */
static double pick_held_bytes(instance_random *random, const twin_space *space) {
  const twin_workload *const workload = space->context.workload;
  twin_mapping mapping = {.layer_count = workload->node_count};
  const size_t parallelism =
      instance_random_between(random, 0, twin_parallelism_count(space->context.system) - 1);
  const size_t last_factor = space->factor_count - 1;
  const bool is_last = instance_random_chance(random, 50);
  const size_t factor = is_last ? last_factor : instance_random_between(random, 0, last_factor);
  const size_t layer = instance_random_between(random, 0, workload->node_count - 1);
  for (size_t i = 0; i < workload->node_count; i++) {
    mapping.layers[i].parallelism[TWIN_FORWARD] = (twin_parallelism)parallelism;
    mapping.layers[i].factor = space->factors[factor];
    mapping.layers[i].is_held = space->is_holdable[i] && instance_random_chance(random, 60);
  }
  return mapping.layers[layer].is_held || twin_live_held(space, &mapping, layer) != 0
             ? twin_holding_bytes(space, &mapping, layer) / space->context.system->cores
             : 0;
}

/* A scratchpad whose share for resident weights some split of some layer just fills; 0 if no layer
 * has timesteps. */
static double pick_resident_bytes(instance_random *random, const twin_space *space) {
  const twin_workload *const workload = space->context.workload;
  const twin_system *const system = space->context.system;
  const size_t layer = instance_random_between(random, 0, workload->node_count - 1);
  const twin_node *const node = &workload->nodes[layer];
  const size_t p = instance_random_between(random, 0, twin_parallelism_count(system) - 1);
  const size_t parts = instance_random_between(random, 1, (size_t)system->cores);
  const double copies = instance_random_chance(random, 50) ? system->bptt_resident_copies : 1;
  const double bytes = node->kind == TWIN_MATMUL
                           ? node->operand_elements * workload->element_bytes
                           : twin_weight_elements(node) * workload->weight_bytes;
  const double nm = twin_layout_of(system, (twin_parallelism)p).nm;
  return node->timesteps > 1
             ? copies * bytes / (nm * (double)parts * system->resident_weight_fraction)
             : 0;
}

/* Less than an element of a network is no scratchpad. */
static const double widest_element_bytes = 8;

/*
 * Bytes of a core; a little more than exact, by less than what comparisons forgive, so that whole
 * quotients of bytes (tiles of a kernel) do not depend on the rounding of the last bit.
 */
static double pick_scratchpad(instance_random *random, const twin_space *space) {
  static const double ratios[] = {1, 1, 1, 1 - 1e-6, 1 + 1e-6, 0.6, 1.3, 2.2, 4};
  const double streaming = space->context.system->streaming_buffer_bytes;
  const double any = (double)((size_t)1 << instance_random_between(random, 7, 20));
  const double held = pick_held_bytes(random, space);
  const double resident = pick_resident_bytes(random, space);
  const double ratio = INSTANCE_PICK_REAL(random, ratios) * (1 + 1e-12);
  const bool prefers_held = instance_random_chance(random, 50);
  if (instance_random_chance(random, 12)) {
    return any;
  }
  if (held > 0 && (prefers_held || resident <= 0)) {
    return (held + streaming) * ratio;
  }
  return resident > 0 ? resident * ratio : any;
}

static void write_system(instance *out, const instance_random random,
                         const instance_system *system) {
  instance_text text = {.buffer = out->system_json, .size = sizeof out->system_json};
  instance_system_write(&text, random, system);
}

static twin_options options_of(instance_random *random, const instance_case which,
                               const instance_axes *axes) {
  const unsigned every = (1U << instance_parallelism_count(axes)) - 1;
  const bool inference = which == INSTANCE_INFERENCE || which == INSTANCE_INFERENCE_LIMITED;
  const bool all =
      inference || which == INSTANCE_ALL || which == INSTANCE_ALL_LIMITED || is_recurrent(which);
  twin_options options = {
      .hybrid = which != INSTANCE_PER_PASS_ONLY,
      .inference = inference,
      .parallelism_mask = every,
      .reuse = all || which == INSTANCE_REUSE || which == INSTANCE_DYSM_UNIFORM ||
               which == INSTANCE_PIPELINE_REUSE,
      .dysm = all || which == INSTANCE_DYSM || which == INSTANCE_DYSM_UNIFORM,
      .pipeline = all || which == INSTANCE_PIPELINE || which == INSTANCE_PIPELINE_REUSE,
      .per_pass =
          (all && !inference) || which == INSTANCE_PER_PASS || which == INSTANCE_PER_PASS_ONLY,
  };
  /* No draw of its own, so that the rest of an instance stays what it was. */
  options.hoist = !inference &&
                  (all || which == INSTANCE_MIXED || which == INSTANCE_MIXED_LIMITED) &&
                  (random->state >> 20 & 1) != 0;
  if (which == INSTANCE_MIXED || which == INSTANCE_MIXED_LIMITED) {
    options.hybrid = instance_random_chance(random, 70);
    options.inference = instance_random_chance(random, 25);
    options.reuse = instance_random_chance(random, 60);
    options.dysm = instance_random_chance(random, 60);
    options.pipeline = instance_random_chance(random, 60);
    options.per_pass = instance_random_chance(random, 60) && !options.inference;
    options.hoist = options.hoist && !options.inference;
    const unsigned kept = instance_random_chance(random, 50) ? 1U << TWIN_DATA : 1U << TWIN_MODEL;
    options.parallelism_mask = (unsigned)instance_random_between(random, 0, every) | kept;
  }
  return options;
}

/* Ordered factorisations into three. */
static double count_layouts(const size_t cores) {
  double count = 0;
  for (size_t features = 1; features <= cores; features++) {
    for (size_t positions = 1; features * positions <= cores; positions++) {
      count += cores % (features * positions) == 0 ? 1 : 0;
    }
  }
  return count;
}

/* How many mappings the twin may have to look at, pipeline groups aside. */
static double count_mappings(const twin_space *space) {
  const twin_workload *const workload = space->context.workload;
  const twin_system *const system = space->context.system;
  const double layouts =
      system->layout_move == TWIN_MOVE_EXACT ? count_layouts((size_t)system->cores) : 1;
  double count = 1;
  for (size_t i = 0; i < workload->node_count; i++) {
    double parallelisms = 0;
    for (size_t p = 0; p < TWIN_PARALLELISM_COUNT; p++) {
      parallelisms += space->allowed[i][p] ? 1 : 0;
    }
    double factors = 0;
    for (size_t f = 0; f < space->factor_count; f++) {
      factors += twin_factor_is_allowed(space, i, space->factors[f]) ? 1 : 0;
    }
    const double alone =
        twin_passes_may_differ(space) ? parallelisms * parallelisms * parallelisms : parallelisms;
    const bool can_hold = space->options.reuse && space->is_holdable[i];
    const double ways = factors + (twin_may_hoist(space, i) ? 1 : 0);
    count *= ways * (alone + (can_hold ? parallelisms * layouts : 0));
  }
  return count;
}

/* Takes parallelisms away until the twin can do the rest. */
static void limit_parallelisms(instance_random *random, twin_options *options,
                               const twin_context *context) {
  for (;;) {
    const twin_space space = twin_space_make(context, *options);
    if (count_mappings(&space) <= mapping_limit) {
      return;
    }
    const size_t last = twin_parallelism_count(context->system) - 1;
    const unsigned fewer =
        options->parallelism_mask & ~(1U << instance_random_between(random, 0, last));
    const unsigned simple = 1U << TWIN_DATA | 1U << TWIN_MODEL;
    if ((fewer & (options->hybrid ? ~0U : simple)) != 0) {
      options->parallelism_mask = fewer;
    }
  }
}

void instance_make_full(instance *out, const uint64_t seed, const instance_case which,
                        const instance_key_set allowed) {
  static const size_t chip_rows[] = {1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8};
  static const size_t chip_columns[] = {1, 1, 2, 2, 3, 4, 4, 6, 8};
  static const double streaming_bytes[] = {0, 0, 64, 100, 512, 1024};
  instance_random random = {.state = is_recurrent(which) ? seed * 2 + 1 : ~seed};
  instance_system parts = {
      .capacity_GB = INSTANCE_AMPLE_GB,
      .is_full = true,
      .chips_y = INSTANCE_PICK(&random, chip_rows),
      .is_uniform = which == INSTANCE_DYSM_UNIFORM,
      .streaming_buffer_bytes = INSTANCE_PICK_REAL(&random, streaming_bytes),
      .scratchpad_bytes = 1024,
  };
  if (is_recurrent(which)) {
    parts.chips_y = instance_random_between(&random, 2, 6);
  }
  do {
    parts.chips_x = INSTANCE_PICK(&random, chip_columns);
  } while (parts.chips_x * parts.chips_y > 8);
  parts.axes = instance_axes_pick(is_recurrent(which) ? seed * 2 + 1 : ~seed);
  if (is_recurrent(which)) {
    instance_axes_lengthen_last(&parts.axes);
  }
  const size_t chips = parts.axes.count == 0
                           ? parts.chips_x * parts.chips_y
                           : parts.axes.chips[0] * parts.axes.chips[1] * parts.axes.chips[2];
  instance_random keys_random = {.state = instance_random_u64(&random)};
  parts.keys = instance_keys_pick(&keys_random, allowed);
  *out = (instance){.seed = seed,
                    .has_axes = parts.axes.count > 0,
                    .has_axis_keys = parts.axes.has_keys,
                    .keys = parts.keys};
  const instance_network network = make_network(&random, is_recurrent(which), &parts.regime);
  instance_text text = {.buffer = out->workload_json, .size = sizeof out->workload_json};
  instance_workload_write_network(&text, &random, &network, pick_minibatch(&random, chips));
  const instance_random system_random = {.state = instance_random_u64(&random)};

  write_system(out, system_random, &parts);
  twin_workload workload;
  twin_system system;
  const bool parsed = twin_workload_parse(&workload, out->workload_json) &&
                      twin_system_parse(&system, out->system_json);
  assert(parsed);
  (void)parsed;
  twin_context context = {.workload = &workload, .system = &system};
  const twin_options everything = options_of(&random, INSTANCE_ALL, &parts.axes);
  const twin_space space = twin_space_make(&context, everything);
  parts.scratchpad_bytes = fmax(pick_scratchpad(&random, &space), widest_element_bytes);
  write_system(out, system_random, &parts);

  instance_random case_random = {.state = instance_random_u64(&random) + (uint64_t)which};
  out->options = options_of(&case_random, which, &parts.axes);
  context.inference = out->options.inference;
  limit_parallelisms(&case_random, &out->options, &context);
  const bool is_limited = which == INSTANCE_ALL_LIMITED || which == INSTANCE_MIXED_LIMITED ||
                          which == INSTANCE_INFERENCE_LIMITED ||
                          which == INSTANCE_RECURRENT_LIMITED;
  twin_result unbound;
  if (is_limited && twin_explore(&unbound, out->workload_json, out->system_json, out->options)) {
    parts.capacity_GB = instance_capacity_GB(&case_random, &unbound);
    write_system(out, system_random, &parts);
  }
}
