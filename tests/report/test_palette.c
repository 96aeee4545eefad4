/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure/palette.h"

/* CIELAB, D65. */
typedef struct lab {
  double l;
  double a;
  double b;
} lab;

/* How linear RGB looks to people with all cones, and without those for long, middle and short waves
 * (Machado et al., IEEE TVCG 15(6), 2009, severity 1). */
static const double sights[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                       {{0.152286, 1.052583, -0.204868},
                                        {0.114503, 0.786281, 0.099216},
                                        {-0.003882, -0.048116, 1.051998}},
                                       {{0.367322, 0.860646, -0.227968},
                                        {0.280085, 0.672501, 0.047413},
                                        {-0.011820, 0.042940, 0.968881}},
                                       {{1.255528, -0.076749, -0.178779},
                                        {-0.078411, 0.930809, 0.147602},
                                        {0.004733, 0.691367, 0.303900}}};

static double channel(const char *color, int index) {
  const char digits[3] = {color[1 + 2 * index], color[2 + 2 * index], '\0'};
  char *end;
  const double value = (double)strtol(digits, &end, 16) / 255;
  ck_assert_str_eq(end, "");
  return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double root(double value) {
  return value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116;
}

static lab seen(const char *color, int sight) {
  double rgb[3];
  ck_assert_uint_eq(strlen(color), 7);
  ck_assert_int_eq(color[0], '#');
  for (int row = 0; row < 3; row++) {
    rgb[row] = 0;
    for (int i = 0; i < 3; i++) {
      rgb[row] += sights[sight][row][i] * channel(color, i);
    }
    rgb[row] = fmin(fmax(rgb[row], 0), 1);
  }
  const double x = root((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047);
  const double y = root(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = root((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
  return (lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double distance(const char *one, const char *other, int sight) {
  const lab p = seen(one, sight);
  const lab q = seen(other, sight);
  return sqrt((p.l - q.l) * (p.l - q.l) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

START_TEST(test_everybody_tells_the_parts_of_a_time_apart) {
  for (int one = 0; one < DSM__PART_COUNT; one++) {
    for (int other = 0; other < one; other++) {
      const double found = distance(dsm__color_of_part((dsm__time_part)one),
                                    dsm__color_of_part((dsm__time_part)other), _i);
      ck_assert_msg(found >= 14, "%s and %s are %g apart", dsm__part_phrase((dsm__time_part)one),
                    dsm__part_phrase((dsm__time_part)other), found);
    }
  }
}
END_TEST

/* Of data and model, then of other roles. */
static const char *parallelism_color(int index) {
  return index < DSM_PARALLELISM_COUNT
             ? dsm__color_of_parallelism((dsm_parallelism)index)
             : dsm__color_of_roles((size_t)(index - DSM_PARALLELISM_COUNT));
}

START_TEST(test_everybody_tells_parallelisms_and_passes_apart) {
  for (int one = 0; one < DSM_PARALLELISM_COUNT + DSM__ROLE_COLORS; one++) {
    for (int other = 0; other < one; other++) {
      ck_assert_double_ge(distance(parallelism_color(one), parallelism_color(other), _i), 14);
    }
  }
  for (int one = 0; one < DSM_PASS_COUNT; one++) {
    for (int other = 0; other < one; other++) {
      ck_assert_double_ge(
          distance(dsm__color_of_pass((dsm_pass)one), dsm__color_of_pass((dsm_pass)other), _i), 14);
    }
  }
}
END_TEST

START_TEST(test_a_shade_gets_darker_and_its_ink_stands_out) {
  double before = 101;
  for (int step = 0; step <= 20; step++) {
    const dsm__shade shade = dsm__shade_of(step / 20.0);
    const double light = seen(shade.color, _i).l;
    ck_assert_double_lt(light, before);
    ck_assert_double_ge(fabs(light - seen(shade.ink, _i).l), 40);
    before = light;
  }
  ck_assert_str_eq(dsm__shade_of(-1).color, dsm__shade_of(0).color);
  ck_assert_str_eq(dsm__shade_of(2).color, dsm__shade_of(1).color);
}
END_TEST

START_TEST(test_series_have_colors_without_end) {
  ck_assert_str_ne(dsm__color_of_series(0), dsm__color_of_series(7));
  ck_assert_str_eq(dsm__color_of_series(0), dsm__color_of_series(8));
}
END_TEST

START_TEST(test_roles_beyond_the_palette_have_its_last_color) {
  ck_assert_str_eq(dsm__color_of_roles(7), dsm__color_of_roles(200));
}
END_TEST

Suite *suite_palette(void) {
  Suite *const suite = suite_create("palette");
  TCase *const tests = tcase_create("palette");
  tcase_add_loop_test(tests, test_everybody_tells_the_parts_of_a_time_apart, 0, 4);
  tcase_add_loop_test(tests, test_everybody_tells_parallelisms_and_passes_apart, 0, 4);
  tcase_add_loop_test(tests, test_a_shade_gets_darker_and_its_ink_stands_out, 0, 4);
  tcase_add_test(tests, test_series_have_colors_without_end);
  tcase_add_test(tests, test_roles_beyond_the_palette_have_its_last_color);
  suite_add_tcase(suite, tests);
  return suite;
}
