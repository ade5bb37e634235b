/* An importer of FMI 3.0, written from the standard alone: it knows nothing of Slipstick. Model exchange is
 * integrated by CVODE, with roots of the event indicators; co-simulation is stepped from sample to sample.
 *
 *     importer FOLDER me|cs TOLERANCE TIMES SAMPLES EVENTS [NAME=VALUE ...] [@TIME:NAME=VALUE ...]
 *
 * FOLDER, an absolute path, has the unpacked unit, TIMES one time a line: the first is the start, the last
 * the end. SAMPLES gets a row of all variables at each of them, EVENTS (of model exchange) a row for each
 * event: time, whether states jumped, and the modes (enumerations) after it. Values are set before the start,
 * or as soon as a time of TIMES has been reached. It prints the largest relative difference between
 * directional derivatives and differences, over all samples. */
#include <cvode/cvode.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "importer: %s %s\n", what, detail);
    exit(1);
}

/* ---- modelDescription.xml, as far as an importer needs it. */

enum { most = 4000 };
typedef struct variable {
    char name[200];
    uint32_t reference;
    bool enumeration, derives;
    uint32_t state; /* that it is the derivative of */
} variable;
typedef struct unit {
    char *text, token[200], identifier[200];
    variable list[most];
    int count;
    uint32_t rates[most], indicators[most];
    int rate_count, indicator_count;
    void *library;
    void *instance;
    bool exchange;
} unit;
static unit u;

/* The value of an attribute of the element that begins at `at`; false where it has none. */
static bool attribute(const char *at, const char *name, char *value, size_t size)
{
    const char *end = strchr(at, '>');
    char key[100];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(at, key);
    if (!found || !end || found > end)
        return false;
    found += strlen(key);
    const size_t length = strcspn(found, "\"");
    snprintf(value, size, "%.*s", (int)length, found);
    return true;
}

static uint32_t reference_of(const char *at)
{
    char text[40] = "";
    if (!attribute(at, "valueReference", text, sizeof text))
        fail("no value reference in", at);
    return (uint32_t)strtoul(text, NULL, 10);
}

static void read_description(const char *folder)
{
    char path[4096], text[100];
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("cannot open", path);
    u.text = calloc(1, 1 << 22);
    if (fread(u.text, 1, (1 << 22) - 1, file) == 0)
        fail("cannot read", path);
    fclose(file);
    attribute(strstr(u.text, "<fmiModelDescription"), "instantiationToken", u.token, sizeof u.token);
    const char *kind = strstr(u.text, u.exchange ? "<ModelExchange" : "<CoSimulation");
    if (!kind || !attribute(kind, "modelIdentifier", u.identifier, sizeof u.identifier))
        fail("the unit does not have", u.exchange ? "model exchange" : "co-simulation");
    const char *at = strstr(u.text, "<ModelVariables>"), *end = strstr(u.text, "</ModelVariables>");
    for (at++; (at = strchr(at, '<')) < end; at++) {
        variable *v = &u.list[u.count++];
        v->reference = reference_of(at);
        v->enumeration = strncmp(at, "<Enumeration", 12) == 0;
        attribute(at, "name", v->name, sizeof v->name);
        v->derives = attribute(at, "derivative", text, sizeof text);
        v->state = v->derives ? (uint32_t)strtoul(text, NULL, 10) : 0;
    }
    for (at = end; (at = strstr(at, "<ContinuousStateDerivative")) != NULL; at++)
        u.rates[u.rate_count++] = reference_of(at);
    for (at = end; (at = strstr(at, "<EventIndicator")) != NULL; at++)
        u.indicators[u.indicator_count++] = reference_of(at);
}

static const variable *named(const char *name)
{
    for (int k = 0; k < u.count; k++)
        if (strcmp(u.list[k].name, name) == 0)
            return &u.list[k];
    fail("no variable", name);
    return NULL;
}

static uint32_t state_of(uint32_t rate)
{
    for (int k = 0; k < u.count; k++)
        if (u.list[k].reference == rate && u.list[k].derives)
            return u.list[k].state;
    fail("a rate is no", "derivative");
    return 0;
}

/* ---- The library: every function of the standard has a name that dlsym finds. */

typedef void (*function)(void);
static function find(const char *name)
{
    function to;
    void *symbol = dlsym(u.library, name);
    if (!symbol)
        fail("the library does not have", name);
    memcpy(&to, &symbol, sizeof to);
    return to;
}

static void check(int status, const char *what)
{
    if (status != 0)
        fail(what, "failed");
}

static void hear(void *environment, int status, const char *category, const char *message)
{
    (void)environment;
    fprintf(stderr, "importer: status %d, %s: %s\n", status, category, message);
}

