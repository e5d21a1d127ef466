# The backend on the device.
target_sources(fhe PRIVATE
  "${CMAKE_CURRENT_LIST_DIR}/card_elements.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/card_operand.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/card_polynomials.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/card_sums.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/card_wipe.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/fpga_backend.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/fpga_ring.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/reductions.cpp")
target_sources(fhe PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES
  "${CMAKE_CURRENT_LIST_DIR}/card_polynomials.hpp")
