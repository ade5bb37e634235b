/* The tree is built from libfyaml's events, not from its documents: events need no recursion and can be
 * stopped at any moment, so that depth and size are bounded here, whatever the text is. */
#include "model/yaml.h"

#include "base/context.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open sequence or mapping. Its children so far are the top of the builder's stack of nodes. */
typedef struct frame {
    slip_tree *node;
    int64_t first; /* of its children on the stack */
    const char *anchor;
    bool flow;
} frame;

typedef struct anchor {
    const char *name;
    const slip_tree *node;
} anchor;

typedef struct builder {
    slip_arena *arena;
    slip_yaml_error *error;
    frame frames[slip_tree_depth_max];
    int depth;
    slip_tree **stack;
    int64_t stack_count, stack_capacity;
    anchor *anchors;
    int64_t anchor_count, anchor_capacity;
    int node_count;
    int line, column; /* of the last event with a position, for events without one */
    slip_tree *root;
    const char *source; /* the whole text */
    size_t size;
} builder;

static int fail_at(builder *b, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int fail_at(builder *b, int line, int column, const char *format, ...)
{
    va_list args;
    b->error->line = line;
    b->error->column = column;
    va_start(args, format);
    vsnprintf(b->error->message, sizeof b->error->message, format, args);
    va_end(args);
    return SLIP_ERROR_MODEL;
}

static int count_node(builder *b, int line, int column)
{
    if (b->node_count >= slip_tree_count_max)
        return fail_at(b, line, column, "the file is too large: it has more than %d entries",
                       slip_tree_count_max);
    b->node_count++;
    return SLIP_OK;
}

/* ---- aliases ---- */

/* Copies a node with all below it. Recursion is bounded by the depth of the result. */
static int copy_node(builder *b, const slip_tree *from, int depth, slip_tree **copy)
{
    int status = count_node(b, b->line, b->column), items;
    if (status < 0)
        return status;
    if (depth > slip_tree_depth_max)
        return fail_at(b, b->line, b->column, "nested deeper than %d levels", slip_tree_depth_max);
    *copy = slip_arena_alloc(b->arena, sizeof **copy);
    if (!*copy)
        return SLIP_ERROR_MEMORY;
    **copy = *from;
    items = from->kind == SLIP_TREE_MAPPING ? 2 * from->count : from->count;
    if (items == 0)
        return SLIP_OK;
    (*copy)->item = slip_arena_array(b->arena, items, sizeof(slip_tree *));
    if (!(*copy)->item)
        return SLIP_ERROR_MEMORY;
    for (int i = 0; i < items && status >= 0; i++)
        status = copy_node(b, from->item[i], depth + 1, &(*copy)->item[i]);
    return status;
}

static int add_anchor(builder *b, const char *name, const slip_tree *node)
{
    if (!name)
        return SLIP_OK;
    if (b->anchor_count >= slip_tree_anchor_max)
        return fail_at(b, node->line, node->column, "more than %d anchors", slip_tree_anchor_max);
    if (!SLIP_ROOM(b->anchors, b->anchor_capacity, b->anchor_count + 1))
        return SLIP_ERROR_MEMORY;
    b->anchors[b->anchor_count++] = (anchor){name, node};
    return SLIP_OK;
}

/* The last anchor of this name that is complete; so an alias inside its own anchor finds nothing. */
static const slip_tree *find_anchor(const builder *b, const char *name, size_t length)
{
    for (int64_t i = b->anchor_count - 1; i >= 0; i--)
        if (strlen(b->anchors[i].name) == length && memcmp(b->anchors[i].name, name, length) == 0)
            return b->anchors[i].node;
    return NULL;
}

/* ---- merge keys ---- */

static int append_merged(builder *b, slip_tree *mapping, const slip_tree *from)
{
    int own = mapping->count;
    slip_tree **item = slip_arena_array(b->arena, 2 * (own + from->count), sizeof(slip_tree *));
    if (!item)
        return SLIP_ERROR_MEMORY;
    if (own > 0)
        memcpy(item, mapping->item, (size_t)(2 * own) * sizeof(slip_tree *));
    mapping->item = item;
    for (int i = 0; i < from->count; i++)
        if (slip_tree_index(mapping, slip_tree_key(from, i)->text) < 0) {
            item[2 * mapping->count] = slip_tree_key(from, i);
            item[2 * mapping->count + 1] = slip_tree_value(from, i);
            mapping->count++;
        }
    return SLIP_OK;
}

/* Replaces `<<: mapping` (or a list of mappings) by those of its entries that the mapping lacks. */
static int merge(builder *b, slip_tree *mapping)
{
    enum { largest = 200 }; /* entries of either side: merging compares every pair */
    int index = slip_tree_index(mapping, "<<"), status = SLIP_OK;
    if (index < 0 || slip_tree_key(mapping, index)->quoted)
        return SLIP_OK;
    slip_tree *value = slip_tree_value(mapping, index);
    memmove(&mapping->item[2 * index], &mapping->item[2 * index + 2],
            (size_t)(2 * (mapping->count - index - 1)) * sizeof(slip_tree *));
    mapping->count--;
    for (int i = 0; i < (value->kind == SLIP_TREE_SEQUENCE ? value->count : 1) && status >= 0; i++) {
        const slip_tree *from = value->kind == SLIP_TREE_SEQUENCE ? value->item[i] : value;
        if (from->kind != SLIP_TREE_MAPPING)
            return fail_at(b, from->line, from->column,
                           "`<<` merges mappings: found something else, expected an alias of a mapping");
        if (from->count > largest || mapping->count > largest)
            return fail_at(b, from->line, from->column, "`<<`: more than %d entries to merge", largest);
        status = append_merged(b, mapping, from);
    }
    return status;
}

/* ---- events to nodes ---- */

/* Adds a finished node to the open sequence or mapping, or makes it the root. */
static int place_node(builder *b, slip_tree *node)
{
    frame *top = b->depth > 0 ? &b->frames[b->depth - 1] : NULL;
    if (!top) {
        b->root = node;
        return SLIP_OK;
    }
    if (top->node->kind == SLIP_TREE_MAPPING && (b->stack_count - top->first) % 2 == 0 &&
        node->kind != SLIP_TREE_SCALAR)
        return fail_at(b, node->line, node->column, "found %s as a key, expected a name",
                       node->kind == SLIP_TREE_MAPPING ? "a mapping" : "a list");
    if (!SLIP_ROOM(b->stack, b->stack_capacity, b->stack_count + 1))
        return SLIP_ERROR_MEMORY;
    b->stack[b->stack_count++] = node;
    return SLIP_OK;
}

/* The name of an anchor; NULL where there is none. */
static int token_string(builder *b, struct fy_token *token, const char **string)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    *string = text ? slip_arena_string_bytes(b->arena, text, length) : NULL;
    return token && !*string ? SLIP_ERROR_MEMORY : SLIP_OK;
}

