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

typedef enum {
  INSTANCE_CONV,
  INSTANCE_FC,
  INSTANCE_LSTM,
  INSTANCE_MATMUL,
  INSTANCE_ATTENTION,
  INSTANCE_EMBEDDING,
  INSTANCE_TRANSPOSED
} instance_kind;

typedef struct {
  size_t rows;
  size_t columns;
} instance_grid;

/* What a consumer sees of a layer or of the network's input. */
typedef struct {
  size_t features;
  instance_grid grid;
  size_t timesteps;   /* 0 for the network's input, which has those of its readers */
  bool has_positions; /* an fc keeps them */
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

/* What `pipeline_group` says: nothing, null, or a name. */
enum { INSTANCE_PIPELINE_ABSENT, INSTANCE_PIPELINE_NULL, INSTANCE_PIPELINE_NAMED };

typedef struct {
  instance_kind kind;
  int pipeline;       /* unidirectional lstm */
  size_t pipeline_id; /* of a name */
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
  int residual;           /* an earlier layer, or INSTANCE_NONE */
  bool is_multiplied;     /* by it, where it is not added */
  size_t positions;       /* that are stated; 0: none are */
  size_t experts;         /* of an fc; 0: none */
  size_t active_experts;  /* of these a position uses so many */
  double capacity_factor; /* 1: may be left out */
  int tied_to;            /* of an fc that is_tied: an earlier layer */
  bool is_tied;
  bool is_without_positions; /* an fc that flattens what it reads */
  size_t heads;              /* attention */
  size_t kv_heads;
  size_t head_features;
  size_t value_features;
  size_t context; /* 0: not stated */
  size_t window;  /* 0: none */
  bool is_causal;
  size_t vocabulary; /* embedding */
  bool has_learned_positions;
  const char *input_norm; /* NULL: none */
  bool has_dropout;
  double turned_share;     /* of a rotary; 0: none */
  size_t selected;         /* 0: no select */
  instance_grid upsampled; /* factors; 0 or 1: no upsample */
  bool has_bias;
  bool has_softmax;
  bool has_loss;              /* the last layer only: no other may read it */
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

/* What networks are made of. */
typedef struct {
  size_t min_declared;
  size_t max_declared;
  size_t max_expanded; /* bidirectional lstm count twice */
  size_t conv_percent;
  size_t fc_percent;
  size_t lstm_percent;           /* the rest is matmul */
  size_t positions_percent;      /* of networks, of layers with positions */
  size_t one_timestep_percent;   /* of networks, in all layers but a few */
  size_t same_timesteps_percent; /* of layers */
  size_t bidirectional_percent;
  size_t several_inputs_percent; /* of layers, where others fit the first */
  size_t point_kernel_percent;   /* of convolutions, at least: kernels of one position */
  size_t max_grid;               /* of the network's input, per axis */
  const size_t *features;
  size_t feature_count; /* len(features) */
  const size_t *timesteps;
  size_t timestep_count; /* len(timesteps) */
} instance_network_settings;

/* Those of instance_make(). */
instance_network_settings instance_network_defaults(void);

instance_network instance_network_make(instance_random *random,
                                       const instance_network_settings *settings);

/* Names some runs of recurrent layers, and excludes some of them from pipelining. */
void instance_network_group(instance_network *network, instance_random *random);

#endif
