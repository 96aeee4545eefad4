/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_input.c: diag.h, file.h, import.h, path_steps.h, suggest.h, workload.h, system.h. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dsm/lookup.h"
#include "import/small_model.h"
#include "subject.h"

/* An address that no function gives: outputs must not keep it. */
static void *poison(void) {
  static char place;
  return &place;
}

/* ---- findings ---- */

static attempt new_diags(const subject *s, dsm_diags *diags) {
  (void)s, (void)diags;
  dsm_diags *const made = dsm_diags_new(3);
  const attempt result = {.status = made == NULL ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK};
  dsm_diags_free(made);
  return result;
}

/* Reporting never fails: it allocates nothing. */
static attempt use_diags(const subject *s, dsm_diags *diags) {
  static const char *const words[] = {"stride", NULL, "kernel"};
  uint64_t digest = DIGEST_START;
  char text[200];
  for (size_t i = 0; i < dsm_diags_count(s->findings); i++) {
    const dsm_diag *const finding = dsm_diags_get(s->findings, i);
    digest = digest_u64(digest, dsm_diag_render(finding, true, text, sizeof text));
    dsm_text_make_visible(text, sizeof text, finding->message);
    digest = digest_text(digest, text);
    digest = digest_u64(digest, dsm_diags_alike(s->findings, i));
    dsm_diags_append(diags, finding);
  }
  digest = digest_u64(digest, dsm_diags_dropped(s->findings));
  digest = digest_text(digest, dsm_suggest("strid", words, 3));
  dsm_diags_clear(diags);
  return (attempt){.status = DSM_OK, .digest = digest};
}

/* ---- files ---- */

static attempt read_file(const subject *s, dsm_diags *diags) {
  char *text = poison();
  size_t length = 0;
  const dsm_status status = dsm_file_read(&text, &length, s->workload_path, diags);
  attempt made =
      attempt_of_status(status, text, status == DSM_OK ? digest_text(DIGEST_START, text) : 0);
  if (status == DSM_OK && strcmp(text, subject_convolutional_text) != 0) {
    made.wrong = "what is read is what the file holds";
  }
  if (text != poison()) {
    free(text);
  }
  return made;
}

static attempt read_missing_file(const subject *s, dsm_diags *diags) {
  (void)s;
  char *text = poison();
  size_t length = 0;
  const dsm_status status = dsm_file_read(&text, &length, "/nowhere/at/all", diags);
  return attempt_of_status(status, text, 0);
}

/* Has a file exactly this text? */
static bool holds(const char *path, const char *text) {
  static char found[65536];
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return false;
  }
  const size_t length = fread(found, 1, sizeof found - 1, file);
  found[length] = '\0';
  return fclose(file) == 0 && strcmp(found, text) == 0;
}

/* Are there only the files of the subject in its folder? */
static bool is_folder_clean(const subject *s) {
  size_t count = 0;
  DIR *const folder = opendir(s->folder);
  if (folder == NULL) {
    return false;
  }
  while (readdir(folder) != NULL) {
    count++;
  }
  return closedir(folder) == 0 && count == 5 + 2;
}

static void restore_old(const subject *s) {
  FILE *const file = fopen(s->old_path, "w");
  if (file == NULL || fputs(subject_old_text, file) < 0 || fclose(file) != 0) {
    abort();
  }
}

static const char *look_at_old(const subject *s, const char *expected) {
  const bool is_good = holds(s->old_path, expected);
  restore_old(s);
  if (!is_folder_clean(s)) {
    return "no temporary file is left";
  }
  return is_good ? NULL : "a file is written whole or not at all";
}

static attempt write_file(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_file_write(s->link_path, "new\n", 4, diags)};
}

static const char *after_write(const subject *s, dsm_status status) {
  return look_at_old(s, status == DSM_OK ? "new\n" : subject_old_text);
}

