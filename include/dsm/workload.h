/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * @file
 * workload.h: a network as a graph of layers.
 *
 * A workload is read from a description (format "dsm-workload/1", docs/formats.md), checked once
 * and immutable afterwards. It exists in two views:
 *
 *  - the *declared* layers (dsm_layer_spec), as the description names them;
 *  - the *primary* layers (dsm_layer), in execution order, with every derived quantity of the
 *    performance model. They are the declared layers, except that a bidirectional LSTM `x` is two
 *    of them, `x.fwd` and `x.bwd`. All analysis works on primary layers.
 *
 * "per sample" means for one sample of the minibatch and, in layers with timesteps, one timestep.
 */
#ifndef DSM_WORKLOAD_H
#define DSM_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dsm/diag.h"
#include "dsm/element_type.h"
#include "dsm/limits.h"
#include "dsm/override.h"
#include "dsm/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a layer computes first. */
typedef enum dsm_layer_type {
  DSM_LAYER_CONV = 0,
  DSM_LAYER_FC,
  DSM_LAYER_LSTM,
  DSM_LAYER_MATMUL,
  DSM_LAYER_ATTENTION,
  DSM_LAYER_EMBEDDING,
  DSM_LAYER_CONV_TRANSPOSE,
  DSM_LAYER_TYPE_COUNT
} dsm_layer_type;

/** What a layer computes then. */
typedef enum dsm_aux_op {
  DSM_AUX_BIAS = 0,
  DSM_AUX_RESIDUAL,
  DSM_AUX_RELU,
  DSM_AUX_SIGMOID,
  DSM_AUX_TANH,
  DSM_AUX_GELU,
  DSM_AUX_MAX_POOL,
  DSM_AUX_AVG_POOL,
  DSM_AUX_SOFTMAX,
  DSM_AUX_BATCH_NORM,
  DSM_AUX_LAYER_NORM,
  DSM_AUX_CROSS_ENTROPY, /**< of a softmax of its own, which it includes */
  DSM_AUX_RMS_NORM,
  DSM_AUX_SILU,
  DSM_AUX_MULTIPLY, /**< by another layer's output, element by element */
  DSM_AUX_DROPOUT,
  DSM_AUX_ROTARY,   /**< rotates pairs of features by their position */
  DSM_AUX_SELECT,   /**< only so many of the input's positions go on */
  DSM_AUX_UPSAMPLE, /**< the input's features grow by repeated positions */
  DSM_AUX_COPY,     /**< the output in another layout */
  DSM_AUX_SPLIT,    /**< the output as several tensors, whose errors are one again */
  DSM_AUX_OP_COUNT
} dsm_aux_op;

/** Rows and columns. */
typedef struct dsm_size2 {
  uint64_t rows;
  uint64_t columns;
} dsm_size2;

/** One auxiliary operation as declared. */
typedef struct dsm_aux {
  dsm_aux_op op;
  const char *from;   /**< residual, multiply: the layer whose output is the other operand; a norm
                           of the input: the layer whose it is; else NULL */
  dsm_size2 window;   /**< pools only */
  dsm_size2 stride;   /**< pools only; default: the window */
  dsm_size2 feature;  /**< pools only: size of the result */
  bool has_feature;   /**< pools only: `feature` was stated, not derived */
  bool is_on_input;   /**< works on the layer's input, not on its output */
  uint64_t positions; /**< select only: how many go on */
  dsm_size2 factor;   /**< upsample only */
  double share;       /**< rotary only: of the features, 0 to 1 */
  uint64_t features;  /**< norms of an fc's output only: of a head, each of which has a norm with
                           the same weights; 0: one norm of all features */
  uint64_t heads; /**< with `features`: the heads that have a norm, from the first one on; 0: all */
  bool is_given;  /**< norms only: another layer makes its scale and shift for each sample */
} dsm_aux;

