# mercer_embed(target name file): compiles a text file into `target` as `std::string_view mercer::data::name()`,
# to be declared in embedded_data.hpp. Run as a script (cmake -P), this same file writes the source.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${FILE}" text)
  file(WRITE "${OUTPUT}" "#include \"embedded_data.hpp\"\n\n"
                         "std::string_view mercer::data::${NAME}() {\n  return R\"embedded(${text})embedded\";\n}\n")
  return()
endif()

set(MERCER_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(mercer_embed target name file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D FILE=${file} -D OUTPUT=${output} -P ${MERCER_EMBED_SCRIPT}
    DEPENDS ${file} ${MERCER_EMBED_SCRIPT}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
