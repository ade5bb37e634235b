#include "fmi/layout.h"

#include "result/result.h"

#include <stdio.h>

static const char *joined(slip_arena *arena, const char *name, const char *mark, const char *part)
{
    const size_t size = strlen(name) + strlen(mark) + strlen(part) + 1;
    char *text = slip_arena_alloc(arena, size);
    if (text)
        snprintf(text, size, "%s%s%s", name, mark, part);
    return text;
}

/* The names that slip_simulation_number knows. */
static bool name_series(slip_fmi_layout *l, slip_arena *arena)
{
    static const char *const primes[] = {"", "'", "''"};
    const slip_system *system = l->model->system;
    const char **name = slip_arena_array(arena, l->first_rate + 1, sizeof *name);
    bool complete = name != NULL;
    l->names = name;
    if (!complete)
        return false;
    *name++ = "t";
    for (int i = 0; i < 3 * l->coordinates; i++)
        *name++ = joined(arena, system->names[i / 3], "", primes[i % 3]);
    for (int i = 0; i < 4 * l->contacts; i++)
        *name++ = joined(arena, system->contacts[i / 4].name, ".", slip_contact_parts[i % 4]);
    for (int c = 0; c < l->contacts; c++)
        for (int part = 0; part < system->contacts[c].shown; part++)
            *name++ = joined(arena, system->contacts[c].name, ".", slip_patch_parts[part]);
    for (int k = 0; k < l->model->outputs.count; k++)
        *name++ = l->model->outputs.list[k].name;
    for (int k = 0; k < l->first_rate; k++)
        complete = complete && l->names[k];
    return complete;
}

bool slip_fmi_layout_make(const slip_model *model, slip_arena *arena, slip_fmi_layout *layout)
{
    const slip_system *system = model->system;
    slip_fmi_layout l = {.model = model,
                         .coordinates = slip_system_coordinates(system),
                         .contacts = (int)system->contact_count,
                         .patches = system->patch_count,
                         .states = system->state_count,
                         .outputs = model->outputs.count - system->state_count,
                         .parameters = (int)model->parameter_count};
    l.first_contact = 1 + 3 * l.coordinates;
    l.first_patch = l.first_contact + 4 * l.contacts;
    l.first_state = l.first_patch + 6 * l.patches;
    l.first_output = l.first_state + l.states;
    l.first_rate = l.first_output + l.outputs;
    l.first_parameter = l.first_rate + l.states;
    l.first_indicator = l.first_parameter + l.parameters;
    *layout = l;
    return name_series(layout, arena);
}

int slip_fmi_state_of(const slip_fmi_layout *l, int reference)
{
    if (reference >= 1 && reference < l->first_contact)
        return (reference - 1) % 3 < 2 ? (reference - 1) / 3 + ((reference - 1) % 3) * l->coordinates : -1;
    return reference >= l->first_state && reference < l->first_output
               ? 2 * l->coordinates + reference - l->first_state
               : -1;
}

/* Two hashes of FNV-1a with different beginnings, 64 bits each: what tells one model from another, and no
 * protection of anything. */
void slip_fmi_token(const char *text, char token[slip_fmi_token_size])
{
    uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    const char *const parts[] = {slip_version(), "\n", text};
    for (int k = 0; k < 2; k++)
        for (int part = 0; part < 3; part++)
            for (const char *c = parts[part]; *c; c++)
                hash[k] = (hash[k] ^ (unsigned char)*c) * 0x100000001b3u;
    snprintf(token, slip_fmi_token_size, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(hash[0] >> 32),
             (unsigned)(hash[0] >> 16 & 0xffff), (unsigned)(hash[0] & 0xffff), (unsigned)(hash[1] >> 48),
             (unsigned long long)(hash[1] & 0xffffffffffffu));
}
