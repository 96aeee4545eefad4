/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dataset_json.c: the data set of a workload, read and written. */
#include <math.h>

#include "workload/workload_internal.h"

DSM__OBJECT(dsm__dataset_object, "data set", {.name = "samples"}, {.name = "sample_bytes"},
            {.name = "total_bytes"}, {.name = "repeat"});

/* Sizes that are both stated differ by no more: what people write of a data set is rounded. */
static const double most_apart = 0.01;
static const dsm__json_range sample_range = {0, DSM_SAMPLE_BYTES_MAX, true};
static const dsm__json_range total_range = {0, DSM_SAMPLE_BYTES_MAX *(double)DSM_PRODUCT_MAX, true};

/* The size of a sample by that of all of them, or a complaint where it is another. */
static void read_total(dsm_dataset *dataset, const dsm__json_node *total, bool has_sample) {
  double bytes = 0;
  if (!dsm__json_double(total, total_range, &bytes) || dataset->samples == 0) {
    return;
  }
  const double samples = (double)dataset->samples;
  const double stated = has_sample ? samples * dataset->sample_bytes : bytes;
  if (stated > 0 && fabs(bytes - stated) > most_apart * fmax(bytes, stated)) {
    dsm__json_error(total, "one of the two may be left out",
                    "expected %.17g, which is samples times sample_bytes, found %.17g", stated,
                    bytes);
  } else if (!has_sample && bytes / samples > DSM_SAMPLE_BYTES_MAX) {
    dsm__json_error(total, NULL, "expected at most %g bytes a sample, found %g",
                    DSM_SAMPLE_BYTES_MAX, bytes / samples);
  } else if (!has_sample) {
    dataset->sample_bytes = bytes / samples;
  }
}

void dsm__dataset_read(dsm_dataset *dataset, const dsm__json_node *node) {
  if (!dsm__object_only(node, &dsm__dataset_object, 0)) {
    return;
  }
  const dsm__json_node sample = dsm__json_member(node, "sample_bytes");
  const dsm__json_node total = dsm__json_member(node, "total_bytes");
  dsm__json_required_u64(node, "samples", "the number of samples of the data set", 1,
                         DSM_PRODUCT_MAX, &dataset->samples);
  dsm__json_optional_double(node, "repeat", (dsm__json_range){1, DSM_REPEAT_MAX, false}, 1,
                            &dataset->repeat);
  bool has_sample = dsm__json_is_present(&sample);
  if (has_sample) {
    has_sample = dsm__json_double(&sample, sample_range, &dataset->sample_bytes);
  } else if (!dsm__json_is_present(&total)) {
    dsm__json_require(&sample, "the bytes of a sample, or \"total_bytes\"");
  }
  if (dsm__json_is_present(&total)) {
    read_total(dataset, &total, has_sample);
  }
}

void dsm__dataset_write(const dsm_dataset *dataset, dsm__json_writer *writer, bool is_full) {
  dsm__json_put_object(writer, "dataset", true);
  dsm__json_put_u64(writer, "samples", dataset->samples);
  dsm__json_put_double(writer, "sample_bytes", dataset->sample_bytes);
  if (is_full || dataset->repeat > 1) {
    dsm__json_put_double(writer, "repeat", dataset->repeat);
  }
  dsm__json_end_object(writer);
}
