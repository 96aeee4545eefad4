/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention, embeddings and the operations beside them, by hand (docs/model.md, sections 3 to 5 and
 * 12). */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

/* 4 x 2 chips of 4 cores; see fixture.h. */
static void set_up(void) {
  chips = friendly_system(4, 2);
  chips.model.causal_skip = true;
  chips.model.traffic[DSM_OPERATION_MULTIPLY] = (dsm_operation_traffic){1, 3};
  chips.model.traffic[DSM_OPERATION_DROPOUT] = (dsm_operation_traffic){2, 2};
  chips.model.traffic[DSM_OPERATION_DROPOUT_MASK] = (dsm_operation_traffic){1, 1};
  chips.model.traffic[DSM_OPERATION_ROTARY] = (dsm_operation_traffic){2, 2};
  chips.model.traffic[DSM_OPERATION_COPY] = (dsm_operation_traffic){2, 2};
  chips.model.traffic[DSM_OPERATION_SPLIT] = (dsm_operation_traffic){0, 2};
  machine = dsm_machine_derive(&chips);
}

/* 4 heads of queries and 2 of keys with 6 features, 3 positions and 10 keys, of which a mask hides
 * (3 - 1) / 2 / 10 = 0.1: in_el 4 * 6 * 3, out_el 4 * 10 * 3, operand_el 2 * 6 * 10. */
static dsm_layer score_layer(void) {
  return (dsm_layer){
      .name = "a.score",
      .is_product = true,
      .is_score = true,
      .in = 24,
      .out = 40,
      .ij = 3,
      .kij = 1,
      .strides = 1,
      .groups = 4,
      .operand_groups = 2,
      .timesteps = 1,
      .input_elements = 72,
      .output_elements = 120,
      .stored_elements = 120,
      .operand_elements = 120,
      .macs = 720,
      .hidden_share = 0.1,
      .has_op = {[DSM_AUX_SOFTMAX] = true},
      .has_backward = true,
      .live_elements = 120,
      .error_pair_elements = 120,
  };
}

/* The same keys by values of 6 features. */
static dsm_layer context_layer(void) {
  dsm_layer layer = score_layer();
  layer.name = "a.context";
  layer.is_score = false;
  layer.reads_score = true;
  layer.in = 40;
  layer.out = 24;
  layer.input_elements = 120;
  layer.output_elements = 72;
  layer.stored_elements = 72;
  layer.has_op[DSM_AUX_SOFTMAX] = false;
  return layer;
}

static dsm_pass_work work_of(const dsm_layer *layer, dsm_mode mode, dsm_pass pass,
                             dsm_parallelism parallelism) {
  const dsm_residency nothing = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, friendly_precision(), mode, pass, parallelism, 8,
                              &nothing);
}

/* ---- the share of a chip ---- */

/* 4 and 2 heads: two chips along Y share them, four along X do not, as 2 is not divisible by 4. */
START_TEST(test_chips_have_whole_heads) {
  const dsm_layer layer = score_layer();
  ck_assert(dsm_model_ways_fit(&layer, &chips, DSM_PARALLELISM_DATA));
  ck_assert(dsm_model_ways_fit(&layer, &chips, DSM_PARALLELISM_DATA_X_MODEL_Y));
  ck_assert(!dsm_model_ways_fit(&layer, &chips, DSM_PARALLELISM_MODEL_X_DATA_Y));
  ck_assert(!dsm_model_ways_fit(&layer, &chips, DSM_PARALLELISM_MODEL));
}
END_TEST

