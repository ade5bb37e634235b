/* Modes of many contacts at once, against brute force: every set of modes, solved by elimination, one after
 * the other. */
#include "lcp_residual.h"
#include "math/lcp.h"
#include "random_contacts.h"

/* ---- Slow and obvious linear algebra. */

enum { most_unknowns = most_coordinates + 2 * most_contacts };

/* A x = b by Gauss-Jordan elimination with complete pivoting, for m unknowns; what is not determined is zero.
 * Returns the rank, or -1 when there is no solution. */
static int eliminate(int rows, int m, double a[most_unknowns][most_unknowns + 1], double *x)
{
    int column_of[most_unknowns], rank = 0;
    for (int j = 0; j < m; j++)
        x[j] = 0;
    for (; rank < rows; rank++) {
        int row = rank, column = -1;
        double largest = 1e-10;
        for (int i = rank; i < rows; i++)
            for (int j = 0; j < m; j++)
                if (fabs(a[i][j]) > largest)
                    largest = fabs(a[i][j]), row = i, column = j;
        if (column < 0)
            break;
        for (int j = 0; j <= m; j++) {
            double swap = a[rank][j];
            a[rank][j] = a[row][j];
            a[row][j] = swap;
        }
        column_of[rank] = column;
        for (int i = 0; i < rows; i++) {
            double factor = a[i][column] / a[rank][column];
            for (int j = 0; j <= m && i != rank; j++)
                a[i][j] = j == column ? 0 : a[i][j] - factor * a[rank][j];
        }
    }
    for (int i = rank; i < rows; i++)
        if (fabs(a[i][m]) > 1e-8)
            return -1;
    for (int i = 0; i < rank; i++)
        x[column_of[i]] = a[i][m] / a[i][column_of[i]];
    return rank;
}

/* ---- Brute force. */

/* The friction coefficient while slipping with w, or starting to. */
static double kinetic(const random_contact *contact, double w)
{
    if (contact->velocity > 0)
        return contact->mu + (contact->hold - contact->mu) * exp(-fabs(w) / contact->velocity);
    return contact->mu;
}

/* Unknowns: accelerations, then the normal and the friction force of each contact. One equation for each, and
 * one for each limit that is met: bits of `met` are, for each contact, N = 0, T = hold N, T = -hold N.
 * Returns how many unknowns are left undetermined, or -1 when there is no solution. */
static int solve_modes(const random_system *r, const slip_mode *modes, unsigned met, double *a,
                       double *normal, double *force)
{
    double matrix[most_unknowns][most_unknowns + 1] = {{0}}, x[most_unknowns];
    const int n = r->n, m = n + 2 * r->count;
    int rank, rows = m;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i][j] = r->b.system->mass[i * n + j];
        for (int c = 0; c < r->count; c++) {
            if (r->contacts[c].unilateral)
                matrix[i][n + 2 * c] = -r->contacts[c].gap[i];
            matrix[i][n + 2 * c + 1] = -r->contacts[c].slip[i];
        }
        matrix[i][m] = r->load[i];
    }
    for (int c = 0; c < r->count; c++) {
        const random_contact *contact = &r->contacts[c];
        const int e = n + 2 * c;
        slip_mode mode = modes[c];
        if (!contact->unilateral || mode == SLIP_MODE_OPEN) {
            matrix[e][e] = 1;
            matrix[e][m] = contact->unilateral ? 0 : contact->normal;
        } else {
            for (int i = 0; i < n; i++)
                matrix[e][i] = contact->gap[i];
            matrix[e][m] = -contact->gap_curve;
        }
        if (mode == SLIP_MODE_STICK) {
            for (int i = 0; i < n; i++)
                matrix[e + 1][i] = contact->slip[i];
            matrix[e + 1][m] = -contact->slip_drift;
        } else {
            matrix[e + 1][e + 1] = 1;
            if (!contact->frictionless && mode != SLIP_MODE_OPEN)
                matrix[e + 1][e] = (mode == SLIP_MODE_SLIP_PLUS ? 1 : -1) * kinetic(contact, contact->w);
        }
    }
    for (int c = 0; c < r->count; c++)
        for (int bit = 0; bit < 3; bit++)
            if (met & 1u << (3 * c + bit)) {
                matrix[rows][n + 2 * c] = bit == 0   ? 1
                                          : bit == 1 ? -r->contacts[c].hold
                                                     : r->contacts[c].hold;
                matrix[rows++][n + 2 * c + 1] = bit > 0;
            }
    rank = eliminate(rows, m, matrix, x);
    if (rank < 0)
        return -1;
    for (int i = 0; i < n; i++)
        a[i] = x[i];
    for (int c = 0; c < r->count; c++) {
        normal[c] = x[n + 2 * c];
        force[c] = x[n + 2 * c + 1];
    }
    return m - rank;
}