static int new_node(builder *b, slip_tree_kind kind, slip_tree **node)
{
    SLIP_PASS(count_node(b, b->line, b->column));
    *node = slip_arena_alloc(b->arena, sizeof **node);
    if (!*node)
        return SLIP_ERROR_MEMORY;
    (*node)->kind = kind;
    (*node)->text = "";
    (*node)->line = b->line;
    (*node)->column = b->column;
    (*node)->in_flow = b->depth > 0 && b->frames[b->depth - 1].flow;
    return SLIP_OK;
}

/* Whether the text of the token stands in the file as it is: then a position in the text is a column. */
static bool is_exact(struct fy_event *event, const char *text)
{
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    return start && end && start->line == end->line && (size_t)(end->column - start->column) == strlen(text);
}

/* What stands between the quotes in the file: pairs of quotes become one. libfyaml 0.7.12 gets two such pairs
 * in a row wrong (it counts them right and copies them wrong, and loses memory on the way), so that a scalar
 * of one line is taken from the file here, and one of several lines is refused when it has them. */
static int read_single_quoted(builder *b, struct fy_event *event, slip_tree *node, bool *done)
{
    const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
    const char *from, *to;
    char *out;
    if (!start || !end || start->input_pos < 1 || end->input_pos >= b->size ||
        end->input_pos < start->input_pos || b->source[start->input_pos - 1] != '\'')
        return SLIP_OK;
    from = b->source + start->input_pos;
    to = b->source + end->input_pos;
    if (memchr(from, '\n', (size_t)(to - from)) || memchr(from, '\r', (size_t)(to - from))) {
        for (; to - from >= 4; from++)
            if (memcmp(from, "''''", 4) == 0)
                return fail_at(
                    b, b->line, b->column,
                    "found `''''` in a quoted text of several lines, expected double quotes around it");
        return SLIP_OK;
    }
    node->text = out = slip_arena_string_bytes(b->arena, from, (size_t)(to - from));
    if (!out)
        return SLIP_ERROR_MEMORY;
    for (; from < to; from++) {
        *out++ = *from;
        from += from[0] == '\'' && from + 1 < to && from[1] == '\'';
    }
    *out = 0;
    *done = true;
    return SLIP_OK;
}

