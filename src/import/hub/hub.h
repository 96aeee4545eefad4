/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hub.h: the configurations of a model hub (config.json of transformers) as descriptions.
 *
 * A family of models is a row: its word, and a function that reads what it needs of the
 * configuration and writes parameters and layers. Blocks stay blocks, and sizes stay names.
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

typedef struct dsm__hub {
  const dsm__import *import;
  const dsm__json_node *config; /**< the root of the document */
  dsm__json_writer *writer;
  dsm__hub_end end;
} dsm__hub;

/* Each writes the members "parameters" and "layers". */
void dsm__hub_write_bert(const dsm__hub *hub);
void dsm__hub_write_gpt2(const dsm__hub *hub);
void dsm__hub_write_gpt_neox(const dsm__hub *hub);
void dsm__hub_write_llama(const dsm__hub *hub);
void dsm__hub_write_mistral(const dsm__hub *hub);
void dsm__hub_write_mixtral(const dsm__hub *hub);
void dsm__hub_write_qwen2(const dsm__hub *hub);
void dsm__hub_write_t5(const dsm__hub *hub);
void dsm__hub_write_vit(const dsm__hub *hub);

/* ---- keys of a configuration; null is as absent (config.c) ---- */

/** Sizes that families have under keys of their own, each a parameter of one name. */
typedef enum dsm__hub_size {
  DSM__HUB_SEQUENCE = 0,
  DSM__HUB_VOCABULARY,
  DSM__HUB_BLOCKS,
  DSM__HUB_HIDDEN,
  DSM__HUB_HEADS,
  DSM__HUB_HEAD_FEATURES,
  DSM__HUB_INNER,
  DSM__HUB_SIZE_COUNT
} dsm__hub_size;

/** A size that must be there; 1 where it is wrong, which was reported. */
uint64_t dsm__hub_size_at(const dsm__hub *hub, dsm__hub_size size, const char *key);

/** A number from 1 to `max` that may be absent; 1 where it is wrong, which was reported. */
uint64_t dsm__hub_count_or(const dsm__hub *hub, const char *key, uint64_t max, uint64_t fallback);

/** Features of all heads at a key, and heads of it at another: reported if these do not divide
 * those. Returns the features. */
uint64_t dsm__hub_features_of_heads(const dsm__hub *hub, const char *key, const char *heads_key,
                                    uint64_t heads);

/** Heads of keys and values at a key: reported if they do not divide those of queries. */
uint64_t dsm__hub_kv_heads(const dsm__hub *hub, const char *key, uint64_t heads, uint64_t fallback);

bool dsm__hub_flag(const dsm__hub *hub, const char *key, bool fallback);

/** A share from 0 to 1. */
double dsm__hub_share(const dsm__hub *hub, const char *key, double fallback);

/** The operation of an activation's name: those that differ in how they approximate are the same.
 */
const char *dsm__hub_activation(const dsm__hub *hub, const char *key, const char *fallback);

/** Positions of a sample: those of the options, or else of the key, but no more than a bound. */
uint64_t dsm__hub_sequence(const dsm__hub *hub, const char *key, uint64_t fallback);

/** Notes that a table of positions has other rows than the sequence. */
void dsm__hub_note_positions(const dsm__hub *hub, const char *key, uint64_t fallback,
                             uint64_t sequence);

/** Notes at a key, if it is there with a share above 0, that scores are not dropped. */
void dsm__hub_note_score_dropout(const dsm__hub *hub, const char *key, double fallback);

/** Notes at a flag that is set what is not told apart. */
void dsm__hub_note_flag(const dsm__hub *hub, const char *key, const char *note);

/** Classes that a classifier tells apart. */
uint64_t dsm__hub_classes(const dsm__hub *hub);

/* ---- layers, as lines of the description (layers.c) ---- */

/** With the classes of a head that has some beside the family's own. */
void dsm__hub_begin_parameters(const dsm__hub *hub);
void dsm__hub_parameter(const dsm__hub *hub, const char *name, uint64_t value);
/** The parameter of a size that must be there. */
void dsm__hub_size_parameter(const dsm__hub *hub, dsm__hub_size size, const char *key);
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
  const char *activation;
  const char *residual; /**< the layer that is added */
  const char *multiply; /**< the layer by which it is multiplied */
  const char *norm;
  double rotated_share;
  bool selects_first; /**< of the positions, one goes on */
  bool has_bias;
  bool has_dropout;
  bool has_experts; /**< by the parameters of these names */
} dsm__hub_fc;
void dsm__hub_fc_write(const dsm__hub *hub, const dsm__hub_fc *fc);

/** An embedding of "hidden" features at "sequence" positions. */
typedef struct dsm__hub_embedding {
  const char *name;
  const char *vocabulary; /**< an expression; NULL: one row, such as a class token */
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
  bool has_kv_heads;         /**< by the parameter of this name */
  bool has_window;           /**< likewise */
  bool is_causal;
} dsm__hub_attention;
void dsm__hub_attention_write(const dsm__hub *hub, const dsm__hub_attention *attention);

/** A block of attention, with as many heads of keys and values as of queries, and a feed-forward
 * part of two products (plain_block.c). */
typedef struct dsm__hub_block {
  const char *name;
  const char *activation;
  double rotated_share;   /**< of queries and of keys */
  bool has_head_features; /**< by the parameter of this name; else heads share "hidden" */
  bool has_kv_heads;      /**< likewise; else as many as of queries */
  bool normalises_sums;   /**< else what its parts read */
  bool is_causal;
  bool is_parallel; /**< both parts read what the block reads */
  bool has_qkv_bias;
  bool has_out_bias;
  bool has_dropout;
} dsm__hub_block;
void dsm__hub_block_write(const dsm__hub *hub, const dsm__hub_block *block);
/** Writes the layers of a block, behind the last sum of which stands a norm; NULL: none. */
typedef void dsm__hub_layers(const dsm__hub *hub, const void *of, const char *end_norm);
/** Those of a dsm__hub_block. */
dsm__hub_layers dsm__hub_block_layers;

/** The blocks of a decoder. Of a base model, which has no head that could normalise what it reads,
 * the last one stands apart: it ends with the norm. */
void dsm__hub_decoder_write(const dsm__hub *hub, uint64_t blocks, const char *norm,
                            dsm__hub_layers *put, const void *of);
/** Their number, where any repeat. */
void dsm__hub_blocks_parameter(const dsm__hub *hub, uint64_t blocks);

/** What reads a decoder's last features, by its end: products with all words of the vocabulary, by
 * the embedding's weights or others, or with classes; of a base model nothing. */
void dsm__hub_head_write(const dsm__hub *hub, const char *norm, bool is_tied);

#define DSM__HUB_LAYER_NORM "layer_norm"
#define DSM__HUB_RMS_NORM "rms_norm"

#endif
