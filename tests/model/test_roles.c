/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_roles.c: what chips have, compute and send because of their roles, against a simulation that
 * places each element of a layer's tensors on the chips and moves pieces between them one by one.
 */
#include <string.h>

#include "fixture.h"
#include "model/chip_link.h"
#include "suites.h"

enum {
  ROLES = DSM_ROLE_COUNT,
  MOST_CHIPS = 12,
  SAMPLES = 12,
  ROWS = 24,
  IN = 12,
  OUT = 24,
  MOST_SIDE = 24
};

/* By hand: layouts before and behind, and what chips divide: Samples, Rows, In, Out, Both (groups).
 */
static const struct {
  char input;
  char output;
  char work;
  bool is_turning;
} table[ROLES] = {
    [DSM_ROLE_DATA] = {'D', 'D', 'S', false},
    [DSM_ROLE_SPATIAL] = {'S', 'S', 'R', false},
    [DSM_ROLE_MODEL] = {'F', 'F', 'O', true},
    [DSM_ROLE_MODEL_OUT] = {'F', 'F', 'I', true},
    [DSM_ROLE_COLUMN] = {'N', 'F', 'O', false},
    [DSM_ROLE_ROW] = {'F', 'N', 'I', false},
    [DSM_ROLE_GATHER_COLUMN] = {'S', 'F', 'O', false},
    [DSM_ROLE_ROW_SCATTER] = {'F', 'S', 'I', false},
    [DSM_ROLE_HEADS] = {'F', 'F', 'B', false},
    [DSM_ROLE_EXPERT] = {'D', 'D', 'B', false},
    [DSM_ROLE_WHOLE] = {'N', 'N', '-', false},
    [DSM_ROLE_CONTEXT] = {'S', 'S', 'R', false},
    [DSM_ROLE_GATHER_CONTEXT] = {'S', 'S', 'R', false},
};

static const grid sides_of[] = {{1, {2}},    {1, {3}},       {1, {1}},       {2, {2, 3}},
                                {2, {3, 1}}, {3, {2, 3, 2}}, {3, {1, 2, 3}}, {2, {2, 2}}};

static dsm_system chips;
static dsm_machine machine;

static void build(int index, dsm_link_kind link) {
  chips = friendly_grid(&sides_of[index]);
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    chips.system.axes[a].link = link;
  }
  chips.model.exact_rotation = true; /* pieces do not travel home */
  chips.model.collective_memory_bytes = 1;
  machine = dsm_machine_derive(&chips);
}

static int chip_count(void) {
  return (int)machine.chip_count;
}

static int place(int chip, unsigned axis) {
  for (unsigned a = 0; a < axis; a++) {
    chip /= (int)chips.system.axes[a].chips;
  }
  return chip % (int)chips.system.axes[axis].chips;
}

/* ---- which part of something cut along some axes a chip has ---- */

typedef struct part {
  int first;
  int end;
} part;

/* `cut` says of each axis whether it cuts. Parts are equal but for the last ones. */
static part part_of(int chip, int whole, const bool cut[DSM_AXES_MAX]) {
  int ways = 1;
  int own = 0;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    if (cut[a]) {
      own = own * (int)chips.system.axes[a].chips + place(chip, a);
      ways *= (int)chips.system.axes[a].chips;
    }
  }
  const int size = (whole + ways - 1) / ways;
  const int first = own * size < whole ? own * size : whole;
  return (part){first, first + size < whole ? first + size : whole};
}

static int size_of(part p) {
  return p.end - p.first;
}

static part cut_by(int chip, int whole, const char letters[DSM_AXES_MAX], const char *which) {
  bool cut[DSM_AXES_MAX] = {false};
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    cut[a] = strchr(which, letters[a]) != NULL;
  }
  return part_of(chip, whole, cut);
}

/* A tensor's elements that a chip has: samples, rows, features. */
typedef struct block {
  part of[3];
} block;

static block block_of(int chip, int features, const char layouts[DSM_AXES_MAX]) {
  return (block){{cut_by(chip, SAMPLES, layouts, "D"), cut_by(chip, ROWS, layouts, "S"),
                  cut_by(chip, features, layouts, "F")}};
}

static double elements_of(const block *b) {
  return (double)size_of(b->of[0]) * size_of(b->of[1]) * size_of(b->of[2]);
}

static bool has(const block *b, int sample, int row, int feature) {
  return sample >= b->of[0].first && sample < b->of[0].end && row >= b->of[1].first &&
         row < b->of[1].end && feature >= b->of[2].first && feature < b->of[2].end;
}

/* Elements of a block that another one lacks, one by one. */
static double lacking(const block *needed, const block *there) {
  double count = 0;
  for (int s = needed->of[0].first; s < needed->of[0].end; s++) {
    for (int r = needed->of[1].first; r < needed->of[1].end; r++) {
      for (int f = needed->of[2].first; f < needed->of[2].end; f++) {
        count += has(there, s, r, f) ? 0 : 1;
      }
    }
  }
  return count;
}

