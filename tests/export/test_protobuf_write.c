/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected bytes are the examples of protobuf.dev, Encoding, and others counted by hand. */
#include <check.h>
#include <stdlib.h>

#include "export/protobuf_write.h"

static dsm__text_buffer out;

static void set_up(void) {
  out = (dsm__text_buffer){0};
}

static void tear_down(void) {
  dsm__text_fini(&out);
}

static void expect_bytes(const char *bytes, size_t length) {
  ck_assert(!out.failed);
  ck_assert_uint_eq(out.length, length);
  ck_assert_mem_eq(out.text, bytes, length);
}

START_TEST(test_varints_have_7_bits_a_byte) {
  static const struct {
    uint64_t value;
    const char *bytes;
    size_t length;
  } rows[] = {
      {0, "\0", 1},
      {1, "\1", 1},
      {127, "\x7f", 1},
      {128, "\x80\1", 2},
      {150, "\x96\1", 2},
      {UINT64_C(1) << 35, "\x80\x80\x80\x80\x80\1", 6},
      {UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10},
  };
  for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
    dsm__text_clear(&out);
    dsm__protobuf_varint(&out, rows[i].value);
    expect_bytes(rows[i].bytes, rows[i].length);
  }
}
END_TEST

START_TEST(test_a_number_follows_its_key) {
  dsm__protobuf_u64(&out, 1, 150);
  dsm__protobuf_u64(&out, 27, 0);
  expect_bytes("\x08\x96\x01\xd8\x01\0", 6);
}
END_TEST

START_TEST(test_a_text_has_its_length_before_it) {
  dsm__protobuf_text(&out, 2, "testing");
  dsm__protobuf_text(&out, 2, "");
  expect_bytes("\x12\x07testing\x12\0", 11);
}
END_TEST

START_TEST(test_a_message_is_a_field_or_stands_alone) {
  dsm__text_buffer inner = {0};
  dsm__protobuf_u64(&inner, 1, 150);
  dsm__protobuf_message(&out, 3, &inner);
  dsm__protobuf_delimited(&out, &inner);
  expect_bytes("\x1a\3\x08\x96\1\3\x08\x96\1", 9);
  dsm__text_fini(&inner);
}
END_TEST

START_TEST(test_a_message_without_fields_has_no_bytes) {
  const dsm__text_buffer inner = {0};
  dsm__protobuf_message(&out, 3, &inner);
  dsm__protobuf_delimited(&out, &inner);
  expect_bytes("\x1a\0\0", 3);
}
END_TEST

START_TEST(test_a_message_that_failed_fails_what_holds_it) {
  const dsm__text_buffer inner = {.failed = true};
  if (_i == 0) {
    dsm__protobuf_message(&out, 3, &inner);
  } else {
    dsm__protobuf_delimited(&out, &inner);
  }
  ck_assert(out.failed);
}
END_TEST

int main(void) {
  Suite *const suite = suite_create("protobuf_write");
  TCase *const wire = tcase_create("wire");
  tcase_add_checked_fixture(wire, set_up, tear_down);
  tcase_add_test(wire, test_varints_have_7_bits_a_byte);
  tcase_add_test(wire, test_a_number_follows_its_key);
  tcase_add_test(wire, test_a_text_has_its_length_before_it);
  tcase_add_test(wire, test_a_message_is_a_field_or_stands_alone);
  tcase_add_test(wire, test_a_message_without_fields_has_no_bytes);
  tcase_add_loop_test(wire, test_a_message_that_failed_fails_what_holds_it, 0, 2);
  suite_add_tcase(suite, wire);
  SRunner *const runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
