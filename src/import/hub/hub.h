/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hub.h: the configurations of a model hub (config.json of transformers) as descriptions.
 *
 * A family of models is a row (families.c): the names of its keys, their defaults, and what its
 * blocks have. Blocks stay blocks, and sizes stay names.
 *
 * Source: huggingface/transformers, src/transformers/models/FAMILY/configuration_FAMILY.py (keys
 * and their defaults) and modeling_FAMILY.py (layers).
 */
#ifndef DSM_IMPORT_HUB_HUB_H
#define DSM_IMPORT_HUB_HUB_H

#include "import/format.h"

/** What a network ends with, by the class that "architectures" names: each family has words for a
 * few, in this order. */
typedef enum dsm__hub_end {
  DSM__HUB_BASE = 0, /**< the features of the last block, pooled where the family does; of T5 its
                          encoder */
  DSM__HUB_MAIN,     /**< what the family is known for: words, or classes of an image */
  DSM__HUB_CLASSES   /**< classes of a text */
} dsm__hub_end;

/** Sizes, each a parameter of one name. */
typedef enum dsm__hub_size {
  DSM__HUB_SEQUENCE = 0,
  DSM__HUB_VOCABULARY,
  DSM__HUB_BLOCKS,
  DSM__HUB_HIDDEN,
  DSM__HUB_HEADS,
  DSM__HUB_HEAD_FEATURES,
  DSM__HUB_INNER,
  DSM__HUB_EXPERT_INNER,
  DSM__HUB_SIZE_COUNT
} dsm__hub_size;

/** What a flag says, or the fallback where it is not there; no key: always the fallback. */
typedef struct dsm__hub_choice {
  const char *key;
  bool fallback;
} dsm__hub_choice;

/** A flag, and what is not told apart where it is set. */
typedef struct dsm__hub_note {
  const char *key;
  const char *text;
} dsm__hub_note;

typedef struct dsm__hub_rotated_features {
  const char *key;
  uint64_t fallback;
} dsm__hub_rotated_features;

typedef struct dsm__hub_experts {
  const char *key; /**< of their number; NULL: none */
  uint64_t count, active;
  bool has_own_inner;     /**< features inside one, by a key of their own */
  const char *shared;     /**< of how many all positions are */
  const char *activation; /**< of the router's scores; NULL: softmax */
  bool has_router_bias;
} dsm__hub_experts;

/** Keys of which blocks have a window; NULL: a flag that is set, 0, and no pattern. */
typedef struct dsm__hub_window {
  const char *key;    /**< of its size; NULL: none has one */
  const char *flag;   /**< without which none has one */
  const char *first;  /**< of the first that has one */
  const char *period; /**< of how many the last has none; what it is without such a key: */
  uint64_t usual_period;
  uint64_t usual_first;
} dsm__hub_window;

typedef struct dsm__hub dsm__hub;

/** A row: what a "model_type" is called by and made of. What is NULL, false or 0 it does not have.
 * Numbers and words are what transformers takes where a configuration leaves a key out. */
typedef struct dsm__hub_family {
  const char *type;
  const char *classes;              /**< in the order of their ends */
  void (*put)(const dsm__hub *hub); /**< writes "parameters" and "layers"; NULL: as a decoder */
  bool builds_base; /**< where no class is named; else what the family is known for */
  const char *keys[DSM__HUB_SIZE_COUNT]; /**< NULL: what most call a size */
  uint64_t positions;
  const char *norm;
  const char *activation_key; /**< NULL: "hidden_act" */
  const char *activation;
  const char *dropout, *embedding_dropout, *score_dropout; /**< keys */
  double default_dropout;
  dsm__hub_note left_out;
  const char *refused[2]; /**< flags that make other networks */
  const char *note;       /**< of what is not as the family has it */
  bool has_learned_positions;
  bool is_tied;
  /* Of decoders. */
  bool is_gated;
  bool has_kv_heads;      /**< by keys, as the features of a head */
  uint64_t kv_heads;      /**< 0: as many as of queries */
  uint64_t head_features; /**< 0: what heads have of the hidden ones */
  dsm__hub_choice has_one_kv_head;
  dsm__hub_choice has_qkv_bias, has_out_bias, has_inner_bias;
  dsm__hub_choice is_parallel;  /**< both parts of a block read what the block reads */
  dsm__hub_choice has_one_norm; /**< ... which is normalised once for both */
  bool has_head_bias;
  dsm__hub_choice has_head_norms; /**< of queries and keys, each of a head's features */
  bool has_query_norms;           /**< likewise, each of the features of all heads */
  bool has_part_norms;            /**< of what parts make, before it is added */
  bool reads_plain;               /**< parts read what is not normalised */
  struct {
    const char *key;
    double fallback;
  } rotated;                                  /**< share of the features of queries and keys */
  dsm__hub_rotated_features rotated_features; /**< in place of a share: of each head */
  bool has_sinks;  /**< numbers that the softmax of a head has beside scores */
  bool has_latent; /**< of which keys and values are made; queries may have one too */
  dsm__hub_window window;
  dsm__hub_experts experts;
} dsm__hub_family;
extern const dsm__hub_family dsm__hub_families[];
extern const size_t dsm__hub_family_count;