/* ---- layers and roles ---- */

static dsm_layer small_layer(void) {
  dsm_layer layer = conv_layer(IN, OUT, ROWS, 1, 1);
  layer.rows = ROWS;
  layer.stride_rows = 1;
  layer.stored_size = layer.stored_elements;
  return layer;
}

/* Roles with a number; those of `skipped` words never. False where there are no more. */
static bool roles_of(unsigned number, dsm_roles *roles) {
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    roles->of[a] = a < chips.system.axis_count ? (dsm_role)(number % ROLES) : DSM_ROLE_DATA;
    number /= a < chips.system.axis_count ? ROLES : 1;
  }
  return number == 0;
}

static bool has_role(const dsm_roles *roles, dsm_role role) {
  bool is_there = false;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    is_there = is_there || roles->of[a] == role;
  }
  return is_there;
}

typedef struct letters {
  char input[DSM_AXES_MAX];
  char output[DSM_AXES_MAX];
  char work[DSM_AXES_MAX];
} letters;

static letters letters_of(const dsm_roles *roles) {
  letters l;
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    l.input[a] = table[roles->of[a]].input;
    l.output[a] = table[roles->of[a]].output;
    l.work[a] = table[roles->of[a]].work;
  }
  return l;
}

static dsm_pass_work work_of(const dsm_layer *layer, dsm_pass pass, const dsm_roles *roles) {
  const dsm_residency nothing = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                              dsm_parallelism_of(roles, chips.system.axis_count), SAMPLES,
                              &nothing);
}

/* What the axes' links of an exchange carry in all; 0: there is none of the kind. */
static double sent(const dsm_pass_work *work, dsm_transfer transfer) {
  const dsm_exchanges list = dsm__exchanges_derive(work);
  double bytes = 0;
  for (unsigned i = 0; i < list.count; i++) {
    for (int a = 0; a < DSM_AXES_MAX && list.items[i].transfer == transfer; a++) {
      bytes += list.items[i].traffic.bytes[DSM_LINK_AXIS + a];
    }
  }
  return bytes;
}

static double sum_of_axes(const dsm_traffic *traffic) {
  double bytes = 0;
  for (int a = 0; a < DSM_AXES_MAX; a++) {
    bytes += traffic->bytes[DSM_LINK_AXIS + a];
  }
  return bytes;
}

/* Chips along the axes with a role. */
static int ways_of(const dsm_roles *roles, const char *works, bool is_turning) {
  int ways = 1;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    const bool is_one = strchr(works, table[roles->of[a]].work) != NULL &&
                        table[roles->of[a]].is_turning == is_turning;
    ways *= is_one ? (int)chips.system.axes[a].chips : 1;
  }
  return ways;
}

/* ---- sums, piece by piece ---- */

/* Chips of some axes have a part of the sum of each piece; along an axis after the other pieces go
 * round and add up. Counts what a chip sends along each axis; all contributors are in the end in
 * one place. */
static void scatter_sums(const bool member[DSM_AXES_MAX], double bytes,
                         double sent_along[DSM_AXES_MAX]) {
  static unsigned sums[MOST_CHIPS][MOST_CHIPS]; /* of a chip: of each piece who is in its sum */
  int pieces = 1;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    pieces *= member[a] ? (int)chips.system.axes[a].chips : 1;
    sent_along[a] = 0;
  }
  for (int c = 0; c < chip_count(); c++) {
    for (int p = 0; p < pieces; p++) {
      sums[c][p] = 1U << c;
    }
  }
  int stride = 1; /* of pieces that differ along this axis */
  int step = 1;   /* of chips */
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    const int n = (int)chips.system.axes[a].chips;
    for (int round = 1; member[a] && round < n; round++) {
      static unsigned before[MOST_CHIPS][MOST_CHIPS];
      memcpy(before, sums, sizeof sums);
      for (int c = 0; c < chip_count(); c++) {
        const int next = c + ((place(c, a) + 1) % n - place(c, a)) * step;
        for (int p = 0; p < pieces; p++) {
          bool is_mine = p / stride % n == (place(c, a) + n - round) % n;
          int inner = 1; /* pieces that an earlier axis left to this chip */
          for (unsigned b = 0; b < a; b++) {
            if (member[b]) {
              const int m = (int)chips.system.axes[b].chips;
              is_mine = is_mine && p / inner % m == place(c, b);
              inner *= m;
            }
          }
          if (is_mine) {
            sums[next][p] |= before[c][p];
            sent_along[a] += c == 0 ? bytes / pieces : 0;
          }
        }
      }
    }
    stride *= member[a] ? n : 1;
    step *= n;
  }
  for (int c = 0; c < chip_count(); c++) {
    int own = 0;
    int scale = 1;
    unsigned all = 0;
    for (unsigned a = 0; a < chips.system.axis_count; a++) {
      own += member[a] ? place(c, a) * scale : 0;
      scale *= member[a] ? (int)chips.system.axes[a].chips : 1;
    }
    for (int other = 0; other < chip_count(); other++) {
      bool is_group = true;
      for (unsigned a = 0; a < chips.system.axis_count; a++) {
        is_group = is_group && (member[a] || place(c, a) == place(other, a));
      }
      all |= is_group ? 1U << other : 0U;
    }
    ck_assert_uint_eq(sums[c][own], all);
  }
}