/* The least reserve of all conditions: negative when one is violated. */
static double reserve_of(const random_system *r, const slip_mode *modes, const double *a,
                         const double *normal, const double *force)
{
    double least = INFINITY;
    for (int c = 0; c < r->count; c++) {
        const random_contact *contact = &r->contacts[c];
        double rate = row_times(r->n, contact->slip, a) + contact->slip_drift;
        if (contact->unilateral && !contact->touching)
            continue;
        if (contact->unilateral)
            least =
                fmin(least, modes[c] == SLIP_MODE_OPEN ? row_times(r->n, contact->gap, a) + contact->gap_curve
                                                       : normal[c]);
        if (modes[c] == SLIP_MODE_STICK)
            least = fmin(least, contact->hold * normal[c] - fabs(force[c]));
        else if (modes[c] != SLIP_MODE_OPEN && !contact->frictionless && contact->resting)
            least = fmin(least, modes[c] == SLIP_MODE_SLIP_PLUS ? rate : -rate);
    }
    return least;
}

static int modes_of(const random_contact *contact, slip_mode *list)
{
    int count = 0;
    if (contact->unilateral)
        list[count++] = SLIP_MODE_OPEN;
    if (contact->unilateral && !contact->touching)
        return count;
    if (contact->frictionless) {
        list[count++] = SLIP_MODE_CLOSED;
    } else if (contact->resting) {
        list[count++] = SLIP_MODE_STICK;
        list[count++] = SLIP_MODE_SLIP_PLUS;
        list[count++] = SLIP_MODE_SLIP_MINUS;
    } else {
        list[count++] = contact->w > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
    }
    return count;
}

enum { most_solutions = 32 };

typedef struct brute {
    int count; /* of different accelerations that are consistent */
    double a[most_solutions][most_coordinates];
    double reserve[most_solutions]; /* the largest of those that lead to these accelerations */
    bool several_at_once;           /* the same modes with different accelerations */
    bool shares;                    /* forces of some consistent choice are not unique: a rule chooses */
    double nearest;                 /* the smallest |reserve| that is not zero to rounding */
} brute;

static bool same(int n, const double *a, const double *b)
{
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > 1e-7 * (1 + fabs(a[i])))
            return false;
    return true;
}

static void keep(brute *found, int n, const double *a, double reserve)
{
    int k = 0;
    while (k < found->count && !same(n, a, found->a[k]))
        k++;
    if (k == most_solutions)
        return;
    if (k == found->count) {
        found->count++;
        found->reserve[k] = reserve;
    }
    memcpy(found->a[k], a, (size_t)n * sizeof(double));
    found->reserve[k] = fmax(found->reserve[k], reserve);
}