typedef void (*log_function)(void *, int, const char *, const char *);
typedef int (*get_numbers)(void *, const uint32_t *, size_t, double *, size_t);
typedef int (*get_words)(void *, const uint32_t *, size_t, int64_t *, size_t);
typedef int (*set_numbers)(void *, const uint32_t *, size_t, const double *, size_t);
typedef int (*get_vector)(void *, double *, size_t);
typedef int (*set_vector)(void *, const double *, size_t);
typedef int (*set_time)(void *, double);
typedef int (*plain)(void *);
typedef int (*completed)(void *, bool, bool *, bool *);
typedef int (*update)(void *, bool *, bool *, bool *, bool *, bool *, double *);
typedef int (*initialise)(void *, bool, double, double, bool, double);
typedef int (*step_function)(void *, double, double, bool, bool *, bool *, bool *, double *);
typedef int (*directional)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t,
                           double *, size_t);
typedef int (*keep_state)(void *, void **);
typedef int (*take_state)(void *, void *);
#define CALL(type, name) ((type)find(name))

static double number(uint32_t reference)
{
    double value;
    check(CALL(get_numbers, "fmi3GetFloat64")(u.instance, &reference, 1, &value, 1), "fmi3GetFloat64");
    return value;
}

static int64_t word(uint32_t reference)
{
    int64_t value;
    check(CALL(get_words, "fmi3GetInt64")(u.instance, &reference, 1, &value, 1), "fmi3GetInt64");
    return value;
}

static void set(const char *text)
{
    char name[200];
    const char *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    const uint32_t reference = named(name)->reference;
    const double value = strtod(equals + 1, NULL);
    check(CALL(set_numbers, "fmi3SetFloat64")(u.instance, &reference, 1, &value, 1), "fmi3SetFloat64");
}

static void load(const char *folder)
{
    char path[4096], resources[4096];
    snprintf(path, sizeof path, "%s/binaries/x86_64-linux/%s.so", folder, u.identifier);
    snprintf(resources, sizeof resources, "%s/resources/", folder);
    u.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!u.library)
        fail("dlopen:", dlerror());
    const char *(*version)(void) = (const char *(*)(void))find("fmi3GetVersion");
    if (strncmp(version(), "3.0", 3) != 0)
        fail("found version", version());
    if (u.exchange) {
        void *(*make)(const char *, const char *, const char *, bool, bool, void *, log_function) =
            (void *(*)(const char *, const char *, const char *, bool, bool, void *, log_function))find(
                "fmi3InstantiateModelExchange");
        if (make("unit", "{0}", resources, false, false, NULL, NULL))
            fail("a wrong token was", "taken");
        u.instance = make("unit", u.token, resources, false, true, NULL, hear);
    } else {
        void *(*make)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *,
                      size_t, void *, log_function, void *) =
            (void *(*)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *,
                       size_t, void *, log_function, void *))find("fmi3InstantiateCoSimulation");
        u.instance = make("unit", u.token, resources, false, true, false, false, NULL, 0, NULL, hear, NULL);
    }
    if (!u.instance)
        fail("no", "instance");
}

/* ---- What is written. */

static void write_head(FILE *to)
{
    for (int k = 0; k < u.count; k++)
        fprintf(to, "%s%s", k > 0 ? "," : "", u.list[k].name);
    fprintf(to, "\n");
}

static void write_row(FILE *to)
{
    for (int k = 0; k < u.count; k++)
        if (u.list[k].enumeration)
            fprintf(to, "%s%lld", k > 0 ? "," : "", (long long)word(u.list[k].reference));
        else
            fprintf(to, "%s%.17g", k > 0 ? "," : "", number(u.list[k].reference));
    fprintf(to, "\n");
}

static void write_event(FILE *to, double t, bool jumped)
{
    fprintf(to, "%.17g,%d", t, jumped);
    for (int k = 0; k < u.count; k++)
        if (u.list[k].enumeration)
            fprintf(to, ",%lld", (long long)word(u.list[k].reference));
    fprintf(to, "\n");
}

/* ---- Model exchange. */

static void put(double t, const double *y)
{
    check(CALL(set_time, "fmi3SetTime")(u.instance, t), "fmi3SetTime");
    check(CALL(set_vector, "fmi3SetContinuousStates")(u.instance, y, (size_t)u.rate_count),
          "fmi3SetContinuousStates");
}

static int rates_at(double t, N_Vector y, N_Vector rates, void *user)
{
    (void)user;
    put(t, N_VGetArrayPointer(y));
    return CALL(get_vector, "fmi3GetContinuousStateDerivatives")(u.instance, N_VGetArrayPointer(rates),
                                                                 (size_t)u.rate_count);
}

