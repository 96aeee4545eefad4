/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layer_kind.h: what is particular to a type of layer, a row each and a file each.
 *
 * A kind reads and writes its own keys, checks what it says against what it reads, and lowers it to
 * primary layers: loops over features, positions and samples with their operands. Nothing behind
 * the workload knows of types.
 */
#ifndef DSM_WORKLOAD_LAYERS_LAYER_KIND_H
#define DSM_WORKLOAD_LAYERS_LAYER_KIND_H

#include "base/json_read.h"
#include "base/json_write.h"
#include "dsm/workload.h"
#include "workload/shape.h"

/** Most primary layers of a declared one. */
#define DSM__PRIMARIES_MAX 4

/** What a layer delivers. */
typedef struct dsm__delivery {
  uint64_t features; /**< 0: not known, because the layer is wrong */
  dsm_size2 size;
  bool has_positions; /**< rows are positions, which an fc keeps */
} dsm__delivery;

/** What of its features a type of layer states. */
#define DSM__STATES_IN 1U
#define DSM__STATES_OUT 2U

/** Where a primary layer has from what it multiplies: bits of inputs with a role of their own, from
 * the first on, and from DSM__MADE on of the declared layer's primary ones before it. */
typedef struct dsm__links {
  unsigned inputs;
  unsigned operands;
} dsm__links;
#define DSM__MADE 4

/** A declared layer on its way to primary ones. */
typedef struct dsm__lowering {
  const dsm__layer_entry *layer;
  dsm__delivery gathered;     /**< what its inputs deliver together */
  const dsm__delivery *parts; /**< what each of them delivers */
  size_t part_count;
  dsm_size2 input;        /**< size of a feature of what it reads, behind a pool on the input */
  dsm_size2 upsampled;    /**< the input behind an upsample, before a pool */
  dsm_size2 stored;       /**< size of a feature of what it delivers */
  bool is_definer;        /**< the network's input is what this layer needs */
  bool is_input_inferred; /**< it reads the network's input, which the description does not state */
} dsm__lowering;

typedef struct dsm__layer_kind {
  /** Reads its own keys; NULL: it has none. */
  void (*read)(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node);
  /** Writes them; those with their default values only if all is to be written. NULL: none. */
  void (*write)(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full);
  unsigned states_features; /**< DSM__STATES_* */
  bool reads_positions; /**< features with their sizes; else all that inputs deliver is flattened */
  bool keeps_positions; /**< of what it reads, where it states none: fc, attention, embedding */
  bool reads_numbers;   /**< all that inputs deliver are numbers of rows, a position each */
  bool is_grown;    /**< delivers more positions than it reads: its least input is what it needs */
  bool reads_parts; /**< each of its inputs has a role of its own */
  bool works_on_input;  /**< may have operations on its input */
  bool pools_output;    /**< may have a pool on its output */
  bool has_timesteps;   /**< may run timesteps */
  bool starts_backward; /**< has a backward pass even if it reads nothing but the network's input */
  bool never_backward;  /**< has no error of what it reads: an embedding's numbers of rows */
  /** The least size of a feature that it reads, of which its output can be made; NULL: that of its
   * output. */
  dsm_size2 (*least_input)(const dsm_layer_spec *spec);
  /** Checks sizes against what it reads; false if that was reported. NULL: nothing to check. */
  bool (*check)(const dsm__lowering *lowering);
  /** Features that it delivers; NULL: `out`. */
  uint64_t (*delivered)(const dsm_layer_spec *spec);
  /** Fills the loops, and what else is particular, of each of its primary layers: of several also
   * what their names end with. */
  void (*lower)(const dsm__lowering *lowering, dsm_layer *primary);
  /** How many primary layers it becomes; NULL: one. */
  size_t (*primary_count)(const dsm_layer_spec *spec);
  bool ends_with_output; /**< the last of them delivers the outputs; else each has a part */
  /** Of each of them, of a kind that reads parts. */
  const dsm__links *(*links)(const dsm_layer *primary);
} dsm__layer_kind;

extern const dsm__layer_kind dsm__conv_kind;
extern const dsm__layer_kind dsm__fc_kind;
extern const dsm__layer_kind dsm__lstm_kind;
extern const dsm__layer_kind dsm__matmul_kind;
extern const dsm__layer_kind dsm__attention_kind;
extern const dsm__layer_kind dsm__embedding_kind;
extern const dsm__layer_kind dsm__conv_transpose_kind;

/** The row of a type. */
const dsm__layer_kind *dsm__layer_kind_of(dsm_layer_type type);

size_t dsm__primary_count_of(const dsm_layer_spec *spec);
/** The first of its primary layers that delivers outputs, which are those of all behind it too. */
size_t dsm__first_output_of(const dsm_layer_spec *spec);

/** The declared operation of that sort, or NULL. */
const dsm_aux *dsm__find_op(const dsm_layer_spec *spec, dsm_aux_op op);

/** Fills the auxiliary work of a primary layer that has its quantities; what of it is too many, in
 * words, or NULL. */
const char *dsm__auxiliary_derive(const dsm__lowering *lowering, dsm_layer *out);

/** Loops of `in` by `out` features with nothing else to them. */
dsm_layer dsm__loops_of_features(uint64_t in, uint64_t out);

/** Checks the stated elements of a product's operand against the layer's MACs and what is made for
 * them in so many timesteps; NULL: that is not known. False after a report. */
bool dsm__operand_elements_check(const dsm__layer_entry *layer, const dsm__delivery *one,
                                 uint64_t timesteps, uint64_t samples);

/** Is an operation a norm of the input? */
bool dsm__is_input_norm(const dsm_aux *aux);

/** The norm of the input, of which a layer has one at most, or NULL. */
const dsm_aux *dsm__find_input_norm(const dsm_layer_spec *spec);

/** Is an operation the norm of an input that another layer has? */
bool dsm__is_shared_norm(const dsm_aux *aux);

/* ---- members of layers ---- */

/** The keys of a convolution, which a transposed one has too. */
void dsm__conv_read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node);
void dsm__conv_write(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full);

/** Reads [rows, columns]. */
bool dsm__size2_read(const dsm__json_node *node, uint64_t min, dsm_size2 *size);
/** Reads a member where it is there. */
void dsm__size2_read_optional(const dsm__json_node *object, const char *key, uint64_t min,
                              dsm_size2 *size);
/** Reads `positions` of a layer, where it is there: its features have so many rows. */
void dsm__positions_read(dsm_layer_spec *spec, const dsm__json_node *node);
void dsm__positions_put(dsm__json_writer *writer, const dsm_layer_spec *spec);
void dsm__size2_put(dsm__json_writer *writer, const char *key, dsm_size2 size);

#endif
