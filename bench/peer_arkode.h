/* The forced Coulomb oscillator of `bench_batch` by ARKODE. */
#ifndef BENCH_PEER_ARKODE_H
#define BENCH_PEER_ARKODE_H

/* From rest to `end`; its events. */
long long peer_arkode_run(double w, double mu, double end, double *x_end);

#endif
