/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planner_json.c: the planner format of msr-fiddle/dnn-partitioning ("Efficient Algorithms for
 * Device Placement of DNN Graph Operators", 2020). What its numbers mean here is in
 * docs/formats.md. Keys that it does not document are debug information and not looked at.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/words.h"
#include "server/instance_internal.h"
#include "server/server_internal.h"

/* Latencies and costs are milliseconds. */
static const double unit_seconds = 1e-3;
/* Link of an accelerator where no edge tells bytes. */
static const double nominal_bytes_per_second = 1e9;
/* Costs of a node's edges that are equal. */
static const double same_cost = 1e-6;

/* Of DSM__SECONDS_MIN to DSM__SECONDS_MAX; 0 is fine too. */
static const dsm__json_range time_range = {1e-9, 1e12, false};

typedef struct node {
  uint64_t id;
  const char *name;
  bool is_supported; /* on accelerators */
  bool has_color;
  double color;
  double cpu_seconds;
  double accelerator_seconds;
  double bytes;
  double output_seconds; /* to transfer its output; below 0: no edge has told */
  size_t task;
} node;

typedef struct link_edge {
  size_t source; /* nodes */
  size_t target;
} link_edge;

typedef struct planner {
  dsm_instance *instance;
  size_t cpu_count;
  size_t accelerator_count;
  double memory_bytes;
  node *nodes;
  size_t node_count;
  size_t *by_id; /* nodes in order of id */
  link_edge *edges;
  size_t edge_count;
  dsm_task *tasks;
  double link_bytes_per_second; /* 0: no edge has told */
  bool is_training;             /* a backward node has been reported */
} planner;

/* A pair to be sorted. */
typedef struct keyed {
  double key;
  size_t index;
} keyed;

DSM__ORDER_OF(compare_keyed, keyed,
              dsm__order_then(dsm__order(a->key, b->key), dsm__order_whole(a->index, b->index)));

/* true, false, 0 or 1. */
static bool read_flag(const dsm__json_node *object, const char *key, bool *flag) {
  const dsm__json_node value = dsm__json_member(object, key);
  double number = 0;
  uint64_t bit = 0;
  if (!dsm__json_require(&value, "true, false, 1 or 0")) {
    return false;
  }
  if (!dsm__json_is_number(&value, &number)) {
    return dsm__json_bool(&value, flag);
  }
  const bool is_good = dsm__json_u64(&value, 0, 1, &bit);
  *flag = bit == 1;
  return is_good;
}

/* Where a key is absent, or null, the value stays what it is. */
static bool is_stated(const dsm__json_node *member) {
  return dsm__json_is_present(member) && !dsm__json_is_null(member);
}

static void read_node(planner *p, const dsm__json_node *item, node *out) {
  if (!dsm__json_is_object(item)) {
    dsm__json_object_only(item, NULL, 0);
    return;
  }
  out->output_seconds = -1;
  dsm__json_required_u64(item, "id", "the node's number", 0, DSM_PRODUCT_MAX, &out->id);
  read_flag(item, "supportedOnFpga", &out->is_supported);
  dsm__json_required_double_or_zero(item, "cpuLatency", "the time on a CPU", time_range,
                                    &out->cpu_seconds);
  dsm__json_required_double_or_zero(item, "fpgaLatency", "the time on an accelerator", time_range,
                                    &out->accelerator_seconds);
  out->cpu_seconds *= unit_seconds;
  out->accelerator_seconds *= unit_seconds;
  const dsm__json_node size = dsm__json_member(item, "size");
  if (is_stated(&size)) {
    dsm__json_double_or_zero(&size, dsm__bytes_range, &out->bytes);
  }
  const dsm__json_node color = dsm__json_member(item, "colorClass");
  if (is_stated(&color)) {
    out->has_color = dsm__json_double(&color, (dsm__json_range){-9e15, 9e15, false}, &out->color);
  }
  const dsm__json_node name = dsm__json_member(item, "name");
  if (is_stated(&name)) {
    dsm__json_name(&name, DSM_NAME_BYTES_MAX, p->instance->arena, &out->name);
  } else {
    out->name = dsm__arena_printf(p->instance->arena, "%llu", (unsigned long long)out->id);
  }
  bool is_backward = false;
  const dsm__json_node backward = dsm__json_member(item, "isBackwardNode");
  if (read_flag(item, "isBackwardNode", &is_backward) && is_backward && !p->is_training) {
    p->is_training = true;
    dsm__json_error(&backward, "the graph is one of training",
                    "expected a graph of inference, "
                    "found a backward node");
  }
}

/* Sorts the nodes by id; false if an id is there twice. */
static bool index_nodes(planner *p, const dsm__json_node *list) {
  keyed *const keys = dsm__arena_array(p->instance->arena, p->node_count, sizeof *keys);
  p->by_id = dsm__arena_array(p->instance->arena, p->node_count, sizeof *p->by_id);
  if (dsm__json_lacks_memory(list->doc, keys == NULL || p->by_id == NULL)) {
    return false;
  }
  for (size_t i = 0; i < p->node_count; i++) {
    keys[i] = (keyed){(double)p->nodes[i].id, i};
  }
  qsort(keys, p->node_count, sizeof keys[0], compare_keyed);
  bool do_differ = true;
  for (size_t k = 0; k < p->node_count; k++) {
    p->by_id[k] = keys[k].index;
    if (k > 0 && p->nodes[keys[k].index].id == p->nodes[keys[k - 1].index].id) {
      const dsm__json_node item = dsm__json_item(list, keys[k].index);
      const dsm__json_node id = dsm__json_member(&item, "id");
      dsm__json_error(&id, NULL, "expected a number of its own, found %llu twice",
                      (unsigned long long)p->nodes[keys[k].index].id);
      do_differ = false;
    }
  }
  return do_differ;
}

static bool read_nodes(planner *p, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "nodes");
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  if (!dsm__json_require(&list, "a list of nodes") ||
      !dsm__json_array(&list, 1, DSM_TASKS_MAX, &p->node_count)) {
    return false;
  }
  p->nodes = dsm__arena_array(p->instance->arena, p->node_count, sizeof *p->nodes);
  if (dsm__json_lacks_memory(root->doc, p->nodes == NULL)) {
    return false;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; i < p->node_count; i++, item = dsm__json_next(&item)) {
    read_node(p, &item, &p->nodes[i]);
    if (dsm__json_doc_error_count(root->doc) == errors_before && p->nodes[i].name == NULL) {
      dsm__json_set_out_of_memory(root->doc);
      return false;
    }
  }
  return dsm__json_doc_error_count(root->doc) == errors_before && index_nodes(p, &list);
}

