/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explore_plan.c: a program over libdsm. Loads a workload and a system, explores, and reads the
 * plan:
 *
 *     cc explore_plan.c $(pkg-config --cflags --libs dsm) -o explore_plan
 *     ./explore_plan vgg16.json torus64.json
 *     ./explore_plan vgg16.json torus64.json mode=inference minibatch=16
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dsm/dsm.h>

/* Sets an option that is given as NAME=VALUE, as on the command line of dsm but for the dashes. */
static bool set_option(dsm_session *session, const char *text) {
  char name[64];
  const char *const equals = strchr(text, '=');
  if (equals == NULL || (size_t)(equals - text) >= sizeof name) {
    fprintf(stderr, "expected NAME=VALUE, found '%s'\n", text);
    return false;
  }
  memcpy(name, text, (size_t)(equals - text));
  name[equals - text] = '\0';
  return dsm_session_set(session, name, equals + 1) == DSM_OK;
}

static bool explore(dsm_session *session, int argc, char *argv[]) {
  for (int i = 3; i < argc; i++) {
    if (!set_option(session, argv[i])) {
      return false;
    }
  }
  return dsm_session_load(session, argv[1], argv[2]) == DSM_OK &&
         dsm_session_explore(session) == DSM_OK;
}

static void print_plan(const dsm_session *session) {
  const dsm_plan *const plan = dsm_session_plan(session);
  double utilization = 0;
  double seconds = 0;
  (void)dsm_session_number(session, "utilization", &utilization);
  (void)dsm_session_number(session, "step_seconds", &seconds);
  printf("dsm %s: utilization %.6f, step %.6g ms\n", dsm_version(), utilization, seconds * 1e3);
  for (size_t i = 0; i < plan->layer_count; i++) {
    const dsm_layer_plan *const layer = &plan->layers[i];
    const dsm_pass_plan *const forward = &layer->passes[DSM_PASS_FORWARD];
    printf("%s %s %.6f\n", layer->layer->name, dsm_parallelism_name(forward->share.parallelism),
           forward->utilization);
  }
}

int main(int argc, char *argv[]) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s WORKLOAD.json SYSTEM.json [OPTION=VALUE...]\n", argv[0]);
    return EXIT_FAILURE;
  }
  dsm_session *const session = dsm_session_new();
  const bool is_explored = session != NULL && explore(session, argc, argv);
  if (is_explored) {
    print_plan(session);
  }
  for (size_t i = 0; session != NULL && dsm_session_finding(session, i) != NULL; i++) {
    fprintf(stderr, "%s\n", dsm_session_finding(session, i));
  }
  dsm_session_free(session);
  return is_explored ? EXIT_SUCCESS : EXIT_FAILURE;
}
