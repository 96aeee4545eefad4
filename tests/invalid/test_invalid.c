/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_invalid.c: bad input as data. tests/invalid/<kind>.txt holds inputs that must be refused,
 * and the findings as dsm_diag_render gives them without colour, one a line, in order:
 *
 *   === text NAME           a text that cases are made of, in the lines that follow
 *   === case NAME           an input, in the lines that follow
 *   === case NAME of TEXT   an input that is that text with changes:
 *   @ FIRST COUNT           in place of COUNT of its lines from FIRST on the lines that follow
 *   --- findings            what is found in the case, in the lines that follow
 *
 * In inputs <XX> is a byte in hexadecimal, <XX*N> so many of them, and a line that ends with <>
 * lacks its newline. With --update the findings are written anew: read the difference.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "dsm/dsm.h"

enum { CASES_MIN = 500, FINDINGS_MAX = 1000, LINES_MAX = 1000, PATH_SIZE = 1024 };

/* Reads a text of the kind, which must be refused, and returns what the reader did. */
typedef dsm_status (*refuse_function)(const char *text, size_t length, dsm_diags *diags);

/* Of a format whose reader takes overrides. */
#define REFUSED(kind, type, parse, discard)                                                        \
  static dsm_status refuse_##kind(const char *text, size_t length, dsm_diags *diags) {             \
    type *made = NULL;                                                                             \
    const dsm_status status = parse(&made, text, length, "input.json", NULL, 0, diags);            \
    const bool is_left = made != NULL;                                                             \
    discard(made);                                                                                 \
    return is_left ? DSM_OK : status;                                                              \
  }

REFUSED(workload, dsm_workload, dsm_workload_parse, dsm_workload_free)
REFUSED(system, dsm_system, dsm_system_parse, dsm_system_free)
REFUSED(baseline, dsm_baseline, dsm_baseline_parse, dsm_baseline_free)
REFUSED(server, dsm_server, dsm_server_parse, dsm_server_free)
REFUSED(stages, dsm_remat_chain, dsm_remat_chain_parse, dsm_remat_chain_free)
REFUSED(rl_workload, dsm_rl_workload, dsm_rl_workload_parse, dsm_rl_workload_free)
REFUSED(pim_system, dsm_pim_system, dsm_pim_system_parse, dsm_pim_system_free)

static dsm_status refuse_plan(const char *text, size_t length, dsm_diags *diags) {
  dsm_plan *plan = NULL;
  const dsm_status status = dsm_plan_parse(&plan, text, length, "input.json", NULL, diags);
  dsm_plan_free(plan);
  return status == DSM_OK ? dsm_plan_validate_text(text, length, "input.json", diags) : status;
}

/* ---- sweeps, whose inputs are in memory: "net", "wide" and "broken" workloads, system "one" ----
 */