/* The node that a member of an edge names; false if there is none. */
static bool read_end(const planner *p, const dsm__json_node *item, const char *key, size_t *index) {
  const dsm__json_node end = dsm__json_member(item, key);
  uint64_t id = 0;
  if (!dsm__json_require(&end, "the number of a node") ||
      !dsm__json_u64(&end, 0, DSM_PRODUCT_MAX, &id)) {
    return false;
  }
  size_t low = 0;
  size_t high = p->node_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->nodes[p->by_id[middle]].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == p->node_count || p->nodes[p->by_id[low]].id != id) {
    dsm__json_error(&end, NULL, "expected the number of a node, found %llu",
                    (unsigned long long)id);
    return false;
  }
  *index = p->by_id[low];
  return true;
}

/* The link of the accelerators, from an edge with both. */
static void read_link(planner *p, const dsm__json_node *item, double bytes, double seconds) {
  p->link_bytes_per_second = bytes / seconds;
  if (p->link_bytes_per_second < DSM__CAPACITY_MIN ||
      p->link_bytes_per_second > DSM__CAPACITY_MAX) {
    const dsm__json_node size = dsm__json_member(item, "size");
    dsm__json_error(&size, NULL,
                    "expected the size and cost of a link of " DSM__CAPACITY_RANGE
                    " a second, found %.17g in %.17g s",
                    bytes, seconds);
  }
}

