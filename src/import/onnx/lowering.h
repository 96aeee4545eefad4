/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lowering.h: from the nodes of a model to declared layers.
 *
 * Nodes are walked in an order of execution. A node that multiplies by weights becomes a layer.
 * What is done to the elements of a layer's output, or pools them, becomes an auxiliary operation
 * of the layer; what can only be said of a later layer's input waits in the value's view until a
 * layer reads it. What only renames or moves elements leaves nothing.
 */
#ifndef DSM_IMPORT_ONNX_LOWERING_H
#define DSM_IMPORT_ONNX_LOWERING_H

#include "import/onnx/model.h"

/** The network's input among the layers of a view. */
#define DSM__ONNX_NETWORK UINT32_MAX
/** Most operations that wait for a layer's input. */
#define DSM__ONNX_WAITING_MAX 4
/** Most auxiliary operations of a layer. */
#define DSM__ONNX_AUX_MAX (DSM_AUX_OP_COUNT + 2)

/** A layer's share in a value. */
typedef struct dsm__onnx_part {
  uint32_t layer;    /**< index, or DSM__ONNX_NETWORK */
  uint32_t input;    /**< of the network: the value that is the graph's input */
  uint64_t elements; /**< of those that it delivers, for all samples */
} dsm__onnx_part;

/** Products of queries and keys that wait for their softmax and for the values that they weigh:
 * then all of it is a layer. */
typedef struct dsm__onnx_scores {
  dsm__onnx_value *queries;
  dsm__onnx_value *keys;
  uint64_t heads;
  uint64_t features; /**< of a head */
  uint64_t positions;
  uint64_t context;
  bool is_softmaxed;
  bool is_causal;                 /**< a mask hides the keys behind each query's own position */
  const dsm__onnx_node *silenced; /**< makes scores of hidden keys nothing, which says that another
                                       node hides them; NULL: none does */
} dsm__onnx_scores;

/** What a value holds, by the places of its last two axes: `low` where a column is at most
 * `diagonal` behind its row, and `high` beyond; or numbers that grow along an axis. NAN: not known.
 */
struct dsm__onnx_pattern {
  bool is_line;  /**< low + high * place along `axis` */
  unsigned axis; /**< from the last one, which is 0 */
  double low;
  double high;
  int64_t diagonal;
};

/** What a value is made of. Immutable once it is a value's. */
struct dsm__onnx_view {
  const dsm__onnx_part *parts; /**< one after the other */
  size_t count;
  dsm_aux waiting[DSM__ONNX_WAITING_MAX]; /**< for the input of a layer that reads it */
  size_t waiting_count;
  dsm__onnx_value *normed;        /**< the value that a norm that waits makes; NULL: none waits */
  const dsm__onnx_scores *scores; /**< NULL: it is what the parts say */
  uint64_t before;  /**< what the dimensions before that of the samples multiply to; 0: not known */
  dsm_size2 padded; /**< rows and columns that were added to what the layers deliver */
  bool is_sole;     /**< nothing else reads what its layers deliver, but through this value */
  const dsm__onnx_node *mover; /**< the last node that moved its elements; NULL: none did */
};

/** A layer while it is made. */
typedef struct dsm__onnx_layer {
  uint64_t elements; /**< that it delivers, for all samples and timesteps */
  uint64_t features;
  dsm_size2 size; /**< of a feature that it delivers */
  uint64_t taken; /**< for sums over the parts of a view; 0 between them */
  dsm_aux aux[DSM__ONNX_AUX_MAX];
  size_t aux_count;
} dsm__onnx_layer;

/** Weights of a value, a matrix. */
typedef struct dsm__onnx_matrix_of {
  dsm__onnx_matrix matrix;
  uint32_t value;
} dsm__onnx_matrix_of;

