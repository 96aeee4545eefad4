/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_SIZE = 1 << 17, NAME_SIZE = 64 };
enum { POSITIONS = 128, HIDDEN = 256, INNER = 1024, CLASSES = 100 };

typedef struct writer {
  char *text;
  size_t length;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  to->length += (size_t)vsnprintf(to->text + to->length, TEXT_SIZE - to->length, format, args);
  va_end(args);
}

static void put_fc(writer *to, const char *name, int in, int out, const char *input,
                   const char *aux) {
  put(to,
      ",{\"name\": \"%s\", \"type\": \"fc\", \"timesteps\": %d, \"in\": %d, \"out\": %d, "
      "\"inputs\": [\"%s\"], \"aux\": [%s]}",
      name, POSITIONS, in, out, input, aux);
}

static void put_product(writer *to, const char *name, int in, int out, const char *input,
                        const char *operand) {
  put(to,
      ",{\"name\": \"%s\", \"type\": \"matmul\", \"timesteps\": %d, \"in\": %d, \"out\": %d, "
      "\"inputs\": [\"%s\"], \"operand\": \"%s\", \"operand_elements\": %d}",
      name, POSITIONS, in, out, input, operand, POSITIONS * HIDDEN);
}

static void put_block(writer *to, size_t block, const char *before) {
  static const char *const names[] = {"query",   "key", "value", "score",
                                      "context", "out", "ff1",   "ff2"};
  enum { QUERY, KEY, VALUE, SCORE, CONTEXT, OUT, FF1, FF2 };
  static const char bias[] = "{\"op\": \"bias\"}";
  char own[BLOCK_LAYERS][NAME_SIZE];
  char after_product[NAME_SIZE + 64];
  for (size_t i = 0; i < BLOCK_LAYERS; i++) {
    (void)snprintf(own[i], NAME_SIZE, "encoder.%zu.%s", block, names[i]);
  }
  put_fc(to, own[QUERY], HIDDEN, HIDDEN, before, bias);
  put_fc(to, own[KEY], HIDDEN, HIDDEN, before, bias);
  put_fc(to, own[VALUE], HIDDEN, HIDDEN, before, bias);
  put_product(to, own[SCORE], HIDDEN, POSITIONS, own[QUERY], own[KEY]);
  put_product(to, own[CONTEXT], POSITIONS, HIDDEN, own[SCORE], own[VALUE]);
  (void)snprintf(after_product, sizeof after_product,
                 "{\"op\": \"residual\", \"from\": \"%s\"}, {\"op\": \"layer_norm\"}", before);
  put_fc(to, own[OUT], HIDDEN, HIDDEN, own[CONTEXT], after_product);
  put_fc(to, own[FF1], HIDDEN, INNER, own[OUT], "{\"op\": \"gelu\"}");
  put_fc(to, own[FF2], INNER, HIDDEN, own[FF1], "{\"op\": \"layer_norm\"}");
}

subject encoder_subject(size_t blocks, const char *system) {
  writer to = {.text = malloc(TEXT_SIZE)};
  char before[NAME_SIZE] = "embed";
  put(&to,
      "{\"format\": \"dsm-workload/1\", \"name\": \"encoder\", \"minibatch\": 64, "
      "\"element_bytes\": 2, \"layers\": [{\"name\": \"embed\", \"type\": \"fc\", \"timesteps\": "
      "%d, \"in\": %d, \"out\": %d}",
      POSITIONS, HIDDEN, HIDDEN);
  for (size_t block = 0; block < blocks; block++) {
    put_block(&to, block, before);
    (void)snprintf(before, sizeof before, "encoder.%zu.ff2", block);
  }
  put_fc(&to, "head", HIDDEN, CLASSES, before, "");
  put(&to, "]}");
  const subject made = subject_explore_text(to.text, system);
  free(to.text);
  return made;
}