/* A new folder each time. */
static attempt write_folder(const subject *s, dsm_diags *diags) {
  static const dsm_named_text files[] = {{"a", "one\n", 0}, {"b", "two\n", 0}};
  char path[SUBJECT_PATH_BYTES + 8];
  (void)snprintf(path, sizeof path, "%s/made", s->folder);
  return (attempt){.status = dsm_folder_write(path, files, 2, diags)};
}

/* Both files or no folder; and then there is none. */
static const char *after_folder(const subject *s, dsm_status status) {
  static const char *const names[] = {"made/a", "made/b"};
  size_t there_count = 0;
  char path[SUBJECT_PATH_BYTES + 8];
  for (size_t i = 0; i < 2; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", s->folder, names[i]);
    there_count += unlink(path) == 0;
  }
  (void)snprintf(path, sizeof path, "%s/made", s->folder);
  const bool was_there = rmdir(path) == 0;
  return was_there == (status == DSM_OK) && there_count == (status == DSM_OK ? 2 : 0)
             ? NULL
             : "whole or not at all";
}

/* An empty folder that is there. */
static attempt fill_folder(const subject *s, dsm_diags *diags) {
  char path[SUBJECT_PATH_BYTES + 8];
  (void)snprintf(path, sizeof path, "%s/made", s->folder);
  if (mkdir(path, S_IRWXU) != 0) {
    abort();
  }
  return write_folder(s, diags);
}

/* Both files or none; the folder stays. */
static const char *after_filling(const subject *s, dsm_status status) {
  if (status == DSM_OK) {
    return after_folder(s, status);
  }
  char path[SUBJECT_PATH_BYTES + 8];
  (void)snprintf(path, sizeof path, "%s/made", s->folder);
  return rmdir(path) == 0 ? NULL : "whole or not at all";
}

static attempt save_plan(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_save(s->plan, s->link_path, diags)};
}

static const char *after_save(const subject *s, dsm_status status) {
  return look_at_old(s, status == DSM_OK ? s->plan_text : subject_old_text);
}

static attempt detect(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_description description = DSM_DESCRIPTION_COUNT;
  const dsm_status status = dsm_description_detect(&description, subject_system_text,
                                                   strlen(subject_system_text), "s", diags);
  attempt made = {.status = status};
  if (status == DSM_OK) {
    made.digest = digest_text(DIGEST_START, dsm_description_name(description));
  }
  return made;
}

static attempt detect_unknown(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char text[] = "{ \"format\": \"dsm-worklod/1\" }";
  dsm_description description = DSM_DESCRIPTION_COUNT;
  return (attempt){.status =
                       dsm_description_detect(&description, text, sizeof text - 1, "x", diags)};
}

static attempt read_comment(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  static const char text[] = "{ \"//\": [\"a line\\n\", \"b\"] }";
  return attempt_of_text(dsm_description_comment(text, sizeof text - 1));
}

/* ---- paths ---- */

static void note_step(void *context, const char *name, bool leads_on) {
  uint64_t *const digest = context;
  *digest = digest_u64(digest_text(*digest, name), leads_on);
}

static attempt step_below(dsm_description kind, const char *text, const char *path) {
  uint64_t digest = DIGEST_START;
  const dsm_status status = dsm_path_steps(kind, text, strlen(text), path, note_step, &digest);
  return (attempt){.status = status, .digest = status == DSM_OK ? digest : 0};
}

static attempt step_in_workload(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  return step_below(DSM_DESCRIPTION_WORKLOAD, subject_convolutional_text, "layers.0");
}

static attempt step_in_system(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  return step_below(DSM_DESCRIPTION_SYSTEM, subject_system_text, "chip");
}

static attempt step_in_no_server(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  return step_below(DSM_DESCRIPTION_SERVER, "{}", "");
}

static attempt step_to_nowhere(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  return step_below(DSM_DESCRIPTION_SYSTEM, subject_system_text, "chip.cores");
}

/* ---- workloads ---- */

