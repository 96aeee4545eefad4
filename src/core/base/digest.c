/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/digest.h"

#include <sha256.h>
#include <stdint.h>
#include <sys/types.h>

static void digest_bytes(const char *text, size_t length, uint8_t bytes[SHA256_DIGEST_LENGTH]) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, (const uint8_t *)text, length);
  SHA256_Final(bytes, &context);
}

void dsm__digest_text(const char *text, size_t length, char digest[DSM__DIGEST_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t bytes[SHA256_DIGEST_LENGTH];
  _Static_assert(2 * sizeof bytes + 1 == DSM__DIGEST_SIZE, "two digits a byte");
  digest_bytes(text, length, bytes);
  for (size_t i = 0; i < sizeof bytes; i++) {
    digest[2 * i] = digits[bytes[i] >> 4];
    digest[2 * i + 1] = digits[bytes[i] & 15];
  }
  digest[2 * sizeof bytes] = '\0';
}

void dsm__digest_base64(const char *text, size_t length, char digest[DSM__DIGEST_BASE64_SIZE]) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t bytes[SHA256_DIGEST_LENGTH + 1];
  _Static_assert(sizeof bytes % 3 == 0, "whole groups of three bytes, the last byte a zero");
  _Static_assert(sizeof bytes / 3 * 4 + 1 == DSM__DIGEST_BASE64_SIZE, "four letters a group");
  digest_bytes(text, length, bytes);
  bytes[SHA256_DIGEST_LENGTH] = 0;
  for (size_t group = 0; group < sizeof bytes / 3; group++) {
    const uint8_t *const in = bytes + 3 * group;
    char *const out = digest + 4 * group;
    out[0] = letters[in[0] >> 2];
    out[1] = letters[(in[0] & 3) << 4 | in[1] >> 4];
    out[2] = letters[(in[1] & 15) << 2 | in[2] >> 6];
    out[3] = letters[in[2] & 63];
  }
  digest[DSM__DIGEST_BASE64_SIZE - 2] = '='; /* for the byte that is none */
  digest[DSM__DIGEST_BASE64_SIZE - 1] = '\0';
}
