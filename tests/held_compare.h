/* Random systems with static friction above kinetic friction, by closed forms and by Dormand-Prince, against
 * the twin that tries all modes at every event: the same events, the same motion. */
#ifndef SLIP_TESTS_HELD_COMPARE_H
#define SLIP_TESTS_HELD_COMPARE_H

#include "held_systems.h"

typedef struct held_tally {
    int systems, disputed, verdicts[TWIN_MANY + 1], compared[HELD_CLASSES], wrong[2][HELD_CLASSES], shown;
    int64_t events, plain;
    double worst[2];
} held_tally;

static const char *const held_kinds[] = {"exact", "rk"};
enum { held_shown = 12 };

static inline void held_compare(int k, const twin_system *s, const twin_run *twin, held_class family,
                                held_tally *sum)
{
    for (int kind = 0; kind < 2; kind++) {
        static held_outcome o;
        const slip_method_options options = {
            .tolerance = 1e-12, .span = s->end, .segments = held_kinds[kind]};
        char why[300];
        held_run(s, "event", &options, 0, &o);
        if (!held_agree(s, twin, &o, 1e-8, &sum->worst[kind], why, sizeof why)) {
            sum->wrong[kind][family]++;
            if (sum->shown++ < held_shown)
                print_message("system %d (%s), %s: %s\n", k, held_names[family], held_kinds[kind], why);
        }
    }
}

/* Systems of two classes, at least `least` of which the twin is sure of. */
static inline void held_compare_all(held_class first, held_class second, int cases, int least)
{
    static held_tally sum;
    static twin_run twin;
    int wrong = 0, compared = 0;
    for (int k = 0; sum.systems < cases; k++) {
        twin_system s;
        const held_class family = held_make(k, &s);
        if (family != first && family != second)
            continue;
        const twin_verdict verdict = twin_go(&s, &twin);
        sum.systems++;
        sum.verdicts[verdict]++;
        sum.disputed += verdict == TWIN_DONE && twin.disputed;
        if (verdict != TWIN_DONE || twin.disputed)
            continue;
        sum.compared[family]++;
        sum.events += twin.choices;
        sum.plain += twin.plain;
        held_compare(k, &s, &twin, family, &sum);
    }
    for (int family = 0; family < HELD_CLASSES; family++) {
        if (sum.compared[family] == 0)
            continue;
        print_message("%s: %d compared, wrong: exact %d, rk %d\n", held_names[family], sum.compared[family],
                      sum.wrong[0][family], sum.wrong[1][family]);
        wrong += sum.wrong[0][family] + sum.wrong[1][family];
        compared += sum.compared[family];
    }
    print_message(
        "%d systems, %d compared, %lld times modes chosen, %lld with one consistent set; left out: "
        "%d near ties, %d several, %d disputed, %d none, %d dependent, %d many; worst exact %.2g, rk %.2g\n",
        sum.systems, compared, (long long)sum.events, (long long)sum.plain, sum.verdicts[TWIN_NEAR_TIE],
        sum.verdicts[TWIN_SEVERAL], sum.disputed, sum.verdicts[TWIN_NONE], sum.verdicts[TWIN_DEPENDENT],
        sum.verdicts[TWIN_MANY], sum.worst[0], sum.worst[1]);
    assert_true(compared > least);
    assert_int_equal(wrong, 0);
}

/* Writes system k as a model file, with the twin's events and its end: `test_held_random 17`. */
static inline int held_show(int k)
{
    static twin_run twin;
    twin_system s;
    const held_class family = held_make(k, &s);
    const twin_verdict verdict = twin_go(&s, &twin);
    printf("# system %d (%s), verdict %d%s\n", k, held_names[family], (int)verdict,
           twin.disputed ? ", disputed" : "");
    for (int i = 0; i < twin.count; i++)
        printf("# %.12g c%d %s>%s\n", twin.events[i].t, twin.events[i].contact,
               slip_mode_name(twin.events[i].from), slip_mode_name(twin.events[i].to));
    for (int i = 0; i < s.n; i++)
        printf("# x%d(%.9g) = %.12g, x%d' = %.12g\n", i, (double)twin.t, (double)twin.y[i], i,
               (double)twin.y[s.n + i]);
    held_print_model(stdout, &s);
    return 0;
}

#endif