static attempt finish_workload(dsm_status status, dsm_workload *workload) {
  uint64_t digest = DIGEST_START;
  if (status == DSM_OK) {
    digest = digest_text(digest, workload->name);
    for (size_t i = 0; i < workload->layer_count; i++) {
      const dsm_layer *const layer = &workload->layers[i];
      digest = digest_text(digest, layer->name);
      digest = digest_u64(digest, layer->macs + layer->live_elements + layer->producer_count);
      digest = digest_u64(digest, dsm_workload_find_layer(workload, layer->name));
      digest = digest_u64(digest, dsm_workload_layer_is_of(workload, i, layer->name));
    }
  }
  const attempt made = attempt_of_status(status, workload, status == DSM_OK ? digest : 0);
  if ((void *)workload != poison()) {
    dsm_workload_free(workload);
  }
  return made;
}

static attempt parse_workload_of(const char *text, const dsm_override *overrides, size_t count,
                                 dsm_diags *diags) {
  dsm_workload *workload = poison();
  const dsm_status status =
      dsm_workload_parse(&workload, text, strlen(text), "w", overrides, count, diags);
  return finish_workload(status, workload);
}

static attempt parse_convolutional(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_workload_of(subject_convolutional_text, NULL, 0, diags);
}

static attempt parse_recurrent(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_workload_of(subject_recurrent_text, NULL, 0, diags);
}

static attempt parse_blocks(const subject *s, dsm_diags *diags) {
  (void)s;
  static const dsm_override override = {"layers.a.repeat", "=batch-1", NULL};
  return parse_workload_of(subject_blocks_text, &override, 1, diags);
}

static attempt parse_bad_blocks(const subject *s, dsm_diags *diags) {
  (void)s;
  static const dsm_override overrides[] = {{"layers.a.layers.x.inputs", "[\"a\", \"y\"]", NULL},
                                           {"parameters.other", "=wide/3", NULL},
                                           {"parameters.a b", "1", NULL},
                                           {"layers.in.out", "=wid", NULL}};
  return parse_workload_of(subject_blocks_text, overrides, 4, diags);
}

static attempt parse_bad_workload(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_workload_of(subject_bad_workload_text, NULL, 0, diags);
}

/* The phase of a network that generates; what an encoder has no phase for. */
static attempt derive_phase_of(const char *causal, dsm_diags *diags) {
  char text[512];
  (void)snprintf(text, sizeof text,
                 "{\"format\": \"dsm-workload/1\", \"name\": \"n\", \"minibatch\": 1, \"layers\": "
                 "[{\"name\": \"e\", \"type\": \"embedding\", \"vocabulary\": 10, \"out\": 12, "
                 "\"positions\": 5}, {\"name\": \"a\", \"type\": \"attention\", \"heads\": 2, "
                 "\"head_features\": 2, \"causal\": %s}]}",
                 causal);
  dsm_workload *network = NULL;
  dsm_workload *phase = poison();
  dsm_status status = dsm_workload_parse(&network, text, strlen(text), "n", NULL, 0, diags);
  if (status == DSM_OK) {
    status = dsm_workload_phase(&phase, network, DSM_PHASE_DECODE, 0, 7, diags);
  } else {
    phase = NULL;
  }
  const attempt made = attempt_of_status(
      status, phase, status == DSM_OK ? digest_text(DIGEST_START, phase->name) : 0);
  (void)dsm_phase_name(DSM_PHASE_DECODE);
  dsm_workload_free(status == DSM_OK ? phase : NULL);
  dsm_workload_free(network);
  return made;
}

static attempt derive_phase(const subject *s, dsm_diags *diags) {
  (void)s;
  return derive_phase_of("true", diags);
}

static attempt derive_no_phase(const subject *s, dsm_diags *diags) {
  (void)s;
  return derive_phase_of("false", diags);
}

static attempt parse_workload_overridden(const subject *s, dsm_diags *diags) {
  (void)s;
  static const dsm_override overrides[] = {{"minibatch", "16", NULL},
                                           {"source", "a text, not JSON", NULL},
                                           {"layers.c2.aux", "[{\"op\": \"relu\"}]", NULL},
                                           {"input.feature", "[8, 8]", NULL},
                                           {"layers.3.timesteps", "2", NULL}};
  return parse_workload_of(subject_convolutional_text, overrides, 5, diags);
}

