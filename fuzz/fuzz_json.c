/* Any bytes as JSON: what is read can be written, and comes back as the same tree. */
#include "support.h"

#include "io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_value(slip_json_writer *writer, const char *key, const slip_json *value)
{
    const bool object = value->type == SLIP_JSON_OBJECT;
    switch (value->type) {
    case SLIP_JSON_NULL:
        slip_json_number(writer, key, NAN);
        break;
    case SLIP_JSON_BOOL:
        slip_json_bool(writer, key, value->number != 0);
        break;
    case SLIP_JSON_NUMBER:
        slip_json_number(writer, key, value->number);
        break;
    case SLIP_JSON_STRING:
        slip_json_string(writer, key, value->string);
        break;
    case SLIP_JSON_LIST:
    case SLIP_JSON_OBJECT:
        (object ? slip_json_object : slip_json_list)(writer, key);
        for (const slip_json *child = value->child; child; child = child->next)
            write_value(writer, object ? child->key : NULL, child);
        (object ? slip_json_end_object : slip_json_end_list)(writer);
    }
}

static void check_same(const slip_json *a, const slip_json *b)
{
    fuzz_require(a->type == b->type, "a value keeps its type");
    fuzz_require(!a->key == !b->key && (!a->key || strcmp(a->key, b->key) == 0), "a value keeps its key");
    if (a->type == SLIP_JSON_STRING)
        fuzz_require(strcmp(a->string, b->string) == 0, "a string stays");
    if (a->type == SLIP_JSON_NUMBER || a->type == SLIP_JSON_BOOL)
        fuzz_require(a->number == b->number && isfinite(a->number), "a number is finite and stays");
    for (a = a->child, b = b->child; a && b; a = a->next, b = b->next)
        check_same(a, b);
    fuzz_require(!a && !b, "a value keeps its members");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    slip_context *ctx = slip_context_create();
    char *text = fuzz_text(data, size);
    slip_arena arena = {0};
    slip_text written = {0};
    const slip_json *json = NULL, *again = NULL;
    fuzz_require(ctx != NULL, "memory");
    if (slip_json_parse(ctx, &arena, "fuzz.json", text, size, &json) == SLIP_OK) {
        slip_json_writer writer = {.text = &written};
        write_value(&writer, NULL, json);
        fuzz_require(slip_json_parse(ctx, &arena, "again.json", written.data, written.length, &again) ==
                         SLIP_OK,
                     "what is written is read");
        check_same(json, again);
    } else {
        fuzz_require(strncmp(slip_context_message(ctx), "fuzz.json:", 10) == 0, "an error says where");
    }
    slip_text_free(&written);
    slip_arena_free(&arena);
    slip_context_destroy(ctx);
    free(text);
    return 0;
}
