/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DSM_TESTS_TWIN_INPUT_H
#define DSM_TESTS_TWIN_INPUT_H

/*
 * The twin's own view of a workload and a system. Counts are doubles: all are far below 2^53, so
 * that sums, products and ceilings of quotients are exact, and no conversion stands between an
 * equation and its text.
 */

#include "twin.h"

enum {
  TWIN_MAX_PRODUCERS = 16,
  TWIN_NETWORK_INPUT = -1 /* a producer index */
};

typedef enum {
  TWIN_CONV,
  TWIN_FC,
  TWIN_LSTM,
  TWIN_MATMUL,
  TWIN_SCORE,   /* an attention's queries by keys, */
  TWIN_CONTEXT, /* and scores by values */
  TWIN_EMBEDDING,
  TWIN_TRANSPOSED /* a convolution by pixels of its input */
} twin_kind;

/* model.layout_move: when a held tensor moves among the cores of a chip. */
typedef enum { TWIN_MOVE_NONE, TWIN_MOVE_ALWAYS, TWIN_MOVE_EXACT } twin_move_rule;

/* model.auxiliary_traffic: which auxiliary operations read and write memory. */
typedef enum { TWIN_AUX_NONE, TWIN_AUX_FUSED, TWIN_AUX_UNFUSED } twin_aux_rule;

/* Kinds of them, in the order of their keys. */
typedef enum {
  TWIN_AUX_BATCH_NORM,
  TWIN_AUX_LAYER_NORM,
  TWIN_AUX_SOFTMAX,
  TWIN_AUX_LOSS,
  TWIN_AUX_LOSS_WIDE, /* the same operation, its elements of 4 bytes */
  TWIN_AUX_ACTIVATION,
  TWIN_AUX_BIAS,
  TWIN_AUX_RESIDUAL,
  TWIN_AUX_FORK,
  TWIN_AUX_MULTIPLY,
  TWIN_AUX_DROPOUT,
  TWIN_AUX_DROPOUT_MASK, /* the same operation, its masks: bytes */
  TWIN_AUX_ROTARY,
  TWIN_AUX_COPY,
  TWIN_AUX_SPLIT,
  TWIN_AUX_INPUT_NORM, /* moves what a layer_norm does */
  TWIN_AUX_COUNT
} twin_aux_kind;

/* Elements that one moves for each that it works on. */
typedef struct {
  double forward;
  double backward;
} twin_aux_moves;

/* What joins the chips along an axis. */
typedef enum {
  TWIN_LINK_RING,
  TWIN_LINK_LINE,
  TWIN_LINK_SWITCH,
  TWIN_LINK_FAT_TREE,
  TWIN_LINK_DRAGONFLY
} twin_link_kind;

/* system.collective_order */
typedef enum { TWIN_ORDER_GIVEN, TWIN_ORDER_BEST, TWIN_ORDER_BOTH_HALVES } twin_order;

enum { TWIN_MAX_AXES = 3 };

typedef struct {
  double chips;
  double bytes_per_cycle; /* of a link, efficiency included */
  double latency_cycles;  /* of a step from chip to chip */
  double chips_per_port;
  double all_chips; /* of the axis that it is a stage's part of */
  double group_chips;
  double oversubscription;
  double global_links;
  twin_link_kind link;
  bool both_ways;
  bool protocols; /* collectives go by one of the system's */
} twin_axis;

/* Types of elements, of which the first 6 are int8, fp8, fp16, bf16, tf32, fp32. */
enum { TWIN_TYPE_COUNT = 13 };

/* What they are used for; TWIN_TYPE_COUNT: no type is stated for it. */
typedef enum {
  TWIN_USE_WEIGHTS,
  TWIN_USE_ACTIVATIONS,
  TWIN_USE_OPERANDS,
  TWIN_USE_CACHE,
  TWIN_USE_GRADIENTS,
  TWIN_USE_OPTIMIZER,
  TWIN_USE_COUNT
} twin_use;

/* What `pipeline_group` says of a layer. */
typedef enum {
  TWIN_PIPELINE_FREE,  /* absent */
  TWIN_PIPELINE_NAMED, /* a string */
  TWIN_PIPELINE_NEVER  /* null, or no unidirectional lstm */
} twin_pipeline_rule;

/* A set of expanded layers, with repetitions, as one name (or list of names) refers to them. */
typedef struct {
  size_t count;
  int layers[TWIN_MAX_PRODUCERS]; /* index of an earlier layer, or TWIN_NETWORK_INPUT */
} twin_refs;