static attempt parse_workload_badly_overridden(const subject *s, dsm_diags *diags) {
  (void)s;
  static const dsm_override overrides[] = {{"layers.c9.in", "1", NULL},
                                           {"a.b.c", "{\"x\": 1, \"x\": 2}", NULL},
                                           {"name.x", "1", NULL},
                                           {"", "1", NULL}};
  return parse_workload_of(subject_convolutional_text, overrides, 4, diags);
}

static attempt load_workload(const subject *s, dsm_diags *diags) {
  dsm_workload *workload = poison();
  const dsm_status status = dsm_workload_load(&workload, s->workload_path, NULL, 0, diags);
  return finish_workload(status, workload);
}

/* ---- systems ---- */

static attempt finish_system(dsm_status status, dsm_system *system) {
  uint64_t digest = DIGEST_START;
  if (status == DSM_OK) {
    const char *const note = dsm_system_note(system, "core.frequency_GHz");
    digest = digest_text(digest, system->name);
    digest = digest_text(digest, note == NULL ? "" : note);
    digest = digest_double(digest, dsm_system_peak_flops(system));
    digest = digest_double(digest, dsm_system_machine_balance(system));
    digest = digest_double(digest, dsm_system_usable_bytes(system));
  }
  const attempt made = attempt_of_status(status, system, status == DSM_OK ? digest : 0);
  if ((void *)system != poison()) {
    dsm_system_free(system);
  }
  return made;
}

static attempt parse_system_of(const char *text, const dsm_override *overrides, size_t count,
                               dsm_diags *diags) {
  dsm_system *system = poison();
  const dsm_status status =
      dsm_system_parse(&system, text, strlen(text), "s", overrides, count, diags);
  return finish_system(status, system);
}

static attempt parse_system(const subject *s, dsm_diags *diags) {
  (void)s;
  static const dsm_override overrides[] = {{"core.scratchpad_MiB", "2", NULL},
                                           {"pe.simd_macs", "4", NULL}};
  return parse_system_of(subject_system_text, overrides, 2, diags);
}

static attempt parse_bad_system(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_system_of(subject_bad_system_text, NULL, 0, diags);
}

static attempt load_system(const subject *s, dsm_diags *diags) {
  dsm_system *system = poison();
  const dsm_status status = dsm_system_load(&system, s->system_path, NULL, 0, diags);
  return finish_system(status, system);
}

/* A system on top of another one, and one whose base is not there. */
static attempt parse_system_on(const char *base, dsm_diags *diags) {
  char text[4096];
  (void)snprintf(text, sizeof text,
                 "{\"format\": \"dsm-system/1\", \"name\": \"own\", \"base\": \"%s\", "
                 "\"pe\": {\"simd_macs\": 2}, \"notes\": {\"pe.simd_macs\": \"own\"}}",
                 base);
  return parse_system_of(text, NULL, 0, diags);
}

static attempt parse_system_with_base(const subject *s, dsm_diags *diags) {
  return parse_system_on(s->system_path, diags);
}

static attempt parse_system_with_no_base(const subject *s, dsm_diags *diags) {
  (void)s;
  return parse_system_on("nowhere", diags);
}

/* ---- technologies ---- */