/* 2 ways: 2 of 4 groups, 12 of 24 and 20 of 40 features, 8 samples over 4 chips; nothing turns. */
START_TEST(test_share_of_heads_has_one_iteration) {
  const dsm_layer layer = score_layer();
  const dsm_pass_work work =
      work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD, DSM_PARALLELISM_DATA_X_MODEL_Y);
  ck_assert_uint_eq(work.share.groups, 2);
  ck_assert_uint_eq(work.share.turns, 1);
  ck_assert_uint_eq(work.share.model_ways, 2);
  ck_assert_uint_eq(work.share.chip.n[DSM_DIM_IN], 12);
  ck_assert_uint_eq(work.share.chip.n[DSM_DIM_OUT], 20);
  ck_assert_uint_eq(work.share.chip.n[DSM_DIM_MB], 2);
  ck_assert_double_eq(work.rotation_cycles, 0);
}
END_TEST

/* An embedding multiplies nothing: no iteration, no array, no turn. */
START_TEST(test_embedding_has_no_iteration) {
  const dsm_layer layer = {.name = "e",
                           .in = 1,
                           .out = 8,
                           .ij = 6,
                           .kij = 1,
                           .strides = 1,
                           .groups = 1,
                           .timesteps = 1,
                           .input_elements = 6,
                           .output_elements = 48,
                           .stored_elements = 48,
                           .weight_elements = 400,
                           .lookup_elements = 48,
                           .has_update = true};
  const dsm_pass_work work =
      work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE, DSM_PARALLELISM_MODEL);
  const dsm_loops split = loops(1, 1, 2, 1, 2);
  const dsm__core_work core = {.groups = 1, .in = 1, .out = 1, .ij = 3, .kij = 1, .mb = 4};
  ck_assert_uint_eq(work.share.turns, 0);
  ck_assert_double_eq(dsm__primary_of_core(&work, &core), 0);
  ck_assert_double_eq(work.rotation_cycles, 0);
  /* 48 of 400 elements a sample, 8 samples, 8 ways, 2 bytes; of a core its positions and samples */
  ck_assert_double_eq(work.bytes.kernel, 48 * 8 * 2 / 8.0);
  const dsm__core_bytes bytes =
      dsm__core_bytes_derive(&layer, work.share.groups, &work.bytes, &split);
  ck_assert_double_eq(bytes.kernel, 96 / 4.0);
  ck_assert_double_eq(dsm__partial_sum_bytes(&work, &split, &bytes), 0);
}
END_TEST

typedef struct divided {
  dsm_loops split;
  double parts;
} divided;

/* Cores that share heads of queries share those of keys: 2 of them, then what is within one. */
static const divided operands[] = {
    {{{1, 1, 1, 1, 1}}, 1}, {{{1, 2, 1, 1, 1}}, 2}, {{{1, 4, 1, 1, 1}}, 2},
    {{{1, 8, 1, 1, 1}}, 4}, {{{2, 2, 1, 1, 2}}, 8}, {{{1, 1, 3, 1, 4}}, 4},
};

START_TEST(test_operand_of_a_core_is_of_its_heads_and_samples) {
  const dsm_layer layer = score_layer();
  const dsm_chip_bytes bytes = {.kernel = 1920}; /* 120 elements of 8 samples, 2 bytes */
  const dsm__core_bytes core = dsm__core_bytes_derive(&layer, 4, &bytes, &operands[_i].split);
  ck_assert_double_eq(core.kernel, 1920 / operands[_i].parts);
}
END_TEST

/* ---- the arrays ---- */

/* 2 groups of 5 samples: each has ceil(6 / 4) * ceil(10 / 8) = 4 blocks, past which 3 positions
 * stream: 40 blocks of 3 + 10 and a start of 100. A mask hides a tenth of the blocks. */
START_TEST(test_samples_have_blocks_of_their_own) {
  dsm_layer layer = score_layer();
  const dsm__core_work core = {.groups = 2, .in = 6, .out = 10, .ij = 3, .kij = 1, .mb = 5};
  chips.array.block_cycles = 10;
  dsm_pass_work work = work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD, DSM_PARALLELISM_DATA);
  ck_assert_double_eq_tol(dsm__primary_of_core(&work, &core), 0.9 * 40 * 13 + 100, 1e-9);
  chips.model.causal_skip = false;
  work = work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD, DSM_PARALLELISM_DATA);
  ck_assert_double_eq(dsm__primary_of_core(&work, &core), 40 * 13 + 100);
}
END_TEST

