/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "dsm/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/diag_add.h"
#include "base/files.h"
#include "base/number_text.h"

void dsm__reason_of(int error, char reason[DSM__REASON_SIZE]) {
  if (strerror_r(error, reason, DSM__REASON_SIZE) != 0) {
    (void)snprintf(reason, DSM__REASON_SIZE, "error %d", error);
  }
}

dsm_status dsm__system_error(const char *path, const char *what, int error, dsm_diags *diags) {
  if (error == ENOMEM) {
    return dsm__out_of_memory(diags);
  }
  char reason[DSM__REASON_SIZE];
  dsm__reason_of(error, reason);
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = path}, NULL, "%s: %s", what,
                 reason);
  return DSM_ERROR_IO;
}

static dsm_status is_directory_error(dsm_diags *diags, const char *path) {
  dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = path}, NULL,
                 "expected a file, found a directory");
  return DSM_ERROR_IO;
}

/* ---- reading ---- */

/* Reads until the end or until size is full; -1 with errno on failure. */
static ssize_t read_up_to(int descriptor, char *target, size_t size) {
  size_t used = 0;
  while (used < size) {
    const ssize_t got = read(descriptor, target + used, size - used);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return -1;
    }
    if (got == 0) {
      break;
    }
    used += (size_t)got;
  }
  return (ssize_t)used;
}

/* Reads a stream of unknown length into a buffer that doubles, starting at `expected` bytes. One
 * byte over the limit is asked for, to know that there is more. */
static dsm_status read_all(char **text, size_t *length, int descriptor, size_t expected,
                           size_t most, const char *path, dsm_diags *diags) {
  const size_t limit = most + 1;
  size_t capacity = expected < limit ? expected + 1 : limit;
  size_t used = 0;
  char *buffer = NULL;
  for (;;) {
    char *const grown = realloc(buffer, capacity + 1);
    if (grown == NULL) {
      free(buffer);
      return dsm__out_of_memory(diags);
    }
    buffer = grown;
    const ssize_t got = read_up_to(descriptor, buffer + used, capacity - used);
    if (got < 0) {
      const int error = errno;
      free(buffer);
      return error == EISDIR ? is_directory_error(diags, path)
                             : dsm__system_error(path, "cannot read", error, diags);
    }
    used += (size_t)got;
    if (used < capacity || capacity == limit) {
      break;
    }
    capacity = capacity < limit / 2 ? 2 * capacity : limit;
  }
  if (used > most) {
    free(buffer);
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = path}, NULL,
                   "expected at most %zu bytes, found more", most);
    return DSM_ERROR_INVALID;
  }
  buffer[used] = '\0';
  *text = buffer;
  *length = used;
  return DSM_OK;
}

dsm_status dsm_file_read(char **text, size_t *length, const char *path, dsm_diags *diags) {
  return dsm_file_read_within(text, length, path, DSM_FILE_BYTES_MAX, diags);
}

dsm_status dsm_file_read_within(char **text, size_t *length, const char *path, size_t most,
                                dsm_diags *diags) {
  static const size_t first_guess_bytes = 4096;
  *text = NULL;
  *length = 0;
  const bool is_stdin = strcmp(path, "-") == 0;
  const int descriptor = is_stdin ? STDIN_FILENO : dsm__open(path, O_RDONLY, 0);
  if (descriptor < 0) {
    return dsm__system_error(path, "cannot open", errno, diags);
  }
  size_t expected = first_guess_bytes;
  struct stat info;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    expected = (uintmax_t)info.st_size < most ? (size_t)info.st_size : most;
  }
  const dsm_status status = read_all(text, length, descriptor, expected, most, path, diags);
  if (!is_stdin) {
    (void)close(descriptor); /* nothing was written: nothing can be lost */
  }
  return status;
}

/* ---- writing ---- */

static bool write_all(int descriptor, const char *text, size_t length) {
  size_t done = 0;
  while (done < length) {
    const ssize_t wrote = write(descriptor, text + done, length - done);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0) {
      return false;
    }
    done += (size_t)wrote;
  }
  return true;
}