/* What a machine costs of a technology in the file of the subject; sums of what cannot fail. */
static attempt cost_machine(const subject *s, dsm_diags *diags) {
  (void)s;
  static const dsm_override overrides[] = {
      {"technology", DSM_SOURCE_DIR "/technologies/n7.json", NULL},
      {"technology.silicon.defects_per_cm2", "0.2", NULL}};
  dsm_system *system = poison();
  dsm_machine_cost cost;
  dsm_goodput goodput = {.ratio = 0};
  uint64_t digest = DIGEST_START;
  dsm_status status = dsm_system_parse(&system, subject_system_text, strlen(subject_system_text),
                                       "s", overrides, 2, diags);
  if (status == DSM_OK) {
    status = dsm_machine_cost_of(system, &cost, diags);
  }
  if (status == DSM_OK) {
    const dsm_die die = {.mm2 = cost.die_mm2, .cores = 4, .core_mm2 = 0.1, .spare_cores = 1};
    const dsm_technology *const technology = &system->technology;
    const bool is_good = dsm_goodput_of(&goodput, &technology->failures, 64, 60);
    digest = digest_u64(digest, is_good);
    digest = digest_double(digest, cost.chip_mm2);
    digest = digest_double(digest, goodput.ratio);
    digest = digest_double(digest, dsm_sram_mm2(5000, technology->silicon.cell_um2));
    digest = digest_double(digest, dsm_dies_per_wafer(die.mm2, technology->silicon.wafer_mm));
    digest = digest_double(digest, dsm_die_yield(&die, 0.1, technology->silicon.alpha));
    digest = digest_double(digest, dsm_die_kg(&technology->carbon, die.mm2, 0.5));
    digest = digest_double(digest, dsm_technology_link_pJ(technology, 0));
  }
  const attempt made = attempt_of_status(status, system, status == DSM_OK ? digest : 0);
  if ((void *)system != poison()) {
    dsm_system_free(system);
  }
  return made;
}

static attempt finish_technology(dsm_status status, dsm_technology *technology) {
  const uint64_t digest = status == DSM_OK ? digest_text(DIGEST_START, technology->name) : 0;
  const attempt made = attempt_of_status(status, technology, digest);
  if ((void *)technology != poison()) {
    dsm_technology_free(technology);
  }
  return made;
}

static attempt load_technology(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_technology *technology = poison();
  const dsm_status status =
      dsm_technology_load(&technology, DSM_SOURCE_DIR "/technologies/n5.json", NULL, 0, diags);
  return finish_technology(status, technology);
}

static attempt parse_bad_technology(const subject *s, dsm_diags *diags) {
  (void)s;
  static const char text[] = "{\"format\": \"dsm-technology/1\", \"name\": \"t\", "
                             "\"silicon\": {\"alpha\": 0}, \"notes\": {\"x\": \"\"}}";
  dsm_technology *technology = poison();
  const dsm_status status =
      dsm_technology_parse(&technology, text, sizeof text - 1, "t", NULL, 0, diags);
  return finish_technology(status, technology);
}

static attempt find_folders(const subject *s, dsm_diags *diags) {
  char path[4096];
  dsm_folders folders = {.count = 0};
  (void)s;
  dsm_folders_add_environment(&folders);
  dsm_folders_add_installed(&folders, "systems");
  const bool is_found = folders.count > 0 && dsm_folder_has(folders.items[folders.count - 1],
                                                            "torus16", path, sizeof path);
  const dsm_status status = folders.is_out_of_memory ? DSM_ERROR_OUT_OF_MEMORY : DSM_OK;
  const uint64_t digest = digest_u64(DIGEST_START, is_found && dsm_is_file(path));
  dsm_folders_free(&folders);
  if (status != DSM_OK) { /* who looks tells */
    dsm_diag diag = {.severity = DSM_SEVERITY_ERROR, .message = "out of memory"};
    dsm_diags_append(diags, &diag);
  }
  return (attempt){.status = status, .digest = status == DSM_OK ? digest : 0};
}

static const char *small_bytes(void) {
  return (const char *)small_model;
}

static attempt import_bytes(const char *bytes, size_t byte_count, const char *file,
                            const dsm_import_options *options, dsm_diags *diags) {
  char *text = poison();
  size_t length = 0;
  uint64_t digest = DIGEST_START;
  const dsm_status status =
      dsm_import_text(&text, &length, bytes, byte_count, file, options, diags);
  if (status == DSM_OK) {
    digest = digest_u64(digest_text(digest, text), length);
  }
  const attempt made = attempt_of_status(status, text, status == DSM_OK ? digest : 0);
  if ((void *)text != poison()) {
    free(text);
  }
  return made;
}

static attempt import_with(const dsm_import_options *options, dsm_diags *diags) {
  return import_bytes(small_bytes(), sizeof small_model, "m.onnx", options, diags);
}