static int read_token(builder *b, struct fy_token *token, slip_tree *node)
{
    size_t length = 0;
    const char *text = fy_token_get_text(token, &length);
    if (!text)
        return SLIP_ERROR_MEMORY;
    if (memchr(text, 0, length))
        return fail_at(b, b->line, b->column, "found a zero byte in a text, expected readable text");
    node->text = slip_arena_string_bytes(b->arena, text, length);
    return node->text ? SLIP_OK : SLIP_ERROR_MEMORY;
}

static int read_scalar(builder *b, struct fy_event *event)
{
    struct fy_token *token = event->scalar.value;
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    slip_tree *node;
    const char *name;
    bool done = false;
    int status = new_node(b, SLIP_TREE_SCALAR, &node);
    if (status >= 0 && style == FYSS_SINGLE_QUOTED)
        status = read_single_quoted(b, event, node, &done);
    if (status >= 0 && token && !done)
        status = read_token(b, token, node);
    if (status < 0)
        return status;
    node->exact = is_exact(event, node->text);
    node->quoted = style != FYSS_PLAIN;
    /* The mark of a quoted scalar is behind the quote; that of a block scalar is its first line. */
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
        node->column -= node->column > 1;
    else if (style != FYSS_PLAIN)
        node->exact = false;
    SLIP_PASS(token_string(b, event->scalar.anchor, &name));
    SLIP_PASS(add_anchor(b, name, node));
    return place_node(b, node);
}

static int read_alias(builder *b, struct fy_event *event)
{
    size_t length = 0;
    const char *name = fy_token_get_text(event->alias.anchor, &length);
    slip_tree *copy;
    b->column -= b->column > 1; /* the mark is behind the star */
    if (!name)
        return SLIP_ERROR_MEMORY;
    const slip_tree *from = find_anchor(b, name, length);
    if (!from)
        return fail_at(b, b->line, b->column, "alias `*%.*s`: expected an anchor `&%.*s` that ends before it",
                       (int)(length > 40 ? 40 : length), name, (int)(length > 40 ? 40 : length), name);
    int status = copy_node(b, from, b->depth + 1, &copy);
    return status < 0 ? status : place_node(b, copy);
}

static int open_frame(builder *b, slip_tree_kind kind, struct fy_token *anchor_token, bool flow)
{
    slip_tree *node;
    const char *name;
    SLIP_PASS(new_node(b, kind, &node));
    SLIP_PASS(token_string(b, anchor_token, &name));
    if (b->depth >= slip_tree_depth_max)
        return fail_at(b, b->line, b->column, "nested deeper than %d levels", slip_tree_depth_max);
    b->frames[b->depth++] =
        (frame){.node = node, .first = b->stack_count, .anchor = name, .flow = flow || node->in_flow};
    return SLIP_OK;
}

static int close_frame(builder *b)
{
    frame top = b->frames[--b->depth];
    int64_t items = b->stack_count - top.first;
    const slip_tree *twice;
    bool failed = false;
    int status = SLIP_OK;
    if (items > 0) {
        top.node->item = slip_arena_array(b->arena, items, sizeof(slip_tree *));
        if (!top.node->item)
            return SLIP_ERROR_MEMORY;
        memcpy(top.node->item, b->stack + top.first, (size_t)items * sizeof(slip_tree *));
    }
    b->stack_count = top.first;
    top.node->count = (int)(top.node->kind == SLIP_TREE_MAPPING ? items / 2 : items);
    if (top.node->kind == SLIP_TREE_MAPPING) {
        twice = slip_tree_duplicate(top.node, &failed);
        if (failed)
            return SLIP_ERROR_MEMORY;
        if (twice)
            return fail_at(b, twice->line, twice->column, "the key `%.60s` is here for the second time",
                           twice->text);
        status = merge(b, top.node);
    }
    if (status >= 0)
        status = add_anchor(b, top.anchor, top.node);
    return status < 0 ? status : place_node(b, top.node);
}

/* Of the events that have one: the tag. */
static struct fy_token *tag_of(struct fy_event *event)
{
    switch (event->type) {
    case FYET_SCALAR:
        return event->scalar.tag;
    case FYET_SEQUENCE_START:
        return event->sequence_start.tag;
    case FYET_MAPPING_START:
        return event->mapping_start.tag;
    default:
        return NULL;
    }
}