/* `first` joined with the first `second_length` bytes of `second`; NULL with errno ENOMEM. */
static char *join(const char *first, size_t first_length, const char *second,
                  size_t second_length) {
  size_t size;
  char *joined = NULL;
  if (!dsm__ckd_add_size(&size, first_length, second_length) && size < SIZE_MAX) {
    joined = malloc(size + 1);
  }
  if (joined == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  if (first_length > 0) {
    memcpy(joined, first, first_length);
  }
  memcpy(joined + first_length, second, second_length);
  joined[size] = '\0';
  return joined;
}

/* The length of the folder part of a path, with its last slash. */
static size_t folder_length(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* The open descriptor that a path such as /dev/fd/3 stands for, or -1. Opening such a path anew
 * would write at the start of the file behind it, not where the descriptor stands. */
static int named_descriptor(const char *path) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const size_t length = strlen(folders[i]);
    uint64_t descriptor;
    if (strncmp(path, folders[i], length) == 0 &&
        dsm__text_to_u64(path + length, 0, INT32_MAX, &descriptor)) {
      return (int)descriptor;
    }
  }
  return -1;
}

/* Follows one symbolic link. NULL with errno 0 if the path is no link (perhaps nothing at all). */
static char *follow_link(const char *path) {
  char target[4096];
  const ssize_t length = readlink(path, target, sizeof target);
  if (length < 0 || (size_t)length == sizeof target) {
    errno = length < 0 ? 0 : ENAMETOOLONG;
    return NULL;
  }
  const size_t prefix_length = target[0] == '/' ? 0 : folder_length(path);
  return join(path, prefix_length, target, (size_t)length);
}

/* The file that a path finally names, malloc'ed: links are followed also if they lead nowhere yet.
 * It stops early at the name of a descriptor. NULL with errno on failure. */
static char *resolve(const char *path) {
  enum { MOST_LINKS = 40 };
  char *current = join(path, strlen(path), "", 0);
  for (int i = 0; current != NULL && i < MOST_LINKS; i++) {
    if (named_descriptor(current) >= 0) {
      return current;
    }
    char *const next = follow_link(current);
    if (next == NULL && errno == 0) {
      return current;
    }
    const int error = errno;
    free(current);
    current = next;
    errno = error;
  }
  if (current != NULL) {
    free(current);
    errno = ELOOP;
  }
  return NULL;
}

/* A new file in the folder of the one that it becomes. */
typedef struct temporary {
  char *name; /* malloc'ed */
  int descriptor;
  int holder; /* see dsm__temporary_hold */
} temporary;

/* Makes one with O_EXCL, and not with mkstemp, so that the kernel applies the umask, which cannot
 * be read without setting it for all threads. 0 or an errno value; EEXIST: try another number. */
