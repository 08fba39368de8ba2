#include "{{ name }}_simulated.h"

void *{{ top }}_bus_open(uint64_t seed, uint32_t stalls, uint32_t pause);
void {{ top }}_bus_close(void *context);
uint32_t {{ top }}_bus_read32(void *context, uint32_t offset);
void {{ top }}_bus_write32(void *context, uint32_t offset, uint32_t value);
{% if random %}
int {{ top }}_bus_random(void *context, uint32_t *word);
{% endif %}
int {{ top }}_bus_send(void *context, const uint32_t *words, size_t count);
int {{ top }}_bus_receive(void *context, uint32_t *words, size_t count);
int {{ top }}_bus_received(void *context);
uint64_t {{ top }}_bus_cycles(void *context);
size_t {{ top }}_bus_waiting(void *context);
int {{ top }}_bus_failure(void *context);
int {{ top }}_bus_interrupted(void *context, uint64_t most);

{{ library }}_device {{ name }}_simulated(uint64_t seed, uint32_t stalls, uint32_t pause)
{
    {{ library }}_device device = {0};

    device.core = &{{ name }}_core;
    device.read32 = {{ top }}_bus_read32;
    device.write32 = {{ top }}_bus_write32;
{% if streams %}
    device.send = {{ top }}_bus_send;
    device.receive = {{ top }}_bus_receive;
    device.received = {{ top }}_bus_received;
{% endif %}
{% if random and (curves or not streams) %}
    device.random = {{ top }}_bus_random;
{% endif %}
    device.context = {{ top }}_bus_open(seed, stalls, pause);
    return device;
}

uint64_t {{ name }}_cycles(const {{ library }}_device *device)
{
    return {{ top }}_bus_cycles(device->context);
}

size_t {{ name }}_waiting(const {{ library }}_device *device)
{
    return {{ top }}_bus_waiting(device->context);
}

int {{ name }}_failure(const {{ library }}_device *device)
{
    return {{ top }}_bus_failure(device->context);
}

void {{ name }}_close(const {{ library }}_device *device)
{
    {{ top }}_bus_close(device->context);
}

void {{ name }}_wait(void *context)
{
    (void){{ top }}_bus_interrupted(context, {{ wait }});
}
