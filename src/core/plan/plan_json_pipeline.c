/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_json_pipeline.c: reads the pipeline groups of a plan, and which layers are in them. */
#include <string.h>

#include "plan/plan_reader.h"
#include "plan/stage.h"
#include "plan/strategy_rules.h"
#include "workload/name_index.h"

static const size_t no_entry = SIZE_MAX;

/* An item of the list `pipeline`. */
typedef struct entry {
  dsm_pipeline_plan group; /* its name is NULL if it could not be read, its first layer the first
                              that refers to it, or DSM_NEVER_USED */
  bool is_good;
} entry;

typedef struct entry_list {
  entry *items;
  size_t count;
  dsm__name_index names;
  size_t *of_layer; /* the entry that a layer refers to, or no_entry */
} entry_list;

static bool read_rows(const dsm__json_node *node, uint64_t most, dsm__arena *arena,
                      dsm_pipeline_plan *group) {
  const dsm__json_node list = dsm__json_member(node, "rows");
  size_t count = 0;
  if (!dsm__json_require(&list, "rows of chips for each of its layers") ||
      !dsm__json_array(&list, group->layer_count, group->layer_count, &count)) {
    return false;
  }
  uint64_t *const rows = dsm__arena_array(arena, count, sizeof *rows);
  if (dsm__json_lacks_memory(node->doc, rows == NULL)) {
    return false;
  }
  bool is_good = true;
  DSM__JSON_EACH(item, &list) {
    is_good = dsm__json_u64(&item, 1, most, &rows[item.index]) && is_good;
  }
  group->rows = rows;
  return is_good;
}

bool dsm__plan_read_group(const dsm__json_node *node, const dsm__group_limits *limits,
                          dsm__arena *arena, dsm_pipeline_plan *group) {
  const dsm__record_reader names = {.arena = arena, .wanted = DSM__FIELD_IS_READ};
  const dsm__json_node columns = dsm__json_member(node, "columns");
  return dsm__record_only(node, &dsm__pipeline_record) &&
         dsm__record_read(&names, node, &dsm__pipeline_record, group) &&
         read_rows(node, limits->rows, arena, group) &&
         (!dsm__json_is_present(&columns) ||
          dsm__json_u64(&columns, 1, limits->columns, &group->columns));
}

static void read_entry(dsm__plan_reader *reader, const dsm__json_node *node, entry *out) {
  const dsm__group_limits limits = {.columns = dsm__stage_columns_max(reader->system),
                                    .rows = dsm__stage_rows_max(reader->system)};
  out->group.columns = limits.columns;
  out->is_good = dsm__plan_read_group(node, &limits, reader->arena, &out->group);
}

static bool read_entries(dsm__plan_reader *reader, entry_list *list) {
  const dsm__json_node *const node = &reader->pipeline_node;
  if (dsm__json_is_present(node) &&
      !dsm__json_array(node, 0, reader->workload->layer_count, &list->count)) {
    return false;
  }
  list->items = dsm__arena_array(reader->arena, list->count, sizeof list->items[0]);
  list->names.entries = dsm__arena_array(reader->arena, list->count, sizeof(dsm__name_entry));
  if (dsm__json_lacks_memory(reader->doc, list->items == NULL || list->names.entries == NULL)) {
    return false;
  }
  dsm__json_node item = dsm__json_item(node, 0);
  for (size_t i = 0; i < list->count; i++, item = dsm__json_next(&item)) {
    list->items[i].group.first_layer = DSM_NEVER_USED;
    read_entry(reader, &item, &list->items[i]);
    if (list->items[i].group.name != NULL) {
      list->names.entries[list->names.count++] = (dsm__name_entry){list->items[i].group.name, i};
    }
  }
  dsm__name_index_sort(&list->names);
  item = dsm__json_item(node, 0);
  for (size_t i = 0; i < list->count; i++, item = dsm__json_next(&item)) {
    if (list->items[i].group.name != NULL &&
        dsm__name_index_find(&list->names, list->items[i].group.name) != i) {
      const dsm__json_node name = dsm__json_member(&item, "name");
      dsm__json_error(&name, NULL, "expected a name of its own, found a second \"%s\"",
                      list->items[i].group.name);
    }
  }
  return true;
}

