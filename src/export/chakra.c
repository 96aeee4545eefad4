/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chakra.c: a plan as an execution trace of MLCommons Chakra, of one chip: all are alike.
 *
 * Source: mlcommons/chakra, schema/protobuf/et_def.proto (fields and their numbers), and
 * src/feeder/et_feeder_node.cpp (which kinds of number attributes have); astra-sim/astra-sim,
 * astra-sim/workload/Workload.cc (which attributes are read, that a time is of microseconds, and
 * the names of files); astra-sim/chakra, src/feeder_v3/protobuf_util.h (each message has its length
 * before it).
 *
 * A pass is a node of computation, and where chips send each other something a collective behind
 * it. Passes follow each other as in the plan's step: control dependencies. What a pass reads of
 * others are data dependencies.
 */
#include <math.h>
#include <stdio.h>

#include "base/growing_list.h"
#include "base/units.h"
#include "export/phase.h"
#include "export/protobuf_write.h"
#include "export/target.h"
#include "report/step_timeline.h"

enum { METADATA_VERSION = 1 };
enum {
  NODE_ID = 1,
  NODE_NAME = 2,
  NODE_TYPE = 3,
  NODE_CONTROL_DEPENDENCIES = 4,
  NODE_DATA_DEPENDENCIES = 5,
  NODE_START_MICROS = 6,
  NODE_DURATION_MICROS = 7,
  NODE_ATTRIBUTE = 10
};
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INT64 = 9, ATTRIBUTE_BOOL = 27, ATTRIBUTE_BOOLS = 28 };
enum { LIST_VALUES = 1 };
enum { TYPE_COMPUTATION = 4, TYPE_COLLECTIVE = 7 };

/* CollectiveCommType. */
static const uint64_t collective_types[DSM__COLLECTIVE_COUNT] = {[DSM__COLLECTIVE_ALL_REDUCE] = 0,
                                                                 [DSM__COLLECTIVE_ALL_GATHER] = 2,
                                                                 [DSM__COLLECTIVE_REDUCE_SCATTER] =
                                                                     7};

/* The layers that read one, in their order. */
typedef DSM__LIST(size_t) reader_list;

typedef struct trace {
  dsm__text_buffer *out;
  const dsm_plan *plan;
  const char **names;
  reader_list *readers;             /* of each layer */
  uint64_t (*last)[DSM_PASS_COUNT]; /* of each layer: the node with which a pass ends; 0: none */
  uint64_t *listed_by;              /* of each node: the last one that it is a data dependency of */
  uint64_t node_count;
  uint64_t before;         /* the node behind which the next pass begins; 0: none */
  dsm__text_buffer node;   /* that is being written */
  dsm__text_buffer nested; /* a part of it */
  dsm__text_buffer list;   /* a part of that */
} trace;

/* ---- who reads whom ---- */

typedef struct layer_list {
  const size_t *items;
  size_t count;
} layer_list;

enum { READ_KINDS = 3 };

/* What a layer reads, as input, shortcut or operand. */
static layer_list list_of(const dsm_layer *layer, size_t kind) {
  const layer_list lists[READ_KINDS] = {{layer->producers, layer->producer_count},
                                        {layer->shortcuts, layer->shortcut_count},
                                        {layer->operands, layer->operand_count}};
  return lists[kind];
}

static bool find_readers(trace *of, dsm__arena *arena) {
  bool has_room = DSM__RESERVE(arena, of->readers, of->plan->layer_count);
  for (size_t i = 0; i < of->plan->layer_count; i++) {
    for (size_t kind = 0; kind < READ_KINDS; kind++) {
      const layer_list list = list_of(of->plan->layers[i].layer, kind);
      for (size_t k = 0; k < list.count && has_room; k++) {
        if (list.items[k] != DSM_NETWORK_INPUT) {
          reader_list *const readers = &of->readers[list.items[k]];
          has_room = DSM__LIST_RESERVE_IN(readers, 1, arena);
          if (has_room) {
            readers->items[readers->count++] = i;
          }
        }
      }
    }
  }
  return has_room;
}

/* ---- dependencies ---- */

