/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workload/layer_list.h"

#include <string.h>

#include "workload/name_index.h"
#include "workload/workload_internal.h"

DSM__OBJECT(dsm__block_object, "block", {.name = "block"}, {.name = "repeat"}, {.name = "layers"});

/* Where a list stands. */
typedef struct place {
  dsm__layer_lists *lists;
  dsm__arena *arena;
  const struct place *outer;   /* NULL: the top */
  const dsm__list_item *block; /* whose layers these are */
  size_t depth;
  size_t prefix_bytes; /* of the longest name of a repetition, with the dots behind each part */
  uint64_t repeat;     /* of all blocks around it */
} place;

/* ---- limits ---- */

static size_t digits_of(uint64_t number) {
  static const uint64_t base = 10;
  size_t digits = 1;
  for (; number >= base; number /= base) {
    digits++;
  }
  return digits;
}

static void check_length(const place *at, const dsm__list_item *item, const char *key) {
  const size_t bytes = item->name == NULL ? 0 : at->prefix_bytes + strlen(item->name);
  if (bytes > DSM_NAME_BYTES_MAX) {
    const dsm__json_node node = dsm__json_member(&item->node, key);
    dsm__json_error(&node, "the full name has those of the blocks around before it",
                    "expected a full name of at most %d bytes, found one of %zu",
                    DSM_NAME_BYTES_MAX, bytes);
    at->lists->is_unusable = true;
  }
}

/* What repeats the most of what stands around. */
static dsm__json_node most_repeated(const place *at) {
  const place *most = at;
  for (const place *each = at; each->block != NULL; each = each->outer) {
    if (each->block->repeat > most->block->repeat) {
      most = each;
    }
  }
  return most->block == NULL ? at->lists->top.node : dsm__json_member(&most->block->node, "repeat");
}

static void refuse_count(const place *at, uint64_t max, const char *what) {
  const dsm__json_node repeat = most_repeated(at);
  dsm__json_error(&repeat, NULL, "expected at most %llu %s in all repetitions, found more",
                  (unsigned long long)max, what);
  at->lists->is_unusable = true;
}

/* Counts all repetitions of a layer; the first that is too many is reported. */
static void add_layer(const place *at, const dsm__list_item *layer) {
  static const uint64_t inputs_max = 1000000;
  dsm__layer_lists *const lists = at->lists;
  const uint64_t layers_before = lists->layer_count;
  const uint64_t inputs_before = lists->input_count;
  lists->layer_count += at->repeat;
  lists->input_count += at->block == NULL ? 0 : at->repeat * layer->spec.input_count;
  if (lists->layer_count > DSM_LAYERS_MAX && layers_before <= DSM_LAYERS_MAX) {
    refuse_count(at, DSM_LAYERS_MAX, "layers");
  } else if (lists->input_count > inputs_max && inputs_before <= inputs_max) {
    refuse_count(at, inputs_max, "inputs of layers");
  }
}

/* So many repetitions in so many; more than there may be layers are as good as one more. */
static uint64_t repeat_all(uint64_t outer, uint64_t inner) {
  const uint64_t all = outer * inner; /* at most (12000 + 1) * 12000 */
  return all > DSM_LAYERS_MAX ? DSM_LAYERS_MAX + 1 : all;
}

/* ---- items ---- */

static bool is_block(const dsm__json_node *item) {
  for (size_t i = 0; i < dsm__block_object.count; i++) {
    if (dsm__json_has(item, dsm__block_object.keys[i].name)) {
      return true;
    }
  }
  return false;
}

static void read_list(const place *at, const dsm__json_node *node, dsm__layer_list *list);

static void read_inner(const place *at, dsm__list_item *item) {
  const place inner = {
      .lists = at->lists,
      .arena = at->arena,
      .outer = at,
      .block = item,
      .depth = at->depth + 1,
      .prefix_bytes = at->prefix_bytes + strlen(item->name) + digits_of(item->repeat - 1) + 2,
      .repeat = repeat_all(at->repeat, item->repeat),
  };
  dsm__layer_list *const list = dsm__arena_alloc(at->arena, sizeof *list);
  const dsm__json_node layers = dsm__json_member(&item->node, "layers");
  if (dsm__json_lacks_memory(item->node.doc, list == NULL)) {
    return;
  }
  item->block = list;
  if (inner.depth > DSM__BLOCK_DEPTH_MAX) {
    dsm__json_error(&layers, NULL, "expected blocks at most %d deep, found more",
                    DSM__BLOCK_DEPTH_MAX);
    at->lists->is_unusable = true;
  } else if (dsm__json_require(&layers, "the layers that the block repeats")) {
    read_list(&inner, &layers, list);
  } else {
    at->lists->is_unusable = true;
  }
}

