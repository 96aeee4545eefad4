/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "report/explain_view.h"
#include "subjects.h"

#define CHOSEN .is_chosen = true, .is_best_of_parallelism = true
#define BEST .is_best_of_parallelism = true
#define DATA .parallelism = DSM_PARALLELISM_DATA
#define MODEL .parallelism = DSM_PARALLELISM_MODEL
#define HYBRID .parallelism = DSM_PARALLELISM_DATA_X_MODEL_Y
#define CYCLES(array, transfer, aux, rest)                                                         \
  .cycles = {.primary = (array),                                                                   \
             .overlapped_visible = (transfer),                                                     \
             .auxiliary = (aux),                                                                   \
             .non_overlapped = (rest),                                                             \
             .total = (array) + (transfer) + (aux) + (rest)}
#define SPLIT(out, mb) .split = {.n = {1, (out), 1, 1, (mb)}}

static dsm__page page;
/* The step takes 1000 cycles. */
static const dsm_plan plan = {.result = {.step_cycles = 1000}};

static void set_up(void) {
  page = dsm__page_begin(plain_style(100));
}

static void tear_down(void) {
  free(dsm__page_finish(&page));
}

#define ALTERNATIVES_MAX 4

/* Alternatives of the forward pass, and why the first is what the plan does. */
typedef struct pass_case {
  dsm_alternative alternatives[ALTERNATIVES_MAX];
  size_t count;
  const char *why;
} pass_case;

static pass_case pass_cases[] = {
    {{{CHOSEN, DATA, CYCLES(80, 20, 0, 0)}},
     1,
     "data is the only parallelism that this layer and the options allow."},
    /* 50 more, of which 40 = 80 % on the arrays */
    {{{CHOSEN, DATA, CYCLES(80, 20, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(120, 30, 0, 0), .network_cycles = 1050}},
     2,
     "data wins this pass: the next, model, takes 1.50x; 80 % of the difference is array "
     "underuse."},
    /* 50 more on the arrays, 40 of them decided by their start-up */
    {{{CHOSEN, DATA, CYCLES(80, 20, 0, 0), .resources.cycles[DSM_BOUND_COMPUTE] = 100},
      {BEST, MODEL, CYCLES(130, 20, 0, 0),
       .resources.cycles = {[DSM_BOUND_COMPUTE] = 110, [DSM_BOUND_STARTUP] = 40}}},
     2,
     "data wins this pass: the next, model, takes 1.50x, because of starting the arrays."},
    /* the nearest rival counts, wherever it stands */
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)},
      {BEST, MODEL, CYCLES(300, 0, 0, 0)},
      {BEST, HYBRID, CYCLES(200, 0, 0, 0)}},
     3,
     "data wins this pass: the next, data_x_model_y, takes 2.00x, because of array underuse."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)},
      {BEST, MODEL, CYCLES(100, 7, 0, 0), .stream_link = DSM_LINK_AXIS}},
     2,
     "data wins this pass: the next, model, takes 1.070x, because of visible rotation on link_x."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)},
      {BEST, MODEL, CYCLES(90, 70, 0, 0), .stream_link = DSM_LINK_MEMORY}},
     2,
     "data wins this pass: the next, model, takes 1.60x, because of visible transfer (memory)."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)},
      {BEST, MODEL, CYCLES(100, 50, 0, 0), .stream_link = DSM_LINK_RING}},
     2,
     "data wins this pass: the next, model, takes 1.50x, because of visible transfer (ring)."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 10, 0)}, {BEST, MODEL, CYCLES(100, 0, 65, 0)}},
     2,
     "data wins this pass: the next, model, takes 1.50x, because of auxiliary work."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)},
      {BEST, MODEL, CYCLES(100, 0, 0, 50), .group_cycles = {[DSM_GROUP_ROTATION] = 50}}},
     2,
     "data wins this pass: the next, model, takes 1.50x, because of rotating activation gradients "
     "between chips."},
    /* nothing that is known stands out */
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)}, {BEST, MODEL, CYCLES(100, 0, 0, 50)}},
     2,
     "data wins this pass: the next, model, takes 1.50x."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0)}, {BEST, MODEL, CYCLES(100, 0, 0, 0)}},
     2,
     "data and model take the same time in this pass."},
    /* faster alone, but 5 % slower in the network */
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(50, 0, 0, 0), .network_cycles = 1050}},
     2,
     "model alone would be faster in this pass (0.50x, because of array underuse), but with it the "
     "step would take 5.0 % longer: relayouts around the layer would cost more than it gains."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(50, 0, 0, 0), .network_cycles = 1000}},
     2,
     "model alone would be faster in this pass (0.50x, because of array underuse), but with it the "
     "step would take as long."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(50, 0, 0, 0), .network_cycles = 880}},
     2,
     "model alone would be faster in this pass (0.50x, because of array underuse), and with it the "
     "step would take 12 % less, with the best of all else and without the limit of memory."},
    /* other splits of the chosen parallelism */
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), SPLIT(4, 8)},
      {DATA, CYCLES(120, 0, 0, 0), SPLIT(1, 32)}},
     2,
     "data is the only parallelism that this layer and the options allow. Of its core splits out 4 "
     "mb 8 wins; the next, mb 32, takes 1.20x, because of array underuse."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), SPLIT(4, 8)},
      {DATA, CYCLES(100, 0, 0, 0), SPLIT(1, 32)}},
     2,
     "data is the only parallelism that this layer and the options allow. The core split mb 32 is "
     "as fast, but comes later in the order of preference."},
    /* a plan that was edited by hand */
    {{{.is_chosen = true, DATA, CYCLES(200, 0, 0, 0), SPLIT(32, 1)},
      {BEST, DATA, CYCLES(100, 0, 0, 0), SPLIT(1, 32)},
      {BEST, MODEL, CYCLES(150, 0, 0, 0), SPLIT(1, 32)}},
     3,
     "data wins this pass: the next, model, takes 1.50x, because of array underuse. Its core split "
     "is not the best: mb 32 takes 0.50x, because of array underuse."},
};

