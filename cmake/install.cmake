# Headers, library, command, data, and the package that find_package(Mercer) reads.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Mercer)

install(TARGETS mercer EXPORT MercerTargets FILE_SET HEADERS)
if(TARGET mercer_cli)
  install(TARGETS mercer_cli)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
if(TARGET mercer_mpi)
  install(TARGETS mercer_mpi)
endif()
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mercer)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

get_target_property(MERCER_LIBRARY_TYPE mercer TYPE)
configure_package_config_file(cmake/MercerConfig.cmake.in MercerConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(MercerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT MercerTargets NAMESPACE Mercer:: DESTINATION ${package_dir})
install(FILES cmake/MercerDependencies.cmake ${PROJECT_BINARY_DIR}/MercerConfig.cmake
              ${PROJECT_BINARY_DIR}/MercerConfigVersion.cmake DESTINATION ${package_dir})
