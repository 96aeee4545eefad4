/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include "report/loss.h"

/* A pass of 100 cycles: 40 useful, 10 of underuse, 20 visible, 5 auxiliary, 25 in two groups. */
static dsm_pass_plan make_pass(void) {
  return (dsm_pass_plan){
      .exists = true,
      .cycles = {.primary = 50,
                 .overlapped = 70,
                 .overlapped_visible = 20,
                 .auxiliary = 5,
                 .non_overlapped = 25,
                 .total = 100},
      .group_cycles = {[DSM_GROUP_STREAM] = 70,
                       [DSM_GROUP_SUM_OF_GRADIENTS] = 15,
                       [DSM_GROUP_WEIGHT_UPDATE] = 10},
      .ideal_cycles = 40,
  };
}

START_TEST(test_the_loss_of_a_pass_adds_up) {
  const dsm_pass_plan pass = make_pass();
  const dsm__loss loss = dsm__loss_of_pass(&pass);
  ck_assert_double_eq(loss.busy, 40);
  ck_assert_double_eq(loss.array, 10);
  ck_assert_double_eq(loss.transfer, 20);
  ck_assert_double_eq(loss.auxiliary, 5);
  ck_assert_double_eq(loss.other, 25);
  ck_assert_double_eq(loss.total, 100);
}
END_TEST

START_TEST(test_the_stream_is_no_part_of_what_never_overlaps) {
  const dsm_pass_plan pass = make_pass();
  const dsm__loss loss = dsm__loss_of_pass(&pass);
  ck_assert_double_eq(loss.groups[DSM_GROUP_STREAM], 0);
  ck_assert_double_eq(loss.groups[DSM_GROUP_SUM_OF_GRADIENTS], 15);
  ck_assert_double_eq(loss.groups[DSM_GROUP_WEIGHT_UPDATE], 10);
}
END_TEST

START_TEST(test_the_loss_of_a_plan_adds_the_groups_of_existing_passes) {
  dsm_layer_plan layers[2] = {{.layer = NULL}};
  layers[0].passes[DSM_PASS_FORWARD] = make_pass();
  layers[0].passes[DSM_PASS_UPDATE] = make_pass();
  layers[1].passes[DSM_PASS_UPDATE] = make_pass();
  layers[1].passes[DSM_PASS_BACKWARD] = make_pass();
  layers[1].passes[DSM_PASS_BACKWARD].exists = false;
  const dsm_plan plan = {.layers = layers,
                         .layer_count = 2,
                         .result = {.ideal_cycles = 120,
                                    .cycles = {.primary = 150,
                                               .overlapped_visible = 60,
                                               .auxiliary = 15,
                                               .non_overlapped = 75,
                                               .total = 300}}};
  const dsm__loss loss = dsm__loss_of_plan(&plan);
  ck_assert_double_eq(loss.busy + loss.array + loss.transfer + loss.auxiliary + loss.other,
                      loss.total);
  ck_assert_double_eq(loss.groups[DSM_GROUP_SUM_OF_GRADIENTS], 45);
  ck_assert_double_eq(loss.groups[DSM_GROUP_WEIGHT_UPDATE], 30);
}
END_TEST

static const struct {
  double groups[DSM_GROUP_COUNT];
  dsm_group largest;
} largest_groups[] = {
    {{0}, DSM_GROUP_STREAM},
    {{[DSM_GROUP_STREAM] = 9, [DSM_GROUP_RELAYOUT] = 1}, DSM_GROUP_RELAYOUT},
    {{[DSM_GROUP_PARTIAL_SUM] = 2, [DSM_GROUP_ROTATION] = 3}, DSM_GROUP_ROTATION},
    {{[DSM_GROUP_ROTATION] = 3, [DSM_GROUP_RELAYOUT] = 3}, DSM_GROUP_ROTATION},
};

START_TEST(test_the_largest_group_is_the_first_of_equals) {
  ck_assert_int_eq(dsm__loss_largest_group(largest_groups[_i].groups), largest_groups[_i].largest);
}
END_TEST

START_TEST(test_a_share_of_nothing_is_nothing) {
  ck_assert_double_eq(dsm__share(3, 4), 0.75);
  ck_assert_double_eq(dsm__share(3, 0), 0);
}
END_TEST

Suite *suite_loss(void) {
  Suite *const suite = suite_create("loss");
  TCase *const loss = tcase_create("loss");
  tcase_add_test(loss, test_the_loss_of_a_pass_adds_up);
  tcase_add_test(loss, test_the_stream_is_no_part_of_what_never_overlaps);
  tcase_add_test(loss, test_the_loss_of_a_plan_adds_the_groups_of_existing_passes);
  tcase_add_loop_test(loss, test_the_largest_group_is_the_first_of_equals, 0,
                      COUNT_OF(largest_groups));
  tcase_add_test(loss, test_a_share_of_nothing_is_nothing);
  suite_add_tcase(suite, loss);
  return suite;
}
