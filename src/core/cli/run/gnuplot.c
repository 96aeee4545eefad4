/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/complain.h"
#include "cli/run/interrupt.h"
#include "cli/run/terminal.h"

extern char **environ;

/* The largest figure takes a few seconds. */
static const double seconds_max = 120;
/* After the picture there is nothing left to do. */
static const double seconds_to_end = 5;
/* How long a signal that asks to end may wait. */
static const double seconds_a_wait = 0.1;
/* No picture and no complaint is larger. */
#define PICTURE_MAX ((size_t)256 << 20)
#define COMPLAINT_MAX 400
#define PIECE 65536

/* What a pipe delivers. */
typedef struct collected {
  char *bytes; /* NUL-terminated */
  size_t length;
  size_t room;
} collected;

typedef struct run {
  pid_t child;
  int input; /* -1 once closed, as the others */
  int output;
  int errors;
  collected picture;
  collected complaint;
} run;

static bool make_room(collected *all, size_t more) {
  if (all->bytes != NULL && all->room - all->length > more) {
    return true;
  }
  if (all->length + more >= PICTURE_MAX) {
    return false;
  }
  const size_t room = 2 * (all->length + more) + 1;
  char *const bytes = calloc(room, 1);
  if (bytes == NULL) {
    return false;
  }
  if (all->bytes != NULL) {
    memcpy(bytes, all->bytes, all->length);
  }
  free(all->bytes);
  all->bytes = bytes;
  all->room = room;
  return true;
}

static void close_end(int *descriptor) {
  if (*descriptor >= 0) {
    (void)close(*descriptor);
    *descriptor = -1;
  }
}

/* ---- starting ---- */

/* Pipes whose ends do not pass to other programs, and do not get the numbers 0 to 2, which are
 * replaced in the child. */
static bool make_pipe(int ends[2]) {
  int raw[2];
  if (pipe(raw) != 0) {
    return false;
  }
  bool is_made = true;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
    is_made = is_made && ends[i] >= 0;
    (void)close(raw[i]);
  }
  return is_made;
}

static int spawn(pid_t *child, const int ends[3]) {
  static const char *const words[] = {"gnuplot", "-d", NULL}; /* -d: no settings of the user's */
  char *arguments[3];
  memcpy(arguments, words, sizeof arguments);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) {
    return error;
  }
  for (int i = 0; i < 3 && error == 0; i++) {
    error = posix_spawn_file_actions_adddup2(&actions, ends[i], i);
  }
  error = error == 0 ? posix_spawnattr_init(&attributes) : error;
  if (error == 0) {
    /* dsm ignores these signals; what it runs should not. */
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE);
    (void)sigaddset(&defaults, SIGXFSZ);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    /* A group of its own: it is ended with all that it started. */
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    error = posix_spawnp(child, words[0], &actions, &attributes, arguments, environ);
    (void)posix_spawnattr_destroy(&attributes);
  }
  (void)posix_spawn_file_actions_destroy(&actions);
  return error;
}

static cli_exit start_error(int error) {
  if (error == ENOENT || error == ENOTDIR || error == EACCES) {
    return cli_outside_error(
        "cannot run gnuplot, which draws the pictures: %s; install it (Debian: apt install "
        "gnuplot-nox), or keep its script with --script FOLDER",
        error == EACCES ? strerror(error) : "it is not in $PATH");
  }
  return cli_outside_error("cannot run gnuplot: %s", strerror(error));
}

