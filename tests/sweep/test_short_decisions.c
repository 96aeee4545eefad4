/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line that says what a plan decides. */
#include <stdio.h>
#include <string.h>

#include "suites.h"
#include "sweep/point.h"

enum { LAYERS_MAX = 4 };

/* A layer: the letters of its passes' parallelisms (d, m, x: data_x_model_y, y: model_x_data_y,
 * space: no such pass), and what else is decided. */
typedef struct given_layer {
  const char *passes;
  uint64_t factor;
  bool is_held;
  double preloaded;
  bool is_pipelined;
} given_layer;

typedef struct given_plan {
  size_t layer_count;
  given_layer layers[LAYERS_MAX];
  const char *expected;
} given_plan;

static const given_plan plans[] = {
    {1, {{.passes = "d  ", .factor = 1}}, "data 1"},
    {3,
     {{.passes = "yyy", .factor = 1}, {.passes = "d d", .factor = 1}, {"yyy", 1, true, 0, false}},
     "data 1, model_x_data_y 2; on chip 1"},
    {2,
     {{.passes = "ddm", .factor = 1}, {.passes = "x x", .factor = 1}},
     "forward data 1, data_x_model_y 1; backward data 1; update model 1, data_x_model_y 1"},
    {4,
     {{"m  ", 8, true, 0.5, false},
      {"m  ", 2, true, 1, true},
      {"m  ", 1, false, 0, true},
      {"m  ", 2, false, 0, false}},
     "model 4; dysm 3 (x2 2, x8 1); on chip 2; preloaded 2; pipelined 2"},
};

static dsm_parallelism parallelism_of(char letter) {
  static const char letters[] = "dmxy";
  return (dsm_parallelism)(strchr(letters, letter) - letters);
}

START_TEST(test_words) {
  const given_plan *const given = &plans[_i];
  static dsm_layer_plan layers[LAYERS_MAX];
  memset(layers, 0, sizeof layers);
  for (size_t i = 0; i < given->layer_count; i++) {
    const given_layer *const each = &given->layers[i];
    layers[i].decisions.dysm_factor = each->factor;
    layers[i].decisions.is_output_held = each->is_held;
    layers[i].decisions.weights_on_chip = each->preloaded;
    layers[i].decisions.pipeline_group = each->is_pipelined ? "group" : NULL;
    for (int p = 0; p < DSM_PASS_COUNT; p++) {
      layers[i].passes[p].exists = each->passes[p] != ' ';
      if (each->passes[p] != ' ') {
        layers[i].passes[p].share.parallelism = parallelism_of(each->passes[p]);
      }
    }
  }
  const dsm_plan plan = {.layers = layers, .layer_count = given->layer_count};
  dsm__text_buffer text = {0};
  dsm__short_decisions(&plan, &text);
  ck_assert_str_eq(text.text, given->expected);
  dsm__text_fini(&text);
}
END_TEST

Suite *suite_short_decisions(void) {
  Suite *const suite = suite_create("short_decisions");
  TCase *const tcase = tcase_create("short_decisions");
  tcase_add_loop_test(tcase, test_words, 0, COUNT_OF(plans));
  suite_add_tcase(suite, tcase);
  return suite;
}