/** Keys that were looked for, whether there or not: more than any family has. */
typedef struct dsm__hub_reads {
  const char *keys[128];
  size_t count;
} dsm__hub_reads;

struct dsm__hub {
  const dsm__import *import;
  const dsm__json_node *config; /**< the root of the document */
  dsm__json_writer *writer;
  const dsm__hub_family *family;
  dsm__hub_end end;
  dsm__hub_reads *reads; /**< NULL: not noted */
};

void dsm__hub_write_bert(const dsm__hub *hub);
void dsm__hub_write_decoder(const dsm__hub *hub);
void dsm__hub_write_mamba2(const dsm__hub *hub);
void dsm__hub_write_t5(const dsm__hub *hub);
void dsm__hub_write_vit(const dsm__hub *hub);
void dsm__hub_write_whisper(const dsm__hub *hub);

/* ---- keys of a configuration; null, and no key, is as absent (config.c) ---- */

/** A member of the configuration. */
dsm__json_node dsm__hub_member(const dsm__hub *hub, const char *key);

/** A size that must be there; 1 where it is wrong, which was reported. */
uint64_t dsm__hub_size_at(const dsm__hub *hub, dsm__hub_size size);

/** A size that may be absent; 1 where it is wrong, which was reported. */
uint64_t dsm__hub_size_or(const dsm__hub *hub, dsm__hub_size size, uint64_t fallback);

/** A number from 1 to `max` that may be absent; 1 where it is wrong, which was reported. */
uint64_t dsm__hub_count_or(const dsm__hub *hub, const char *key, uint64_t max, uint64_t fallback);

/** The hidden features: reported if so many heads do not divide them. */
uint64_t dsm__hub_features_of_heads(const dsm__hub *hub, uint64_t heads);

/** Heads of keys and values at a key: reported if they do not divide those of queries. */
uint64_t dsm__hub_kv_heads(const dsm__hub *hub, const char *key, uint64_t heads, uint64_t fallback);

bool dsm__hub_flag(const dsm__hub *hub, const char *key, bool fallback);
/** Does a configuration say anything at this key? */
bool dsm__hub_has(const dsm__hub *hub, const char *key);
bool dsm__hub_chosen(const dsm__hub *hub, dsm__hub_choice choice);

/** A number from 0 to DSM_LAYERS_MAX that may be absent; 0 where it is wrong, which was reported.
 */
uint64_t dsm__hub_place_or(const dsm__hub *hub, const char *key, uint64_t fallback);

/** A share from 0 to 1. */
double dsm__hub_share(const dsm__hub *hub, const char *key, double fallback);

/** The operation of an activation's name: those that differ in how they approximate are the same.
 */
const char *dsm__hub_activation(const dsm__hub *hub);

/** Positions of a sample: those of the options, or else of the configuration, but no more
 * than a bound. */
uint64_t dsm__hub_sequence(const dsm__hub *hub);

/** Notes that a table of positions has other rows than the sequence. */
void dsm__hub_note_positions(const dsm__hub *hub, uint64_t sequence);

/** Whether the share at a key is above 0. */
bool dsm__hub_has_dropout(const dsm__hub *hub, const char *key);

/** Notes, if so, that scores are not dropped. */
void dsm__hub_note_score_dropout(const dsm__hub *hub, const char *key);

/** Notes what is not told apart: at the flag of the family, if it is set, and what is so of all. */
void dsm__hub_note_left_out(const dsm__hub *hub);

/** Refuses flags that are set and make another network. */
void dsm__hub_refuse_flags(const dsm__hub *hub);

/** Classes that a classifier tells apart. */
uint64_t dsm__hub_classes(const dsm__hub *hub);

/* ---- layers, as lines of the description (layers.c) ---- */

/** With the classes of a head that has some beside the family's own. */
void dsm__hub_begin_parameters(const dsm__hub *hub);
void dsm__hub_parameter(const dsm__hub *hub, const char *name, uint64_t value);
/** The parameter of a size that must be there. */
void dsm__hub_size_parameter(const dsm__hub *hub, dsm__hub_size size);
void dsm__hub_parameter_text(const dsm__hub *hub, const char *name, const char *expression);
/** Ends the parameters and begins the layers. */
void dsm__hub_begin_layers(const dsm__hub *hub);
void dsm__hub_end_layers(const dsm__hub *hub);
void dsm__hub_begin_block(const dsm__hub *hub, const char *name, const char *repeat);
void dsm__hub_end_block(const dsm__hub *hub);

