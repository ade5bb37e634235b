/* Random systems with static friction above kinetic friction, by closed forms and by Dormand-Prince, against
 * the twin that tries all modes at every event: the same events, the same motion. */
#include "held_systems.h"

typedef struct tally {
    int systems, disputed, verdicts[TWIN_MANY + 1], compared[HELD_CLASSES], wrong[2][HELD_CLASSES], shown;
    int64_t events, plain;
    double worst[2];
} tally;

static const char *const kinds[] = {"exact", "rk"};
enum { to_show = 12 };

static void compare(int k, const twin_system *s, const twin_run *twin, held_class class, tally *sum)
{
    for (int kind = 0; kind < 2; kind++) {
        static held_outcome o;
        const slip_method_options options = {.tolerance = 1e-12, .span = s->end, .segments = kinds[kind]};
        char why[300];
        held_run(s, "event", &options, 0, &o);
        if (!held_agree(s, twin, &o, 1e-8, &sum->worst[kind], why, sizeof why)) {
            sum->wrong[kind][class]++;
            if (sum->shown++ < to_show)
                print_message("system %d (%s), %s: %s\n", k, held_names[class], kinds[kind], why);
        }
    }
}

static void random_systems(void **state)
{
    static tally sum;
    static twin_run twin;
    int wrong = 0, compared = 0;
    (void)state;
    for (int k = 0; k < test_cases(4000); k++) {
        twin_system s;
        const held_class class = held_make(k, &s);
        const twin_verdict verdict = twin_go(&s, &twin);
        sum.systems++;
        sum.verdicts[verdict]++;
        sum.disputed += verdict == TWIN_DONE && twin.disputed;
        if (verdict != TWIN_DONE || twin.disputed)
            continue;
        sum.compared[class]++;
        sum.events += twin.choices;
        sum.plain += twin.plain;
        compare(k, &s, &twin, class, &sum);
    }
    for (int class = 0; class < HELD_CLASSES; class ++) {
        print_message("%s: %d compared, wrong: exact %d, rk %d\n", held_names[class], sum.compared[class],
                      sum.wrong[0][class], sum.wrong[1][class]);
        wrong += sum.wrong[0][class] + sum.wrong[1][class];
        compared += sum.compared[class];
    }
    print_message(
        "%d systems, %d compared, %lld times modes chosen, %lld with one consistent set; left out: "
        "%d near ties, %d several, %d disputed, %d none, %d dependent, %d many; worst exact %.2g, rk %.2g\n",
        sum.systems, compared, (long long)sum.events, (long long)sum.plain, sum.verdicts[TWIN_NEAR_TIE],
        sum.verdicts[TWIN_SEVERAL], sum.disputed, sum.verdicts[TWIN_NONE], sum.verdicts[TWIN_DEPENDENT],
        sum.verdicts[TWIN_MANY], sum.worst[0], sum.worst[1]);
    assert_true(compared > test_cases(3000));
    assert_int_equal(wrong, 0);
}

/* `test_held_random 17` writes system 17 as a model file, with the twin's events and its end. */
static int show(int k)
{
    static twin_run twin;
    twin_system s;
    const held_class class = held_make(k, &s);
    const twin_verdict verdict = twin_go(&s, &twin);
    printf("# system %d (%s), verdict %d%s\n", k, held_names[class], (int)verdict,
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

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems)};
    return count > 1 ? show(atoi(arguments[1])) : cmocka_run_group_tests(tests, NULL, NULL);
}