static cli_exit start(run *r) {
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  bool is_made = true;
  for (int i = 0; i < 3 && is_made; i++) {
    is_made = make_pipe(pipes[i]);
  }
  const int childs[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
  const int error = is_made ? spawn(&r->child, childs) : errno;
  r->input = pipes[0][1];
  r->output = pipes[1][0];
  r->errors = pipes[2][0];
  for (int i = 0; i < 3; i++) {
    close_end(&pipes[i][i == 0 ? 0 : 1]);
  }
  if (error == 0) {
    (void)fcntl(r->input, F_SETFL, O_NONBLOCK);
    return CLI_EXIT_DONE;
  }
  close_end(&r->input);
  close_end(&r->output);
  close_end(&r->errors);
  return start_error(error);
}

/* ---- feeding and collecting ---- */

/* Closes the pipe at the end; false if there is more than fits. */
static bool collect(int *descriptor, collected *all) {
  if (!make_room(all, PIECE)) {
    return false;
  }
  const ssize_t got = read(*descriptor, all->bytes + all->length, PIECE);
  if (got > 0) {
    all->length += (size_t)got;
    all->bytes[all->length] = '\0';
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    close_end(descriptor);
  }
  return true;
}

/* A gnuplot that reads no more has said why. */
static void feed(int *descriptor, const char **script, size_t *left) {
  const ssize_t put = write(*descriptor, *script, *left);
  if (put > 0) {
    *script += put;
    *left -= (size_t)put;
  }
  const bool is_stuck = put < 0 && errno != EINTR && errno != EAGAIN;
  if (*left == 0 || is_stuck) {
    close_end(descriptor);
  }
}

/* Until gnuplot has closed its ends, or a signal asks to end. */
static cli_exit converse(run *r, const char *script) {
  const double deadline = cli_seconds_now() + seconds_max;
  size_t left = strlen(script);
  bool is_in_bounds = true;
  while ((r->output >= 0 || r->errors >= 0) && is_in_bounds) {
    const double wait = deadline - cli_seconds_now();
    if (cli_is_interrupted()) {
      return CLI_EXIT_INTERRUPTED;
    }
    if (wait <= 0) {
      return cli_outside_error("gnuplot takes longer than %.0f s", seconds_max);
    }
    struct pollfd ends[3] = {{.fd = r->input, .events = POLLOUT},
                             {.fd = r->output, .events = POLLIN},
                             {.fd = r->errors, .events = POLLIN}};
    const double most = wait < seconds_a_wait ? wait : seconds_a_wait;
    if (poll(ends, 3, (int)(1000 * most) + 1) < 0 && errno != EINTR) {
      return cli_outside_error("cannot wait for gnuplot: %s", strerror(errno));
    }
    if (r->input >= 0 && ends[0].revents != 0) {
      feed(&r->input, &script, &left);
    }
    if (r->output >= 0 && ends[1].revents != 0) {
      is_in_bounds = collect(&r->output, &r->picture);
    }
    if (r->errors >= 0 && ends[2].revents != 0 && is_in_bounds) {
      is_in_bounds = collect(&r->errors, &r->complaint);
    }
  }
  return is_in_bounds ? CLI_EXIT_DONE
                      : cli_outside_error("cannot keep the picture: out of memory, or larger than "
                                          "%zu MiB",
                                          PICTURE_MAX >> 20);
}

/* The last line of what gnuplot said, which tells the error; copies of its input and warnings come
 * before. */
static const char *last_line(const run *r) {
  const char *line = "";
  const char *text = r->complaint.bytes == NULL ? "" : r->complaint.bytes;
  while (*text != '\0') {
    text += strspn(text, " \t\n");
    line = *text == '\0' ? line : text;
    text += strcspn(text, "\n");
  }
  return line;
}

static cli_exit complain(const run *r, int status) {
  const char *const text = last_line(r);
  const int shown = (int)strcspn(text, "\n");
  const int cut = shown < COMPLAINT_MAX ? shown : COMPLAINT_MAX;
  if (WIFSIGNALED(status)) {
    return cli_outside_error("gnuplot was ended by signal %d%s%.*s", WTERMSIG(status),
                             cut > 0 ? ": " : "", cut, text);
  }
  return cli_outside_error("gnuplot made no picture (exit code %d)%s%.*s", WEXITSTATUS(status),
                           cut > 0 ? ": " : "", cut, text);
}

/* Waits until it has ended, for a while; one that does not end, or whose picture is not wanted, is
 * killed with all that it started. */
static cli_exit wait_for(pid_t child, cli_exit outcome, int *status) {
  const struct timespec rest = {.tv_nsec = 5000000};
  const double deadline = cli_seconds_now() + seconds_to_end;
  pid_t ended = 0;
  while (outcome == CLI_EXIT_DONE && ended == 0) {
    ended = waitpid(child, status, WNOHANG);
    if (ended == 0 && cli_is_interrupted()) {
      outcome = CLI_EXIT_INTERRUPTED;
    } else if (ended == 0 && cli_seconds_now() > deadline) {
      outcome = cli_outside_error("gnuplot has closed its output, but does not end");
    } else if (ended == 0) {
      (void)nanosleep(&rest, NULL);
    }
  }
  if (ended == 0) {
    (void)kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {
    }
  }
  return outcome;
}

/* Does what came begin as a picture of that form does? */
static bool is_picture(const collected *all, dsm_plot_form form) {
  static const char *const beginnings[DSM_PLOT_FORM_COUNT][2] = {
      [DSM_PLOT_SVG] = {"<?xml", "<svg"},
      [DSM_PLOT_PNG] = {"\x89PNG\r\n\x1a\n", NULL},
      [DSM_PLOT_PDF] = {"%PDF-", NULL},
  };
  bool is_any = false;
  for (int i = 0; i < 2; i++) {
    const char *const beginning = beginnings[form][i];
    is_any = is_any || (beginning != NULL && all->bytes != NULL &&
                        strncmp(all->bytes, beginning, strlen(beginning)) == 0);
  }
  return is_any;
}

/* Runs it from the start to its end; *status is how it ended. */
static cli_exit run_through(run *r, const char *script, int *status) {
  cli_interrupt_begin();
  cli_exit outcome = start(r);
  if (outcome == CLI_EXIT_DONE) {
    outcome = converse(r, script);
    close_end(&r->input);
    close_end(&r->output);
    close_end(&r->errors);
    outcome = wait_for(r->child, outcome, status);
  }
  cli_interrupt_end();
  return outcome;
}

cli_exit cli_gnuplot_run(const char *script, dsm_plot_form form, char **picture, size_t *length) {
  run r = {.child = 0, .input = -1, .output = -1, .errors = -1};
  int status = 0;
  *picture = NULL;
  cli_exit outcome = run_through(&r, script, &status);
  const bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && r.picture.length > 0;
  if (outcome == CLI_EXIT_DONE && !is_good) {
    outcome = complain(&r, status);
  }
  if (outcome == CLI_EXIT_DONE && !is_picture(&r.picture, form)) {
    outcome = cli_outside_error("gnuplot made no %s: expected a picture that begins as one, found "
                                "something else; is the gnuplot in $PATH the one that plots?",
                                dsm_plot_form_name(form));
  }
  if (outcome == CLI_EXIT_DONE) {
    *picture = r.picture.bytes;
    *length = r.picture.length;
  } else {
    free(r.picture.bytes);
  }
  free(r.complaint.bytes);
  return outcome;
}
