/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers whose tensors have elements of other sizes than the workload's 2 bytes (section 2). */
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"
#include "model/layer_words.h"

static dsm_system chips;
static dsm_machine machine;
static dsm_layer sized;

/* The fc of the example of docs/model.md: reads 1.75 bytes, makes 4, weights of 4. One chip. */
static void set_up(void) {
  chips = friendly_system(1, 1);
  chips.pe.rates[DSM_ELEMENT_TYPE_INT8] = 4;
  chips.pe.rates[DSM_ELEMENT_TYPE_FP16] = 2;
  machine = dsm_machine_derive(&chips);
  sized = fc_layer(40, 5);
  sized.stored_size = 10;
  sized.bytes = (dsm_layer_bytes){.input = 1.75, .output = 4, .weights = 4};
}

/* The type by the bytes of what is multiplied. */
static dsm_precision by_bytes(void) {
  dsm_precision precision = friendly_precision();
  precision.array_rate = 0;
  return precision;
}

static dsm_pass_work work_of(const dsm_layer *layer, dsm_mode mode, dsm_pass pass) {
  const dsm_residency nothing = dsm_residency_none(&machine);
  return dsm_pass_work_derive(layer, &machine, by_bytes(), mode, pass, DSM_PARALLELISM_DATA, 1,
                              &nothing);
}

/* 40 * 1.75, 5 * 4, 200 * 4; sums of 6 bytes over what the pass makes. */
START_TEST(test_each_tensor_has_its_bytes) {
  static const double sums[DSM_PASS_COUNT] = {6 / 4.0, 6 / 1.75, 6 / 4.0};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work = work_of(&sized, DSM_MODE_TRAINING, (dsm_pass)pass);
    ck_assert_double_eq(work.bytes.input, 70);
    ck_assert_double_eq(work.bytes.raw, 20);
    ck_assert_double_eq(work.bytes.stored, 20);
    ck_assert_double_eq(work.bytes.kernel, 800);
    ck_assert_double_eq(work.bytes.rotation, 70);
    ck_assert_double_eq(work.tensor_bytes.sum, sums[pass]);
  }
}
END_TEST

/* What states nothing is as it was, and weights have the workload's bytes. */
START_TEST(test_layer_that_states_nothing_has_the_workloads_bytes) {
  dsm_precision precision = by_bytes();
  precision.weight_bytes = 1;
  sized.bytes = (dsm_layer_bytes){.input = 0};
  const dsm_tensor_bytes bytes =
      dsm__tensor_bytes_derive(&sized, &precision, DSM_MODE_TRAINING, (dsm_pass)_i);
  ck_assert_double_eq(bytes.input, 2);
  ck_assert_double_eq(bytes.output, 2);
  ck_assert_double_eq(bytes.kernel, 1);
  ck_assert_double_eq(bytes.shortcut, 2);
  ck_assert_double_eq(bytes.sum, _i == DSM_PASS_UPDATE ? 6 : 3);
}
END_TEST

/* Scores by values of half a byte: of those that are kept a quarter, in inference. */
START_TEST(test_second_operand_has_its_makers_bytes_or_the_caches) {
  dsm_layer product = matmul_layer(6, 4, 1);
  product.operand_elements = 24;
  product.bytes = (dsm_layer_bytes){.operand = 0.5, .cache = 0.25};
  ck_assert_double_eq(work_of(&product, DSM_MODE_INFERENCE, DSM_PASS_FORWARD).bytes.kernel, 12);
  product.cache_elements = 24;
  product.cache_new_elements = 8;
  const dsm_pass_work kept = work_of(&product, DSM_MODE_INFERENCE, DSM_PASS_FORWARD);
  ck_assert_double_eq(kept.bytes.kernel, 6);
  ck_assert_double_eq(kept.bytes.state, 2);
  ck_assert_double_eq(work_of(&product, DSM_MODE_TRAINING, DSM_PASS_FORWARD).bytes.kernel, 12);
}
END_TEST

