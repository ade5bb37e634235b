#include "io/hdf5.h"

#include "io/file.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slip_h5 {
    slip_context *ctx;
    hid_t file;
    char *path;
    slip_file out; /* while writing */
};

/* HDF5 prints its error stack unless told otherwise; the host program's own choice is put back after. */
typedef struct quiet {
    H5E_auto2_t function;
    void *data;
} quiet;

static quiet be_quiet(void)
{
    quiet saved = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &saved.function, &saved.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return saved;
}

static void be_as_before(quiet saved)
{
    H5Eset_auto2(H5E_DEFAULT, saved.function, saved.data);
}

typedef struct first_error {
    char text[256];
} first_error;

/* Walked upward the first entry is where it went wrong; what follows are its callers. */
static herr_t take_first_error(unsigned n, const H5E_error2_t *error, void *user)
{
    first_error *first = user;
    if (n == 0 && error->desc)
        snprintf(first->text, sizeof first->text, "%s", error->desc);
    return 0;
}

static int fail_h5(const slip_h5 *file, const char *what, const char *name)
{
    first_error first = {"HDF5 gives no reason"};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first_error, &first);
    return slip_fail(file->ctx, SLIP_ERROR_IO, "cannot %s %s%s%s: %s", what, file->path, name ? ": " : "",
                     name ? name : "", first.text);
}

static int new_handle(slip_context *ctx, const char *path, slip_h5 **file)
{
    slip_h5 *fresh = calloc(1, sizeof *fresh);
    char *copy = strdup(path);
    *file = NULL;
    if (!fresh || !copy) {
        free(fresh);
        free(copy);
        return slip_fail_memory(ctx);
    }
    fresh->ctx = ctx;
    fresh->path = copy;
    fresh->file = H5I_INVALID_HID;
    *file = fresh;
    return SLIP_OK;
}

void slip_h5_close(slip_h5 *file)
{
    if (!file)
        return;
    if (file->file >= 0) {
        quiet saved = be_quiet();
        H5Fclose(file->file);
        be_as_before(saved);
    }
    slip_file_discard(&file->out);
    free(file->path);
    free(file);
}

/* A file that is being written is kept in memory and goes to the disk in one piece. After a write that failed
 * (a full disk) HDF5 could not close its file, would try again when the program ends, and crash there. */
static hid_t create_in_memory(const char *path, bool long_texts)
{
    enum { increment = 1 << 20 };
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access_list = H5Pcreate(H5P_FILE_ACCESS), file;
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(creation, false);
    H5Pset_fapl_core(access_list, increment, 0);
    if (long_texts) /* the first format of files has attributes of up to 64 KB */
        H5Pset_libver_bounds(access_list, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access_list);
    H5Pclose(creation);
    H5Pclose(access_list);
    return file;
}

int slip_h5_create_for(slip_context *ctx, const char *path, size_t longest_text, slip_h5 **file)
{
    quiet saved;
    SLIP_PASS(new_handle(ctx, path, file));
    int status = slip_file_create(ctx, path, &(*file)->out);
    if (status >= 0) {
        saved = be_quiet();
        (*file)->file = create_in_memory(path, longest_text > 60000);
        if ((*file)->file < 0)
            status = fail_h5(*file, "write", NULL);
        be_as_before(saved);
    }
    if (status < 0) {
        slip_h5_close(*file);
        *file = NULL;
    }
    return status;
}

int slip_h5_create(slip_context *ctx, const char *path, slip_h5 **file)
{
    return slip_h5_create_for(ctx, path, 0, file);
}

/* The bytes of the file, where HDF5 has them: a copy would take as much memory again. What a copy by HDF5
 * itself would leave out is the mark in the head (format 0 and 1: four bytes at 20) that the file is open. */
