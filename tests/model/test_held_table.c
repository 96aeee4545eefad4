/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Section 5's table a second time, with every residency, for all combinations. */
#include "how_many.h"
#include "suites.h"

#include "fixture.h"
#include "model/equations.h"

static dsm_system chips;
static dsm_machine machine;

static void set_up(void) {
  chips = plain_memory_system();
  machine = dsm_machine_derive(&chips);
}

/* An invocation as the specification sees it. */
typedef struct specified {
  const dsm_layer *layer;
  dsm_mode mode;
  dsm_pass pass;
  double nm;
  double mbc;
  dsm_residency residency;
  dsm_loops split;
} specified;

/* elements * mbc / nm * bytes */
static double of_chip(const specified *s, uint64_t elements, double bytes) {
  return (double)elements * s->mbc / s->nm * bytes;
}

static double specified_kernel(const specified *s) {
  return s->layer->is_product ? of_chip(s, s->layer->operand_elements, 2)
                              : (double)s->layer->weight_elements / s->nm * 2;
}

static double specified_io_in(const specified *s) {
  const double inp = of_chip(s, s->layer->input_elements, 2);
  if (s->pass == DSM_PASS_UPDATE) {
    return inp;
  }
  const bool is_held = s->residency.is_input_held;
  const bool is_masked =
      s->pass == DSM_PASS_BACKWARD && (!is_held || chips.model.charge_held_masks);
  return (is_held ? 0 : inp) + (is_masked ? of_chip(s, s->layer->input_elements, 0.125) : 0);
}

