# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a C source of a file: cmake -DINPUT=F -DOUTPUT=F.c -DNAME=NAME -DHEADER=H -P embed.cmake
# The file is ASCII; the array ends in a NUL, as strings do.
file(READ "${INPUT}" content HEX)
string(REGEX REPLACE "(................................)" "\\1\n" content "${content}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
get_filename_component(source "${INPUT}" NAME)
file(
  WRITE "${OUTPUT}"
  "/* Made of ${source} by the build. */\n#include \"${HEADER}\"\n\n"
  "const char ${NAME}[] = {\n${content}\n0x00};\n")
