/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h: opening files; and files and folders that get their names by a rename,
 * and are called ".dsm-PID-N.tmp" until then.
 *
 * Signals that end a process wait until the file has its name or is gone. Of a process that is
 * ended otherwise (SIGKILL, no power) a temporary stays; the next one that is made beside it
 * removes it. That nobody is at work on it is told by a lock (flock), which its maker holds as long
 * as it lives: a number of a process may be another's, or be one of another machine's.
 */
#ifndef DSM_BASE_FILES_H
#define DSM_BASE_FILES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { DSM__TEMPORARY_NAME_SIZE = 64, DSM__TEMPORARIES_MAX = 10000 };

/** Writes the name of this process's temporary number `number`, below DSM__TEMPORARIES_MAX. */
void dsm__temporary_name(char name[DSM__TEMPORARY_NAME_SIZE], int number);

/** From now on SIGINT, SIGTERM and SIGHUP wait. *before is for dsm__signals_release. */
void dsm__signals_hold(sigset_t *before);
void dsm__signals_release(const sigset_t *before);

/**
 * Holds a temporary that was just made. *holder is to be closed when it has its name or is gone; -1
 * where there are no locks. False with errno: EEXIST if another process was faster and removes it,
 * so that another one must be made.
 */
bool dsm__temporary_hold(int *holder, const char *path);

/** Removes the temporaries that nobody holds in the folder of `target`. Trouble is passed over. */
void dsm__temporaries_clear(const char *target);

/**
 * open(2), but for the numbers 0 to 2: they belong to standard input, output and error, also where
 * those are closed. The descriptor does not outlive exec, nor does a terminal become the process's
 * own. -1 with errno.
 */
int dsm__open(const char *path, int flags, mode_t mode);

#endif
