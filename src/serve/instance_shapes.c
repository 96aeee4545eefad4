/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/instance_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag_add.h"

/* The axis that an item names, whose number is behind it; else it is of the one before. */
static unsigned axis_of(const dsm_network *network, const char **item, unsigned before) {
  for (unsigned a = 0; a < network->axis_count; a++) {
    const size_t length = strlen(network->axes[a].name);
    if (strncmp(*item, network->axes[a].name, length) == 0 && (*item)[length] == '=') {
      *item += length + 1;
      return a;
    }
  }
  return before;
}

static bool read_shapes(dsm__shapes *shapes, const char *text, const dsm_network *network) {
  unsigned axis = DSM_AXES_MAX;
  const char *item = text;
  while (true) {
    axis = axis_of(network, &item, axis);
    char *end = NULL;
    const uint64_t chips = *item >= '0' && *item <= '9' ? strtoull(item, &end, 10) : 0;
    if (axis == DSM_AXES_MAX || chips == 0 || network->axes[axis].chips % chips != 0 ||
        shapes->counts[axis] == DSM__SIZES_MAX) {
      return false;
    }
    shapes->sizes[axis][shapes->counts[axis]++] = chips;
    if (*end != ',') {
      return *end == '\0';
    }
    item = end + 1;
  }
}

dsm_status dsm__shapes_read(dsm__shapes *shapes, const char *text, const dsm_system *system,
                            dsm_diags *diags) {
  const dsm_network *const network = &system->system;
  *shapes = (dsm__shapes){.counts = {0}};
  if (!read_shapes(shapes, text, network)) {
    return dsm__refuse(
        diags, DSM_ERROR_USAGE,
        "instance: expected divisors of the chips along axes of %s, such as %s=%llu, "
        "found '%s'",
        system->name, network->axes[0].name, (unsigned long long)network->axes[0].chips, text);
  }
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    if (shapes->counts[a] == 0) {
      shapes->sizes[a][shapes->counts[a]++] = 1;
    }
  }
  return DSM_OK;
}

bool dsm__shapes_apply(const dsm__shapes *shapes, size_t index, dsm_network *part) {
  for (unsigned a = 0; a < DSM_AXES_MAX; a++) {
    part->axes[a].chips = shapes->sizes[a][index % shapes->counts[a]];
    index /= shapes->counts[a];
  }
  return index == 0;
}
