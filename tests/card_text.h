/* Programs for a graphics card as C++ on this machine. */
#ifndef SLIP_TESTS_CARD_TEXT_H
#define SLIP_TESTS_CARD_TEXT_H

#include "io/file.h"
#include "test.h"
#include "test_folder.h"

#include <dlfcn.h>

/* Skips the test where there is no compiler. */
static inline void need_compiler(void)
{
    if (system("c++ --version > /dev/null 2>&1") != 0) {
        print_message("no C++ compiler: the program for a card is not compiled\n");
        skip();
    }
}

/* The program as a library that is loaded; the caller closes it. */
static inline void *compile_text(slip_context *context, const slip_text *text)
{
    char folder[test_path_size], command[3 * test_path_size], path[test_path_size];
    test_folder_make(folder);
    test_path(path, folder, "text.cpp");
    assert_int_equal(slip_file_write(context, path, text->data, text->length), SLIP_OK);
    snprintf(command, sizeof command,
             "c++ -std=c++17 -O1 -ffp-contract=off -fno-math-errno -w -fPIC -shared %s -o %s/text.so", path,
             folder);
    assert_int_equal(system(command), 0);
    test_path(path, folder, "text.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    test_folder_remove(folder);
    return library;
}

#endif
