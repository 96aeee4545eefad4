/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_internal.h: how a workload is built: read the declared layers, then resolve the graph.
 */
#ifndef DSM_WORKLOAD_WORKLOAD_INTERNAL_H
#define DSM_WORKLOAD_WORKLOAD_INTERNAL_H

#include "base/arena.h"
#include "base/description.h"
#include "base/element_types.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "dsm/workload.h"
#include "workload/builder.h"

/** The reserved name of the network's input. */
#define DSM__INPUT_NAME "@input"
/** The reserved name of what a repetition of a block comes after. */
#define DSM__BEFORE_NAME "@before"

extern const dsm__words dsm__layer_type_words;
extern const dsm__words dsm__aux_op_words;
extern const dsm__words dsm__optimizer_words;
extern const dsm__words dsm__aux_side_words;

extern const dsm__description dsm__workload_description;

/* The objects of "dsm-workload/1". */
extern const dsm__object_type dsm__workload_object;
extern const dsm__object_type dsm__input_object;
extern const dsm__object_type dsm__dataset_object;
extern const dsm__object_type dsm__types_object;
extern const dsm__object_type dsm__block_object;
extern const dsm__object_type dsm__layer_object;
extern const dsm__object_type dsm__layer_types_object;
extern const dsm__object_type dsm__aux_object;

/**
 * Reads a workload from a JSON node, which may be a whole document or a part of a plan. The
 * workload's arena must exist; findings and whether there were errors are the document's. Fills
 * everything; what it fills is meaningful only if the document has no errors.
 */
void dsm__workload_read(dsm_workload *workload, const dsm__json_node *node);

/** Reads the name of a layer, or of a block, which does not begin with "@"; NULL after a report. */
const char *dsm__layer_name_read(const dsm__json_node *object, const char *key, dsm__arena *arena);

/** Reads the bytes of an element where they are there. */
void dsm__element_bytes_read(const dsm__json_node *object, const char *key, double *bytes);

/** Reads "dataset" of a workload, which is there, and writes it. */
void dsm__dataset_read(dsm_dataset *dataset, const dsm__json_node *node);
void dsm__dataset_write(const dsm_dataset *dataset, dsm__json_writer *writer, bool is_full);

/** Reads the words of "types", whose keys are good, and writes "types" with those that are stated.
 */
void dsm__types_read(dsm_types *types, const dsm__json_node *node);
void dsm__types_write(const dsm_types *types, dsm__json_writer *writer);

/** "types" and "element_type" of a workload whose numbers of bytes are read. */
void dsm__workload_types_read(dsm_workload *workload, const dsm__json_node *root);

/** Where the type of a use is stated, *bytes become those of its elements. A note tells if the
 * node, of the workload or the layer, states others; NULL: none does. */
void dsm__type_bytes_take(double *bytes, const dsm_types *types, dsm_use use,
                          const dsm__json_node *node);

/** Reads one declared layer into one with the defaults of all keys. */
void dsm__layer_spec_read(dsm_layer_spec *spec, dsm__arena *arena, const dsm__json_node *node);

/** What dsm__builder_finish does, once the workload has its declared layers. */
void dsm__workload_resolve(const dsm__workload_builder *builder);

/** Checks that the layers of each named pipeline group are a run of unidirectional lstm with the
 * same timesteps. */
void dsm__pipeline_groups_check(const dsm__workload_builder *builder);

/** Warns of the first layer with timesteps, where no layer is recurrent. */
void dsm__recurrence_check(const dsm__workload_builder *builder);

