/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of random products against nested counting that knows nothing of the library. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/text_buffer.h"
#include "random_numbers.h"
#include "shelf.h"
#include "suites.h"

enum { AXES_MAX = 4, VALUES_MAX = 6 };

static const char *const paths[AXES_MAX] = {"workload.minibatch", "system.array.rows",
                                            "system.array.columns", "system.pe.simd_macs"};

/* A random product: axis a has the values 1 .. counts[a]; without points where the values of two
 * axes are equal, and without those where the first axis is at least `limit`. */
typedef struct product {
  size_t axis_count;
  size_t counts[AXES_MAX];
  size_t first;
  size_t second;
  size_t limit;
} product;

static void write_product(const product *of, dsm__text_buffer *text) {
  dsm__text_puts(text, "{\"format\": \"dsm-sweep/1\", \"workloads\": [\"net\"], \"systems\": "
                       "[\"one\", \"two\"], \"axes\": [");
  for (size_t a = 0; a < of->axis_count; a++) {
    dsm__text_printf(text,
                     "%s{\"path\": \"%s\", \"range\": {\"from\": 1, \"to\": %zu, \"step\": "
                     "1}}",
                     a == 0 ? "" : ", ", paths[a], of->counts[a]);
  }
  dsm__text_printf(text, "], \"exclude\": [\"%s = %s\", \"system = two, %s >= %zu\"]}",
                   paths[of->first], paths[of->second], paths[0], of->limit);
}

static bool is_left_out(const product *of, size_t system, const size_t *values) {
  return values[of->first] == values[of->second] || (system == 1 && values[0] >= of->limit);
}

static void check_point(const dsm_sweep *sweep, size_t point, const product *of, size_t system,
                        const size_t *values) {
  ck_assert_uint_lt(point, sweep->point_count);
  ck_assert_str_eq(dsm_sweep_value(sweep, point, 0)->text, "net");
  ck_assert_str_eq(dsm_sweep_value(sweep, point, 1)->text, system == 0 ? "one" : "two");
  ck_assert_uint_eq(dsm_sweep_value(sweep, point, 1)->input, system);
  for (size_t a = 0; a < of->axis_count; a++) {
    char text[32];
    snprintf(text, sizeof text, "%zu", values[a]);
    ck_assert_str_eq(dsm_sweep_value(sweep, point, a + 2)->text, text);
    ck_assert(dsm_sweep_value(sweep, point, a + 2)->is_number);
    ck_assert_uint_eq((size_t)dsm_sweep_value(sweep, point, a + 2)->number, values[a]);
  }
}

/* All combinations, the last axis fastest. */
static size_t check_points(const dsm_sweep *sweep, const product *of) {
  size_t point = 0;
  uint64_t index = 0;
  size_t v[AXES_MAX] = {0};
  for (size_t system = 0; system < 2; system++) {
    for (v[0] = 1; v[0] <= of->counts[0]; v[0]++) {
      for (v[1] = 1; v[1] <= of->counts[1]; v[1]++) {
        for (v[2] = 1; v[2] <= of->counts[2]; v[2]++) {
          for (v[3] = 1; v[3] <= of->counts[3]; v[3]++, index++) {
            if (!is_left_out(of, system, v)) {
              check_point(sweep, point, of, system, v);
              ck_assert_uint_eq(sweep->products[point], index);
              point++;
            }
          }
        }
      }
    }
  }
  return point;
}

START_TEST(random_products) {
  uint64_t state = (uint64_t)_i + 1;
  product of = {.axis_count = 2 + random_below(&state, AXES_MAX - 1)};
  for (size_t a = 0; a < AXES_MAX; a++) {
    of.counts[a] = a < of.axis_count ? 1 + random_below(&state, VALUES_MAX) : 1;
  }
  of.counts[0]++; /* so that some point is left */
  of.first = 1;
  of.second = 0;
  of.limit = 1 + random_below(&state, VALUES_MAX);
  dsm__text_buffer text = {0};
  write_product(&of, &text);
  dsm_sweep *const sweep = sweep_of(text.text, NULL);
  ck_assert_uint_eq(check_points(sweep, &of), sweep->point_count);
  dsm_sweep *again = NULL;
  ck_assert_int_eq(dsm_sweep_make(&again, sweep->resolved, strlen(sweep->resolved), NULL, NULL,
                                  NULL, NULL, NULL),
                   DSM_OK);
  ck_assert_str_eq(again->digest, sweep->digest);
  ck_assert_uint_eq(check_points(again, &of), again->point_count);
  dsm_sweep_free(again);
  dsm_sweep_free(sweep);
  dsm__text_fini(&text);
}
END_TEST

START_TEST(too_many_points) {
  assert_refused(SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"range\": {\"from\": 1, "
                      "\"to\": 2000, \"step\": 1}}, {\"path\": \"system.array.rows\", \"range\": "
                      "{\"from\": 1, \"to\": 501, \"step\": 1}}]"),
                 NULL, DSM_ERROR_INVALID,
                 "dir/study.json:1:68: $.axes: error: expected at most 1000000 points, found 1 x 1 "
                 "x 2000 x 501 = 1002000 (conditions do not count)");
}
END_TEST

START_TEST(as_many_points_as_may_be) {
  dsm_sweep *const sweep = sweep_of(
      SPEC("\"axes\": [{\"path\": \"workload.minibatch\", \"range\": {\"from\": 1, \"to\": 2000, "
           "\"step\": 1}}, {\"path\": \"system.array.rows\", \"range\": {\"from\": 1, \"to\": 500, "
           "\"step\": 1}}], \"exclude\": [\"workload.minibatch > 1\"]"),
      NULL);
  ck_assert_uint_eq(sweep->point_count, 500);
  ck_assert_str_eq(dsm_sweep_value(sweep, 499, 3)->text, "500");
  dsm_sweep_free(sweep);
}
END_TEST

Suite *suite_sweep_product(void) {
  Suite *const suite = suite_create("sweep_product");
  TCase *const cases = tcase_create("all");
  tcase_set_timeout(cases, 60);
  tcase_add_loop_test(cases, random_products, 0, 100);
  tcase_add_test(cases, too_many_points);
  tcase_add_test(cases, as_many_points_as_may_be);
  suite_add_tcase(suite, cases);
  return suite;
}
