# mercer_unity(target size [MIXED] file...): compiles these files of `target` up to `size` at a time: what they include is
# read, and what they use of it is made, once for each such batch. cmake/batches.awk says which may go together; with MIXED
# that may be files of several rooms. It looks when CMake runs: where a name that was added since meets another one of its
# batch, `cmake build` sorts them anew.

function(mercer_unity target size)
  cmake_parse_arguments(PARSE_ARGV 2 batch "MIXED" "" "")
  find_program(MERCER_AWK NAMES awk mawk gawk)
  mark_as_advanced(MERCER_AWK)
  if(NOT MERCER_UNITY OR NOT MERCER_AWK)
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_FUNCTION_LIST_DIR PARENT_PATH root)
  if(batch_MIXED)
    set(mixed 1)
  else()
    set(mixed 0)
  endif()
  set(roots "${root}/src:${root}/include:${root}/tests:${root}")
  execute_process(
    COMMAND ${MERCER_AWK} -v size=${size} -v "base=${CMAKE_CURRENT_SOURCE_DIR}" -v "roots=${roots}"
            -v mixed=${mixed} -f ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/batches.awk ${batch_UNPARSED_ARGUMENTS}
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line ${lines})
    string(REGEX MATCH "^(.*) ([^ ]+)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_1} PROPERTIES UNITY_GROUP batch_${CMAKE_MATCH_2})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