/** How a declared layer takes part in timestep pipelining. */
typedef enum dsm_pipeline_choice {
  DSM_PIPELINE_AUTOMATIC = 0, /**< key absent: maximal runs form groups */
  DSM_PIPELINE_NAMED,         /**< layers with the same name form a group */
  DSM_PIPELINE_NEVER          /**< null */
} dsm_pipeline_choice;

/** A layer as declared. Fields that do not apply to its type hold the defaults shown. */
typedef struct dsm_layer_spec {
  const char *name;
  dsm_layer_type type;
  uint64_t in;        /**< input features; attention and embedding: of their only input */
  uint64_t out;       /**< output features; lstm: hidden units of a direction */
  dsm_size2 feature;  /**< conv: size of an output feature before pooling; with positions: these
                           by 1; else 1 x 1 */
  bool has_positions; /**< fc, attention, embedding: stated, or those of its input */
  dsm_size2 kernel;   /**< conv; else 1 x 1 */
  dsm_size2 stride;   /**< conv; else 1 x 1 */
  dsm_size2 dilation; /**< conv; else 1 x 1 */
  dsm_size2 padding;  /**< conv, where stated; else 0 x 0 */
  bool has_padding;   /**< conv: `padding` was stated, not implied */
  dsm_size2 input_feature; /**< conv of a list, where stated: size of a feature that it reads */
  bool has_input_feature;
  uint64_t groups;                     /**< conv; else 1 */
  uint64_t timesteps;                  /**< lstm, fc, matmul; else 1 */
  bool is_bidirectional;               /**< lstm */
  dsm_pipeline_choice pipeline_choice; /**< lstm */
  const char *pipeline_group;          /**< lstm with DSM_PIPELINE_NAMED; else NULL */
  const char *operand;       /**< matmul: layer that makes the second operand; else NULL */
  uint64_t operand_elements; /**< matmul: per sample; else 0 */
  uint64_t heads;            /**< attention, of queries; else 0 */
  uint64_t kv_heads;         /**< attention, of keys and values */
  uint64_t head_features;    /**< attention, of a query's and a key's head */
  uint64_t value_features;   /**< attention, of a value's head */
  uint64_t latent;           /**< attention: features of which its keys and values are made; 0: it
                                  reads keys and values */
  uint64_t chunk;            /**< attention: positions of a chunk of a scan, which carries a state
                                  from one to the next in place of keys; 0: no scan */
  uint64_t rotary_features;  /**< attention with a latent: of each key, the same for all heads */
  uint64_t context;        /**< attention: positions of keys and values; 0: as many as of queries */
  uint64_t window;         /**< attention: keys that a query sees at most; 0: all */
  bool is_causal;          /**< attention: a query sees no key behind its own position */
  bool has_dropout;        /**< attention: of what its softmax makes */
  bool has_sinks;          /**< attention: a number of each head that its softmax has too */
  uint64_t vocabulary;     /**< embedding: rows of the table; else 0 */
  const char *tied_to;     /**< fc, embedding: the layer whose weights it shares; NULL: none */
  uint64_t experts;        /**< fc: sets of weights, of which each position uses some; 0: one */
  uint64_t active_experts; /**< fc with experts: how many a position uses */
  double capacity_factor;  /**< fc with experts: work over that of positions spread evenly */
  bool has_learned_positions; /**< embedding: a row for each position is added */
  const char *const *inputs;  /**< declared producers, "@input" for the network's input */
  size_t input_count;         /**< 0: not declared, that is the layer before (or the input) */
  const dsm_aux *aux;         /**< in the order declared */
  size_t aux_count;
  double element_bytes; /**< of what it delivers; 0: not stated, as the workload's */
  double weight_bytes;  /**< 0: not stated, as its element_bytes, or else the workload's */
  double cache_bytes;   /**< attention, likewise */
  dsm_types types;      /**< that it states, of which the bytes above follow */
} dsm_layer_spec;

