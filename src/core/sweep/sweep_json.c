/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_json.c: the format "dsm-sweep/1", read. */
#include <math.h>
#include <string.h>

#include "plan/plan_record.h"
#include "sweep/option_words.h"
#include "sweep/sweep_draft.h"

/* Bytes of a path and of a condition. */
enum { PATH_BYTES_MAX = 1024, CONDITION_BYTES_MAX = 4096 };

/* ---- values for all points ---- */

void dsm__set_add(dsm__sweep_draft *draft, const char *path, const dsm__raw_value *raw) {
  size_t kept = 0;
  dsm__path_kind kind;
  if (!dsm__path_parse(path, &kind) || strchr(path, '=') != NULL || !dsm__path_is_value(kind)) {
    dsm__draft_error(draft, raw->origin, NULL,
                     "expected workload.PATH or system.PATH, found \"%.128s\"", path);
    return;
  }
  for (size_t i = 0; i < draft->sets.count; i++) {
    if (strcmp(draft->sets.items[i].path, path) != 0) {
      draft->sets.items[kept++] = draft->sets.items[i];
    }
  }
  draft->sets.count = kept;
  if (!DSM__LIST_PUSH_IN(&draft->sets, draft->arena,
                         (dsm__said_path){.kind = kind,
                                          .path = path,
                                          .json = raw->json,
                                          .origin = raw->origin,
                                          .is_set = true,
                                          .text = dsm__override_text(raw->json, raw->text)})) {
    (void)dsm__draft_out_of_memory(draft);
  }
}

/* A copy of a node that lives as long as the draft; its parent must do so too. NULL: out of
 * memory. */
static const dsm__json_node *keep(dsm__sweep_draft *draft, dsm__json_node node) {
  dsm__json_node *const copy = dsm__draft_array(draft, 1, sizeof *copy);
  if (copy != NULL) {
    *copy = node;
  }
  return copy;
}

static void read_set(dsm__sweep_draft *draft) {
  draft->set_node = dsm__json_member(&draft->root, "set");
  if (!dsm__json_is_present(&draft->set_node)) {
    return;
  }
  if (!dsm__json_is_object(&draft->set_node)) {
    (void)dsm__json_object_only(&draft->set_node, NULL, 0);
    return;
  }
  dsm__json_node member = dsm__json_first_member(&draft->set_node);
  for (; dsm__json_is_present(&member); member = dsm__json_next(&member)) {
    const dsm__json_node *const node = keep(draft, member);
    if (node != NULL) {
      const dsm__raw_value raw = dsm__raw_from_node(draft, node);
      dsm__set_add(draft, dsm__draft_text(draft, "%s", dsm__json_key(node)), &raw);
    }
  }
}

/* ---- options ---- */

DSM__OBJECT(dsm__sweep_options_object, "options", {.name = "mode"}, {.name = "optimize"},
            {.name = "parallelism"}, {.name = "as_run_by"}, {.name = "stages_at"},
            {.name = "schedule"}, {.name = "recomputation"}, {.name = "shard_level"},
            {.name = "objective"}, {.name = "power_cap_W"}, {.name = "gap"},
            {.name = "time_limit_seconds"});

/* How far the search of each point goes. */
static void read_options(dsm__sweep_draft *draft) {
  draft->options_node = dsm__json_member(&draft->root, "options");
  const dsm__json_node *const options = &draft->options_node;
  draft->optimize_node = dsm__json_member(options, "optimize");
  if (!dsm__json_is_present(options) || !dsm__object_only(options, &dsm__sweep_options_object, 0)) {
    return;
  }
  const dsm__record_reader limits = {.wanted = DSM__FIELD_IS_READ};
  (void)dsm__record_read(&limits, options, &dsm__search_limits_record, &draft->options);
  for (size_t o = 0; o < DSM__SWEEP_OPTION_COUNT; o++) {
    const dsm__sweep_option *const option = &dsm__sweep_options[o];
    const dsm__json_node node = dsm__json_member(options, option->key);
    draft->is_stated[o] = dsm__json_is_present(&node);
    if (!draft->is_stated[o]) {
      continue;
    }
    const dsm__raw_value raw = dsm__raw_from_node(draft, &node);
    dsm_axis_value value;
    if (dsm__value_make(draft, DSM__PATH_OPTION + (dsm__path_kind)o, &raw, &value)) {
      (void)dsm__sweep_option_parse(option, value.text, &draft->options, NULL); /* found good */
    }
  }
}

/* ---- inputs ---- */

/* An axis of the document, or NULL: the command line says that of these paths, which is added in
 * its place. */
