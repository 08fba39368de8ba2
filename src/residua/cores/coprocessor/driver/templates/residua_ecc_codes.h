/* Operations, status codes and the zeroisation key, from the register description. */
#ifndef RESIDUA_ECC_CODES_H
#define RESIDUA_ECC_CODES_H

/* Operations (CONTROL.operation). */
{% for name, code in registers.operations.items() %}
#define RESIDUA_ECC_OPERATION_{{ name | upper }} {{ code }}u /* {{ operations[name] }} */
{% endfor %}

/* Status codes (STATUS.code). */
{% for name, code in registers.statuses.items() %}
#define RESIDUA_ECC_STATUS_{{ name | upper }} {{ code }} /* {{ statuses[name] }} */
{% endfor %}

/* The same, in this order, of cores with CAPABILITY.sparse_status. */
#define RESIDUA_ECC_SPARSE_CODES \
    { {{ sparse }} }

/* What ZEROISE accepts. */
#define RESIDUA_ECC_ZEROISE_KEY 0x{{ "%08X" | format(registers.zeroise_key) }}u

#endif
