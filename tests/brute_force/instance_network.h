/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_INSTANCE_NETWORK_H
#define DSM_TESTS_INSTANCE_NETWORK_H

/* A random network that satisfies every relation between its layers, as numbers;
 * instance_workload.c writes it down. */

#include "instance_random.h"

enum {
  INSTANCE_MAX_DECLARED = 5,
  INSTANCE_MAX_INPUTS = 3,
  INSTANCE_INPUT = -1,
  INSTANCE_NONE = -2
};

typedef enum { INSTANCE_CONV, INSTANCE_FC, INSTANCE_LSTM, INSTANCE_MATMUL } instance_kind;

typedef struct {
  size_t rows;
  size_t columns;
} instance_grid;

/* What a consumer sees of a layer or of the network's input. */
typedef struct {
  size_t features;
  instance_grid grid;
  size_t timesteps; /* 0 for the network's input, which has those of its readers */
} instance_tensor;

typedef struct {
  bool exists;
  bool is_maximum;
  bool states_stride;
  bool states_feature;
  instance_grid window;
  instance_grid stride;
  instance_grid pooled;
} instance_pool;

typedef struct {
  instance_kind kind;
  size_t in;
  size_t out;
  size_t timesteps;
  bool is_bidirectional;
  size_t input_count;
  int inputs[INSTANCE_MAX_INPUTS]; /* earlier layers, or INSTANCE_INPUT */
  instance_grid feature;           /* conv: before pooling */
  instance_grid kernel;
  instance_grid stride;
  instance_grid dilation;
  bool states_padding;
  instance_grid padding;
  size_t groups;
  int operand; /* an earlier layer; matmul */
  size_t operand_elements;
  int residual; /* an earlier layer, or INSTANCE_NONE */
  bool has_bias;
  bool has_softmax;
  const char *norm;           /* NULL: none */
  const char *activations[2]; /* NULL: none */
  bool is_activated_before_residual;
  instance_pool input_pool;
  instance_pool pool;
  instance_tensor output;
} instance_layer;

typedef struct {
  instance_tensor input;
  bool states_input;
  size_t layer_count;
  instance_layer layers[INSTANCE_MAX_DECLARED];
} instance_network;

instance_network instance_network_make(instance_random *random);

#endif
