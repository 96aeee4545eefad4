/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "twin_stream.h"

#include <math.h>

#include "twin_between_cores.h"
#include "twin_tiles.h"

/* What the update pass reads of the output's error, and with it. */
static double update_error_bytes(const twin_context *context, const twin_node *node,
                                 const twin_traffic *bytes, const twin_condition *condition) {
  const twin_system *const system = context->system;
  const bool reads_gates = system->lstm_gate_errors && node->kind == TWIN_LSTM;
  const double statistics = twin_has_norm(node) ? bytes->statistics : 0;
  const double error = reads_gates ? bytes->raw : bytes->st;
  const bool reads_statistics = !condition->is_output_held || system->charge_held_masks;
  return (condition->is_output_held ? 0 : error) + (reads_statistics ? statistics : 0);
}

/* `fix` of section 5. */
static double shortcut_fix_bytes(const twin_context *context, const twin_node *node,
                                 const twin_pass_kind pass, const twin_traffic *bytes,
                                 const twin_condition *condition) {
  const bool is_apart = context->system->auxiliary_traffic == TWIN_AUX_UNFUSED;
  const bool is_added_in_core =
      pass == TWIN_FORWARD && condition->is_output_held && context->system->shared_bytes <= 0;
  if (is_apart && !is_added_in_core) {
    return 0;
  }
  const bool has_forks =
      pass == TWIN_BACKWARD && context->system->exact_forks && !condition->is_input_held;
  const double forks = has_forks ? bytes->forks : 0;
  if (node->has_multiply && pass == TWIN_BACKWARD) {
    /* Both operands are read, and the other's error is written, unless it is on chip. */
    const double each = node->pool_window > 0 ? bytes->raw : bytes->st;
    const double other = each * node->other_bytes / node->out_bytes;
    const double own = each * node->made_bytes / node->out_bytes;
    return forks + own + (condition->is_shortcut_held ? 1 : 2) * other;
  }
  if (pass == TWIN_BACKWARD && context->system->exact_forks) {
    return forks;
  }
  if (!(node->has_residual || node->has_multiply) || condition->is_shortcut_held) {
    return 0;
  }
  return pass == TWIN_FORWARD ? twin_shortcut_bytes(context, node, bytes)
                              : bytes->st * node->other_bytes / node->out_bytes;
}

/* Adds bytes of the chip, of which a core needs a share. */
static void add_to(twin_stream *sum, const twin_system *system, const double bytes,
                   const double share) {
  const bool is_by_core = system->joint == TWIN_CORES_CROSSBAR || system->joint == TWIN_CORES_MESH;
  const bool has_split = is_by_core && !system->tile_schedule;
  sum->memory += bytes;
  sum->link += has_split ? bytes * share : twin_even_bytes(system, bytes);
}

/* What streams, and the shares of it that the link of a core carries. */
typedef struct {
  double left; /* by positions: inputs, in backward errors */
  double right;
  double once;
  double left_share;
  double right_share;
} volumes;

static volumes volumes_of(const twin_context *context, const twin_node *node,
                          const twin_pass_kind pass, const twin_traffic *bytes,
                          const twin_condition *condition) {
  const bool adds = condition->accumulates || node->is_tied; /* to gradients that are there */
  const double copies = pass == TWIN_UPDATE && adds ? 2 : 1;
  const double kt = condition->is_resident ? 0 : bytes->ker * copies;
  const double of_input = bytes->s_in / bytes->inp;
  const double of_output = bytes->s_out / bytes->raw;
  const double of_kernel = bytes->ker > 0 ? bytes->kcore / bytes->ker : 0;
  const bool is_input_inside =
      condition->is_input_held || twin_reads_fused_score(context->system, node);
  const bool is_output_inside =
      condition->is_output_held || twin_is_fused_score(context->system, node);
  const double read = is_input_inside ? 0 : bytes->inp;
  const double written = is_output_inside ? 0 : bytes->st;
  /* Products of the input are read, errors of the gates written. */
  const double gates = node->is_step ? bytes->raw * node->made_bytes / node->out_bytes : 0;
  const double fix = gates + shortcut_fix_bytes(context, node, pass, bytes, condition);
  if (pass == TWIN_UPDATE) {
    return (volumes){.left = bytes->inp,
                     .right = update_error_bytes(context, node, bytes, condition),
                     .once = kt,
                     .left_share = of_input,
                     .right_share = of_output};
  }
  if (pass == TWIN_FORWARD) {
    return (volumes){.left = read,
                     .right = kt,
                     .once = written + bytes->deferred + bytes->save + bytes->added_cache + fix,
                     .left_share = of_input,
                     .right_share = of_kernel};
  }
  const bool reads_mask = !twin_reads_fused_score(context->system, node) &&
                          (!condition->is_input_held || context->system->charge_held_masks);
  return (volumes){.left = written + bytes->save,
                   .right = kt,
                   .once = read + (reads_mask ? bytes->mask : 0) + fix,
                   .left_share = of_output,
                   .right_share = of_kernel};
}