/* What a node puts out is 0 or what a tensor may have. */
static void check_output(const node *source, double bytes, const dsm__json_node *edges) {
  if (bytes > 0 && (bytes < DSM__BYTES_MIN || bytes > DSM__BYTES_MAX)) {
    dsm__json_error(edges, NULL,
                    "expected outputs of 0, or " DSM__BYTES_RANGE
                    ", found %.6g of node %llu: its cost times the link",
                    bytes, (unsigned long long)source->id);
  }
}

static void read_edge(planner *p, const dsm__json_node *item) {
  link_edge edge = {0, 0};
  double cost = 0;
  double bytes = 0;
  if (!dsm__json_is_object(item)) {
    dsm__json_object_only(item, NULL, 0);
    return;
  }
  const bool has_source = read_end(p, item, "sourceId", &edge.source);
  const bool has_target = read_end(p, item, "destId", &edge.target);
  const bool has_cost = dsm__json_required_double_or_zero(
      item, "cost", "the time to transfer the output of the source", time_range, &cost);
  const dsm__json_node size = dsm__json_member(item, "size");
  if (is_stated(&size)) {
    dsm__json_double_or_zero(&size, dsm__bytes_range, &bytes);
  }
  if (!has_source || !has_target || !has_cost) {
    return;
  }
  node *const source = &p->nodes[edge.source];
  const double seconds = cost * unit_seconds;
  if (source->output_seconds < 0) {
    source->output_seconds = seconds;
  }
  if (fabs(source->output_seconds - seconds) > same_cost * seconds) {
    const dsm__json_node member = dsm__json_member(item, "cost");
    dsm__json_error(&member, NULL,
                    "expected the cost of the other edges of node %llu, %.17g, found %.17g",
                    (unsigned long long)source->id, source->output_seconds / unit_seconds, cost);
  }
  if (p->link_bytes_per_second <= 0 && cost > 0 && bytes > 0) {
    read_link(p, item, bytes, seconds);
  }
  p->edges[p->edge_count++] = edge;
}

static void read_edges(planner *p, const dsm__json_node *root) {
  const dsm__json_node list = dsm__json_member(root, "edges");
  size_t count = 0;
  if (!dsm__json_require(&list, "a list of edges") ||
      !dsm__json_array(&list, 0, DSM_JSON_VALUES_MAX, &count)) {
    return;
  }
  p->edges = dsm__arena_array(p->instance->arena, count, sizeof *p->edges);
  if (dsm__json_lacks_memory(root->doc, p->edges == NULL)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t e = 0; e < count; e++, item = dsm__json_next(&item)) {
    read_edge(p, &item);
  }
}

/* Nodes of a color are one task, the others one each, in order of appearance. */
static bool number_tasks(planner *p) {
  dsm__arena *const arena = p->instance->arena;
  keyed *const keys = dsm__arena_array(arena, p->node_count, sizeof *keys);
  size_t *const first = dsm__arena_array(arena, p->node_count, sizeof *first);
  if (keys == NULL || first == NULL) {
    return false;
  }
  size_t count = 0;
  for (size_t i = 0; i < p->node_count; i++) {
    first[i] = i;
    if (p->nodes[i].has_color) {
      keys[count++] = (keyed){p->nodes[i].color, i};
    }
  }
  dsm__sort(keys, count, sizeof keys[0], compare_keyed);
  for (size_t k = 1; k < count; k++) {
    if (!(keys[k].key > keys[k - 1].key)) {
      first[keys[k].index] = first[keys[k - 1].index];
    }
  }
  p->instance->task_count = 0;
  for (size_t i = 0; i < p->node_count; i++) {
    p->nodes[i].task = first[i] == i ? p->instance->task_count++ : p->nodes[first[i]].task;
  }
  return true;
}

