/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is read again as the same workload, whatever the description states. */
#include "network.h"
#include "suites.h"

typedef struct description {
  const char *top;
  const char *layers;
} description;

static const description descriptions[] = {
    {"", "{'name': 'f', 'type': 'fc', 'in': 4, 'out': 5}"},
    {"'source': 'quotes \\\" and \\\\ and \\n and \\u00e9', 'element_bytes': 0.3,"
     " 'gradient_bytes': 4, 'partial_sum_bytes': 1.5, 'optimizer_bytes_per_weight': 8, ",
     "{'name': 'f', 'type': 'fc', 'in': 4, 'out': 5, 'timesteps': 3, 'aux': []}"},
    {"'element_bytes': 2, 'optimizer_bytes_per_weight': 0, ", /* stated defaults */
     "{'name': 'f', 'type': 'fc', 'in': 4, 'out': 5}"},
    {"'input': {'features': 3, 'feature': [17, 16]}, ",
     "{'name': 'c', 'type': 'conv', 'in': 3, 'out': 6, 'feature': [8, 14], 'kernel': [3, 2],"
     " 'stride': [2, 1], 'padding': [0, 0], 'dilation': [1, 2], 'groups': 3, 'aux': [{'op':"
     " 'batch_norm'}, {'op': 'relu'}, {'op': 'max_pool', 'window': [3, 3], 'stride': [2, 2],"
     " 'feature': [4, 7]}]}, {'name': 'd', 'type': 'conv', 'inputs': ['c', 'c'], 'in': 12,"
     " 'out': 6, 'feature': [2, 4], 'aux': [{'op': 'avg_pool', 'on': 'input', 'window': [2, 2]}]},"
     "{'name': 'e', 'type': 'conv', 'in': 6, 'out': 6, 'feature': [2, 4], 'aux': [{'op':"
     " 'residual', 'from': 'd'}]}"},
    {"", "{'name': 'x', 'type': 'lstm', 'in': 4, 'out': 3, 'timesteps': 2, 'bidirectional': true},"
         "{'name': 'y0', 'type': 'lstm', 'in': 6, 'out': 6, 'timesteps': 2, 'pipeline_group':"
         " 'enc'}, {'name': 'y', 'type': 'lstm', 'in': 6, 'out': 3, 'timesteps':"
         " 2, 'pipeline_group': null}, {'name': 'm', 'type': 'matmul', 'in': 3, 'out': 2,"
         " 'operand': 'x', 'operand_elements': 6, 'timesteps': 2, 'aux': [{'op': 'softmax'}]},"
         "{'name': 'z', 'type': 'lstm', 'inputs': ['m', '@input'], 'in': 6, 'out': 3}"},
    {"", "{'name': 'all', 'type': 'fc', 'in': 4, 'out': 5, 'aux': [{'op': 'bias'}, {'op': 'relu'},"
         " {'op': 'sigmoid'}, {'op': 'tanh'}, {'op': 'gelu'}, {'op': 'softmax'},"
         " {'op': 'batch_norm'}, {'op': 'layer_norm'}]}"},
    {"'input': {'features': 1, 'feature': [6, 1]}, ",
     "{'name': 'e', 'type': 'embedding', 'vocabulary': 9, 'out': 12, 'positions': 6,"
     " 'learned_positions': true, 'aux': [{'op': 'rms_norm'}, {'op': 'dropout'}]},"
     "{'name': 'e2', 'type': 'fc', 'in': 12, 'out': 6},{'name': 'a', 'type': 'attention', 'heads': "
     "4, 'kv_heads': 2, 'head_features': 3,"
     " 'value_features': 3, 'inputs': ['e', 'e2', 'e2'], 'context': 9, 'window': 4, 'causal': "
     "true},"
     "{'name': 'g', 'type': 'fc', 'in': 12, 'out': 8, 'aux': [{'op': 'layer_norm', 'on': 'input'},"
     " {'op': 'silu'}]}, {'name': 'u', 'type': 'fc', 'in': 12, 'out': 8, 'inputs': ['a'],"
     " 'aux': [{'op': 'multiply', 'from': 'g'}, {'op': 'rotary', 'share': 0.25}]},"
     "{'name': 's', 'type': 'fc', 'in': 8, 'out': 4, 'aux': [{'op': 'select', 'positions': 2},"
     " {'op': 'rms_norm', 'on': 'input', 'given': true}]}, {'name': 'o', 'type': 'fc', 'in': 8, "
     "'out': 2,"
     " 'positions': 1}, {'name': 'm', 'type': 'matmul', 'in': 2, 'out': 4, 'operand': 's'},"
     "{'name': 't', 'type': 'conv_transpose', 'in': 8, 'out': 3, 'feature': [24, 6], 'inputs':"
     " ['u'], 'stride': [2, 3], 'aux': [{'op': 'upsample', 'factor': [2, 2]}]}"},
};

START_TEST(test_written_and_read_again_it_is_the_same) {
  dsm_workload *const network = network_with(descriptions[_i].top, descriptions[_i].layers);
  dsm_workload *const again = written_and_read(network);
  expect_same_workload(network, again);
  dsm_workload_free(again);
  dsm_workload_free(network);
}
END_TEST

Suite *suite_workload_json_write(void) {
  Suite *const suite = suite_create("workload_json_write");
  TCase *const round_trip = tcase_create("round_trip");
  tcase_add_loop_test(round_trip, test_written_and_read_again_it_is_the_same, 0,
                      COUNT_OF(descriptions));
  suite_add_tcase(suite, round_trip);
  return suite;
}