/* The paper's order of loops: what is fetched once for each tile. */
static twin_times paper_times(const twin_system *system, const twin_pass_kind pass,
                              const twin_traffic *bytes, const twin_condition *condition,
                              const volumes *v, const bool is_used_once) {
  /* Tiles that cores take as they become free have each operand once. */
  const bool is_once = system->tile_schedule || is_used_once;
  const double tile = is_once ? 1e300 : condition->cap_bytes / 2;
  const double n1 = condition->is_resident ? 1 : ceil(bytes->kcore / tile);
  const double n2 = ceil((pass == TWIN_FORWARD ? bytes->s_in : bytes->s_out) / tile);
  if (pass == TWIN_UPDATE) {
    return (twin_times){n1, n1, 0};
  }
  return v->left * n1 + v->right <= v->left + v->right * n2 ? (twin_times){n1, 1, 0}
                                                            : (twin_times){1, n2, 0};
}

/* All of it, fetched so often. */
static twin_stream stream_with(const twin_system *system, const volumes *v, const double spilled,
                               const twin_times *times) {
  const double even = 1 / system->cores;
  twin_stream sum = {0};
  add_to(&sum, system, v->left * times->left, v->left_share);
  add_to(&sum, system, v->right * times->right, v->right_share);
  add_to(&sum, system, v->once, even);
  add_to(&sum, system, spilled * times->sums, even);
  return sum;
}

/* Section 7, shared memory: how often external memory has what the cores fetch so often. */
static twin_times times_behind(const twin_pass_kind pass, const twin_traffic *bytes,
                               const twin_condition *condition, const volumes *v,
                               const double spilled, twin_times times) {
  const double room = condition->free_bytes * (1 + 1e-9);
  const double right = pass == TWIN_UPDATE ? v->right : bytes->ker;
  if (v->left <= room) {
    times.left = fmin(times.left, 1);
  }
  if (right <= room) {
    times.right = fmin(times.right, 1);
  }
  if (spilled / 2 <= room) {
    times.sums = 0;
  }
  return times;
}

/* What streams with a shared memory, by what its own volumes are and those behind it. */
typedef struct {
  const twin_system *system;
  twin_pass_kind pass;
  const twin_traffic *bytes;
  const twin_condition *condition;
  volumes behind;
  double behind_spilled;
  volumes own;
  double own_spilled;
} shared_stream;

static twin_stream shared_with(const shared_stream *s, const twin_times *times) {
  const twin_times behind =
      times_behind(s->pass, s->bytes, s->condition, &s->behind, s->behind_spilled, *times);
  const twin_stream from_memory = stream_with(s->system, &s->behind, s->behind_spilled, &behind);
  twin_stream all = stream_with(s->system, &s->own, s->own_spilled, times);
  all.shared = all.memory + s->bytes->deferred * (s->pass == TWIN_FORWARD ? 1 : 0);
  all.memory = from_memory.memory;
  return all;
}

static double slowest_of(const twin_system *system, const twin_stream *all, const double turned) {
  return fmax(fmax((all->memory + turned) / system->memory_bytes_per_cycle,
                   (all->shared + turned) / system->shared_bytes_per_cycle),
              (all->link + twin_even_bytes(system, turned)) / system->core_link_bytes_per_cycle);
}

