/* SPDX-License-Identifier: GPL-3.0-or-later */
/* baselines.c: which files the operands of `dsm check` mean. */
#define _POSIX_C_SOURCE 200809L

#include "cli/parse/input_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse/lookup.h"
#include "cli/parse/paths.h"
#include "cli/run/complain.h"

/* Adds a baseline and takes its name over; NULL if out of memory. */
static cli_baseline *add(cli_baselines *baselines, char *file) {
  const size_t size = (baselines->count + 1) * sizeof *baselines->items;
  cli_baseline *const items = calloc(1, size);
  dsm_diags *const diags = dsm_diags_new(CLI_BASELINE_FINDINGS_MAX);
  if (file == NULL || items == NULL || diags == NULL) {
    free(file);
    free(items);
    dsm_diags_free(diags);
    return NULL;
  }
  if (baselines->count > 0) {
    memcpy(items, baselines->items, baselines->count * sizeof *items);
  }
  free(baselines->items);
  baselines->items = items;
  items[baselines->count] = (cli_baseline){.file = file, .diags = diags};
  return &items[baselines->count++];
}

static int is_baseline(const struct dirent *entry) {
  return cli_ends_in(entry->d_name, ".json");
}

static int compare_names(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* A folder without baselines, or that cannot be read, fails the check: it would pass unnoticed. */
static bool add_useless_folder(cli_baselines *baselines, const char *folder, int error) {
  cli_baseline *const item = add(baselines, strdup(folder));
  if (item == NULL) {
    return false;
  }
  item->status = error == 0
                     ? cli_refuse(item->diags, DSM_ERROR_IO, folder,
                                  "make one: dsm explore WORKLOAD SYSTEM -o FOLDER/NAME.json",
                                  "expected baselines (*.json) in the folder, found none")
                     : cli_refuse(item->diags, DSM_ERROR_IO, folder, NULL,
                                  "cannot read the folder: %s", strerror(error));
  return true;
}

static bool add_folder(cli_baselines *baselines, const char *folder) {
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, is_baseline, compare_names);
  if (count <= 0) {
    const int error = count < 0 ? errno : 0;
    free(entries);
    return error != ENOMEM && add_useless_folder(baselines, folder, error);
  }
  bool is_good = true;
  for (int i = 0; i < count; i++) {
    is_good = is_good && add(baselines, cli_join_path(folder, entries[i]->d_name)) != NULL;
    free(entries[i]);
  }
  free(entries);
  return is_good;
}

static bool add_file(cli_baselines *baselines, const cli_arguments *arguments, const char *name) {
  cli_baseline *const item = add(baselines, strdup(name));
  if (item == NULL) {
    return false;
  }
  char *path = NULL;
  item->status = cli_find_input(&path, arguments, name, 0, item->diags);
  if (path != NULL) {
    free(item->file);
    item->file = path;
  }
  return item->status != DSM_ERROR_OUT_OF_MEMORY;
}

bool cli_baselines_list(cli_baselines *baselines, const cli_arguments *arguments) {
  *baselines = (cli_baselines){.count = 0};
  bool is_good = true;
  for (size_t i = 0; i < arguments->operand_count && is_good; i++) {
    const char *const operand = arguments->operands[i];
    is_good = cli_is_folder(operand) ? add_folder(baselines, operand)
                                     : add_file(baselines, arguments, operand);
  }
  return is_good;
}

const cli_baseline *cli_baselines_find(const cli_baselines *baselines, const char *file) {
  for (size_t i = 0; i < baselines->count; i++) {
    if (cli_is_same_file(baselines->items[i].file, file)) {
      return &baselines->items[i];
    }
  }
  return NULL;
}

void cli_baselines_fini(cli_baselines *baselines) {
  for (size_t i = 0; i < baselines->count; i++) {
    free(baselines->items[i].file);
    dsm_diags_free(baselines->items[i].diags);
  }
  free(baselines->items);
  *baselines = (cli_baselines){.count = 0};
}
