/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How wide elasticities are shown, of parameters made by hand; what is shown the cases say
 * (tests/cli/cases: describe_elasticity, explore_sensitivity, score_elasticity). */
#include <stdlib.h>

#include "answers.h"
#include "reading.h"
#include "subjects.h"
#include "suites.h"

enum { NETWORKS = 2, PARAMETERS = 8 };

/* Two networks on one system. */
static dsm_workload networks[NETWORKS];
static const dsm_workload *const network_list[NETWORKS] = {&networks[0], &networks[1]};
static const dsm_response references[NETWORKS] = {
    {.time_ratio = 1, .step_cycles = 1e6, .step_seconds = 1e-3, .utilization = 0.5},
    {.time_ratio = 1, .step_cycles = 4e6, .step_seconds = 4e-3, .utilization = 0.25},
};
static dsm_elasticity made;
static const dsm_elasticity *const items[] = {&made, &made};

#define NUMBER(value)                                                                              \
  { .kind = DSM_SETTING_NUMBER, .number = (value) }
#define FLAG(value)                                                                                \
  { .kind = DSM_SETTING_FLAG, .number = (value) ? 1 : 0, .word = (value) ? "true" : "false" }
#define WORD(value)                                                                                \
  { .kind = DSM_SETTING_WORD, .word = (value) }
/* A time, as a ratio of the network's reference. */
#define TIME(network, ratio)                                                                       \
  {                                                                                                \
    .time_ratio = (ratio), .step_cycles = ((network) == 0 ? 1e6 : 4e6) * (ratio),                  \
    .step_seconds = ((network) == 0 ? 1e-3 : 4e-3) * (ratio),                                      \
    .utilization = ((network) == 0 ? 0.5 : 0.25) / (ratio)                                         \
  }

static const dsm_response faster[] = {TIME(0, 0.5), TIME(1, 1)};
static const dsm_response slower[] = {TIME(0, 2), TIME(1, 1)};
static const dsm_response hardly[] = {TIME(0, 1.0004), TIME(1, 1)};
static const dsm_response same[] = {TIME(0, 1), TIME(1, 1)};
static const dsm_response half[] = {TIME(0, 1.25), TIME(1, 0.8)};
static const dsm_response refused[] = {{.why_not = "too large"}, {.why_not = "too large"}};
static const dsm_response refused_once[] = {{.why_not = "nothing fits"}, TIME(1, 1.5)};

static const dsm_variation startups[] = {
    {DSM_VARIATION_HALVED, NUMBER(500), 0.5, faster},
    {DSM_VARIATION_DOUBLED, NUMBER(2000), 2, slower},
};
static const dsm_variation fractions[] = {
    {DSM_VARIATION_HALVED, NUMBER(0.375), 0.5, half},
    {DSM_VARIATION_DOUBLED, NUMBER(1.5), 2, refused},
};
static const dsm_variation moves[] = {
    {DSM_VARIATION_OTHER, WORD("always"), 0, half},
    {DSM_VARIATION_OTHER, WORD("exact"), 0, refused_once},
};
static const dsm_variation masks[] = {
    {DSM_VARIATION_HALVED, NUMBER(0.0625), 0.5, same},
    {DSM_VARIATION_DOUBLED, NUMBER(0.25), 2, hardly},
};
static const dsm_variation holdings[] = {{DSM_VARIATION_OTHER, FLAG(true), 0, same}};
static const dsm_variation sums[] = {
    {DSM_VARIATION_HALVED, {.kind = DSM_SETTING_NONE}, 0.5, refused},
    {DSM_VARIATION_DOUBLED, {.kind = DSM_SETTING_NONE}, 2, refused},
};
static const dsm_variation bytes[] = {
    {DSM_VARIATION_HALVED, {.kind = DSM_SETTING_NONE}, 0.5, faster},
    {DSM_VARIATION_DOUBLED, {.kind = DSM_SETTING_NONE}, 2, slower},
};

