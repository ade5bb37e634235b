/* Studies that a model file may ask for, each in a section of its own. A new one is a file of src/study that
 * defines slip_study_NAME, and its NAME in the list here: then its section is read, slip_study_run runs it
 * and its results are drawn. */
#ifndef SLIP_MODEL_STUDY_H
#define SLIP_MODEL_STUDY_H

#include "model/fields.h"

/* clang-format off */
#define SLIP_STUDIES(STUDY) \
    STUDY(continue) STUDY(sweep) STUDY(bifurcation) STUDY(orbit) STUDY(branch) STUDY(lyapunov) STUDY(fit) STUDY(basin)
/* clang-format on */

struct slip_album;

/* How results of a kind are shown. */
typedef struct slip_view {
    const char *kind;
    /* Puts its pictures together (figure/album.h), or draws them. */
    int (*draw)(struct slip_album *album);
    /* Writes its bodies as VTU files for ParaView; `path` NULL: into the folder. NULL: it has none. */
    int (*write_vtu)(slip_context *ctx, const slip_result *result, const char *folder, const char *path);
    bool spans;      /* a part of it can be drawn: options->from, to */
    bool quantities; /* it can be chosen what is drawn: options->quantity */
} slip_view;

typedef struct slip_study {
    slip_fields fields;           /* keys of its section, which is called as it is, that are plain */
    size_t size;                  /* of the struct of its options */
    void (*start)(void *options); /* sets their defaults */
    const char *const *others;    /* other keys, NULL behind the last; NULL: none */
    void (*read)(slip_reader *r, const slip_tree *section, void *options); /* reads them; NULL: none */
    bool of_gears; /* read also where a model has two gears and nothing else */
    int (*run)(slip_context *ctx, const slip_model *model, slip_result **result); /* as the section says */
    const struct slip_sweep_task *task; /* over axes, whose parts `merge` joins; NULL: none */
    slip_view view;
} slip_study;

#define SLIP_STUDY_DECLARE(name) extern const slip_study slip_study_##name;
SLIP_STUDIES(SLIP_STUDY_DECLARE)
extern const slip_study *const slip_studies[]; /* NULL ends the list */

/* Defines `start` and `run` of a study that has a struct of options and a function of the interface. */
#define SLIP_STUDY_FUNCTIONS(type, function)                                                                 \
    static void start_section(void *options)                                                                 \
    {                                                                                                        \
        type##_fill(options, sizeof(type));                                                                  \
    }                                                                                                        \
    static int run_section(slip_context *ctx, const slip_model *model, slip_result **result)                 \
    {                                                                                                        \
        return function(ctx, model, NULL, result);                                                           \
    }

/* Room for the options of all studies in the model's arena, with their defaults. False: out of memory. */
bool slip_model_start_studies(slip_model *model);

/* What the model's section says, the struct of options of that study. */
const void *slip_model_section(const slip_model *model, const slip_study *study);

/* Reads the sections of all studies; `of_gears`: of those that models of two gears have. */
void slip_read_studies(slip_reader *r, bool of_gears);

#endif
