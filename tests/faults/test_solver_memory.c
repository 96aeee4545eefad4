/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_solver_memory.c: GLPK's allocations fail, one after the other. GLPK would abort the process;
 * here the best answer found before is taken, with a warning. Where one of our own fails, the
 * partition says out of memory. Where neither is said, the answer is the one with enough memory, to
 * the last digit. Nothing is left behind.
 *
 * The program's own malloc is that of every library, GLPK's too; it leads to the C library's.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "two_devices.h"

/* The C library's own. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *piece);

static atomic_size_t seen;
static atomic_size_t failing; /* 0: none */
static atomic_long live;

static bool does_fail(void) {
  const size_t number = atomic_fetch_add(&seen, 1) + 1;
  return number == atomic_load(&failing);
}

static void *counted(void *piece) {
  if (piece != NULL) {
    (void)atomic_fetch_add(&live, 1);
  }
  return piece;
}

/* Libraries must see these. */
#pragma GCC visibility push(default)

void *malloc(size_t size) {
  return does_fail() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
  return does_fail() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size) {
  if (does_fail()) {
    return NULL;
  }
  void *const piece = __libc_realloc(old, size);
  return old == NULL ? counted(piece) : piece;
}

void free(void *piece) {
  if (piece != NULL) {
    (void)atomic_fetch_sub(&live, 1);
  }
  __libc_free(piece);
}

#pragma GCC visibility pop

/* All that an answer says, but for the time that it took. */
typedef struct outcome {
  dsm_status status;
  double numbers[5];
  double rates[6];
  bool is_heuristic;
  dsm_solution_status solution;
} outcome;

static const struct {
  const char *name;
  double required_rho;
  dsm_objective_kind objective;
  dsm_status status; /* with memory */
} questions[] = {{"throughput", 0, DSM_OBJECTIVE_THROUGHPUT, DSM_OK},
                 {"latency", 0, DSM_OBJECTIVE_LATENCY, DSM_OK},
                 {"energy", 0.5, DSM_OBJECTIVE_ENERGY, DSM_OK},
                 {"out of reach", 50, DSM_OBJECTIVE_ENERGY, DSM_ERROR_INFEASIBLE}};

static void solve(outcome *made, const dsm_instance *instance, size_t question, dsm_diags *diags) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  options.objective = questions[question].objective;
  options.required_rho = questions[question].required_rho;
  dsm_partition *partition = NULL;
  memset(made, 0, sizeof *made);
  made->status = dsm_partition_solve(&partition, instance, &options, diags);
  if (made->status == DSM_OK) {
    const double numbers[] = {partition->rho, partition->objective, partition->bound,
                              partition->relaxation, partition->gap};
    memcpy(made->numbers, numbers, sizeof numbers);
    memcpy(made->rates, partition->rates, sizeof made->rates);
    made->is_heuristic = partition->is_heuristic;
    made->solution = partition->status;
  }
  dsm_partition_free(partition);
}

static bool are_same(const double *a, const double *b, size_t count) {
  size_t same_count = 0;
  for (size_t i = 0; i < count; i++) {
    same_count += a[i] == b[i] ? 1 : 0;
  }
  return same_count == count;
}

static bool is_same(const outcome *a, const outcome *b) {
  return a->status == b->status && are_same(a->numbers, b->numbers, 5) &&
         are_same(a->rates, b->rates, 6) && a->is_heuristic == b->is_heuristic &&
         a->solution == b->solution;
}

static bool has_finding(const dsm_diags *diags, dsm_severity severity, const char *text) {
  for (size_t i = 0; i < dsm_diags_count(diags); i++) {
    const dsm_diag *const it = dsm_diags_get(diags, i);
    if (it->severity == severity && strstr(it->message, text) != NULL) {
      return true;
    }
  }
  return false;
}

/* Whether memory that ran out is said, or made no difference; counts what was said. */
static bool is_good(const outcome *found, const outcome *expected, const dsm_diags *diags,
                    size_t *lost, size_t *taken) {
  if (found->status == DSM_ERROR_OUT_OF_MEMORY) {
    (*lost)++;
    return dsm_diags_count(diags) == 1 && has_finding(diags, DSM_SEVERITY_ERROR, "out of memory");
  }
  if (found->status != expected->status) {
    return false;
  }
  const bool is_out_of_reach = found->status != DSM_OK &&
                               has_finding(diags, DSM_SEVERITY_ERROR, "are out of reach: the best");
  const size_t usual = found->status == DSM_OK ? 0 : 1;
  if (dsm_diags_count(diags) == usual + 1) {
    (*taken)++;
    return has_finding(diags, DSM_SEVERITY_WARNING, "memory ran out in the solver GLPK") &&
           (found->status == DSM_OK || is_out_of_reach);
  }
  return dsm_diags_count(diags) == usual && is_same(found, expected) &&
         (found->status == DSM_OK || has_finding(diags, DSM_SEVERITY_ERROR, "the best rate is"));
}

/* Each allocation of one question fails, one after the other; how many of them were bad. */
static int check(const dsm_instance *instance, size_t question, size_t *lost, size_t *taken) {
  dsm_diags *const diags = dsm_diags_new(4);
  outcome expected;
  solve(&expected, instance, question, diags);
  int failure_count = expected.status == questions[question].status ? 0 : 1;
  for (size_t number = 1;; number++) {
    dsm_diags_clear(diags);
    const long before = atomic_load(&live);
    outcome found;
    atomic_store(&seen, 0);
    atomic_store(&failing, number);
    solve(&found, instance, question, diags);
    atomic_store(&failing, 0);
    if (atomic_load(&seen) < number) {
      break;
    }
    if (!is_good(&found, &expected, diags, lost, taken) || atomic_load(&live) != before) {
      fprintf(stderr, "%s, allocation %zu: status %d, %ld pieces left, %s\n",
              questions[question].name, number, (int)found.status, atomic_load(&live) - before,
              dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
      failure_count++;
    }
  }
  dsm_diags_free(diags);
  return failure_count;
}

int main(void) {
  size_t lost = 0;
  size_t taken = 0;
  int failure_count = 0;
  for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
    failure_count += check(&two_devices, q, &lost, &taken);
  }
  printf("%zu failed allocations were reported, with %zu more a start was the answer\n", lost,
         taken);
  return failure_count == 0 && lost > 5 && taken > 100 ? EXIT_SUCCESS : EXIT_FAILURE;
}
