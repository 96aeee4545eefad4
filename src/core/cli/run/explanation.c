/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run/explored.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/complain.h"
#include "cli/run/output.h"

/* A declared layer is at most the two directions of an lstm. */
#define LAYERS_MAX 2
/* Core splits shown beside the chosen one. */
#define SPLITS_SHOWN 4

/* Primary layers that a name means. */
typedef struct layer_list {
  size_t indices[LAYERS_MAX];
  size_t count;
} layer_list;

static bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/* Of a name as tables have them for equal layers, such as "encoder.0..23.{query,key}", the first
 * layer: "encoder.0.query". */
static void write_first_name(char first[DSM_NAME_BYTES_MAX + 1], const char *name) {
  size_t length = 0;
  bool is_in_number = false;
  for (const char *at = name; *at != '\0' && length < DSM_NAME_BYTES_MAX; at++) {
    const bool is_range = is_in_number && at[0] == '.' && at[1] == '.' && is_digit(at[2]);
    if (is_range || (is_in_number && at[0] == ',' && is_digit(at[1]))) {
      at += is_range ? 2 : 1;
      at += strspn(at, "0123456789") - 1;
      continue;
    }
    if (*at == ',') { /* the next of several names */
      const char *const end = strchr(at, '}');
      at = end != NULL ? end : at + strlen(at) - 1;
      continue;
    }
    is_in_number = is_digit(*at);
    if (*at != '{' && *at != '}') {
      first[length++] = *at;
    }
  }
  first[length] = '\0';
}

static layer_list find_named(const dsm_workload *workload, const char *name) {
  const size_t index = dsm_workload_find_layer(workload, name);
  if (index != SIZE_MAX) {
    return (layer_list){.indices = {index}, .count = 1};
  }
  layer_list list = {.count = 0};
  for (size_t i = 0; i < workload->layer_count && list.count < LAYERS_MAX; i++) {
    if (dsm_workload_layer_is_of(workload, i, name)) {
      list.indices[list.count++] = i;
    }
  }
  return list;
}

/* A layer, or the first of equal ones by what tables call them. */
static layer_list find_layers(const dsm_workload *workload, const char *name) {
  const layer_list found = find_named(workload, name);
  if (found.count > 0) {
    return found;
  }
  char first[DSM_NAME_BYTES_MAX + 1];
  write_first_name(first, name);
  return find_named(workload, first);
}

/* Is a text the last part of a layer's name, which may be that of several in one, q+k+v for qkv? */
static bool is_last_part(const char *name, const char *text) {
  const char *const dot = strrchr(name, '.');
  const char *at = dot == NULL ? name : dot + 1;
  while (*text != '\0') {
    while (*at == '+' && *text != '+') {
      at++;
    }
    if (*at++ != *text++) {
      return false;
    }
  }
  return *at == '\0';
}

/* The layer whose name ends in the text, which names the layer within its block, or else one that
 * is called nearly so. */
static cli_hint hint_of(const char *text, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (is_last_part(names[i], text)) {
      return cli_did_you_mean(names[i], &names[i], 1);
    }
  }
  return cli_did_you_mean(text, names, count);
}

cli_exit cli_check_explained_layer(const cli_arguments *arguments, const dsm_workload *workload) {
  const char *const name = arguments->explain;
  if (name == NULL || find_layers(workload, name).count > 0) {
    return CLI_EXIT_DONE;
  }
  const size_t count = workload->spec_count + workload->layer_count;
  const char **const names = calloc(count, sizeof *names);
  if (names == NULL) {
    return cli_out_of_memory();
  }
  for (size_t i = 0; i < workload->spec_count; i++) {
    names[i] = workload->specs[i].name;
  }
  for (size_t i = 0; i < workload->layer_count; i++) {
    names[workload->spec_count + i] = workload->layers[i].name;
  }
  const cli_exit outcome = cli_usage_error(arguments->command, "--explain: %s has no layer '%s'%s",
                                           workload->name, name, hint_of(name, names, count).text);
  free(names);
  return outcome;
}

cli_exit cli_put_explanation(const cli_arguments *arguments, const dsm_plan *plan) {
  const layer_list layers = find_layers(plan->workload, arguments->explain);
  dsm_explanation *made[LAYERS_MAX] = {NULL};
  const dsm_explanation *explanations[LAYERS_MAX];
  dsm_explained all = {.plan = plan, .explanations = explanations};
  dsm_status status = DSM_OK;
  for (size_t i = 0; i < layers.count && status == DSM_OK; i++) {
    status = dsm_explain(&made[i], plan, layers.indices[i], SPLITS_SHOWN, arguments->diags);
    if (status == DSM_OK) {
      explanations[all.count++] = made[i];
    }
  }
  const cli_exit outcome = cli_put_made(arguments, status, DSM_ANSWER(explanation, &all));
  for (size_t i = 0; i < LAYERS_MAX; i++) {
    dsm_explanation_free(made[i]);
  }
  return outcome;
}