static double scattered(const dsm_roles *roles, dsm_role role, double bytes) {
  bool member[DSM_AXES_MAX] = {false};
  double along[DSM_AXES_MAX];
  double all = 0;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    member[a] = roles->of[a] == role;
  }
  scatter_sums(member, bytes, along);
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    all += along[a];
  }
  return all;
}

/* ---- what a chip has and computes ---- */

static void check_share(const dsm_layer *layer, const dsm_roles *roles) {
  const dsm_precision precision = friendly_precision();
  const letters l = letters_of(roles);
  const dsm_pass_work work = work_of(layer, DSM_PASS_FORWARD, roles);
  const dsm_chip_share *const share = &work.share;
  double macs = 0;
  for (int c = 0; c < chip_count(); c++) {
    macs += (double)size_of(cut_by(c, SAMPLES, l.work, "S")) *
            size_of(cut_by(c, ROWS, l.work, "R")) *
            size_of(cut_by(c, IN, l.work, layer->groups > 1 ? "B" : "I")) *
            size_of(cut_by(c, OUT, l.work, layer->groups > 1 ? "B" : "O")) / (double)layer->groups;
  }
  const double share_groups = (double)share->groups;
  const double own = (double)share->turns * (double)share->chip.n[DSM_DIM_IN] *
                     (double)share->chip.n[DSM_DIM_OUT] * (double)share->chip.n[DSM_DIM_IJ] *
                     (double)share->chip.n[DSM_DIM_MB] / share_groups;
  if (layer->groups == 1) {
    ASSERT_CLOSE(own * chip_count(), macs);
  }
  char used[DSM_AXES_MAX]; /* the input as the passes use it: gathered, tokens with experts */
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    used[a] = roles->of[a] == DSM_ROLE_GATHER_COLUMN ? 'N' : l.input[a];
    used[a] = roles->of[a] == DSM_ROLE_EXPERT ? 'F' : used[a];
  }
  char made[DSM_AXES_MAX]; /* the output before it is summed and scattered */
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    made[a] = roles->of[a] == DSM_ROLE_ROW_SCATTER ? 'N' : l.output[a];
  }
  const block input = block_of(0, IN, used);
  const block raw = block_of(0, OUT, made);
  const block stored = block_of(0, OUT, l.output);
  ASSERT_CLOSE(work.bytes.input, elements_of(&input) * precision.element_bytes);
  ASSERT_CLOSE(work.bytes.raw, elements_of(&raw) * precision.element_bytes);
  ASSERT_CLOSE(work.bytes.stored, elements_of(&stored) * precision.element_bytes);
  double weights = 0; /* pairs of features that the chip's work joins */
  const part outs = cut_by(0, OUT, l.work, "O");
  const part ins = cut_by(0, IN, l.work, "I");
  const part groups = cut_by(0, (int)layer->groups, l.work, "B");
  for (int i = 0; i < IN; i++) {
    for (int o = 0; o < OUT; o++) {
      const int of_in = i / (IN / (int)layer->groups);
      const int of_out = o / (OUT / (int)layer->groups);
      weights += of_in == of_out && of_in >= groups.first && of_in < groups.end && i >= ins.first &&
                         i < ins.end && o >= outs.first && o < outs.end
                     ? 1
                     : 0;
    }
  }
  ASSERT_CLOSE(work.bytes.kernel, weights * precision.element_bytes);
}

/* ---- what chips send ---- */

