/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dsm/server.h"

#include "base/arena.h"
#include "server/server_internal.h"

static const dsm__word device_kind_words[] = {
    [DSM_DEVICE_CHIP].key = "chip",
    [DSM_DEVICE_ROOFLINE].key = "roofline",
    [DSM_DEVICE_FPGA].key = "fpga",
    [DSM_DEVICE_TIMES].key = "times",
};
DSM__NAMED_WORDS(dsm__device_kind_words, "kind of device", device_kind_words, DSM_DEVICE_KIND_COUNT,
                 dsm_device_kind, dsm_device_kind_name);

void dsm_server_free(dsm_server *server) {
  if (server == NULL) {
    return;
  }
  /* Equal devices share their chip. */
  for (size_t j = 0; j < server->chip_count; j++) {
    dsm_system_free(server->chips[j]);
  }
  dsm__arena_free(server->arena);
}
