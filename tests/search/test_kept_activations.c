/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What training keeps of a transformer block, against the published sums: V. Korthikanti et al.,
 * Reducing Activation Recomputation in Large Transformer Models, arXiv 2205.05198, table 2. s
 * positions, b samples, h features, a heads, t chips that share layers, elements of 2 bytes:
 *
 *     tensor parallel               s*b*h * (10 + 24/t + 5*a*s/(h*t))
 *     with sequences cut            s*b*h * (34/t + 5*a*s/(h*t))
 *     with scores made anew too     s*b*h * 34/t
 *     with all of a block           s*b*h * 2, its input
 *
 * Term by term, in s*b*h bytes, and which layer has it here:
 *
 *     norm before the attention     2        its input: the output of the layer before
 *     queries, keys and values      2        their operand, once for all three: the normalised
 * input scores                        4/t      queries and keys: outputs of qkv softmax 2*a*s/(h*t)
 * its result dropout of it                 a*s/(h*t)    a byte of mask sums of values 2*a*s/(h*t) +
 * 2/t  what dropout made, and values: of qkv projection                    2/t      its operand:
 * the sums of values dropout of it                 1        a byte of mask
 *     -- the attention: 11 + 5*a*s/h at t = 1, and its norm 2
 *     norm before the two products  2        its input: the output of the projection
 *     first product                 2        its operand: the normalised input
 *     gelu                          8/t      its operand
 *     second product                8/t      its operand: what gelu made
 *     dropout of it                 1        a byte of mask
 *     -- the products: 19 at t = 1, and their norm 2
 *
 * What is not over t is 2 + 2 + 1 + 2 + 2 + 1 = 10: with sequences cut it is. The sum of a residual
 * needs nothing. A block ends with the output of its last layer in place of that of the one before.
 */
#include "bundled.h"
#include "given.h"
#include "plan/keeping.h"
#include "plan/recomputation.h"
#include "suites.h"

static const double s = 64;
static const double b = 6;
static const double h = 128;
static const double a = 16;

static const char network[] =
    "{'name': 'stem', 'type': 'fc', 'in': 32, 'out': 128, 'positions': 64},"
    "{'block': 'b', 'repeat': 2, 'layers': ["
    "{'name': 'qkv', 'type': 'fc', 'in': 128, 'out': 384, "
    "'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'bias'}]},"
    "{'name': 'attention', 'type': 'attention', 'heads': 16, 'head_features': 8, 'dropout': true},"
    "{'name': 'project', 'type': 'fc', 'in': 128, 'out': 128, "
    "'aux': [{'op': 'bias'}, {'op': 'dropout'}, {'op': 'residual', 'from': '@before'}]},"
    "{'name': 'ff1', 'type': 'fc', 'in': 128, 'out': 512, "
    "'aux': [{'op': 'layer_norm', 'on': 'input'}, {'op': 'bias'}, {'op': 'gelu'}]},"
    "{'name': 'ff2', 'type': 'fc', 'in': 512, 'out': 128, "
    "'aux': [{'op': 'bias'}, {'op': 'dropout'}, {'op': 'residual', 'from': 'project'}]}]}";

enum { BLOCK = 1, LAYERS = 6 }; /* of the first block; attention is two layers */
static const bool is_border[LAYERS] = {false, false, false, true, false, true};

static const dsm_role whole_sequences[LAYERS] = {DSM_ROLE_COLUMN, DSM_ROLE_HEADS,  DSM_ROLE_HEADS,
                                                 DSM_ROLE_ROW,    DSM_ROLE_COLUMN, DSM_ROLE_ROW};
static const dsm_role cut_sequences[LAYERS] = {DSM_ROLE_GATHER_COLUMN, DSM_ROLE_HEADS,
                                               DSM_ROLE_HEADS,         DSM_ROLE_ROW_SCATTER,
                                               DSM_ROLE_GATHER_COLUMN, DSM_ROLE_ROW_SCATTER};

static const char *const ways[] = {"1", "2", "4", "8"};
enum { WAYS = sizeof ways / sizeof *ways };

static dsm_workload *workload;

static void set_up(void) {
  workload = given_network("6", network);
}

static void tear_down(void) {
  dsm_workload_free(workload);
}

/* What the first block keeps, in s*b*h bytes, on a row of `chips`. */
static double kept(const char *chips, const char *inputs, const dsm_role roles[LAYERS],
                   dsm_recomputation asked) {
  const dsm_override overrides[] = {{"system.chips_x", chips, NULL},
                                    {"system.chips_y", "1", NULL},
                                    {"model.kept_inputs", inputs, NULL}};
  dsm_system *const row = bundled_system_with("torus64", overrides, 3);
  const dsm_machine machine = dsm_machine_derive(row);
  dsm__arena *const arena = dsm__arena_new();
  const dsm__again *const again = dsm__recomputed_layers(workload, asked, arena);
  double bytes = 0;
  for (size_t i = 0; i < LAYERS; i++) {
    const dsm_roles of = {{roles[i], DSM_ROLE_DATA}};
    const dsm_pass_layouts layouts = dsm_pass_layouts_uniform(dsm_parallelism_of(&of, 2));
    const dsm_layer_decisions decisions = {.is_recomputed = again[BLOCK + i] != DSM__AGAIN_NOTHING,
                                           .is_output_recomputed =
                                               again[BLOCK + i] == DSM__AGAIN_ALL};
    const dsm_layer *const layer = &workload->layers[BLOCK + i];
    dsm_layer_memory memory =
        dsm_layer_memory_derive(layer, &machine, workload, DSM_MODE_TRAINING, &layouts);
    dsm__keep_less(&memory, layer, &machine, &layouts, &decisions, is_border[i]);
    bytes += memory.activations_bytes;
  }
  dsm__arena_free(arena);
  dsm_system_free(row);
  return bytes / (s * b * h);
}

static void assert_published(double actual, double published) {
  ck_assert_double_le(actual, published * 1.02);
  ck_assert_double_ge(actual, published * 0.98);
}

START_TEST(test_block_keeps_what_is_published) {
  const double t = (double)(1 << _i);
  const double scores = 5 * a * s / (h * t);
  assert_published(kept(ways[_i], "all", whole_sequences, DSM_RECOMPUTATION_NONE),
                   10 + 24 / t + scores);
  assert_published(kept(ways[_i], "all", cut_sequences, DSM_RECOMPUTATION_NONE), 34 / t + scores);
  assert_published(kept(ways[_i], "all", cut_sequences, DSM_RECOMPUTATION_SELECTIVE), 34 / t);
  assert_published(kept(ways[_i], "all", whole_sequences, DSM_RECOMPUTATION_FULL), 2);
}
END_TEST

/* 8/t less where a gelu is made anew from what it read: one of the two is kept. */
START_TEST(test_framework_that_makes_activations_anew_keeps_one_of_two) {
  const double t = (double)(1 << _i);
  assert_published(
      kept(ways[_i], "without_activations", cut_sequences, DSM_RECOMPUTATION_SELECTIVE), 26 / t);
}
END_TEST

Suite *suite_kept_activations(void) {
  Suite *const suite = suite_create("kept activations");
  TCase *const blocks = tcase_create("blocks");
  tcase_add_checked_fixture(blocks, set_up, tear_down);
  tcase_add_loop_test(blocks, test_block_keeps_what_is_published, 0, WAYS);
  tcase_add_loop_test(blocks, test_framework_that_makes_activations_anew_keeps_one_of_two, 0, WAYS);
  suite_add_tcase(suite, blocks);
  return suite;
}
