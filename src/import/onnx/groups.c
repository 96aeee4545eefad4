/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * groups.c: nodes that together are one operation on the elements of a value.
 *
 * Exporters write layer norms, gelu and the like as a handful of nodes on elements and means. From
 * the first of them that reads a value those behind it are gathered as long as they read nothing
 * else but each other and constants. Where all that was made is read through one node's output, and
 * the operators gathered are those of an operation, they are it.
 */
#include "import/onnx/lowering.h"

enum { GROUP_MAX = 24 };

typedef struct group {
  const dsm__onnx_value *from;
  uint32_t nodes[GROUP_MAX];
  size_t count;
} group;

/* Operators that a group may have. */
enum {
  HAS_MEAN = 1 << 0,
  HAS_ROOT = 1 << 1,
  HAS_DIFFERENCE = 1 << 2,
  HAS_QUOTIENT = 1 << 3,
  HAS_PRODUCT = 1 << 4,
  HAS_ERF = 1 << 5,
  HAS_TANH = 1 << 6,
  HAS_SIGMOID = 1 << 7,
  HAS_EXP = 1 << 8,
  HAS_SUM_OF_ALL = 1 << 9,
  HAS_SOFTPLUS = 1 << 10,
  HAS_OTHER = 1 << 11,
  HAS_POWER = 1 << 12
};

typedef struct trait {
  const char *op;
  unsigned bits;
} trait;

static unsigned traits_of(dsm__span op) {
  static const trait traits[] = {
      {"ReduceMean", HAS_MEAN},
      {"Sqrt", HAS_ROOT},
      {"Sub", HAS_DIFFERENCE},
      {"Div", HAS_QUOTIENT},
      {"Reciprocal", HAS_QUOTIENT},
      {"Mul", HAS_PRODUCT},
      {"Erf", HAS_ERF},
      {"Tanh", HAS_TANH},
      {"Sigmoid", HAS_SIGMOID},
      {"HardSigmoid", HAS_SIGMOID},
      {"Exp", HAS_EXP},
      {"ReduceSum", HAS_SUM_OF_ALL},
      {"Softplus", HAS_SOFTPLUS},
      {"Add", HAS_OTHER},
      {"Pow", HAS_POWER},
      {"Cast", HAS_OTHER},
      {"ReduceMax", HAS_OTHER},
  };
  for (size_t i = 0; i < DSM__COUNT_OF(traits); i++) {
    if (dsm__span_is(op, traits[i].op)) {
      return traits[i].bits;
    }
  }
  return 0;
}

static bool has_all(unsigned set, unsigned bits) {
  return (set & bits) == bits;
}

/* What the operators of a closed group are, whose last node is a quotient or product of two of its
 * values; DSM_AUX_OP_COUNT: nothing that is known. */
static dsm_aux_op operation_of(unsigned set) {
  const bool is_normalised = has_all(set, HAS_MEAN) && (set & (HAS_ROOT | HAS_POWER)) != 0 &&
                             (set & (HAS_QUOTIENT | HAS_PRODUCT)) != 0;
  if (is_normalised && has_all(set, HAS_ROOT)) {
    return has_all(set, HAS_DIFFERENCE) ? DSM_AUX_LAYER_NORM : DSM_AUX_RMS_NORM;
  }
  if (has_all(set, HAS_EXP | HAS_SUM_OF_ALL | HAS_QUOTIENT)) {
    return DSM_AUX_SOFTMAX;
  }
  if (has_all(set, HAS_ERF | HAS_PRODUCT) || has_all(set, HAS_TANH | HAS_PRODUCT)) {
    return DSM_AUX_GELU;
  }
  return has_all(set, HAS_SIGMOID | HAS_PRODUCT) ? DSM_AUX_SILU : DSM_AUX_OP_COUNT;
}

static bool is_in(const dsm__onnx_graph *graph, const group *of, const dsm__onnx_value *value) {
  for (size_t i = 0; i < of->count; i++) {
    if (dsm__onnx_output(graph, &graph->nodes.items[of->nodes[i]], 0) == value) {
      return true;
    }
  }
  return value == of->from;
}

/* How many of a node's inputs are of the group; -1: one is of something else. */
static int inputs_in(const dsm__onnx_graph *graph, const group *of, const dsm__onnx_node *node) {
  int count = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    const dsm__onnx_value *const value = dsm__onnx_input(graph, node, i);
    if (value == NULL || value->kind == DSM__ONNX_CONSTANT) {
      continue;
    }
    /* A constant behind this node in the order is none yet. */
    const bool is_made_of_constant = value->node != DSM__ONNX_NONE &&
                                     dsm__span_is(graph->nodes.items[value->node].op, "Constant");
    if (is_in(graph, of, value)) {
      count++;
    } else if (!is_made_of_constant && !dsm__onnx_is_given_vector(value)) {
      return -1;
    }
  }
  return count;
}

static bool has_node(const group *of, uint32_t node) {
  for (size_t i = 0; i < of->count; i++) {
    if (of->nodes[i] == node) {
      return true;
    }
  }
  return false;
}