static attempt import_config(const subject *s, dsm_diags *diags) {
  static const char config[] =
      "{\"model_type\": \"gpt2\", \"n_embd\": 8, \"n_layer\": 2, \"n_head\": 2, "
      "\"n_positions\": 16, \"vocab_size\": 10}";
  (void)s;
  return import_bytes(config, sizeof config - 1, "config.json", NULL, diags);
}

static attempt import_unfit_config(const subject *s, dsm_diags *diags) {
  static const char config[] =
      "{\"model_type\": \"gpt2\", \"n_embd\": 7, \"n_layer\": 2, \"n_head\": 2, "
      "\"n_positions\": 16, \"vocab_size\": 10}";
  (void)s;
  return import_bytes(config, sizeof config - 1, "config.json", NULL, diags);
}

static attempt import_table(const subject *s, dsm_diags *diags) {
  static const char table[] = "Layer,M,N,K\nx,4,4,4\nx,4,4,4\n";
  (void)s;
  return import_bytes(table, sizeof table - 1, "gemm.csv", NULL, diags);
}

static attempt import_list(const subject *s, dsm_diags *diags) {
  static const char table[] =
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides\na,9,9,3,3,2,4,1\nb,9,9,3,3,4,4,1\n";
  dsm_import_options options;
  (void)s;
  dsm_import_options_init(&options);
  (void)dsm_import_padding_name(options.padding);
  return import_bytes(table, sizeof table - 1, "list.csv", &options, diags);
}

static attempt import_system(const subject *s, dsm_diags *diags) {
  static const char system[] =
      "{\"matrix\": 1, \"vector\": 1, \"mem1\": {\"GiB\": 1, \"GBps\": 1}, \"networks\": "
      "[{\"bandwidth\": 1, \"efficiency\": 1, \"size\": 2, \"latency\": 0}]}";
  (void)s;
  return import_bytes(system, sizeof system - 1, "system.json", NULL, diags);
}

static attempt import_application(const subject *s, dsm_diags *diags) {
  static const char application[] =
      "{\"hidden\": 8, \"feedforward\": 16, \"seq_size\": 4, \"attn_heads\": 2, "
      "\"attn_size\": 4, \"num_blocks\": 2}";
  (void)s;
  return import_bytes(application, sizeof application - 1, "application.json", NULL, diags);
}

static attempt import_network(const subject *s, dsm_diags *diags) {
  static const char network[] =
      "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 1 ]\nlatency: [ 0 ]\n";
  (void)s;
  return import_bytes(network, sizeof network - 1, "network.yml", NULL, diags);
}

static attempt import_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  return import_bytes("none", 4, "none", NULL, diags);
}

static attempt import_model(const subject *s, dsm_diags *diags) {
  (void)s;
  return import_with(NULL, diags);
}

static attempt import_strictly(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_import_options options;
  dsm_import_options_init(&options);
  options.is_strict = true;
  return import_with(&options, diags);
}

/* Words and what a file holds need no memory. */
static attempt recognise_model(const subject *s, dsm_diags *diags) {
  (void)s, (void)diags;
  const dsm_import_format found = dsm_import_recognise(small_bytes(), sizeof small_model, NULL);
  dsm_import_format read = DSM_IMPORT_FORMAT_COUNT;
  const bool is_word = dsm_import_format_parse(dsm_import_format_name(found), &read) &&
                       !dsm_import_format_is_system(found);
  const attempt result = {.status = is_word && read == found ? DSM_OK : DSM_ERROR_INVALID,
                          .digest = digest_text(DIGEST_START, dsm_import_format_help(found))};
  return result;
}

static attempt read_small_file(const subject *s, dsm_diags *diags) {
  char *text = poison();
  size_t length = 0;
  const dsm_status status = dsm_file_read_within(&text, &length, s->workload_path, 2, diags);
  const attempt made = attempt_of_status(status, text, 0);
  if ((void *)text != poison()) {
    free(text);
  }
  return made;
}

