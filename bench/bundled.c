/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bundled.c: bundled networks on bundled systems. */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "tables.h"

typedef struct pair {
  const char *workload;
  const char *system;
  dsm_mode mode;
  const char *optimize; /* as on the command line */
  dsm_optimization_set optimizations;
} pair;

/* Million evaluations a second; 0 if the pair cannot be explored. */
static double find_rate(const char *source, const pair *of, search_cost *cost) {
  char path[PATH_SIZE];
  char *text = NULL;
  size_t length = 0;
  dsm_system *machine = NULL;
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  options.mode = of->mode;
  options.optimizations = of->optimizations;
  snprintf(path, sizeof path, "%s/systems/%s.json", source, of->system);
  bool is_done = dsm_system_load(&machine, path, NULL, 0, NULL) == DSM_OK;
  snprintf(path, sizeof path, "%s/workloads/%s.json", source, of->workload);
  is_done = is_done && dsm_file_read(&text, &length, path, NULL) == DSM_OK;
  const search_task task = {text, machine, &options, RUNS};
  is_done = is_done && measure_search(&task, cost);
  free(text);
  dsm_system_free(machine);
  return is_done ? (double)cost->evaluations / cost->explore_cpu_seconds / 1e6 : 0;
}

/* One row: `dsm explore WORKLOAD SYSTEM` as a whole process, and the rate of its search. */
static void bench_pair(const bench_paths *paths, const pair *of) {
  char mode[64];
  char optimize[64];
  snprintf(mode, sizeof mode, "--mode=%s", dsm_mode_name(of->mode));
  snprintf(optimize, sizeof optimize, "--optimize=%s", of->optimize);
  const char *const words[WORDS_MAX] = {paths->dsm, "explore", of->workload,
                                        of->system, mode,      optimize};
  const process_cost cost = run_processes(words, RUNS);
  printf("| %s | %s | %s | %s ", of->workload, of->system, dsm_mode_name(of->mode), of->optimize);
  if (cost.exit_code != 0) {
    printf("| exit %d | | | |\n", cost.exit_code);
    return;
  }
  search_cost search = {0, 0, 0, 0, 0};
  const double rate = find_rate(paths->source, of, &search);
  printf("| %.1f | %.1f | %llu | %.1f |\n", cost.cpu_seconds * 1e3, cost.peak_megabytes,
         (unsigned long long)search.evaluations, rate);
}

void bench_bundled(const bench_paths *paths) {
  static const char *const workloads[] = {"vgg16",   "resnet50",  "gnmt",   "gnmt_vocab",
                                          "alexnet", "googlenet", "raider", "mobilenet_v2"};
  static const struct {
    const char *name;
    dsm_mode mode;
  } systems[] = {{"torus64", DSM_MODE_TRAINING},
                 {"torus256", DSM_MODE_TRAINING},
                 {"chip1", DSM_MODE_TRAINING}};
  printf("## Bundled networks\n\n"
         "`dsm explore WORKLOAD SYSTEM --mode MODE --optimize LIST` at minibatch 256, one thread, "
         "median of %d runs. `exit 4`: the pair does not fit its memory.\n\n"
         "| workload | system | mode | optimize | ms | peak MB | evaluations | million/s |\n"
         "|---|---|---|---|---|---|---|---|\n",
         RUNS);
  for (size_t s = 0; s < sizeof systems / sizeof systems[0]; s++) {
    for (size_t w = 0; w < sizeof workloads / sizeof workloads[0]; w++) {
      const dsm_optimization_set all = dsm_mode_optimizations(systems[s].mode);
      const pair pairs[] = {{workloads[w], systems[s].name, systems[s].mode, "hybrid",
                             DSM_OPTIMIZATION_BIT(DSM_OPTIMIZATION_HYBRID)},
                            {workloads[w], systems[s].name, systems[s].mode, "all", all}};
      bench_pair(paths, &pairs[0]);
      bench_pair(paths, &pairs[1]);
    }
  }
  printf("\n");
}

/* Networks of many equal blocks, as `dsm explore WORKLOAD SYSTEM` explores them. */
void bench_blocks(const bench_paths *paths) {
  static const struct {
    const char *workload;
    const char *system;
    dsm_mode mode;
  } pairs[] = {{"bert_large_pretrain", "tpu_v3_1024", DSM_MODE_TRAINING},
               {"gpt2_large", "dgx_a100", DSM_MODE_TRAINING},
               {"llama2_70b", "dgx_a100", DSM_MODE_INFERENCE},
               {"gpt3_175b", "dgx_a100", DSM_MODE_TRAINING},
               {"gpt3_175b", "tpu_v3_2048", DSM_MODE_TRAINING},
               {"gpt3_175b", "tpu_v3_2048", DSM_MODE_INFERENCE}};
  printf(
      "## Networks of equal blocks\n\n"
      "`dsm explore WORKLOAD SYSTEM --mode MODE` at the minibatch of the description, one thread, "
      "median of %d runs.\n\n"
      "| workload | system | mode | optimize | ms | peak MB | evaluations | million/s |\n"
      "|---|---|---|---|---|---|---|---|\n",
      RUNS);
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const pair of = {pairs[i].workload, pairs[i].system, pairs[i].mode, "all",
                     dsm_mode_optimizations(pairs[i].mode)};
    bench_pair(paths, &of);
  }
  printf("\n");
}