/* 5 outputs of 4 bytes and a shortcut of 1; a multiply reads both and writes its error. */
START_TEST(test_shortcuts_have_their_makers_bytes) {
  sized.bytes.shortcut = 1;
  sized.has_op[DSM_AUX_RESIDUAL] = true;
  ck_assert_double_eq(work_of(&sized, DSM_MODE_TRAINING, DSM_PASS_FORWARD).bytes.shortcut, 5);
  ck_assert_double_eq(work_of(&sized, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).bytes.shortcut, 5);
  sized.has_op[DSM_AUX_RESIDUAL] = false;
  sized.has_op[DSM_AUX_MULTIPLY] = true;
  ck_assert_double_eq(work_of(&sized, DSM_MODE_TRAINING, DSM_PASS_FORWARD).bytes.shortcut, 5);
  ck_assert_double_eq(work_of(&sized, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).bytes.shortcut,
                      20 + 2 * 5);
}
END_TEST

/* A softmax reads and writes 5 outputs of 4 bytes; a norm of the input 40 of 1.75. */
START_TEST(test_auxiliary_traffic_has_the_bytes_of_its_side) {
  chips.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_FUSED;
  sized.has_op[DSM_AUX_SOFTMAX] = true;
  ck_assert_double_eq(work_of(&sized, DSM_MODE_TRAINING, DSM_PASS_FORWARD).bytes.auxiliary, 40);
  sized.has_op[DSM_AUX_SOFTMAX] = false;
  sized.has_input_op[DSM_AUX_RMS_NORM] = true;
  sized.input_op_elements = 40;
  ck_assert_double_eq(work_of(&sized, DSM_MODE_TRAINING, DSM_PASS_FORWARD).bytes.auxiliary, 140);
}
END_TEST

static double rate_of(double input, double output, double weights, dsm_pass pass) {
  sized.bytes = (dsm_layer_bytes){.input = input, .output = output, .weights = weights};
  return work_of(&sized, DSM_MODE_TRAINING, pass).precision.array_rate;
}

/* Of 1, 2 and 4 bytes rates are 4, 2 and 1: by the larger of what a pass multiplies. */
START_TEST(test_rate_is_of_the_larger_operand) {
  ck_assert_double_eq(rate_of(0, 0, 0, DSM_PASS_FORWARD), 2);
  ck_assert_double_eq(rate_of(1, 0, 1, DSM_PASS_FORWARD), 4);
  ck_assert_double_eq(rate_of(1, 0, 1, DSM_PASS_BACKWARD), 2); /* errors of 2 */
  ck_assert_double_eq(rate_of(1, 0, 1, DSM_PASS_UPDATE), 2);
  ck_assert_double_eq(rate_of(0, 0, 1, DSM_PASS_FORWARD), 2);
  ck_assert_double_eq(rate_of(0, 0, 4, DSM_PASS_FORWARD), 1);
  ck_assert_double_eq(rate_of(0, 0, 4, DSM_PASS_UPDATE), 2);
  ck_assert_double_eq(rate_of(1, 1, 1, DSM_PASS_UPDATE), 4);
  ck_assert_double_eq(rate_of(0, 4, 0, DSM_PASS_FORWARD), 2); /* what is made is no operand */
}
END_TEST

/* Its backward pass multiplies errors by both. */
START_TEST(test_products_of_activations_have_three_operands_on_the_way_back) {
  dsm_layer product = matmul_layer(6, 4, 1);
  product.bytes = (dsm_layer_bytes){.input = 4, .output = 1, .operand = 1};
  ck_assert_double_eq(work_of(&product, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).precision.array_rate,
                      1);
  product.bytes.input = 1;
  ck_assert_double_eq(work_of(&product, DSM_MODE_TRAINING, DSM_PASS_BACKWARD).precision.array_rate,
                      4);
}
END_TEST

START_TEST(test_stated_type_has_its_rate_in_all_layers) {
  const dsm_precision stated = friendly_precision(); /* rate 1 */
  ck_assert_double_eq(
      dsm__pass_array_rate(&sized, &chips, &stated, DSM_MODE_TRAINING, (dsm_pass)_i), 1);
}
END_TEST

