/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_invalid.c: bad input as data. Each folder tests/invalid/<kind>/<case>/ holds an input.json
 * that must be refused, and expected.txt with the findings as dsm_diag_render gives them without
 * colour, one a line, in order. With --update expected.txt is written anew: read the difference.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buffer.h"
#include "dsm/dsm.h"

enum { CASES_MIN = 80, FINDINGS_MAX = 1000, LINES_MAX = 1000, PATH_SIZE = 1024 };

/* Reads a text of the kind, which must be refused, and returns what the reader did. */
typedef dsm_status (*refuse_function)(const char *text, size_t length, dsm_diags *diags);

static dsm_status refuse_workload(const char *text, size_t length, dsm_diags *diags) {
  dsm_workload *workload = NULL;
  const dsm_status status =
      dsm_workload_parse(&workload, text, length, "input.json", NULL, 0, diags);
  const bool is_left = workload != NULL;
  dsm_workload_free(workload);
  return is_left ? DSM_OK : status;
}

static dsm_status refuse_system(const char *text, size_t length, dsm_diags *diags) {
  dsm_system *system = NULL;
  const dsm_status status = dsm_system_parse(&system, text, length, "input.json", NULL, 0, diags);
  const bool is_left = system != NULL;
  dsm_system_free(system);
  return is_left ? DSM_OK : status;
}

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

static dsm_status refuse_baseline(const char *text, size_t length, dsm_diags *diags) {
  dsm_baseline *baseline = NULL;
  const dsm_status status =
      dsm_baseline_parse(&baseline, text, length, "input.json", NULL, 0, diags);
  const bool is_left = baseline != NULL;
  dsm_baseline_free(baseline);
  return is_left ? DSM_OK : status;
}

static dsm_status refuse_server(const char *text, size_t length, dsm_diags *diags) {
  dsm_server *server = NULL;
  const dsm_status status = dsm_server_parse(&server, text, length, "input.json", NULL, 0, diags);
  const bool is_left = server != NULL;
  dsm_server_free(server);
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

typedef struct kind {
  const char *name;
  refuse_function refuse;
} kind;

static const kind kinds[] = {{"workload", refuse_workload}, {"system", refuse_system},
                             {"server", refuse_server},     {"profile", refuse_profile},
                             {"planner", refuse_profile},   {"plan", refuse_plan},
                             {"sweep", refuse_sweep},       {"baseline", refuse_baseline}};
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

static bool is_as_expected(const char *path, const dsm__text_buffer *found) {
  dsm__text_buffer expected = {0};
  const bool is_read = read_whole(path, &expected);
  const bool is_equal = is_read && expected.length == found->length && found->length > 0 &&
                        memcmp(expected.text, found->text, found->length) == 0;
  if (is_read && !is_equal) {
    print_difference(expected.text, found->text);
  }
  dsm__text_fini(&expected);
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

/* Refuses the input and compares, or writes, the findings. */
static bool run_case(const run *all, const kind *of, const char *folder) {
  char path[PATH_SIZE + sizeof "/expected.txt"];
  dsm__text_buffer input = {0};
  dsm__text_buffer found = {0};
  dsm_diags *const diags = dsm_diags_new(FINDINGS_MAX);
  snprintf(path, sizeof path, "%s/input.json", folder);
  bool is_good = diags != NULL && read_whole(path, &input);
  if (is_good) {
    const dsm_status status = refuse_exactly(of, &input, diags);
    if (status != DSM_ERROR_INVALID) {
      printf("  expected the status \"%s\" and no object, found \"%s\"\n",
             dsm_status_name(DSM_ERROR_INVALID), dsm_status_name(status));
    }
    render(diags, &found);
    snprintf(path, sizeof path, "%s/expected.txt", folder);
    is_good = status == DSM_ERROR_INVALID &&
              (all->is_update ? write_whole(path, &found) : is_as_expected(path, &found));
  }
  dsm_diags_free(diags);
  dsm__text_fini(&found);
  dsm__text_fini(&input);
  return is_good;
}

static int is_case(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static void run_kind(run *all, const kind *of) {
  char folder[PATH_SIZE];
  struct dirent **entries = NULL;
  snprintf(folder, sizeof folder, "%s/tests/invalid/%s", DSM_SOURCE_DIR, of->name);
  const int count = scandir(folder, &entries, is_case, alphasort);
  if (count <= 0) {
    printf("%s: expected cases, found none\n", folder);
    all->failed_count++;
  }
  for (int i = 0; i < count; i++) {
    snprintf(folder, sizeof folder, "%s/tests/invalid/%s/%s", DSM_SOURCE_DIR, of->name,
             entries[i]->d_name);
    printf("%s/%s\n", of->name, entries[i]->d_name);
    all->case_count++;
    if (!run_case(all, of, folder)) {
      printf("  FAILED\n");
      all->failed_count++;
    }
    free(entries[i]);
  }
  free(entries);
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