/* Two invocations with half of a forward pass on top each; the context has nothing to make anew. */
START_TEST(test_fused_scores_are_made_anew) {
  const dsm_layer score = score_layer();
  const dsm_layer context = context_layer();
  const dsm_parallelism data = DSM_PARALLELISM_DATA;
  chips.model.fused_attention = true;
  ck_assert_double_eq(work_of(&score, DSM_MODE_TRAINING, DSM_PASS_FORWARD, data).product_share,
                      0.9);
  ck_assert_double_eq_tol(work_of(&score, DSM_MODE_TRAINING, DSM_PASS_BACKWARD, data).product_share,
                          1.35, 1e-15);
  ck_assert_double_eq(work_of(&context, DSM_MODE_TRAINING, DSM_PASS_BACKWARD, data).product_share,
                      0.9);
}
END_TEST

/* ---- memory traffic, one sample of a chip ---- */

/* 72, 120 and 120 elements of 2 bytes: queries, scores, keys; a mask of an eighth byte an element.
 */
START_TEST(test_fused_scores_stay_on_chip) {
  const dsm_layer score = score_layer();
  const dsm_layer context = context_layer();
  for (int fused = 0; fused < 2; fused++) {
    chips.model.fused_attention = fused == 1;
    for (int p = DSM_PASS_FORWARD; p <= DSM_PASS_BACKWARD; p++) {
      const bool is_backward = p == DSM_PASS_BACKWARD;
      const dsm_pass_work made =
          work_of(&score, DSM_MODE_TRAINING, (dsm_pass)p, DSM_PARALLELISM_DATA);
      const dsm_pass_work used =
          work_of(&context, DSM_MODE_TRAINING, (dsm_pass)p, DSM_PARALLELISM_DATA);
      ck_assert_double_eq(made.bytes.input_moved, 144);
      ck_assert_double_eq(made.bytes.kernel_moved, 240);
      ck_assert_double_eq(made.bytes.output_moved, fused ? 0 : 240);
      ck_assert_double_eq(used.bytes.input_moved, fused ? 0 : 240);
      ck_assert_double_eq(used.bytes.output_moved, 144);
      ck_assert_double_eq(made.bytes.mask, is_backward ? 9 : 0);
      ck_assert_double_eq(used.bytes.mask, is_backward && !fused ? 15 : 0);
    }
  }
}
END_TEST

/* A cache of 120 elements a sample, to which a step adds 36, in inference alone. */
START_TEST(test_new_keys_are_written_to_the_cache) {
  dsm_layer layer = score_layer();
  layer.cache_elements = 120;
  layer.cache_new_elements = 36;
  const dsm_parallelism data = DSM_PARALLELISM_DATA;
  ck_assert_double_eq(work_of(&layer, DSM_MODE_INFERENCE, DSM_PASS_FORWARD, data).bytes.state, 72);
  ck_assert_double_eq(work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD, data).bytes.state, 0);
}
END_TEST

/* 20 outputs of 36 positions, pooled to 9; one sample, 2 bytes. What is read has the size before
 * the pool: forward the other operand, backward both and the other's error, which may be on chip.
 */
START_TEST(test_multiply_reads_both_operands_on_the_way_back) {
  dsm_layer layer = pooled_conv();
  const double each = (double)layer.output_elements * 2;
  layer.has_op[DSM_AUX_MULTIPLY] = true;
  dsm_residency on_chip = dsm_residency_none(&machine);
  for (int held = 0; held < 2; held++) {
    on_chip.is_shortcut_held = held == 1;
    const dsm_pass_work forward =
        dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_FORWARD, DSM_PARALLELISM_DATA, 8, &on_chip);
    const dsm_pass_work backward =
        dsm_pass_work_derive(&layer, &machine, friendly_precision(), DSM_MODE_TRAINING,
                             DSM_PASS_BACKWARD, DSM_PARALLELISM_DATA, 8, &on_chip);
    ck_assert_double_eq(forward.bytes.shortcut, held ? 0 : each);
    ck_assert_double_eq(backward.bytes.shortcut, (held ? 2 : 3) * each);
  }
}
END_TEST

