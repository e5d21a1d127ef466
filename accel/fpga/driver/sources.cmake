# The driver of the device: see PROGRAMMING.md and device.hpp.
target_sources(fhe PRIVATE
  "${CMAKE_CURRENT_LIST_DIR}/card_memory.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/command.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/command_queue.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/context.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/device.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/device_memory.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/link.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/model_clocks.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/model_machine.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/model_transport.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/open_transport.cpp")
