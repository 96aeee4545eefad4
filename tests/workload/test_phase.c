/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What serving runs of a network: its prefill and its decode, by hand. */
#include <string.h>

#include "network.h"
#include "suites.h"

/* A block of 2 heads of 4 features with one head of keys, over 6 positions, in front of 10 words.
 */
#define TABLE                                                                                      \
  "{'name': 'words', 'type': 'embedding', 'vocabulary': 10, 'out': 8, 'positions': 6,"             \
  " 'aux': [{'op': 'dropout'}]}"
#define BLOCK(causal)                                                                              \
  ",{'name': 'qkv', 'type': 'fc', 'in': 8, 'out': 16},"                                            \
  "{'name': 'see', 'type': 'attention', 'heads': 2, 'kv_heads': 1, 'head_features': 4,"            \
  " 'dropout': true" causal "},"                                                                   \
  "{'name': 'put', 'type': 'fc', 'in': 8, 'out': 8,"                                               \
  " 'aux': [{'op': 'dropout'}, {'op': 'residual', 'from': 'words'}]}"
#define CAUSAL ", 'causal': true"
#define LOGITS                                                                                     \
  ",{'name': 'logits', 'type': 'fc', 'in': 8, 'out': 10, 'aux': [{'op': 'rms_norm', 'on': "        \
  "'input'}, {'op': 'cross_entropy'}]}"
#define DECODER                                                                                    \
  TABLE BLOCK(CAUSAL)                                                                              \
  LOGITS

enum { WORDS = 0, QKV, SCORE, CONTEXT, PUT, OUTPUT };

static dsm_workload *phase_of(const char *layers, dsm_phase phase, uint64_t positions,
                              uint64_t context) {
  dsm_workload *const network = network_of(layers);
  dsm_workload *made = NULL;
  dsm_diags *const diags = dsm_diags_new(8);
  const dsm_status status = dsm_workload_phase(&made, network, phase, positions, context, diags);
  ck_assert_msg(status == DSM_OK, "%s", dsm_diags_get(diags, 0)->message);
  dsm_diags_free(diags);
  dsm_workload_free(network);
  return made;
}

/* One query sees 50 keys, of which 49 are cached; logits at it. */
START_TEST(test_decode_reads_the_cache) {
  dsm_workload *const made = phase_of(DECODER, DSM_PHASE_DECODE, 0, 50);
  const dsm_layer *const layers = made->layers;
  ck_assert_str_eq(made->name, "test_decode");
  ck_assert_uint_eq(layers[QKV].macs, 8 * 16);
  ck_assert_uint_eq(layers[SCORE].macs, 2 * 4 * 50);
  ck_assert_uint_eq(layers[SCORE].cache_elements, 4 * 50);
  ck_assert_uint_eq(layers[CONTEXT].cache_new_elements, 4);
  ck_assert_uint_eq(layers[OUTPUT].macs, 8 * 10);
  for (size_t i = 0; i < made->layer_count; i++) {
    ck_assert(!layers[i].has_op[DSM_AUX_DROPOUT]);
    ck_assert(!layers[i].has_op[DSM_AUX_CROSS_ENTROPY]);
  }
  dsm_workload_free(made);
}
END_TEST

/* 5 new positions behind 7 cached ones: the i-th sees 7 + i keys. Logits only at the last one in a
 * prefill, at all of them in a decode of several. */
START_TEST(test_new_positions_follow_cached_ones) {
  for (int phase = 0; phase < DSM_PHASE_COUNT; phase++) {
    dsm_workload *const made = phase_of(DECODER, (dsm_phase)phase, 5, 12);
    const dsm_layer *const layers = made->layers;
    const uint64_t logits = phase == DSM_PHASE_PREFILL ? 1 : 5;
    ck_assert_uint_eq(layers[PUT].macs, 5 * 8 * 8);
    ck_assert_uint_eq(layers[SCORE].macs, 5 * 2 * 4 * 12);
    ck_assert_double_eq_tol(layers[SCORE].hidden_share, 1 - (5 * 7 + 15) / 60.0, 1e-12);
    ck_assert_uint_eq(layers[SCORE].cache_new_elements, 5 * 4);
    ck_assert_uint_eq(layers[OUTPUT].macs, logits * 8 * 10);
    dsm_workload_free(made);
  }
}
END_TEST