/** Stands for the network's input among dsm_layer.producers. */
#define DSM_NETWORK_INPUT SIZE_MAX
/** dsm_layer.last_use of an output that nothing uses. */
#define DSM_NEVER_USED SIZE_MAX

/** The loops into which an lstm falls where its input products are hoisted out of its timesteps. */
typedef enum dsm_hoisted_loops {
  DSM_HOISTED_INPUT = 0, /**< (X, 4H): an fc over the inputs of all timesteps */
  DSM_HOISTED_STEP,      /**< (H, 4H): a timestep, which adds its input's products */
  DSM_HOISTED_GRADIENT,  /**< (H, 4H): the update of these weights, over all timesteps at once */
  DSM_HOISTED_COUNT
} dsm_hoisted_loops;

/** Bytes of an element of the tensors that a layer works on; 0: those of the workload. */
typedef struct dsm_layer_bytes {
  double input;    /**< of what it reads: the mean of its producers' by their elements */
  double output;   /**< of what it makes, and of the errors of that */
  double operand;  /**< of a product's second operand, likewise */
  double shortcut; /**< of what a residual or a multiply takes beside the output */
  double fork;     /**< of what it reads and a later layer too */
  double weights;
  double cache; /**< of keys and values */
} dsm_layer_bytes;

/** How products of a layer read what is stored in another type (docs/model.md, section 2). */
typedef struct dsm_layer_casts {
  dsm_element_type operands; /**< of products; any: as they are stored */
  bool is_input_cast;        /**< by an operation of its own, before the forward pass */
  bool is_error_cast;        /**< likewise the errors of the output, before those of the input */
  bool are_weights_cast;     /**< when they have been updated, or loaded */
  bool are_weights_typed;    /**< their type is stated */
  bool are_weights_widened;  /**< whenever they are read: they are stored narrower */
  bool are_gradients_typed;  /**< those of weights have gradient_bytes in a chip's memory too */
} dsm_layer_casts;

/** What each of the two layers of an attention has to know of both; zeros of other layers. */
typedef struct dsm_attention_shape {
  uint64_t key_features; /**< of a head: of queries and keys */
  uint64_t value_features;
  uint64_t window;         /**< keys that a query sees at most; 0: all */
  bool is_causal;          /**< it sees none behind its own position */
  bool has_values_in_keys; /**< its one head of values is a part of its head of keys */
} dsm_attention_shape;

/** Rows of a pool, where chips share positions. */
typedef struct dsm_pooled_rows {
  uint64_t rows;   /**< of results */
  uint64_t stride; /**< between those that two results begin with */
  uint64_t halo;   /**< that a window has beyond its stride */
} dsm_pooled_rows;

