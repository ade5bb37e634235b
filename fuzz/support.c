#include "support.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 600, numbers_max = 1 << 16, name_size = 256 };

void fuzz_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: does not hold: %s\n", what);
    abort();
}

void fuzz_touch(const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        (void)*(const volatile double *)&values[i];
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text != NULL, "memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    return text;
}

/* ---- Files. */

static char folder[path_size / 2];

static void remove_folder(void)
{
    char command[path_size];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "fuzz: cannot remove %s\n", folder);
}

static void make_folder(void)
{
    const char *places[] = {"/dev/shm", getenv("TMPDIR"), "/tmp"};
    for (size_t k = 0; k < sizeof places / sizeof *places && !folder[0]; k++) {
        if (!places[k])
            continue;
        snprintf(folder, sizeof folder, "%.200s/slipstick-fuzz-XXXXXX", places[k]);
        if (!mkdtemp(folder))
            folder[0] = 0;
    }
    fuzz_require(folder[0] != 0, "a folder to write to");
    atexit(remove_folder);
}

const char *fuzz_path(const char *name)
{
    static char paths[8][path_size];
    static int next;
    char *path = paths[next++ % 8];
    if (!folder[0])
        make_folder();
    snprintf(path, path_size, "%s/%s", folder, name);
    return path;
}

void fuzz_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    fuzz_require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "a file is written");
}

char *fuzz_read(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    fuzz_require(file && stat(path, &about) == 0, "a file is there");
    *size = (size_t)about.st_size;
    data = malloc(*size + 1);
    fuzz_require(data && fread(data, 1, *size, file) == *size, "a file is read");
    data[*size] = 0;
    fclose(file);
    return data;
}

/* ---- Edits of HDF5 files. */

typedef struct list {
    double *values;
    int count;
} list;

static void read_list(const char *text, list *to)
{
    for (char *end; to->count < numbers_max; text = end) {
        const double value = strtod(text, &end);
        long times = 1;
        if (end == text)
            return;
        if (*end == '*')
            times = strtol(end + 1, &end, 10);
        for (; times > 0 && to->count < numbers_max; times--)
            to->values[to->count++] = value;
    }
}

/* The numbers of a dataset; none where it has none. */
static void load_list(hid_t file, const char *name, list *to)
{
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = data < 0 ? -1 : H5Dget_space(data);
    const hssize_t count = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    if (count > 0 && count <= numbers_max &&
        H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to->values) >= 0)
        to->count = (int)count;
    if (space >= 0)
        H5Sclose(space);
    if (data >= 0)
        H5Dclose(data);
}

static void store_list(hid_t file, const char *name, const list *from, int columns)
{
    const hsize_t flat = (hsize_t)from->count;
    const hsize_t rows[2] = {(hsize_t)(columns > 0 ? from->count / columns : 0), (hsize_t)columns};
    hid_t space = columns > 0 ? H5Screate_simple(2, rows, NULL) : H5Screate_simple(1, &flat, NULL), data;
    hid_t making = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(making, 1);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        H5Ldelete(file, name, H5P_DEFAULT);
    data = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, making, H5P_DEFAULT, H5P_DEFAULT);
    if (data >= 0 && from->count > 0)
        H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, from->values);
    if (data >= 0)
        H5Dclose(data);
    H5Pclose(making);
    H5Sclose(space);
}

static void store_text(hid_t file, const char *object, const char *name, const char *text)
{
    hid_t at = H5Oopen(file, object, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t attribute;
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    if (at >= 0) {
        H5Adelete(at, name);
        attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute >= 0)
            H5Awrite(attribute, type, text);
        if (attribute >= 0)
            H5Aclose(attribute);
        H5Oclose(at);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void take_away(hid_t file, char *name)
{
    char *attribute = strchr(name, '@');
    if (attribute) {
        *attribute = 0;
        H5Adelete_by_name(file, name, attribute + 1, H5P_DEFAULT);
    } else if (*name) {
        H5Ldelete(file, name, H5P_DEFAULT);
    }
}

static void edit_numbers(hid_t file, char *name, char sign, const char *text)
{
    static double numbers[numbers_max];
    list all = {numbers, 0};
    char *index = strchr(name, '[');
    int columns = 0;
    if (sign == '=' && !index) {
        read_list(text, &all);
    } else {
        const long number = strtol(index ? index + 1 : text, NULL, 10);
        if (index)
            *index = 0;
        load_list(file, name, &all);
        if (all.count == 0 || number < 0 || number > numbers_max)
            return;
        if (index && number < all.count)
            numbers[number] = strtod(text, NULL);
        for (int i = all.count; sign == '~' && i < number; i++)
            numbers[i] = numbers[i - all.count];
        if (sign == '~')
            all.count = (int)number;
        if (sign == 'x')
            columns = (int)number;
    }
    store_list(file, name, &all, columns);
}

static void edit_line(hid_t file, char *line)
{
    char *name = line + strspn(line, " "), *end = name + strcspn(name, " "), *attribute, sign;
    if (name[0] == '-' && name[1] == ' ') {
        take_away(file, name + 2);
        return;
    }
    if (*end == 0 || end == name || end - name >= name_size)
        return;
    *end++ = 0;
    sign = *end;
    if (!sign || !strchr("=~x", sign))
        return;
    end += 1 + (end[1] == ' ');
    attribute = strchr(name, '@');
    if (!attribute) {
        edit_numbers(file, name, sign, end);
    } else if (sign == '=') {
        *attribute = 0;
        store_text(file, *name ? name : "/", attribute + 1, end);
    }
}

void fuzz_edit_h5(const char *image, size_t size, const char *edits, const char *path)
{
    char *copy = strdup(edits);
    hid_t how = H5Pcreate(H5P_FILE_ACCESS), file;
    ssize_t length;
    void *result;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Pset_fapl_core(how, 1 << 16, 0);
    /* HDF5 takes a copy. */
    H5Pset_file_image(how, (void *)(uintptr_t)image, size);
    file = H5Fopen("edited", H5F_ACC_RDWR, how);
    fuzz_require(copy && file >= 0, "the sound file is opened");
    for (char *line = copy, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = 0;
        edit_line(file, line);
    }
    H5Fflush(file, H5F_SCOPE_LOCAL);
    length = H5Fget_file_image(file, NULL, 0);
    result = malloc((size_t)(length > 0 ? length : 0) + 1);
    fuzz_require(length > 0 && result && H5Fget_file_image(file, result, (size_t)length) == length,
                 "the edited file is there");
    H5Fclose(file);
    H5Pclose(how);
    fuzz_write(path, result, (size_t)length);
    free(result);
    free(copy);
}
