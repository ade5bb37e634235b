# Debian packages by `cpack`, in the build folder: the program, the library, what one needs to build against it, and the Python package.
# scripts/package makes them, tests/packages.sh installs them into an empty system.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slipstick)
set(CPACK_PACKAGE_VENDOR "The Slipstick authors")
set(CPACK_PACKAGE_CONTACT "The Slipstick authors <authors@slipstick.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME slipstick)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "simulation of mechanical systems with dry friction and contact
 Stick-slip, impact, lift-off, brakes that squeal, elastic bodies and gears: runs, static
 solutions, eigenmodes, bifurcation diagrams, periodic motions, from a model file.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${SLIPSTICK_LIBRARY_PACKAGE} (= ${PROJECT_VERSION}-1)")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${SLIPSTICK_LIBRARY_PACKAGE})
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "simulation of dry friction and contact, shared library
 The library behind the program slipstick.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libslipstick-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "simulation of dry friction and contact, development files
 Headers, pkg-config and CMake files of the library slipstick.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${SLIPSTICK_LIBRARY_PACKAGE} (= ${PROJECT_VERSION}-1)")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-slipstick)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "simulation of dry friction and contact, for Python
 Runs, simulations and studies as NumPy arrays.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-numpy, ${SLIPSTICK_LIBRARY_PACKAGE} (= ${PROJECT_VERSION}-1)")

# The program links the library that is packed beside it, which no package has yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