/* Nothing before: all 9 positions are new, and no cache is read. */
START_TEST(test_prefill_of_all_has_no_cache) {
  dsm_workload *const made = phase_of(DECODER, DSM_PHASE_PREFILL, 0, 9);
  ck_assert_uint_eq(made->layers[SCORE].macs, 9 * 2 * 4 * 9);
  ck_assert_uint_eq(made->layers[SCORE].cache_elements, 0);
  ck_assert_uint_eq(made->layers[OUTPUT].macs, 8 * 10);
  dsm_workload_free(made);
}
END_TEST

/* What is not said is of the network itself; an encoder's outputs are all asked for. */
START_TEST(test_encoders_have_a_prefill) {
  dsm_workload *const made = phase_of(TABLE BLOCK("") LOGITS, DSM_PHASE_PREFILL, 0, 0);
  ck_assert_uint_eq(made->layers[SCORE].macs, 6 * 2 * 4 * 6);
  ck_assert_uint_eq(made->layers[OUTPUT].macs, 6 * 8 * 10);
  dsm_workload_free(made);
}
END_TEST

typedef struct refusal {
  const char *layers;
  dsm_phase phase;
  uint64_t positions;
  uint64_t context;
  const char *says;
} refusal;

static const refusal refusals[] = {
    {TABLE BLOCK(""), DSM_PHASE_DECODE, 0, 0, "layer see, whose queries see later positions"},
    {TABLE BLOCK(""), DSM_PHASE_PREFILL, 2, 6, "layer see, whose queries see later positions"},
    {CONV_A, DSM_PHASE_PREFILL, 0, 0, "layer a, which is none of embedding, fc and attention"},
    {"{'name': 'f', 'type': 'fc', 'in': 8, 'out': 8}", DSM_PHASE_DECODE, 1, 4,
     "layer f, and no attention"},
    {DECODER, DSM_PHASE_DECODE, 9, 4, "at least the 9 new positions"},
    {DECODER, DSM_PHASE_DECODE, 1, DSM_SIDE_MAX + 1, "at most 1048576, found 1048577"},
};

START_TEST(test_refusals_name_the_layer) {
  const refusal *const c = &refusals[_i];
  dsm_workload *const network = network_of(c->layers);
  dsm_workload *made = network;
  dsm_diags *const diags = dsm_diags_new(8);
  ck_assert_int_ne(dsm_workload_phase(&made, network, c->phase, c->positions, c->context, diags),
                   DSM_OK);
  ck_assert_ptr_null(made);
  ck_assert_msg(strstr(dsm_diags_get(diags, 0)->message, c->says) != NULL, "%s",
                dsm_diags_get(diags, 0)->message);
  dsm_diags_free(diags);
  dsm_workload_free(network);
}
END_TEST

/* By hand, with 2 bytes an element: 80 layers of 8 heads of keys and of values, of 128 features;
 * 61 layers of a latent of 512 and 64 rotated features. */
static const struct {
  const char *file;
  double bytes;
} caches[] = {{DSM_SOURCE_DIR "/workloads/llama3_70b.json", 327680},
              {DSM_SOURCE_DIR "/workloads/deepseek_v3.json", 70272}};

START_TEST(test_cache_of_a_token) {
  static const dsm_override halves = {"cache_bytes", "2", NULL};
  dsm_workload *network = NULL;
  dsm_workload *made = NULL;
  ck_assert_int_eq(dsm_workload_load(&network, caches[_i].file, &halves, 1, NULL), DSM_OK);
  ck_assert_int_eq(dsm_workload_phase(&made, network, DSM_PHASE_DECODE, 1, 99, NULL), DSM_OK);
  double bytes = 0;
  for (size_t i = 0; i < made->layer_count; i++) {
    bytes += (double)made->layers[i].cache_new_elements * 2;
  }
  ck_assert_double_eq(bytes, caches[_i].bytes);
  dsm_workload_free(made);
  dsm_workload_free(network);
}
END_TEST

Suite *suite_phase(void) {
  Suite *const suite = suite_create("phase");
  TCase *const tests = tcase_create("phases");
  tcase_add_test(tests, test_decode_reads_the_cache);
  tcase_add_loop_test(tests, test_cache_of_a_token, 0, COUNT_OF(caches));
  tcase_add_test(tests, test_new_positions_follow_cached_ones);
  tcase_add_test(tests, test_prefill_of_all_has_no_cache);
  tcase_add_test(tests, test_encoders_have_a_prefill);
  tcase_add_loop_test(tests, test_refusals_name_the_layer, 0, COUNT_OF(refusals));
  suite_add_tcase(suite, tests);
  return suite;
}
