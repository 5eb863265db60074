/* FleetFigures: the metrics of fleets. They are shown at every pass, also in the middle of a
 * rollout, and all of them go with the fleet. */
#ifndef SEI_RECONCILE_FLEET_FIGURES_H
#define SEI_RECONCILE_FLEET_FIGURES_H

#include "sei/api/fleet.h"
#include "sei/reconcile/figures.h"

/* The gauges of a fleet as it is. */
void fleet_figures_state(Figures *f, const Fleet *fleet, const FleetStatus *now);

/* All series of a fleet that is gone. */
void fleet_figures_gone(Figures *f, Key fleet);

#endif
