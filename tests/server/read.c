/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "read.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 8 };

/* The text between two others, with double quotes. */
static char *quoted(const char *before, const char *text, const char *after) {
  const size_t size = strlen(before) + strlen(text) + strlen(after) + 1;
  char *const made = malloc(size);
  ck_assert_ptr_nonnull(made);
  (void)snprintf(made, size, "%s%s%s", before, text, after);
  for (char *c = made; *c != '\0'; c++) {
    *c = *c == '\'' ? '"' : *c;
  }
  return made;
}

static void expect_good(dsm_status status, const dsm_diags *diags) {
  ck_assert_msg(status == DSM_OK, "status %d: %s", (int)status,
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
}

dsm_server *read_server(const char *devices) {
  char *const text =
      quoted("{'format': 'dsm-server/1', 'name': 'test', 'devices': [", devices, "]}");
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  dsm_server *server = NULL;
  expect_good(dsm_server_parse(&server, text, strlen(text), "server", NULL, 0, diags), diags);
  dsm_diags_free(diags);
  free(text);
  return server;
}

dsm_workload *read_network(const char *layers) {
  char *const text = quoted(
      "{'format': 'dsm-workload/1', 'name': 'net', 'minibatch': 8, 'layers': [", layers, "]}");
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  dsm_workload *workload = NULL;
  expect_good(dsm_workload_parse(&workload, text, strlen(text), "net", NULL, 0, diags), diags);
  dsm_diags_free(diags);
  free(text);
  return workload;
}

dsm_instance *read_profile(const char *text, size_t task_count) {
  char *const whole = quoted("", text, "");
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.task_count = task_count;
  dsm_instance *instance = NULL;
  expect_good(
      dsm_profile_parse(&instance, whole, strlen(whole), "folder/graph.json", &options, diags),
      diags);
  dsm_diags_free(diags);
  free(whole);
  return instance;
}

dsm_instance *make_instance(const char *layers, const char *devices, uint64_t batch,
                            size_t task_count) {
  dsm_workload *const workload = read_network(layers);
  dsm_server *const server = read_server(devices);
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  const dsm_instance_options options = {.batch = batch, .task_count = task_count};
  dsm_instance *instance = NULL;
  expect_good(dsm_instance_make(&instance, workload, server, &options, diags), diags);
  dsm_diags_free(diags);
  dsm_server_free(server); /* the instance borrows nothing */
  dsm_workload_free(workload);
  return instance;
}

void expect_refused(const char *layers, const char *devices, dsm_instance_options options,
                    dsm_status status, const char *text) {
  dsm_workload *const workload = read_network(layers);
  dsm_server *const server = read_server(devices);
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  dsm_instance *instance = NULL;
  ck_assert_int_eq(dsm_instance_make(&instance, workload, server, &options, diags), status);
  ck_assert_ptr_null(instance);
  ck_assert_uint_gt(dsm_diags_count(diags), 0);
  ck_assert_msg(strstr(dsm_diags_get(diags, 0)->message, text) != NULL, "found: %s",
                dsm_diags_get(diags, 0)->message);
  ck_assert_int_eq(dsm_instance_make(&instance, workload, server, &options, NULL), status);
  dsm_diags_free(diags);
  dsm_server_free(server);
  dsm_workload_free(workload);
}

void expect_tensor(const dsm_instance *instance, size_t t, size_t producer, double bytes,
                   const size_t *consumers, size_t consumer_count) {
  ck_assert_uint_lt(t, instance->tensor_count);
  const dsm_tensor *const tensor = &instance->tensors[t];
  ck_assert_uint_eq(tensor->producer, producer);
  expect_number(tensor->bytes, bytes);
  ck_assert_uint_eq(tensor->consumer_count, consumer_count);
  for (size_t c = 0; c < consumer_count; c++) {
    ck_assert_uint_eq(tensor->consumers[c], consumers[c]);
  }
}

void expect_number(double found, double expected) {
  ck_assert_msg(found == expected || fabs(found - expected) <= 1e-12 * fabs(expected),
                "found %.17g, expected %.17g", found, expected);
}

char *read_source_file(const char *folder, const char *name, size_t *length) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s/%s", DSM_SOURCE_DIR, folder, name);
  char *text = NULL;
  ck_assert_int_eq(dsm_file_read(&text, length, path, NULL), DSM_OK);
  return text;
}
