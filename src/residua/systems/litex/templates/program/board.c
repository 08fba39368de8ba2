/* The devices of a system of LiteX. */
#include "board.h"

#include <generated/csr.h>

#include "residua_litex.h"

int board_receive(void)
{
    int byte;

    if (uart_rxempty_read())
        return BOARD_NONE;
    byte = (int)uart_rxtx_read();
    uart_ev_pending_write(1u << CSR_UART_EV_PENDING_RX_OFFSET);
    return byte;
}

void board_send(uint8_t byte)
{
    while (uart_txfull_read())
        ;
    uart_rxtx_write(byte);
}

int board_random(void *context, uint32_t *word)
{
    return residua_litex_random(context, word);
}

/* Whether a core has an interrupt, by its event. */
static int has_event(uintptr_t context)
{
{% for core in ecc + rsa %}
    if (context == {{ core | upper }}_BASE)
        return (int){{ core }}_ev_status_read();
{% endfor %}
    return 0;
}

/* Looks at an event before the driver looks itself: a core may want random words meanwhile. */
#define LOOKS 256u

void residua_litex_wait(void *context)
{
    for (uint32_t looks = 0; looks < LOOKS && !has_event((uintptr_t)context); looks++)
        ;
}

/* No interrupt of the processor is enabled; what LiteX starts a processor with refers to this. */
void isr(void);
void isr(void)
{
}

/* The last device of each list is none. */
const residua_ecc_device board_devices[] = {
{% for core in ecc %}
    {{ core | upper }}_DEVICE,
{% endfor %}
    { .core = NULL }
};
const residua_modular_device board_rsa_devices[] = {
{% for core in rsa %}
    {{ core | upper }}_DEVICE,
{% endfor %}
    { .core = NULL }
};
const size_t board_device_count = sizeof board_devices / sizeof board_devices[0] - 1;
const size_t board_rsa_device_count = sizeof board_rsa_devices / sizeof board_rsa_devices[0] - 1;