/* ---- auxiliary work: an exponential is 3 passes ---- */

/* Softmax over 120 scores: 5 * 120 forward, 120 backward, in two halves, of 0.9 of the scores;
 * fused, the forward work once more. */
START_TEST(test_softmax_of_scores_is_of_what_is_seen) {
  const dsm_layer layer = score_layer();
  const dsm_mode training = DSM_MODE_TRAINING;
  ck_assert_double_eq_tol(dsm__auxiliary_ops(&layer, &chips, training, DSM_PASS_FORWARD), 540,
                          1e-9);
  ck_assert_double_eq_tol(dsm__auxiliary_ops(&layer, &chips, training, DSM_PASS_BACKWARD), 54,
                          1e-9);
  chips.model.fused_attention = true;
  ck_assert_double_eq_tol(dsm__auxiliary_ops(&layer, &chips, training, DSM_PASS_BACKWARD), 324,
                          1e-9);
}
END_TEST

typedef struct operation {
  dsm_aux_op op;
  bool is_on_input;
  double forward;
  double inference;
  double backward;
} operation;

/* Of an fc of 10 inputs and 16 outputs, or of 6 turned and 40 grown elements. */
static const operation operations[] = {
    {DSM_AUX_RMS_NORM, false, 2 * 16, 16, 3 * 16},
    {DSM_AUX_SILU, false, 3 * 16, 3 * 16, 16},
    {DSM_AUX_MULTIPLY, false, 16, 16, 2 * 16},
    {DSM_AUX_DROPOUT, false, 16, 0, 16},
    {DSM_AUX_ROTARY, false, 2 * 6, 2 * 6, 2 * 6},
    {DSM_AUX_UPSAMPLE, false, 40, 40, 40},
    {DSM_AUX_LAYER_NORM, true, 2 * 10, 10, 4 * 10},
    {DSM_AUX_RMS_NORM, true, 2 * 10, 10, 3 * 10},
    {DSM_AUX_COPY, false, 0, 0, 0},
    {DSM_AUX_SPLIT, false, 0, 0, 0},
};

static dsm_layer with_operation(const operation *one) {
  dsm_layer layer = fc_layer(10, 16);
  *(one->is_on_input ? &layer.has_input_op[one->op] : &layer.has_op[one->op]) = true;
  layer.input_op_elements = one->is_on_input ? 10 : 0;
  layer.rotated_elements = one->op == DSM_AUX_ROTARY ? 6 : 0;
  layer.upsampled_elements = one->op == DSM_AUX_UPSAMPLE ? 40 : 0;
  return layer;
}

START_TEST(test_work_of_an_operation) {
  const operation *const one = &operations[_i];
  const dsm_layer layer = with_operation(one);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_FORWARD),
                      one->forward);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_INFERENCE, DSM_PASS_FORWARD),
                      one->inference);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_BACKWARD),
                      one->backward);
}
END_TEST

typedef struct moved {
  operation of;
  double fused; /* elements of 2 bytes */
  double forward;
  double backward;
  double kernels; /* unfused */
} moved;