/* 3 tiles one after the other, 10 summed up, 4 rows of 1 byte and 4 columns of 4. */
START_TEST(test_tiles_fetch_operands_of_their_sizes) {
  const dsm_tensor_bytes bytes = {.input = 1, .output = 2, .kernel = 4};
  dsm__product product = {.batch = 1, .rows = 4, .columns = 4, .summed = 10};
  static const double each[DSM_PASS_COUNT][2] = {{1, 4}, {2, 4}, {2, 1}};
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    dsm__product_size(&product, &bytes, (dsm_pass)pass);
    ck_assert_double_eq(product.row_bytes, each[pass][0]);
    ck_assert_double_eq(product.column_bytes, each[pass][1]);
  }
  const dsm_precision slow = {.element_bytes = 2, .array_rate = 1000};
  const dsm_tile tile = {{4, 4, 1}};
  dsm__product_size(&product, &bytes, DSM_PASS_FORWARD);
  const double mixed = dsm__tile_time(&machine, &slow, &product, &tile).ring;
  product.row_bytes = product.column_bytes = 0;
  ASSERT_CLOSE(mixed / dsm__tile_time(&machine, &slow, &product, &tile).ring,
               (4 * 1 + 4 * 4) / (8 * 2.0));
}
END_TEST

/* 200 weights of 4 bytes, gradients of 4; 5 outputs of 4 bytes and a copy of 40 inputs of 1.75. */
START_TEST(test_memory_has_the_bytes_of_each) {
  const dsm_workload workload = {.minibatch = 1,
                                 .element_bytes = 2,
                                 .gradient_bytes = 4,
                                 .weight_bytes = 1,
                                 .cache_bytes = 1,
                                 .input_last_use = DSM_NEVER_USED};
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  sized.input_op_elements = 40;
  const dsm_layer_memory training =
      dsm_layer_memory_derive(&sized, &machine, &workload, DSM_MODE_TRAINING, &layouts);
  ck_assert_double_eq(training.weights_bytes, 800);
  ck_assert_double_eq(training.gradients_bytes, 800);
  ck_assert_double_eq(training.activations_bytes, 20 + 70);
  sized.cache_elements = 100;
  sized.bytes.cache = 0.5;
  ck_assert_double_eq(
      dsm_layer_memory_derive(&sized, &machine, &workload, DSM_MODE_INFERENCE, &layouts)
          .cache_bytes,
      50);
}
END_TEST

/* The last of n axes has n chips; the layer's 5 outputs of 4 bytes for 6 samples. */
START_TEST(test_stages_and_relayouts_have_the_bytes_of_what_moves) {
  chips = friendly_system(4, 2);
  machine = dsm_machine_derive(&chips);
  const dsm_traffic over = dsm_hand_over_traffic(&sized, &machine, by_bytes(), 6);
  ck_assert_double_eq(over.bytes[DSM_LINK_AXIS + 1], 5 * 6 * 4 / 4.0);
  dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  layouts.of[DSM_PASS_UPDATE] = DSM_PARALLELISM_MODEL;
  const dsm_update_relayouts mixed =
      dsm_update_relayouts_derive(&sized, &machine, by_bytes(), 6, &layouts);
  sized.bytes = (dsm_layer_bytes){.input = 0};
  const dsm_update_relayouts plain =
      dsm_update_relayouts_derive(&sized, &machine, by_bytes(), 6, &layouts);
  ASSERT_CLOSE(mixed.input.bytes[DSM_LINK_AXIS] / plain.input.bytes[DSM_LINK_AXIS], 1.75 / 2);
  ASSERT_CLOSE(mixed.error.bytes[DSM_LINK_AXIS] / plain.error.bytes[DSM_LINK_AXIS], 2);
}
END_TEST

/* Layers that differ in any size are not one. */
START_TEST(test_sizes_tell_layers_apart) {
  double *const sizes[] = {&sized.bytes.input,    &sized.bytes.output,  &sized.bytes.operand,
                           &sized.bytes.shortcut, &sized.bytes.weights, &sized.bytes.cache,
                           &sized.bytes.fork};
  uint64_t before[DSM__LAYER_WORDS];
  uint64_t after[DSM__LAYER_WORDS];
  dsm__layer_words(&sized, before);
  *sizes[_i] = 8;
  dsm__layer_words(&sized, after);
  ck_assert_mem_ne(before, after, sizeof before);
}
END_TEST

/* ---- types by use ---- */

