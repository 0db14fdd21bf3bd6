# Sets gtest_libraries: GoogleTest as installed, or compiled from a source folder: that of Debian's
# libgtest-dev (/usr/src/googletest/googletest) or of the wheel ros-jazzy-gtest-vendor
# (src/gtest_vendor in the environment), whose own CMake projects do not both export their include
# folders.
set(GTEST_SOURCE "" CACHE PATH "Folder with GoogleTest's include and src; empty: the installed one")

find_package(Threads REQUIRED)
if(GTEST_SOURCE)
  add_library(gtest_from_source STATIC
    ${GTEST_SOURCE}/src/gtest-all.cc ${GTEST_SOURCE}/src/gtest_main.cc)
  target_include_directories(gtest_from_source SYSTEM
    PUBLIC ${GTEST_SOURCE}/include PRIVATE ${GTEST_SOURCE})
  set_target_properties(gtest_from_source PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  target_link_libraries(gtest_from_source PUBLIC Threads::Threads)
  set(gtest_libraries gtest_from_source)
else()
  find_package(GTest REQUIRED)
  set(gtest_libraries GTest::gtest GTest::gtest_main)
endif()
