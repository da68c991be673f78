function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${MERCER_BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
    -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${CMAKE_COMMAND} -E chdir ${SCRATCH} ${SCRATCH}/build/consumer)
if(EXISTS ${SCRATCH}/prefix/bin/mercer)
  run(${SCRATCH}/prefix/bin/mercer --version)
endif()