static void check_exchanges(const dsm_layer *layer, const dsm_roles *roles) {
  const dsm_precision precision = friendly_precision();
  const double wide = precision.partial_sum_bytes;
  const letters l = letters_of(roles);
  const dsm_pass_work forward = work_of(layer, DSM_PASS_FORWARD, roles);
  const dsm_pass_work backward = work_of(layer, DSM_PASS_BACKWARD, roles);
  const dsm_pass_work update = work_of(layer, DSM_PASS_UPDATE, roles);
  char whole_rows[DSM_AXES_MAX];
  char whole_raw[DSM_AXES_MAX];
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    whole_rows[a] = roles->of[a] == DSM_ROLE_GATHER_COLUMN ? 'N' : l.input[a];
    whole_raw[a] = roles->of[a] == DSM_ROLE_ROW_SCATTER ? 'N' : l.output[a];
  }
  /* Gathers: what a chip uses and does not have. */
  const block input = block_of(0, IN, l.input);
  const block used = block_of(0, IN, whole_rows);
  const block stored = block_of(0, OUT, l.output);
  const block raw = block_of(0, OUT, whole_raw);
  const double gathered = lacking(&used, &input) * precision.element_bytes;
  const double errors = lacking(&raw, &stored) * precision.element_bytes;
  ASSERT_CLOSE(sent(&forward, DSM_TRANSFER_ALL_GATHER), gathered);
  ASSERT_CLOSE(sent(&update, DSM_TRANSFER_ALL_GATHER), gathered + errors);
  ASSERT_CLOSE(sent(&backward, DSM_TRANSFER_ALL_GATHER), 0);
  dsm_layer frozen = *layer;
  frozen.has_update = false;
  const dsm_pass_work alone = work_of(&frozen, DSM_PASS_BACKWARD, roles);
  ASSERT_CLOSE(sent(&alone, DSM_TRANSFER_ALL_GATHER), errors);
  /* Sums: each chip has a part of each. */
  const double sums = elements_of(&raw) * wide;
  const double error_sums = elements_of(&used) * wide;
  ASSERT_CLOSE(sent(&forward, DSM_TRANSFER_ALL_REDUCE), 2 * scattered(roles, DSM_ROLE_ROW, sums));
  ASSERT_CLOSE(sent(&forward, DSM_TRANSFER_REDUCE_SCATTER),
               scattered(roles, DSM_ROLE_ROW_SCATTER, sums));
  ASSERT_CLOSE(sent(&backward, DSM_TRANSFER_ALL_REDUCE),
               2 * scattered(roles, DSM_ROLE_COLUMN, error_sums));
  ASSERT_CLOSE(sent(&backward, DSM_TRANSFER_REDUCE_SCATTER),
               scattered(roles, DSM_ROLE_GATHER_COLUMN, error_sums));
  ASSERT_CLOSE(sent(&update, DSM_TRANSFER_ALL_REDUCE), 0);
  ASSERT_CLOSE(sent(&update, DSM_TRANSFER_REDUCE_SCATTER), 0);
}

/* Chips that turn the input meet all of it that their other axes leave, and so for the output. */
static void check_rotation(const dsm_layer *layer, const dsm_roles *roles) {
  const dsm_precision precision = friendly_precision();
  const letters l = letters_of(roles);
  char all_in[DSM_AXES_MAX];
  char own_in[DSM_AXES_MAX];
  char all_out[DSM_AXES_MAX];
  char own_out[DSM_AXES_MAX];
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    own_in[a] = roles->of[a] == DSM_ROLE_GATHER_COLUMN ? 'N' : l.input[a];
    own_out[a] = roles->of[a] == DSM_ROLE_ROW_SCATTER ? 'N' : l.output[a];
    all_in[a] = roles->of[a] == DSM_ROLE_MODEL ? 'N' : own_in[a];
    all_out[a] = roles->of[a] == DSM_ROLE_MODEL_OUT ? 'N' : own_out[a];
  }
  const block in_used = block_of(0, IN, all_in);
  const block in_own = block_of(0, IN, own_in);
  const block out_used = block_of(0, OUT, all_out);
  const block out_own = block_of(0, OUT, own_out);
  const double inputs = (elements_of(&in_used) - elements_of(&in_own)) * precision.element_bytes;
  const double outputs = (elements_of(&out_used) - elements_of(&out_own)) * precision.element_bytes;
  const double widening = precision.partial_sum_bytes / precision.element_bytes;
  const dsm_pass_work forward = work_of(layer, DSM_PASS_FORWARD, roles);
  const dsm_pass_work backward = work_of(layer, DSM_PASS_BACKWARD, roles);
  const dsm_pass_work update = work_of(layer, DSM_PASS_UPDATE, roles);
  ASSERT_CLOSE(sum_of_axes(&forward.rotation), inputs);
  ASSERT_CLOSE(sum_of_axes(&forward.sum_rotation), outputs * widening);
  ASSERT_CLOSE(sum_of_axes(&backward.rotation), outputs);
  ASSERT_CLOSE(sum_of_axes(&backward.sum_rotation), inputs * widening);
  ASSERT_CLOSE(sum_of_axes(&update.rotation), inputs + outputs);
  ASSERT_CLOSE(sum_of_axes(&update.sum_rotation), 0);
}

/* Chips with the same weights have parts of their gradients if they worked on other samples or
 * rows. */
