/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/digest.h"

#include <sha256.h>
#include <stdint.h>
#include <sys/types.h>

void dsm__digest_text(const char *text, size_t length, char digest[DSM__DIGEST_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t bytes[SHA256_DIGEST_LENGTH];
  _Static_assert(2 * sizeof bytes + 1 == DSM__DIGEST_SIZE, "two digits a byte");
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, (const uint8_t *)text, length);
  SHA256_Final(bytes, &context);
  for (size_t i = 0; i < sizeof bytes; i++) {
    digest[2 * i] = digits[bytes[i] >> 4];
    digest[2 * i + 1] = digits[bytes[i] & 15];
  }
  digest[2 * sizeof bytes] = '\0';
}