static int indicators_at(double t, N_Vector y, double *values, void *user)
{
    (void)user;
    put(t, N_VGetArrayPointer(y));
    return CALL(get_vector, "fmi3GetEventIndicators")(u.instance, values, (size_t)u.indicator_count);
}

/* Event iteration (section 3.2); the next time at which there is one. */
static double iterate(FILE *events, double t, bool first)
{
    bool again = true, terminate, nominals, values, jumped = false, defined = false;
    double next = INFINITY;
    while (again) {
        check(CALL(update, "fmi3UpdateDiscreteStates")(u.instance, &again, &terminate, &nominals, &values,
                                                       &defined, &next),
              "fmi3UpdateDiscreteStates");
        jumped |= values;
        if (terminate)
            fail("the unit ends", "the simulation");
    }
    if (!first)
        write_event(events, t, jumped);
    check(CALL(plain, "fmi3EnterContinuousTimeMode")(u.instance), "fmi3EnterContinuousTimeMode");
    return defined ? next : INFINITY;
}

/* Directional derivatives of all rates by each state, against differences of the second order: relative to
 * the largest of a rate's derivatives, each times the size of its state. */
static double compare_derivatives(double t, const double *y)
{
    enum { room = 40 };
    static double exact[room][room], found[room][room];
    double low[room], high[room], moved[room], worst = 0, largest = 1e-6;
    const size_t n = (size_t)u.rate_count;
    if (n > room)
        fail("too many states", "for derivatives");
    memcpy(moved, y, n * sizeof *y);
    for (size_t j = 0; j < n; j++) {
        const uint32_t known = state_of(u.rates[j]);
        const double size = fabs(y[j]) > 1e-3 ? fabs(y[j]) : 1e-3, h = 1e-5 * size;
        put(t, y);
        check(CALL(directional, "fmi3GetDirectionalDerivative")(u.instance, u.rates, n, &known, 1, &size, 1,
                                                                low, n),
              "fmi3GetDirectionalDerivative");
        for (size_t i = 0; i < n; i++)
            exact[i][j] = low[i];
        for (int side = 0; side < 2; side++) {
            moved[j] = y[j] + (side ? h : -h);
            put(t, moved);
            check(CALL(get_vector, "fmi3GetContinuousStateDerivatives")(u.instance, side ? high : low, n),
                  "rates");
        }
        moved[j] = y[j];
        for (size_t i = 0; i < n; i++)
            found[i][j] = (high[i] - low[i]) / 2e-5;
    }
    put(t, y);
    check(CALL(get_vector, "fmi3GetContinuousStateDerivatives")(u.instance, low, n), "rates");
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(low[i]));
        for (size_t j = 0; j < n; j++) {
            largest = fmax(largest, fabs(exact[i][j]));
            worst = fmax(worst, fabs(exact[i][j] - found[i][j]));
        }
    }
    return worst / largest;
}

static void exchange(double tolerance, const double *times, int count, FILE *samples, FILE *events,
                     char **changes)
{
#if SUNDIALS_VERSION_MAJOR >= 6
    SUNContext context;
    SUNContext_Create(0, &context); /* a null pointer before version 7 of SUNDIALS, a number since */
#define IN_CONTEXT , context
#else
#define IN_CONTEXT
#endif
    const int n = u.rate_count;
    N_Vector y = N_VNew_Serial(n IN_CONTEXT);
    double *at = N_VGetArrayPointer(y), t = times[0], next, worst = 0;
    SUNMatrix matrix = SUNDenseMatrix(n, n IN_CONTEXT);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix IN_CONTEXT);
    void *cvode = CVodeCreate(CV_ADAMS IN_CONTEXT);
    next = iterate(events, t, true);
    check(CALL(get_vector, "fmi3GetContinuousStates")(u.instance, at, (size_t)n), "fmi3GetContinuousStates");
    check(CVodeInit(cvode, rates_at, t, y), "CVodeInit");
    CVodeSStolerances(cvode, tolerance, tolerance);
    CVodeSetLinearSolver(cvode, solver, matrix);
    CVodeSetMaxNumSteps(cvode, 1000000);
    CVodeSetNoInactiveRootWarn(cvode);
    if (u.indicator_count > 0)
        CVodeRootInit(cvode, u.indicator_count, indicators_at);
    write_row(samples);
    for (int k = 1; k < count; k++) {
        while (t < times[k]) {
            const double stop = fmin(times[k], next);
            bool event = !(stop > t), terminate = false;
            int status = CV_SUCCESS;
            if (!event && stop - t <= 1e-13 * fabs(t)) { /* CVODE takes no step that short */
                t = stop;
                CVodeReInit(cvode, t, y);
            } else if (!event) {
                CVodeSetStopTime(cvode, stop);
                status = CVode(cvode, stop, y, &t, CV_ONE_STEP);
                if (status < 0)
                    fail("CVode", "failed");
                put(t, at);
                check(CALL(completed, "fmi3CompletedIntegratorStep")(u.instance, true, &event, &terminate),
                      "fmi3CompletedIntegratorStep");
            }
            if (status == CV_ROOT_RETURN || event || t >= next) {
                check(CALL(plain, "fmi3EnterEventMode")(u.instance), "fmi3EnterEventMode");
                next = iterate(events, t, false);
                check(CALL(get_vector, "fmi3GetContinuousStates")(u.instance, at, (size_t)n),
                      "fmi3GetContinuousStates");
                CVodeReInit(cvode, t, y);
            }
        }
        put(t, at);
        write_row(samples);
        worst = fmax(worst, compare_derivatives(t, at));
        for (char **change = changes; *change; change++)
            if (**change == '@' && strtod(*change + 1, NULL) == times[k]) {
                check(CALL(plain, "fmi3EnterEventMode")(u.instance), "fmi3EnterEventMode");
                set(strchr(*change, ':') + 1);
                next = iterate(events, t, false);
                check(CALL(get_vector, "fmi3GetContinuousStates")(u.instance, at, (size_t)n),
                      "fmi3GetContinuousStates");
                CVodeReInit(cvode, t, y);
            }
    }
    printf("%.3g\n", worst);
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
#if SUNDIALS_VERSION_MAJOR >= 6
    SUNContext_Free(&context);
