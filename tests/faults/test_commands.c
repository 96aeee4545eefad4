/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_commands.c: stands in for the program `dsm` in the command-line cases, and lets each command
 * fail before it runs.
 *
 * The command's main function runs in a process of its own, first as it is, and then again and
 * again with one fault each: an allocation fails, alone or with all after it; a system call fails,
 * or is interrupted, or transfers one byte; a signal comes. Such a run either does what it does
 * without the fault, or ends with exit code 5 and a message. Files are then whole or as they were.
 * It never leaks. At last the command runs as it is, for the case to look at. A broken promise is
 * told on standard error, where the case expects other words.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/program.h"
#include "folder_state.h"
#include "how_many.h"
#include "injected.h"

/* Runs of a command in each way of failing at most, and the allocations for them, which stand for
 * the time: any machine tries the same faults. Never fewer than one. */
enum { RUNS_MAX = HOW_MANY(200, 4, 2), WORK_MAX = HOW_MANY(2000000, 6000, 3000), RUNS_MIN = 1 };
enum { EXIT_OUTSIDE = 5, EXIT_INTERRUPTED = 130, EXIT_BROKEN = 99, HANG_SECONDS = 100 };

typedef struct fault {
  const char *name;
  injected_kind kind;
  bool may_fail;       /* else the run is what it is without the fault */
  bool is_signal;      /* it may end the run, without a message */
  const char *message; /* standard error has it */
} fault;

static const fault faults[] = {
    {"allocation fails alone", INJECTED_ONCE, true, false, "out of memory"},
    {"allocation fails and all after it", INJECTED_FROM, true, false, "out of memory"},
    {"system call fails", INJECTED_CALL, true, false, "error: "},
    {"system call is interrupted", INJECTED_INTERRUPTION, false, false, NULL},
    {"transfers are of one byte", INJECTED_SHORT, false, false, NULL},
    {"system call finds a signal", INJECTED_SIGNAL, true, true, NULL},
    {"standard output is full", INJECTED_FULL, true, false, "standard output"},
    {"nobody reads standard output", INJECTED_UNREAD, true, true, NULL},
};

/* What the process that runs tells the one that waits. */
typedef struct told {
  size_t allocation_count;
  size_t call_count;
  long leaked;
} told;

typedef struct outcome {
  told told;
  int status; /* as of waitpid */
  char *out, *err;
} outcome;

static int argument_count;
static char **arguments;
static told *shared;
static bool is_broken;

static void broken(const fault *f, size_t number, const char *promise, const outcome *made) {
  is_broken = true;
  fprintf(stderr, "broken promise: %s (%s, number %zu, status 0x%x):\n  dsm", promise, f->name,
          number, (unsigned)made->status);
  for (int i = 1; i < argument_count; i++) {
    fprintf(stderr, " %s", arguments[i]);
  }
  fprintf(stderr, "\n%s", made->err);
}

/* As in main.c. */
static int run_here(void) {
  const cli_program_kind kind = {.name = "dsm", .has_terminal = true, .run_sweep = dsm_sweep_run};
  return cli_end(cli_main(&kind, argument_count, arguments));
}

static char *text_of(int descriptor) {
  const off_t end = lseek(descriptor, 0, SEEK_END);
  const off_t size = end < 0 ? 0 : end; /* of a pipe */
  char *const text = calloc((size_t)size + 1, 1);
  if (text == NULL || (size > 0 && pread(descriptor, text, (size_t)size, 0) != size)) {
    exit(EXIT_BROKEN);
  }
  (void)close(descriptor);
  return text;
}

/* A descriptor for standard output. */
static int open_out(injected_kind kind) {
  int ends[2];
  if (kind == INJECTED_FULL) {
    return open("/dev/full", O_WRONLY);
  }
  if (kind == INJECTED_UNREAD && pipe(ends) == 0) {
    (void)close(ends[0]);
    return ends[1];
  }
  return memfd_create("out", 0);
}