typedef struct {
  char name[TWIN_NAME_SIZE];
  twin_kind kind;
  double in;        /* features; X of an lstm */
  double out;       /* features; H of an lstm (of each half) */
  double ij;        /* positions that are computed: output size before pooling, or, of a transposed
                       convolution, size of the input that is multiplied */
  double out_ij;    /* output size before pooling */
  double positions; /* of the output, before experts share them out; 1 without any */
  double kij;       /* kernel size */
  double strides;   /* of a conv, along both sides: their product */
  double iij;       /* stored size of the producers; 1 but for conv */
  double stored_ij; /* output size after pooling */
  double groups;
  double timesteps;
  double operand_elements; /* per sample; matmul, score, context */
  double operand_groups;   /* score, context: heads of keys and values */
  double key_features;     /* score, context: of a head */
  double value_features;
  double window; /* keys that a query sees at most; 0: all */
  bool is_causal;
  double hidden_share;         /* of a score's and a context's products, by the mask */
  double cache_elements;       /* per sample: of a key-value cache */
  double new_elements;         /* per sample: what a step adds to it */
  double table_rows;           /* of an embedding */
  double lookup_elements;      /* per sample: of an embedding's tables */
  double experts;              /* of an fc; 0: none */
  double routed;               /* per sample: positions, once for each expert of theirs */
  bool is_tied;                /* its weights are another layer's */
  twin_refs tied;              /* that layer */
  double stated_bytes[3];      /* of an element, a weight, a cache's; 0: not stated */
  size_t uses[TWIN_USE_COUNT]; /* types that it states */
  size_t read_type;            /* that its products read; TWIN_TYPE_COUNT: as it is stored */
  bool casts_input;
  bool casts_error;
  bool casts_weights;
  bool widens_weights;
  double made_bytes;     /* of what it makes, as it is stored, whatever a pass reads */
  double in_bytes;       /* of an element of what it reads, */
  double produced_bytes; /* of that without an lstm's own units, */
  double out_bytes;      /* of what it makes, */
  double operand_bytes;  /* of a product's second operand, */
  double other_bytes;    /* of what a residual or multiply takes, */
  double weight_bytes;   /* of a weight, and of an element of its cache */
  double cache_bytes;
  bool has_positions; /* an fc behind it has as many */
  bool has_bias;
  bool has_relu;
  bool has_transcendental; /* sigmoid, tanh, gelu or silu */
  double transcendentals;  /* how many of these */
  bool has_batch_norm;
  bool has_layer_norm;
  bool has_rms_norm;
  bool has_norm_of_heads; /* whatever of these two it is */
  bool has_input_layer_norm;
  bool has_input_rms_norm;
  bool has_multiply;
  bool has_dropout;
  bool has_copy;
  bool has_split;
  double turned_share;      /* of the output, by a rotary; 0 without one */
  double upsampled_results; /* per sample; 0 without an upsample */
  bool has_softmax;
  bool has_loss; /* cross_entropy */
  bool has_residual;
  double kept_for_sums; /* results before the output, per sample, that norms, softmax, pools need */
  double kept_for_others; /* and those that activations alone need */
  double pooled_results;  /* per sample; 0 without a pool on the input */
  double pool_window;     /* elements; 0 without a pool on the output */
  double input_pool_ops;  /* per sample: pooled input elements * window; 0 without a pool on the
                             input */
  double multiplied_ij; /* size of a feature of the input where it is multiplied: after an upsample
                           and  a pool */
  bool is_alone;        /* of a list of layers without a graph */
  twin_refs inputs;
  twin_refs shortcut;    /* `from` of a residual or a multiply */
  twin_refs operand;     /* of a matmul, score or context */
  bool is_hoisted_input; /* products of an lstm's input: their errors go back in any case */
  bool is_step;          /* a timestep that finds its input's products in memory */
  size_t place;          /* of the layer among those of the workload */
  twin_pipeline_rule pipeline_rule;
  char pipeline_name[TWIN_NAME_SIZE]; /* "" unless named */
} twin_node;

typedef struct {
  double minibatch;
  double element_bytes;
  double weight_bytes; /* of a weight: as stated, else of an element */
  double cache_bytes;  /* of an element of a key-value cache, likewise */
  double gradient_bytes;
  double partial_sum_bytes;
  double optimizer_bytes_per_weight;
  double update_bytes; /* of memory for each weight, by the optimizer; 0: none is named */
  double normalization_group;
  size_t element_type; /* an index of type_rates; TWIN_TYPE_COUNT: by bytes of operands */
  size_t uses[TWIN_USE_COUNT];
  double input_elements; /* per sample and timestep */
  size_t node_count;
  twin_node nodes[TWIN_MAX_LAYERS];
} twin_workload;