typedef struct dsm__onnx_lowering {
  dsm__onnx_graph *graph;
  DSM__LIST(dsm__onnx_layer) layers;       /**< beside those of the builder */
  dsm__map names;                          /**< of the layers */
  DSM__LIST(uint32_t) listed;              /**< by dsm__onnx_view_layers */
  size_t part_count;                       /**< of all views */
  DSM__LIST(dsm__onnx_matrix_of) matrices; /**< weights that were looked at */
  dsm__map twins;                          /**< of these, by some of their elements */
  uint64_t compared;                       /**< elements of matrices, so far */
  bool has_samples_behind; /**< the second axis of inputs counts samples, not the first */
  bool has_norms_of_sums;  /**< some wait for what reads a value that others read too */
  uint64_t samples;        /**< in the graph's tensors; 0: not known yet */
  uint32_t read_input;     /**< the graph's input that is the network's; or
                                DSM__ONNX_NONE */
} dsm__onnx_lowering;

/** Turns a node into layers, operations of layers, or nothing. */
void dsm__onnx_lower_node(dsm__onnx_lowering *of, const dsm__onnx_node *node);

/** Hands what was made over to the builder. */
void dsm__onnx_lowering_finish(dsm__onnx_lowering *of);

/** What a node is turned into, by its operator. */
typedef void dsm__onnx_lower(dsm__onnx_lowering *of, const dsm__onnx_node *node);

typedef struct dsm__onnx_operator {
  const char *op;
  dsm__onnx_lower *lower;
  int number; /**< for functions of several operators: which */
} dsm__onnx_operator;

/** The row of an operator of ONNX itself; NULL: there is none. */
const dsm__onnx_operator *dsm__onnx_operator_of(const dsm__onnx_node *node);

/* ---- views ---- */

/** The view of an input or activation; NULL: it is a constant, or unknown. */
const dsm__onnx_view *dsm__onnx_view_of(dsm__onnx_lowering *of, dsm__onnx_value *value);

/** A copy that can be changed, of a value's view that goes on in another value: it is the only
 * reader only if nothing else reads that value. NULL if out of memory. */
dsm__onnx_view *dsm__onnx_view_through(dsm__onnx_lowering *of, const dsm__onnx_value *value);

/** Several views, one after the other; NULL if out of memory. */
dsm__onnx_view *dsm__onnx_view_join(dsm__onnx_lowering *of, dsm__onnx_value *const *values,
                                    size_t count);

/** The axis of a view's value that counts samples, perhaps times something else; -1: not known. */
int dsm__onnx_sample_axis(const dsm__onnx_lowering *of, const dsm__onnx_view *view,
                          const dsm__onnx_shape *shape);

/** The product of the dimensions before an axis; 0 of none, -1. */
uint64_t dsm__onnx_product_before(const dsm__onnx_shape *shape, int axis);

/** A part of a value's elements; NULL if out of memory. */
dsm__onnx_view *dsm__onnx_view_cut(dsm__onnx_lowering *of, const dsm__onnx_value *value,
                                   uint64_t elements);

/** A view of all that a layer delivers. */
dsm__onnx_view *dsm__onnx_view_of_layer(dsm__onnx_lowering *of, uint32_t layer);

/** A view of all that several layers deliver now. */
dsm__onnx_view *dsm__onnx_view_of_layers(dsm__onnx_lowering *of, const uint32_t *layers,
                                         size_t count);

/** The layers of which a view has all that they deliver, in order; false if it has only a part of
 * one. *layers is valid until the next call. */
bool dsm__onnx_view_layers(dsm__onnx_lowering *of, const dsm__onnx_view *view,
                           const uint32_t **layers, size_t *count);

/** The layer all of which the view is, with nothing waiting; NULL: there is no such layer. */
dsm__onnx_layer *dsm__onnx_view_layer(const dsm__onnx_lowering *of, const dsm__onnx_view *view);

/** Makes an output an activation with a shape and a view. */
void dsm__onnx_make(dsm__onnx_lowering *of, dsm__onnx_value *output, const dsm__onnx_shape *shape,
                    const dsm__onnx_view *view);

/** The output of a node that only passes its first input on, in another shape. */
void dsm__onnx_pass(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                    const dsm__onnx_shape *shape);

/* ---- layers ---- */

/** What a node needs of one of its inputs: its shape. False, reported, if it is not known. */
bool dsm__onnx_need_shape(dsm__onnx_lowering *of, const dsm__onnx_node *node, size_t position,
                          dsm__onnx_shape *shape);