/** A primary layer: one set of loops, in execution order, with its derived quantities. */
typedef struct dsm_layer {
  const char *name;
  size_t spec_index; /**< the declared layer it comes from */

  /* What it is, for all equations. */
  bool is_convolution; /**< of features with positions, which model.dysm_uniform is about */
  bool is_product;     /**< of two activations: each sample has an operand of its own, no weights */
  uint64_t gates;      /**< of a recurrent cell, whose hidden units are a part of the outputs in so
                            many: lstm 4; else 0 */

  /* Loop dimensions (docs/model.md, section 1). */
  uint64_t in;          /**< nin: reduction features; lstm: X + H */
  uint64_t out;         /**< nout: produced features; lstm: 4H */
  uint64_t ij;          /**< rows * columns of an output feature before pooling */
  uint64_t rows;        /**< of these */
  uint64_t kij;         /**< rows * columns of the kernel */
  uint64_t strides;     /**< product of both strides of a conv; else 1 */
  uint64_t stride_rows; /**< that of rows */
  uint64_t halo_rows;   /**< rows of the input that a kernel reads beyond its stride; 0: none */
  uint64_t groups;      /**< 1: not grouped */
  uint64_t timesteps;   /**< T; 1 in feed-forward layers */

  dsm_layer_bytes bytes; /**< of an element */
  dsm_layer_casts casts;

  /* Elements per sample. */
  uint64_t input_elements;   /**< in_el */
  uint64_t output_elements;  /**< out_el: before pooling; lstm: 4H */
  uint64_t stored_elements;  /**< st_el: after pooling; lstm: H */
  uint64_t stored_size;      /**< the same as so many elements of the workload's size, rounded up */
  uint64_t state_elements;   /**< saved for the backward pass beside the output: lstm 5H, else 0 */
  uint64_t operand_elements; /**< matmul's second operand, else 0 */
  uint64_t operand_groups;   /**< a product's: groups share these many parts of the operand, each
                                  output feature has its own within; 0: nothing is known of it */
  uint64_t gate_elements;    /**< of a timestep of a hoisted lstm: input products that it adds, and
                                  errors of gates that it leaves: 4H; else 0 */
  uint64_t weight_elements;  /**< w_el, once for the layer; 0 for matmul */
  uint64_t macs;             /**< per sample and pass */
  double hidden_share;       /**< of the MACs: those that a causal mask hides; else 0 */
  bool is_tied;            /**< the weights are another layer's, where they are stored and summed */
  uint64_t experts;        /**< sets of weights, as groups; 0: one set, which all use */
  uint64_t routed;         /**< positions of a sample times experts of each; 0 without experts */
  uint64_t sent;           /**< of these as many as there is room for: at most experts * ij */
  uint64_t active_experts; /**< that a position uses; 0 without experts */
  bool feeds_experts; /**< only layers of the same experts read its output: tokens stay with them */
  uint64_t lookup_elements; /**< of the weights, fetched per sample in place of all: embedding;
                                 else 0 */
  bool is_score;            /**< an attention's products of queries and keys, after their softmax */
  bool reads_score;         /**< its sums of values in these shares */
  uint64_t sinks;           /**< numbers that the softmax of a score has beside it, one of a head */
  dsm_attention_shape attention;
  uint64_t cache_new_elements; /**< what a step adds to it */
  uint64_t cache_elements;     /**< of a key-value cache, per sample, in inference; else 0 */
  uint64_t mask_elements;      /**< that have a mask, which is kept for the backward pass */
  uint64_t kept_results;       /**< results before the output that gradients of operations need,
                                    other than those of activations alone (model.kept_inputs) */
  uint64_t kept_activations;   /**< those that gradients of activations alone need */
  uint64_t parameters;         /**< w_el, biases and normalisation parameters, once for the layer */

  /* Auxiliary work. */
  bool has_op[DSM_AUX_OP_COUNT];       /**< operations present on the output */
  bool has_second_bias;                /**< lstm: one of the input, another of the hidden units */
  bool has_input_op[DSM_AUX_OP_COUNT]; /**< those on the input, but for pools */
  uint64_t input_op_elements;          /**< what the operations on the input work on, per sample */
  uint64_t rotated_elements;           /**< of the output that is turned by its position */
  uint64_t head_norm_features; /**< of heads that have norms, which all have the same weights:
                                    queries' and keys'; 0: the norm, if any, is of all features */
  uint64_t given_norms;       /**< of what norms have a number each for, that another layer makes */
  uint64_t unnormed_elements; /**< of the output, beside those with a norm of heads: values */
  uint64_t upsampled_elements;  /**< of the input, grown */
  uint64_t pool_window;         /**< elements of the output pool's window; 0: no output pool */
  uint64_t input_pool_window;   /**< elements of the input pool's window; 0: no input pool */
  dsm_pooled_rows pooled;       /**< zeros: no output pool */
  dsm_pooled_rows input_pooled; /**< zeros: no input pool */
  uint64_t input_pool_elements; /**< results of the input pool per sample */

  /* Passes and graph. All indices are of primary layers and smaller than the layer's own. */
  bool has_backward;       /**< false for conv and fc fed only by the network's input */
  bool has_update;         /**< false for matmul */
  const size_t *producers; /**< of the input, in concatenation order; may be DSM_NETWORK_INPUT */
  size_t producer_count;
  const size_t *shortcuts; /**< whose outputs the residual adds */
  size_t shortcut_count;
  const size_t *operands; /**< who make the matmul's second operand */
  size_t operand_count;
  size_t last_use; /**< last layer with it among producers or shortcuts, or DSM_NEVER_USED */
  size_t last_operand_use; /**< last layer with it among operands, or DSM_NEVER_USED */
  uint64_t fork_elements; /**< per sample, stored by those producers of the input that a later layer
                               uses too: their errors are there when this layer adds its own */
  bool is_shortcut_own_input; /**< the residual adds nothing but (parts of) the layer's own input */
  const struct dsm_layer *parts;   /**< layers that it is together: queries, keys and values of an
                                        attention, made of the same input; else NULL */
  size_t part_count;               /**< 0: it is one by itself */
  const struct dsm_layer *hoisted; /**< lstm with timesteps: its loops with hoisted input products,
                                        one for each of dsm_hoisted_loops; else NULL */

  /* Elements, of the workload's size, per sample times timesteps, over the life of tensors in
   * execution order. */
  uint64_t carried_elements;    /**< outputs made before this layer and used (other than as a
                                     matmul's operand) by it or later: what a relayout moves */
  uint64_t live_elements;       /**< in inference, while it runs: its output, and all made before
                                     and used by it or later */
  uint64_t error_pair_elements; /**< errors of its output and of its producers' outputs */
} dsm_layer;

