#include "base/embedded.h"

#include "slipstick/model.h"

#include <string.h>

int slip_example_count(void)
{
    int count = 0;
    while (slip_embedded_files[count].name)
        count++;
    return count;
}

const char *slip_example_name(int index)
{
    return index >= 0 && index < slip_example_count() ? slip_embedded_files[index].name : NULL;
}

const char *slip_example_text(const char *name)
{
    for (const slip_embedded_file *file = slip_embedded_files; name && file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file->text;
    return NULL;
}