static dsm__axis_draft *add_axis(dsm__sweep_draft *draft, const dsm__axis_paths *paths,
                                 const dsm__json_node *node) {
  for (size_t v = 0; v < draft->vary_count; v++) {
    dsm__vary *const vary = &draft->varies[v];
    bool is_same = !vary->is_used && vary->paths.count == paths->count;
    for (size_t p = 0; p < paths->count && is_same; p++) {
      is_same = strcmp(vary->paths.items[p], paths->items[p]) == 0;
    }
    if (is_same) {
      dsm__vary_read(draft, vary);
      return NULL;
    }
  }
  return dsm__axis_add(draft, paths, dsm__origin_of(node));
}

/* Adds an item of a list as a row of an axis of one path. */
static void read_value(dsm__sweep_draft *draft, dsm__axis_draft *axis, const dsm__json_node *item) {
  const dsm__raw_value raw = dsm__raw_from_node(draft, item);
  (void)dsm__axis_add_row(draft, axis, &raw);
}

static void read_inputs(dsm__sweep_draft *draft, dsm__json_node *node,
                        const dsm__axis_paths *paths) {
  size_t count = 0;
  dsm__axis_draft *const axis = dsm__json_is_present(node) ? add_axis(draft, paths, node) : NULL;
  if (axis == NULL || !dsm__json_array(node, 1, DSM_SWEEP_VALUES_MAX, &count)) {
    return;
  }
  dsm__json_node item = dsm__json_item(node, 0);
  for (size_t i = 0; i < count && !dsm__draft_is_stopped(draft); i++) {
    read_value(draft, axis, &item);
    item = dsm__json_next(&item);
  }
}

/* The axis of workloads or systems that comes first, from wherever it is said last. */
static void read_input_axis(dsm__sweep_draft *draft, dsm_description kind) {
  const bool is_workload = kind == DSM_DESCRIPTION_WORKLOAD;
  const dsm_sweep_request *const request = draft->request;
  dsm__json_node *const node = is_workload ? &draft->workloads_node : &draft->systems_node;
  const size_t named_count = is_workload ? request->workload_count : request->system_count;
  const char *const *const names = is_workload ? request->workloads : request->systems;
  const dsm__origin named = {.option = dsm_description_name(kind)};
  dsm__axis_paths paths = {.count = 0};
  if (draft->doc != NULL) {
    *node = dsm__json_member(&draft->root, is_workload ? "workloads" : "systems");
  }
  const dsm__origin origin = named_count > 0 ? named : dsm__origin_of(node);
  (void)dsm__axis_add_path(draft, &paths, named.option, origin); /* it is one */
  if (named_count > 0) {
    dsm__axis_draft *const axis = dsm__axis_add(draft, &paths, origin);
    for (size_t i = 0; axis != NULL && i < named_count; i++) {
      const dsm__raw_value raw = {.origin = origin, .json = names[i], .text = names[i]};
      (void)dsm__axis_add_row(draft, axis, &raw);
    }
    return;
  }
  if (draft->doc != NULL) {
    read_inputs(draft, node, &paths);
  }
}

/* ---- axes ---- */

static bool read_path(dsm__sweep_draft *draft, const dsm__json_node *node, dsm__axis_paths *paths) {
  const char *path = NULL;
  return dsm__json_string(node, 1, PATH_BYTES_MAX, draft->arena, &path) &&
         dsm__axis_add_path(draft, paths, path, dsm__origin_of(node));
}

static bool read_paths(dsm__sweep_draft *draft, const dsm__json_node *axis, dsm__axis_paths *list) {
  const dsm__json_node *const path = keep(draft, dsm__json_member(axis, "path"));
  const dsm__json_node *const paths = keep(draft, dsm__json_member(axis, "paths"));
  size_t count = 0;
  if (path == NULL || paths == NULL) {
    return false;
  }
  if (dsm__json_is_present(path) == dsm__json_is_present(paths)) {
    dsm__json_error(axis, NULL, "expected either \"path\" or \"paths\", found %s",
                    dsm__json_is_present(path) ? "both" : "neither");
    return false;
  }
  if (dsm__json_is_present(path)) {
    return read_path(draft, path, list);
  }
  if (!dsm__json_array(paths, 1, DSM_SWEEP_AXES_MAX, &count)) {
    return false;
  }
  bool is_good = true;
  for (size_t i = 0; i < count; i++) {
    const dsm__json_node *const item = keep(draft, dsm__json_item(paths, i));
    is_good = item != NULL && read_path(draft, item, list) && is_good;
  }
  return is_good;
}