static int find_image(slip_h5 *file, const void **image, size_t *size)
{
    void **memory = NULL;
    ssize_t length = H5Fflush(file->file, H5F_SCOPE_LOCAL) < 0 ? -1 : H5Fget_file_image(file->file, NULL, 0);
    if (length < 0 || H5Fget_vfd_handle(file->file, H5P_DEFAULT, (void **)&memory) < 0 || !memory || !*memory)
        return fail_h5(file, "write", NULL);
    unsigned char *bytes = *memory;
    if (length > 24 && bytes[8] <= 1)
        memset(bytes + 20, 0, 4);
    *image = bytes;
    *size = (size_t)length;
    return SLIP_OK;
}

int slip_h5_commit(slip_h5 *file)
{
    quiet saved = be_quiet();
    const void *image = NULL;
    size_t size = 0;
    int status = find_image(file, &image, &size);
    if (status >= 0 && fwrite(image, 1, size, file->out.stream) != size)
        file->out.error = errno;
    H5Fclose(file->file);
    file->file = H5I_INVALID_HID;
    be_as_before(saved);
    if (status >= 0)
        status = slip_file_commit(file->ctx, &file->out);
    slip_h5_close(file);
    return status;
}

/* Makes the groups of "a/b/name" that are not there yet, each with its members in order of creation. */
/* SLIP_OK, or a failure that is told. */
static int make_groups(slip_h5 *file, const char *name)
{
    SLIP_FREED char *part = strdup(name);
    SLIP_PASS(slip_allocated(file->ctx, part));
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    bool good = creation >= 0 &&
                H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
                H5Pset_obj_track_times(creation, false) >= 0;
    for (char *slash = good ? strchr(part, '/') : NULL; slash && good; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (H5Lexists(file->file, part, H5P_DEFAULT) <= 0) {
            hid_t group = H5Gcreate2(file->file, part, H5P_DEFAULT, creation, H5P_DEFAULT);
            good = group >= 0 && H5Gclose(group) >= 0;
        }
        *slash = '/';
    }
    if (creation >= 0)
        H5Pclose(creation);
    return good ? SLIP_OK : fail_h5(file, "write", name);
}

/* Without the time of the day: the same numbers make the same file. With an order of attributes, which lets a
 * head have those of more than 64 KiB, such as long signatures. */
static bool write_dataset(slip_h5 *file, const char *name, hid_t type, const double *values, hsize_t count)
{
    hid_t space = H5Screate_simple(1, &count, NULL), creation = H5Pcreate(H5P_DATASET_CREATE), data;
    bool good = creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
                H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED) >= 0;
    data = H5Dcreate2(file->file, name, type, space, H5P_DEFAULT, good ? creation : H5P_DEFAULT, H5P_DEFAULT);
    good = data >= 0;
    if (good && count > 0)
        good = H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (data >= 0 && H5Dclose(data) < 0)
        good = false;
    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    return good;
}

static int write_as(slip_h5 *file, const char *name, hid_t type, const double *values, int64_t count)
{
    quiet saved = be_quiet();
    int status = make_groups(file, name);
    if (status >= 0 && !write_dataset(file, name, type, values, (hsize_t)count))
        status = fail_h5(file, "write", name);
    be_as_before(saved);
    return status;
}

int slip_h5_write(slip_h5 *file, const char *name, const double *values, int64_t count)
{
    return write_as(file, name, H5T_IEEE_F64LE, values, count);
}

int slip_h5_write_small(slip_h5 *file, const char *name, const double *values, int64_t count)
{
    return write_as(file, name, H5T_STD_I8LE, values, count);
}

int slip_h5_write_text(slip_h5 *file, const char *object, const char *name, const char *text)
{
    quiet saved = be_quiet();
    hid_t at = H5Oopen(file->file, object, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
    int status = SLIP_OK;
    /* One byte more than the text: HDF5 has no empty strings of fixed length. */
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    if (at >= 0)
        attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, text) < 0)
        status = fail_h5(file, "write", name);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    if (at >= 0)
        H5Oclose(at);
    be_as_before(saved);
    return status;
}

