/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timings.h: times of layers as profilers write them, a row for each name on each device.
 *
 * A reader of a format adds samples: how long a layer took in a run. Those of a run add up, and the
 * time of a row is the median over the runs, so that the first ones, which warm up, do not count
 * more than others.
 */
#ifndef DSM_IMPORT_TIMINGS_TIMINGS_H
#define DSM_IMPORT_TIMINGS_TIMINGS_H

#include "base/arena.h"
#include "base/growing_list.h"
#include "base/json_read.h"
#include "base/map.h"

/** Sizes that a file tells of a layer, in bytes; below 0: it does not. */
typedef struct dsm__layer_sizes {
  double weights_bytes;
  double activation_bytes;
  double output_bytes;
} dsm__layer_sizes;

extern const dsm__layer_sizes dsm__no_sizes;

/** The times of a layer on a device. */
typedef struct dsm__timed_row {
  const char *name;
  dsm__layer_sizes sizes; /**< of the first sample that tells some */
  size_t run_count;       /**< runs that it is in, as far as they have been added */
  size_t last_run;        /**< of its last sample */
  double seconds;         /**< median over its runs, once dsm__timings_finish is done */
} dsm__timed_row;

typedef struct dsm__time_sample {
  size_t row;
  size_t run;
  double seconds;
} dsm__time_sample;

/** A device, with rows in the order in which they came first. */
typedef struct dsm__timed_device {
  const char *name;
  DSM__LIST(dsm__timed_row) rows;
  DSM__LIST(dsm__time_sample) samples;
  dsm__map index;   /**< of the rows, by name */
  size_t run_count; /**< runs of the files before the one that is read */
} dsm__timed_device;

/** All devices, in the order in which they came first. */
typedef struct dsm__timings {
  dsm__arena *arena;
  DSM__LIST(dsm__timed_device) devices;
  const char *device;    /**< of the file that is read, as its user calls it, or else as the file is
                              called */
  bool is_device_stated; /**< by its user */
  bool is_strict;        /**< notes are errors */
} dsm__timings;

/** What is read of one file. */
typedef struct dsm__timing_file {
  dsm__timings *timings;
  const char *bytes;
  size_t length;
  dsm__json_doc *doc; /**< of the file if it is JSON, else bare: findings and places */
  dsm__json_node root;
} dsm__timing_file;

/** A format of a profiler. */
typedef struct dsm__timing_format {
  const char *what; /**< the files, in words */
  /** Adds all that a file has; findings are its document's. */
  void (*read)(const dsm__timing_file *file);
} dsm__timing_format;

/** ONNX Runtime's profile, trtexec --exportProfile, the trace of the PyTorch profiler. */
extern const dsm__timing_format dsm__onnx_runtime_timings;
extern const dsm__timing_format dsm__trtexec_timings;
extern const dsm__timing_format dsm__torch_timings;
extern const dsm__timing_format dsm__csv_timings;

/** Seconds of a sample: what is longer is no time of a layer. */
#define DSM__SAMPLE_SECONDS_MAX 1e9

/** Bytes of a layer: the most, so that those of all tasks are within what a profile can have. */
#define DSM__LAYER_BYTES_MAX 1000000000000U

/** The device of that name, made if it is new; NULL if out of memory. It moves when others are
 * made. */
dsm__timed_device *dsm__timings_device(dsm__timings *timings, const char *name);

/** Adds how long a layer took in a run of the file that is read; its runs count from 0. The name is
 * copied. False if out of memory. */
bool dsm__timings_add(dsm__timings *timings, dsm__timed_device *device, const char *name,
                      size_t run, double seconds, const dsm__layer_sizes *sizes);

/** The run of a layer's next sample where each occurrence is one: how many it has in this file. */
size_t dsm__timings_next_run(const dsm__timed_device *device, const char *name);

/** A file is read: the runs of the next one are others. */
void dsm__timings_end_file(dsm__timings *timings);

/** Makes the medians. False if out of memory. */
bool dsm__timings_finish(dsm__timings *timings);

void dsm__timings_fini(dsm__timings *timings);

/** Notes something at a node of a file: an error where notes are. */
void dsm__timing_note(const dsm__timing_file *file, const dsm__json_node *node, const char *format,
                      ...) DSM_PRINTF(3, 4);

#endif