/* One value for each path. */
static void read_row(dsm__sweep_draft *draft, dsm__axis_draft *axis, const dsm__json_node *item) {
  const size_t count = axis->paths.count;
  dsm__json_node parts[DSM_SWEEP_AXES_MAX];
  dsm__raw_value raws[DSM_SWEEP_AXES_MAX];
  size_t found = 0;
  if (!dsm__json_array(item, count, count, &found)) {
    return;
  }
  for (size_t p = 0; p < count; p++) {
    parts[p] = p == 0 ? dsm__json_item(item, 0) : dsm__json_next(&parts[p - 1]);
    raws[p] = dsm__raw_from_node(draft, &parts[p]);
  }
  (void)dsm__axis_add_row(draft, axis, raws);
}

static void read_values(dsm__sweep_draft *draft, dsm__axis_draft *axis,
                        const dsm__json_node *values, bool is_in_rows) {
  size_t count = 0;
  if (!dsm__json_array(values, 1, DSM_SWEEP_VALUES_MAX, &count)) {
    return;
  }
  dsm__json_node item = dsm__json_item(values, 0);
  for (size_t i = 0; i < count && !dsm__draft_is_stopped(draft);
       i++, item = dsm__json_next(&item)) {
    if (is_in_rows) {
      read_row(draft, axis, &item);
    } else {
      read_value(draft, axis, &item);
    }
  }
}

DSM__OBJECT(dsm__range_object, "range", {.name = "from"}, {.name = "to"}, {.name = "factor"},
            {.name = "step"});

static void read_range(dsm__sweep_draft *draft, dsm__axis_draft *axis, const dsm__json_node *node) {
  static const dsm__json_range any = {-HUGE_VAL, HUGE_VAL, false};
  if (!dsm__object_only(node, &dsm__range_object, 0)) {
    return;
  }
  const dsm__json_node from = dsm__json_member(node, "from");
  const dsm__json_node to = dsm__json_member(node, "to");
  const dsm__json_node factor = dsm__json_member(node, "factor");
  const dsm__json_node step = dsm__json_member(node, "step");
  dsm__range range = {.is_geometric = dsm__json_is_present(&factor)};
  const bool has_from = dsm__json_double(&from, any, &range.from);
  bool is_good = dsm__json_double(&to, any, &range.to) && has_from;
  if (range.is_geometric == dsm__json_is_present(&step)) {
    dsm__json_error(node, NULL, "expected either \"factor\" or \"step\", found %s",
                    range.is_geometric ? "both" : "neither");
    return;
  }
  is_good = dsm__json_double(range.is_geometric ? &factor : &step, any, &range.step) && is_good;
  if (is_good && axis->paths.count == 1) {
    (void)dsm__axis_add_range(draft, axis, range, dsm__origin_of(node));
  }
}

static void read_folder(dsm__sweep_draft *draft, dsm__axis_draft *axis,
                        const dsm__json_node *node) {
  const char *folder = NULL;
  if (dsm__json_string(node, 1, CONDITION_BYTES_MAX, draft->arena, &folder)) {
    (void)dsm__axis_add_folder(draft, axis, folder, draft->folder, dsm__origin_of(node));
  }
}

/* Where an axis gets its values from. */
static void read_axis_values(dsm__sweep_draft *draft, dsm__axis_draft *axis,
                             const dsm__json_node *node, bool is_in_rows) {
  const dsm__json_node values = dsm__json_member(node, "values");
  const dsm__json_node range = dsm__json_member(node, "range");
  const dsm__json_node folder = dsm__json_member(node, "folder");
  const int count =
      dsm__json_is_present(&values) + dsm__json_is_present(&range) + dsm__json_is_present(&folder);
  if (count != 1) {
    dsm__json_error(node, NULL, "expected one of \"values\", \"range\" and \"folder\", found %s",
                    count == 0 ? "none" : "several");
    return;
  }
  if (is_in_rows && !dsm__json_is_present(&values)) {
    dsm__json_error(node, NULL, "expected \"values\" for the axis of several paths");
    return;
  }
  if (dsm__json_is_present(&values)) {
    read_values(draft, axis, &values, is_in_rows);
  } else if (dsm__json_is_present(&range)) {
    read_range(draft, axis, &range);
  } else {
    read_folder(draft, axis, &folder);
  }
}