static bool make_devices(planner *p) {
  dsm_instance *const instance = p->instance;
  const size_t count = p->cpu_count + p->accelerator_count;
  dsm_instance_device *const devices = dsm__arena_array(instance->arena, count, sizeof *devices);
  if (devices == NULL) {
    return false;
  }
  if (p->link_bytes_per_second <= 0) {
    p->link_bytes_per_second = nominal_bytes_per_second;
  }
  for (size_t j = 0; j < count; j++) {
    const bool is_cpu = j < p->cpu_count;
    devices[j] = (dsm_instance_device){
        .name = dsm__arena_printf(instance->arena, "%s%zu", is_cpu ? "cpu" : "fpga",
                                  is_cpu ? j + 1 : j + 1 - p->cpu_count),
        .is_accelerator = !is_cpu,
        .memory_bytes = is_cpu ? HUGE_VAL : p->memory_bytes,
        .link_bytes_per_second = is_cpu ? HUGE_VAL : p->link_bytes_per_second,
    };
    if (devices[j].name == NULL) {
      return false;
    }
  }
  instance->devices = devices;
  instance->device_count = count;
  return true;
}

/* What the nodes of a task add up to. */
typedef struct sums {
  const node *first;
  const node *last;
  double bytes;
  double seconds[2]; /* on a CPU, on an accelerator */
} sums;

static sums *add_nodes(const planner *p) {
  sums *const all = dsm__arena_array(p->instance->arena, p->instance->task_count, sizeof *all);
  for (size_t i = 0; all != NULL && i < p->node_count; i++) {
    const node *const one = &p->nodes[i];
    sums *const task = &all[one->task];
    task->first = task->first == NULL ? one : task->first;
    task->last = one;
    task->bytes += one->bytes;
    task->seconds[0] += one->cpu_seconds;
    task->seconds[1] += one->is_supported ? one->accelerator_seconds : HUGE_VAL;
  }
  return all;
}

/* The times of the devices of a kind, number `first` to before `last`. */
static void fill_times(const planner *p, const sums *all, int kind, size_t first, size_t last,
                       double *seconds) {
  for (size_t i = 0; i < p->instance->task_count; i++) {
    for (size_t j = first; j < last; j++) {
      seconds[i * p->instance->device_count + j] = all[i].seconds[kind];
    }
  }
}

static bool make_tasks(planner *p) {
  dsm_instance *const instance = p->instance;
  const sums *const all = add_nodes(p);
  double *seconds = NULL;
  dsm_task *const tasks = dsm__instance_tasks(instance, instance->task_count, &seconds);
  if (all == NULL || tasks == NULL) {
    return false;
  }
  for (size_t i = 0; i < instance->task_count; i++) {
    const sums *const one = &all[i];
    tasks[i].weights_bytes = one->bytes;
    tasks[i].name = one->first == one->last ? one->first->name
                                            : dsm__arena_printf(instance->arena, "%s..%s",
                                                                one->first->name, one->last->name);
    if (tasks[i].name == NULL) {
      return false;
    }
  }
  fill_times(p, all, 0, 0, p->cpu_count, seconds);
  fill_times(p, all, 1, p->cpu_count, instance->device_count, seconds);
  p->tasks = tasks;
  instance->tasks = tasks;
  instance->seconds = seconds;
  return true;
}