static outcome run(injected_kind kind, size_t number) {
  const int out = open_out(kind);
  const int err = memfd_create("err", 0);
  (void)lseek(STDIN_FILENO, 0, SEEK_SET);
  const pid_t child = fork();
  if (child == 0) {
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 || close(out) || close(err)) {
      _exit(EXIT_BROKEN);
    }
    (void)alarm(HANG_SECONDS);
    const long live = injected_live_count();
    injected_arm(kind, number);
    const int code = run_here();
    shared->call_count = injected_call_count();
    shared->allocation_count = injected_disarm();
    shared->leaked = injected_live_count() - live;
    _exit(code);
  }
  outcome made = {.status = -1};
  *shared = (told){0};
  if (child < 0 || waitpid(child, &made.status, 0) != child) {
    exit(EXIT_BROKEN);
  }
  made.told = *shared;
  made.out = text_of(out);
  made.err = text_of(err);
  return made;
}

static void outcome_fini(outcome *made) {
  free(made->out);
  free(made->err);
}

/* What the command does without a fault. */
typedef struct expectation {
  outcome whole;
  bool is_steady; /* two runs say the same: no time is in it */
  folder_state before;
  folder_state after;
} expectation;

static bool is_of_output(injected_kind kind) {
  return kind == INJECTED_FULL || kind == INJECTED_UNREAD;
}

/* A remark may be missing for which memory does not suffice. */
static bool is_same(const fault *f, const outcome *made, const expectation *e) {
  const outcome *const whole = &e->whole;
  return !is_of_output(f->kind) && made->status == whole->status &&
         (!e->is_steady || (strcmp(made->out, whole->out) == 0 &&
                            strncmp(whole->err, made->err, strlen(made->err)) == 0));
}

static const char *broken_promise(const fault *f, const outcome *made, const folder_state *left,
                                  const expectation *e) {
  const bool is_untouched = folder_state_equals(left, &e->before);
  const bool is_whole = folder_state_equals(left, &e->after) || (!e->is_steady && !is_untouched);
  const bool is_stopped =
      f->is_signal && (WIFSIGNALED(made->status) || WEXITSTATUS(made->status) == EXIT_INTERRUPTED);
  if (!is_untouched && !is_whole) {
    return "files are whole or as they were";
  }
  if (is_stopped) {
    return NULL;
  }
  if (!WIFEXITED(made->status) && made->status != e->whole.status) {
    return "a run ends by itself";
  }
  if (WIFEXITED(made->status) && made->told.leaked > 0) {
    return "nothing leaks";
  }
  if (is_same(f, made, e)) {
    return is_whole ? NULL : "what succeeds in spite of a fault is whole";
  }
  if (!f->may_fail || WEXITSTATUS(made->status) != EXIT_OUTSIDE) {
    return "the exit code is 5, or all is as without the fault";
  }
  /* A command that fails in any case may have said other things, as many as there may be. */
  const char *const expected = e->whole.status == 0 ? f->message : "error: ";
  const bool says_why = f->message == NULL || strstr(made->err, expected) != NULL;
  return says_why ? NULL : "a message says why";
}

/* One run with a fault. */
static void try_once(const fault *f, size_t number, const expectation *e) {
  outcome made = run(f->kind, number);
  folder_state left;
  folder_state_read(&left);
  const char *const promise = broken_promise(f, &made, &left, e);
  if (promise != NULL) {
    broken(f, number, promise, &made);
  }
  folder_state_put_back(&e->before, &left);
  folder_state_fini(&left);
  outcome_fini(&made);
}

/* Of the numbers 1 to `count`, number `i` of `runs`: dense at both ends, for inputs are read first
 * and answers are written last, and shifted, so that other commands try other ones. */
