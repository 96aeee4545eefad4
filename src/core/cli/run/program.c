/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/parse/complete.h"
#include "cli/parse/paths.h"
#include "cli/rows/rows.h"
#include "cli/run/complain.h"
#include "cli/run/output.h"

/* Findings that a command keeps until they are printed. */
#define FINDINGS_MAX 100

static cli_exit run_with_findings(cli_arguments *arguments) {
  arguments->diags = dsm_diags_new(FINDINGS_MAX);
  return arguments->diags == NULL ? cli_out_of_memory() : arguments->command->run(arguments);
}

/* What every command does the same way. */
static cli_exit run_command(const cli_program_kind *kind, const cli_command *command, int argc,
                            char *argv[]) {
  cli_arguments arguments;
  cli_exit outcome = cli_arguments_parse(&arguments, kind, command, argc, argv);
  if (outcome == CLI_EXIT_DONE && arguments.wants_help) {
    cli_print_help(command);
  } else if (outcome == CLI_EXIT_DONE && arguments.wants_version) {
    cli_print_version();
  } else if (outcome == CLI_EXIT_DONE) {
    outcome = cli_check_output_conflicts(&arguments);
    outcome = outcome == CLI_EXIT_DONE ? cli_check_output_form(&arguments) : outcome;
    outcome = outcome == CLI_EXIT_DONE ? run_with_findings(&arguments) : outcome;
  }
  cli_arguments_fini(&arguments);
  return outcome;
}

/* The program as a whole takes options of its own, then a command with its arguments. */
static cli_exit run_program(const cli_program_kind *kind, int argc, char *argv[]) {
  cli_arguments arguments;
  cli_exit outcome = cli_arguments_parse(&arguments, kind, &cli_program, argc, argv);
  const int rest = argc - (int)arguments.operand_count;
  if (outcome == CLI_EXIT_DONE && arguments.wants_help) {
    cli_print_help(kind->is_for_sweeps ? cli_command_find("sweep") : &cli_program);
  } else if (outcome == CLI_EXIT_DONE && arguments.wants_version) {
    cli_print_version();
  } else if (outcome == CLI_EXIT_DONE && arguments.operand_count == 0) {
    outcome = cli_usage_error(&cli_program, "expected a command");
  } else if (outcome == CLI_EXIT_DONE) {
    const cli_command *const command = cli_command_find(argv[rest]);
    outcome = command == NULL ? cli_command_unknown(argv[rest])
              : kind->is_for_sweeps && command->bit != CLI_SWEEP
                  ? cli_usage_error(&cli_program, "%s has only the command 'sweep': use 'dsm %s'",
                                    kind->name, command->name)
                  : run_command(kind, command, argc - rest, argv + rest);
  }
  cli_arguments_fini(&arguments);
  return outcome;
}

bool cli_occupy_standard_descriptors(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) {
      continue;
    }
    /* The wrong way round: reading from it, or writing to it, fails. The lowest free number is this
     * one, for those below are open. */
    const int made = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (made < 0 && open("/", O_RDONLY) < 0) { /* where there are no devices */
      return false;
    }
  }
  return true;
}

int cli_main(const cli_program_kind *kind, int argc, char *argv[]) {
  if (argc < 1) {
    return CLI_EXIT_USAGE;
  }
  cli_name_program(kind->name);
  cli_join_rows();
  (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, like a full disk */
  (void)signal(SIGXFSZ, SIG_IGN); /* and so is a file at its size limit */
  cli_exit outcome = CLI_EXIT_DONE;
  if (argc > 1 && strcmp(argv[1], CLI_COMPLETE_REQUEST) == 0) {
    cli_complete((size_t)argc - 2, argv + 2);
  } else {
    outcome = run_program(kind, argc, argv);
  }
  outcome = cli_exit_max(outcome, cli_finish_stdout());
  cli_break_silence(outcome);
  return (int)outcome;
}

int cli_end(int outcome) {
  if (outcome == CLI_EXIT_UNREAD) {
    sigset_t pipe_alone;
    (void)sigemptyset(&pipe_alone);
    (void)sigaddset(&pipe_alone, SIGPIPE);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
    (void)sigprocmask(SIG_UNBLOCK, &pipe_alone, NULL);
  }
  return outcome;
}