#define BOTH(value)                                                                                \
  { DSM_ELASTICITY_BASIS_BOTH, value }
static const dsm_slope of_startup[] = {BOTH(1), BOTH(0)};
static const dsm_slope of_fraction[] = {{DSM_ELASTICITY_BASIS_HALVED, -0.32192809},
                                        {DSM_ELASTICITY_BASIS_HALVED, 0.32192809}};
static const dsm_slope of_mask[] = {BOTH(0.0003), BOTH(0)};
static const dsm_slope none[] = {{.basis = DSM_ELASTICITY_BASIS_NONE},
                                 {.basis = DSM_ELASTICITY_BASIS_NONE}};

/* path, unit, source, free, less is better, value, default, variations, slopes, influence, software
 */
static const dsm_varied_parameter parameters[PARAMETERS] = {
    {"array.startup_cycles", "cycles", "assumption: no source", true, true, NUMBER(1000),
     NUMBER(1000), startups, 2, of_startup, 1, false},
    {"model.layout_move", "word", "assumption", true, false, WORD("none"), WORD("none"), moves, 2,
     none, 0.585, true},
    {"core.resident_weight_fraction", "ratio", "assumption, a \"guess\"", true, false, NUMBER(0.75),
     NUMBER(0.75), fractions, 2, of_fraction, 0.322, true},
    {"model.relu_mask_bytes", "bytes/element", "assumption", true, true, NUMBER(0.125),
     NUMBER(0.125), masks, 2, of_mask, 0.0006, true},
    {"model.prefer_holding", "flag", "assumption", true, false, FLAG(false), FLAG(false), holdings,
     1, none, 0, true},
    {"model.partial_sum_bytes", "bytes", "assumption", true, true, NUMBER(0), NUMBER(0), sums, 2,
     none, 0, true},
    {"workload.element_bytes",
     "bytes/element",
     "given",
     false,
     true,
     {.kind = DSM_SETTING_NONE},
     NUMBER(2),
     bytes,
     2,
     of_startup,
     1,
     false},
    {"system.topology",
     "word",
     "data sheet",
     false,
     false,
     WORD("torus_2d"),
     {.kind = DSM_SETTING_NONE},
     NULL,
     0,
     none,
     0,
     false},
};

static dsm_system *system_made;

static void set_up(void) {
  system_made = load_bundled_system("torus16");
  networks[0] = (dsm_workload){.name = "first", .minibatch = 256};
  networks[1] = (dsm_workload){.name = "second", .minibatch = 1024};
  made = (dsm_elasticity){.system = system_made,
                          .workloads = network_list,
                          .workload_count = NETWORKS,
                          .references = references,
                          .parameters = parameters,
                          .parameter_count = PARAMETERS};
  dsm_explore_options_init(&made.options);
}

static void tear_down(void) {
  dsm_system_free(system_made);
}

START_TEST(test_no_line_is_wider_than_the_page) {
  for (size_t width = 40; width <= 200; width++) {
    char *const text = as_table(DSM_ANSWERS(elasticity, items, 2), plain_style(width));
    expect_tidy(text);
    expect_lines_fit(text, width);
    free(text);
  }
}
END_TEST

START_TEST(test_colour_adds_only_escapes) {
  expect_same_without_color(
      as_table(DSM_ANSWERS(elasticity, items, 2), (dsm_table_style){.width = 80, .color = true}),
      as_table(DSM_ANSWERS(elasticity, items, 2), plain_style(80)));
}
END_TEST

Suite *suite_elasticity_report(void) {
  Suite *const suite = suite_create("elasticity_report");
  TCase *const core = tcase_create("core");
  tcase_add_checked_fixture(core, set_up, tear_down);
  tcase_add_test(core, test_no_line_is_wider_than_the_page);
  tcase_add_test(core, test_colour_adds_only_escapes);
  suite_add_tcase(suite, core);
  return suite;
}
