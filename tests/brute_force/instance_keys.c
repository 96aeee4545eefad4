/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "instance_keys.h"

#include <stdio.h>
#include <string.h>

static const char *const names[INSTANCE_KEY_COUNT] = {
    [INSTANCE_KEY_PARTIAL_SUM_BYTES] = "partial_sum_bytes",
    [INSTANCE_KEY_EXACT_ROTATION] = "exact_rotation",
    [INSTANCE_KEY_EXACT_FORKS] = "exact_forks",
    [INSTANCE_KEY_OVERLAPPED_HAND_OVER] = "overlapped_hand_over",
    [INSTANCE_KEY_PIPELINE_COLUMNS] = "pipeline_columns",
    [INSTANCE_KEY_LSTM_GATE_ERRORS] = "lstm_gate_errors",
    [INSTANCE_KEY_STATISTICS_SUMS] = "statistics_sums",
    [INSTANCE_KEY_TWO_WAY_RELAYOUT] = "two_way_relayout",
    [INSTANCE_KEY_LAYOUT_MOVE_ALWAYS] = "layout_move=always",
    [INSTANCE_KEY_LAYOUT_MOVE_EXACT] = "layout_move=exact",
    [INSTANCE_KEY_CHARGE_HELD_MASKS] = "charge_held_masks",
    [INSTANCE_KEY_PREFER_HOLDING] = "prefer_holding",
    [INSTANCE_KEY_RESIDENT_OPERANDS] = "resident_operands",
};

const char *instance_key_name(const instance_key key) {
  return key < INSTANCE_KEY_COUNT ? names[key] : "unknown";
}

static bool is_on(const instance_key_set keys, const instance_key key) {
  return (keys & INSTANCE_KEY_BIT(key)) != 0;
}

static bool parse_one(instance_key_set *out, const char *name, const size_t length) {
  for (int key = 0; key < INSTANCE_KEY_COUNT; key++) {
    if (strlen(names[key]) == length && strncmp(names[key], name, length) == 0) {
      *out |= INSTANCE_KEY_BIT(key);
      return true;
    }
  }
  return false;
}

bool instance_keys_parse(instance_key_set *out, const char *list) {
  *out = strcmp(list, "all") == 0 ? INSTANCE_EVERY_KEY : 0;
  if (*out != 0 || strcmp(list, "none") == 0) {
    return true;
  }
  const char *name = list;
  for (;;) {
    const size_t length = strcspn(name, ",");
    if (!parse_one(out, name, length)) {
      return false;
    }
    if (name[length] == '\0') {
      return true;
    }
    name += length + 1;
  }
}

instance_key_set instance_keys_pick(instance_random *random, const instance_key_set allowed) {
  const size_t style = instance_random_between(random, 0, 99);
  const bool is_exact = instance_random_chance(random, 50);
  instance_key_set on = 0;
  for (int key = 0; key < INSTANCE_KEY_COUNT; key++) {
    const bool is_picked = instance_random_chance(random, 50);
    const bool counts = style >= 20 && (style < 45 || is_picked);
    on |= counts ? INSTANCE_KEY_BIT(key) & allowed : 0;
  }
  const instance_key_set moves = INSTANCE_KEY_BIT(INSTANCE_KEY_LAYOUT_MOVE_ALWAYS) |
                                 INSTANCE_KEY_BIT(INSTANCE_KEY_LAYOUT_MOVE_EXACT);
  if ((on & moves) == moves) {
    on &= ~INSTANCE_KEY_BIT(is_exact ? INSTANCE_KEY_LAYOUT_MOVE_ALWAYS
                                     : INSTANCE_KEY_LAYOUT_MOVE_EXACT);
  }
  return on;
}

static void write_layout_move(instance_text *text, const instance_key_set on,
                              const bool states_off) {
  const char *const off = states_off ? "none" : NULL;
  const char *const word = is_on(on, INSTANCE_KEY_LAYOUT_MOVE_EXACT)    ? "exact"
                           : is_on(on, INSTANCE_KEY_LAYOUT_MOVE_ALWAYS) ? "always"
                                                                        : off;
  if (word != NULL) {
    instance_text_string(text, "layout_move", word);
  }
}

void instance_keys_write(instance_text *text, instance_random *random, const instance_key_set on) {
  static const double sizes[] = {0.5, 1, 2, 4, 4, 8};
  for (int key = 0; key < INSTANCE_KEY_COUNT; key++) {
    const double bytes = INSTANCE_PICK_REAL(random, sizes);
    const bool states_off = instance_random_chance(random, 20);
    if (key == INSTANCE_KEY_LAYOUT_MOVE_ALWAYS) {
      write_layout_move(text, on, states_off);
    } else if (key == INSTANCE_KEY_LAYOUT_MOVE_EXACT ||
               (!is_on(on, (instance_key)key) && !states_off)) {
      continue;
    } else if (key == INSTANCE_KEY_PARTIAL_SUM_BYTES) {
      instance_text_real(text, names[key], is_on(on, (instance_key)key) ? bytes : 0);
    } else {
      instance_text_bool(text, names[key],
                         is_on(on, (instance_key)key) != (key == INSTANCE_KEY_RESIDENT_OPERANDS));
    }
  }
}

static const char *const workload_keys[INSTANCE_WORKLOAD_KEY_COUNT] = {
    "experts", "tied_to", "weight_bytes", "cache_bytes"};

static bool has_member(const char *json, const char *key) {
  char quoted[32];
  (void)snprintf(quoted, sizeof quoted, "\"%s\"", key);
  return strstr(json, quoted) != NULL;
}

void instance_key_count(instance_key_counts *counts, const instance_key_set on,
                        const char *workload) {
  for (int key = 0; key < INSTANCE_KEY_COUNT; key++) {
    counts->instances[key] += is_on(on, (instance_key)key) ? 1 : 0;
  }
  for (size_t key = 0; key < INSTANCE_WORKLOAD_KEY_COUNT; key++) {
    counts->workloads[key] += has_member(workload, workload_keys[key]) ? 1 : 0;
  }
}

void instance_key_counts_print(const instance_key_counts *counts) {
  printf("instances with");
  for (int key = 0; key < INSTANCE_KEY_COUNT; key++) {
    printf("%s %s %u", key == 0 ? "" : ",", names[key], counts->instances[key]);
  }
  printf("\nworkloads with");
  for (size_t key = 0; key < INSTANCE_WORKLOAD_KEY_COUNT; key++) {
    printf("%s %s %u", key == 0 ? "" : ",", workload_keys[key], counts->workloads[key]);
  }
  printf("\n");
}