/* Edges within a task fall away; each node with others has a tensor of its own. */
static bool connect(planner *p, const dsm__json_node *root) {
  dsm__arena *const arena = p->instance->arena;
  dsm__use *const uses = dsm__arena_array(arena, p->edge_count, sizeof *uses);
  bool *const is_sent = dsm__arena_array(arena, p->node_count, sizeof *is_sent);
  if (uses == NULL || is_sent == NULL) {
    return false;
  }
  const dsm__json_node edges = dsm__json_member(root, "edges");
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  size_t count = 0;
  for (size_t e = 0; e < p->edge_count; e++) {
    const node *const source = &p->nodes[p->edges[e].source];
    const node *const target = &p->nodes[p->edges[e].target];
    const double bytes = source->output_seconds * p->link_bytes_per_second;
    check_output(source, bytes, &edges);
    if (source->task != target->task) {
      uses[count++] = (dsm__use){source->task, p->edges[e].source, target->task, bytes};
      p->tasks[source->task].output_bytes += is_sent[p->edges[e].source] ? 0 : bytes;
      is_sent[p->edges[e].source] = true;
    }
  }
  if (dsm__json_doc_error_count(root->doc) > errors_before) {
    return true;
  }
  dsm__circle circle;
  if (!dsm__instance_arrange(p->instance, uses, count, &circle)) {
    return false;
  }
  if (circle.count > 0) {
    const char *const words = dsm__circle_text(&circle, p->tasks, arena);
    if (words == NULL) {
      return false;
    }
    dsm__json_error(&edges, "nodes of a colorClass are one task",
                    "expected tasks that can run one after the other, found that %s", words);
  }
  return true;
}

static void read_counts(planner *p, const dsm__json_node *root) {
  const dsm__json_node cpus = dsm__json_member(root, "maxCPUs");
  const dsm__json_node accelerators = dsm__json_member(root, "maxFPGAs");
  uint64_t cpu_count = 0;
  uint64_t accelerator_count = 0;
  const bool has_cpus = dsm__json_require(&cpus, "the number of CPU cores") &&
                        dsm__json_u64(&cpus, 0, DSM_DEVICES_MAX, &cpu_count);
  const bool has_accelerators =
      dsm__json_require(&accelerators, "the number of accelerators") &&
      dsm__json_u64(&accelerators, 0, DSM_DEVICES_MAX, &accelerator_count);
  if (has_cpus && has_accelerators &&
      (cpu_count + accelerator_count == 0 || cpu_count + accelerator_count > DSM_DEVICES_MAX)) {
    dsm__json_error(&accelerators, NULL, "expected 1 to %d devices with maxCPUs, found %llu + %llu",
                    DSM_DEVICES_MAX, (unsigned long long)accelerator_count,
                    (unsigned long long)cpu_count);
  }
  p->cpu_count = (size_t)cpu_count;
  p->accelerator_count = (size_t)accelerator_count;
  dsm__json_required_double(root, "maxSizePerFPGA", "the memory of an accelerator in bytes",
                            dsm__capacity_range, &p->memory_bytes);
}

/* The format has no name: the file's, without folder and ".json". */
static const char *name_of(const planner *p, const char *file) {
  const char *const slash = file == NULL ? NULL : strrchr(file, '/');
  const char *const base = file == NULL ? "" : slash == NULL ? file : slash + 1;
  const size_t length = strlen(base);
  const bool has_end = length > 5 && strcmp(base + length - 5, ".json") == 0;
  return length == 0 ? "profile"
                     : dsm__arena_strndup(p->instance->arena, base, has_end ? length - 5 : length);
}

void dsm__planner_read(dsm_instance *instance, const dsm__json_node *root) {
  planner p = {.instance = instance};
  const size_t errors_before = dsm__json_doc_error_count(root->doc);
  read_counts(&p, root);
  if (read_nodes(&p, root)) {
    read_edges(&p, root);
  }
  if (dsm__json_doc_error_count(root->doc) > errors_before ||
      dsm__json_doc_is_out_of_memory(root->doc)) {
    return;
  }
  instance->name = name_of(&p, dsm__json_doc_file(root->doc));
  if (instance->name == NULL || !number_tasks(&p) || !make_devices(&p) || !make_tasks(&p) ||
      !connect(&p, root)) {
    dsm__json_set_out_of_memory(root->doc);
  }
}