/* Is a contact said to slip or open that the others hold where it is? Then it sticks, or is closed. */
static bool idles(const random_system *r, const slip_mode *modes, const double *a)
{
    for (int k = 0; k < r->count; k++) {
        const random_contact *contact = &r->contacts[k];
        bool open = contact->unilateral && modes[k] == SLIP_MODE_OPEN;
        double matrix[most_unknowns][most_unknowns + 1] = {{0}}, x[most_unknowns];
        int rows = 0;
        if (open ? !contact->touching
                 : contact->frictionless || !contact->resting || modes[k] == SLIP_MODE_STICK)
            continue;
        if (fabs(open ? row_times(r->n, contact->gap, a) + contact->gap_curve
                      : row_times(r->n, contact->slip, a) + contact->slip_drift) > 1e-8)
            continue;
        /* a motion that all that is held allows, with this contact moving by 1 */
        for (int c = 0; c < r->count; c++) {
            if (r->contacts[c].unilateral && modes[c] != SLIP_MODE_OPEN)
                memcpy(matrix[rows++], r->contacts[c].gap, (size_t)r->n * sizeof(double));
            if (modes[c] == SLIP_MODE_STICK)
                memcpy(matrix[rows++], r->contacts[c].slip, (size_t)r->n * sizeof(double));
        }
        memcpy(matrix[rows], open ? contact->gap : contact->slip, (size_t)r->n * sizeof(double));
        matrix[rows++][r->n] = 1;
        if (eliminate(rows, r->n, matrix, x) < 0)
            return true;
    }
    return false;
}

/* One choice of modes. Where forces are not unique, those that are admissible are a polyhedron without lines:
 * there are some if one of its corners is, and corners are where as many limits are met as unknowns are left.
 */
static void try_modes(const random_system *r, const slip_mode *modes, brute *found)
{
    double a[most_coordinates], first[most_coordinates], normal[most_contacts], force[most_contacts];
    int left = solve_modes(r, modes, 0, a, normal, force), corners = 0;
    if (left < 0)
        return;
    for (unsigned met = 0; met < 1u << 3 * r->count; met++) {
        bool sensible = __builtin_popcount(met) == left;
        for (int c = 0; c < r->count && sensible; c++) {
            bool stick = modes[c] == SLIP_MODE_STICK;
            bool closed = r->contacts[c].unilateral && modes[c] != SLIP_MODE_OPEN;
            unsigned own = met >> 3 * c & 7u;
            sensible = (!(own & 1) || closed) && (!(own & 6) || stick);
        }
        if (!sensible || solve_modes(r, modes, met, a, normal, force) != 0)
            continue;
        double reserve = reserve_of(r, modes, a, normal, force);
        if (corners++ == 0)
            memcpy(first, a, sizeof first);
        found->several_at_once |= !same(r->n, a, first);
        if (fabs(reserve) > 1e-9)
            found->nearest = fmin(found->nearest, fabs(reserve));
        if (reserve < -1e-9 || idles(r, modes, a))
            continue;
        found->shares |= left > 0;
        keep(found, r->n, a, reserve);
    }
}

static brute enumerate(const random_system *r)
{
    brute found = {.nearest = INFINITY};
    int digits[most_contacts] = {0}, c;
    do {
        slip_mode modes[most_contacts], list[4];
        for (c = 0; c < r->count; c++) {
            modes_of(&r->contacts[c], list);
            modes[c] = list[digits[c]];
        }
        try_modes(r, modes, &found);
        for (c = 0; c < r->count && ++digits[c] == modes_of(&r->contacts[c], list); c++)
            digits[c] = 0;
    } while (c < r->count);
    return found;
}

/* ---- What the engine decides. */

typedef struct decision {
    int status, contact;
    slip_mode modes[most_contacts];
    double a[most_coordinates], normal[most_contacts], force[most_contacts];
    double violation; /* as the engine judges itself */
} decision;

/* `guess` says in its two lowest bits, and for each further contact in the next two, which mode is expected.
 */
static decision decide(random_system *r, unsigned guess)
{
    static const slip_mode guesses[] = {SLIP_MODE_STICK, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS,
                                        SLIP_MODE_OPEN};
    decision d = {0};
    slip_modes *modes = NULL;
    slip_standing standing[most_contacts];
    slip_branch branches[most_contacts];
    check_done(&r->b, slip_modes_create(r->b.ctx, r->b.system, r->work, &modes));
    for (int c = 0; c < r->count; c++) {
        standing[c] = (slip_standing){.touching = r->contacts[c].touching, .resting = r->contacts[c].resting};
        branches[c] = (slip_branch){.chart = -1, .piece = -1, .mode = guesses[guess >> 2 * c & 3]};
    }
    d.status =
        slip_modes_decide(modes, &(slip_instant){r->t, r->q, r->v, standing, 1e-8}, branches, &d.contact);
    assert_in_range(d.contact, 0, r->count - 1);
    if (d.status == SLIP_OK) {
        d.violation = slip_modes_violation(modes, r->t, r->q, r->v, standing, branches);
        memcpy(d.a, slip_modes_acceleration(modes), (size_t)r->n * sizeof(double));
    }
    for (int c = 0; c < r->count; c++) {
        d.modes[c] = branches[c].mode;
        d.normal[c] =
            r->contacts[c].unilateral && d.modes[c] == SLIP_MODE_OPEN ? 0 : r->work->contacts[c].normal;
        d.force[c] = d.modes[c] == SLIP_MODE_OPEN ? 0 : r->work->contacts[c].force;
    }
    slip_modes_destroy(modes);
    return d;
}