static void read_block(const place *at, dsm__list_item *item) {
  const size_t errors_before = dsm__json_doc_error_count(item->node.doc);
  at->lists->has_blocks = true;
  (void)dsm__object_only(&item->node, &dsm__block_object, 0);
  item->name = dsm__layer_name_read(&item->node, "block", at->arena);
  dsm__json_optional_u64(&item->node, "repeat", 1, DSM_LAYERS_MAX, 1, &item->repeat);
  check_length(at, item, "block");
  if (dsm__json_doc_error_count(item->node.doc) > errors_before) {
    at->lists->is_unusable = true;
  }
  if (item->name == NULL) {
    item->name = "";
  }
  read_inner(at, item);
}

static void read_layer(const place *at, dsm__list_item *item) {
  const size_t errors_before = dsm__json_doc_error_count(item->node.doc);
  item->spec = dsm__layer_spec_default();
  dsm__layer_spec_read(&item->spec, at->arena, &item->node);
  item->name = item->spec.name;
  item->is_wrong = dsm__json_doc_error_count(item->node.doc) > errors_before;
  if (at->block != NULL) {
    check_length(at, item, "name");
  }
  add_layer(at, item);
}

/* ---- lists ---- */

/* Names of blocks are no others' in their list: all names that they make would be double. Those of
 * layers are looked at with the layers of all lists. */
static void check_names(const place *at, const dsm__layer_list *list) {
  dsm__name_index names = {.entries =
                               dsm__arena_array(at->arena, list->count, sizeof names.entries[0])};
  if (dsm__json_lacks_memory(list->node.doc, names.entries == NULL)) {
    return;
  }
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].name != NULL) {
      names.entries[names.count++] = (dsm__name_entry){list->items[i].name, i};
    }
  }
  dsm__name_index_sort(&names);
  for (size_t i = 1; i < names.count; i++) {
    const dsm__list_item *const one = &list->items[names.entries[i - 1].index];
    const dsm__list_item *const other = &list->items[names.entries[i].index];
    if (strcmp(one->name, other->name) == 0 && (one->block != NULL || other->block != NULL)) {
      const dsm__json_node name =
          dsm__json_member(&other->node, other->block != NULL ? "block" : "name");
      dsm__json_error(&name, NULL,
                      "expected a name that no other layer or block has, found a second \"%s\"",
                      other->name);
      at->lists->is_unusable = true;
    }
  }
}

static void read_items(const place *at, dsm__layer_list *list) {
  bool has_blocks = false;
  dsm__json_node node = dsm__json_item(&list->node, 0);
  for (size_t i = 0; i < list->count && !dsm__json_doc_is_out_of_memory(node.doc);
       i++, node = dsm__json_next(&node)) {
    dsm__list_item *const item = &list->items[i];
    item->node = node;
    if (is_block(&node)) {
      has_blocks = true;
      read_block(at, item);
    } else {
      read_layer(at, item);
    }
  }
  if (has_blocks) {
    check_names(at, list);
  }
}

static void read_list(const place *at, const dsm__json_node *node, dsm__layer_list *list) {
  dsm__layer_lists *const lists = at->lists;
  size_t count = 0;
  list->node = *node;
  list->node.parent = at->block == NULL ? node->parent : &at->block->node;
  if (!dsm__json_array(&list->node, 1, DSM_LAYERS_MAX, &count)) {
    lists->is_unusable = true;
    return;
  }
  lists->declared += count;
  if (lists->declared > DSM_LAYERS_MAX) {
    dsm__json_error(&list->node, NULL, "expected at most %d layers and blocks in all, found more",
                    DSM_LAYERS_MAX);
    lists->is_unusable = true;
    return;
  }
  list->items = dsm__arena_array(at->arena, count, sizeof list->items[0]);
  if (dsm__json_lacks_memory(node->doc, list->items == NULL)) {
    return;
  }
  list->count = count;
  read_items(at, list);
}

void dsm__layer_lists_read(dsm__layer_lists *lists, dsm__arena *arena, const dsm__json_node *node) {
  *lists = (dsm__layer_lists){.has_blocks = false};
  const place top = {.lists = lists, .arena = arena, .repeat = 1};
  read_list(&top, node, &lists->top);
  lists->is_unusable = lists->is_unusable || dsm__json_doc_is_out_of_memory(node->doc);
}
