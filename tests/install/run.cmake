function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Runs an installed program or an example; what it prints must match `pattern`.
function(run_and_match pattern)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH} OUTPUT_VARIABLE printed ERROR_VARIABLE words
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT printed MATCHES "${pattern}")
    message(FATAL_ERROR "${ARGN}: expected a match of\n${pattern}\nin\n${printed}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${MERCER_BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
    -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

set(data ${SCRATCH}/prefix/share/mercer/toys)
run_and_match("accuracy (0\\.99|1\\.00).*point 2: class 0, probability of class 1 is 0\\.0" ${SCRATCH}/build/classify
              ${data}/two_moons.csv)
run_and_match("learnt rbf\\(ell=2\\.71.*0\\.958 \\+- 0\\.04.*after one look at 12" ${SCRATCH}/build/forecast ${data}/sinc.csv)
run_and_match("fourier.*f\\(2\\.5\\) = -0\\.80, cos\\(2\\.5\\) = -0\\.80.*not a kernel" ${SCRATCH}/build/own_kernel)
if(EXISTS ${SCRATCH}/prefix/bin/mercer)
  run_and_match("mercer [0-9]" ${SCRATCH}/prefix/bin/mercer --version)
  # A model that a race has made of a raw table, asked about a table with a gap, a new level and other columns.
  set(colours red green blue)
  set(rows "")
  foreach(i RANGE 1 40)
    math(EXPR size "${i} * 37 % 13")
    math(EXPR price "20 * ${size} + 7 * (${i} % 3)")
    math(EXPR which "${i} % 3")
    list(GET colours ${which} colour)
    string(APPEND rows "${size},${colour},${price}\n")
  endforeach()
  file(WRITE ${SCRATCH}/raw.csv "size,colour,price\n${rows}")
  file(WRITE ${SCRATCH}/new.csv "note,colour,size\nx,violet,10\ny,,20\nz,red,\n")
  run_and_match("" ${SCRATCH}/prefix/bin/mercer auto ${SCRATCH}/raw.csv --target price --time 5s -o ${SCRATCH}/auto.mercer)
  execute_process(COMMAND ${SCRATCH}/prefix/bin/mercer predict ${SCRATCH}/auto.mercer ${SCRATCH}/new.csv
                  OUTPUT_VARIABLE expected ERROR_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${SCRATCH}/build/answer ${SCRATCH}/auto.mercer ${SCRATCH}/new.csv
                  OUTPUT_VARIABLE printed ERROR_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
  if(NOT expected STREQUAL "price\n${printed}")
    message(FATAL_ERROR "answer: expected\n${expected}\ngot\n${printed}")
  endif()
endif()
