# SPDX-License-Identifier: GPL-3.0-or-later
# What tests need beside the program. A machine that only builds has little of it.

# dsm_has(RESULT TESTS NEED...): is all there that these tests need? If not they are left out with a
# message, or the configuration stops, with DSM_ALL_TESTS. A need is Check, C++, Python, a module as
# python-MODULE, or a program.
function(dsm_has result tests)
  set(missing)
  foreach(need IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "DSM_TOOL_${need}" tool)
    if(need STREQUAL Check)
      set(${tool} ${CHECK_FOUND})
    elseif(need STREQUAL C++)
      set(${tool} ${CMAKE_CXX_COMPILER})
    elseif(need STREQUAL Python)
      set(${tool} ${Python3_Interpreter_FOUND})
    elseif(need MATCHES "^python-(.*)$")
      execute_process(
        COMMAND ${Python3_EXECUTABLE} -c "import ${CMAKE_MATCH_1}"
        RESULT_VARIABLE status
        OUTPUT_QUIET ERROR_QUIET)
      string(COMPARE EQUAL "${status}" 0 ${tool})
    else()
      find_program(${tool} ${need})
    endif()
    if(NOT ${tool})
      list(APPEND missing ${need})
    endif()
  endforeach()
  if(NOT missing)
    set(${result} ON PARENT_SCOPE)
    return()
  endif()
  list(JOIN missing ", " missing)
  if(DSM_ALL_TESTS)
    message(FATAL_ERROR "Missing for ${tests}: ${missing} (tools/install-packages --tests)")
  endif()
  message(STATUS "Tests left out: ${tests} (missing: ${missing})")
  set(${result} OFF PARENT_SCOPE)
endfunction()