/** The samples of the graph's tensors: what the first layer that reads one says. False, reported,
 * if a later one says otherwise. */
bool dsm__onnx_settle_samples(dsm__onnx_lowering *of, const dsm__onnx_node *node, uint64_t samples);

/** The same of the first layer, by the shape of an input of its node, or by all of it but the
 * features. */
bool dsm__onnx_settle_samples_of(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                 size_t position, const dsm__onnx_shape *shape);

/** What a layer reads, as it needs it: features of a size. */
typedef struct dsm__onnx_reading {
  dsm__onnx_value *value;
  uint64_t features;
  dsm_size2 size;
  const char *suffix; /**< of the layer's name; NULL: none */
} dsm__onnx_reading;

/** Adds a layer that reads a value, with what waits for its input; its name and inputs are set
 * here. NULL: that was reported. */
dsm_layer_spec *dsm__onnx_add_layer(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                    const dsm__onnx_reading *reading, dsm_layer_type type);

/** Adds a layer whose inputs are its caller's business. NULL: that was reported. */
dsm_layer_spec *dsm__onnx_add_declared(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                                       dsm_layer_type type);

/** Once the layer's keys are filled: what it delivers becomes an output of the node. */
void dsm__onnx_deliver(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *output,
                       const dsm__onnx_shape *shape);

/** The layer that was added last has an input of the node for its weights: it is tied to another
 * one that has them too, or that is remarked on. */
void dsm__onnx_take_weights(dsm__onnx_lowering *of, const dsm__onnx_node *node, size_t position);

/** Adds an operation to the layer that was added last. */
void dsm__onnx_add_aux(dsm__onnx_lowering *of, dsm_aux_op op);

/* ---- operations on elements ---- */

/** Has each layer of a value do an operation on its output; `output` is what they deliver then.
 * What cannot be said is left out, with a remark. */
void dsm__onnx_apply(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm__onnx_value *input,
                     dsm__onnx_value *output, dsm_aux_op op);

/** Has the layers of the first input pool what they deliver, features of one size, to another one,
 * or else those that read it; the output has that shape. */
void dsm__onnx_apply_pool(dsm__onnx_lowering *of, const dsm__onnx_node *node, const dsm_aux *pool,
                          dsm_size2 from, dsm_size2 to, const dsm__onnx_shape *shape);

/** The earlier weights that have the same elements, as they stand or rows for columns, or else
 * these. */
dsm__onnx_value *dsm__onnx_twin_of(dsm__onnx_lowering *of, dsm__onnx_value *weights);

/* ---- masks ---- */

/** What a value holds; NULL: no pattern is known. */
const dsm__onnx_pattern *dsm__onnx_pattern_of(const dsm__onnx_lowering *of, dsm__onnx_value *value);

/** The axis, from the last one, which is 0, along which all elements lie; -1: they lie along
 * several. */
int dsm__onnx_line_axis(const dsm__onnx_shape *shape);

/** Finds what a node makes of the patterns of its inputs. */
void dsm__onnx_find_pattern(const dsm__onnx_lowering *of, const dsm__onnx_node *node);

/** A node that combines scores with something, by which keys are hidden, or nothing is done. */
void dsm__onnx_mask_scores(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_value *scores, const dsm__onnx_shape *shape);

/** What is said of a mask that is not looked at. */
extern const char dsm__onnx_mask_remark[];

/** Does a node scale queries or keys by one number, whose products are then scaled? */
bool dsm__onnx_scales_scores(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                             const dsm__onnx_value *by);

/** Is a value a vector that comes in with the graph? Weights may: biases, and scales of norms. */
bool dsm__onnx_is_given_vector(const dsm__onnx_value *value);

/** Is a view made of inputs of the graph alone, as masks and numbers of positions are, that may be
 * spread over more than they are before a layer reads them? */
bool dsm__onnx_is_of_inputs(const dsm__onnx_view *view);

/** What two shapes make together by the rules of broadcasting; false if they do not fit. */
bool dsm__onnx_broadcast(const dsm__onnx_shape *a, const dsm__onnx_shape *b, dsm__onnx_shape *both);