/* By how much the decided motion and forces miss the equation of motion, the constraints and the conditions,
 * whatever brute force has found. */
static double error_of(const random_system *r, const decision *d)
{
    double worst = -reserve_of(r, d->modes, d->a, d->normal, d->force);
    for (int i = 0; i < r->n; i++) {
        double sum = -r->load[i];
        for (int j = 0; j < r->n; j++)
            sum += r->b.system->mass[i * r->n + j] * d->a[j];
        for (int c = 0; c < r->count; c++)
            sum -= (r->contacts[c].unilateral ? r->contacts[c].gap[i] * d->normal[c] : 0) +
                   (r->contacts[c].frictionless ? 0 : r->contacts[c].slip[i] * d->force[c]);
        worst = fmax(worst, fabs(sum));
    }
    for (int c = 0; c < r->count; c++) {
        const random_contact *contact = &r->contacts[c];
        slip_mode mode = d->modes[c];
        if (contact->unilateral && mode != SLIP_MODE_OPEN)
            worst = fmax(worst, fabs(row_times(r->n, contact->gap, d->a) + contact->gap_curve));
        if (mode == SLIP_MODE_STICK)
            worst = fmax(worst, fabs(row_times(r->n, contact->slip, d->a) + contact->slip_drift));
        else if (mode != SLIP_MODE_OPEN && !contact->frictionless)
            worst = fmax(worst, fabs(d->force[c] + (mode == SLIP_MODE_SLIP_PLUS ? 1 : -1) *
                                                       kinetic(contact, contact->w) * d->normal[c]));
    }
    return worst;
}

static int choices_of(const random_system *r)
{
    int count = 0;
    slip_mode list[4];
    for (int c = 0; c < r->count; c++)
        count += modes_of(&r->contacts[c], list) > 1;
    return count;
}

/* Which of the solutions is this one? -1: none. */
static int index_of(const brute *b, int n, const double *a)
{
    for (int k = 0; k < b->count; k++)
        if (same(n, a, b->a[k]))
            return k;
    return -1;
}

/* Counts, so that a test can say that it has seen every kind of case. */
typedef struct tally {
    int unique, none, several, close, wrong;
} tally;

static void complain(const random_system *r, const brute *b, const decision *d, int trial, tally *t)
{
    if (t->wrong++ >= 3)
        return;
    print_error("trial %d: n = %d, %d contacts, brute force finds %d (nearest %g), decide says %d:", trial,
                r->n, r->count, b->count, b->nearest, d->status);
    for (int c = 0; c < r->count; c++)
        print_error(" %s%s%s", slip_mode_name(d->modes[c]), r->contacts[c].unilateral ? "(u)" : "",
                    r->contacts[c].hold > r->contacts[c].mu ? "(s)" : "");
    print_error("\n");
    for (int k = 0; k < b->count; k++) {
        print_error("  a =");
        for (int i = 0; i < r->n; i++)
            print_error(" %.6g", b->a[k][i]);
        print_error(", reserve %g\n", b->reserve[k]);
    }
    print_error("  decided a =");
    for (int i = 0; i < r->n && d->status == SLIP_OK; i++)
        print_error(" %.6g", d->a[i]);
    print_error("\n");
}