/* Is all that the group made, but for the last output, read in it alone? */
static bool is_closed(const dsm__onnx_graph *graph, const group *of) {
  for (size_t i = 0; i + 1 < of->count; i++) {
    const dsm__onnx_value *const made =
        dsm__onnx_output(graph, &graph->nodes.items[of->nodes[i]], 0);
    if (made == NULL || made->uses != made->reader_count) {
      return false;
    }
    for (uint32_t r = 0; r < made->reader_count; r++) {
      if (!has_node(of, graph->readers[made->readers + r])) {
        return false;
      }
    }
  }
  return true;
}

/* The first node behind the group, in the order of the file, that reads nothing but it. */
static uint32_t next_node(const dsm__onnx_graph *graph, const group *of) {
  enum { READERS_LOOKED_AT = 16 };
  uint32_t next = DSM__ONNX_NONE;
  for (size_t i = 0; i <= of->count; i++) {
    const dsm__onnx_value *const made =
        i == of->count ? of->from : dsm__onnx_output(graph, &graph->nodes.items[of->nodes[i]], 0);
    for (uint32_t r = 0; made != NULL && r < made->reader_count && r < READERS_LOOKED_AT; r++) {
      const uint32_t reader = graph->readers[made->readers + r];
      const dsm__onnx_node *const node = &graph->nodes.items[reader];
      if (reader < next && !node->is_done && !has_node(of, reader) && traits_of(node->op) != 0 &&
          (i < of->count || of->count > 0) && inputs_in(graph, of, node) > 0) {
        next = reader;
      }
    }
  }
  return next;
}

/* The last node joins two values of the group, or one with the value that it is made of. */
static bool ends_there(const dsm__onnx_graph *graph, const group *of, unsigned set) {
  const dsm__onnx_node *const last = &graph->nodes.items[of->nodes[of->count - 1]];
  const bool is_join = dsm__span_is(last->op, "Div") || dsm__span_is(last->op, "Mul");
  return is_join && inputs_in(graph, of, last) >= 2 && is_closed(graph, of) &&
         operation_of(set) != DSM_AUX_OP_COUNT;
}

/* A product or sum with constants behind a norm is its scale and shift, and behind the others a
 * part of how they are written. */
static const dsm__onnx_node *take_scale(dsm__onnx_lowering *of, const dsm__onnx_node *last,
                                        dsm_aux_op op) {
  dsm__onnx_graph *const graph = of->graph;
  const char *const ops[] = {"Mul", "Add"};
  const size_t most = op == DSM_AUX_LAYER_NORM ? 2 : op == DSM_AUX_SOFTMAX ? 0 : 1;
  for (size_t i = 0; i < most; i++) {
    const dsm__onnx_value *const made = dsm__onnx_output(graph, last, 0);
    if (made == NULL || made->uses != 1 || made->reader_count != 1) {
      return last;
    }
    dsm__onnx_node *const reader = &graph->nodes.items[graph->readers[made->readers]];
    const group alone = {.from = made};
    if (!dsm__span_is(reader->op, ops[i]) || reader->is_done ||
        inputs_in(graph, &alone, reader) != 1) {
      return last;
    }
    reader->is_done = true;
    last = reader;
  }
  return last;
}

bool dsm__onnx_take_group(dsm__onnx_lowering *of, const dsm__onnx_node *node) {
  dsm__onnx_graph *const graph = of->graph;
  group gathered = {.count = 0};
  /* A sum before a group is a bias, a residual or positions. */
  unsigned set = dsm__span_is(node->op, "Add") ? 0 : traits_of(node->op);
  for (size_t i = 0; i < node->input_count && set != 0; i++) {
    dsm__onnx_value *const value = dsm__onnx_input(graph, node, i);
    if (dsm__onnx_view_of(of, value) != NULL) {
      set = gathered.from == NULL || gathered.from == value ? set : 0;
      gathered.from = value;
    }
  }
  if (set == 0 || gathered.from == NULL || gathered.from->view->scores != NULL) {
    return false;
  }
  gathered.nodes[gathered.count++] = (uint32_t)(node - graph->nodes.items);
  while (!ends_there(graph, &gathered, set)) {
    const uint32_t next = gathered.count < GROUP_MAX ? next_node(graph, &gathered) : DSM__ONNX_NONE;
    if (next == DSM__ONNX_NONE) {
      return false;
    }
    gathered.nodes[gathered.count++] = next;
    set |= traits_of(graph->nodes.items[next].op);
  }
  uint32_t inside = 0;
  for (size_t i = 0; i < gathered.count; i++) {
    dsm__onnx_node *const one = &graph->nodes.items[gathered.nodes[i]];
    for (size_t n = 0; n < one->input_count; n++) {
      inside += dsm__onnx_input(graph, one, n) == gathered.from;
    }
    one->is_done = true;
  }
  const dsm_aux_op op = operation_of(set);
  const dsm__onnx_node *const last =
      take_scale(of, &graph->nodes.items[gathered.nodes[gathered.count - 1]], op);
  dsm__onnx_value *const from = &graph->values.items[gathered.from - graph->values.items];
  from->uses -= inside - 1; /* all of the group reads it once */
  dsm__onnx_apply(of, node, from, dsm__onnx_output(graph, last, 0), op);
  return true;
}