/** A fully connected layer. What is NULL, false or 0 is left out. */
typedef struct dsm__hub_fc {
  const char *comment;
  const char *name;
  const char *in;  /**< an expression */
  const char *out; /**< an expression */
  const char *input;
  const char *positions; /**< an expression */
  const char *tied_to;   /**< the layer whose weights it shares */
  const char *input_norm;
  const char *input_norm_from; /**< the layer that has it */
  const char *own_norm;        /**< of what it makes, before that is added to something */
  const char *own_features;    /**< an expression: of a head, which has a norm of its own */
  bool has_own_of_first;       /**< the first head alone has it */
  const char *activation;
  const char *residual; /**< the layer that is added */
  const char *multiply; /**< the layer by which it is multiplied */
  const char *norm;
  double rotated_share;
  bool selects_first; /**< of the positions, one goes on */
  bool has_bias;
  bool is_bias_last; /**< of what the activation has made */
  bool has_dropout;
  bool has_experts; /**< by the parameters of these names */
} dsm__hub_fc;
/** An operation of a list that has begun; no member where the value is NULL. */
void dsm__hub_op_write(const dsm__hub *hub, const char *op, const char *key, const char *value);
void dsm__hub_fc_write(const dsm__hub *hub, const dsm__hub_fc *fc);

/** A convolution along positions; all but the names are expressions. What is NULL is left out. */
typedef struct dsm__hub_conv {
  const char *name;
  const char *in, *out, *groups;
  const char *positions;
  const char *kernel, *stride, *padding;
  const char *activation;
  bool has_bias;
} dsm__hub_conv;
void dsm__hub_conv_write(const dsm__hub *hub, const dsm__hub_conv *conv);

/** An embedding of "hidden" features. */
typedef struct dsm__hub_embedding {
  const char *name;
  const char *vocabulary; /**< an expression; NULL: one row, such as a class token */
  const char *positions;  /**< an expression; NULL: "sequence" */
  const char *input;
  const char *residual;
  const char *norm;
  bool has_learned_positions;
  bool has_dropout;
} dsm__hub_embedding;
void dsm__hub_embedding_write(const dsm__hub *hub, const dsm__hub_embedding *embedding);

typedef struct dsm__hub_attention {
  const char *name;
  const char *head_features; /**< an expression */
  const char *inputs[3];     /**< queries, keys, values; NULL: the layer before has them all */
  const char *context;       /**< an expression; NULL: as many as queries */
  bool has_kv_heads;         /**< by the parameter of this name */
  bool has_window;           /**< likewise */
  bool has_latent;           /**< likewise, as all that goes with it */
  bool has_sinks;
  bool is_causal;
} dsm__hub_attention;
void dsm__hub_attention_write(const dsm__hub *hub, const dsm__hub_attention *attention);

/** A block of attention and a feed-forward part (transformer_block.c). */
typedef struct dsm__hub_block {
  const char *norm;
  const char *activation;
  double rotated_share;        /**< of what qkv makes, or query and key */
  double latent_rotated_share; /**< of what latent makes */
  bool has_head_features;      /**< by the parameter of this name; else heads share "hidden" */
  bool has_kv_heads;           /**< likewise; else as many as of queries */
  bool has_window;             /**< likewise */
  bool has_latent;             /**< likewise */
  bool has_query_latent;       /**< likewise */
  bool has_experts;            /**< likewise, of a gated part */
  bool has_shared;             /**< likewise: experts that all positions use */
  bool has_sinks;
  bool has_router_bias;
  const char *router;       /**< what its scores go through */
  const char *expert_inner; /**< an expression: features inside an expert */
  bool is_gated;            /**< three products; else two */
  bool normalises_sums;     /**< else what its parts read */
  bool is_causal;
  bool is_parallel; /**< both parts read what the block reads */
  bool has_one_norm;
  bool has_head_norms;
  bool has_query_norms;
  bool has_part_norms;
  bool reads_plain;
  bool has_qkv_bias;
  bool has_out_bias;
  bool has_inner_bias;
  bool has_dropout;
} dsm__hub_block;
/** Behind the last sum stands a norm; NULL: that of the block, if any. */
void dsm__hub_block_write(const dsm__hub *hub, const dsm__hub_block *block, const char *name,
                          const char *repeat, const char *end_norm);

/** Blocks of a decoder in their order, of which some have a window, or experts, and others not:
 * what is alike is repeated (block_pattern.c). */
void dsm__hub_blocks_write(const dsm__hub *hub, const dsm__hub_block *block, uint64_t count);

/** What there is among the blocks. */
typedef struct dsm__hub_kinds {
  bool are_alike;
  bool has_experts;
  bool has_plain_part; /**< without experts */
  bool has_window;
} dsm__hub_kinds;
dsm__hub_kinds dsm__hub_blocks_kinds(const dsm__hub *hub, uint64_t count);

/** What reads a decoder's last features, by its end: products with all words of the vocabulary, by
 * the embedding's weights or others, or with classes; of a base model nothing. */
void dsm__hub_head_write(const dsm__hub *hub);

#define DSM__HUB_LAYER_NORM "layer_norm"
#define DSM__HUB_RMS_NORM "rms_norm"

#endif