/* Bits and a part of the scale of a block, by hand. */
START_TEST(test_types_have_bytes_and_scales) {
  static const struct {
    dsm_element_type type;
    double bytes;
  } rows[] = {
      {DSM_ELEMENT_TYPE_ANY, 0},           {DSM_ELEMENT_TYPE_FP32, 4},
      {DSM_ELEMENT_TYPE_TF32, 4},          {DSM_ELEMENT_TYPE_BF16, 2},
      {DSM_ELEMENT_TYPE_FP16, 2},          {DSM_ELEMENT_TYPE_FP8, 1},
      {DSM_ELEMENT_TYPE_E4M3, 1},          {DSM_ELEMENT_TYPE_E5M2, 1},
      {DSM_ELEMENT_TYPE_INT8, 1},          {DSM_ELEMENT_TYPE_MXFP8, 33 / 32.0},
      {DSM_ELEMENT_TYPE_INT4, 66 / 128.0}, {DSM_ELEMENT_TYPE_FP4, 9 / 16.0},
      {DSM_ELEMENT_TYPE_NVFP4, 9 / 16.0},  {DSM_ELEMENT_TYPE_MXFP4, 17 / 32.0},
  };
  ck_assert_int_eq(COUNT_OF(rows), DSM_ELEMENT_TYPE_COUNT);
  for (int i = 0; i < COUNT_OF(rows); i++) {
    ck_assert_double_eq(dsm_element_type_bytes(rows[i].type), rows[i].bytes);
  }
}
END_TEST

/* The fc of docs/model.md, 40 inputs and 5 outputs of 2 bytes, that reads fp8. */
static dsm_layer fp8_layer(void) {
  dsm_layer layer = fc_layer(40, 5);
  layer.casts = (dsm_layer_casts){.operands = DSM_ELEMENT_TYPE_FP8,
                                  .is_input_cast = true,
                                  .is_error_cast = true,
                                  .are_weights_cast = true};
  layer.has_backward = layer.has_update = true;
  return layer;
}

/* By hand in docs/model.md. Gradients have 4 bytes here. */
START_TEST(test_products_read_operands_and_write_what_is_stored) {
  static const double inputs[DSM_PASS_COUNT] = {40, 80, 40};
  static const double outputs[DSM_PASS_COUNT] = {10, 5, 5};
  static const double kernels[DSM_PASS_COUNT] = {200, 200, 800};
  static const double casts[DSM_PASS_COUNT] = {40 * (2 + 1), 5 * (2 + 1), 0};
  chips.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_UNFUSED;
  const dsm_layer layer = fp8_layer();
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work = work_of(&layer, DSM_MODE_TRAINING, (dsm_pass)pass);
    ck_assert_double_eq(work.bytes.input, inputs[pass]);
    ck_assert_double_eq(work.bytes.raw, outputs[pass]);
    ck_assert_double_eq(work.bytes.kernel, kernels[pass]);
    ck_assert_double_eq(work.bytes.rotation, 80);
    ck_assert_double_eq(work.bytes.output_rotation, 10);
    ck_assert_double_eq(work.bytes.auxiliary, casts[pass]);
    ck_assert_double_eq(
        dsm__auxiliary_kernels(&layer, &chips.model, DSM_MODE_TRAINING, (dsm_pass)pass),
        pass == DSM_PASS_UPDATE ? 0 : 1);
  }
  chips.model.auxiliary_traffic = DSM_AUXILIARY_TRAFFIC_FUSED;
  ck_assert_double_eq(work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_FORWARD).bytes.auxiliary, 0);
}
END_TEST

/* A layer without a backward pass casts errors as it updates. */
START_TEST(test_casts_are_passes_over_elements) {
  dsm_layer layer = fp8_layer();
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 40);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_BACKWARD), 5);
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 0);
  ck_assert_double_eq(dsm__input_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_FORWARD), 40);
  layer.has_backward = false;
  ck_assert_double_eq(dsm__auxiliary_ops(&layer, &chips, DSM_MODE_TRAINING, DSM_PASS_UPDATE), 5);
}
END_TEST

