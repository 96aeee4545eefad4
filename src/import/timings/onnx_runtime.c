/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * onnx_runtime.c: the profile that ONNX Runtime writes with SessionOptions.enable_profiling.
 *
 * Source: microsoft/onnxruntime, docs/performance/tune-performance/profiling-tools.md, and files
 * that it wrote: a list of events of the trace event format, times in microseconds. A node has an
 * event of category "Node" called NAME_kernel_time, with "op_name", "provider", and, as texts,
 * "output_size", "parameter_size" and "activation_size" in bytes. Where GPUs are traced its event
 * is followed by those of category "Kernel" that it launched, which are what it takes: its own is
 * then the time of the launch. A run ends with "model_run" of category "Session".
 */
#include <string.h>

#include "base/number_text.h"
#include "import/timings/timings.h"

static const char node_end[] = "_kernel_time";

/* Number of microseconds of an event. */
static bool read_duration(const dsm__json_node *event, double *seconds) {
  double microseconds = 0;
  const bool is_good = dsm__json_required_double(
      event, "dur", "microseconds", (dsm__json_range){0, 1e6 * DSM__SAMPLE_SECONDS_MAX, false},
      &microseconds);
  *seconds = microseconds * 1e-6;
  return is_good;
}

/* A size, a text or a number; below 0 where it is not told. */
static double read_size(const dsm__json_node *args, const char *key) {
  const dsm__json_node node = dsm__json_member(args, key);
  const char *const text = dsm__json_text(&node);
  uint64_t bytes = 0;
  if (!dsm__json_is_present(&node)) {
    return -1;
  }
  if (text == NULL) {
    return dsm__json_u64(&node, 0, DSM__LAYER_BYTES_MAX, &bytes) ? (double)bytes : -1;
  }
  if (!dsm__text_to_u64(text, 0, DSM__LAYER_BYTES_MAX, &bytes)) {
    dsm__json_error(&node, NULL, "expected 0 to %llu bytes, found \"%.40s\"",
                    (unsigned long long)DSM__LAYER_BYTES_MAX, text);
    return -1;
  }
  return (double)bytes;
}

/* A node that is being read: its kernels follow. */
typedef struct pending {
  const char *name; /* NULL: none */
  double node_seconds;
  double kernel_seconds;
  bool has_kernels;
  dsm__layer_sizes sizes;
} pending;

typedef struct reader {
  const dsm__timing_file *file;
  dsm__timed_device *device;
  bool has_runs; /* their ends are told */
  size_t run;
  pending node;
  const char *provider; /* of the first node; borrowed */
  size_t node_count;    /* of the first run */
  size_t other_count;   /* those of them on another provider */
  const char *other;
} reader;

static void end_node(reader *of) {
  const pending node = of->node;
  of->node.name = NULL;
  if (node.name == NULL) {
    return;
  }
  const size_t run = of->has_runs ? of->run : dsm__timings_next_run(of->device, node.name);
  if (!dsm__timings_add(of->file->timings, of->device, node.name, run,
                        node.has_kernels ? node.kernel_seconds : node.node_seconds, &node.sizes)) {
    dsm__json_set_out_of_memory(of->file->doc);
  }
}

static void count_provider(reader *of, const dsm__json_node *args) {
  const dsm__json_node member = dsm__json_member(args, "provider");
  const char *const provider = dsm__json_text(&member);
  if (provider == NULL || of->run > 0) {
    return;
  }
  of->provider = of->provider == NULL ? provider : of->provider;
  of->node_count++;
  if (strcmp(provider, of->provider) != 0) {
    of->other = provider;
    of->other_count++;
  }
}

static void begin_node(reader *of, const dsm__json_node *event, const char *name) {
  const size_t length = strlen(name);
  const size_t end = sizeof node_end - 1;
  end_node(of);
  if (length <= end || strcmp(name + length - end, node_end) != 0) {
    return; /* fences */
  }
  const dsm__json_node args = dsm__json_member(event, "args");
  of->node = (pending){.sizes = {.weights_bytes = read_size(&args, "parameter_size"),
                                 .activation_bytes = read_size(&args, "activation_size"),
                                 .output_bytes = read_size(&args, "output_size")}};
  count_provider(of, &args);
  if (of->node.sizes.activation_bytes >= 0 && of->node.sizes.output_bytes >= 0) {
    of->node.sizes.activation_bytes += of->node.sizes.output_bytes;
  }
  if (read_duration(event, &of->node.node_seconds)) {
    of->node.name = dsm__arena_strndup(of->file->timings->arena, name, length - end);
    if (of->node.name == NULL) {
      dsm__json_set_out_of_memory(of->file->doc);
    }
  }
}

static bool is_end_of_run(const dsm__json_node *event) {
  const dsm__json_node called = dsm__json_member(event, "name");
  const char *const name = dsm__json_text(&called);
  return name != NULL && strcmp(name, "model_run") == 0;
}

static void read_event(reader *of, const dsm__json_node *event) {
  if (!dsm__json_is_object(event)) {
    dsm__json_object_only(event, NULL, 0);
    return;
  }
  const dsm__json_node category = dsm__json_member(event, "cat");
  const dsm__json_node called = dsm__json_member(event, "name");
  const char *const kind = dsm__json_text(&category);
  const char *const name = dsm__json_text(&called);
  if (kind == NULL) {
    return; /* such as the names of processes */
  }
  if (strcmp(kind, "Node") == 0) {
    if (name == NULL) {
      dsm__json_error(&called, NULL, "expected the name of a node");
      return;
    }
    begin_node(of, event, name);
  } else if (strcmp(kind, "Kernel") == 0 && of->node.name != NULL) {
    double seconds = 0;
    if (read_duration(event, &seconds)) {
      of->node.has_kernels = true;
      of->node.kernel_seconds += seconds;
    }
  } else if (strcmp(kind, "Session") == 0) {
    end_node(of);
    of->run += is_end_of_run(event) ? 1 : 0;
  }
}

static void read(const dsm__timing_file *file) {
  reader of = {.file = file, .device = dsm__timings_device(file->timings, file->timings->device)};
  if (dsm__json_lacks_memory(file->doc, of.device == NULL)) {
    return;
  }
  dsm__json_node event = dsm__json_item(&file->root, 0);
  for (; dsm__json_is_present(&event) && !of.has_runs; event = dsm__json_next(&event)) {
    of.has_runs = is_end_of_run(&event);
  }
  event = dsm__json_item(&file->root, 0);
  for (; dsm__json_is_present(&event) && !dsm__json_doc_is_out_of_memory(file->doc);
       event = dsm__json_next(&event)) {
    read_event(&of, &event);
  }
  end_node(&of);
  if (of.other_count > 0) {
    dsm__timing_note(
        file, &file->root,
        "%zu of %zu nodes ran on %.60s and not on %.60s: their times count as those of "
        "\"%s\"",
        of.other_count, of.node_count, of.other, of.provider, of.device->name);
  }
}

const dsm__timing_format dsm__onnx_runtime_timings = {
    .what = "a profile of ONNX Runtime",
    .read = read,
};