/* Would it be consistent for the only contact to stick? */
static bool can_stick(const random_system *r)
{
    slip_mode stick = SLIP_MODE_STICK;
    double a[most_coordinates], normal, force;
    return !r->contacts[0].frictionless && r->contacts[0].touching && r->contacts[0].resting &&
           solve_modes(r, &stick, 0, a, &normal, &force) == 0 &&
           reserve_of(r, &stick, a, &normal, &force) >= 0;
}

/* `ruled`: a rule chooses among several. */
static void compare_with_brute_force(random_system *r, bool ruled, int trial, tally *t)
{
    brute b = enumerate(r);
    decision d = decide(r, 0);
    bool sticking = r->count == 1 && can_stick(r);
    int strict = 0, at = d.status == SLIP_OK ? index_of(&b, r->n, d.a) : -1;
    if (b.nearest < 1e-5) { /* next to a tie: either side will do */
        t->close++;
        return;
    }
    for (int k = 0; k < b.count; k++)
        strict += b.reserve[k] > 1e-10;
    if (b.count == 1)
        t->unique++;
    else if (b.count == 0)
        t->none++;
    else
        t->several++;
    /* Contacts that depend on each other and slide: forces are not unique, nor is the motion then. What the
     * rule takes may lie between the corners that brute force finds. */
    ruled |= b.several_at_once || b.shares;
    if ((d.status == SLIP_OK && ((at < 0 && !b.several_at_once) || !(d.violation <= 1e-10) ||
                                 error_of(r, &d) > 1e-7 || idles(r, d.modes, d.a))) ||
        (d.status == SLIP_MODES_NONE) != (b.count == 0) || (b.count == 1 && d.status == SLIP_MODES_SEVERAL) ||
        (sticking && d.modes[0] != SLIP_MODE_STICK) ||
        (strict > 1 && !ruled && choices_of(r) <= 4 && d.status != SLIP_MODES_SEVERAL))
        complain(r, &b, &d, trial, t);
    for (int k = 0; k < 4; k++) {
        decision other = decide(r, 0x9e3779b9u * (unsigned)(4 * trial + k) >> 8);
        if (other.status != d.status ||
            (d.status == SLIP_OK &&
             (memcmp(other.modes, d.modes, sizeof d.modes) != 0 || !same(r->count, other.normal, d.normal) ||
              !same(r->count, other.force, d.force))))
            complain(r, &b, &other, trial, t);
    }
}

static tally many(uint64_t seed, int trials, int largest_count, const random_wishes *template)
{
    tally t = {0};
    trials = test_many(trials);
    for (int k = 0; k < trials; k++) {
        random_wishes wishes = *template;
        random_system r;
        wishes.n = random_int(&seed, 1, 4);
        wishes.count = random_int(&seed, 1, largest_count);
        random_make(&seed, &wishes, &r);
        compare_with_brute_force(&r, wishes.static_peak, k, &t);
        random_clear(&r);
    }
    print_message("unique %d, none %d, several %d, too close to a tie %d, wrong %d\n", t.unique, t.none,
                  t.several, t.close, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.close * 20 < trials);
    return t;
}

static void friction_alone(void **state)
{
    tally t = many(1, 1500, 4, &(random_wishes){.largest_mu = 2, .only_friction = true});
    (void)state;
    assert_int_equal(t.none + t.several, 0); /* a convex problem */
}

static void mixed_contacts_with_moderate_friction(void **state)
{
    tally t = many(2, 2000, 4, &(random_wishes){.largest_mu = 0.5});
    (void)state;
    assert_true(t.unique > test_many(1000));
}

static void much_friction(void **state)
{
    tally t = many(3, 2000, 4, &(random_wishes){.largest_mu = 4, .only_unilateral = true});
    (void)state;
    assert_true(t.none > 1 && t.several > 1);
}

/* Whatever modes are expected, the same forces must be found: the rule has the last word. */
static void contacts_that_repeat_each_other(void **state)
{
    tally t = many(4, 2000, 4, &(random_wishes){.largest_mu = 0.6, .redundant = true});
    (void)state;
    assert_true(t.unique > test_many(1000));
    t = many(8, 1500, 4, &(random_wishes){.largest_mu = 2, .only_friction = true, .redundant = true});
    assert_int_equal(t.none + t.several, 0);
}