static void check_gradients(const dsm_layer *layer, const dsm_roles *roles) {
  const dsm_precision precision = friendly_precision();
  const dsm_pass_layouts layouts =
      dsm_pass_layouts_uniform(dsm_parallelism_of(roles, chips.system.axis_count));
  const dsm_weight_traffic traffic =
      dsm_weight_traffic_derive(layer, &machine, precision, &layouts);
  const double ways = ways_of(roles, "SR", false);
  const double cuts = ways_of(roles, "IOB", false) * ways_of(roles, "IO", true);
  const double bytes = (double)layer->weight_elements / cuts * (ways - 1) / ways;
  ASSERT_CLOSE(sum_of_axes(&traffic.sum_of_gradients), bytes * precision.gradient_bytes);
  ASSERT_CLOSE(sum_of_axes(&traffic.broadcast_weights), bytes * precision.element_bytes);
}

static void check_memory(const dsm_layer *layer, const dsm_roles *roles) {
  dsm_layer one = *layer;
  one.error_pair_elements = one.stored_elements + one.input_elements;
  const dsm_workload workload = {.minibatch = SAMPLES,
                                 .element_bytes = 2,
                                 .gradient_bytes = 4,
                                 .optimizer_bytes_per_weight = 8,
                                 .layers = &one,
                                 .layer_count = 1,
                                 .input_last_use = DSM_NEVER_USED};
  const dsm_pass_layouts layouts =
      dsm_pass_layouts_uniform(dsm_parallelism_of(roles, chips.system.axis_count));
  const letters l = letters_of(roles);
  const dsm_layer_memory memory =
      dsm_layer_memory_derive(&one, &machine, &workload, DSM_MODE_TRAINING, &layouts);
  const double weights =
      (double)one.weight_elements / ways_of(roles, "IOB", false) / ways_of(roles, "IO", true);
  const block stored = block_of(0, OUT, l.output);
  const block input = block_of(0, IN, l.input);
  ASSERT_CLOSE(memory.weights_bytes, weights * 2);
  ASSERT_CLOSE(memory.gradients_bytes, weights * 4);
  ASSERT_CLOSE(memory.optimizer_bytes, weights * 8 / ways_of(roles, "SR", false));
  ASSERT_CLOSE(memory.activations_bytes, elements_of(&stored) * 2);
  ASSERT_CLOSE(memory.transient_bytes, (elements_of(&stored) + elements_of(&input)) * 2);
}

/* ---- tokens to experts and back ---- */

/* A part of a part: of those that an axis cuts it into. */
static part cut_again(part whole, int chip, unsigned axis) {
  const int size = size_of(whole) / (int)chips.system.axes[axis].chips;
  const int first = whole.first + place(chip, axis) * size;
  return (part){first, first + size};
}

/* The tokens of a chip: of the samples that `data` leaves it, cut by experts' axes before `sent`,
 * and for the experts that the axes from there on leave it. All axes cut evenly. */
static block tokens_of(int chip, int features, const dsm_roles *roles, unsigned sent) {
  const letters l = letters_of(roles);
  block b = {{{0, SAMPLES}, cut_by(chip, ROWS, l.input, "S"), {0, features}}};
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    if (roles->of[a] == DSM_ROLE_DATA) {
      b.of[0] = cut_again(b.of[0], chip, a);
    }
  }
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    if (roles->of[a] == DSM_ROLE_EXPERT && a < sent) {
      b.of[0] = cut_again(b.of[0], chip, a);
    }
  }
  for (unsigned a = chips.system.axis_count; a-- > sent;) {
    if (roles->of[a] == DSM_ROLE_EXPERT) {
      b.of[2] = cut_again(b.of[2], chip, a);
    }
  }
  return b;
}

/* Pieces go from chip to chip along an axis, one way round its ring: what a link carries, which is
 * as much for all of them. */
static double carried_along(int features, const dsm_roles *roles, unsigned axis) {
  const int n = (int)chips.system.axes[axis].chips;
  double carried = 0;
  int step = 1;
  for (unsigned a = 0; a < axis; a++) {
    step *= (int)chips.system.axes[a].chips;
  }
  for (int p = 0; p < n; p++) {
    for (int q = 0; q < n; q++) {
      const block there = tokens_of(p * step, features, roles, axis + 1);
      const block needed = tokens_of(q * step, features, roles, axis);
      const double piece = elements_of(&needed) - lacking(&needed, &there);
      carried += piece * ((q - p + n) % n);
    }
  }
  return carried / n;
}

/* Of one tensor along all axes of experts, one after the other. */
static double dispatched(const dsm_roles *roles, int features) {
  double carried = 0;
  for (unsigned a = 0; a < chips.system.axis_count; a++) {
    carried += roles->of[a] == DSM_ROLE_EXPERT ? carried_along(features, roles, a) : 0;
  }
  return carried;
}