/** What updates the weights. */
typedef enum dsm_optimizer {
  DSM_OPTIMIZER_NONE = 0, /**< not named: the system says what an update moves */
  DSM_OPTIMIZER_SGD,      /**< with momentum */
  DSM_OPTIMIZER_LARS,
  DSM_OPTIMIZER_ADAM,       /**< in single precision */
  DSM_OPTIMIZER_ADAM_MIXED, /**< in mixed precision, with clipping and master weights */
  DSM_OPTIMIZER_COUNT
} dsm_optimizer;

/** What a network is trained on, or run over (docs/storage.md). */
typedef struct dsm_dataset {
  uint64_t samples;    /**< 0: the workload says nothing of its data set */
  double sample_bytes; /**< of a sample, on average */
  double
      repeat; /**< times that a part of the data set is trained on while the next one is loaded */
} dsm_dataset;

/** An immutable workload. Everything inside belongs to it. */
typedef struct dsm_workload {
  const char *name;
  const char *source;                /**< where the description comes from; NULL if not stated */
  uint64_t minibatch;                /**< samples in a step (Nmb) */
  double element_bytes;              /**< B: activations and errors; weights if not stated */
  double weight_bytes;               /**< Bw: weights; 0: not stated, as element_bytes */
  double cache_bytes;                /**< of a key-value cache; 0: not stated, as element_bytes */
  double gradient_bytes;             /**< Bg: gradients between chips */
  double partial_sum_bytes;          /**< Ba: partial sums between cores, rotated outputs */
  double optimizer_bytes_per_weight; /**< optimiser state in memory */
  dsm_optimizer optimizer;           /**< what an update reads and writes is by it */
  uint64_t normalization_group;      /**< samples that share the statistics of a batch_norm */
  dsm_element_type element_type;     /**< the rate of the arrays is by it */
  dsm_types types;                   /**< by use, of which the bytes above follow */
  dsm_dataset dataset;               /**< what storage delivers */

  bool is_list;             /**< layers without a graph: each reads an input of its own, which lives
                                 while it runs, and nothing reads what it makes */
  bool is_input_stated;     /**< the description has an `input` */
  uint64_t input_features;  /**< of the network's input */
  dsm_size2 input_size;     /**< of a feature of the network's input */
  uint64_t input_elements;  /**< per sample */
  uint64_t input_timesteps; /**< largest T of the layers that read it; 1 if none does */
  size_t input_last_use;    /**< last primary layer that reads it, or DSM_NEVER_USED */

  const dsm_layer_spec *specs; /**< declared layers */
  size_t spec_count;
  const dsm_layer *layers; /**< primary layers in execution order */
  size_t layer_count;

  /* Totals, per sample and including all timesteps where they apply. */
  uint64_t weights;        /**< sum of weight_elements */
  uint64_t parameters;     /**< sum of parameters */
  uint64_t forward_macs;   /**< sum of macs * timesteps */
  double activation_bytes; /**< sum of stored_size * timesteps * element_bytes */

  unsigned stated_bytes;    /**< private: which of the numbers of bytes the description states */
  struct dsm__arena *arena; /**< private */
} dsm_workload;