START_TEST(test_why_a_pass_is_as_it_is) {
  pass_case *const hand = &pass_cases[_i];
  const dsm_explanation explanation = {.reference_cycles = 1000,
                                       .alternatives = hand->alternatives,
                                       .alternative_count = hand->count};
  ck_assert_str_eq(dsm__explain_pass_why(&page, &plan, &explanation, DSM_PASS_FORWARD), hand->why);
}
END_TEST

/* A difference that three decimals do not show must not read as none. */
START_TEST(test_a_small_difference_is_not_shown_as_none) {
  dsm_alternative alternatives[] = {{CHOSEN, DATA, CYCLES(100000, 0, 0, 0)},
                                    {BEST, MODEL, CYCLES(100003, 0, 0, 0)}};
  const dsm_explanation explanation = {
      .reference_cycles = 1000, .alternatives = alternatives, .alternative_count = 2};
  const char *const why = dsm__explain_pass_why(&page, &plan, &explanation, DSM_PASS_FORWARD);
  ck_assert_msg(strstr(why, "1.000x") == NULL, "%s", why);
}
END_TEST

START_TEST(test_the_other_passes_can_be_what_decides) {
  dsm_alternative alternatives[] = {
      {CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(50, 0, 0, 0), .network_cycles = 1100},
      {CHOSEN, DATA, CYCLES(100, 0, 0, 0), .pass = DSM_PASS_UPDATE, .network_cycles = 1000},
      {BEST, MODEL, CYCLES(250, 0, 0, 0), .pass = DSM_PASS_UPDATE, .network_cycles = 1100},
  };
  const dsm_explanation explanation = {
      .reference_cycles = 1000, .alternatives = alternatives, .alternative_count = 4};
  ck_assert_str_eq(
      dsm__explain_pass_why(&page, &plan, &explanation, DSM_PASS_FORWARD),
      "model alone would be faster in this pass (0.50x, because of array underuse), but with it "
      "the "
      "step would take 10 % longer: the layer's other passes would lose more than this one gains.");
}
END_TEST

START_TEST(test_a_pass_that_is_not_there_has_no_reason) {
  const dsm_explanation explanation = {.alternative_count = 0};
  ck_assert_str_eq(dsm__explain_pass_why(&page, &plan, &explanation, DSM_PASS_UPDATE), "");
  ck_assert_str_eq(dsm__explain_layer_why(&page, &plan, &explanation), "");
}
END_TEST

static pass_case layer_cases[] = {
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000}}, 1, ""},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(150, 0, 0, 0), .network_cycles = 1200},
      {BEST, HYBRID, CYCLES(160, 0, 0, 0), .network_cycles = 1062}},
     3,
     "Over all its passes the layer alone is fastest with data too; with the next best for the "
     "network, data_x_model_y, the step would take 6.2 % longer."},
    {{{CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(75, 0, 0, 0), .network_cycles = 1200}},
     2,
     "Over all its passes the layer alone would be fastest with model (0.75x of data's time), but "
     "the network is not: with it the step would take 20 % longer, because of relayouts around the "
     "layer."},
};

START_TEST(test_why_a_layer_has_its_parallelism) {
  pass_case *const hand = &layer_cases[_i];
  const dsm_explanation explanation = {.reference_cycles = 1000,
                                       .alternatives = hand->alternatives,
                                       .alternative_count = hand->count};
  ck_assert_str_eq(dsm__explain_layer_why(&page, &plan, &explanation), hand->why);
}
END_TEST

/* ---- passes that may differ ---- */