const faulty_case input_cases[] = {
    {"dsm_diags_new", new_diags, DSM_OK, NULL},
    {"findings", use_diags, DSM_OK, NULL},
    {"dsm_file_read", read_file, DSM_OK, NULL},
    {"dsm_file_read of nothing", read_missing_file, DSM_ERROR_IO, NULL},
    {"dsm_file_write", write_file, DSM_OK, after_write},
    {"dsm_folder_write", write_folder, DSM_OK, after_folder},
    {"dsm_folder_write into an empty folder", fill_folder, DSM_OK, after_filling},
    {"dsm_plan_save", save_plan, DSM_OK, after_save},
    {"dsm_description_detect", detect, DSM_OK, NULL},
    {"dsm_description_detect, unknown", detect_unknown, DSM_ERROR_INVALID, NULL},
    {"dsm_description_comment", read_comment, DSM_OK, NULL},
    {"dsm_path_steps, workload", step_in_workload, DSM_OK, NULL},
    {"dsm_path_steps, system", step_in_system, DSM_OK, NULL},
    {"dsm_path_steps, server", step_in_no_server, DSM_OK, NULL},
    {"dsm_path_steps, nowhere", step_to_nowhere, DSM_ERROR_INVALID, NULL},
    {"dsm_workload_parse", parse_convolutional, DSM_OK, NULL},
    {"dsm_workload_parse, recurrent", parse_recurrent, DSM_OK, NULL},
    {"dsm_workload_parse, blocks", parse_blocks, DSM_OK, NULL},
    {"dsm_workload_parse, bad blocks", parse_bad_blocks, DSM_ERROR_INVALID, NULL},
    {"dsm_workload_parse, bad", parse_bad_workload, DSM_ERROR_INVALID, NULL},
    {"dsm_workload_parse, overrides", parse_workload_overridden, DSM_OK, NULL},
    {"dsm_workload_parse, bad overrides", parse_workload_badly_overridden, DSM_ERROR_INVALID, NULL},
    {"dsm_file_read_within", read_small_file, DSM_ERROR_INVALID, NULL},
    {"dsm_import_recognise", recognise_model, DSM_OK, NULL},
    {"dsm_import_text", import_model, DSM_OK, NULL},
    {"dsm_import_text, strict", import_strictly, DSM_ERROR_INVALID, NULL},
    {"dsm_import_text, hub", import_config, DSM_OK, NULL},
    {"dsm_import_text, unfit hub", import_unfit_config, DSM_ERROR_INVALID, NULL},
    {"dsm_import_text, table", import_table, DSM_OK, NULL},
    {"dsm_import_text, list", import_list, DSM_OK, NULL},
    {"dsm_import_text, system", import_system, DSM_OK, NULL},
    {"dsm_import_text, application", import_application, DSM_OK, NULL},
    {"dsm_import_text, network", import_network, DSM_OK, NULL},
    {"dsm_import_text, nothing", import_nothing, DSM_ERROR_INVALID, NULL},
    {"dsm_workload_load", load_workload, DSM_OK, NULL},
    {"dsm_workload_phase", derive_phase, DSM_OK, NULL},
    {"dsm_workload_phase, none", derive_no_phase, DSM_ERROR_INVALID, NULL},
    {"dsm_system_parse", parse_system, DSM_OK, NULL},
    {"dsm_system_parse, bad", parse_bad_system, DSM_ERROR_INVALID, NULL},
    {"dsm_system_load", load_system, DSM_OK, NULL},
    {"dsm_system_parse, base", parse_system_with_base, DSM_OK, NULL},
    {"dsm_system_parse, no base", parse_system_with_no_base, DSM_ERROR_INVALID, NULL},
    {"dsm_machine_cost_of", cost_machine, DSM_OK, NULL},
    {"dsm_technology_load", load_technology, DSM_OK, NULL},
    {"dsm_technology_parse, bad", parse_bad_technology, DSM_ERROR_INVALID, NULL},
    {"dsm_folders", find_folders, DSM_OK, NULL},
};
const size_t input_case_count = sizeof input_cases / sizeof input_cases[0];
