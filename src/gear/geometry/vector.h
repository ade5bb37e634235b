/* Vectors in space, for this folder's files. */
#ifndef SLIP_GEAR_GEOMETRY_VECTOR_H
#define SLIP_GEAR_GEOMETRY_VECTOR_H

#include <math.h>

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void difference(const double a[3], const double b[3], double result[3])
{
    for (int d = 0; d < 3; d++)
        result[d] = a[d] - b[d];
}

static inline void add_scaled(double factor, const double a[3], double target[3])
{
    for (int d = 0; d < 3; d++)
        target[d] += factor * a[d];
}

static inline void scale(double factor, double a[3])
{
    for (int d = 0; d < 3; d++)
        a[d] *= factor;
}

#endif
