/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep_json_write.c: the format "dsm-sweep/1", written: with all inputs, and nothing to be read
 * elsewhere. */
#include <string.h>

#include "base/json_write.h"
#include "sweep/sweep_draft.h"

/* What is written, and how many inputs stand there in full: those that were read first. */
typedef struct resolved_writer {
  dsm__json_writer json;
  const dsm__sweep_draft *draft;
  size_t written[2]; /* by dsm_description */
} resolved_writer;

/* In full the first time, by name afterwards. */
static void write_input(resolved_writer *writer, dsm_description kind, size_t index) {
  const dsm_sweep_input *const input = &writer->draft->inputs[kind].items[index];
  if (index < writer->written[kind]) {
    dsm__json_write_string(&writer->json, input->name);
    return;
  }
  writer->written[kind]++;
  dsm__json_begin_object(&writer->json, true);
  dsm__json_put_string(&writer->json, "name", input->name);
  dsm__json_write_key(&writer->json, "description");
  dsm__json_write_json(&writer->json, input->text);
  dsm__json_end_object(&writer->json);
}

static void write_value(resolved_writer *writer, dsm__path_kind kind, const dsm_axis_value *value) {
  if (dsm__path_is_input(kind)) {
    write_input(writer, dsm__path_description(kind), value->input);
  } else {
    dsm__json_write_json(&writer->json, value->json);
  }
}

static void write_values(resolved_writer *writer, const dsm__axis_draft *axis, bool is_inline,
                         bool is_in_rows) {
  dsm__json_begin_array(&writer->json, is_inline);
  for (size_t v = 0; v < axis->value_count; v++) {
    if (is_in_rows) {
      dsm__json_begin_array(&writer->json, true);
    }
    for (size_t p = 0; p < axis->paths.count; p++) {
      write_value(writer, axis->paths.kinds[p], &axis->values[v * axis->paths.count + p]);
    }
    if (is_in_rows) {
      dsm__json_end_array(&writer->json);
    }
  }
  dsm__json_end_array(&writer->json);
}

static bool is_axis_of(const dsm__axis_draft *axis, dsm__path_kind kind) {
  return axis->paths.count == 1 && axis->paths.kinds[0] == kind;
}

/* Axes of inputs that come first are "workloads" and "systems"; returns how many those are. */
static size_t write_inputs(resolved_writer *writer) {
  const dsm__sweep_draft *const draft = writer->draft;
  size_t count = 0;
  if (count < draft->axis_count && is_axis_of(&draft->axes[count], DSM__PATH_WORKLOAD)) {
    dsm__json_write_key(&writer->json, "workloads");
    write_values(writer, &draft->axes[count++], false, false);
  }
  if (count < draft->axis_count && is_axis_of(&draft->axes[count], DSM__PATH_SYSTEM)) {
    dsm__json_write_key(&writer->json, "systems");
    write_values(writer, &draft->axes[count++], false, false);
  }
  return count;
}

static void write_axis(resolved_writer *writer, const dsm__axis_draft *axis) {
  bool is_in_rows = axis->paths.count > 1;
  dsm__json_begin_object(&writer->json, true);
  if (is_in_rows) {
    dsm__json_put_array(&writer->json, "paths", true);
    for (size_t p = 0; p < axis->paths.count; p++) {
      dsm__json_write_string(&writer->json, axis->paths.items[p]);
    }
    dsm__json_end_array(&writer->json);
  } else {
    dsm__json_put_string(&writer->json, "path", axis->paths.items[0]);
  }
  dsm__json_write_key(&writer->json, "values");
  write_values(writer, axis, true, is_in_rows);
  dsm__json_end_object(&writer->json);
}

static void write_options(resolved_writer *writer) {
  const dsm__sweep_draft *const draft = writer->draft;
  dsm__json_put_object(&writer->json, "options", true);
  for (size_t o = 0; o < DSM__SWEEP_OPTION_COUNT; o++) {
    const dsm__sweep_option *const option = &dsm__sweep_options[o];
    const bool is_told = o < DSM__OPTION_AS_RUN_BY || draft->is_stated[o];
    if (is_told && !dsm__draft_varies(draft, DSM__PATH_OPTION + (dsm__path_kind)o)) {
      const dsm__words_text text = dsm__sweep_option_text(option, &draft->options);
      dsm__json_write_key(&writer->json, option->key);
      if (option->words == NULL) {
        dsm__json_write_json(&writer->json, text.text);
      } else {
        dsm__json_write_string(&writer->json, text.text);
      }
    }
  }
  if (draft->options.gap > 0) {
    dsm__json_put_double(&writer->json, "gap", draft->options.gap);
  }
  if (draft->options.time_limit_seconds > 0) {
    dsm__json_put_double(&writer->json, "time_limit_seconds", draft->options.time_limit_seconds);
  }
  dsm__json_end_object(&writer->json);
}

static void write_all(resolved_writer *writer, const dsm_sweep *sweep) {
  const dsm__sweep_draft *const draft = writer->draft;
  dsm__json_writer *const json = &writer->json;
  dsm__json_begin_object(json, false);
  dsm__json_put_string(json, "format", "dsm-sweep/1");
  dsm__json_put_string(json, "name", sweep->name);
  dsm__json_put_text(json, "source", sweep->source);
  const size_t input_axis_count = write_inputs(writer);
  write_options(writer);
  dsm__json_put_object(json, "set", false);
  for (size_t s = 0; s < draft->sets.count; s++) {
    dsm__json_write_key(json, draft->sets.items[s].path);
    dsm__json_write_json(json, draft->sets.items[s].json);
  }
  dsm__json_end_object(json);
  dsm__json_put_array(json, "axes", false);
  for (size_t a = input_axis_count; a < draft->axis_count; a++) {
    write_axis(writer, &draft->axes[a]);
  }
  dsm__json_end_array(json);
  dsm__json_put_array(json, "exclude", false);
  for (size_t c = 0; c < draft->condition_count; c++) {
    dsm__json_write_string(json, draft->conditions[c].text);
  }
  dsm__json_end_array(json);
  dsm__json_put_string(json, "record", dsm_record_name(sweep->record));
  if (draft->is_open) {
    dsm__json_put_bool(json, "open", true);
  }
  dsm__json_end_object(json);
  dsm__json_finish(json);
}

const char *dsm__sweep_resolve(dsm__sweep_draft *draft, const dsm_sweep *sweep) {
  dsm__text_buffer buffer = {0};
  resolved_writer writer = {.json = {.out = &buffer}, .draft = draft};
  write_all(&writer, sweep);
  return dsm__draft_take(draft, &buffer);
}