#endif
}

/* ---- Co-simulation. Every tenth step is taken twice, from a state that was kept. */

static void co_simulate(const double *times, int count, FILE *samples, char **changes)
{
    void *kept = NULL;
    write_row(samples);
    for (int k = 1; k < count; k++) {
        const int turns = k % 10 == 0 ? 2 : 1;
        double last[2] = {0};
        if (turns == 2)
            check(CALL(keep_state, "fmi3GetFMUState")(u.instance, &kept), "fmi3GetFMUState");
        for (int turn = 0; turn < turns; turn++) {
            bool event, terminate, early;
            if (turn == 1)
                check(CALL(take_state, "fmi3SetFMUState")(u.instance, kept), "fmi3SetFMUState");
            check(CALL(step_function, "fmi3DoStep")(u.instance, times[k - 1], times[k] - times[k - 1], false,
                                                    &event, &terminate, &early, &last[turn]),
                  "fmi3DoStep");
            last[turn] = number(u.rate_count > 0 ? state_of(u.rates[0]) : 1);
        }
        if (turns == 2 && last[0] != last[1])
            fail("a step from a state that was kept", "differs");
        write_row(samples);
        for (char **change = changes; *change; change++)
            if (**change == '@' && strtod(*change + 1, NULL) == times[k])
                set(strchr(*change, ':') + 1);
    }
    check(CALL(keep_state, "fmi3FreeFMUState")(u.instance, &kept), "fmi3FreeFMUState");
    printf("0\n");
}

int main(int argc, char **argv)
{
    static double times[100000];
    int count = 0;
    if (argc < 7)
        fail("expected", "FOLDER me|cs TOLERANCE TIMES SAMPLES EVENTS ...");
    u.exchange = strcmp(argv[2], "me") == 0;
    read_description(argv[1]);
    load(argv[1]);
    FILE *list = fopen(argv[4], "r"), *samples = fopen(argv[5], "w"), *events = fopen(argv[6], "w");
    if (!list || !samples || !events)
        fail("cannot open", "files");
    while (fscanf(list, "%lf", &times[count]) == 1)
        count++;
    for (int k = 7; k < argc; k++)
        if (*argv[k] != '@')
            set(argv[k]);
    check(CALL(initialise, "fmi3EnterInitializationMode")(u.instance, u.exchange, strtod(argv[3], NULL),
                                                          times[0], true, times[count - 1]),
          "fmi3EnterInitializationMode");
    check(CALL(plain, "fmi3ExitInitializationMode")(u.instance), "fmi3ExitInitializationMode");
    write_head(samples);
    if (u.exchange)
        exchange(strtod(argv[3], NULL), times, count, samples, events, argv + 7);
    else
        co_simulate(times, count, samples, argv + 7);
    check(CALL(plain, "fmi3Terminate")(u.instance), "fmi3Terminate");
    ((void (*)(void *))find("fmi3FreeInstance"))(u.instance);
    /* the library stays: what those behind it keep for the life of a process is no leak while they are there
     */
    fclose(list);
    fclose(samples);
    fclose(events);
    free(u.text);
    return 0;
}