/**
 * Reads a workload from JSON text named `file` in findings, after applying the overrides.
 * *workload is set only on DSM_OK and then belongs to the caller. DSM_ERROR_INVALID: every problem
 * that could be found is in diags. DSM_ERROR_OUT_OF_MEMORY.
 */
DSM_API DSM_NODISCARD dsm_status dsm_workload_parse(dsm_workload **workload, const char *text,
                                                    size_t length, const char *file,
                                                    const dsm_override *overrides,
                                                    size_t override_count, dsm_diags *diags);

/** dsm_workload_parse of a file ("-": standard input); also DSM_ERROR_IO. */
DSM_API DSM_NODISCARD dsm_status dsm_workload_load(dsm_workload **workload, const char *path,
                                                   const dsm_override *overrides,
                                                   size_t override_count, dsm_diags *diags);

/** Frees the workload; NULL is fine. */
DSM_API void dsm_workload_free(dsm_workload *workload);

/** What a server runs of a network. */
typedef enum dsm_phase {
  DSM_PHASE_PREFILL = 0, /**< all positions of what is asked, at once */
  DSM_PHASE_DECODE,      /**< the next positions of an answer, behind those before */
  DSM_PHASE_COUNT
} dsm_phase;

/** "prefill" or "decode". Never NULL. */
DSM_API const char *dsm_phase_name(dsm_phase phase);

/**
 * The network of a phase: one of causal attentions with so many new `positions` (0: in a decode 1,
 * in a prefill all) at the end of a `context` (0: the positions of the network as it is described);
 * those before are in a cache. Operations of training alone are
 * left out. In a prefill the last layer works on the last position of a sample alone. A network
 * whose attentions are not causal has a prefill only, of a context that is all new. Learned
 * positions have rows for the new ones alone (an assumption: the table is a little smaller).
 * *phase_of belongs to the caller. DSM_ERROR_USAGE: a context of fewer positions, or of more
 * than DSM_SIDE_MAX. DSM_ERROR_INVALID: there is no such phase; a finding names the layer that is
 * the reason. DSM_ERROR_OUT_OF_MEMORY. O(layers).
 */
DSM_API DSM_NODISCARD dsm_status dsm_workload_phase(dsm_workload **phase_of,
                                                    const dsm_workload *workload, dsm_phase phase,
                                                    uint64_t positions, uint64_t context,
                                                    dsm_diags *diags);

/** Index of the primary layer of that name, or SIZE_MAX. O(layers). */
DSM_API size_t dsm_workload_find_layer(const dsm_workload *workload, const char *name);

/** Is a primary layer, or one that it is together, of the declared layer of that name? */
DSM_API bool dsm_workload_layer_is_of(const dsm_workload *workload, size_t index, const char *name);

/** The word of the formats for a type ("conv") or operation ("max_pool"). Never NULL. */
DSM_API const char *dsm_layer_type_name(dsm_layer_type type);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_aux_op_name(dsm_aux_op op);
/** The word of the formats. Never NULL. */
DSM_API const char *dsm_optimizer_name(dsm_optimizer optimizer);

#ifdef __cplusplus
}
#endif

#endif
