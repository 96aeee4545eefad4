/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unroll.c: from blocks to layers with full names.
 *
 * Layer `qkv` of repetition 3 of block `encoder` is `encoder.3.qkv`. A name that is used there is
 * one in the same repetition, else one of the blocks around it, else one of the network. The name
 * of a block stands for its last layer of all.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "workload/layer_list.h"
#include "workload/name_index.h"
#include "workload/workload_internal.h"

/* A repetition of a block, or the network. */
typedef struct scope {
  const struct scope *outer; /* NULL: the network */
  const dsm__layer_list *list;
  const char *prefix; /* of the names in it */
  size_t first;       /* its first layer */
} scope;

/* All repetitions of a block in a scope. */
typedef struct run {
  const char *name;
  const dsm__list_item *item;
  size_t first;
  size_t last; /* the layer for which the name stands */
} run;

typedef struct unrolled_layer {
  const scope *at;
  const dsm__list_item *item;
} unrolled_layer;

typedef struct unroller {
  dsm__workload_builder *builder;
  dsm__arena *arena;
  unrolled_layer *layers; /* beside those of the builder */
  DSM__LIST(run) runs;
  dsm__name_index names; /* of layers, then of runs */
  bool is_out_of_memory;
} unroller;

static void *checked(unroller *u, void *allocated) {
  if (allocated == NULL && !u->is_out_of_memory) {
    u->is_out_of_memory = true;
    dsm__json_set_out_of_memory(u->builder->root.doc);
  }
  return allocated;
}

/* ---- layers and their names ---- */

static void add_layer(unroller *u, const scope *at, const dsm__list_item *item) {
  const size_t index = u->builder->layers.count;
  dsm__declared_layer *const layer = dsm__builder_add(u->builder, &item->node);
  if (layer == NULL) {
    u->is_out_of_memory = true;
    return;
  }
  layer->spec = item->spec;
  layer->is_wrong = item->is_wrong;
  layer->is_repeated = at->outer != NULL;
  u->layers[index] = (unrolled_layer){at, item};
  if (item->name != NULL && at->outer != NULL) {
    layer->spec.name = checked(u, dsm__arena_printf(u->arena, "%s%s", at->prefix, item->name));
  }
}

static void add_list(unroller *u, const scope *at);

static void add_block(unroller *u, const scope *at, const dsm__list_item *item) {
  const char *const name = checked(u, dsm__arena_printf(u->arena, "%s%s", at->prefix, item->name));
  const size_t first = u->builder->layers.count;
  for (uint64_t i = 0; i < item->repeat && !u->is_out_of_memory; i++) {
    scope *const inner = checked(u, dsm__arena_alloc(u->arena, sizeof *inner));
    const char *const prefix =
        checked(u, dsm__arena_printf(u->arena, "%s.%llu.", name, (unsigned long long)i));
    if (inner != NULL && prefix != NULL) {
      *inner = (scope){at, item->block, prefix, u->builder->layers.count};
      add_list(u, inner);
    }
  }
  if (u->is_out_of_memory || !DSM__LIST_RESERVE_IN(&u->runs, 1, u->arena)) {
    (void)checked(u, NULL);
    return;
  }
  u->runs.items[u->runs.count++] = (run){name, item, first, u->builder->layers.count - 1};
}

static void add_list(unroller *u, const scope *at) {
  for (size_t i = 0; i < at->list->count && !u->is_out_of_memory; i++) {
    const dsm__list_item *const item = &at->list->items[i];
    if (item->block != NULL) {
      add_block(u, at, item);
    } else {
      add_layer(u, at, item);
    }
  }
}

/* A name that blocks make may be that of another layer. Those of layers are compared by who
 * resolves them. */
static void check_names(const unroller *u) {
  const size_t layer_count = u->builder->layers.count;
  for (size_t i = 1; i < u->names.count; i++) {
    const dsm__name_entry *const one = &u->names.entries[i - 1];
    const dsm__name_entry *const other = &u->names.entries[i]; /* a run, if one of them is */
    if (strcmp(one->name, other->name) == 0 && other->index >= layer_count) {
      const dsm__json_node name =
          dsm__json_member(&u->runs.items[other->index - layer_count].item->node, "block");
      dsm__json_error(&name, NULL,
                      "expected a name that no other layer or block has, found a second \"%s\"",
                      other->name);
    }
  }
}