static int try_temporary(temporary *made, const char *target, mode_t mode, int number) {
  char base[DSM__TEMPORARY_NAME_SIZE];
  dsm__temporary_name(base, number);
  made->name = join(target, folder_length(target), base, strlen(base));
  if (made->name == NULL) {
    return ENOMEM;
  }
  int error = 0;
  made->descriptor = dsm__open(made->name, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (made->descriptor < 0) {
    error = errno;
  } else if (!dsm__temporary_hold(&made->holder, made->name)) {
    error = errno;
    (void)close(made->descriptor);
    if (error != EEXIST) {
      (void)unlink(made->name);
    }
  }
  if (error != 0) {
    free(made->name);
  }
  return error;
}

/* 0 or an errno value. */
static int open_temporary(temporary *made, const char *target, mode_t mode) {
  int error = EEXIST;
  for (int i = 0; i < DSM__TEMPORARIES_MAX && error == EEXIST; i++) {
    error = try_temporary(made, target, mode, i);
  }
  return error;
}

/* Writes straight into a descriptor, and closes it if it was opened for that. */
static dsm_status write_directly(int descriptor, bool is_ours, const char *text, size_t length,
                                 const char *path, dsm_diags *diags) {
  int error = write_all(descriptor, text, length) ? 0 : errno;
  if (is_ours && close(descriptor) != 0 && error == 0) {
    error = errno;
  }
  return error == 0 ? DSM_OK : dsm__system_error(path, "cannot write", error, diags);
}

/* A descriptor that was passed on to this program outlives exec; none that the program opened for
 * itself (files, a database and its log) does, and those are not to be written over. */
static dsm_status write_to_descriptor(int descriptor, const char *text, size_t length,
                                      const char *path, dsm_diags *diags) {
  const int flags = fcntl(descriptor, F_GETFD);
  if (flags < 0) {
    return dsm__system_error(path, "cannot write", errno, diags);
  }
  if ((flags & FD_CLOEXEC) != 0) {
    dsm__diags_add(diags, DSM_SEVERITY_ERROR, (dsm__place){.file = path}, NULL,
                   "cannot write: this descriptor is one of the program's own");
    return DSM_ERROR_IO;
  }
  return write_directly(descriptor, false, text, length, path, diags);
}

/* Writes a temporary file and renames it to `target`. `old` describes the file that is there, NULL
 * if there is none. Returns 0 or an errno value, and then the temporary is gone. */
static int replace_file(const char *target, const struct stat *old, const char *text,
                        size_t length) {
  const mode_t new_mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  const mode_t private_mode = S_IRUSR | S_IWUSR; /* until the old mode is set */
  const mode_t permission_bits = S_IRWXU | S_IRWXG | S_IRWXO;
  temporary made = {.descriptor = -1, .holder = -1};
  int error = open_temporary(&made, target, old == NULL ? new_mode : private_mode);
  if (error != 0) {
    return error;
  }
  if (old != NULL && fchmod(made.descriptor, old->st_mode & permission_bits) != 0) {
    error = errno;
  }
  if (error == 0 && !write_all(made.descriptor, text, length)) {
    error = errno;
  }
  if (error == 0 && fsync(made.descriptor) != 0 && errno != EINVAL) { /* EINVAL: cannot be synced */
    error = errno;
  }
  if (close(made.descriptor) != 0 && error == 0) {
    error = errno;
  }
  if (error == 0 && rename(made.name, target) != 0) {
    error = errno;
  }
  if (error != 0) {
    (void)unlink(made.name);
  }
  if (made.holder >= 0) {
    (void)close(made.holder); /* nothing was written with it: nothing can be lost */
  }
  free(made.name);
  return error;
}

/* Writes to a path whose links have been followed; `path` is the name for findings. */
static dsm_status write_target(const char *target, const char *text, size_t length,
                               const char *path, dsm_diags *diags) {
  const int named = named_descriptor(target);
  if (named >= 0) {
    return write_to_descriptor(named, text, length, path, diags);
  }
  struct stat info;
  const bool exists = stat(target, &info) == 0;
  if (!exists && errno != ENOENT) {
    return dsm__system_error(path, "cannot write", errno, diags);
  }
  if (exists && S_ISDIR(info.st_mode)) {
    return is_directory_error(diags, path);
  }
  if (exists && !S_ISREG(info.st_mode)) {
    const int descriptor = dsm__open(target, O_WRONLY, 0);
    if (descriptor < 0) {
      return dsm__system_error(path, "cannot open", errno, diags);
    }
    return write_directly(descriptor, true, text, length, path, diags);
  }
  /* A rename would replace also a file that is protected against writing. */
  if (exists && access(target, W_OK) != 0) {
    return dsm__system_error(path, "cannot write", errno, diags);
  }
  sigset_t before;
  dsm__temporaries_clear(target);
  dsm__signals_hold(&before);
  const int error = replace_file(target, exists ? &info : NULL, text, length);
  dsm__signals_release(&before);
  return error == 0 ? DSM_OK : dsm__system_error(path, "cannot write", error, diags);
}

dsm_status dsm_file_write(const char *path, const char *text, size_t length, dsm_diags *diags) {
  char *const target = resolve(path);
  if (target == NULL) {
    return dsm__system_error(path, "cannot write", errno, diags);
  }
  const dsm_status status = write_target(target, text, length, path, diags);
  free(target);
  return status;
}
