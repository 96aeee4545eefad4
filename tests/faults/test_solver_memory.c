/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_solver_memory.c: GLPK's allocations fail, one after the other. GLPK would abort the process;
 * here the best answer found before is taken, with a warning. Where one of our own fails, the
 * partition says out of memory. Nothing is left behind.
 *
 * The program's own malloc is that of every library, GLPK's too; it leads to the C library's.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsm/partition.h"

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

static dsm_status solve(const dsm_instance *instance, double *rho, dsm_diags *diags) {
  dsm_partition_options options;
  dsm_partition_options_init(&options);
  dsm_partition *partition = NULL;
  const dsm_status status = dsm_partition_solve(&partition, instance, &options, diags);
  *rho = status == DSM_OK ? partition->rho : 0;
  dsm_partition_free(partition);
  return status;
}

int main(void) {
  const dsm_task tasks[] = {{.name = "a", .weights_bytes = 3, .output_bytes = 2},
                            {.name = "b", .weights_bytes = 4, .output_bytes = 1},
                            {.name = "c", .weights_bytes = 2, .output_bytes = 1}};
  const size_t consumers[] = {1, 2};
  const dsm_tensor tensors[] = {
      {.producer = 0, .bytes = 2, .consumers = consumers, .consumer_count = 1},
      {.producer = 1, .bytes = 1, .consumers = &consumers[1], .consumer_count = 1}};
  const dsm_instance_device devices[] = {
      {.name = "x", .memory_bytes = 7, .link_bytes_per_second = 4},
      {.name = "y", .memory_bytes = 6, .link_bytes_per_second = 3}};
  const double seconds[] = {0.5, 1, 1, 0.25, 0.5, 0.5};
  const dsm_instance instance = {.name = "chain",
                                 .tasks = tasks,
                                 .task_count = 3,
                                 .tensors = tensors,
                                 .tensor_count = 2,
                                 .devices = devices,
                                 .device_count = 2,
                                 .seconds = seconds};
  dsm_diags *const diags = dsm_diags_new(4);
  double expected = 0;
  int failure_count = solve(&instance, &expected, diags) == DSM_OK ? 0 : 1;
  size_t lost = 0;
  size_t taken = 0;
  for (size_t number = 1;; number++) {
    dsm_diags_clear(diags);
    const long before = atomic_load(&live);
    double rho = 0;
    atomic_store(&seen, 0);
    atomic_store(&failing, number);
    const dsm_status status = solve(&instance, &rho, diags);
    atomic_store(&failing, 0);
    if (atomic_load(&seen) < number) {
      break;
    }
    const bool has_given_up = status == DSM_OK && dsm_diags_count(diags) == 1 &&
                              dsm_diags_get(diags, 0)->severity == DSM_SEVERITY_WARNING;
    lost += status == DSM_ERROR_OUT_OF_MEMORY ? 1 : 0;
    taken += has_given_up ? 1 : 0;
    const bool is_good = status == DSM_OK
                             ? rho == expected || (has_given_up && rho > 0 && rho <= expected)
                             : status == DSM_ERROR_OUT_OF_MEMORY && dsm_diags_count(diags) == 1;
    if (!is_good || atomic_load(&live) != before) {
      fprintf(stderr, "allocation %zu: status %d, %ld pieces left, %s\n", number, (int)status,
              atomic_load(&live) - before,
              dsm_diags_count(diags) > 0 ? dsm_diags_get(diags, 0)->message : "no finding");
      failure_count++;
    }
  }
  dsm_diags_free(diags);
  printf("%zu failed allocations were reported, with %zu more a start was the answer\n", lost,
         taken);
  return failure_count == 0 && lost > 5 && taken > 100 ? EXIT_SUCCESS : EXIT_FAILURE;
}