/* As loads, by what each further fetch adds. */
static void shared_loads(twin_load loads[TWIN_LOADS], const shared_stream *s, const double turned) {
  const twin_system *const system = s->system;
  const twin_times times[] = {{1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {1, 2, 0},
                              {1, 3, 0}, {1, 1, 1}, {1, 1, 2}};
  double cycles[TWIN_LOADS][7];
  for (int i = 0; i < 7; i++) {
    const twin_stream one = shared_with(s, &times[i]);
    cycles[0][i] = (one.memory + turned) / system->memory_bytes_per_cycle;
    cycles[1][i] = (one.link + twin_even_bytes(system, turned)) / system->core_link_bytes_per_cycle;
    cycles[2][i] = (one.shared + turned) / system->shared_bytes_per_cycle;
  }
  for (int l = 0; l < TWIN_LOADS; l++) {
    loads[l].left = cycles[l][2] - cycles[l][1];
    loads[l].right = cycles[l][4] - cycles[l][3];
    loads[l].sums = cycles[l][6] - cycles[l][5];
    loads[l].fixed = cycles[l][0] - loads[l].left - loads[l].right;
  }
}

static twin_stream shared_stream_of(const twin_context *context, const twin_node *node,
                                    const twin_pass_kind pass, const twin_layout layout,
                                    const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                                    const twin_condition *condition, const double turned) {
  const twin_system *const system = context->system;
  const twin_condition open = twin_open_condition(condition);
  shared_stream s = {.system = system,
                     .pass = pass,
                     .bytes = bytes,
                     .condition = condition,
                     .behind = volumes_of(context, node, pass, bytes, condition),
                     .behind_spilled = twin_spilled_bytes(context, pass, node, bytes, condition),
                     .own = volumes_of(context, node, pass, bytes, &open),
                     .own_spilled = twin_spilled_bytes(context, pass, node, bytes, &open)};
  s.own.once -= pass == TWIN_FORWARD ? bytes->deferred : 0; /* cores have no part in it */
  const bool is_once = system->tile_schedule || node->kind == TWIN_EMBEDDING;
  const double tile = is_once ? 1e300 : condition->cap_bytes / 2;
  const double n1 = ceil(bytes->kcore / tile);
  const double n2 = ceil((pass == TWIN_FORWARD ? bytes->s_in : bytes->s_out) / tile);
  const twin_times kernel_outer = {n1, pass == TWIN_UPDATE ? n1 : 1, 0};
  const twin_times feature_outer = {1, n2, 0};
  const twin_stream by_kernel = shared_with(&s, &kernel_outer);
  const twin_stream by_features = shared_with(&s, &feature_outer);
  twin_times times = kernel_outer;
  if (pass != TWIN_UPDATE &&
      slowest_of(system, &by_features, turned) < slowest_of(system, &by_kernel, turned)) {
    times = feature_outer;
  }
  if (system->has_blocked_tiles && !system->tile_schedule && times.left + times.right > 2) {
    twin_load loads[TWIN_LOADS];
    shared_loads(loads, &s, turned);
    times = twin_tiled_times(context, node, pass, layout, split, bytes, condition, loads, times);
  }
  return shared_with(&s, &times);
}

twin_stream twin_stream_of(const twin_context *context, const twin_node *node,
                           const twin_pass_kind pass, const twin_layout layout,
                           const double split[TWIN_DIM_COUNT], const twin_traffic *bytes,
                           const twin_condition *condition, const double turned) {
  const twin_system *const system = context->system;
  if (system->shared_bytes > 0) {
    return shared_stream_of(context, node, pass, layout, split, bytes, condition, turned);
  }
  const volumes v = volumes_of(context, node, pass, bytes, condition);
  const double spilled = twin_spilled_bytes(context, pass, node, bytes, condition);
  twin_times times = paper_times(system, pass, bytes, condition, &v, node->kind == TWIN_EMBEDDING);
  if (system->has_blocked_tiles && !system->tile_schedule && times.left + times.right > 2) {
    const volumes left = {.left = v.left, .left_share = v.left_share};
    const volumes right = {.right = v.right, .right_share = v.right_share};
    const volumes once = {.once = v.once};
    const volumes none = {0};
    const twin_times one = {1, 1, 1};
    const twin_stream each[] = {
        stream_with(system, &once, 0, &one), stream_with(system, &left, 0, &one),
        stream_with(system, &right, 0, &one), stream_with(system, &none, spilled, &one)};
    const double memory = system->memory_bytes_per_cycle;
    const double link = system->core_link_bytes_per_cycle;
    const twin_load loads[TWIN_LOADS] = {
        {(each[0].memory + turned) / memory, each[1].memory / memory, each[2].memory / memory,
         each[3].memory / memory},
        {(each[0].link + twin_even_bytes(system, turned)) / link, each[1].link / link,
         each[2].link / link, each[3].link / link},
    };
    times = twin_tiled_times(context, node, pass, layout, split, bytes, condition, loads, times);
  }
  return stream_with(system, &v, spilled, &times);
}
