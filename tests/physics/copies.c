/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copies.h"

#include <cJSON.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_numbers.h"
#include "search/given.h"

enum { NAME_MAX_BYTES = 160, TEXT_MAX = 8192 };

/* ---- side by side ---- */

static void rename_text(cJSON *text) {
  char name[NAME_MAX_BYTES];
  if (cJSON_IsString(text) && text->valuestring[0] != '@') {
    (void)snprintf(name, sizeof name, "%s.again", text->valuestring);
    cJSON_SetValuestring(text, name);
  }
}

/* All names of layers and pipeline groups that a layer has. */
static void rename_layer(cJSON *layer, bool is_first) {
  static const char *const keys[] = {"name", "operand", "tied_to", "pipeline_group"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    rename_text(cJSON_GetObjectItem(layer, keys[i]));
  }
  cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(layer, "inputs")) {
    rename_text(item);
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(layer, "aux")) {
    rename_text(cJSON_GetObjectItem(item, "from"));
  }
  if (is_first && !cJSON_HasObjectItem(layer, "inputs")) {
    const char *const input = "@input";
    cJSON_AddItemToObject(layer, "inputs", cJSON_CreateStringArray(&input, 1));
  }
}

/* What the description does not state is inferred from the first layer: two readers need it. */
static void state_input(cJSON *workload, const dsm_workload *stated) {
  if (!cJSON_HasObjectItem(workload, "input")) {
    cJSON *const input = cJSON_AddObjectToObject(workload, "input");
    const double size[] = {(double)stated->input_size.rows, (double)stated->input_size.columns};
    cJSON_AddNumberToObject(input, "features", (double)stated->input_features);
    cJSON_AddItemToObject(input, "feature", cJSON_CreateDoubleArray(size, 2));
  }
}

dsm_workload *copies_side_by_side(const dsm_plan *plan) {
  char *const text = dsm_plan_print(plan);
  cJSON *const document = cJSON_Parse(text);
  cJSON *const workload = cJSON_GetObjectItem(document, "workload");
  cJSON *const layers = cJSON_GetObjectItem(workload, "layers");
  const int count = cJSON_GetArraySize(layers);
  state_input(workload, plan->workload);
  for (int i = 0; i < count; i++) {
    cJSON *const copy = cJSON_Duplicate(cJSON_GetArrayItem(layers, i), true);
    rename_layer(copy, i == 0);
    cJSON_AddItemToArray(layers, copy);
  }
  char *const twice = cJSON_PrintUnformatted(workload);
  ck_assert_ptr_nonnull(twice);
  dsm_workload *made = NULL;
  dsm_diags *const diags = dsm_diags_new(1);
  const dsm_status status =
      dsm_workload_parse(&made, twice, strlen(twice), "twice", NULL, 0, diags);
  ck_assert_msg(status == DSM_OK, "%s: %s",
                dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "", twice);
  dsm_diags_free(diags);
  cJSON_free(twice);
  cJSON_Delete(document);
  free(text);
  return made;
}

/* ---- in a chain ---- */

typedef struct writer {
  char text[TEXT_MAX];
  size_t length;
} writer;

#define APPEND(w, ...)                                                                             \
  do {                                                                                             \
    (w)->length +=                                                                                 \
        (size_t)snprintf((w)->text + (w)->length, sizeof(w)->text - (w)->length, __VA_ARGS__);     \
    ck_assert_uint_lt((w)->length, sizeof(w)->text);                                               \
  } while (false)

/* What all layers of a network share. */
typedef struct shape {
  uint64_t features; /* of the network's input and output */
  uint64_t side;     /* 1: no positions */
  uint64_t timesteps;
  uint64_t layers;
} shape;

static bool chance(uint64_t *state, uint64_t percent) {
  return random_below(state, 100) < percent;
}

static shape draw_shape(uint64_t *state, dsm_mode mode) {
  static const uint64_t features[] = {4, 8, 16, 24};
  static const uint64_t sides[] = {2, 4, 7};
  static const uint64_t timesteps[] = {1, 1, 3, 6};
  shape drawn = {.features = features[random_below(state, 4)],
                 .side = 1,
                 .timesteps = 1,
                 .layers = 1 + random_below(state, 3)};
  if (mode == DSM_MODE_INFERENCE && chance(state, 50)) {
    drawn.side = sides[random_below(state, 3)];
  } else {
    drawn.timesteps = timesteps[random_below(state, 4)];
  }
  return drawn;
}

static void put_aux(writer *w, uint64_t *state, int copy, uint64_t index, bool can_add) {
  APPEND(w, ", 'aux': [{'op': 'bias'}");
  if (chance(state, 30)) {
    APPEND(w, ", {'op': 'batch_norm'}");
  }
  if (can_add && chance(state, 40)) {
    APPEND(w, ", {'op': 'residual', 'from': 'c%d_%llu'}", copy, (unsigned long long)(index - 1));
  }
  APPEND(w, "]");
}

/* Shortcuts need as many features as the layer before has. */
static void put_layer(writer *w, uint64_t *state, const shape *of, int copy, uint64_t index,
                      uint64_t *features) {
  static const char *const flat[] = {"fc", "lstm"};
  const uint64_t in = *features;
  const bool is_last = index + 1 == of->layers;
  const uint64_t out = is_last || chance(state, 50) ? of->features : 2 * of->features;
  const char *const type = of->side > 1 ? "conv"
                           : index == 0 ? "lstm"
                                        : flat[random_below(state, 2)];
  APPEND(w, "{'name': 'c%d_%llu', 'type': '%s', 'in': %llu, 'out': %llu", copy,
         (unsigned long long)index, type, (unsigned long long)in, (unsigned long long)out);
  if (of->side > 1) {
    const int kernel = chance(state, 50) ? 3 : 1;
    APPEND(w, ", 'feature': [%llu, %llu], 'kernel': [%d, %d]", (unsigned long long)of->side,
           (unsigned long long)of->side, kernel, kernel);
  } else {
    APPEND(w, ", 'timesteps': %llu", (unsigned long long)of->timesteps);
  }
  put_aux(w, state, copy, index, index > 0 && in == out);
  APPEND(w, "}");
  *features = out;
}

dsm_workload *copies_in_a_chain(uint64_t seed, dsm_mode mode, int count) {
  static const char *const minibatches[] = {"8", "16", "24"};
  writer w = {.length = 0};
  uint64_t drawing = seed;
  const shape of = draw_shape(&drawing, mode);
  const char *const minibatch = minibatches[random_below(&drawing, 3)];
  for (int copy = 0; copy < count; copy++) {
    uint64_t state = drawing; /* every copy is drawn alike */
    uint64_t features = of.features;
    for (uint64_t i = 0; i < of.layers; i++) {
      APPEND(&w, "%s", copy == 0 && i == 0 ? "" : ", ");
      put_layer(&w, &state, &of, copy, i, &features);
    }
  }
  return given_network(minibatch, w.text);
}
