/* Studies that a model file may contain, each in its own section. A new study is a file of src/study that
 * defines slip_study_NAME, and its NAME in the list below: then its section is read, slip_study_run runs it,
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
    /* Adds its pictures to an album (figure/album.h). */
    int (*draw)(struct slip_album *album);
    /* Writes its bodies as VTU files for ParaView; `path` NULL: into the folder. NULL: it has none. */
    int (*write_vtu)(slip_context *ctx, const slip_result *result, const char *folder, const char *path);
    bool spans;      /* a part of the time span can be drawn (options->from, to) */
    bool quantities; /* the quantity to draw can be chosen (options->quantity) */
} slip_view;

typedef struct slip_study {
    slip_fields fields;           /* plain fields of its section, which has the name of the study */
    size_t size;                  /* of the struct of its options */
    void (*start)(void *options); /* sets their defaults */
    const char *const *others;    /* other keys, ended by NULL; NULL: none */
    void (*read)(slip_reader *r, const slip_tree *section, void *options); /* reads them; NULL: none */
    bool of_gears; /* also allowed in models of two gears */
    int (*run)(slip_context *ctx, const slip_model *model, slip_result **result); /* as the section says */
    const struct slip_sweep_task *task; /* of a study over axes, whose parts `merge` can join; NULL: none */
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

/* The options of a study from the model's section: its struct of options, which belongs to the model. */
const void *slip_model_section(const slip_model *model, const slip_study *study);

/* Reads the sections of all studies; of_gears: the model has two gears, so only studies with of_gears. */
void slip_read_studies(slip_reader *r, bool of_gears);

#endif