/* Adds one that is not in the list yet: readers of traces wait for a node once. */
static void add_data(trace *of, uint64_t node) {
  if (node != 0 && of->listed_by[node] != of->node_count) {
    of->listed_by[node] = of->node_count;
    dsm__protobuf_varint(&of->list, node);
  }
}

/* Forward reads what the layer reads; backward and update the errors that its readers left. */
static void list_data(trace *of, size_t layer, dsm_pass pass) {
  dsm__text_clear(&of->list);
  if (pass == DSM_PASS_FORWARD) {
    for (size_t kind = 0; kind < READ_KINDS; kind++) {
      const layer_list list = list_of(of->plan->layers[layer].layer, kind);
      for (size_t k = 0; k < list.count; k++) {
        add_data(
            of, list.items[k] == DSM_NETWORK_INPUT ? 0 : of->last[list.items[k]][DSM_PASS_FORWARD]);
      }
    }
    return;
  }
  add_data(of, of->last[layer][DSM_PASS_FORWARD]);
  for (size_t r = 0; r < of->readers[layer].count; r++) {
    add_data(of, of->last[of->readers[layer].items[r]][DSM_PASS_BACKWARD]);
  }
}

static void put_list(trace *of, unsigned field) {
  if (of->list.length > 0 || of->list.failed) {
    dsm__protobuf_message(&of->node, field, &of->list);
  }
}

static void put_one(trace *of, unsigned field, uint64_t node) {
  dsm__text_clear(&of->list);
  if (node != 0) {
    dsm__protobuf_varint(&of->list, node);
  }
  put_list(of, field);
}

/* ---- nodes ---- */

static void begin_node(trace *of, const char *name, unsigned type) {
  dsm__text_clear(&of->node);
  dsm__protobuf_u64(&of->node, NODE_ID, ++of->node_count);
  dsm__protobuf_text(&of->node, NODE_NAME, name);
  dsm__protobuf_u64(&of->node, NODE_TYPE, type);
}

static void put_attribute(trace *of, const char *name, unsigned field, uint64_t value) {
  dsm__text_clear(&of->nested);
  dsm__protobuf_text(&of->nested, ATTRIBUTE_NAME, name);
  dsm__protobuf_u64(&of->nested, field, value);
  dsm__protobuf_message(&of->node, NODE_ATTRIBUTE, &of->nested);
}

/* A truth for each axis of more than one chip, which are the dimensions of the network. */
static void put_dimensions(trace *of, dsm_axis_set axes) {
  const dsm_network *const network = &of->plan->system->system;
  dsm__text_buffer values = {0};
  dsm__text_clear(&of->list);
  for (unsigned a = 0; a < network->axis_count; a++) {
    if (network->axes[a].chips > 1) {
      dsm__protobuf_varint(&of->list, dsm_axis_set_has(axes, a) ? 1 : 0);
    }
  }
  dsm__protobuf_message(&values, LIST_VALUES, &of->list);
  dsm__text_clear(&of->nested);
  dsm__protobuf_text(&of->nested, ATTRIBUTE_NAME, "involved_dim");
  dsm__protobuf_message(&of->nested, ATTRIBUTE_BOOLS, &values);
  dsm__protobuf_message(&of->node, NODE_ATTRIBUTE, &of->nested);
  dsm__text_fini(&values);
}

static uint64_t whole(double value) {
  return value > 0 ? (uint64_t)round(value) : 0;
}

static double micros_of(const trace *of, double cycles) {
  return cycles / dsm__cycles_of_us(1, of->plan->system->core.frequency_GHz);
}

/* Begins and ends are rounded, so that durations add up to the computation of the step. */
static void write_computation(trace *of, const dsm__step_span *span, const char *name,
                              double begin_cycles, double cycles) {
  const uint64_t begin = whole(micros_of(of, begin_cycles));
  const uint64_t end = whole(micros_of(of, begin_cycles + cycles));
  begin_node(of, name, TYPE_COMPUTATION);
  put_one(of, NODE_CONTROL_DEPENDENCIES, of->before);
  list_data(of, span->layer, span->pass);
  put_list(of, NODE_DATA_DEPENDENCIES);
  dsm__protobuf_u64(&of->node, NODE_DURATION_MICROS, end > begin ? end - begin : 0);
  put_attribute(of, "is_cpu_op", ATTRIBUTE_BOOL, 0);
  dsm__protobuf_delimited(of->out, &of->node);
}

