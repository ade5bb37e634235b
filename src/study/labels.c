#include "study/labels.h"

int slip_labels_create(slip_context *ctx, slip_result *result, slip_labels *labels)
{
    static const slip_column_info columns[] = {{.name = "branch"},
                                               {.name = "label"},
                                               {.name = "type", .words = slip_words_to_come},
                                               {.name = "value"},
                                               {.name = "contact", .words = slip_words_to_come},
                                               {.name = "from", .words = slip_words_to_come},
                                               {.name = "to", .words = slip_words_to_come},
                                               {0}};
    labels->table = slip_result_add_table(ctx, result, "labels", "labels.csv");
    labels->notes = slip_result_add_table(ctx, result, "notes", NULL);
    if (!labels->table || !labels->notes)
        return SLIP_ERROR_MEMORY;
    const int status = slip_table_add_all(ctx, labels->table, columns);
    return status < 0 ? status
                      : slip_table_add(ctx, labels->notes,
                                       &(slip_column_info){.name = "note", .words = slip_words_to_come});
}

static int word(slip_context *ctx, slip_labels *labels, const char *column, const char *text)
{
    return slip_table_word(ctx, labels->table, slip_table_find(labels->table, column), text);
}

int slip_labels_add(slip_context *ctx, slip_labels *labels, const slip_label *label)
{
    const int words[] = {word(ctx, labels, "type", label->type), word(ctx, labels, "contact", label->contact),
                         word(ctx, labels, "from", label->from), word(ctx, labels, "to", label->to),
                         slip_table_word(ctx, labels->notes, 0, label->note)};
    for (int k = 0; k < 5; k++)
        if (words[k] < 0)
            return words[k];
    const double row[] = {label->branch, label->number, words[0], label->value, words[1], words[2], words[3]};
    const int status = slip_table_append(ctx, labels->table, row);
    return status < 0 ? status : slip_table_append(ctx, labels->notes, (const double[]){words[4]});
}

void slip_labels_summarise(slip_json_writer *json, const slip_result *result)
{
    slip_json_list(json, "labels");
    for (int64_t k = 0; k < result->label_count; k++) {
        const slip_label *label = &result->labels[k];
        slip_json_object(json, NULL);
        slip_json_integer(json, "branch", label->branch);
        slip_json_integer(json, "label", label->number);
        slip_json_string(json, "type", label->type);
        slip_json_number(json, "value", label->value);
        slip_json_string(json, "contact", label->contact);
        slip_json_string(json, "from", label->from);
        slip_json_string(json, "to", label->to);
        slip_json_string(json, "note", label->note);
        slip_json_end_object(json);
    }
    slip_json_end_list(json);
}