/* Which entries the layers refer to. */
static bool resolve_references(dsm__plan_reader *reader, entry_list *list) {
  const size_t count = reader->workload->layer_count;
  list->of_layer = dsm__arena_array(reader->arena, count, sizeof list->of_layer[0]);
  if (dsm__json_lacks_memory(reader->doc, list->of_layer == NULL)) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const char *const name = reader->layers[i].layer.pipeline_group;
    const dsm__json_node group = dsm__json_member(&reader->layer_nodes[i], "pipeline_group");
    if (name != NULL && !dsm__may_choose(&reader->plan.options, DSM__CHOICE_GROUP)) {
      dsm__json_error(&group, NULL, "expected null without the optimization %s, found \"%s\"",
                      dsm__choice_word(DSM__CHOICE_GROUP), name);
      list->of_layer[i] = no_entry;
      continue;
    }
    list->of_layer[i] = name == NULL ? no_entry : dsm__name_index_find(&list->names, name);
    if (list->of_layer[i] != no_entry) {
      dsm_pipeline_plan *const to = &list->items[list->of_layer[i]].group;
      to->first_layer = to->first_layer == DSM_NEVER_USED ? i : to->first_layer;
    } else if (name != NULL) {
      dsm__json_error(&group, NULL, "expected the name of an item of $.pipeline, found \"%s\"",
                      name);
      reader->is_known[i] = false;
    }
  }
  return true;
}

/* Are an entry's layers those from its first one on, and do they refer to it? */
static bool is_run(const dsm__plan_reader *reader, const entry_list *list, size_t e) {
  const entry *const one = &list->items[e];
  const dsm__json_node node = dsm__json_item(&reader->pipeline_node, e);
  const dsm__json_node layers = dsm__json_member(&node, "layers");
  dsm__json_node item = dsm__json_item(&layers, 0);
  for (size_t k = 0; k < one->group.layer_count; k++, item = dsm__json_next(&item)) {
    const size_t index = one->group.first_layer + k;
    const bool is_layer = index < reader->workload->layer_count;
    if (!is_layer || strcmp(reader->workload->layers[index].name, one->group.layer_names[k]) != 0) {
      dsm__json_error(&item, "a group is a run of layers in order of execution",
                      "expected %s%s%s, found \"%s\"", is_layer ? "\"" : "no layer after the last",
                      is_layer ? reader->workload->layers[index].name : "", is_layer ? "\"" : "",
                      one->group.layer_names[k]);
      return false;
    }
    if (list->of_layer[index] != e && reader->is_known[index]) {
      dsm__json_error(&item, NULL, "expected a layer whose pipeline_group is \"%s\", found \"%s\"",
                      one->group.name, one->group.layer_names[k]);
    }
    if (list->of_layer[index] != e) {
      return false;
    }
  }
  return true;
}

/* Keeps the groups that are good runs of layers, in order of execution. Of layers in others nothing
 * more is to be said. */
static void keep_groups(dsm__plan_reader *reader, entry_list *list) {
  for (size_t i = 0; i < reader->workload->layer_count; i++) {
    if (list->of_layer[i] == no_entry) {
      continue;
    }
    entry *const one = &list->items[list->of_layer[i]];
    const bool is_first = i == one->group.first_layer;
    one->is_good = one->is_good && (!is_first || is_run(reader, list, list->of_layer[i]));
    const bool is_in = one->is_good && i < one->group.first_layer + one->group.layer_count;
    if (one->is_good && !is_in) {
      const dsm__json_node group = dsm__json_member(&reader->layer_nodes[i], "pipeline_group");
      dsm__json_error(&group, NULL, "expected a group whose layers include \"%s\", found \"%s\"",
                      reader->workload->layers[i].name, one->group.name);
    } else if (is_in && is_first) {
      reader->pipeline_items[reader->pipeline_count] = list->of_layer[i];
      reader->pipelines[reader->pipeline_count++] = one->group;
    }
    reader->is_known[i] = reader->is_known[i] && is_in;
  }
}

void dsm__plan_read_pipelines(dsm__plan_reader *reader) {
  entry_list list = {0};
  if (!read_entries(reader, &list) || !resolve_references(reader, &list)) {
    return;
  }
  reader->pipeline_items =
      dsm__arena_array(reader->arena, list.count, sizeof reader->pipeline_items[0]);
  reader->pipelines = dsm__arena_array(reader->arena, list.count, sizeof reader->pipelines[0]);
  if (reader->pipelines == NULL || reader->pipeline_items == NULL) {
    dsm__json_set_out_of_memory(reader->doc);
    return;
  }
  keep_groups(reader, &list);
}
