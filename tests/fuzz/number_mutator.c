/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * number_mutator.c: how libFuzzer changes an input. Every second time it changes bytes as it always
 * does; else one number of the text becomes another. Few changes of bytes leave a description
 * valid; most changes of numbers do, and so reach the model and the search.
 */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const char *const numbers[] = {
    "0",       "1",       "2",          "3",          "4",        "5",
    "6",       "7",       "8",          "9",          "12",       "13",
    "16",      "31",      "32",         "33",         "48",       "60",
    "64",      "65",      "100",        "127",        "128",      "255",
    "256",     "1000",    "1024",       "4096",       "65535",    "65536",
    "1048576", "1048577", "0.125",      "0.5",        "0.75",     "1e-9",
    "1e-6",    "0.0001",  "0.001",      "0.01",       "1e3",      "1e6",
    "1e9",     "1e12",    "2147483647", "2147483648", "-1",       "1.5",
    "64.5",    "1024",    "1025",       "1000000",    "94906265", "9007199254740992",
};
enum { NUMBER_COUNT = sizeof numbers / sizeof numbers[0] };

/* A step of a linear congruential generator. */
static unsigned next(unsigned *state) {
  *state = *state * 1664525U + 1013904223U;
  return *state >> 8;
}

static bool is_of_number(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-';
}

/* The length of the number at an offset where one begins, as one value of JSON; else 0. */
static size_t number_length(const uint8_t *data, size_t size, size_t at) {
  const bool begins = at > 0 && strchr(" :[,=\n", data[at - 1]) != NULL && data[at - 1] != '\0';
  size_t length = 0;
  while (begins && at + length < size && is_of_number(data[at + length])) {
    length++;
  }
  return length;
}

static size_t count_numbers(const uint8_t *data, size_t size) {
  size_t count = 0;
  for (size_t at = 0; at < size; at++) {
    count += number_length(data, size, at) > 0;
  }
  return count;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  unsigned state = seed;
  const size_t count = count_numbers(data, size);
  if (count == 0 || next(&state) % 2 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  size_t rest = next(&state) % count;
  size_t at = 0;
  while (number_length(data, size, at) == 0 || rest-- > 0) {
    at++;
  }
  const size_t old_length = number_length(data, size, at);
  const char *const number = numbers[next(&state) % NUMBER_COUNT];
  const size_t length = strlen(number);
  if (size - old_length + length > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  memmove(data + at + length, data + at + old_length, size - at - old_length);
  memcpy(data + at, number, length);
  return size - old_length + length;
}