static const char *text_of_input(const char *name, dsm_description kind) {
  static const char net[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"net\", \"minibatch\": 8, \"layers\": [\n"
      "  { \"name\": \"c1\", \"type\": \"fc\", \"in\": 512, \"out\": 16 } ] }\n";
  static const char wide[] =
      "{ \"format\": \"dsm-workload/1\", \"name\": \"wide\", \"minibatch\": 8, \"layers\": [\n"
      "  { \"name\": \"f1\", \"type\": \"fc\", \"in\": 64, \"out\": 64 } ] }\n";
  static const char one[] =
      "{ \"format\": \"dsm-system/1\", \"name\": \"one\",\n"
      "  \"core\": { \"frequency_GHz\": 1, \"scratchpad_MiB\": 1, \"scratchpad_bandwidth_GBps\": "
      "64 },\n"
      "  \"chip\": { \"cores\": 4, \"interconnect\": \"ring\", \"core_link_bandwidth_GBps\": 64,\n"
      "    \"memory\": { \"capacity_GB\": 1, \"bandwidth_GBps\": 64 } },\n"
      "  \"system\": { \"topology\": \"torus_2d\", \"chips_x\": 2, \"chips_y\": 2,\n"
      "    \"link_bandwidth_x_GBps\": 20, \"link_bandwidth_y_GBps\": 10 } }\n";
  if (kind == DSM_DESCRIPTION_SYSTEM) {
    return one;
  }
  return strcmp(name, "net") == 0 ? net : strcmp(name, "broken") == 0 ? "{}" : wide;
}

static dsm_status read_input(void *context, const char *name, const char *folder,
                             dsm_description kind, char **text, size_t *length, char **file,
                             dsm_diags *diags) {
  (void)context;
  (void)folder;
  (void)diags;
  *text = strdup(text_of_input(name, kind));
  *file = strdup(name);
  *length = *text == NULL ? 0 : strlen(*text);
  return *text == NULL || *file == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
}

static dsm_status refuse_sweep(const char *text, size_t length, dsm_diags *diags) {
  const dsm_sweep_source source = {.read = read_input};
  dsm_sweep *sweep = NULL;
  const dsm_status status =
      dsm_sweep_make(&sweep, text, length, "input.json", NULL, NULL, &source, diags);
  const bool is_left = sweep != NULL;
  dsm_sweep_free(sweep);
  return is_left ? DSM_OK : status;
}

static dsm_status refuse_profile(const char *text, size_t length, dsm_diags *diags) {
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  dsm_instance *instance = NULL;
  const dsm_status status =
      dsm_profile_parse(&instance, text, length, "input.json", &options, diags);
  const bool is_left = instance != NULL;
  dsm_instance_free(instance);
  return is_left ? DSM_OK : status;
}

static dsm_status refuse_pim(const char *text, size_t length, dsm_diags *diags) {
  dsm_pim_plan *plan = NULL;
  const dsm_status status = dsm_pim_plan_parse(&plan, NULL, text, length, "input.json", diags);
  const bool is_left = plan != NULL;
  dsm_pim_plan_free(plan);
  return is_left ? DSM_OK : status;
}

static dsm_status refuse_partition(const char *text, size_t length, dsm_diags *diags) {
  dsm_answer read;
  const dsm_status status =
      dsm_answer_parse(&read, &dsm_answer_partition, text, length, "input.json", diags);
  const bool is_left = read.owned != NULL;
  dsm_answer_free(&read);
  return is_left ? DSM_OK : status;
}

typedef struct kind {
  const char *name;
  refuse_function refuse;
} kind;

static const kind kinds[] = {{"workload", refuse_workload},     {"system", refuse_system},
                             {"server", refuse_server},         {"profile", refuse_profile},
                             {"planner", refuse_profile},       {"plan", refuse_plan},
                             {"sweep", refuse_sweep},           {"baseline", refuse_baseline},
                             {"stages", refuse_stages},         {"rl-workload", refuse_rl_workload},
                             {"pim-system", refuse_pim_system}, {"pim", refuse_pim},
                             {"partition", refuse_partition}};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* What a run of all cases carries. */
typedef struct run {
  bool is_update;
  size_t case_count;
  size_t failed_count;
} run;

static bool read_whole(const char *path, dsm__text_buffer *text) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL) {
    printf("  %s: %s\n", path, strerror(errno));
    return false;
  }
  char block[4096];
  for (size_t size = fread(block, 1, sizeof block, file); size > 0;
       size = fread(block, 1, sizeof block, file)) {
    dsm__text_append(text, block, size);
  }
  const bool is_read = ferror(file) == 0 && !text->failed;
  fclose(file);
  return is_read;
}

static bool write_whole(const char *path, const dsm__text_buffer *text) {
  FILE *const file = fopen(path, "wb");
  if (file == NULL) {
    printf("  %s: %s\n", path, strerror(errno));
    return false;
  }
  const bool is_written = fwrite(text->text, 1, text->length, file) == text->length;
  return fclose(file) == 0 && is_written;
}

/* Every finding on a line of its own. */
static void render(const dsm_diags *diags, dsm__text_buffer *text) {
  char line[4096];
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    dsm_diag_render(dsm_diags_get(diags, i), false, line, sizeof line);
    dsm__text_printf(text, "%s\n", line);
  }
}

/* The lines of a text; the last one may lack its newline. */
typedef struct lines {
  const char *start[LINES_MAX];
  int length[LINES_MAX];
  size_t count;
} lines;

static void split(const char *text, lines *out) {
  out->count = 0;
  while (text != NULL && *text != '\0' && out->count < LINES_MAX) {
    const size_t length = strcspn(text, "\n");
    out->start[out->count] = text;
    out->length[out->count] = (int)length;
    out->count++;
    text += length + (text[length] == '\n');
  }
}

static bool is_same_line(const lines *a, size_t i, const lines *b, size_t j) {
  return a->length[i] == b->length[j] &&
         memcmp(a->start[i], b->start[j], (size_t)a->length[i]) == 0;
}

