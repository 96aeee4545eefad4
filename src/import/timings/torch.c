/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * torch.c: traces of the PyTorch profiler (export_chrome_trace, tensorboard_trace_handler).
 *
 * Source: files that it wrote, and pytorch/kineto: {"traceEvents": [...]} of the trace event
 * format. Complete events ("ph": "X") have "ts" and "dur" in microseconds and a category "cat":
 * "cpu_op" (aten::conv2d), "user_annotation" (record_function, and ProfilerStep#N for each step),
 * "python_function" (nn.Module: Conv2d_0, with with_stack or with_modules), "cuda_runtime" and
 * "cuda_driver" (launches), "kernel", "gpu_memcpy" and "gpu_memset" (what they launched, with the
 * same "correlation" in "args").
 *
 * Layers are annotations that hold no others; without any, modules that hold no others; without
 * any, the outermost operators, numbered where one is called again. What a layer takes is the time
 * of the kernels that are launched within it, or its own where the trace has no kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "import/timings/timings.h"

enum { SPAN_ANNOTATION, SPAN_MODULE, SPAN_OPERATOR, SPAN_KIND_COUNT };

/* Something that took a while on a thread. */
typedef struct span {
  const char *name; /* borrowed from the document */
  uint64_t thread;
  double begin; /* microseconds */
  double end;
  double kernels; /* microseconds of what was launched within */
} span;

typedef DSM__LIST(span) span_list;

/* A launch, or what it launched. */
typedef struct launch {
  double correlation;
  uint64_t thread;
  double at;
  double duration;
} launch;

typedef DSM__LIST(launch) launch_list;

typedef struct trace {
  const dsm__timing_file *file;
  span_list spans[SPAN_KIND_COUNT];
  span_list steps;
  launch_list launches;
  launch_list kernels;
} trace;

static const char step_begin[] = "ProfilerStep#";
static const char module_begin[] = "nn.Module: ";

static bool begins_with(const char *text, const char *begin) {
  return strncmp(text, begin, strlen(begin)) == 0;
}

/* What tells threads apart: a number or text each of process and thread. */
static uint64_t thread_of(const dsm__json_node *event) {
  static const char *const keys[] = {"pid", "tid"};
  uint64_t hash = 0;
  for (size_t k = 0; k < DSM__COUNT_OF(keys); k++) {
    const dsm__json_node member = dsm__json_member(event, keys[k]);
    const char *const text = dsm__json_text(&member);
    double number = 0;
    if (text != NULL) {
      hash = dsm__hash(hash, text, strlen(text));
    } else if (dsm__json_is_number(&member, &number)) {
      hash = dsm__hash(hash, &number, sizeof number);
    }
  }
  return hash;
}

/* The list of spans that an event belongs to; NULL: none. */
static span_list *list_of(trace *of, const char *category, const char *name) {
  if (strcmp(category, "user_annotation") == 0) {
    return begins_with(name, step_begin) ? &of->steps : &of->spans[SPAN_ANNOTATION];
  }
  if (strcmp(category, "python_function") == 0) {
    return begins_with(name, module_begin) ? &of->spans[SPAN_MODULE] : NULL;
  }
  return strcmp(category, "cpu_op") == 0 || strcmp(category, "Operator") == 0
             ? &of->spans[SPAN_OPERATOR]
             : NULL;
}

/* Likewise of launches and what they launched. */
static launch_list *launches_of(trace *of, const char *category) {
  static const struct {
    const char *category;
    bool is_kernel;
  } rows[] = {{"cuda_runtime", false}, {"cuda_driver", false}, {"Runtime", false},
              {"kernel", true},        {"gpu_memcpy", true},   {"gpu_memset", true},
              {"Kernel", true},        {"Memcpy", true},       {"Memset", true}};
  for (size_t r = 0; r < DSM__COUNT_OF(rows); r++) {
    if (strcmp(category, rows[r].category) == 0) {
      return rows[r].is_kernel ? &of->kernels : &of->launches;
    }
  }
  return NULL;
}

static bool read_time(const dsm__json_node *event, const char *key, double least, double *time) {
  const dsm__json_node node = dsm__json_member(event, key);
  return dsm__json_require(&node, "microseconds") &&
         dsm__json_double(
             &node, (dsm__json_range){least, 1e6 * DSM__SAMPLE_SECONDS_MAX * 1e3, false}, time);
}

static bool add_span(span_list *spans, const dsm__json_node *event, const char *name) {
  double begin = 0;
  double duration = 0;
  if (!read_time(event, "ts", -1e15, &begin) || !read_time(event, "dur", 0, &duration)) {
    return true;
  }
  return DSM__LIST_PUSH(
      spans,
      (span){.name = name, .thread = thread_of(event), .begin = begin, .end = begin + duration});
}

static bool add_launch(launch_list *launches, const dsm__json_node *event) {
  const dsm__json_node args = dsm__json_member(event, "args");
  const dsm__json_node correlation = dsm__json_member(&args, "correlation");
  launch made = {.thread = thread_of(event)};
  if (!dsm__json_is_number(&correlation, &made.correlation) ||
      !read_time(event, "ts", -1e15, &made.at) || !read_time(event, "dur", 0, &made.duration)) {
    return true;
  }
  return DSM__LIST_PUSH(launches, made);
}

/* False if out of memory. */
static bool read_event(trace *of, const dsm__json_node *event) {
  const dsm__json_node phase = dsm__json_member(event, "ph");
  const dsm__json_node kind = dsm__json_member(event, "cat");
  const dsm__json_node called = dsm__json_member(event, "name");
  const char *const category = dsm__json_text(&kind);
  const char *const name = dsm__json_text(&called);
  if (dsm__json_text(&phase) == NULL || strcmp(dsm__json_text(&phase), "X") != 0 ||
      category == NULL || name == NULL) {
    return true;
  }
  span_list *const spans = list_of(of, category, name);
  launch_list *const launches = launches_of(of, category);
  return spans != NULL      ? add_span(spans, event, name)
         : launches != NULL ? add_launch(launches, event)
                            : true;
}

/* ---- which spans are layers ---- */

/* By thread, and there a span before those that it holds. */
DSM__ORDER_OF(compare_spans, span,
              dsm__order_then(dsm__order_then(dsm__order_whole(a->thread, b->thread),
                                              dsm__order(a->begin, b->begin)),
                              dsm__order(b->end, a->end)));

/* Keeps those that no other holds, or that hold no other: the next one in order is within. */
static void choose_layers(span_list *spans, bool are_outermost) {
  dsm__sort(spans->items, spans->count, sizeof spans->items[0], compare_spans);
  size_t kept = 0;
  double end = 0; /* of what is before on the thread */
  uint64_t thread = 0;
  for (size_t i = 0; i < spans->count; i++) {
    const span one = spans->items[i];
    const span *const next = i + 1 < spans->count ? &spans->items[i + 1] : NULL;
    const bool is_first = i == 0 || thread != one.thread;
    const bool is_within = !is_first && one.begin < end;
    const bool holds = next != NULL && next->thread == one.thread && next->begin < one.end;
    if (are_outermost ? !is_within : !holds) {
      spans->items[kept++] = one;
    }
    thread = one.thread;
    end = is_first || one.end > end ? one.end : end;
  }
  spans->count = kept;
}

DSM__ORDER_OF(compare_correlations, launch, dsm__order(a->correlation, b->correlation));

/* The last layer that begins at a time on a thread or before, if it has not ended; or NULL. */
static span *find_layer(const span_list *spans, uint64_t thread, double at) {
  size_t low = 0;
  size_t high = spans->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const span *const one = &spans->items[middle];
    if (one->thread < thread || (one->thread == thread && one->begin <= at)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  span *const found = low > 0 ? &spans->items[low - 1] : NULL;
  return found != NULL && found->thread == thread && at <= found->end ? found : NULL;
}

static void add_kernels(trace *of, const span_list *layers) {
  launch_list *const launches = &of->launches;
  dsm__sort(launches->items, launches->count, sizeof launches->items[0], compare_correlations);
  for (size_t k = 0; k < of->kernels.count; k++) {
    const launch *const kernel = &of->kernels.items[k];
    const launch *const by = launches->count == 0
                                 ? NULL
                                 : bsearch(kernel, launches->items, launches->count,
                                           sizeof launches->items[0], compare_correlations);
    span *const layer = by == NULL ? NULL : find_layer(layers, by->thread, by->at);
    if (layer != NULL) {
      layer->kernels += kernel->duration;
    }
  }
}

/* ---- runs ---- */

DSM__ORDER_OF(compare_begins, span, dsm__order(a->begin, b->begin));

/* The step that a time is in; SIZE_MAX: none. */
static size_t step_at(const trace *of, double at) {
  size_t low = 0;
  size_t high = of->steps.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (of->steps.items[middle].begin <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && at < of->steps.items[low - 1].end ? low - 1 : SIZE_MAX;
}

/* How often an operator has been called in a step, from 1; `calls` keeps count. */
static bool number_operator(const span *one, dsm__timings *calls, size_t step, size_t *number) {
  const char *const key = dsm__arena_printf(calls->arena, "%zu/%s", step, one->name);
  dsm__timed_device *const device = dsm__timings_device(calls, "");
  if (key == NULL || device == NULL) {
    return false;
  }
  *number = dsm__timings_next_run(device, key) + 1;
  return dsm__timings_add(calls, device, key, *number - 1, 0, &dsm__no_sizes);
}

static bool add_layer(trace *of, dsm__timed_device *device, const span *one, int kind,
                      dsm__timings *calls) {
  const size_t step = of->steps.count == 0 ? 0 : step_at(of, one->begin);
  dsm__timings *const timings = of->file->timings;
  const double seconds = 1e-6 * (of->kernels.count > 0 ? one->kernels : one->end - one->begin);
  const char *name = one->name;
  size_t number = 1;
  if (step == SIZE_MAX) {
    return true;
  }
  if (kind == SPAN_MODULE) {
    name += sizeof module_begin - 1;
  } else if (kind == SPAN_OPERATOR && !number_operator(one, calls, step, &number)) {
    return false;
  }
  if (number > 1) {
    name = dsm__arena_printf(calls->arena, "%s_%zu", name, number);
  }
  if (name == NULL) {
    return false;
  }
  const size_t run =
      of->steps.count > 0 || kind == SPAN_OPERATOR ? step : dsm__timings_next_run(device, name);
  return dsm__timings_add(timings, device, name, run, seconds, &dsm__no_sizes);
}

static bool add_layers(trace *of, int kind) {
  span_list *const spans = &of->spans[kind];
  dsm__timings calls = {.arena = dsm__arena_new()};
  dsm__timed_device *const device =
      dsm__timings_device(of->file->timings, of->file->timings->device);
  bool is_done = calls.arena != NULL && device != NULL;
  choose_layers(spans, kind == SPAN_OPERATOR);
  add_kernels(of, spans);
  dsm__sort(spans->items, spans->count, sizeof spans->items[0], compare_begins);
  dsm__sort(of->steps.items, of->steps.count, sizeof of->steps.items[0], compare_begins);
  for (size_t i = 0; is_done && i < spans->count; i++) {
    is_done = add_layer(of, device, &spans->items[i], kind, &calls);
  }
  dsm__timings_fini(&calls);
  return is_done;
}

static bool read_trace(trace *of) {
  const dsm__json_node list = dsm__json_member(&of->file->root, "traceEvents");
  dsm__json_node event = dsm__json_item(&list, 0);
  for (; dsm__json_is_present(&event); event = dsm__json_next(&event)) {
    if (!read_event(of, &event)) {
      return false;
    }
  }
  int kind = 0;
  while (kind < SPAN_KIND_COUNT && of->spans[kind].count == 0) {
    kind++;
  }
  return kind == SPAN_KIND_COUNT || dsm__json_doc_error_count(of->file->doc) > 0 ||
         add_layers(of, kind);
}

static void read(const dsm__timing_file *file) {
  trace of = {.file = file};
  if (!read_trace(&of)) {
    dsm__json_set_out_of_memory(file->doc);
  }
  for (size_t k = 0; k < SPAN_KIND_COUNT; k++) {
    free(of.spans[k].items);
  }
  free(of.steps.items);
  free(of.launches.items);
  free(of.kernels.items);
}

const dsm__timing_format dsm__torch_timings = {
    .what = "a trace of the PyTorch profiler",
    .read = read,
};
