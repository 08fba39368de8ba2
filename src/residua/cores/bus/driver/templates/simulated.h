/* A simulation of {{ top }} for its driver. */
#ifndef {{ name | upper }}_SIMULATED_H
#define {{ name | upper }}_SIMULATED_H

#include "{{ name }}_core.h"

/* A new simulation after its reset, with the default limit of polls. */
{{ library }}_device {{ name }}_simulated(uint64_t seed, uint32_t stalls, uint32_t pause);

/* Its clock cycles so far. */
uint64_t {{ name }}_cycles(const {{ library }}_device *device);

/* Words of results that came and that nobody took. */
size_t {{ name }}_waiting(const {{ library }}_device *device);

/* What the bus found wrong since the last call, as bits; 0 if nothing. */
int {{ name }}_failure(const {{ library }}_device *device);

/* What a device's function `wait` can be: lets the clock run until the interrupt comes, at most {{ wait }} cycles. */
void {{ name }}_wait(void *context);

/* Frees the simulation. */
void {{ name }}_close(const {{ library }}_device *device);

#endif
