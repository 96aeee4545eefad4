/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table/number_style.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"

/* Copies a plain number, which is digits, perhaps what the locale uses as a decimal point (in some
 * several bytes), and digits, with a comma between groups of three before the point. */
static dsm__figure group_digits(const char *plain) {
  dsm__figure figure = {.text = ""};
  size_t whole = 0;
  while (dsm__is_digit(plain[whole])) {
    whole++;
  }
  size_t used = 0;
  for (size_t i = 0; i < whole; i++) {
    if (i > 0 && (whole - i) % 3 == 0) {
      figure.text[used++] = ',';
    }
    figure.text[used++] = plain[i];
  }
  size_t at = whole;
  while (plain[at] != '\0' && !dsm__is_digit(plain[at])) {
    at++;
  }
  if (plain[at] != '\0') {
    (void)snprintf(figure.text + used, sizeof figure.text - used, ".%s", plain + at);
  }
  return figure;
}

dsm__figure dsm__figure_count(uint64_t value) {
  char plain[24];
  (void)snprintf(plain, sizeof plain, "%" PRIu64, value);
  return group_digits(plain);
}

dsm__figure dsm__figure_fixed(double value, int decimals) {
  static const double largest_plain = 1e18;
  dsm__figure figure = {.text = ""};
  if (!(value < largest_plain)) {
    (void)snprintf(figure.text, sizeof figure.text, "%.4g", value);
    return figure;
  }
  char plain[40];
  (void)snprintf(plain, sizeof plain, "%.*f", decimals, value);
  return group_digits(plain);
}

dsm__figure dsm__figure_digits(double value, int digits) {
  static const int most_decimals = 9;
  static const double least_plain = 1e-8; /* below it so many decimals are hardly a digit */
  const int magnitude = value > 0 ? (int)floor(log10(value)) : 0;
  const int wanted = digits - 1 - magnitude;
  if (value > 0 && value < least_plain && digits > 1) {
    char plain[40];
    (void)snprintf(plain, sizeof plain, "%.*e", digits - 1, value);
    return group_digits(plain);
  }
  return dsm__figure_fixed(value, wanted < 0 ? 0 : wanted > most_decimals ? most_decimals : wanted);
}

dsm__figure dsm__figure_short(double value, int digits) {
  dsm__figure figure = dsm__figure_digits(value, digits);
  const size_t length = strlen(figure.text);
  size_t kept = length;
  if (strchr(figure.text, '.') != NULL && strchr(figure.text, 'e') == NULL) {
    while (figure.text[kept - 1] == '0') {
      kept--;
    }
    kept -= figure.text[kept - 1] == '.' ? 1 : 0;
  }
  figure.text[kept] = '\0';
  return figure;
}

dsm__figure dsm__figure_percent(double share) {
  const bool is_nothing = fabs(share) <= 0;
  return is_nothing ? (dsm__figure){.text = "-"} : dsm__figure_fixed(100 * fmax(share, 0), 1);
}

dsm__figure dsm__figure_scaled(double value, const char *unit) {
  static const char prefixes[] = "\0kMGTPE";
  double scaled = value;
  size_t prefix = 0;
  /* What three digits round to 1,000 belongs to the next prefix. */
  while (scaled >= 999.5 && prefix + 2 < sizeof prefixes) {
    scaled /= 1000;
    prefix++;
  }
  const char letter[2] = {prefixes[prefix], '\0'};
  const dsm__figure number = dsm__figure_short(scaled, 3);
  dsm__figure figure;
  (void)snprintf(figure.text, sizeof figure.text, "%.32s %s%.8s", number.text, letter, unit);
  return figure;
}