static void index_names(unroller *u) {
  const size_t layer_count = u->builder->layers.count;
  const size_t count = layer_count + u->runs.count;
  dsm__name_entry *const entries = checked(u, dsm__arena_array(u->arena, count, sizeof *entries));
  if (entries == NULL) {
    return;
  }
  u->names.entries = entries;
  for (size_t i = 0; i < count; i++) {
    const char *const name = i < layer_count ? u->builder->layers.items[i].spec.name
                                             : u->runs.items[i - layer_count].name;
    if (name != NULL) {
      entries[u->names.count++] = (dsm__name_entry){name, i};
    }
  }
  dsm__name_index_sort(&u->names);
  check_names(u);
}

/* ---- names of other layers ---- */

/* A layer that uses a name. */
typedef struct user {
  const unroller *u;
  size_t index;
  const scope *at;
} user;

/* The name of a layer without the blocks that it is in. */
static const char *own_name(const char *full) {
  const char *const dot = strrchr(full, '.');
  return dot == NULL ? full : dot + 1;
}

/* The last layer before the user that a block has by that name; NULL: there is none. */
static const char *in_a_block(const user *by, const char *name) {
  for (size_t i = by->index; i-- > 0;) {
    const dsm__declared_layer *const layer = &by->u->builder->layers.items[i];
    if (layer->is_repeated && layer->spec.name != NULL &&
        strcmp(own_name(layer->spec.name), own_name(name)) == 0) {
      return layer->spec.name;
    }
  }
  return NULL;
}

static void hint_nearest(const user *by, const char *name, char *hint, size_t size) {
  enum { LOOKED_AT = 1000 };
  const char *nearby[LOOKED_AT];
  size_t count = 0;
  for (const scope *at = by->at; at != NULL; at = at->outer) {
    for (size_t i = 0; i < at->list->count && count < LOOKED_AT; i++) {
      nearby[count++] = at->list->items[i].name;
    }
  }
  (void)dsm__nearest_hint(name, nearby, count, hint, size);
}

static void refuse_unknown(const user *by, const dsm__json_node *node, const char *name) {
  char hint[64 + DSM_NAME_BYTES_MAX] = "";
  if (dsm__json_doc_keeps_findings(node->doc)) {
    const char *const found = in_a_block(by, name);
    if (strcmp(name, DSM__BEFORE_NAME) == 0) {
      (void)snprintf(hint, sizeof hint, "layers of a block alone have what comes before it");
    } else if (found != NULL) {
      (void)snprintf(hint, sizeof hint, "did you mean \"%s\"?", found);
    } else {
      hint_nearest(by, name, hint, sizeof hint);
    }
  }
  dsm__json_error(node, hint, "expected the name of an earlier layer, found \"%s\"", name);
}

/* The layer for which the name of a block stands, but not for those in it; NULL after a report. */
static const char *last_of(const user *by, const dsm__json_node *node, const run *block) {
  if (block->first <= by->index && by->index <= block->last) {
    dsm__json_error(node,
                    "what a repetition comes after is \"" DSM__BEFORE_NAME
                    "\", which its first layer reads where it states no inputs",
                    "expected a layer before the block or in it, found the block itself, \"%s\"",
                    block->item->name);
    return NULL;
  }
  return by->u->builder->layers.items[block->last].spec.name;
}

static const char *before(const user *by) {
  const size_t first = by->at->first;
  return first == 0 ? DSM__INPUT_NAME : by->u->builder->layers.items[first - 1].spec.name;
}