static void write_collective(trace *of, const char *name, const dsm__export_phase *phase) {
  const uint64_t computation = of->node_count;
  begin_node(of, name, TYPE_COLLECTIVE);
  put_one(of, NODE_DATA_DEPENDENCIES, computation);
  put_attribute(of, "is_cpu_op", ATTRIBUTE_BOOL, 0);
  put_attribute(of, "comm_type", ATTRIBUTE_INT64, collective_types[phase->collective]);
  put_attribute(of, "comm_size", ATTRIBUTE_INT64, whole(phase->bytes));
  put_dimensions(of, phase->axes);
  dsm__protobuf_delimited(of->out, &of->node);
}

/* Sums of gradients that hide are waited for by nothing but the end of the step. */
static bool is_waited_for(const trace *of, const dsm__export_phase *phase) {
  return phase->collective != DSM__COLLECTIVE_ALL_REDUCE ||
         !of->plan->system->model.overlapped_reduction;
}

/* Writes a pass; returns what it computes beside the collective. */
static double write_pass(trace *of, const dsm__step_span *span, double begin_cycles) {
  enum { NAME_BYTES = 2 * DSM_NAME_BYTES_MAX };
  static const char *const words[DSM__COLLECTIVE_COUNT] = {
      [DSM__COLLECTIVE_NONE] = "",
      [DSM__COLLECTIVE_ALL_GATHER] = "all_gather",
      [DSM__COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
      [DSM__COLLECTIVE_ALL_REDUCE] = "all_reduce"};
  const dsm__export_phase phase = dsm__export_phase_of(of->plan, span->layer, span->pass);
  char name[NAME_BYTES];
  int length = snprintf(name, sizeof name, "%.*s.%s", NAME_BYTES - 64, of->names[span->layer],
                        dsm_pass_name(span->pass));
  write_computation(of, span, name, begin_cycles, phase.cycles);
  const uint64_t computation = of->node_count;
  of->before = computation;
  of->last[span->layer][span->pass] = computation;
  if (phase.collective != DSM__COLLECTIVE_NONE) {
    length = length > 0 && length < NAME_BYTES ? length : 0;
    (void)snprintf(name + length, sizeof name - (size_t)length, ".%s", words[phase.collective]);
    write_collective(of, name, &phase);
    of->before = is_waited_for(of, &phase) ? of->node_count : computation;
    of->last[span->layer][span->pass] = of->before;
  }
  return phase.cycles > 0 ? phase.cycles : 0;
}

static void write_metadata(trace *of) {
  dsm__protobuf_text(&of->node, METADATA_VERSION, "0.0.4");
  dsm__protobuf_delimited(of->out, &of->node);
}

static bool prepare(trace *of, dsm__step_timeline *timeline, dsm__arena *arena) {
  const size_t count = of->plan->layer_count;
  /* A pass is a node or two, and nodes are counted from 1. */
  const size_t node_count = (size_t)2 * DSM_PASS_COUNT * count + 1;
  of->names = dsm__export_names(of->plan, arena);
  return of->names != NULL && DSM__RESERVE(arena, of->last, count) &&
         DSM__RESERVE(arena, of->listed_by, node_count) && find_readers(of, arena) &&
         dsm__step_timeline_derive(timeline, of->plan, arena);
}

void dsm__chakra_write_trace(dsm__text_buffer *out, const dsm_plan *plan) {
  dsm__arena *const arena = dsm__arena_new();
  dsm__step_timeline timeline = {0};
  trace of = {.out = out, .plan = plan};
  double computed = 0;
  if (arena == NULL || !prepare(&of, &timeline, arena)) {
    out->failed = true;
  } else {
    write_metadata(&of);
    for (size_t i = 0; i < timeline.span_count; i++) {
      computed += write_pass(&of, &timeline.spans[i], computed);
    }
  }
  dsm__text_fini(&of.node);
  dsm__text_fini(&of.nested);
  dsm__text_fini(&of.list);
  dsm__arena_free(arena);
}
