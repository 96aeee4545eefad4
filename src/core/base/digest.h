/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digest.h: SHA-256 of a text: the one place that knows libmd. */
#ifndef DSM_BASE_DIGEST_H
#define DSM_BASE_DIGEST_H

#include <stddef.h>

/** Bytes of a digest as text, with its NUL. */
#define DSM__DIGEST_SIZE 65

/** Writes the SHA-256 of text[0 .. length) as 64 lower-case hexadecimal digits and a NUL. */
void dsm__digest_text(const char *text, size_t length, char digest[DSM__DIGEST_SIZE]);

/** Bytes of a digest in base 64, with its NUL. */
#define DSM__DIGEST_BASE64_SIZE 45

/** Writes the SHA-256 of text[0 .. length) in base 64 (RFC 4648, section 4) and a NUL. */
void dsm__digest_base64(const char *text, size_t length, char digest[DSM__DIGEST_BASE64_SIZE]);

#endif
