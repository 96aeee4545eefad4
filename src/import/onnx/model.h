/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.h: what is read of an ONNX model: its nodes, and its values with their shapes.
 *
 * Names are spans of the file. Weights are never copied; they are looked at only to find masks and
 * matrices that are there twice. Of small whole numbers, which are shapes and axes, the values are
 * kept. Subgraphs of nodes and functions are not read: a
 * node that has one is not understood anyway.
 */
#ifndef DSM_IMPORT_ONNX_MODEL_H
#define DSM_IMPORT_ONNX_MODEL_H

#include "base/map.h"
#include "import/format.h"
#include "import/onnx/wire.h"

/** Most nodes and values of a model: of so many, a file of a few bytes each would ask for far more
 * memory than it has. */
#define DSM__ONNX_NODES_MAX ((size_t)1 << 18)
#define DSM__ONNX_VALUES_MAX ((size_t)1 << 19)
/** Most dimensions of a value. */
#define DSM__ONNX_RANK_MAX 8
/** Most whole numbers whose values are kept. */
#define DSM__ONNX_NUMBERS_MAX 64
/** No value, no node, an input that is left out. */
#define DSM__ONNX_NONE UINT32_MAX

typedef struct dsm__onnx_shape {
  unsigned rank;
  uint64_t dims[DSM__ONNX_RANK_MAX];
} dsm__onnx_shape;

/** Small whole numbers that are known: a shape, axes, an index. */
typedef struct dsm__onnx_numbers {
  unsigned count;
  int64_t items[DSM__ONNX_NUMBERS_MAX];
} dsm__onnx_numbers;

typedef enum dsm__onnx_kind {
  DSM__ONNX_UNKNOWN = 0, /**< not made yet, or of what was not understood, which was reported */
  DSM__ONNX_CONSTANT,    /**< weights, or what is made of nothing else */
  DSM__ONNX_INPUT,       /**< of the graph */
  DSM__ONNX_ACTIVATION   /**< made of inputs of the graph */
} dsm__onnx_kind;

typedef struct dsm__onnx_view dsm__onnx_view;
typedef struct dsm__onnx_pattern dsm__onnx_pattern;

typedef struct dsm__onnx_value {
  dsm__span name;
  dsm__onnx_kind kind;
  bool has_shape;
  uint32_t taker;   /**< the first layer that has it for its weights, or reads what waits for its
                         input, and 1; 0: none */
  bool is_whole;    /**< its elements are whole numbers or truth values, by its type */
  uint32_t node;    /**< that makes it, or DSM__ONNX_NONE */
  uint32_t uses;    /**< inputs of nodes, and outputs of the graph, that it is */
  uint32_t readers; /**< place of the nodes that read it in dsm__onnx_graph.readers */
  uint32_t reader_count;
  unsigned rank;
  const uint64_t *dims;
  unsigned number_count;
  const int64_t *numbers;           /**< small whole numbers that it holds; NULL: not known */
  dsm__span tensor;                 /**< where it is written; empty: nowhere */
  bool is_scanned;                  /**< its pattern was looked for */
  const dsm__onnx_pattern *pattern; /**< of what it holds; NULL: none is known */
  const dsm__onnx_view *view;       /**< of an input or activation */
} dsm__onnx_value;

typedef struct dsm__onnx_node {
  dsm__span message;
  dsm__span name;
  dsm__span op;
  dsm__span domain;
  uint32_t first_input; /**< in dsm__onnx_graph.links */
  uint32_t first_output;
  uint16_t input_count;
  uint16_t output_count;
  bool is_done; /**< taken together with an earlier one */
} dsm__onnx_node;

/** What was approximated or left out of nodes of one operator. */
typedef struct dsm__onnx_remark {
  const char *text;
  dsm__span op;
  uint32_t node; /**< the first one */
  size_t count;
} dsm__onnx_remark;

/** An output of the graph, with what is said of it. */
typedef struct dsm__onnx_declared {
  uint32_t value;
  dsm__span info;
} dsm__onnx_declared;

typedef struct dsm__onnx_graph {
  dsm__import *import;
  dsm__arena *arena; /**< for what lasts as long as the graph */
  int64_t opset;
  unsigned sample_axis; /**< of its inputs: the axis that counts samples, 0 unless it is found to be
                             another one */
  DSM__LIST(dsm__onnx_node) nodes;
  DSM__LIST(dsm__onnx_value) values;
  DSM__LIST(uint32_t) links; /**< values that nodes read and make */
  DSM__LIST(dsm__onnx_declared) outputs;
  dsm__map names;
  uint32_t *order;   /**< of the nodes, such that each reads what is there */
  uint32_t *readers; /**< nodes, by the value that they read */
  DSM__LIST(dsm__onnx_remark) remarks;
} dsm__onnx_graph;