static size_t number_of(size_t i, size_t runs, size_t count, double shift) {
  if (count <= runs) {
    return i + 1;
  }
  const size_t half = (runs + 1) / 2;
  const double place = ((double)(i % half) + shift) / (double)half;
  const size_t from_end = (size_t)pow((double)count / 2, place);
  return i < half ? from_end : count + 1 - from_end;
}

static double shift_of_arguments(void) {
  uint32_t digest = 2166136261U; /* FNV-1a */
  for (int i = 1; i < argument_count; i++) {
    for (const char *at = arguments[i]; *at != '\0'; at++) {
      digest = (digest ^ (unsigned char)*at) * 16777619U;
    }
  }
  return digest / 4294967296.0;
}

/* `check` reports what failed as it reports the rest, and times in some forms; a shell that
 * completes a word shows what there is. */
static bool is_unsteady_command(void) {
  for (int i = 1; i < argument_count; i++) { /* --verbose says how long a search took */
    if (strcmp(arguments[i], "-v") == 0 || strcmp(arguments[i], "--verbose") == 0) {
      return true;
    }
  }
  return argument_count > 1 &&
         (strcmp(arguments[1], "check") == 0 || strcmp(arguments[1], "__complete") == 0);
}

/* The command twice as it is. */
static void learn(expectation *e) {
  folder_state_read(&e->before);
  e->whole = run(INJECTED_ONCE, 0);
  folder_state_read(&e->after);
  folder_state_put_back(&e->before, &e->after);
  outcome again = run(INJECTED_ONCE, 0);
  folder_state left;
  folder_state_read(&left);
  e->is_steady = strcmp(again.out, e->whole.out) == 0 && strcmp(again.err, e->whole.err) == 0 &&
                 folder_state_equals(&left, &e->after) && !is_unsteady_command();
  folder_state_put_back(&e->before, &left);
  folder_state_fini(&left);
  outcome_fini(&again);
}

static void try_all(void) {
  expectation e;
  learn(&e);
  const double affordable = (double)WORK_MAX / (double)(e.whole.told.allocation_count + 1);
  const size_t every = affordable < RUNS_MIN ? 4 : 1; /* of a long command each fault or a part */
  for (size_t f = (size_t)(shift_of_arguments() * (double)every);
       f < sizeof faults / sizeof *faults; f += every) {
    const injected_kind kind = faults[f].kind;
    const bool is_allocation = kind == INJECTED_ONCE || kind == INJECTED_FROM;
    const size_t count = is_of_output(kind)       ? (e.whole.out[0] == '\0' ? 0 : 1)
                         : kind == INJECTED_SHORT ? 1
                         : is_allocation          ? e.whole.told.allocation_count
                                                  : e.whole.told.call_count;
    size_t runs = affordable < RUNS_MIN ? RUNS_MIN : (size_t)fmin(affordable, RUNS_MAX);
    runs = runs < count ? runs : count;
    for (size_t i = 0; i < runs && !is_broken; i++) {
      try_once(&faults[f], number_of(i, runs, count, shift_of_arguments()), &e);
    }
  }
  outcome_fini(&e.whole);
  folder_state_fini(&e.after);
  folder_state_fini(&e.before);
}

/* Standard input that is a pipe is read into a file, for each run begins it anew. */
static void keep_input(void) {
  if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) {
    return;
  }
  const int kept = memfd_create("in", 0);
  char piece[4096];
  for (ssize_t size = 0; (size = read(STDIN_FILENO, piece, sizeof piece)) > 0;) {
    (void)write(kept, piece, (size_t)size);
  }
  (void)dup2(kept, STDIN_FILENO);
  (void)close(kept);
}

int main(int argc, char *argv[]) {
  argument_count = argc;
  arguments = argv;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return EXIT_BROKEN;
  }
  injected_init();
  keep_input();
  try_all();
  (void)lseek(STDIN_FILENO, 0, SEEK_SET);
  const int code = run_here();
  return is_broken ? EXIT_BROKEN : code;
}
