/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_partition.c: partition.h: answers, questions without one, the programme as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dsm/profile_import.h>

#include "subject.h"
#include "two_devices.h"

static attempt solve(dsm_objective_kind objective, double required_rho, dsm_diags *diags) {
  static dsm_partition poison;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = objective;
  options.required_rho = required_rho;
  dsm_partition *partition = &poison;
  const dsm_status status = dsm_partition_solve(&partition, &two_devices, &options, diags);
  uint64_t digest = 0;
  if (status == DSM_OK) {
    digest = digest_double(DIGEST_START, partition->objective);
    digest = digest_double(digest, partition->bound);
    digest = digest_u64(digest, partition->is_heuristic);
    digest = digest_text(digest, dsm_solution_status_name(partition->status));
    digest = digest_text(digest, dsm_objective_kind_name(partition->options.objective));
    for (size_t k = 0; k < 6; k++) {
      digest = digest_double(digest, partition->rates[k]);
    }
    if (dsm_partition_validate(partition, diags) != DSM_OK) {
      digest = 0;
    }
  }
  const attempt made = attempt_of_status(status, partition, digest);
  if (partition != &poison) {
    dsm_partition_free(partition);
  }
  return made;
}

static attempt solve_throughput(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_THROUGHPUT, 0, diags);
}

static attempt solve_latency(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_LATENCY, 0, diags);
}

static attempt solve_energy(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_ENERGY, 0.5, diags);
}

static attempt solve_limited(double limit, dsm_diags *diags) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.latency_limit_seconds = limit;
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, &two_devices, &options, diags);
  const attempt made = attempt_of_status(
      status, partition,
      status == DSM_OK ? digest_double(DIGEST_START, partition->mean_latency_seconds) : 0);
  dsm_partition_free(partition);
  return made;
}

static attempt solve_soon(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve_limited(20, diags);
}

static attempt solve_too_soon(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve_limited(1e-3, diags);
}

static attempt solve_out_of_reach(const subject *s, dsm_diags *diags) {
  (void)s;
  return solve(DSM_OBJECTIVE_ENERGY, 50, diags);
}

static attempt write_mps(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  char *text = NULL;
  const dsm_status status = dsm_partition_mps(&text, &two_devices, &options, diags);
  const attempt made =
      attempt_of_status(status, text, text == NULL ? 0 : digest_text(DIGEST_START, text));
  free(text);
  return made;
}

static attempt write_profile(const subject *s, dsm_diags *diags) {
  (void)s;
  char *text = NULL;
  const dsm_status status = dsm_profile_text(&text, &two_devices, "a test", diags);
  const attempt made =
      attempt_of_status(status, text, text == NULL ? 0 : digest_text(DIGEST_START, text));
  free(text);
  return made;
}

/* ---- measured times ---- */

static attempt import_times(const dsm_profile_file *files, size_t count, dsm_diags *diags) {
  dsm_profile_import_options options;
  dsm_profile_import_options_init(&options);
  char *text = NULL;
  const dsm_status status = dsm_profile_import(&text, files, count, &options, diags);
  const attempt made =
      attempt_of_status(status, text, text == NULL ? 0 : digest_text(DIGEST_START, text));
  free(text);
  return made;
}

static attempt import_table(const subject *s, dsm_diags *diags) {
  static const char csv[] = "layer,device,milliseconds,weights_bytes,output_bytes\n"
                            "a,cpu,2,8,16\nb,cpu,1,0,4\na,gpu,1,8,16\na,gpu,3,8,16\nb,gpu,1,0,4\n";
  const dsm_profile_file file = {NULL, "times.csv", csv, sizeof csv - 1};
  (void)s;
  return import_times(&file, 1, diags);
}

/* Of one device by ONNX Runtime, of the other by trtexec, which matches in one layer alone. */
static attempt import_traces(const subject *s, dsm_diags *diags) {
  static const char onnx[] =
      "[{\"cat\": \"Node\", \"ph\": \"X\", \"ts\": 1, \"dur\": 20, \"name\": \"a_kernel_time\","
      " \"args\": {\"output_size\": \"16\", \"parameter_size\": \"8\", \"op_name\": \"Conv\"}},"
      " {\"cat\": \"Node\", \"ph\": \"X\", \"ts\": 30, \"dur\": 5, \"name\": \"b_kernel_time\","
      " \"args\": {\"output_size\": \"4\", \"parameter_size\": \"0\", \"op_name\": \"Relu\"}}]";
  static const char trtexec[] =
      "[{\"count\": 2}, {\"name\": \"a\", \"timeMs\": 2, \"averageMs\": 1, \"medianMs\": 1,"
      " \"percentage\": 80}, {\"name\": \"c\", \"timeMs\": 1, \"averageMs\": 0.5, \"medianMs\": "
      "0.5,"
      " \"percentage\": 20}]";
  const dsm_profile_file files[] = {{"cpu", "cpu.json", onnx, sizeof onnx - 1},
                                    {"gpu", "gpu.json", trtexec, sizeof trtexec - 1}};
  (void)s;
  return import_times(files, 2, diags);
}

static attempt import_broken(const subject *s, dsm_diags *diags) {
  static const char csv[] = "layer,device,milliseconds\na,cpu,-1\n";
  const dsm_profile_file file = {NULL, "times.csv", csv, sizeof csv - 1};
  (void)s;
  return import_times(&file, 1, diags);
}

/* ---- plans to deploy ---- */

static attempt solve_in_stages(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_partition *partition = NULL;
  const dsm_status status = subject_solve_stages(&partition, diags);
  const attempt made = attempt_of_status(
      status, partition, status == DSM_OK ? digest_double(DIGEST_START, partition->rho) : 0);
  dsm_partition_free(partition);
  return made;
}