/* Of 16 bits 2, of fp8 3; of 4 bits those of 8, unless there is a rate. */
START_TEST(test_operands_have_the_rate_of_their_type) {
  dsm_layer layer = fp8_layer();
  chips.pe.rates[DSM_ELEMENT_TYPE_FP8] = 3;
  const dsm_precision all = friendly_precision(); /* one type for all, of rate 1 */
  ck_assert_double_eq(
      dsm__pass_array_rate(&layer, &chips, &all, DSM_MODE_TRAINING, DSM_PASS_BACKWARD), 3);
  layer.casts.operands = DSM_ELEMENT_TYPE_MXFP4;
  ck_assert_double_eq(work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE).precision.array_rate, 3);
  ck_assert_int_eq(dsm_system_rate_type(&chips, DSM_ELEMENT_TYPE_MXFP4), DSM_ELEMENT_TYPE_FP8);
  ck_assert_int_eq(dsm_system_rate_type(&chips, DSM_ELEMENT_TYPE_INT4), DSM_ELEMENT_TYPE_INT8);
  chips.pe.rates[DSM_ELEMENT_TYPE_FP4] = 6;
  ck_assert_double_eq(work_of(&layer, DSM_MODE_TRAINING, DSM_PASS_UPDATE).precision.array_rate, 6);
  ck_assert_int_eq(dsm_system_rate_type(&chips, DSM_ELEMENT_TYPE_NVFP4), DSM_ELEMENT_TYPE_FP4);
  const dsm_workload narrow = {.element_bytes = 2, .element_type = DSM_ELEMENT_TYPE_FP8};
  ck_assert_double_eq(dsm_precision_of(&narrow, &chips).array_rate, 0); /* of operands alone */
  const dsm_workload stated = {.element_bytes = 2,
                               .element_type = DSM_ELEMENT_TYPE_BF16,
                               .types = {.of = {[DSM_USE_OPERANDS] = DSM_ELEMENT_TYPE_FP8}}};
  ck_assert_int_eq(dsm_workload_element_type(&stated), DSM_ELEMENT_TYPE_FP8);
}
END_TEST

/* 200 weights of int4 on a core of so many operations a cycle, forward and backward. */
START_TEST(test_narrow_weights_are_widened_as_they_are_read) {
  static const double passes[DSM_PASS_COUNT] = {200, 200, 0};
  dsm_layer layer = fc_layer(40, 5);
  layer.bytes.weights = 66 / 128.0;
  layer.casts.are_weights_typed = layer.casts.are_weights_widened = true;
  for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
    const dsm_pass_work work = work_of(&layer, DSM_MODE_TRAINING, (dsm_pass)pass);
    ck_assert_double_eq(work.bytes.kernel, 200 * 66 / 128.0);
    ck_assert_double_eq(work.precision.array_rate, 2); /* of activations */
    ASSERT_CLOSE(dsm__widening_ops(&layer, (dsm_pass)pass, &work.bytes, &work.tensor_bytes),
                 passes[pass]);
    ASSERT_CLOSE(work.auxiliary_cycles,
                 passes[pass] / (double)chips.chip.cores / chips.core.sfu_ops_per_cycle);
  }
  chips.chip.cores = 1;
  chips.core.sfu_ops_per_cycle = 4;
  ck_assert_double_eq(dsm__special_function_cycles(&machine, 200), 50);
}
END_TEST

/* Weights of 2 bytes are cast to 1: 600 bytes of memory, 400 of gradients of 2. */
START_TEST(test_cast_weights_are_kept_and_written_twice) {
  const dsm_workload workload = {.minibatch = 1,
                                 .element_bytes = 2,
                                 .gradient_bytes = 2,
                                 .optimizer = DSM_OPTIMIZER_ADAM,
                                 .input_last_use = DSM_NEVER_USED};
  const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(DSM_PARALLELISM_DATA);
  const dsm_precision precision = dsm_precision_of(&workload, &chips);
  dsm_layer layer = fp8_layer();
  const dsm_layer_memory training =
      dsm_layer_memory_derive(&layer, &machine, &workload, DSM_MODE_TRAINING, &layouts);
  ck_assert_double_eq(training.weights_bytes, 200 * (2 + 1));
  ck_assert_double_eq(training.gradients_bytes, 400);
  ck_assert_double_eq(dsm__kept_weight_bytes(&layer, &workload, DSM_MODE_INFERENCE), 1);
  const dsm_traffic cast =
      dsm_weight_traffic_derive(&layer, &machine, precision, &layouts).weight_update;
  layer.casts.are_weights_cast = false;
  const dsm_traffic plain =
      dsm_weight_traffic_derive(&layer, &machine, precision, &layouts).weight_update;
  ck_assert_double_eq(cast.bytes[machine.auxiliary_link] - plain.bytes[machine.auxiliary_link],
                      200 * (2 + 1));
  ck_assert_double_eq(plain.bytes[machine.auxiliary_link], 200 * 28);
}
END_TEST

