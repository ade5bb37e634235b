/* Siconos's turn in `bench/run`: u'' + 0.1 u' + u = 4 sin t - 3.2 Sign(u') from rest over 50 periods by its
 * Moreau-Jean time stepping, theta = 1/2, h = 1e-3.
 *
 * The model: a particle (n, u) of mass 1 on the plane n = 0. The spring and the damper act on u; the constant
 * load -3.2/mu presses it on the plane, so that friction is 3.2 while it slips. Contact with restitution 0
 * and Coulomb's law is a NewtonImpactFrictionNSL, the problem of a step a FrictionContact of dimension 2. The
 * normal direction does nothing: n and n' stay 0.
 *
 *     peer_siconos nsgs|lemke|enum [TURNS [STEPS]]
 *
 * The clock runs over the steps only, not over the building of the simulation. No output, no history; the
 * system is declared linear, so that a step is one iteration of its Newton loop. Prints the line of
 * oscillator.h for the best turn. */
#include "oscillator.h"

#include <SiconosKernel.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

static const double step = 1e-3, coefficient = 0.8;

static void load(double t, unsigned, double *force, unsigned, double *)
{
    force[0] = -oscillator_friction / coefficient;
    force[1] = oscillator_load * std::sin(t);
}

static int solver_number(const char *name)
{
    if (std::strcmp(name, "lemke") == 0)
        return SICONOS_FRICTION_2D_LEMKE;
    if (std::strcmp(name, "enum") == 0)
        return SICONOS_FRICTION_2D_ENUM;
    return SICONOS_FRICTION_2D_NSGS;
}

static oscillator_turn run(int solver, long most)
{
    oscillator_turn turn = {};
    const double end = 2 * OSCILLATOR_PI * oscillator_periods;
    auto q = std::make_shared<SiconosVector>(2), v = std::make_shared<SiconosVector>(2);
    auto mass = std::make_shared<SimpleMatrix>(2, 2), stiffness = std::make_shared<SimpleMatrix>(2, 2),
         damping = std::make_shared<SimpleMatrix>(2, 2), direction = std::make_shared<SimpleMatrix>(2, 2);
    mass->eye();
    direction->eye();
    stiffness->setValue(1, 1, 1);
    damping->setValue(1, 1, oscillator_damping);
    auto particle = std::make_shared<LagrangianLinearTIDS>(q, v, mass, stiffness, damping);
    particle->setComputeFExtFunction(load);

    auto law = std::make_shared<NewtonImpactFrictionNSL>(0, 0, coefficient, 2);
    auto relation = std::make_shared<LagrangianLinearTIR>(direction);
    auto contact = std::make_shared<Interaction>(law, relation);
    auto system = std::make_shared<NonSmoothDynamicalSystem>(0, end + 2 * step);
    system->insertDynamicalSystem(particle);
    system->link(contact, particle);

    auto times = std::make_shared<TimeDiscretisation>(0, step);
    auto integrator = std::make_shared<MoreauJeanOSI>(0.5);
    auto problem = std::make_shared<FrictionContact>(2, solver);
    auto simulation = std::make_shared<TimeStepping>(system, times, integrator, problem);
    simulation->setNewtonOptions(SICONOS_TS_LINEAR);
    simulation->initialize();

    const double started = oscillator_clock();
    const long steps = std::min(most, std::lround(std::ceil(end / step)));
    double before = 0;
    int half = 1;
    bool slipping = false;
    while (turn.steps < steps) {
        simulation->computeOneStep();
        simulation->nextStep();
        turn.steps++;
        const double t = step * (double)turn.steps, u = (*particle->q())(1),
                     rate = (*particle->velocity())(1);
        if (slipping != (std::fabs(rate) > 1e-12)) {
            slipping = !slipping;
            oscillator_switched(&turn, (int)turn.events++, t);
        }
        if (t >= half * OSCILLATOR_PI)
            oscillator_held(&turn, half++, before);
        before = u;
    }
    turn.seconds = oscillator_clock() - started;
    return turn;
}

int main(int argc, char **argv)
{
    const int solver = solver_number(argc > 1 ? argv[1] : "nsgs");
    const int turns = argc > 2 ? std::atoi(argv[2]) : 1;
    const long most = argc > 3 ? std::atol(argv[3]) : 1000000;
    oscillator_turn best = {};
    best.seconds = INFINITY;
    for (int k = 0; k < turns; k++) {
        const oscillator_turn turn = run(solver, most);
        best = turn.seconds < best.seconds ? turn : best;
    }
    oscillator_print(&best);
    return 0;
}
