# SPDX-License-Identifier: Apache-2.0
# fhe_install_program(TARGET [COMPONENT]): installs a program (component tools), and its manual page and what shells complete,
# which it makes of its own command line (apps/support/command_documents.cpp).
find_program(FHE_GZIP gzip)
mark_as_advanced(FHE_GZIP)

# Debian's zsh looks elsewhere than others do.
set(FHE_ZSH_FOLDER "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(FHE_ZSH_FOLDER "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
endif()

function(fhe_install_program target)
  if(NOT FHE_INSTALL)
    return()
  endif()
  set(component tools)
  if(ARGC GREATER 1)
    set(component "${ARGV1}")
  endif()
  get_target_property(name ${target} OUTPUT_NAME)
  install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component})

  set(folder "${PROJECT_BINARY_DIR}/documents")
  file(MAKE_DIRECTORY "${folder}")
  set(page "${folder}/${name}.1")
  set(bash "${folder}/${name}")
  set(zsh "${folder}/_${name}")
  set(fish "${folder}/${name}.fish")
  add_custom_command(OUTPUT "${page}" "${bash}" "${zsh}" "${fish}"
    COMMAND ${target} --man-page > "${page}"
    COMMAND ${target} --completion bash > "${bash}"
    COMMAND ${target} --completion zsh > "${zsh}"
    COMMAND ${target} --completion fish > "${fish}"
    COMMENT "Manual page and completion of ${name}"
    VERBATIM)
  set(installed_page "${page}")
  if(FHE_GZIP)
    set(installed_page "${page}.gz")
    add_custom_command(OUTPUT "${installed_page}"
      COMMAND "${FHE_GZIP}" -9n < "${page}" > "${installed_page}" DEPENDS "${page}" VERBATIM)
  endif()
  add_custom_target(${target}_documents ALL DEPENDS "${installed_page}" "${bash}" "${zsh}" "${fish}")
  set_property(GLOBAL APPEND PROPERTY FHE_DOCUMENTED_PROGRAMS ${name})
  set_property(GLOBAL APPEND PROPERTY FHE_DOCUMENTED_TARGETS ${target}_documents)

  install(FILES "${installed_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${component})
  install(FILES "${bash}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT ${component})
  install(FILES "${zsh}" DESTINATION "${FHE_ZSH_FOLDER}" COMPONENT ${component})
  install(FILES "${fish}" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT ${component})
endfunction()
