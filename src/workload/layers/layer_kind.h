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
#define DSM__PRIMARIES_MAX 2

/** What a layer delivers. */
typedef struct dsm__delivery {
  uint64_t features; /**< 0: not known, because the layer is wrong */
  dsm_size2 size;
} dsm__delivery;

/** A declared layer on its way to primary ones. */
typedef struct dsm__lowering {
  const dsm__layer_entry *layer;
  dsm__delivery gathered; /**< what its inputs deliver together */
  dsm_size2 input;        /**< size of a feature of what it reads, behind a pool on the input */
  dsm_size2 stored;       /**< size of a feature of what it delivers */
  bool is_definer;        /**< the network's input is what this layer needs */
  bool is_input_inferred; /**< it reads the network's input, which the description does not state */
} dsm__lowering;

typedef struct dsm__layer_kind {
  /** Reads its own keys; NULL: it has none. */
  void (*read)(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node);
  /** Writes them; those with their default values only if all is to be written. NULL: none. */
  void (*write)(dsm__json_writer *writer, const dsm_layer_spec *spec, bool is_full);
  bool reads_positions; /**< features with their sizes; else all that inputs deliver is flattened */
  bool pools_input;     /**< may have a pool on its input */
  bool pools_output;    /**< may have a pool on its output */
  bool has_timesteps;   /**< may run timesteps */
  bool starts_backward; /**< has a backward pass even if it reads nothing but the network's input */
  /** Checks sizes against what it reads; false if that was reported. NULL: nothing to check. */
  bool (*check)(const dsm__lowering *lowering);
  /** Fills the loops, and what else is particular, of each of its primary layers. */
  void (*lower)(const dsm__lowering *lowering, dsm_layer *primary);
  /** How many primary layers it becomes; NULL: one. */
  size_t (*primary_count)(const dsm_layer_spec *spec);
  /** What the names of several end with. */
  const char *suffixes[DSM__PRIMARIES_MAX];
} dsm__layer_kind;

extern const dsm__layer_kind dsm__conv_kind;
extern const dsm__layer_kind dsm__fc_kind;
extern const dsm__layer_kind dsm__lstm_kind;
extern const dsm__layer_kind dsm__matmul_kind;

/** The row of a type. */
const dsm__layer_kind *dsm__layer_kind_of(dsm_layer_type type);

size_t dsm__primary_count_of(const dsm_layer_spec *spec);

/** Loops of `in` by `out` features with nothing else to them. */
dsm_layer dsm__loops_of_features(uint64_t in, uint64_t out);

/* ---- members of layers ---- */

/** Reads [rows, columns]. */
bool dsm__size2_read(const dsm__json_node *node, uint64_t min, dsm_size2 *size);
/** Reads a member where it is there. */
void dsm__size2_read_optional(const dsm__json_node *object, const char *key, uint64_t min,
                              dsm_size2 *size);
void dsm__size2_put(dsm__json_writer *writer, const char *key, dsm_size2 size);

#endif
