/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/instance_shapes.h"

#include <string.h>

#include "base/diag_add.h"
#include "base/number_text.h"

/* The axis that an item names before its number; an item without a name is of the axis before. */
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
  for (const char *item = text;; item++) {
    double chips = 0;
    axis = axis_of(network, &item, axis);
    const size_t length = strcspn(item, ",");
    if (axis == DSM_AXES_MAX || strspn(item, "0123456789") != length ||
        !dsm__text_to_double(item, length, &chips) || chips < 1 ||
        chips > (double)network->axes[axis].chips ||
        network->axes[axis].chips % (uint64_t)chips != 0 ||
        shapes->counts[axis] == DSM__SIZES_MAX) {
      return false;
    }
    shapes->sizes[axis][shapes->counts[axis]++] = (uint64_t)chips;
    item += length;
    if (*item == '\0') {
      return true;
    }
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