static const dsm_plan per_pass_plan = {
    .options = {.optimizations = DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_PER_PASS)},
    .result = {.step_cycles = 1000}};

START_TEST(test_passes_that_differ_say_what_each_has) {
  dsm_alternative alternatives[] = {
      {CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(150, 0, 0, 0), .network_cycles = 1100},
      {CHOSEN, MODEL, CYCLES(100, 0, 0, 0), .pass = DSM_PASS_UPDATE, .network_cycles = 1000},
      {BEST, DATA, CYCLES(250, 0, 0, 0), .pass = DSM_PASS_UPDATE, .network_cycles = 1030},
      {BEST, HYBRID, CYCLES(260, 0, 0, 0), .pass = DSM_PASS_UPDATE},
  };
  const dsm_explanation explanation = {.reference_cycles = 1000,
                                       .alternatives = alternatives,
                                       .alternative_count = COUNT_OF(alternatives)};
  ck_assert_str_eq(dsm__explain_layer_why(&page, &per_pass_plan, &explanation),
                   "The passes may differ: forward data, update model. With the change of a single "
                   "pass that costs least, update with data, the step would take 3.0 % longer.");
}
END_TEST

/* A plan of one layer, whose output is held, with a pipeline: all that a parallelism can cost. */
START_TEST(test_a_pass_that_may_differ_is_kept_by_what_is_around_it) {
  dsm_alternative alternatives[] = {
      {CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(50, 0, 0, 0), .network_cycles = 1100},
  };
  const dsm_explanation explanation = {
      .reference_cycles = 1000, .alternatives = alternatives, .alternative_count = 2};
  dsm_layer_plan layer = {.decisions.is_output_held = true};
  dsm_plan holding = per_pass_plan;
  ck_assert_str_eq(
      dsm__explain_pass_why(&page, &holding, &explanation, DSM_PASS_FORWARD),
      "model alone would be faster in this pass (0.50x, because of array underuse), but with it "
      "the step would take 10 % longer: relayouts around the layer or other transfers of its "
      "weights would cost more than it gains.");
  holding.layers = &layer;
  holding.layer_count = 1;
  holding.pipeline_count = 1;
  ck_assert_str_eq(
      dsm__explain_pass_why(&page, &holding, &explanation, DSM_PASS_FORWARD),
      "model alone would be faster in this pass (0.50x, because of array underuse), but with it "
      "the step would take 10 % longer: relayouts around the layer, other transfers of its "
      "weights, outputs that no longer stay on chip or a pipeline that is given up would cost more "
      "than it gains.");
}
END_TEST

/* ---- what no mapping has ---- */

START_TEST(test_a_parallelism_that_no_mapping_has_is_said_to_have_none) {
  dsm_alternative alternatives[] = {
      {CHOSEN, DATA, CYCLES(100, 0, 0, 0), .network_cycles = 1000},
      {BEST, MODEL, CYCLES(50, 0, 0, 0)},
  };
  const dsm_explanation explanation = {
      .reference_cycles = 1000, .alternatives = alternatives, .alternative_count = 2};
  ck_assert_str_eq(dsm__explain_pass_why(&page, &plan, &explanation, DSM_PASS_FORWARD),
                   "model alone would be faster in this pass (0.50x, because of array underuse), "
                   "but no mapping of the network has it.");
  ck_assert_str_eq(dsm__explain_layer_why(&page, &plan, &explanation),
                   "Over all its passes the layer alone would be fastest with model (0.50x of "
                   "data's time), but no mapping of the network has it.");
  alternatives[1].cycles.total = 200;
  ck_assert_str_eq(dsm__explain_layer_why(&page, &plan, &explanation),
                   "Over all its passes the layer alone is fastest with data too.");
  ck_assert_str_eq(dsm__explain_layer_why(&page, &per_pass_plan, &explanation), "");
}
END_TEST

Suite *suite_explain_view(void) {
  Suite *const suite = suite_create("explain_view");
  TCase *const why = tcase_create("why");
  tcase_add_checked_fixture(why, set_up, tear_down);
  tcase_add_loop_test(why, test_why_a_pass_is_as_it_is, 0, COUNT_OF(pass_cases));
  tcase_add_test(why, test_a_small_difference_is_not_shown_as_none);
  tcase_add_test(why, test_the_other_passes_can_be_what_decides);
  tcase_add_test(why, test_a_pass_that_is_not_there_has_no_reason);
  tcase_add_loop_test(why, test_why_a_layer_has_its_parallelism, 0, COUNT_OF(layer_cases));
  tcase_add_test(why, test_passes_that_differ_say_what_each_has);
  tcase_add_test(why, test_a_pass_that_may_differ_is_kept_by_what_is_around_it);
  tcase_add_test(why, test_a_parallelism_that_no_mapping_has_is_said_to_have_none);
  suite_add_tcase(suite, why);
  return suite;
}