static void static_friction_above_kinetic(void **state)
{
    tally t = many(5, 1500, 4, &(random_wishes){.largest_mu = 0.5, .static_peak = true});
    (void)state;
    assert_true(t.several > (test_sanitized ? 0 : 1)); /* of few systems there */
}

static void six_contacts(void **state)
{
    (void)state;
    many(6, 60, 6, &(random_wishes){.largest_mu = 0.5, .redundant = true});
    many(7, 60, 6, &(random_wishes){.largest_mu = 0.5});
}

/* ---- More contacts than can be searched, against Lemke's method. */

/* A^-1 b for a small matrix. */
static void solve_mass(const random_system *r, const double *b, double *x)
{
    double a[most_unknowns][most_unknowns + 1];
    for (int i = 0; i < r->n; i++) {
        for (int j = 0; j < r->n; j++)
            a[i][j] = r->b.system->mass[i * r->n + j];
        a[i][r->n] = b[i];
    }
    assert_int_equal(eliminate(r->n, r->n, a, x), r->n);
}

/* The rows of the problem: normals first, then the friction of the contacts at rest. */
typedef struct planar {
    int normals, tangents, of_normal[most_contacts], of_tangent[most_contacts];
    double rows[2 * most_contacts][most_coordinates], columns[2 * most_contacts][most_coordinates];
    double initial[2 * most_contacts];
} planar;

static planar list_rows(const random_system *r)
{
    planar p = {0};
    double a[most_coordinates], load[most_coordinates], column[most_coordinates];
    memcpy(load, r->load, sizeof load);
    for (int c = 0; c < r->count; c++)
        for (int i = 0; i < r->n && !r->contacts[c].unilateral && !r->contacts[c].resting; i++)
            load[i] -= (r->contacts[c].w > 0 ? 1 : -1) * kinetic(&r->contacts[c], r->contacts[c].w) *
                       r->contacts[c].normal * r->contacts[c].slip[i];
    solve_mass(r, load, a);
    for (int c = 0; c < r->count; c++) {
        const random_contact *contact = &r->contacts[c];
        if (!contact->unilateral || !contact->touching)
            continue;
        memcpy(p.rows[p.normals], contact->gap, sizeof contact->gap);
        memcpy(column, contact->gap, sizeof column);
        for (int i = 0; i < r->n && !contact->resting && !contact->frictionless; i++)
            column[i] -= (contact->w > 0 ? 1 : -1) * kinetic(contact, contact->w) * contact->slip[i];
        solve_mass(r, column, p.columns[p.normals]);
        p.initial[p.normals] = row_times(r->n, contact->gap, a) + contact->gap_curve;
        p.of_normal[p.normals++] = c;
    }
    for (int c = 0; c < r->count; c++) {
        const random_contact *contact = &r->contacts[c];
        int k = p.normals + p.tangents;
        if (contact->frictionless || !contact->resting || (contact->unilateral && !contact->touching))
            continue;
        memcpy(p.rows[k], contact->slip, sizeof contact->slip);
        solve_mass(r, contact->slip, p.columns[k]);
        p.initial[k] = row_times(r->n, contact->slip, a) + contact->slip_drift;
        p.of_tangent[p.tangents++] = c;
    }
    return p;
}

