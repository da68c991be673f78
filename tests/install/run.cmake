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
endif()