static double specified_io_out(const specified *s) {
  const double st = of_chip(s, s->layer->stored_elements, 2);
  const bool is_lstm_saved = s->layer->gates > 0 && s->mode == DSM_MODE_TRAINING;
  const double save = is_lstm_saved ? of_chip(s, 5 * s->layer->stored_elements, 2) : 0;
  const double defer = s->mode == DSM_MODE_TRAINING ? s->residency.deferred_bytes : 0;
  const bool has_norm = s->layer->has_op[DSM_AUX_BATCH_NORM];
  const double out = s->residency.is_output_held ? 0 : st;
  switch (s->pass) {
  case DSM_PASS_FORWARD:
    return out + defer + save;
  case DSM_PASS_BACKWARD:
    return out + save;
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  const bool is_held = s->residency.is_output_held;
  const bool is_of_gates = chips.model.lstm_gate_errors && s->layer->gates > 0;
  const double errors = is_of_gates ? of_chip(s, s->layer->output_elements, 2) : st;
  const bool is_saved = has_norm && (!is_held || chips.model.charge_held_masks);
  return (is_held ? 0 : errors) + (is_saved ? of_chip(s, s->layer->output_elements, 0.25) : 0);
}

static double specified_fix(const specified *s) {
  const bool is_forward = s->pass == DSM_PASS_FORWARD;
  const bool is_forward_of_pool = is_forward && s->layer->pool_window > 0;
  if (chips.model.exact_forks && s->pass == DSM_PASS_BACKWARD) {
    return s->residency.is_input_held ? 0 : of_chip(s, s->layer->fork_elements, 2);
  }
  if (chips.model.exact_forks && is_forward && s->layer->is_shortcut_own_input) {
    return 0;
  }
  if (!s->layer->has_op[DSM_AUX_RESIDUAL] || s->residency.is_shortcut_held ||
      s->pass == DSM_PASS_UPDATE) {
    return 0;
  }
  return of_chip(s, is_forward_of_pool ? s->layer->output_elements : s->layer->stored_elements, 2);
}

static double specified_memory_bytes(const specified *s) {
  const uint64_t *const k = s->split.n;
  const bool is_matmul = s->layer->is_product;
  const double ij_mb = (double)(k[DSM_DIM_IJ] * k[DSM_DIM_MB]);
  const double s_in = of_chip(s, s->layer->input_elements, 2) / ((double)k[DSM_DIM_IN] * ij_mb);
  const double s_out = of_chip(s, s->layer->output_elements, 2) / ((double)k[DSM_DIM_OUT] * ij_mb);
  const double kcore = specified_kernel(s) / (double)(k[DSM_DIM_IN] * k[DSM_DIM_KIJ] *
                                                      (is_matmul ? k[DSM_DIM_MB] : k[DSM_DIM_OUT]));
  const bool is_doubled =
      s->pass == DSM_PASS_UPDATE && (s->residency.is_accumulating || s->layer->timesteps > 1);
  const double kt =
      specified_kernel(s) * (is_doubled ? 2 : 1) * (1 - s->residency.resident_fraction);
  const double tile = s->residency.scratchpad_bytes / 2;
  const double n1 = s->residency.resident_fraction < 1 ? ceil(kcore / tile) : 1;
  const double io_in = specified_io_in(s);
  const double io_out = specified_io_out(s);
  switch (s->pass) {
  case DSM_PASS_FORWARD:
    return fmin(io_in * n1 + kt, io_in + kt * ceil(s_in / tile)) + io_out + specified_fix(s);
  case DSM_PASS_BACKWARD:
    return fmin(io_out * n1 + kt, io_out + kt * ceil(s_out / tile)) + io_in + specified_fix(s);
  case DSM_PASS_UPDATE:
  case DSM_PASS_COUNT:
    break;
  }
  return (io_in + io_out) * n1 + kt + specified_fix(s);
}

static const double fractions[] = {0, 0.25, 0.9, 1};
static const double caps[] = {16384, 1024, 300};
static const dsm_loops splits[] = {
    {{1, 1, 1, 1, 4}}, {{4, 1, 1, 1, 1}}, {{1, 4, 1, 1, 1}}, {{2, 2, 1, 1, 1}}, {{1, 1, 2, 2, 1}}};

enum { COMBINATION_COUNT = 16 * 2 * COUNT_OF(fractions) * COUNT_OF(caps) * COUNT_OF(splits) };

/* The next of so many choices that a number stands for. */
static int choose(int *number, int choice_count) {
  const int choice = *number % choice_count;
  *number /= choice_count;
  return choice;
}

static void choose_residency(specified *s, int number) {
  s->residency.is_input_held = choose(&number, 2) == 1;
  s->residency.is_output_held = choose(&number, 2) == 1;
  s->residency.is_shortcut_held = choose(&number, 2) == 1;
  s->residency.is_accumulating = choose(&number, 2) == 1;
  s->residency.deferred_bytes = choose(&number, 2) == 1 ? 123 : 0;
  s->residency.resident_fraction = fractions[choose(&number, COUNT_OF(fractions))];
  s->residency.scratchpad_bytes = caps[choose(&number, COUNT_OF(caps))];
  s->split = splits[choose(&number, COUNT_OF(splits))];
}

/* nm and mbc of 10 samples on 4 x 2 chips. */
static const double ways[DSM_PARALLELISM_COUNT_OF(2)][2] = {
    [DSM_PARALLELISM_DATA] = {1, 2},
    [DSM_PARALLELISM_MODEL] = {8, 10},
    [DSM_PARALLELISM_DATA_X_MODEL_Y] = {2, 3},
    [DSM_PARALLELISM_MODEL_X_DATA_Y] = {4, 5},
};

static void assert_specified(specified s, dsm_parallelism parallelism) {
  s.nm = ways[parallelism][0];
  s.mbc = ways[parallelism][1];
  for (int number = 0; number < COMBINATION_COUNT; number++) {
    choose_residency(&s, number);
    const dsm_pass_work work = dsm_pass_work_derive(s.layer, &machine, friendly_precision(), s.mode,
                                                    s.pass, parallelism, 10, &s.residency);
    const double actual = streamed_bytes(&work, &s.split);
    const double expected = specified_memory_bytes(&s);
    ck_assert_msg(fabs(actual - expected) <= 1e-12 * (1 + expected),
                  "%s %s %s %s, combination %d: %.17g, expected %.17g", s.layer->name,
                  dsm_mode_name(s.mode), dsm_pass_name(s.pass), dsm_parallelism_name(parallelism),
                  number, actual, expected);
  }
}

/* Of each kind of layer; convolutions with and without pool, residual and norm. */
static dsm_layer plain_layer_of_kind(int kind) {
  dsm_layer layer = kind % 2 == 0 ? pooled_conv() : conv_layer(12, 20, 36, 4, 1);
  switch (kind) {
  case 2:
  case 3:
    layer.has_op[DSM_AUX_RESIDUAL] = true;
    return layer;
  case 4:
  case 5:
    layer.has_op[DSM_AUX_BATCH_NORM] = true;
    return layer;
  case 6:
  case 7:
    return with_residual_and_norm(layer);
  case 8:
    return lstm_layer(30, 40, 7);
  case 9:
    return lstm_layer(30, 40, 1);
  case 10:
    return fc_layer(120, 200);
  case 11:
    layer = fc_layer(120, 200);
    layer.timesteps = 3;
    return with_residual_and_norm(layer);
  case 12:
    return matmul_layer(60, 70, 1);
  case 13:
    return with_residual_and_norm(matmul_layer(60, 70, 4));
  default:
    return layer;
  }
}

/* With an input that forks, and of two kinds one that is the shortcut. */
static dsm_layer layer_of_kind(int kind) {
  dsm_layer layer = plain_layer_of_kind(kind);
  layer.fork_elements = layer.input_elements / 2;
  layer.is_shortcut_own_input = kind % 2 == 1;
  return layer;
}

enum { KIND_COUNT = 14, KEY_COUNT = 3 };

/* Each kind by the specified equations, by one or more of the refined ones, and by all three. */
START_TEST(test_memory_traffic_is_the_tables_with_any_residency) {
  const dsm_layer layer = layer_of_kind(_i % KIND_COUNT);
  chips.model.exact_forks = (_i / KIND_COUNT & 1) != 0;
  chips.model.lstm_gate_errors = (_i / KIND_COUNT & 2) != 0;
  chips.model.charge_held_masks = (_i / KIND_COUNT & 4) != 0;
  for (int p = 0; p < DSM_PARALLELISM_COUNT_OF(2); p++) {
    if ((dsm_layer_parallelisms(&layer) & DSM_PARALLELISM_BIT(p)) == 0) {
      continue;
    }
    for (int pass = 0; pass < DSM_PASS_COUNT; pass++) {
      for (int mode = 0; mode < DSM_MODE_COUNT; mode++) {
        if (dsm_pass_exists(&layer, (dsm_mode)mode, (dsm_pass)pass)) {
          assert_specified(
              (specified){.layer = &layer, .mode = (dsm_mode)mode, .pass = (dsm_pass)pass},
              (dsm_parallelism)p);
        }
      }
    }
  }
}
END_TEST

Suite *suite_held_table(void) {
  Suite *const suite = suite_create("held_table");
  TCase *const table = tcase_create("table");
  tcase_add_checked_fixture(table, set_up, NULL);
  tcase_add_loop_test(table, test_memory_traffic_is_the_tables_with_any_residency, 0,
                      HOW_MANY(KIND_COUNT << KEY_COUNT, KIND_COUNT << KEY_COUNT, 2 * KIND_COUNT));
  suite_add_tcase(suite, table);
  return suite;
}
