/* SPDX-License-Identifier: GPL-3.0-or-later */
/* partition_ways.c: ways of whole requests, for who sends requests to devices. */
#include "report/data/partition_ways.h"

typedef struct way_row {
  double rate;
  const char *const *devices;
  size_t task_count;
} way_row;

DSM__RECORD(dsm__way_record, way_row, true, "A way of requests.",
            DSM__REAL(way_row, rate, "rate", 0, "1/s", "Requests per second that go it."),
            DSM__FIELD(TEXT_LIST, way_row, devices, "devices", 0,
                       .count_offset = offsetof(way_row, task_count),
                       .help = "That run the tasks, in the order of tasks."));

dsm__rows dsm__partition_ways(dsm__page *page, const dsm_partition *partition) {
  const dsm_instance *const instance = partition->instance;
  const dsm__rows made = dsm__rows_make(page, partition->way_count, sizeof(way_row));
  way_row *const rows = made.items;
  for (size_t k = 0; k < made.count; k++) {
    const dsm_request_way *const way = &partition->ways[k];
    const dsm__rows names = dsm__rows_make(page, instance->task_count, sizeof(const char *));
    const char **const devices = names.items;
    for (size_t i = 0; i < names.count; i++) {
      devices[i] = instance->devices[way->devices[i]].name;
    }
    rows[k] = (way_row){way->rate, devices, names.count};
  }
  return made;
}