/* Is line i of a still to come in b, at j or later? */
static bool is_ahead(const lines *a, size_t i, const lines *b, size_t j) {
  for (size_t k = j; k < b->count; k++) {
    if (is_same_line(a, i, b, k)) {
      return true;
    }
  }
  return false;
}

/* A unified view: " " in both, "-" only expected, "+" only found. */
static void print_difference(const char *expected_text, const char *found_text) {
  static lines expected;
  static lines found;
  split(expected_text, &expected);
  split(found_text, &found);
  size_t i = 0;
  size_t j = 0;
  printf("--- expected\n+++ found\n");
  while (i < expected.count || j < found.count) {
    if (i < expected.count && j < found.count && is_same_line(&expected, i, &found, j)) {
      printf(" %.*s\n", expected.length[i], expected.start[i]);
      i++;
      j++;
    } else if (i < expected.count && !is_ahead(&expected, i, &found, j)) {
      printf("-%.*s\n", expected.length[i], expected.start[i]);
      i++;
    } else {
      printf("+%.*s\n", found.length[j], found.start[j]);
      j++;
    }
  }
}

/* ---- files of cases ---- */

/* A part of a file. */
typedef struct slice {
  const char *start;
  const char *end;
} slice;

/* Takes the first line, with its newline. */
static slice take_line(slice *rest) {
  const char *const newline = memchr(rest->start, '\n', (size_t)(rest->end - rest->start));
  const slice line = {rest->start, newline == NULL ? rest->end : newline + 1};
  rest->start = line.end;
  return line;
}

static bool begins_with(slice text, const char *words) {
  const size_t length = strlen(words);
  return (size_t)(text.end - text.start) >= length && memcmp(text.start, words, length) == 0;
}

/* Takes the lines before the first that begins so. */
static slice take_until(slice *rest, const char *words) {
  slice taken = {rest->start, rest->start};
  while (rest->start < rest->end && !begins_with(*rest, words)) {
    taken.end = take_line(rest).end;
  }
  return taken;
}

static void append(dsm__text_buffer *to, slice from) {
  dsm__text_append(to, from.start, (size_t)(from.end - from.start));
}

/* Makes a text of another and its changes. */
static void change(slice text, slice changes, dsm__text_buffer *to) {
  size_t number = 1; /* of the line of the text that comes next */
  while (changes.start < changes.end) {
    char *after = NULL;
    const slice place = take_line(&changes);
    const size_t first = strtoul(place.start + 2, &after, 10);
    const size_t count = strtoul(after, NULL, 10);
    for (; number < first; number++) {
      append(to, take_line(&text));
    }
    for (; number < first + count; number++) {
      (void)take_line(&text);
    }
    append(to, take_until(&changes, "@ "));
  }
  append(to, text);
}

/* Puts bytes in place of <XX>, <XX*N> and <>. */
static void decode(const dsm__text_buffer *from, dsm__text_buffer *to) {
  const char *const end = from->text + from->length;
  for (const char *at = from->text; at != NULL && at < end; at++) {
    if (*at != '<') {
      dsm__text_append(to, at, 1);
    } else if (at[1] == '>') {
      at += 2; /* and the newline */
    } else {
      char *after = NULL;
      const char byte = (char)strtoul(at + 1, &after, 16);
      const size_t count = *after == '*' ? strtoul(after + 1, &after, 10) : 1;
      for (size_t i = 0; i < count; i++) {
        dsm__text_append(to, &byte, 1);
      }
      at = after;
    }
  }
}

/* The lines of "=== text NAME" of a file. */
static slice find_text(slice file, slice name) {
  while (file.start < file.end) {
    const slice head = take_line(&file);
    if (begins_with(head, "=== text ") && head.end - head.start - 9 == name.end - name.start &&
        memcmp(head.start + 9, name.start, (size_t)(name.end - name.start)) == 0) {
      return take_until(&file, "=== ");
    }
  }
  printf("  expected a text, found \"%.*s\"", (int)(name.end - name.start), name.start);
  return (slice){file.end, file.end};
}

static const char *find_words(slice line, const char *words) {
  for (; line.start < line.end; line.start++) {
    if (begins_with(line, words)) {
      return line.start;
    }
  }
  return NULL;
}

/* The input of a case with its head. */
static void make_input(slice file, slice head, slice body, dsm__text_buffer *input) {
  dsm__text_buffer raw = {0};
  const char *const of = find_words(head, " of ");
  if (of == NULL) {
    append(&raw, body);
  } else {
    change(find_text(file, (slice){of + 4, head.end}), body, &raw);
  }
  decode(&raw, input);
  dsm__text_fini(&raw);
}

