/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_server.c: any bytes as a server, which then gets a small network. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_instance.h"

static void check_devices(const dsm_server *server, const dsm_workload *workload) {
  bool is_small = true;
  FUZZ_CHECK(server->device_count > 0 && server->device_count <= DSM_DEVICES_MAX);
  for (size_t j = 0; j < server->device_count; j++) {
    const dsm_device *const device = &server->devices[j];
    FUZZ_CHECK((device->chip != NULL) == (device->kind == DSM_DEVICE_CHIP));
    FUZZ_CHECK(dsm_device_kind_name(device->kind) != NULL);
    for (size_t k = 0; k < j; k++) {
      FUZZ_CHECK(strcmp(device->name, server->devices[k].name) != 0);
    }
    is_small = is_small && (device->chip == NULL || fuzz_is_small(workload, device->chip));
  }
  for (size_t most = 0; is_small && most < 3; most++) {
    const dsm_instance_options options = {.batch = 1 + most, .task_count = most};
    dsm_instance *instance = NULL;
    dsm_diags *const diags = fuzz_diags();
    const dsm_status status = dsm_instance_make(&instance, workload, server, &options, diags);
    FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
    FUZZ_CHECK((status == DSM_OK) == (instance != NULL));
    fuzz_check_diags(diags, status, 0);
    if (instance != NULL) {
      fuzz_check_instance(instance, most);
    }
    dsm_instance_free(instance);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > FUZZ_BYTES_MAX) {
    return 0;
  }
  char *const text = fuzz_copy(data, size);
  dsm_diags *const diags = fuzz_diags();
  dsm_server *server = NULL;
  dsm_server *silent = NULL;
  const dsm_status status = dsm_server_parse(&server, text, size, "s.json", NULL, 0, diags);
  FUZZ_CHECK(status == DSM_OK || status == DSM_ERROR_INVALID);
  FUZZ_CHECK((status == DSM_OK) == (server != NULL));
  fuzz_check_diags(diags, status, fuzz_line_count(text, size));
  FUZZ_CHECK(dsm_server_parse(&silent, text, size, "silent.json", NULL, 0, NULL) == status);
  dsm_server_free(silent);
  if (status == DSM_OK) {
    dsm_description description = DSM_DESCRIPTION_COUNT;
    FUZZ_CHECK(dsm_description_detect(&description, text, size, "s.json", NULL) == DSM_OK);
    FUZZ_CHECK(description == DSM_DESCRIPTION_SERVER);
    dsm_workload *workload = NULL;
    FUZZ_CHECK(dsm_workload_parse(&workload, fuzz_workload_text, strlen(fuzz_workload_text), "w",
                                  NULL, 0, NULL) == DSM_OK);
    check_devices(server, workload);
    dsm_workload_free(workload);
  }
  dsm_server_free(server);
  free(text);
  return 0;
}
