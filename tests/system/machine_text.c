/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine_text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "system/system_internal.h"

const char minimal_system[] =
    "{\"format\": \"dsm-system/1\", \"name\": \"minimal\",\n"
    " \"core\": {\"frequency_GHz\": 1.5, \"scratchpad_MiB\": 0.5,"
    " \"scratchpad_bandwidth_GBps\": 64},\n"
    " \"chip\": {\"cores\": 8, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 100,\n"
    "  \"memory\": {\"capacity_GB\": 4, \"bandwidth_GBps\": 200}},\n"
    " \"system\": {\"topology\": \"torus_2d\", \"chips_x\": 4, \"chips_y\": 2,\n"
    "  \"link_bandwidth_x_GBps\": 50, \"link_bandwidth_y_GBps\": 25}}\n";

outcome read_minimal(const dsm_override *overrides, size_t override_count) {
  outcome read = {.diags = dsm_diags_new(100)};
  ck_assert_ptr_nonnull(read.diags);
  read.status = dsm_system_parse(&read.system, minimal_system, strlen(minimal_system), "test.json",
                                 overrides, override_count, read.diags);
  return read;
}

outcome read_with(const char *path, const char *value) {
  const dsm_override override = {.path = path, .value = value};
  return read_minimal(&override, 1);
}

void outcome_free(outcome *read) {
  dsm_system_free(read->system);
  dsm_diags_free(read->diags);
}

dsm_system *written_and_read(const dsm_system *system) {
  dsm__text_buffer text = {0};
  dsm__json_writer writer = {.out = &text};
  dsm_system *again = NULL;
  dsm__system_write(system, &writer);
  dsm__json_finish(&writer);
  ck_assert(!text.failed);
  ck_assert_int_eq(dsm_system_parse(&again, text.text, text.length, "written.json", NULL, 0, NULL),
                   DSM_OK);
  dsm__text_fini(&text);
  return again;
}

static void expect_same_text(const char *a, const char *b) {
  ck_assert_int_eq(a == NULL, b == NULL);
  if (a != NULL) {
    ck_assert_str_eq(a, b);
  }
}

static void expect_same_parameter(const dsm__parameter *parameter, const dsm_system *a,
                                  const dsm_system *b) {
  ck_assert_double_eq(dsm__parameter_number(parameter, a), dsm__parameter_number(parameter, b));
}

void expect_same_system(const dsm_system *a, const dsm_system *b) {
  expect_same_text(a->name, b->name);
  expect_same_text(a->source, b->source);
  for (size_t p = 0; p < dsm__parameter_count; p++) {
    expect_same_parameter(&dsm__parameters[p], a, b);
  }
  /* What was written in full states every parameter. */
  for (size_t i = 0; i < b->note_count; i++) {
    const char *const note = dsm_system_note(a, b->note_paths[i]);
    expect_same_text(note == NULL ? dsm__given : note, b->note_texts[i]);
  }
  for (size_t i = 0; i < a->note_count; i++) {
    expect_same_text(a->note_texts[i], dsm_system_note(b, a->note_paths[i]));
  }
}