/* ---- cases ---- */

static bool is_as_expected(slice expected, const dsm__text_buffer *found) {
  const size_t length = (size_t)(expected.end - expected.start);
  const bool is_equal =
      length == found->length && length > 0 && memcmp(expected.start, found->text, length) == 0;
  if (!is_equal) {
    dsm__text_buffer copy = {0};
    append(&copy, expected);
    print_difference(copy.text, found->text);
    dsm__text_fini(&copy);
  }
  return is_equal;
}

/* Hands over a copy without anything behind it, so that sanitizers see who reads too far. */
static dsm_status refuse_exactly(const kind *of, const dsm__text_buffer *input, dsm_diags *diags) {
  char *const copy = malloc(input->length + (input->length == 0));
  if (copy == NULL) {
    return DSM_ERROR_OUT_OF_MEMORY;
  }
  if (input->length > 0) {
    memcpy(copy, input->text, input->length);
  }
  const dsm_status status = of->refuse(copy, input->length, diags);
  free(copy);
  return status;
}

/* Refuses the input and compares the findings, or adds them to what is written. */
static bool run_case(const kind *of, const dsm__text_buffer *input, slice expected,
                     dsm__text_buffer *updated) {
  dsm__text_buffer found = {0};
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  bool is_good = diags != NULL;
  if (is_good) {
    const dsm_status status = refuse_exactly(of, input, diags);
    if (status != DSM_ERROR_INVALID) {
      printf("  expected the status \"%s\" and no object, found \"%s\"\n",
             dsm_status_name(DSM_ERROR_INVALID), dsm_status_name(status));
    }
    render(diags, &found);
    dsm__text_append(updated, found.text == NULL ? "" : found.text, found.length);
    is_good = status == DSM_ERROR_INVALID && is_as_expected(expected, &found);
  }
  dsm_diags_free(diags);
  dsm__text_fini(&found);
  return is_good;
}

/* Runs all cases of a file; what the file would be with the findings of now goes to `updated`. */
static void run_file(run *all, const kind *of, slice file, dsm__text_buffer *updated) {
  slice rest = file;
  append(updated, take_until(&rest, "=== case "));
  while (rest.start < rest.end) {
    const slice head = take_line(&rest);
    const slice body = take_until(&rest, "--- findings");
    const slice mark = take_line(&rest);
    const slice expected = take_until(&rest, "=== ");
    dsm__text_buffer input = {0};
    make_input(file, head, body, &input);
    append(updated, (slice){head.start, mark.end});
    all->case_count++;
    if (!run_case(of, &input, expected, updated) && !all->is_update) {
      printf("FAILED: %s/%.*s\n", of->name, (int)strcspn(head.start + 9, " \n"), head.start + 9);
      all->failed_count++;
    }
    dsm__text_fini(&input);
    append(updated, take_until(&rest, "=== case "));
  }
}

static void run_kind(run *all, const kind *of) {
  char path[PATH_SIZE];
  dsm__text_buffer text = {0};
  dsm__text_buffer updated = {0};
  snprintf(path, sizeof path, "%s/tests/invalid/%s.txt", DSM_SOURCE_DIR, of->name);
  const size_t before = all->case_count;
  if (read_whole(path, &text)) {
    run_file(all, of, (slice){text.text, text.text + text.length}, &updated);
  }
  if (all->case_count == before || (all->is_update && !write_whole(path, &updated))) {
    printf("%s: expected cases, found none\n", path);
    all->failed_count++;
  }
  dsm__text_fini(&updated);
  dsm__text_fini(&text);
}

int main(int argc, char **argv) {
  run all = {.is_update = argc == 2 && strcmp(argv[1], "--update") == 0};
  if (argc > 1 && !all.is_update) {
    fprintf(stderr, "usage: test_invalid [--update]\n");
    return EXIT_FAILURE;
  }
  for (int k = 0; k < KIND_COUNT; k++) {
    run_kind(&all, &kinds[k]);
  }
  printf("%zu cases, %zu failed\n", all.case_count, all.failed_count);
  if (all.case_count < CASES_MIN) {
    printf("expected at least %d cases: some are missing\n", CASES_MIN);
    return EXIT_FAILURE;
  }
  return all.failed_count == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