static double sent_to_experts(const dsm_layer *layer, dsm_pass pass, const dsm_roles *roles,
                              dsm_axis_set there) {
  dsm_residency residency = dsm_residency_none(&machine);
  residency.gathered_axes = there;
  const dsm_pass_work work =
      dsm_pass_work_derive(layer, &machine, friendly_precision(), DSM_MODE_TRAINING, pass,
                           dsm_parallelism_of(roles, chips.system.axis_count), SAMPLES, &residency);
  return sent(&work, DSM_TRANSFER_ALL_TO_ALL);
}

/* Samples of all chips meet at their experts, unless they are there, and return to where they came
 * from, unless they stay; their errors likewise. */
static void check_tokens(const dsm_layer *layer, const dsm_roles *roles) {
  const double input = dispatched(roles, IN) * friendly_precision().element_bytes;
  const double output = dispatched(roles, OUT) * friendly_precision().element_bytes;
  dsm_layer staying = *layer;
  staying.feeds_experts = true;
  dsm_layer first = *layer;
  first.has_backward = false;
  static const dsm_pass both[] = {DSM_PASS_FORWARD, DSM_PASS_BACKWARD};
  for (int p = 0; p < 2; p++) {
    ASSERT_CLOSE(sent_to_experts(layer, both[p], roles, 0), input + output);
    ASSERT_CLOSE(sent_to_experts(layer, both[p], roles, 7), output);
    ASSERT_CLOSE(sent_to_experts(&staying, both[p], roles, 0), input);
    ASSERT_CLOSE(sent_to_experts(&staying, both[p], roles, 7), 0);
  }
  ASSERT_CLOSE(sent_to_experts(layer, DSM_PASS_UPDATE, roles, 0), 0);
  ASSERT_CLOSE(sent_to_experts(&first, DSM_PASS_UPDATE, roles, 0), output);
}

/* All ways to give the axes roles. */
START_TEST(test_chips_have_and_send_what_is_counted_one_by_one) {
  build(_i, DSM_LINK_KIND_RING);
  const dsm_layer layer = small_layer();
  dsm_layer grouped = layer;
  grouped.groups = 12;
  grouped.weight_elements /= 12;
  dsm_layer expert = grouped;
  expert.experts = 12;
  expert.routed = ROWS * 12;
  expert.active_experts = 12;
  dsm_roles roles;
  for (unsigned n = 0; roles_of(n, &roles); n++) {
    const bool has_experts = has_role(&roles, DSM_ROLE_EXPERT);
    const bool has_groups = has_role(&roles, DSM_ROLE_HEADS) || has_experts;
    const bool cuts = ways_of(&roles, "IO", false) * ways_of(&roles, "IO", true) > 1 ||
                      has_role(&roles, DSM_ROLE_MODEL) || has_role(&roles, DSM_ROLE_MODEL_OUT);
    if (has_groups && (cuts || (has_experts && has_role(&roles, DSM_ROLE_HEADS)))) {
      continue;
    }
    const dsm_layer *const of = has_experts ? &expert : has_groups ? &grouped : &layer;
    check_share(of, &roles);
    check_exchanges(of, &roles);
    check_rotation(of, &roles);
    check_gradients(of, &roles);
    check_memory(of, &roles);
    check_tokens(of, &roles);
  }
}
END_TEST

/* Where features are cut two sums of 4 bytes a position and sample become whole on each chip: each
 * norm and softmax by itself, of the input where that is cut, of the output where raw is. Norms of
 * heads have none. */
