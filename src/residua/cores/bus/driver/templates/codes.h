/* Operations, status codes and the zeroisation key, from the register description. */
#ifndef {{ library | upper }}_CODES_H
#define {{ library | upper }}_CODES_H

/* Operations (CONTROL.operation). */
{% for name, code in registers.operations.items() %}
#define {{ library | upper }}_OPERATION_{{ name | upper }} {{ code }}u /* {{ operations[name] }} */
{% endfor %}

/* Status codes (STATUS.code). */
{% for name, code in registers.statuses.items() %}
#define {{ library | upper }}_STATUS_{{ name | upper }} {{ code }} /* {{ statuses[name] }} */
{% endfor %}

{% if sparse %}
/* The same, in this order, of cores with CAPABILITY.sparse_status. */
#define {{ library | upper }}_SPARSE_CODES \
    { {{ sparse }} }

{% endif %}
/* What ZEROISE accepts. */
#define {{ library | upper }}_ZEROISE_KEY 0x{{ "%08X" | format(registers.zeroise_key) }}u
{% if several %}

/* What ZEROISE_CORES accepts beside the mask. */
#define {{ library | upper }}_ZEROISE_CORES_KEY 0x{{ "%04X" | format(several_key) }}u

/* VERSION.major of one coprocessor, and of several behind one bus. */
#define {{ library | upper }}_VERSION {{ registers["VERSION"].fields.major.reset }}u
#define {{ library | upper }}_SEVERAL_VERSION {{ several }}u

/* The greatest tag of a request. */
#define {{ library | upper }}_MOST_TAG {{ most_tag }}u
{% endif %}

#endif
