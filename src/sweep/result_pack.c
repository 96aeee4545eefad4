/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep/result_pack.h"

#include <string.h>

#include "dsm/limits.h"

/* Stands for a string that is NULL. */
#define NO_TEXT UINT64_MAX

/* Structs that are copied as they are: nothing but numbers of eight bytes, so no padding. */
_Static_assert(sizeof(dsm_loops) == DSM_DIM_COUNT * sizeof(uint64_t), "loops have no padding");
_Static_assert(sizeof(dsm_cycles) % sizeof(double) == 0, "cycles are doubles");
_Static_assert(sizeof(dsm_plan_result) == 6 * sizeof(double) + sizeof(dsm_cycles) +
                                              sizeof(dsm_resources) + sizeof(dsm_plan_memory),
               "results of plans have no padding");

/* ---- packing ---- */

static void put(dsm__text_buffer *buffer, const void *bytes, size_t length) {
  dsm__text_append(buffer, bytes, length);
}

static void put_number(dsm__text_buffer *buffer, uint64_t number) {
  put(buffer, &number, sizeof number);
}

static void put_text(dsm__text_buffer *buffer, const char *text) {
  if (text == NULL) {
    put_number(buffer, NO_TEXT);
    return;
  }
  const size_t length = strlen(text);
  put_number(buffer, length);
  put(buffer, text, length);
}

static void put_layer(dsm__text_buffer *buffer, const dsm_point_layer *layer) {
  put_text(buffer, layer->name);
  put_number(buffer, layer->pass);
  put_number(buffer, layer->parallelism);
  put(buffer, &layer->core_split, sizeof layer->core_split);
  put_number(buffer, layer->dysm_factor);
  put_number(buffer, layer->output_on_chip ? 1 : 0);
  put(buffer, &layer->weights_on_chip, sizeof layer->weights_on_chip);
  put_text(buffer, layer->pipeline_group);
  put_number(buffer, layer->bound);
  put(buffer, &layer->cycles, sizeof layer->cycles);
  put(buffer, &layer->utilization, sizeof layer->utilization);
}

void dsm__result_pack(dsm__text_buffer *buffer, const dsm_point_result *result) {
  put_number(buffer, result->point);
  put_number(buffer, result->status);
  put_text(buffer, result->reason);
  put_number(buffer, result->mode);
  put_number(buffer, result->minibatch);
  put_number(buffer, result->optimizations);
  put_number(buffer, result->parallelisms);
  put(buffer, &result->result, sizeof result->result);
  put_text(buffer, result->decisions);
  put_number(buffer, result->layer_count);
  for (size_t i = 0; i < result->layer_count; i++) {
    put_layer(buffer, &result->layers[i]);
  }
  put_text(buffer, result->plan);
}

/* ---- unpacking ---- */

/* The bytes that are left, and what was wrong with those before. */
typedef struct reader {
  const unsigned char *at;
  size_t left;
  dsm__arena *arena;
  dsm_status status;
} reader;

static void get(reader *in, void *to, size_t length) {
  if (in->status == DSM_OK && length > in->left) {
    in->status = DSM_ERROR_INVALID;
  }
  if (in->status != DSM_OK) {
    memset(to, 0, length);
    return;
  }
  memcpy(to, in->at, length);
  in->at += length;
  in->left -= length;
}

/* A number of at most `most`; 0 if there is none. */
static uint64_t get_number(reader *in, uint64_t most) {
  uint64_t number = 0;
  get(in, &number, sizeof number);
  if (number > most) {
    in->status = DSM_ERROR_INVALID;
    return 0;
  }
  return number;
}

static const char *get_text(reader *in) {
  const uint64_t length = get_number(in, UINT64_MAX);
  if (in->status != DSM_OK || length == NO_TEXT) {
    return NULL;
  }
  if (length > in->left || memchr(in->at, '\0', (size_t)length) != NULL) {
    in->status = DSM_ERROR_INVALID;
    return NULL;
  }
  const char *const text = dsm__arena_strndup(in->arena, (const char *)in->at, (size_t)length);
  in->status = text == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  in->at += length;
  in->left -= (size_t)length;
  return text;
}

static void get_layer(reader *in, dsm_point_layer *layer) {
  layer->name = get_text(in);
  layer->pass = (dsm_pass)get_number(in, DSM_PASS_COUNT - 1);
  layer->parallelism = (dsm_parallelism)get_number(in, DSM_PARALLELISM_COUNT - 1);
  get(in, &layer->core_split, sizeof layer->core_split);
  layer->dysm_factor = get_number(in, UINT64_MAX);
  layer->output_on_chip = get_number(in, 1) == 1;
  get(in, &layer->weights_on_chip, sizeof layer->weights_on_chip);
  layer->pipeline_group = get_text(in);
  layer->bound = (dsm_bound)get_number(in, DSM_BOUND_COUNT - 1);
  get(in, &layer->cycles, sizeof layer->cycles);
  get(in, &layer->utilization, sizeof layer->utilization);
  if (in->status == DSM_OK && layer->name == NULL) {
    in->status = DSM_ERROR_INVALID;
  }
}

/* Each layer takes more bytes than its plain struct of loops, which bounds what is allocated. */
static void get_layers(reader *in, dsm_point_result *result) {
  const size_t count = (size_t)get_number(in, in->left / sizeof(dsm_loops));
  dsm_point_layer *const layers = in->status != DSM_OK || count == 0
                                      ? NULL
                                      : dsm__arena_array(in->arena, count, sizeof(dsm_point_layer));
  if (in->status == DSM_OK && count > 0 && layers == NULL) {
    in->status = DSM_ERROR_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < count && in->status == DSM_OK; i++) {
    get_layer(in, &layers[i]);
  }
  result->layers = layers;
  result->layer_count = count;
}

dsm_status dsm__result_unpack(dsm_point_result *result, const void *bytes, size_t length,
                              dsm__arena *arena) {
  reader in = {.at = bytes, .left = length, .arena = arena, .status = DSM_OK};
  *result = (dsm_point_result){.point = (size_t)get_number(&in, DSM_SWEEP_POINTS_MAX - 1)};
  result->status = (dsm_point_status)get_number(&in, DSM_POINT_STATUS_COUNT - 1);
  result->reason = get_text(&in);
  result->mode = (dsm_mode)get_number(&in, DSM_MODE_COUNT - 1);
  result->minibatch = get_number(&in, UINT64_MAX);
  result->optimizations = (dsm_optimization_set)get_number(&in, UINT32_MAX);
  result->parallelisms = (dsm_parallelism_set)get_number(&in, UINT32_MAX);
  get(&in, &result->result, sizeof result->result);
  result->decisions = get_text(&in);
  get_layers(&in, result);
  result->plan = get_text(&in);
  if (in.status == DSM_OK && in.left > 0) {
    in.status = DSM_ERROR_INVALID;
  }
  if (in.status != DSM_OK) {
    *result = (dsm_point_result){0};
  }
  return in.status;
}