static int read_event(builder *b, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    if (mark && mark->line >= 0 && mark->column >= 0) {
        b->line = mark->line + 1;
        b->column = mark->column + 1;
    }
    if (tag_of(event))
        return fail_at(b, b->line, b->column, "tags (`!name`) are not used in model files");
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->root)
            return fail_at(b, b->line, b->column, "a second document starts here, expected one only");
        return SLIP_OK;
    case FYET_SCALAR:
        return read_scalar(b, event);
    case FYET_ALIAS:
        return read_alias(b, event);
    case FYET_SEQUENCE_START:
        return open_frame(b, SLIP_TREE_SEQUENCE, event->sequence_start.anchor,
                          fy_event_get_node_style(event) == FYNS_FLOW);
    case FYET_MAPPING_START:
        return open_frame(b, SLIP_TREE_MAPPING, event->mapping_start.anchor,
                          fy_event_get_node_style(event) == FYNS_FLOW);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return close_frame(b);
    default:
        return SLIP_OK;
    }
}

/* ---- libfyaml's parser ---- */

/* libfyaml reports as text here; we want nothing printed, and ask for the collected errors instead. */
static void drop_output(struct fy_diag *diag, void *user, const char *text, size_t size)
{
    (void)diag, (void)user, (void)text, (void)size;
}

static struct fy_diag *silent_diag(void)
{
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL;
    config.output_fn = drop_output;
    config.colorize = false;
    config.level = FYET_ERROR;
    struct fy_diag *diag = fy_diag_create(&config);
    if (diag)
        fy_diag_set_collect_errors(diag, true);
    return diag;
}

static int fail_syntax(builder *b, struct fy_diag *diag)
{
    void *position = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &position);
    if (!first || !first->msg)
        return fail_at(b, b->line, b->column, "not valid YAML behind this place");
    return fail_at(b, first->line > 0 ? first->line : b->line, first->column > 0 ? first->column : b->column,
                   "not valid YAML: %.*s", (int)strcspn(first->msg, "\r\n"), first->msg);
}

static int read_events(builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
    int status = SLIP_OK;
    while (status >= 0) {
        struct fy_event *event = fy_parser_parse(parser);
        if (!event)
            break;
        status = read_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (status >= 0 && fy_parser_get_stream_error(parser))
        status = fail_syntax(b, diag);
    return status;
}

/* Tabs become spaces, and are refused where they indent. YAML allows few of them, readers disagree on which,
 * and libfyaml 0.7.12 crashes on some (`? o:<tab>:`). The columns stay as they are. */
static int replace_tabs(builder *b, char *text, size_t size)
{
    bool indentation = true;
    int line = 1, column = 1, tab = 0; /* column of the first tab in the indentation */
    for (size_t i = 0; i < size; i++, column++) {
        if (text[i] == '\n' || text[i] == '\r') {
            line += text[i] == '\n';
            column = tab = 0;
            indentation = true;
        } else if (text[i] == '\t') {
            text[i] = ' ';
            if (indentation && tab == 0)
                tab = column;
        } else if (text[i] != ' ') {
            if (indentation && tab > 0 && text[i] != '#')
                return fail_at(b, line, tab, "found a tab in the indentation, expected spaces");
            indentation = false;
        }
    }
    return SLIP_OK;
}

static int read_source(builder *b)
{
    struct fy_diag *diag = silent_diag();
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = diag};
    struct fy_parser *parser = diag ? fy_parser_create(&config) : NULL;
    int status = SLIP_ERROR_MEMORY;
    if (parser && fy_parser_set_string(parser, b->source, b->size) == 0)
        status = read_events(b, parser, diag);
    if (parser)
        fy_parser_destroy(parser);
    if (diag)
        fy_diag_destroy(diag);
    return status;
}

int slip_yaml_parse(slip_arena *arena, const char *text, size_t size, slip_tree **root,
                    slip_yaml_error *error)
{
    SLIP_FREED char *source = slip_alloc((int64_t)size + 1, 1);
    builder b = {.arena = arena, .error = error, .line = 1, .column = 1, .source = source, .size = size};
    int status = source ? SLIP_OK : SLIP_ERROR_MEMORY;
    *root = NULL;
    if (status >= 0 && size > 0) {
        memcpy(source, text, size);
        status = replace_tabs(&b, source, size);
    }
    if (status >= 0 && size > 0)
        status = read_source(&b);
    if (status >= 0)
        *root = b.root;
    free(b.stack);
    free(b.anchors);
    return status;
}