/* How a library carries collectives: three rings, an all-to-all, and switches that add. */
enum {
  TWIN_PROTOCOL_RINGS = 3,
  TWIN_PROTOCOL_ALL_TO_ALL = 3,
  TWIN_PROTOCOL_ADDS,
  TWIN_PROTOCOL_COUNT
};

typedef struct {
  double base_cycles;
  double step_cycles;
  double efficiency; /* 0: there is none such */
  double most_bytes_per_cycle;
} twin_protocol;

/* What joins the cores of a chip. */
typedef enum { TWIN_CORES_RING, TWIN_CORES_CROSSBAR, TWIN_CORES_MESH, TWIN_CORES_NONE } twin_joint;

typedef struct {
  double rows;    /* Pr */
  double columns; /* Pc: array.columns * pe.simd_macs */
  double startup_cycles;
  double type_rates[TWIN_TYPE_COUNT];
  double arrays;                /* of a core */
  double vector_macs_per_cycle; /* of a core, in place of them */
  double array_efficiency;
  double block_cycles; /* lost by a change of the block of weights */
  bool unroll_kernel_on_rows;
  bool weights_from_scratchpad;
  double cores;
  double scratchpad_bytes;           /* per core */
  double scratchpad_bytes_per_cycle; /* per core */
  double streaming_buffer_bytes;     /* per core */
  double resident_weight_fraction;
  double bptt_resident_copies;
  bool dysm_uniform;
  bool dysm_accumulate_in_memory;
  double sfu_ops_per_cycle;
  double transcendental_passes;
  twin_joint joint;
  double core_link_bytes_per_cycle;
  double memory_bytes_per_cycle; /* efficiency included */
  double shared_bytes;           /* of the memory that all cores share; 0: none */
  double shared_bytes_per_cycle; /* infinite where there is none */
  double capacity_bytes;
  double memory_tile_minor;
  double memory_tile_second;
  double memory_stacks;
  size_t axis_count;
  twin_axis axes[TWIN_MAX_AXES]; /* innermost first */
  bool one_ring;                 /* collectives: one ring through all members, not nested */
  twin_order collective_order;   /* of nested ones */
  double collective_base_cycles;
  bool in_network_reduction;
  twin_protocol protocols[TWIN_PROTOCOL_COUNT];
  bool joins_gradients; /* all chips sum those of many layers at once, stages too */
  double relu_mask_bytes;
  double batch_norm_saved_bytes;
  double reduce_memory_bytes;
  double broadcast_memory_bytes;
  double reduce_ring_crossings;
  double rotate_memory_bytes;
  double relayout_memory_bytes;
  double weight_update_memory_bytes;
  double partial_sum_bytes; /* 0: as the workload says */
  bool exact_rotation;
  bool exact_forks;
  bool overlapped_hand_over;
  bool pipeline_columns;
  bool lstm_gate_errors;
  bool statistics_sums;
  bool two_way_relayout;
  bool charge_held_masks;
  bool causal_skip;
  bool fused_attention;
  bool keeps_for_sums;   /* model.kept_inputs */
  bool keeps_for_others; /* its "all" */
  bool resident_operands;
  double peak_macs_per_cycle; /* of a chip of which no more is known; 0: more is */
  bool tile_schedule;
  bool has_blocked_tiles; /* model.tiling */
  bool fused_reductions;
  bool sharded_update;
  bool overlapped_reduction;
  double tile_startup_cycles;
  double tile_least_side;
  double tile_most_elements;
  double sustained_ratio; /* of the clock, in training */
  double shared_operands; /* cores that fetch an operand once */
  double kernel_floor_cycles;
  double tile_least_rows; /* of an attention's kernel */
  double attention_floor_cycles;
  double attention_tile_cycles;
  double attention_efficiency;
  bool attention_skips_masked;
  twin_move_rule layout_move;
  twin_aux_rule auxiliary_traffic;
  twin_aux_moves moves[TWIN_AUX_COUNT];
  double auxiliary_bytes_per_cycle; /* of memory */
  double overhead_cycles;           /* of a kernel */
} twin_system;

/* False if the text is no JSON. */
bool twin_workload_parse(twin_workload *out, const char *text);
bool twin_system_parse(twin_system *out, const char *text);

/** As it is in training, at the clock that its cores sustain. */
void twin_system_train(twin_system *system);

#endif