/* z = (normal forces, friction in plus, friction in minus, |slip rate|). */
static slip_lcp_outcome lemke(const random_system *r)
{
    planar p = list_rows(r);
    enum { most = 4 * most_contacts };
    const int k = p.normals, s = p.tangents, m = k + 3 * s;
    static double matrix[most * most], constant[most], z[most];
    double *numbers = calloc((size_t)slip_lcp_numbers(m), sizeof(double));
    int *indices = calloc((size_t)slip_lcp_indices(m), sizeof(int));
    slip_lcp_outcome outcome;
    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < k + 2 * s; i++) {
        int row = i < k + s ? i : i - s;
        double sign = i < k + s ? 1 : -1;
        constant[i] = sign * p.initial[row];
        for (int j = 0; j < k + 2 * s; j++)
            matrix[i * m + j] =
                sign * (j < k + s ? 1 : -1) * row_times(r->n, p.rows[row], p.columns[j < k + s ? j : j - s]);
        if (i >= k)
            matrix[i * m + row + 2 * s] = 1;
    }
    for (int j = 0; j < s; j++) {
        const random_contact *contact = &r->contacts[p.of_tangent[j]];
        int i = k + 2 * s + j;
        constant[i] = contact->unilateral ? 0 : contact->mu * contact->normal;
        for (int l = 0; l < k && contact->unilateral; l++)
            matrix[i * m + l] = p.of_normal[l] == p.of_tangent[j] ? contact->mu : 0;
        matrix[i * m + k + j] = matrix[i * m + k + s + j] = -1;
    }
    outcome = slip_lcp_lemke(m, matrix, constant, z, numbers, indices);
    if (outcome == SLIP_LCP_SOLVED && lcp_residual(m, matrix, constant, z) > 1e-8)
        outcome = SLIP_LCP_LIMIT;
    free(numbers);
    free(indices);
    return outcome;
}

/* Returns in how many Lemke's method finds a solution and `decide` does not. */
static int compare_with_lemke(uint64_t seed, int trials, int least_n, const random_wishes *template)
{
    int solved = 0, rays = 0, extra = 0, wrong = 0, missed = 0;
    trials = test_many(trials);
    for (int k = 0; k < trials; k++) {
        random_wishes wishes = *template;
        random_system r;
        decision d;
        slip_lcp_outcome outcome;
        wishes.n = random_int(&seed, least_n, most_coordinates);
        wishes.count = random_int(&seed, 8, 15);
        wishes.all_have_a_choice = random_chance(&seed, 0.7);
        random_make(&seed, &wishes, &r);
        outcome = lemke(&r);
        d = decide(&r, 0);
        solved += outcome == SLIP_LCP_SOLVED;
        rays += outcome != SLIP_LCP_SOLVED;
        extra += outcome != SLIP_LCP_SOLVED && d.status == SLIP_OK;
        missed += outcome == SLIP_LCP_SOLVED && d.status != SLIP_OK;
        if (d.status == SLIP_OK && !(error_of(&r, &d) < 1e-6)) {
            wrong++;
            print_error("trial %d: n = %d, %d contacts, error %g\n", k, r.n, r.count, error_of(&r, &d));
        }
        random_clear(&r);
    }
    print_message("Lemke solves %d (%d missed), fails %d (%d decided); wrong %d\n", solved, missed, rays,
                  extra, wrong);
    assert_int_equal(wrong, 0);
    assert_true(solved > trials / 2);
    return missed;
}

static void many_friction_contacts(void **state)
{
    (void)state;
    assert_int_equal(compare_with_lemke(11, 200, 8, &(random_wishes){.largest_mu = 2, .only_friction = true}),
                     0);
}

static void many_mixed_contacts(void **state)
{
    (void)state;
    assert_int_equal(compare_with_lemke(13, 150, 8, &(random_wishes){.largest_mu = 0.5}), 0);
    assert_int_equal(
        compare_with_lemke(15, 150, 8, &(random_wishes){.largest_mu = 0.8, .only_unilateral = true}), 0);
}

/* Far more contacts at rest than coordinates that they could hold: forces are not unique. With stops among
 * them one case in two hundred may be given up (no modes found, and said so); none may be wrong. */
static void many_contacts_on_few_coordinates(void **state)
{
    (void)state;
    assert_int_equal(
        compare_with_lemke(12, 400, 3,
                           &(random_wishes){.largest_mu = 2, .only_friction = true, .redundant = true}),
        0);
    assert_int_equal(compare_with_lemke(14, 400, 3, &(random_wishes){.largest_mu = 0.5, .redundant = true}),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_alone),
        cmocka_unit_test(mixed_contacts_with_moderate_friction),
        cmocka_unit_test(much_friction),
        cmocka_unit_test(contacts_that_repeat_each_other),
        cmocka_unit_test(static_friction_above_kinetic),
        cmocka_unit_test(six_contacts),
        cmocka_unit_test(many_friction_contacts),
        cmocka_unit_test(many_mixed_contacts),
        cmocka_unit_test(many_contacts_on_few_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
