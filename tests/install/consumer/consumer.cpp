// SPDX-License-Identifier: GPL-3.0-or-later
// consumer.cpp: the same library from C++.
#include <cstdio>

#include <dsm/dsm.h>

int main() {
  dsm_explore_options options;
  dsm_explore_options_init(&options);
  std::printf("%s %s\n", dsm_version(), dsm_mode_name(options.mode));
  return 0;
}
