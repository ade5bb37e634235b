/* Slipstick: simulation of mechanical systems with dry friction and contact. Includes everything. */
#ifndef SLIPSTICK_H
#define SLIPSTICK_H

#include "slipstick/axis.h"
#include "slipstick/base.h"
#include "slipstick/basin.h"
#include "slipstick/bifurcation.h"
#include "slipstick/body.h"
#include "slipstick/branch.h"
#include "slipstick/device.h"
#include "slipstick/figure.h"
#include "slipstick/fit.h"
#include "slipstick/fmu.h"
#include "slipstick/gear.h"
#include "slipstick/gear_cycle.h"
#include "slipstick/gear_run.h"
#include "slipstick/gear_select.h"
#include "slipstick/law.h"
#include "slipstick/lyapunov.h"
#include "slipstick/model.h"
#include "slipstick/modes.h"
#include "slipstick/orbit.h"
#include "slipstick/patch.h"
#include "slipstick/pieces.h"
#include "slipstick/reduced.h"
#include "slipstick/result.h"
#include "slipstick/run.h"
#include "slipstick/simulation.h"
#include "slipstick/statics.h"
#include "slipstick/study.h"
#include "slipstick/sweep.h"

#endif
