/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/digest.h"

#include <stdlib.h>
#include <string.h>

#include "suites.h"

/* FIPS 180-2, appendix B, and the empty text. */
START_TEST(test_published_digests) {
  char digest[DSM__DIGEST_SIZE];
  dsm__digest_text("", 0, digest);
  ck_assert_str_eq(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  dsm__digest_text("abc", 3, digest);
  ck_assert_str_eq(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  dsm__digest_text(long_text, sizeof long_text - 1, digest);
  ck_assert_str_eq(digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

START_TEST(test_a_million_times_a) {
  enum { COUNT = 1000000 };
  char digest[DSM__DIGEST_SIZE];
  char *const text = malloc(COUNT);
  ck_assert_ptr_nonnull(text);
  memset(text, 'a', COUNT);
  dsm__digest_text(text, COUNT, digest);
  free(text);
  ck_assert_str_eq(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

/* The same digests in base 64. */
START_TEST(test_digests_in_base_64) {
  char digest[DSM__DIGEST_BASE64_SIZE];
  dsm__digest_base64("", 0, digest);
  ck_assert_str_eq(digest, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  dsm__digest_base64("abc", 3, digest);
  ck_assert_str_eq(digest, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}
END_TEST

Suite *suite_digest(void) {
  Suite *const suite = suite_create("digest");
  TCase *const cases = tcase_create("all");
  tcase_add_test(cases, test_published_digests);
  tcase_add_test(cases, test_digests_in_base_64);
  tcase_add_test(cases, test_a_million_times_a);
  suite_add_tcase(suite, cases);
  return suite;
}