/** Has an operation wait for the inputs of layers that read a view. False, reported: no more can.
 */
bool dsm__onnx_let_wait(dsm__onnx_lowering *of, const dsm__onnx_node *node, dsm_aux op,
                        dsm__onnx_view *view);

/** Where all inputs are constants: the output is one too, with its shape, and its numbers where
 * they are few. False if that is not the case. */
bool dsm__onnx_fold(dsm__onnx_lowering *of, const dsm__onnx_node *node);

/** Takes a group of nodes that together are one operation, of which this is the first; false if it
 * begins none. */
bool dsm__onnx_take_group(dsm__onnx_lowering *of, const dsm__onnx_node *node);

/** Has each sum that turns a value by positions be one node that reads it. */
void dsm__onnx_find_rotary(dsm__onnx_graph *graph);

/** Joins the patches that the first layer makes of the network's input with a few rows of
 * constants. False: they are something else. */
bool dsm__onnx_join_token(dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const dsm__onnx_value *value, int axis, const dsm__onnx_shape *shape);

/* ---- shapes and numbers ---- */

/** The axis that a number names, from behind where it is negative; -1: it names none. */
int dsm__onnx_axis(int64_t number, unsigned rank);

/** Numbers of an attribute, or of an input where newer operators have them; false: of neither. */
bool dsm__onnx_numbers_at(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                          const char *name, size_t position, dsm__onnx_numbers *numbers);

/** Has the node an input there whose numbers are not known? */
bool dsm__onnx_hides_numbers(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                             size_t position);

/** What a Slice makes of a shape: the axis that it cuts, and how many these are. False: it does not
 * say so in constants. */
bool dsm__onnx_read_slices(const dsm__onnx_lowering *of, const dsm__onnx_node *node,
                           const dsm__onnx_shape *from, dsm__onnx_shape *shape, int *cut_axis,
                           unsigned *cut_count);

/** The shape with the dimensions of indices in place of an axis; false: it has too many. */
bool dsm__onnx_gathered(const dsm__onnx_shape *from, int axis, const dsm__onnx_shape *indices,
                        dsm__onnx_shape *shape);

/* ---- operators, by file ---- */

dsm__onnx_lower dsm__onnx_lower_conv;
dsm__onnx_lower dsm__onnx_lower_conv_transpose;
dsm__onnx_lower dsm__onnx_lower_pool;
dsm__onnx_lower dsm__onnx_lower_global_pool;
dsm__onnx_lower dsm__onnx_lower_reduce;
dsm__onnx_lower dsm__onnx_lower_gemm;
dsm__onnx_lower dsm__onnx_lower_matmul;
dsm__onnx_lower dsm__onnx_lower_recurrent;
dsm__onnx_lower dsm__onnx_lower_rotary;
dsm__onnx_lower dsm__onnx_lower_element;
dsm__onnx_lower dsm__onnx_lower_binary;
dsm__onnx_lower dsm__onnx_lower_where;
dsm__onnx_lower dsm__onnx_lower_fill;
dsm__onnx_lower dsm__onnx_lower_gather;
dsm__onnx_lower dsm__onnx_lower_identity;
dsm__onnx_lower dsm__onnx_lower_constant;
dsm__onnx_lower dsm__onnx_lower_shape;
dsm__onnx_lower dsm__onnx_lower_size;
dsm__onnx_lower dsm__onnx_lower_reshape;
dsm__onnx_lower dsm__onnx_lower_flatten;
dsm__onnx_lower dsm__onnx_lower_squeeze;
dsm__onnx_lower dsm__onnx_lower_unsqueeze;
dsm__onnx_lower dsm__onnx_lower_transpose;
dsm__onnx_lower dsm__onnx_lower_concat;
dsm__onnx_lower dsm__onnx_lower_split;
dsm__onnx_lower dsm__onnx_lower_slice;
dsm__onnx_lower dsm__onnx_lower_expand;
dsm__onnx_lower dsm__onnx_lower_pad;
dsm__onnx_lower dsm__onnx_lower_resize;

#endif
