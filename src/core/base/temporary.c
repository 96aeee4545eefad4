/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* flock */

#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = ".dsm-";
static const char suffix[] = ".tmp";

void dsm__temporary_name(char name[DSM__TEMPORARY_NAME_SIZE], int number) {
  (void)snprintf(name, DSM__TEMPORARY_NAME_SIZE, "%s%jd-%d%s", prefix, (intmax_t)getpid(), number,
                 suffix);
}

/* ---- signals ---- */

void dsm__signals_hold(sigset_t *before) {
  sigset_t held;
  (void)sigemptyset(&held);
  (void)sigaddset(&held, SIGINT);
  (void)sigaddset(&held, SIGTERM);
  (void)sigaddset(&held, SIGHUP);
  (void)pthread_sigmask(SIG_BLOCK, &held, before);
}

void dsm__signals_release(const sigset_t *before) {
  (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- holding ---- */

/* Is it still the file or folder of that name? */
static bool is_named(int descriptor, int folder, const char *name) {
  struct stat held;
  struct stat named;
  return fstat(descriptor, &held) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool dsm__temporary_hold(int *holder, const char *path) {
  const int opened = dsm__open(path, O_RDONLY | O_NOFOLLOW, 0);
  *holder = opened;
  if (opened < 0) {
    const bool is_unreadable = errno == EACCES; /* by its permissions: nobody can lock it */
    errno = errno == ENOENT ? EEXIST : errno;
    return is_unreadable;
  }
  const bool is_locked = flock(opened, LOCK_EX | LOCK_NB) == 0;
  const bool is_other = !is_locked && errno == EWOULDBLOCK;
  if (!is_other && is_named(opened, AT_FDCWD, path)) {
    return true;
  }
  (void)close(opened);
  *holder = -1;
  errno = EEXIST;
  return false;
}

/* ---- clearing ---- */

static size_t skip_digits(const char *text) {
  return strspn(text, "0123456789");
}

static bool is_temporary(const char *name) {
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
    return false;
  }
  const char *const pid = name + sizeof prefix - 1;
  const size_t pid_length = skip_digits(pid);
  if (pid_length == 0 || pid[pid_length] != '-') {
    return false;
  }
  const char *const number = pid + pid_length + 1;
  const size_t number_length = skip_digits(number);
  return number_length > 0 && strcmp(number + number_length, suffix) == 0;
}

/* Removes the files of a folder; it takes over the descriptor. */
static void empty_folder(int descriptor) {
  DIR *const files = fdopendir(descriptor);
  if (files == NULL) {
    (void)close(descriptor);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(files)) != NULL;) {
    (void)unlinkat(descriptor, entry->d_name, 0); /* not . and .., which are folders */
  }
  (void)closedir(files);
}

/* Removes a temporary unless somebody holds it. */
static void remove_old(int folder, const char *name) {
  const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  const int opened = openat(folder, name, flags);
  struct stat info;
  const bool is_ours = opened >= 0 && fstat(opened, &info) == 0 &&
                       (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) &&
                       flock(opened, LOCK_EX | LOCK_NB) == 0 && is_named(opened, folder, name);
  if (is_ours && S_ISDIR(info.st_mode)) {
    empty_folder(fcntl(opened, F_DUPFD_CLOEXEC, 0)); /* the lock stays */
    (void)unlinkat(folder, name, AT_REMOVEDIR);
  } else if (is_ours) {
    (void)unlinkat(folder, name, 0);
  }
  if (opened >= 0) {
    (void)close(opened);
  }
}

void dsm__temporaries_clear(const char *target) {
  char path[PATH_MAX] = ".";
  const char *const slash = strrchr(target, '/');
  const size_t length = slash == NULL ? 0 : (size_t)(slash - target) + 1;
  if (length >= sizeof path) {
    return;
  }
  if (length > 0) {
    memcpy(path, target, length);
    path[length] = '\0';
  }
  DIR *const folder = opendir(path);
  if (folder == NULL) {
    return;
  }
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (is_temporary(entry->d_name)) {
      remove_old(dirfd(folder), entry->d_name);
    }
  }
  (void)closedir(folder);
}
