/* Integrals of a motion times harmonics.
 *
 * Steps of closed forms are as long as their segments, and to look at the motion inside of one costs more
 * than to integrate: over pieces of a step the motion is taken as its Chebyshev polynomial, of a degree at
 * which the coefficients have fallen, or of half the piece, and Gauss's rule integrates that with as many
 * points as the fastest harmonic needs. */
#include "method/method.h"
#include "study/orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { least_degree = 8, most_degree = 32, points = 8, most_halvings = 9 };

static const double pi = 3.141592653589793238463;

/* The numbers that are integrated: coordinates, then states. */
static void take(slip_arc_flow *flow, const slip_step *step, double t, double *values)
{
    const int coordinates = slip_system_coordinates(flow->system);
    step->state(step->self, fmin(fmax(t, step->t0), step->t1), flow->q, flow->v);
    memcpy(values, flow->q, (size_t)coordinates * sizeof(double));
    memcpy(values + coordinates, flow->v + coordinates, (size_t)flow->system->state_count * sizeof(double));
}

/* Coefficients of all numbers, degree by degree, from their values at cos(pi k / degree); `cosines` are those
 * of pi k / most_degree. False where they have not fallen by the last ones. */
static bool fit(int degree, int coordinates, int count, const double *cosines, const double *values,
                double *coefficients)
{
    const int apart = most_degree / degree;
    bool fallen = true;
    memset(coefficients, 0, (size_t)(degree + 1) * (size_t)count * sizeof(double));
    for (int j = 0; j <= degree; j++)
        for (int k = 0; k <= degree; k++) {
            const double weight = (j == 0 || j == degree ? 1.0 : 2.0) / degree *
                                  (k == 0 || k == degree ? 0.5 : 1) *
                                  cosines[j * k * apart % (2 * most_degree)];
            for (int i = 0; i < count; i++)
                coefficients[j * count + i] += weight * values[k * count + i];
        }
    for (int kind = 0; kind < 2; kind++) {
        double size = 0, last = 0;
        for (int i = kind ? coordinates : 0; i < (kind ? count : coordinates); i++) {
            for (int k = 0; k <= degree; k++)
                size = fmax(size, fabs(values[k * count + i]));
            for (int j = degree - 2; j <= degree; j++)
                last = fmax(last, fabs(coefficients[j * count + i]));
        }
        fallen = fallen && last <= 1e-11 * size;
    }
    return fallen;
}

/* By C. Clenshaw's recurrence, of number i at place s of -1 to 1. */
static double value_at(int degree, int count, const double *coefficients, int i, double s)
{
    double b1 = 0, b2 = 0;
    for (int j = degree; j > 0; j--) {
        const double b = 2 * s * b1 - b2 + coefficients[j * count + i];
        b2 = b1;
        b1 = b;
    }
    return s * b1 - b2 + coefficients[i];
}

/* Adds one point with its weight. */
static void add_point(slip_arc_flow *flow, double t, double weight, const double *values)
{
    const int coordinates = slip_system_coordinates(flow->system), states = flow->system->state_count;
    const double cosine = cos(flow->frequency * t), sine = sin(flow->frequency * t);
    double *to = flow->fourier, c = cosine, s = sine;
    for (int h = 0; h < flow->harmonics; h++, to += 2 * coordinates) {
        for (int i = 0; i < coordinates; i++) {
            to[i] += weight * c * values[i];
            to[coordinates + i] += weight * s * values[i];
        }
        const double next = c * cosine - s * sine;
        s = s * cosine + c * sine;
        c = next;
    }
    for (int i = 0; i < states; i++)
        to[i] += weight * values[coordinates + i];
    for (int i = 0; i < coordinates; i++)
        to[states + i] += weight * values[i];
}

/* A piece from its polynomials, by Gauss's rule on panels of at most three radians. */
static void add_piece(slip_arc_flow *flow, int degree, double from, double length, const double *coefficients,
                      double *values)
{
    static const double nodes[points] = {-0.9602898564975363, -0.7966664774136267, -0.5255324099163290,
                                         -0.1834346424956498, 0.1834346424956498,  0.5255324099163290,
                                         0.7966664774136267,  0.9602898564975363},
                        weights[points] = {0.1012285362903763, 0.2223810344533745, 0.3137066458778873,
                                           0.3626837833783620, 0.3626837833783620, 0.3137066458778873,
                                           0.2223810344533745, 0.1012285362903763};
    const int count = slip_system_coordinates(flow->system) + flow->system->state_count,
              panels = 1 + degree / 8 + (int)fmin(1e6, flow->harmonics * flow->frequency * length / 3);
    for (int k = 0; k < points * panels; k++) {
        const double s = (2 * (k / points) + 1 + nodes[k % points]) / panels - 1; /* -1 to 1 over the piece */
        for (int i = 0; i < count; i++)
            values[i] = value_at(degree, count, coefficients, i, s);
        add_point(flow, from + 0.5 * length * (s + 1), 0.5 * length / panels * weights[k % points], values);
    }
}

void slip_arc_flow_integrate(slip_arc_flow *flow, const slip_step *step)
{
    const int coordinates = slip_system_coordinates(flow->system),
              count = coordinates + flow->system->state_count;
    const double whole = step->t1 - step->t0, shortest = ldexp(whole, -most_halvings),
                 usual = pi / (3 * flow->frequency); /* a sixth of a period */
    double *values = flow->samples, *coefficients = values + (most_degree + 1) * count,
           length = fmin(usual, whole), cosines[2 * most_degree];
    for (int k = 0; k < 2 * most_degree; k++)
        cosines[k] = cos(pi * k / most_degree);
    for (double from = step->t0; from < step->t1;
         from += length, length = fmin(2 * length, step->t1 - from)) {
        int degree = least_degree;
        for (bool doubled = false;; degree *= 2, doubled = true) {
            if (degree > most_degree) {
                degree = least_degree;
                length *= 0.5;
                doubled = false;
            }
            for (int k = degree / 2; k > 0 && doubled; k--) /* every other one is there */
                memcpy(values + 2 * k * count, values + k * count, (size_t)count * sizeof *values);
            for (int k = degree - doubled; k >= 0;
                 k -= 1 + doubled) /* in their order they are found fastest */
                take(flow, step, from + 0.5 * length * (1 + cosines[k * (most_degree / degree)]),
                     values + k * count);
            if (fit(degree, coordinates, count, cosines, values, coefficients) ||
                (length < shortest && degree == most_degree))
                break;
        }
        add_piece(flow, degree, from, length, coefficients, values);
    }
}

int slip_arc_flow_integrals(const slip_arc_flow *flow)
{
    const int coordinates = slip_system_coordinates(flow->system);
    return (2 * flow->harmonics + 1) * coordinates + flow->system->state_count;
}

int slip_arc_flow_sample_room(const slip_arc_flow *flow)
{
    return 2 * (most_degree + 1) * (slip_system_coordinates(flow->system) + flow->system->state_count);
}