int slip_h5_open(slip_context *ctx, const char *path, slip_h5 **file)
{
    if (access(path, R_OK) != 0)
        return *file = NULL, slip_fail_file(ctx, "cannot read", path, errno);
    int status = new_handle(ctx, path, file);
    if (status < 0)
        return status;
    quiet saved = be_quiet();
    (*file)->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if ((*file)->file < 0) {
        status = fail_h5(*file, "read", "not a complete HDF5 file");
        slip_h5_close(*file);
        *file = NULL;
    }
    be_as_before(saved);
    return status;
}

static int read_values(slip_h5 *file, const char *name, hid_t data, double **values, int64_t *count)
{
    hid_t space = H5Dget_space(data);
    hsize_t size = 0;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank == 1)
        H5Sget_simple_extent_dims(space, &size, NULL);
    if (space >= 0)
        H5Sclose(space);
    if (rank != 1 || size > INT64_MAX / sizeof(double))
        return slip_fail(file->ctx, SLIP_ERROR_IO, "cannot read %s: %s: expected a list of numbers",
                         file->path, name);
    *values = slip_alloc((int64_t)size, sizeof(double));
    SLIP_PASS(slip_allocated(file->ctx, *values));
    *count = (int64_t)size;
    if (size > 0 && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0) {
        free(*values);
        *values = NULL;
        return fail_h5(file, "read", name);
    }
    return SLIP_OK;
}

int slip_h5_read(slip_h5 *file, const char *name, double **values, int64_t *count)
{
    quiet saved = be_quiet();
    hid_t data = H5Dopen2(file->file, name, H5P_DEFAULT);
    *values = NULL;
    *count = 0;
    int status = slip_interrupt_check(file->ctx);
    if (status == SLIP_OK)
        status = data < 0 ? fail_h5(file, "read", name) : read_values(file, name, data, values, count);
    if (data >= 0)
        H5Dclose(data);
    be_as_before(saved);
    return status;
}

int slip_h5_read_exactly(slip_h5 *file, const char *name, int64_t count, double **values)
{
    int64_t found = 0;
    int status = slip_h5_read(file, name, values, &found);
    if (status < 0 || found == count)
        return status;
    free(*values);
    *values = NULL;
    return slip_fail(file->ctx, SLIP_ERROR_IO, "cannot read %s: %s has %lld numbers, expected %lld",
                     file->path, name, (long long)found, (long long)count);
}

int slip_h5_fail_value(slip_h5 *file, const char *name, int64_t index, double value, const char *expected)
{
    return slip_fail(file->ctx, SLIP_ERROR_IO, "cannot read %s: number %lld of %s: found %.9g, expected %s",
                     file->path, (long long)index + 1, name, value, expected);
}

int slip_h5_check_finite(slip_h5 *file, const char *name, const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return slip_h5_fail_value(file, name, i, values[i], "a finite number");
    return SLIP_OK;
}

int slip_h5_check_whole(slip_h5 *file, const char *name, const double *values, int64_t count, double low,
                        double high)
{
    char expected[100];
    for (int64_t i = 0; i < count; i++)
        if (!(values[i] >= low && values[i] <= high) || values[i] != floor(values[i])) {
            snprintf(expected, sizeof expected, "a whole number from %.17g to %.17g", low, high);
            return slip_h5_fail_value(file, name, i, values[i], expected);
        }
    return SLIP_OK;
}

/* A fixed-length string attribute, as slip_h5_write_text makes them: not longer than its file. */
static int read_attribute(slip_h5 *file, const char *name, hid_t attribute, slip_arena *arena, char **text)
{
    hid_t type = H5Aget_type(attribute);
    size_t size = type >= 0 ? H5Tget_size(type) : 0;
    hsize_t most = 0;
    int status = SLIP_OK;
    if (size == 0 || H5Fget_filesize(file->file, &most) < 0 || size > most ||
        H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Aget_storage_size(attribute) != size) {
        status = slip_fail(file->ctx, SLIP_ERROR_IO, "cannot read %s: attribute %s: expected a string",
                           file->path, name);
    } else {
        *text = slip_arena_alloc(arena, size + 1);
        if (!*text)
            status = slip_fail_memory(file->ctx);
        else if (H5Aread(attribute, type, *text) < 0)
            status = fail_h5(file, "read", name);
    }
    if (type >= 0)
        H5Tclose(type);
    return status;
}

