/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled workloads have the published numbers of their networks. */
#include <stdio.h>

#include "network.h"
#include "suites.h"

/* Parameters and MACs of one sample as published: the convolutional networks in torchvision's table
 * of pre-trained models (its "GFLOPS" are MACs; GoogLeNet without auxiliary classifiers), RAIDER in
 * the TEXTAROSSA deliverable D4.8. GNMT's are counted below. 0: not published, or not compared. */
typedef struct published {
  const char *name;
  uint64_t parameters;
  uint64_t weights;
  uint64_t macs;
  size_t layer_count; /* primary layers */
} published;

/* GNMT, H = 1024, T = 128: the bidirectional enc0 has 2 directions of (1024 + 1024) * 4096 weights,
 * enc1 (2048 + 1024) * 4096, dec0 the same, and the 6 + 7 other LSTMs 2048 * 4096 each; the query
 * 1024 * 1024. The two products of attention have 1024 * 128 MACs each and no weights.
 * Weights: (2 * 2048 + 2 * 3072 + 13 * 2048) * 4096 + 1024 * 1024 = 152,043,520.
 * MACs: 128 * (152,043,520 + 2 * 131,072) = 19,495,124,992. */
static const published networks[] = {
    {"alexnet", 61100840, 0, 714188480, 8},
    {"googlenet", 6624904, 0, 1498376192, 58},
    {"mobilenet_v2", 3504872, 0, 300774272, 53},
    {"raider", 2796, 0, 57408, 4},
    {"resnet50", 25557032, 0, 4089184256, 54},
    {"vgg16", 138357544, 0, 15470264320, 16},
    {"gnmt", 0, 152043520, 19495124992, 20},
    /* and 1024 * 32000 weights of the vocabulary, at each timestep */
    {"gnmt_vocab", 0, 152043520 + 32768000, 19495124992 + 128 * (uint64_t)32768000, 21},
};

static dsm_workload *workload;

static void load(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/workloads/%s.json", DSM_SOURCE_DIR, name);
  ck_assert_int_eq(dsm_workload_load(&workload, path, NULL, 0, NULL), DSM_OK);
}

static void tear_down(void) {
  dsm_workload_free(workload);
  workload = NULL;
}

START_TEST(test_parameters_are_the_published_ones) {
  load(networks[_i].name);
  if (networks[_i].parameters != 0) {
    ck_assert_uint_eq(workload->parameters, networks[_i].parameters);
  }
  if (networks[_i].weights != 0) {
    ck_assert_uint_eq(workload->weights, networks[_i].weights);
  }
}
END_TEST

START_TEST(test_macs_are_the_published_ones) {
  load(networks[_i].name);
  ck_assert_uint_eq(workload->forward_macs, networks[_i].macs);
}
END_TEST

START_TEST(test_primary_layers_are_as_many_as_in_the_network) {
  load(networks[_i].name);
  ck_assert_uint_eq(workload->layer_count, networks[_i].layer_count);
}
END_TEST

START_TEST(test_name_is_that_of_the_file_and_the_minibatch_256) {
  load(networks[_i].name);
  ck_assert_str_eq(workload->name, networks[_i].name);
  ck_assert_uint_eq(workload->minibatch, 256);
}
END_TEST

/* All others, whose totals tests/golden/totals.py counts. */
static const char *const others[] = {
    "bert_base",   "bert_large",   "bert_large_pretrain",
    "deepseek_v3", "dit_xl",       "gemma3_27b",
    "gpt",         "gpt2",         "gpt2_large",
    "gpt2_medium", "gpt3_175b",    "gpt_oss_120b",
    "llama2_13b",  "llama2_70b",   "llama2_7b",
    "llama3_405b", "llama3_70b",   "llama3_8b",
    "mamba2",      "mistral_7b",   "mixtral_8x7b",
    "phi3",        "qwen3_235b",   "qwen3_32b",
    "resnet101",   "resnet152",    "resnet18",
    "resnet34",    "ssd_resnet34", "transformer_big",
    "unet",        "deepcam",      "gnmt_mlperf",
    "vit_b16",     "vit_l16",      "whisper_large",
};

static const char *name_of(int index) {
  return (size_t)index < COUNT_OF(networks) ? networks[index].name
                                            : others[(size_t)index - COUNT_OF(networks)];
}

START_TEST(test_written_and_read_again_it_is_the_same) {
  load(name_of(_i));
  ck_assert_str_eq(workload->name, name_of(_i));
  dsm_workload *const again = written_and_read(workload);
  expect_same_workload(workload, again);
  dsm_workload_free(again);
}
END_TEST

Suite *suite_bundled_workloads(void) {
  Suite *const suite = suite_create("bundled_workloads");
  TCase *const bundled = tcase_create("bundled");
  tcase_add_checked_fixture(bundled, NULL, tear_down);
  tcase_add_loop_test(bundled, test_parameters_are_the_published_ones, 0, COUNT_OF(networks));
  tcase_add_loop_test(bundled, test_macs_are_the_published_ones, 0, COUNT_OF(networks));
  tcase_add_loop_test(bundled, test_primary_layers_are_as_many_as_in_the_network, 0,
                      COUNT_OF(networks));
  tcase_add_loop_test(bundled, test_name_is_that_of_the_file_and_the_minibatch_256, 0,
                      COUNT_OF(networks));
  tcase_add_loop_test(bundled, test_written_and_read_again_it_is_the_same, 0,
                      COUNT_OF(networks) + COUNT_OF(others));
  suite_add_tcase(suite, bundled);
  return suite;
}