/** Multiplies four factors; false if the product exceeds DSM_PRODUCT_MAX. */
bool dsm__bounded_product(uint64_t *result, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/** Positions of a feature of what a layer reads, makes, and stores behind a pool. */
typedef struct dsm__layer_positions {
  uint64_t input;
  uint64_t output;
  uint64_t stored;
} dsm__layer_positions;

/**
 * Elements, weights and MACs of a primary layer with its loops (docs/model.md, section 1). What
 * exceeds DSM_PRODUCT_MAX, in words; NULL if nothing does.
 */
const char *dsm__layer_derive_quantities(dsm_layer *out, const dsm__layer_positions *positions);

/** Parameters by what they are. */
typedef struct dsm__parameter_counts {
  uint64_t weights; /**< of products */
  uint64_t biases;
  uint64_t norms;
  uint64_t embeddings; /**< rows of tables */
} dsm__parameter_counts;

/** All of them. */
uint64_t dsm__layer_derive_parameters(const dsm_layer *layer);

/** Those of a network. */
dsm__parameter_counts dsm__workload_count_parameters(const dsm_workload *workload);

/** Of all weights of products and rows of tables, each once. */
double dsm__workload_weights_bytes(const dsm_workload *workload);

/** Keys and values of earlier positions, for a sample, that inference keeps. */
double dsm__workload_cache_bytes(const dsm_workload *workload);
/** What a step adds to it. */
double dsm__workload_added_cache_bytes(const dsm_workload *workload);

/** Bytes of a weight where a layer says nothing else: as the workload states, else as it has them
 * of all elements. */
double dsm__usual_weight_bytes(const dsm_workload *workload);
/** Bytes of an element of what a primary layer makes, and of its weights and cache, but for tied
 * weights, which have the bytes of theirs. */
void dsm__layer_derive_own_bytes(const dsm_workload *workload, const dsm_layer_spec *spec,
                                 dsm_layer *layer);

/** Bytes of an element of what all layers read, and sizes of what they store; false if a size is
 * more than DSM_PRODUCT_MAX. */
bool dsm__workload_derive_bytes(const dsm_workload *workload, dsm_layer *layers);

/** Elements of several tensors and their bytes, all 0 before the first. */
typedef struct dsm__made_tensors {
  double elements;
  double bytes;
  double first; /**< bytes of an element of the first */
  bool are_equal;
} dsm__made_tensors;

/** Adds what a layer makes. */
void dsm__made_add(dsm__made_tensors *sum, const dsm_workload *workload, const dsm_layer *made);

/** Bytes of an element of all of them, as in dsm_layer_bytes. */
double dsm__made_bytes(const dsm__made_tensors *sum, const dsm_workload *workload);

/** Bytes of an element of what the producers of a layer make, as in dsm_layer_bytes. */
double dsm__produced_bytes(const dsm_workload *workload, const dsm_layer *layer);

/** So many elements of those bytes as elements of the workload's size, rounded up; bytes 0: the
 * same. */
uint64_t dsm__sized_elements(const dsm_workload *workload, uint64_t elements, double bytes);

/** Does a layer behind that one read what a layer delivers? */
bool dsm__is_used_after(const dsm_layer *layer, size_t index);

/** Fills what follows from the resolved graph: lives of tensors and totals. */
void dsm__workload_derive_lives(dsm_workload *workload, dsm_layer *layers,
                                const dsm__json_node *list);

/** Gives every lstm with timesteps these loops, once all else of it is known; false if out of
 * memory. */
DSM_NODISCARD bool dsm__workload_derive_hoisted(dsm_workload *workload, dsm_layer *layers);

/** Writes the workload as an object in the format "dsm-workload/1". */
void dsm__workload_write(const dsm_workload *workload, dsm__json_writer *writer);

/** The same as a text of its own, malloc'ed; *text is NULL unless DSM_OK. */
DSM_NODISCARD dsm_status dsm__workload_text(char **text, size_t *length,
                                            const dsm_workload *workload, dsm_diags *diags);

/** The same with the values that are defaults and were not stated: equal workloads give equal
 * texts, and each value that two differ in is there to compare. */
void dsm__workload_write_full(const dsm_workload *workload, dsm__json_writer *writer);

/** Resolves declared layers that were changed: only the name, these and what the description states
 * are looked at. *made belongs to the caller. */
DSM_NODISCARD dsm_status dsm__workload_reread(dsm_workload **made, const dsm_workload *changed,
                                              dsm_diags *diags);

/** A new empty workload with its arena; NULL if out of memory. */
dsm_workload *dsm__workload_new(void);

#endif