START_TEST(test_statistics_of_cut_features_are_summed) {
  build(_i, DSM_LINK_KIND_RING);
  chips.model.feature_statistics = true;
  machine = dsm_machine_derive(&chips);
  dsm_layer plain = small_layer();
  dsm_layer layer = plain;
  layer.has_op[DSM_AUX_LAYER_NORM] = true;
  layer.has_op[DSM_AUX_SOFTMAX] = true;
  dsm_layer reading = plain;
  reading.has_input_op[DSM_AUX_RMS_NORM] = true;
  reading.input_op_elements = reading.input_elements;
  dsm_layer of_heads = plain;
  of_heads.has_op[DSM_AUX_RMS_NORM] = true;
  of_heads.head_norm_features = 1;
  dsm_roles roles;
  for (unsigned n = 0; roles_of(n, &roles); n++) {
    if (has_role(&roles, DSM_ROLE_HEADS) || has_role(&roles, DSM_ROLE_EXPERT)) {
      continue;
    }
    const letters l = letters_of(&roles);
    bool made[DSM_AXES_MAX] = {false}; /* along which chips have parts of the features */
    bool read[DSM_AXES_MAX] = {false};
    for (unsigned a = 0; a < chips.system.axis_count; a++) {
      made[a] = l.output[a] == 'F';
      read[a] = l.input[a] == 'F';
    }
    const double tokens =
        size_of(cut_by(0, SAMPLES, l.work, "S")) * size_of(cut_by(0, ROWS, l.work, "R")) * 2 * 4;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      double of_made[DSM_AXES_MAX];
      double of_read[DSM_AXES_MAX];
      double expected_made = 0;
      double expected_read = 0;
      scatter_sums(made, p == DSM_PASS_UPDATE ? 0 : 2 * tokens, of_made);
      scatter_sums(read, p == DSM_PASS_UPDATE ? 0 : tokens, of_read);
      for (unsigned a = 0; a < chips.system.axis_count; a++) {
        expected_made += 2 * of_made[a];
        expected_read += 2 * of_read[a];
      }
      const dsm_pass_work none = work_of(&plain, (dsm_pass)p, &roles);
      const dsm_pass_work of_outputs = work_of(&layer, (dsm_pass)p, &roles);
      const dsm_pass_work of_inputs = work_of(&reading, (dsm_pass)p, &roles);
      const dsm_pass_work of_no_sums = work_of(&of_heads, (dsm_pass)p, &roles);
      const double others = sent(&none, DSM_TRANSFER_ALL_REDUCE);
      ASSERT_CLOSE(sent(&of_no_sums, DSM_TRANSFER_ALL_REDUCE), others);
      ASSERT_CLOSE(sent(&of_outputs, DSM_TRANSFER_ALL_REDUCE), others + expected_made);
      ASSERT_CLOSE(sent(&of_inputs, DSM_TRANSFER_ALL_REDUCE), others + expected_read);
    }
  }
}
END_TEST

/* ---- relayouts ---- */

/* Along one axis a chip receives what it lacks; along several no less, and no more where it only
 * gathers. */
START_TEST(test_relayouts_bring_what_chips_lack) {
  static const char names[] = {'D', 'S', 'F', 'N'};
  const unsigned ways = 4 * 4 * 4 * 4 * 4 * 4;
  build(_i, DSM_LINK_KIND_SWITCH);
  for (unsigned n = 0; n < ways; n++) {
    dsm_layouts before;
    dsm_layouts after;
    char from[DSM_AXES_MAX];
    char to[DSM_AXES_MAX];
    unsigned rest = n;
    unsigned exchanged = 0; /* axes along which parts are exchanged, or cut anew */
    for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
      const bool is_there = a < chips.system.axis_count;
      before.of[a] = is_there ? (dsm_layout)(rest % 4) : DSM_LAYOUT_SAMPLES;
      after.of[a] = is_there ? (dsm_layout)(rest / 4 % 4) : DSM_LAYOUT_SAMPLES;
      from[a] = names[before.of[a]];
      to[a] = names[after.of[a]];
      exchanged += is_there && from[a] != to[a] && to[a] != 'N' ? 1 : 0;
      rest /= is_there ? 16 : 1;
    }
    if (rest > 0) {
      break;
    }
    const block there = block_of(0, IN, from);
    const block needed = block_of(0, IN, to);
    const dsm_traffic traffic =
        dsm_layout_traffic(&machine, (double)SAMPLES * ROWS * IN * 2, &before, &after);
    const double bytes = sum_of_axes(&traffic);
    const double least = lacking(&needed, &there) * 2;
    ck_assert_double_ge(bytes, least * (1 - 1e-12));
    if (chips.system.axis_count == 1 || exchanged == 0) {
      ASSERT_CLOSE(bytes, least);
    }
  }
}
END_TEST

/* ---- properties ---- */