int slip_h5_read_text(slip_h5 *file, const char *object, const char *name, slip_arena *arena, char **text)
{
    quiet saved = be_quiet();
    int status = SLIP_OK;
    *text = NULL;
    if (H5Aexists_by_name(file->file, object, name, H5P_DEFAULT) > 0) {
        hid_t attribute = H5Aopen_by_name(file->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
        status =
            attribute < 0 ? fail_h5(file, "read", name) : read_attribute(file, name, attribute, arena, text);
        if (attribute >= 0)
            H5Aclose(attribute);
    }
    be_as_before(saved);
    return status;
}

/* Files that another program has rewritten may have lost the order of creation; names are ordered always. */
static int list_members(slip_h5 *file, const char *name, hid_t group, slip_arena *arena, char ***names,
                        int *count)
{
    H5G_info_t about;
    H5_index_t order = H5_INDEX_CRT_ORDER;
    if (H5Gget_info(group, &about) < 0 || about.nlinks > INT_MAX)
        return fail_h5(file, "read", name);
    *names = slip_arena_array(arena, (int64_t)about.nlinks + 1, sizeof **names);
    SLIP_PASS(slip_allocated(file->ctx, *names));
    if (about.nlinks > 0 && H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, 0, NULL, 0, H5P_DEFAULT) < 0)
        order = H5_INDEX_NAME;
    for (hsize_t i = 0; i < about.nlinks; i++) {
        ssize_t length = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
        char *text = length < 0 ? NULL : slip_arena_alloc(arena, (size_t)length + 1);
        if (!text)
            return length < 0 ? fail_h5(file, "read", name) : slip_fail_memory(file->ctx);
        H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, text, (size_t)length + 1, H5P_DEFAULT);
        (*names)[i] = text;
    }
    *count = (int)about.nlinks;
    return SLIP_OK;
}

int slip_h5_list(slip_h5 *file, const char *group, slip_arena *arena, char ***names, int *count)
{
    quiet saved = be_quiet();
    int status = SLIP_OK;
    *names = NULL;
    *count = 0;
    if (H5Lexists(file->file, group, H5P_DEFAULT) > 0) {
        hid_t at = H5Gopen2(file->file, group, H5P_DEFAULT);
        status = at < 0 ? fail_h5(file, "read", group) : list_members(file, group, at, arena, names, count);
        if (at >= 0)
            H5Gclose(at);
    }
    be_as_before(saved);
    return status;
}

typedef struct dataset_list {
    slip_arena *arena;
    char **places;
    int64_t count, capacity;
} dataset_list;

/* H5Lvisit's function: a positive value ends the visit. Links to other places are not followed. */
static herr_t take_dataset(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    dataset_list *list = user;
    const hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(group, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const bool found = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    if (object >= 0)
        H5Oclose(object);
    if (!found)
        return 0;
    if (!SLIP_ROOM(list->places, list->capacity, list->count + 1))
        return 1;
    list->places[list->count] = slip_arena_string(list->arena, name);
    return list->places[list->count++] ? 0 : 1;
}

int slip_h5_datasets(slip_h5 *file, slip_arena *arena, char ***places, int *count)
{
    quiet saved = be_quiet();
    dataset_list list = {.arena = arena};
    const herr_t visited = H5Lvisit(file->file, H5_INDEX_NAME, H5_ITER_INC, take_dataset, &list);
    int status = visited < 0   ? fail_h5(file, "read", NULL)
                 : visited > 0 ? slip_fail_memory(file->ctx)
                               : SLIP_OK;
    *places = slip_arena_array(arena, list.count + 1, sizeof **places);
    *count = (int)list.count;
    if (status == SLIP_OK && !*places)
        status = slip_fail_memory(file->ctx);
    for (int64_t k = 0; *places && k < list.count; k++)
        (*places)[k] = list.places[k];
    free(list.places);
    be_as_before(saved);
    return status;
}
