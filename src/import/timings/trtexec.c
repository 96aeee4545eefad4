/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trtexec.c: what trtexec --exportProfile=FILE writes.
 *
 * Source: NVIDIA/TensorRT, samples/common/sampleReporting.cpp (exportJSONProfile): a list that
 * begins with {"count": runs}, then {"name", "timeMs" of all runs, "averageMs", "medianMs" (not in
 * old versions), "percentage"} for each layer. It tells no sizes.
 */
#include "import/timings/timings.h"

static const double unit_seconds = 1e-3;

/* Milliseconds of a run: the median, or else the mean. */
static bool read_time(const dsm__json_node *layer, double count, double *seconds) {
  static const struct {
    const char *key;
    bool is_of_all;
  } keys[] = {{"medianMs", false}, {"averageMs", false}, {"timeMs", true}};
  const dsm__json_range range = {0, DSM__SAMPLE_SECONDS_MAX / unit_seconds, false};
  for (size_t k = 0; k < DSM__COUNT_OF(keys); k++) {
    const dsm__json_node time = dsm__json_member(layer, keys[k].key);
    double number = 0;
    if (dsm__json_is_present(&time)) {
      const bool is_good = dsm__json_double(&time, range, &number);
      *seconds = number * unit_seconds / (keys[k].is_of_all ? count : 1);
      return is_good;
    }
  }
  const dsm__json_node median = dsm__json_member(layer, "medianMs");
  return dsm__json_require(&median, "milliseconds of a run, or averageMs");
}

static void read(const dsm__timing_file *file) {
  dsm__timings *const timings = file->timings;
  dsm__timed_device *const device = dsm__timings_device(timings, timings->device);
  double count = 1;
  if (dsm__json_lacks_memory(file->doc, device == NULL)) {
    return;
  }
  dsm__json_node item = dsm__json_item(&file->root, 0);
  for (; dsm__json_is_present(&item); item = dsm__json_next(&item)) {
    const dsm__json_node runs = dsm__json_member(&item, "count");
    const dsm__json_node called = dsm__json_member(&item, "name");
    const char *const name = dsm__json_text(&called);
    double seconds = 0;
    if (dsm__json_is_present(&runs)) {
      dsm__json_double(&runs, (dsm__json_range){1, 1e15, false}, &count);
    } else if (!dsm__json_require(&called, "the name of a layer")) {
      continue;
    } else if (name == NULL) {
      dsm__json_error(&called, NULL, "expected the name of a layer");
    } else if (read_time(&item, count, &seconds) &&
               !dsm__timings_add(timings, device, name, 0, seconds, &dsm__no_sizes)) {
      dsm__json_set_out_of_memory(file->doc);
      return;
    }
  }
}

const dsm__timing_format dsm__trtexec_timings = {
    .what = "a profile of trtexec",
    .read = read,
};