/* A mask of 16 bytes is 8 elements, moved in any case. */
static const moved moves[] = {
    {{DSM_AUX_RMS_NORM, false, 0, 0, 0}, 2 * 16, 2 * 16, 5 * 16, 1},
    {{DSM_AUX_SILU, false, 0, 0, 0}, 0, 2 * 16, 3 * 16, 1},
    {{DSM_AUX_MULTIPLY, false, 0, 0, 0}, 0, 16, 3 * 16, 1},
    {{DSM_AUX_DROPOUT, false, 0, 0, 0}, 8, 2 * 16 + 8, 2 * 16 + 8, 1},
    {{DSM_AUX_ROTARY, false, 0, 0, 0}, 0, 2 * 6, 2 * 6, 1},
    {{DSM_AUX_UPSAMPLE, false, 0, 0, 0}, 0, 0, 0, 0},
    {{DSM_AUX_LAYER_NORM, true, 0, 0, 0}, 2 * 10, 2 * 10, 5 * 10, 1},
    {{DSM_AUX_RMS_NORM, true, 0, 0, 0}, 2 * 10, 2 * 10, 5 * 10, 1},
    {{DSM_AUX_COPY, false, 0, 0, 0}, 0, 2 * 16, 2 * 16, 1},
    {{DSM_AUX_SPLIT, false, 0, 0, 0}, 0, 0, 2 * 16, 0},
};

static double elements_of(const dsm_layer *layer, dsm_auxiliary_traffic rule, dsm_pass pass) {
  const dsm_residency nothing = dsm_residency_none(&machine);
  chips.model.auxiliary_traffic = rule;
  return dsm__auxiliary_elements(layer, &chips.model, DSM_MODE_TRAINING, pass, &nothing, 2);
}

START_TEST(test_traffic_of_an_operation) {
  const moved *const one = &moves[_i];
  const dsm_layer layer = with_operation(&one->of);
  ck_assert_double_eq(elements_of(&layer, DSM_AUXILIARY_TRAFFIC_NONE, DSM_PASS_FORWARD), 0);
  ck_assert_double_eq(elements_of(&layer, DSM_AUXILIARY_TRAFFIC_FUSED, DSM_PASS_FORWARD),
                      one->fused);
  ck_assert_double_eq(elements_of(&layer, DSM_AUXILIARY_TRAFFIC_UNFUSED, DSM_PASS_FORWARD),
                      one->forward);
  ck_assert_double_eq(elements_of(&layer, DSM_AUXILIARY_TRAFFIC_UNFUSED, DSM_PASS_BACKWARD),
                      one->backward);
  ck_assert_double_eq(
      dsm__auxiliary_kernels(&layer, &chips.model, DSM_MODE_TRAINING, DSM_PASS_FORWARD),
      one->kernels);
}
END_TEST

/* What works on the input, and forks: of 10 elements 2 + 5, of 7 errors 3; the rest is not. */
START_TEST(test_traffic_on_the_input) {
  const operation norm = {DSM_AUX_LAYER_NORM, true, 0, 0, 0};
  const dsm_residency nothing = dsm_residency_none(&machine);
  dsm_layer layer = with_operation(&norm);
  layer.fork_elements = 7;
  layer.has_op[DSM_AUX_DROPOUT] = true;
  chips.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_UNFUSED;
  chips.model.exact_forks = true;
  ck_assert_double_eq(dsm__input_elements(&layer, &chips.model, DSM_PASS_FORWARD, &nothing, 2),
                      2 * 10);
  ck_assert_double_eq(dsm__input_elements(&layer, &chips.model, DSM_PASS_BACKWARD, &nothing, 2),
                      5 * 10 + 3 * 7);
  ck_assert_double_eq(dsm__input_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 2 * 10);
  ck_assert_double_eq(dsm__input_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_BACKWARD),
                      4 * 10 + 7);
  ck_assert_double_eq(dsm__input_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 0);
}
END_TEST

/* 4 x 2 chips: of a column along the first axis each has the whole input and a fourth of the
 * output; a row has parts of the input and the whole output. */