/* The full name of what a layer means by a name; NULL after a report. */
static const char *meaning_of(const user *by, const dsm__json_node *node, const char *name) {
  const size_t layer_count = by->u->builder->layers.count;
  if (strcmp(name, DSM__INPUT_NAME) == 0) {
    return name;
  }
  if (strcmp(name, DSM__BEFORE_NAME) == 0 && by->at->outer != NULL) {
    return before(by);
  }
  for (const scope *at = by->at; at != NULL; at = at->outer) {
    char full[2 * DSM_NAME_BYTES_MAX + 1];
    (void)snprintf(full, sizeof full, "%s%s", at->prefix, name);
    const size_t found = dsm__name_index_find(&by->u->names, full);
    if (found != SIZE_MAX && found >= layer_count) {
      return last_of(by, node, &by->u->runs.items[found - layer_count]);
    }
    if (found != SIZE_MAX) {
      return by->u->builder->layers.items[found].spec.name;
    }
  }
  refuse_unknown(by, node, name);
  return NULL;
}

static void resolve_inputs(unroller *u, const user *by, const dsm__json_node *layer,
                           dsm_layer_spec *spec) {
  const dsm__json_node list = dsm__json_member(layer, "inputs");
  const char **const inputs =
      checked(u, dsm__arena_array(u->arena, spec->input_count, sizeof *inputs));
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; inputs != NULL && i < spec->input_count; i++, item = dsm__json_next(&item)) {
    inputs[i] = spec->inputs[i] == NULL ? NULL : meaning_of(by, &item, spec->inputs[i]);
  }
  spec->inputs = inputs;
  spec->input_count = inputs == NULL ? 0 : spec->input_count;
}

static void resolve_operations(unroller *u, const user *by, const dsm__json_node *layer,
                               dsm_layer_spec *spec) {
  const dsm__json_node list = dsm__json_member(layer, "aux");
  dsm_aux *const aux = checked(u, dsm__arena_array(u->arena, spec->aux_count, sizeof *aux));
  dsm__json_node item = dsm__json_item(&list, 0);
  for (size_t i = 0; aux != NULL && i < spec->aux_count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node from = dsm__json_member(&item, "from");
    aux[i] = spec->aux[i];
    aux[i].from = aux[i].from == NULL ? NULL : meaning_of(by, &from, aux[i].from);
  }
  spec->aux = aux;
  spec->aux_count = aux == NULL ? 0 : spec->aux_count;
}

/* Every key of a layer that names one, but for lists: each leads to a `const char *` of it. */
static const char **single_name(dsm_layer_spec *spec, size_t which, const char **key) {
  const struct {
    const char *key;
    const char **name;
  } names[] = {{"operand", &spec->operand}, {"tied_to", &spec->tied_to}};
  if (which >= DSM__COUNT_OF(names)) {
    return NULL;
  }
  *key = names[which].key;
  return names[which].name;
}

static void resolve_names(unroller *u, size_t index) {
  dsm__declared_layer *const layer = &u->builder->layers.items[index];
  assert(layer != NULL); /* one of those that are listed */
  const user by = {u, index, u->layers[index].at};
  const char *key = NULL;
  const char **name = NULL;
  for (size_t i = 0; (name = single_name(&layer->spec, i, &key)) != NULL; i++) {
    const dsm__json_node node = dsm__json_member(&layer->node, key);
    *name = *name == NULL ? NULL : meaning_of(&by, &node, *name);
  }
  if (layer->spec.input_count > 0) {
    resolve_inputs(u, &by, &layer->node, &layer->spec);
  }
  if (layer->spec.aux_count > 0) {
    resolve_operations(u, &by, &layer->node, &layer->spec);
  }
}

bool dsm__layer_lists_unroll(const dsm__layer_lists *lists, dsm__workload_builder *builder) {
  unroller u = {.builder = builder, .arena = builder->workload->arena};
  dsm__json_doc *const doc = builder->root.doc;
  const scope network = {.list = &lists->top, .prefix = ""};
  u.layers = checked(&u, dsm__arena_array(u.arena, lists->layer_count, sizeof *u.layers));
  if (u.layers == NULL) {
    return false;
  }
  add_list(&u, &network);
  if (lists->has_blocks && !u.is_out_of_memory) {
    index_names(&u);
    for (size_t i = 0; i < builder->layers.count && !u.is_out_of_memory; i++) {
      resolve_names(&u, i);
    }
  }
  return !u.is_out_of_memory && !dsm__json_doc_is_out_of_memory(doc);
}