/** Reads the model of the import's bytes; what is wrong is reported. */
void dsm__onnx_graph_read(dsm__onnx_graph *graph);

/** Finds who reads what, and an order of the nodes; a cycle is reported. */
void dsm__onnx_graph_order(dsm__onnx_graph *graph);

/** Checks the shapes of the graph's outputs against those that the file declares. */
void dsm__onnx_graph_check_outputs(dsm__onnx_graph *graph);

void dsm__onnx_graph_fini(dsm__onnx_graph *graph);

/** Is all well so far? */
bool dsm__onnx_is_good(const dsm__onnx_graph *graph);

/* ---- nodes ---- */

/** The value of an input or output; NULL: it has none there, or leaves it out. */
dsm__onnx_value *dsm__onnx_input(const dsm__onnx_graph *graph, const dsm__onnx_node *node,
                                 size_t position);
dsm__onnx_value *dsm__onnx_output(const dsm__onnx_graph *graph, const dsm__onnx_node *node,
                                  size_t position);

/** Attributes of a node by name. What is absent, or of another type, has the fallback. */
int64_t dsm__onnx_attribute(const dsm__onnx_node *node, const char *name, int64_t fallback);
dsm__span dsm__onnx_attribute_text(const dsm__onnx_node *node, const char *name);
/** False if there is no list of that name; one that is too long is cut. */
bool dsm__onnx_attribute_numbers(const dsm__onnx_node *node, const char *name,
                                 dsm__onnx_numbers *numbers);
/** The same of a list of small real numbers. */
size_t dsm__onnx_attribute_reals(const dsm__onnx_node *node, const char *name, double *reals,
                                 size_t room);
/** The tensor of that name; empty if there is none. */
dsm__span dsm__onnx_attribute_tensor(const dsm__onnx_node *node, const char *name);

/* ---- values ---- */

/** The shape of a value; false if it is not known. */
bool dsm__onnx_shape_of(const dsm__onnx_value *value, dsm__onnx_shape *shape);
void dsm__onnx_set_shape(dsm__onnx_graph *graph, dsm__onnx_value *value,
                         const dsm__onnx_shape *shape);
void dsm__onnx_set_numbers(dsm__onnx_graph *graph, dsm__onnx_value *value,
                           const dsm__onnx_numbers *numbers);
/** The small whole numbers that a value holds; false if they are not known. */
bool dsm__onnx_numbers_of(const dsm__onnx_value *value, dsm__onnx_numbers *numbers);
/** The elements of a shape; false beyond DSM_PRODUCT_MAX. */
bool dsm__onnx_elements(const dsm__onnx_shape *shape, uint64_t *elements);

/** Are elements of that type, a number of TensorProto.DataType, whole numbers or truth values? */
bool dsm__onnx_type_is_whole(uint64_t type);

/** Gives a value what a tensor says: its shape, and its numbers where they are few. False if the
 * tensor is broken. */
bool dsm__onnx_take_tensor(dsm__onnx_graph *graph, dsm__onnx_value *value, dsm__span tensor);

/** Takes a number of a tensor; false: no more are wanted. */
typedef bool dsm__onnx_take_real(void *to, double real);

/** Hands over the numbers of a tensor that stand in the file, one after the other. */
void dsm__onnx_tensor_visit(dsm__span tensor, dsm__onnx_take_real *take, void *to);

/** A matrix whose elements stand in the file. */
typedef struct dsm__onnx_matrix {
  uint64_t rows;
  uint64_t columns;
  uint64_t type;   /**< of its elements */
  size_t size;     /**< of an element, in bytes */
  dsm__span bytes; /**< row by row */
} dsm__onnx_matrix;

/** False: the tensor is no matrix, or its elements stand elsewhere. */
bool dsm__onnx_tensor_matrix(dsm__span tensor, dsm__onnx_matrix *matrix);

/** Small real numbers of a tensor; how many. */
size_t dsm__onnx_tensor_reals(dsm__span tensor, double *reals, size_t room);

/* ---- findings ---- */

/** The place of a node: node "Conv_12" (Conv). */
dsm__json_node dsm__onnx_place(const dsm__onnx_graph *graph, const dsm__onnx_node *node);

/** Reports what is wrong with a node. */
void dsm__onnx_error(dsm__onnx_graph *graph, const dsm__onnx_node *node, const char *format, ...)
    DSM_PRINTF(3, 4);

/** Remembers what is approximated or left out of a node; all of one operator become one note. */
void dsm__onnx_remark_on(dsm__onnx_graph *graph, const dsm__onnx_node *node, const char *text);

/** Turns what was remembered into notes. */
void dsm__onnx_put_remarks(dsm__onnx_graph *graph);

#endif
