/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hand_made.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

static size_t count_texts(const char *const *texts) {
  size_t count = 0;
  while (texts[count] != NULL) {
    count++;
  }
  return count;
}

static char *read_file(const char *path, size_t *length, dsm__arena *arena) {
  FILE *const file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  ck_assert_int_eq(fseek(file, 0, SEEK_SET), 0);
  char *const text = dsm__arena_alloc(arena, *length + 1);
  ck_assert_uint_eq(fread(text, 1, *length, file), *length);
  (void)fclose(file);
  return text;
}

static const dsm_sweep_input *inputs_of(const char *folder, const char *const *names,
                                        dsm__arena *arena) {
  const size_t count = count_texts(names);
  dsm_sweep_input *const inputs = dsm__arena_array(arena, count, sizeof *inputs);
  for (size_t i = 0; i < count; i++) {
    inputs[i].name = names[i];
    inputs[i].file = dsm__arena_printf(arena, "%s/%s/%s.json", DSM_SOURCE_DIR, folder, names[i]);
    inputs[i].text = read_file(inputs[i].file, &inputs[i].length, arena);
  }
  return inputs;
}

static dsm_axis axis_of(const char *path, const char *const *texts, bool are_inputs,
                        dsm__arena *arena) {
  const size_t count = count_texts(texts);
  const char **const paths = dsm__arena_array(arena, 1, sizeof *paths);
  dsm_axis_value *const values = dsm__arena_array(arena, count, sizeof *values);
  paths[0] = path;
  for (size_t v = 0; v < count; v++) {
    const bool is_number =
        !are_inputs && (isdigit((unsigned char)texts[v][0]) != 0 || texts[v][0] == '-');
    const char *const quote = is_number ? "" : "\"";
    values[v] = (dsm_axis_value){
        .text = texts[v],
        .json = dsm__arena_printf(arena, "%s%s%s", quote, texts[v], quote),
        .is_number = is_number,
        .number = is_number ? strtod(texts[v], NULL) : 0,
        .input = are_inputs ? v : 0,
    };
  }
  return (dsm_axis){.paths = paths, .path_count = 1, .values = values, .value_count = count};
}

dsm_sweep *hand_sweep(const char *const *workloads, const char *const *systems,
                      const hand_axis *axes, size_t axis_count, dsm_record record) {
  dsm__arena *const arena = dsm__arena_new();
  dsm_sweep *const sweep = dsm__arena_alloc(arena, sizeof *sweep);
  dsm_axis *const all = dsm__arena_array(arena, axis_count + 2, sizeof *all);
  dsm_sweep_column *const columns = dsm__arena_array(arena, axis_count + 2, sizeof *columns);
  *sweep = (dsm_sweep){
      .name = "by hand",
      .workloads = inputs_of("workloads", workloads, arena),
      .workload_count = count_texts(workloads),
      .systems = inputs_of("systems", systems, arena),
      .system_count = count_texts(systems),
      .axes = all,
      .axis_count = axis_count + 2,
      .columns = columns,
      .column_count = axis_count + 2,
      .point_count = 1,
      .record = record,
      .resolved = "{}",
      .arena = arena,
  };
  dsm_explore_options_init(&sweep->options);
  all[0] = axis_of("workload", workloads, true, arena);
  all[1] = axis_of("system", systems, true, arena);
  for (size_t a = 0; a < axis_count; a++) {
    all[a + 2] = axis_of(axes[a].path, axes[a].values, false, arena);
  }
  for (size_t a = 0; a < axis_count + 2; a++) {
    columns[a] = (dsm_sweep_column){.path = all[a].paths[0], .axis = a};
    sweep->point_count *= all[a].value_count;
  }
  uint64_t *const products = dsm__arena_array(arena, sweep->point_count, sizeof *products);
  for (size_t p = 0; p < sweep->point_count; p++) {
    products[p] = p;
  }
  sweep->products = products;
  return sweep;
}

void hand_sweep_free(dsm_sweep *sweep) {
  dsm__arena_free(sweep->arena);
}
