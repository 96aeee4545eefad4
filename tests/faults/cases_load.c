/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cases_load.c: functions of the library that the program does not call, for it reads an input
 * after it has looked for it: files are read, with findings or without. */
#include <stdlib.h>
#include <string.h>

#include "subject.h"

/* What an output points to before: on failure it is NULL. */
static char poison;

static attempt save_plan(const subject *s, dsm_diags *diags) {
  return (attempt){.status = dsm_plan_save(s->small_plan, s->link_path, diags)};
}

static const char *after_save(const subject *s, dsm_status status) {
  char *text = NULL;
  size_t length = 0;
  if (dsm_file_read(&text, &length, s->old_path, NULL) != DSM_OK) {
    return "the file can be read";
  }
  const char *const expected = status == DSM_OK ? s->small_plan_text : subject_old_text;
  const bool is_whole = strcmp(text, expected) == 0;
  free(text);
  const bool is_put_back =
      dsm_file_write(s->old_path, subject_old_text, strlen(subject_old_text), NULL) == DSM_OK;
  return is_whole && is_put_back ? NULL : "a file is whole or as it was";
}

static attempt load_plan(const subject *s, dsm_diags *diags) {
  double recorded = 0;
  dsm_plan *plan = (void *)&poison;
  const dsm_status status = dsm_plan_load(&plan, s->plan_path, &recorded, diags);
  const attempt made = attempt_of_status(status, plan, digest_double(DIGEST_START, recorded));
  dsm_plan_free(plan);
  return made;
}

static attempt load_profile(const subject *s, dsm_diags *diags) {
  dsm_instance_options options;
  dsm_instance_options_init(&options);
  dsm_instance *instance = (void *)&poison;
  const dsm_status status = dsm_profile_load(&instance, s->workload_path, &options, diags);
  const attempt made = attempt_of_status(status, instance, 0);
  dsm_instance_free(instance);
  return made;
}

/* One of a kind that is loaded from a file of the tree. */
#define LOAD_CASE(name, type, load, file, release)                                                 \
  static attempt name(const subject *s, dsm_diags *diags) {                                        \
    type *loaded = (void *)&poison;                                                                \
    const dsm_status status = load(&loaded, DSM_SOURCE_DIR "/" file, NULL, 0, diags);              \
    (void)s;                                                                                       \
    const attempt made = attempt_of_status(status, loaded, 0);                                     \
    release(loaded);                                                                               \
    return made;                                                                                   \
  }
LOAD_CASE(load_baseline, dsm_baseline, dsm_baseline_load, "workloads/raider.json",
          dsm_baseline_free)
LOAD_CASE(load_workload, dsm_workload, dsm_workload_load, "workloads/raider.json",
          dsm_workload_free)
LOAD_CASE(load_system, dsm_system, dsm_system_load, "systems/torus16.json", dsm_system_free)
LOAD_CASE(load_server, dsm_server, dsm_server_load, "servers/edge_npu.json", dsm_server_free)
LOAD_CASE(load_technology, dsm_technology, dsm_technology_load, "technologies/n5.json",
          dsm_technology_free)
LOAD_CASE(load_chain, dsm_remat_chain, dsm_remat_chain_load, "templates/stages.json",
          dsm_remat_chain_free)
LOAD_CASE(load_rl_workload, dsm_rl_workload, dsm_rl_workload_load, "rl-workloads/frozen_lake.json",
          dsm_rl_workload_free)
LOAD_CASE(load_pim_system, dsm_pim_system, dsm_pim_system_load, "pim-systems/upmem2524.json",
          dsm_pim_system_free)

/* Texts that are read where they are. */
#define PARSE_CASE(name, type, parse, text, release)                                               \
  static attempt name(const subject *s, dsm_diags *diags) {                                        \
    type *parsed = (void *)&poison;                                                                \
    const dsm_status status = parse(&parsed, text, strlen(text), "a.json", NULL, 0, diags);        \
    (void)s;                                                                                       \
    const attempt made = attempt_of_status(status, parsed, 0);                                     \
    release(parsed);                                                                               \
    return made;                                                                                   \
  }
PARSE_CASE(parse_bad_workload, dsm_workload, dsm_workload_parse, subject_bad_workload_text,
           dsm_workload_free)
PARSE_CASE(parse_bad_system, dsm_system, dsm_system_parse, subject_bad_system_text, dsm_system_free)
PARSE_CASE(parse_rl_workload, dsm_rl_workload, dsm_rl_workload_parse, subject_bad_workload_text,
           dsm_rl_workload_free)
PARSE_CASE(parse_pim_system, dsm_pim_system, dsm_pim_system_parse, subject_bad_system_text,
           dsm_pim_system_free)

const faulty_case load_cases[] = {
    {"dsm_plan_save", save_plan, DSM_OK, after_save},
    {"dsm_plan_load", load_plan, DSM_OK, NULL},
    {"dsm_profile_load, a workload", load_profile, DSM_ERROR_INVALID, NULL},
    {"dsm_baseline_load, a workload", load_baseline, DSM_ERROR_INVALID, NULL},
    {"dsm_workload_load", load_workload, DSM_OK, NULL},
    {"dsm_system_load", load_system, DSM_OK, NULL},
    {"dsm_server_load", load_server, DSM_OK, NULL},
    {"dsm_technology_load", load_technology, DSM_OK, NULL},
    {"dsm_remat_chain_load", load_chain, DSM_OK, NULL},
    {"dsm_rl_workload_load", load_rl_workload, DSM_OK, NULL},
    {"dsm_pim_system_load", load_pim_system, DSM_OK, NULL},
    {"dsm_workload_parse, bad", parse_bad_workload, DSM_ERROR_INVALID, NULL},
    {"dsm_system_parse, bad", parse_bad_system, DSM_ERROR_INVALID, NULL},
    {"dsm_rl_workload_parse, bad", parse_rl_workload, DSM_ERROR_INVALID, NULL},
    {"dsm_pim_system_parse, bad", parse_pim_system, DSM_ERROR_INVALID, NULL},
};
const size_t load_case_count = sizeof load_cases / sizeof *load_cases;