/* An axis of one chip shares nothing, whatever its role. */
START_TEST(test_any_role_of_an_axis_of_one_chip_is_data) {
  static const uint64_t lengths[][2] = {{1, 3}, {3, 1}, {1, 1}};
  const dsm_loops split = {{2, 2, 1, 1, 1}};
  const grid sides = {2, {lengths[_i][0], lengths[_i][1]}};
  chips = friendly_grid(&sides);
  machine = dsm_machine_derive(&chips);
  dsm_layer layer = small_layer();
  layer.halo_rows = 2;
  for (unsigned n = 0; n < ROLES * ROLES; n++) {
    dsm_roles roles = {{(dsm_role)(n % ROLES), (dsm_role)(n / ROLES)}};
    dsm_roles plain = roles;
    bool has_groups = false; /* that the layer lacks */
    for (unsigned a = 0; a < 2; a++) {
      has_groups =
          has_groups ||
          (sides.chips[a] > 1 && (roles.of[a] == DSM_ROLE_EXPERT || roles.of[a] == DSM_ROLE_HEADS));
    }
    if (has_groups) {
      continue;
    }
    for (unsigned a = 0; a < 2; a++) {
      plain.of[a] = sides.chips[a] == 1 ? DSM_ROLE_DATA : roles.of[a];
    }
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      const dsm_pass_work work = work_of(&layer, (dsm_pass)p, &roles);
      const dsm_pass_work of_data = work_of(&layer, (dsm_pass)p, &plain);
      ck_assert_double_eq(dsm_invocation_score(&work, &split).total,
                          dsm_invocation_score(&of_data, &split).total);
    }
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(dsm_parallelism_of(&roles, 2));
    const dsm_pass_layouts of_data = dsm_pass_layouts_uniform(dsm_parallelism_of(&plain, 2));
    const dsm_weight_traffic a =
        dsm_weight_traffic_derive(&layer, &machine, friendly_precision(), &layouts);
    const dsm_weight_traffic b =
        dsm_weight_traffic_derive(&layer, &machine, friendly_precision(), &of_data);
    ck_assert_double_eq(dsm_group_cycles(&machine, &a.sum_of_gradients),
                        dsm_group_cycles(&machine, &b.sum_of_gradients));
    ck_assert_double_eq(dsm_group_cycles(&machine, &a.broadcast_weights),
                        dsm_group_cycles(&machine, &b.broadcast_weights));
    ck_assert_double_eq(dsm_group_cycles(&machine, &a.weight_update),
                        dsm_group_cycles(&machine, &b.weight_update));
  }
}
END_TEST

/* Where in and out change places, what forward does with model backward does with model_out. */
START_TEST(test_in_and_out_exchange_model_and_model_out) {
  static const dsm_role mirrored[ROLES] = {[DSM_ROLE_DATA] = DSM_ROLE_DATA,
                                           [DSM_ROLE_SPATIAL] = DSM_ROLE_SPATIAL,
                                           [DSM_ROLE_MODEL] = DSM_ROLE_MODEL_OUT,
                                           [DSM_ROLE_MODEL_OUT] = DSM_ROLE_MODEL,
                                           [DSM_ROLE_WHOLE] = DSM_ROLE_WHOLE};
  build(_i, DSM_LINK_KIND_RING);
  dsm_layer layer = small_layer();
  dsm_layer swapped = layer;
  swapped.in = layer.out;
  swapped.out = layer.in;
  swapped.input_elements = layer.output_elements;
  swapped.output_elements = swapped.stored_elements = swapped.stored_size = layer.input_elements;
  dsm_roles roles;
  for (unsigned n = 0; roles_of(n, &roles); n++) {
    dsm_roles other = roles;
    bool is_mirrored = true;
    for (unsigned a = 0; a < chips.system.axis_count; a++) {
      other.of[a] = mirrored[roles.of[a]];
      is_mirrored = is_mirrored && (roles.of[a] == DSM_ROLE_DATA || other.of[a] != DSM_ROLE_DATA);
    }
    if (!is_mirrored) {
      continue;
    }
    const dsm_pass_work forward = work_of(&layer, DSM_PASS_FORWARD, &roles);
    const dsm_pass_work backward = work_of(&swapped, DSM_PASS_BACKWARD, &other);
    const dsm_loops split = {{2, 1, 1, 1, 2}};
    const dsm_loops turned = {{1, 2, 1, 1, 2}};
    for (int a = 0; a < DSM_AXES_MAX; a++) {
      ASSERT_CLOSE(forward.rotation.bytes[a], backward.rotation.bytes[a]);
      ASSERT_CLOSE(forward.sum_rotation.bytes[a], backward.sum_rotation.bytes[a]);
    }
    const dsm_invocation_cost there = dsm_invocation_score(&forward, &split);
    const dsm_invocation_cost back = dsm_invocation_score(&backward, &turned);
    ASSERT_CLOSE(there.primary, back.primary);
    ASSERT_CLOSE(there.rotation, back.rotation);
    ASSERT_CLOSE(there.partial_sum, back.partial_sum);
  }
}
END_TEST

Suite *suite_roles(void) {
  Suite *const suite = suite_create("roles");
  TCase *const counted = tcase_create("one by one");
  tcase_set_timeout(counted, 60);
  tcase_add_loop_test(counted, test_chips_have_and_send_what_is_counted_one_by_one, 0,
                      COUNT_OF(sides_of));
  tcase_add_loop_test(counted, test_relayouts_bring_what_chips_lack, 0, COUNT_OF(sides_of));
  tcase_add_loop_test(counted, test_statistics_of_cut_features_are_summed, 0, COUNT_OF(sides_of));
  suite_add_tcase(suite, counted);
  TCase *const properties = tcase_create("properties");
  tcase_add_loop_test(properties, test_any_role_of_an_axis_of_one_chip_is_data, 0, 3);
  tcase_add_loop_test(properties, test_in_and_out_exchange_model_and_model_out, 0,
                      COUNT_OF(sides_of));
  suite_add_tcase(suite, properties);
  return suite;
}