/* Has the command line named inputs in place of those of this axis? */
static bool is_replaced(const dsm__sweep_draft *draft, const dsm__axis_paths *paths) {
  return paths->count == 1 &&
         ((paths->kinds[0] == DSM__PATH_WORKLOAD && draft->request->workload_count > 0) ||
          (paths->kinds[0] == DSM__PATH_SYSTEM && draft->request->system_count > 0));
}

DSM__OBJECT(dsm__axis_object, "axis", {.name = "path"}, {.name = "paths"}, {.name = "values"},
            {.name = "range"}, {.name = "folder"});

static void read_axis(dsm__sweep_draft *draft, const dsm__json_node *node) {
  dsm__axis_paths paths = {.count = 0};
  if (!dsm__object_only(node, &dsm__axis_object, 0) || !read_paths(draft, node, &paths) ||
      is_replaced(draft, &paths)) {
    return;
  }
  dsm__axis_draft *const axis = add_axis(draft, &paths, node);
  if (axis != NULL) {
    read_axis_values(draft, axis, node, dsm__json_has(node, "paths"));
  }
}

static void read_axes(dsm__sweep_draft *draft) {
  draft->axes_node = dsm__json_member(&draft->root, "axes");
  size_t count = 0;
  if (!dsm__json_is_present(&draft->axes_node) ||
      !dsm__json_array(&draft->axes_node, 0, DSM_SWEEP_AXES_MAX, &count)) {
    return;
  }
  for (size_t i = 0; i < count && !dsm__draft_is_stopped(draft); i++) {
    const dsm__json_node *const item = keep(draft, dsm__json_item(&draft->axes_node, i));
    if (item != NULL) {
      read_axis(draft, item);
    }
  }
}

/* ---- the rest ---- */

static void read_exclude(dsm__sweep_draft *draft) {
  draft->exclude_node = dsm__json_member(&draft->root, "exclude");
  size_t count = 0;
  if (!dsm__json_is_present(&draft->exclude_node) ||
      !dsm__json_array(&draft->exclude_node, 0, DSM_SWEEP_CONDITIONS_MAX, &count)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&draft->exclude_node, 0);
  for (size_t i = 0; i < count; i++, item = dsm__json_next(&item)) {
    const dsm__json_node *const node = keep(draft, item);
    dsm__condition_draft *const condition = &draft->conditions[draft->condition_count];
    if (node != NULL &&
        dsm__json_string(node, 1, CONDITION_BYTES_MAX, draft->arena, &condition->text)) {
      condition->origin = dsm__origin_of(node);
      draft->condition_count++;
    }
  }
}

/* Names of sweeps may be "WORKLOAD-SYSTEM". */
DSM__OWN_RECORD(names_record, dsm__sweep_draft, false,
                "What is said of a sweep, and is kept of it.",
                DSM__FIELD(TEXT, dsm__sweep_draft, name, "name", DSM__FIELD_IS_READ,
                           .max = 2 * DSM_NAME_BYTES_MAX + 1),
                DSM__FIELD(TEXT, dsm__sweep_draft, source_text, "source",
                           DSM__FIELD_IS_READ | DSM__FIELD_IS_TALL, .max = DSM_TEXT_BYTES_MAX),
                DSM__FIELD(WORD, dsm__sweep_draft, record, "record", DSM__FIELD_IS_READ,
                           .words = &dsm__record_words, .fallback = DSM_RECORD_LAYERS),
                DSM__FIELD(FLAG, dsm__sweep_draft, is_open, "open", DSM__FIELD_IS_READ,
                           .fallback = 0));

DSM__OBJECT(dsm__sweep_object, "sweep", {.name = "format"}, {.name = "name"}, {.name = "source"},
            {.name = "workloads"}, {.name = "systems"}, {.name = "options"}, {.name = "set"},
            {.name = "axes"}, {.name = "exclude"}, {.name = "record"}, {.name = "open"});

void dsm__sweep_read(dsm__sweep_draft *draft) {
  if (draft->doc != NULL) {
    draft->root = dsm__json_root(draft->doc);
    if (!dsm__json_format(&draft->root, "dsm-sweep/1") ||
        !dsm__object_only(&draft->root, &dsm__sweep_object, 0)) {
      return;
    }
    const dsm__record_reader names = {.arena = draft->arena, .wanted = DSM__FIELD_IS_READ};
    (void)dsm__record_read(&names, &draft->root, &names_record, draft);
    read_options(draft);
    read_set(draft);
    read_exclude(draft);
  }
  read_input_axis(draft, DSM_DESCRIPTION_WORKLOAD);
  read_input_axis(draft, DSM_DESCRIPTION_SYSTEM);
  if (draft->doc != NULL) {
    read_axes(draft);
  }
}