static attempt read_placed(const subject *s, dsm_diags *diags) {
  static dsm_partition poison;
  dsm_partition *partition = &poison;
  const dsm_status status = parsed_as(&dsm_answer_partition, &partition, s->placed_text,
                                      strlen(s->placed_text), "placed.json", diags);
  const attempt made = attempt_of_status(
      status, partition, status == DSM_OK ? digest_double(DIGEST_START, partition->rho) : 0);
  if (partition != &poison) {
    dsm_partition_free(partition);
  }
  return made;
}

static attempt export_placed(const subject *s, dsm_diags *diags) {
  (void)s;
  dsm_partition *partition = NULL;
  dsm_export *made = NULL;
  dsm_status status = subject_solve_stages(&partition, diags);
  if (status == DSM_OK) {
    status = dsm_export_partition(&made, partition, diags);
  }
  const attempt tried = attempt_of_status(
      status, made, status == DSM_OK ? digest_text(DIGEST_START, made->files[0].text) : 0);
  dsm_export_free(made);
  dsm_partition_free(partition);
  return tried;
}

static attempt pin_tasks(const subject *s, dsm_diags *diags) {
  static const char profile[] =
      "{\"format\":\"dsm-profile/"
      "1\",\"name\":\"p\",\"devices\":[{\"name\":\"d\"},{\"name\":\"e\"}],"
      "\"tasks\":[{\"name\":\"t\",\"weights_bytes\":1,\"output_bytes\":1,\"seconds\":{\"d\":1,"
      "\"e\":1}},"
      "{\"name\":\"u\",\"weights_bytes\":1,\"output_bytes\":1,\"seconds\":{\"d\":1,\"e\":1}}]}";
  static const char *const pins[] = {"t=d"};
  static const char *const groups[] = {"t,u"};
  (void)s;
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.pins = pins;
  options.pin_count = 1;
  options.groups = groups;
  options.group_count = 1;
  dsm_instance *instance = NULL;
  const dsm_status status =
      dsm_profile_parse(&instance, profile, sizeof profile - 1, "p.json", &options, diags);
  const attempt made = attempt_of_status(
      status, instance, status == DSM_OK ? digest_text(DIGEST_START, instance->tasks[1].group) : 0);
  dsm_instance_free(instance);
  return made;
}

static attempt choose_batches_within(double limit, dsm_diags *diags) {
  static const char profile[] =
      "{\"format\":\"dsm-profile/1\",\"name\":\"p\",\"devices\":[{\"name\":\"d\"}],\"tasks\":["
      "{\"name\":\"t\",\"weights_bytes\":1,\"output_bytes\":1,\"seconds\":{\"d\":[[1,2],[4,3]]}},"
      "{\"name\":\"u\",\"weights_bytes\":1,\"output_bytes\":1,\"inputs\":[],"
      "\"seconds\":{\"d\":[[1,1],[2,3],[4,9]]}}]}";
  static const char *const batches[] = {"best"};
  dsm_partition_options asked;
  dsm_partition_options_init(&asked);
  asked.latency_limit_seconds = limit;
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  options.batches = batches;
  options.batch_count = 1;
  dsm_instance *instance = NULL;
  dsm_partition *solved = NULL;
  dsm_status status =
      dsm_profile_parse(&instance, profile, sizeof profile - 1, "p.json", &options, diags);
  if (status == DSM_OK) {
    status = dsm_partition_solve(&solved, instance, &asked, diags);
  }
  const attempt made = attempt_of_status(
      status, solved, solved == NULL ? 0 : digest_double(DIGEST_START, solved->rho));
  dsm_partition_free(solved);
  dsm_instance_free(instance);
  return made;
}

static attempt choose_batches(const subject *s, dsm_diags *diags) {
  (void)s;
  return choose_batches_within(0, diags);
}

static attempt choose_quick_batches(const subject *s, dsm_diags *diags) {
  (void)s;
  return choose_batches_within(7, diags);
}

static attempt free_nothing(const subject *s, dsm_diags *diags) {
  (void)s;
  (void)diags;
  dsm_partition_free(NULL);
  return (attempt){.status = DSM_OK};
}

const faulty_case partition_cases[] = {
    {"dsm_partition_solve, throughput", solve_throughput, DSM_OK, NULL},
    {"dsm_partition_solve, latency", solve_latency, DSM_OK, NULL},
    {"dsm_partition_solve, energy", solve_energy, DSM_OK, NULL},
    {"dsm_partition_solve, out of reach", solve_out_of_reach, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_partition_solve, limited latency", solve_soon, DSM_OK, NULL},
    {"dsm_partition_solve, latency out of reach", solve_too_soon, DSM_ERROR_INFEASIBLE, NULL},
    {"dsm_partition_solve, stages", solve_in_stages, DSM_OK, NULL},
    {"dsm_answer_parse: partition", read_placed, DSM_OK, NULL},
    {"dsm_export_partition", export_placed, DSM_OK, NULL},
    {"dsm_profile_parse, pins", pin_tasks, DSM_OK, NULL},
    {"dsm_partition_solve, batches", choose_batches, DSM_OK, NULL},
    {"dsm_partition_solve, batches within a limit", choose_quick_batches, DSM_OK, NULL},
    {"dsm_partition_mps", write_mps, DSM_OK, NULL},
    {"dsm_profile_text", write_profile, DSM_OK, NULL},
    {"dsm_profile_import, a table", import_table, DSM_OK, NULL},
    {"dsm_profile_import, traces", import_traces, DSM_OK, NULL},
    {"dsm_profile_import, a broken table", import_broken, DSM_ERROR_INVALID, NULL},
    {"dsm_partition_free", free_nothing, DSM_OK, NULL},
};
const size_t partition_case_count = sizeof partition_cases / sizeof partition_cases[0];
