/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "sweep/point_record.h"

static const dsm_point_layer layers[] = {
    {.name = "conv1",
     .pass = DSM_PASS_UPDATE,
     .pass_decisions = {DSM_PARALLELISM_DATA_X_MODEL_Y, {{1, 2, 4, 1, 4}}},
     .decisions = {.dysm_factor = 8,
                   .is_output_held = true,
                   .output_layout = {2, 4, 8},
                   .weights_on_chip = 0.25,
                   .error_parallelism = DSM_PARALLELISM_COUNT},
     .bound = DSM_BOUND_RING,
     .cycles = {.primary = 1, .overlapped = 2, .total = 1e300},
     .utilization = 0.5},
    {.layer = 7, .name = "enc \xC3\xA9", .decisions.pipeline_group = "", .utilization = 1},
};

static const dsm_point_result results[] = {
    {.point = 41,
     .status = DSM_POINT_OK,
     .mode = DSM_MODE_INFERENCE,
     .minibatch = 2147483647,
     .optimizations = 5,
     .parallelisms = 15,
     .result = {.step_cycles = 1.0 / 3,
                .utilization = 0.685,
                .cycles = {.auxiliary = 3, .total = 7},
                .memory = {.weights_bytes = 1, .capacity_bytes = 8e9}},
     .decisions = "data 12; dysm 3",
     .layers = layers,
     .layer_count = COUNT_OF(layers),
     .plan = "{\"format\": \"dsm-plan/1\"}\n"},
    {.point = 3,
     .minibatch = 4000,
     .pim = {.choice = {.cores = 885, .tasklets = 12, .transfers = DSM_PIM_PARALLEL},
             .is_feasible = true,
             .kernel_seconds = 0.88,
             .host_to_cores_seconds = 0.85,
             .cores_to_host_seconds = 1e-9,
             .between_cores_seconds = 0.0024,
             .joules = 486,
             .updates_per_second = 1.2e9},
     .decisions = ""},
    {.point = 4,
     .step = {.micro_batches = 8, .stages = 4, .interleave = 2, .sharded_layers = 3},
     .result.storage = {.job.demand_bytes_per_second = 1e9,
                        .state = {.mini_epochs = 7, .stall_share = 0.25},
                        .waiting_seconds = 2}},
    {.point = 0, .status = DSM_POINT_INVALID, .reason = "$.core: \"scratchpad\" is not a number"},
    {.point = 999999, .status = DSM_POINT_INFEASIBLE, .reason = ""},
};

static dsm__arena *arena;
static dsm__text_buffer packed;

static void set_up(void) {
  arena = dsm__arena_new();
  ck_assert_ptr_nonnull(arena);
  packed = (dsm__text_buffer){0};
}

static void tear_down(void) {
  dsm__arena_free(arena);
  dsm__text_fini(&packed);
}

/* Unpacks from memory of exactly that size, so that sanitizers see a byte too far. */
static dsm_status unpack(dsm_point_result *result, const char *bytes, size_t length) {
  char *const exact = malloc(length == 0 ? 1 : length);
  ck_assert_ptr_nonnull(exact);
  memcpy(exact, bytes, length);
  const dsm_status status = dsm__result_unpack(result, exact, length, arena);
  free(exact);
  return status;
}

static void check_text(const char *a, const char *b) {
  ck_assert_int_eq(a == NULL, b == NULL);
  if (a != NULL) {
    ck_assert_str_eq(a, b);
  }
}

static void check_layer(const dsm_point_layer *a, const dsm_point_layer *b) {
  check_text(a->name, b->name);
  check_text(a->decisions.pipeline_group, b->decisions.pipeline_group);
  ck_assert_uint_eq(a->layer, b->layer);
  ck_assert_int_eq(a->pass, b->pass);
  ck_assert_int_eq(a->pass_decisions.parallelism, b->pass_decisions.parallelism);
  ck_assert_int_eq(a->bound, b->bound);
  ck_assert_mem_eq(&a->pass_decisions.core_split, &b->pass_decisions.core_split, sizeof(dsm_loops));
  ck_assert_mem_eq(&a->decisions.output_layout, &b->decisions.output_layout,
                   sizeof(dsm_core_layout));
  ck_assert_int_eq(a->decisions.error_parallelism, b->decisions.error_parallelism);
  ck_assert_mem_eq(&a->cycles, &b->cycles, sizeof a->cycles);
  ck_assert_uint_eq(a->decisions.dysm_factor, b->decisions.dysm_factor);
  ck_assert_int_eq(a->decisions.is_output_held, b->decisions.is_output_held);
  ck_assert_double_eq(a->decisions.weights_on_chip, b->decisions.weights_on_chip);
  ck_assert_double_eq(a->utilization, b->utilization);
}