/* A momentum of bf16 saves 2 bytes read and 2 written; adam has two. */
START_TEST(test_momenta_are_moved_in_their_type) {
  ck_assert_double_eq(dsm__optimizer_traffic_bytes(DSM_OPTIMIZER_SGD, DSM_ELEMENT_TYPE_BF16), 16);
  ck_assert_double_eq(dsm__optimizer_traffic_bytes(DSM_OPTIMIZER_ADAM, DSM_ELEMENT_TYPE_BF16), 20);
  ck_assert_double_eq(dsm__optimizer_traffic_bytes(DSM_OPTIMIZER_ADAM_MIXED, DSM_ELEMENT_TYPE_FP8),
                      40 - 12);
  ck_assert_double_eq(dsm__optimizer_traffic_bytes(DSM_OPTIMIZER_NONE, DSM_ELEMENT_TYPE_BF16), 0);
}
END_TEST

/* What a norm before has cast is read faster the fewer bytes it has, at one rate of all types. */
START_TEST(test_fewer_bytes_are_never_slower) {
  static const dsm_element_type narrower[] = {
      DSM_ELEMENT_TYPE_FP32,  DSM_ELEMENT_TYPE_BF16,  DSM_ELEMENT_TYPE_MXFP8, DSM_ELEMENT_TYPE_FP8,
      DSM_ELEMENT_TYPE_NVFP4, DSM_ELEMENT_TYPE_MXFP4, DSM_ELEMENT_TYPE_INT4};
  for (int type = 0; type < DSM_ELEMENT_TYPE_COUNT; type++) {
    chips.pe.rates[type] = 1;
  }
  const dsm_loops whole = {{1, 1, 1, 1, 1}};
  double before = HUGE_VAL;
  for (int i = 0; i < COUNT_OF(narrower); i++) {
    dsm_layer layer = fc_layer(64, 512);
    layer.casts.operands = narrower[i];
    const dsm_pass_work work = work_of(&layer, DSM_MODE_TRAINING, (dsm_pass)_i);
    const double cycles = dsm_invocation_score(&work, &whole).total;
    ck_assert_double_le(cycles, before);
    before = cycles;
  }
}
END_TEST

Suite *suite_element_sizes(void) {
  Suite *const suite = suite_create("element sizes");
  TCase *const all = tcase_create("all");
  tcase_add_checked_fixture(all, set_up, NULL);
  tcase_add_test(all, test_each_tensor_has_its_bytes);
  tcase_add_loop_test(all, test_layer_that_states_nothing_has_the_workloads_bytes, 0,
                      DSM_PASS_COUNT);
  tcase_add_test(all, test_second_operand_has_its_makers_bytes_or_the_caches);
  tcase_add_test(all, test_shortcuts_have_their_makers_bytes);
  tcase_add_test(all, test_auxiliary_traffic_has_the_bytes_of_its_side);
  tcase_add_test(all, test_rate_is_of_the_larger_operand);
  tcase_add_test(all, test_products_of_activations_have_three_operands_on_the_way_back);
  tcase_add_loop_test(all, test_stated_type_has_its_rate_in_all_layers, 0, DSM_PASS_COUNT);
  tcase_add_test(all, test_tiles_fetch_operands_of_their_sizes);
  tcase_add_test(all, test_memory_has_the_bytes_of_each);
  tcase_add_test(all, test_stages_and_relayouts_have_the_bytes_of_what_moves);
  tcase_add_loop_test(all, test_sizes_tell_layers_apart, 0, 7);
  tcase_add_test(all, test_types_have_bytes_and_scales);
  tcase_add_test(all, test_products_read_operands_and_write_what_is_stored);
  tcase_add_test(all, test_casts_are_passes_over_elements);
  tcase_add_test(all, test_operands_have_the_rate_of_their_type);
  tcase_add_test(all, test_narrow_weights_are_widened_as_they_are_read);
  tcase_add_test(all, test_cast_weights_are_kept_and_written_twice);
  tcase_add_test(all, test_momenta_are_moved_in_their_type);
  tcase_add_loop_test(all, test_fewer_bytes_are_never_slower, 0, DSM_PASS_COUNT);
  suite_add_tcase(suite, all);
  return suite;
}