START_TEST(test_input_of_a_role_is_wider_than_its_output) {
  const dsm_layer layer = fc_layer(16, 16);
  static const dsm_role roles[] = {DSM_ROLE_COLUMN, DSM_ROLE_ROW, DSM_ROLE_GATHER_COLUMN,
                                   DSM_ROLE_MODEL};
  static const double widenings[] = {4, 0.25, 1, 1};
  for (size_t i = 0; i < 4; i++) {
    const dsm_roles of = {{roles[i], DSM_ROLE_DATA}};
    const dsm_chip_share share =
        dsm_chip_share_derive(&layer, &machine, dsm_parallelism_of(&of, 2), 8);
    ck_assert_double_eq(dsm__input_widening(&machine, &share), widenings[i]);
  }
}
END_TEST

/* The softmax of 4 * 10 * 3 scores has 2, 3 of them, their dropout 2 and half of 1 for masks of
 * bytes, in an invocation of backward half of that; fused with the products none. */
START_TEST(test_traffic_of_a_dropout_of_scores) {
  dsm_layer score = score_layer();
  score.has_op[DSM_AUX_DROPOUT] = true;
  score.mask_elements = score.output_elements;
  chips.model.fused_attention = false;
  ck_assert_double_eq(elements_of(&score, DSM_AUXILIARY_TRAFFIC_UNFUSED, DSM_PASS_FORWARD),
                      4.5 * 120);
  ck_assert_double_eq(elements_of(&score, DSM_AUXILIARY_TRAFFIC_UNFUSED, DSM_PASS_BACKWARD),
                      5.5 * 120 / 2);
  chips.model.fused_attention = true;
  ck_assert_double_eq(elements_of(&score, DSM_AUXILIARY_TRAFFIC_UNFUSED, DSM_PASS_FORWARD), 0);
}
END_TEST

/* Score, softmax and context are three kernels, fused one; what else a context does is its own. */
START_TEST(test_fused_attention_is_one_kernel) {
  const dsm_layer score = score_layer();
  dsm_layer context = context_layer();
  const dsm_mode training = DSM_MODE_TRAINING;
  context.has_op[DSM_AUX_LAYER_NORM] = true;
  ck_assert_double_eq(dsm_invocation_kernels(&score, &machine, training, DSM_PASS_FORWARD), 2);
  ck_assert_double_eq(dsm_invocation_kernels(&context, &machine, training, DSM_PASS_FORWARD), 2);
  chips.model.fused_attention = true;
  ck_assert_double_eq(dsm_invocation_kernels(&score, &machine, training, DSM_PASS_FORWARD), 1);
  ck_assert_double_eq(dsm_invocation_kernels(&context, &machine, training, DSM_PASS_FORWARD), 1);
}
END_TEST

/* ---- capacity: 8 samples on 8 chips, one each ---- */

static dsm_layer_memory memory_of(const dsm_layer *layer, dsm_mode mode) {
  const dsm_workload workload = {.minibatch = 8,
                                 .element_bytes = 2,
                                 .gradient_bytes = 4,
                                 .weight_bytes = 2,
                                 .cache_bytes = 1,
                                 .input_last_use = DSM_NEVER_USED};
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  return dsm_layer_memory_derive(layer, &machine, &workload, mode, &layouts);
}

/* 120 scores of 2 bytes; fused 8 bytes for each of 4 heads and 3 positions, and no errors. */
START_TEST(test_fused_scores_take_two_sums_a_row) {
  const dsm_layer layer = score_layer();
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes, 240);
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).transient_bytes, 240);
  chips.model.fused_attention = true;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes, 8 * 4 * 3);
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).transient_bytes, 0);
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_INFERENCE).transient_bytes, 0);
}
END_TEST

/* 120 elements of a byte each, in inference. */
START_TEST(test_cache_takes_memory_in_inference) {
  dsm_layer layer = score_layer();
  layer.cache_elements = 120;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_INFERENCE).cache_bytes, 120);
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).cache_bytes, 0);
}
END_TEST

/* 16 outputs and a copy of 10 inputs of 2 bytes, and 16 bits. */
START_TEST(test_copies_and_masks_are_kept_for_the_way_back) {
  dsm_layer layer = fc_layer(10, 16);
  layer.input_op_elements = 10;
  layer.mask_elements = 16;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes, 2 * (16 + 10) + 2);
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_INFERENCE).activations_bytes, 0);
}
END_TEST