START_TEST(what_is_packed_comes_out) {
  const dsm_point_result *const in = &results[_i];
  dsm_point_result out;
  dsm__result_pack(&packed, in);
  ck_assert(!packed.failed);
  ck_assert_int_eq(unpack(&out, packed.text, packed.length), DSM_OK);
  ck_assert_uint_eq(in->point, out.point);
  ck_assert_int_eq(in->status, out.status);
  ck_assert_int_eq(in->mode, out.mode);
  ck_assert_uint_eq(in->minibatch, out.minibatch);
  ck_assert_uint_eq(in->optimizations, out.optimizations);
  ck_assert_uint_eq(in->parallelisms, out.parallelisms);
  ck_assert_double_eq(in->result.step_cycles, out.result.step_cycles);
  ck_assert_double_eq(in->result.utilization, out.result.utilization);
  ck_assert_double_eq(in->result.cycles.auxiliary, out.result.cycles.auxiliary);
  ck_assert_mem_eq(&in->result.memory, &out.result.memory, sizeof in->result.memory);
  ck_assert_mem_eq(&in->result.storage, &out.result.storage, sizeof in->result.storage);
  ck_assert_mem_eq(&in->pim, &out.pim, sizeof in->pim);
  check_text(in->reason, out.reason);
  check_text(in->decisions, out.decisions);
  check_text(in->plan, out.plan);
  ck_assert_uint_eq(in->layer_count, out.layer_count);
  for (size_t i = 0; i < in->layer_count; i++) {
    check_layer(&in->layers[i], &out.layers[i]);
  }
}
END_TEST

START_TEST(bytes_that_are_cut_are_no_result) {
  dsm_point_result out;
  dsm__result_pack(&packed, &results[_i]);
  for (size_t length = 0; length < packed.length; length++) {
    ck_assert_int_eq(unpack(&out, packed.text, length), DSM_ERROR_INVALID);
    ck_assert_ptr_null(out.layers);
  }
}
END_TEST

START_TEST(bytes_behind_a_result_are_refused) {
  dsm_point_result out;
  dsm__result_pack(&packed, &results[_i]);
  dsm__text_append(&packed, "", 1);
  ck_assert_int_eq(unpack(&out, packed.text, packed.length), DSM_ERROR_INVALID);
}
END_TEST

/* Any byte may be anything: what comes out is a result whose enums name something, or none. */
START_TEST(bytes_that_are_wrong_do_no_harm) {
  static const unsigned char wrong[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
  dsm__result_pack(&packed, &results[_i]);
  for (size_t at = 0; at < packed.length; at++) {
    const char right = packed.text[at];
    for (size_t w = 0; w < sizeof wrong; w++) {
      dsm_point_result out;
      memcpy(&packed.text[at], &wrong[w], 1);
      if (unpack(&out, packed.text, packed.length) == DSM_OK) {
        ck_assert_int_lt(out.status, DSM_POINT_STATUS_COUNT);
        ck_assert_int_lt(out.mode, DSM_MODE_COUNT);
        for (size_t i = 0; i < out.layer_count; i++) {
          ck_assert_ptr_nonnull(out.layers[i].name);
          ck_assert_int_lt(out.layers[i].bound, DSM_BOUND_COUNT);
        }
      }
    }
    packed.text[at] = right;
  }
}
END_TEST

Suite *suite_result_pack(void) {
  Suite *const suite = suite_create("result_pack");
  TCase *const tcase = tcase_create("bytes");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_loop_test(tcase, what_is_packed_comes_out, 0, COUNT_OF(results));
  tcase_add_loop_test(tcase, bytes_that_are_cut_are_no_result, 0, COUNT_OF(results));
  tcase_add_loop_test(tcase, bytes_behind_a_result_are_refused, 0, COUNT_OF(results));
  tcase_add_loop_test(tcase, bytes_that_are_wrong_do_no_harm, 0, COUNT_OF(results));
  suite_add_tcase(suite, tcase);
  return suite;
}