/* 16 outputs, of a loss 4 bytes each, and 20 results before them, 30 that activations need, 8
 * results of a pool or 12 of an upsample on the input in place of the 10 of a norm, and 16 bytes of
 * mask. */
START_TEST(test_what_gradients_need_is_kept_as_the_machine_says) {
  dsm_layer layer = fc_layer(10, 16);
  layer.input_op_elements = 10;
  layer.mask_elements = 16;
  layer.kept_results = 20;
  layer.kept_activations = 30;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes, 2 * (16 + 10) + 2);
  chips.model.kept_inputs = DSM_KEPT_INPUTS_WITHOUT_ACTIVATIONS;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes,
                      2 * (16 + 20 + 10) + 16);
  chips.model.kept_inputs = DSM_KEPT_INPUTS_ALL;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes,
                      2 * (16 + 20 + 30 + 10) + 16);
  layer.upsampled_elements = 12;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes,
                      2 * (16 + 20 + 30 + 12) + 16);
  layer.input_pool_elements = 8;
  layer.has_op[DSM_AUX_CROSS_ENTROPY] = true;
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_TRAINING).activations_bytes,
                      (4 + 4) * 16 + 2 * (20 + 30 + 8) + 16);
  ck_assert_double_eq(memory_of(&layer, DSM_MODE_INFERENCE).activations_bytes, 0);
}
END_TEST

Suite *suite_attention(void) {
  Suite *const suite = suite_create("attention");
  TCase *const shares = tcase_create("shares");
  tcase_add_checked_fixture(shares, set_up, NULL);
  tcase_add_test(shares, test_chips_have_whole_heads);
  tcase_add_test(shares, test_share_of_heads_has_one_iteration);
  tcase_add_test(shares, test_embedding_has_no_iteration);
  tcase_add_loop_test(shares, test_operand_of_a_core_is_of_its_heads_and_samples, 0,
                      COUNT_OF(operands));
  tcase_add_test(shares, test_samples_have_blocks_of_their_own);
  tcase_add_test(shares, test_fused_scores_are_made_anew);
  suite_add_tcase(suite, shares);
  TCase *const traffic = tcase_create("traffic");
  tcase_add_checked_fixture(traffic, set_up, NULL);
  tcase_add_test(traffic, test_fused_scores_stay_on_chip);
  tcase_add_test(traffic, test_new_keys_are_written_to_the_cache);
  tcase_add_test(traffic, test_multiply_reads_both_operands_on_the_way_back);
  tcase_add_loop_test(traffic, test_traffic_of_an_operation, 0, COUNT_OF(moves));
  tcase_add_test(traffic, test_fused_attention_is_one_kernel);
  tcase_add_test(traffic, test_traffic_on_the_input);
  tcase_add_test(traffic, test_input_of_a_role_is_wider_than_its_output);
  tcase_add_test(traffic, test_traffic_of_a_dropout_of_scores);
  suite_add_tcase(suite, traffic);
  TCase *const work = tcase_create("work");
  tcase_add_checked_fixture(work, set_up, NULL);
  tcase_add_test(work, test_softmax_of_scores_is_of_what_is_seen);
  tcase_add_loop_test(work, test_work_of_an_operation, 0, COUNT_OF(operations));
  suite_add_tcase(suite, work);
  TCase *const memory = tcase_create("memory");
  tcase_add_checked_fixture(memory, set_up, NULL);
  tcase_add_test(memory, test_fused_scores_take_two_sums_a_row);
  tcase_add_test(memory, test_cache_takes_memory_in_inference);
  tcase_add_test(memory, test_copies_and_masks_are_kept_for_the_way_back);
  tcase_add_test(memory, test_what_gradients_need_is_kept_as_the_machine_says);
  suite_add_tcase(suite, memory);
  return suite;
}
