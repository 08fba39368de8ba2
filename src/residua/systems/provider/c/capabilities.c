/* Groups of TLS: libssl takes them from the provider that keys of their algorithm come from. */
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>

#include "provider.h"

#define CAPABILITY "TLS-GROUP"

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

/* Tells one group by one of its names. */
static int tell_group(const struct residua_ecc_curve *numbers, const provider_curve *names,
                      const char *name, OSSL_CALLBACK *callback, void *argument)
{
    unsigned number = names->tls_group, bits = provider_security_bits(numbers);
    int first = TLS1_VERSION, first_datagram = DTLS1_VERSION, no_last = 0;
    const char *algorithm = numbers->montgomery ? names->names[0] : "EC";
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_CAPABILITY_TLS_GROUP_NAME, text(name), 0),
        OSSL_PARAM_construct_utf8_string(OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL,
                                         text(names->names[0]), 0),
        OSSL_PARAM_construct_utf8_string(OSSL_CAPABILITY_TLS_GROUP_ALG, text(algorithm), 0),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_GROUP_ID, &number),
        OSSL_PARAM_construct_uint(OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS, &bits),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, &first),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MAX_TLS, &no_last),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, &first_datagram),
        OSSL_PARAM_construct_int(OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS, &no_last),
        OSSL_PARAM_construct_end(),
    };

    return callback(params, argument);
}

int provider_capabilities(void *context, const char *capability, OSSL_CALLBACK *callback,
                          void *argument)
{
    const char *const *name;
    size_t i;
    unsigned j;

    (void)context;
    if (OPENSSL_strcasecmp(capability, CAPABILITY) != 0) {
        return 0;
    }
    for (i = 0; i < provider_core_count; i++) {
        const provider_core *core = &provider_cores[i];

        for (j = 0; core->ecc != NULL && j < core->ecc->curve_count; j++) {
            for (name = core->curves[j].names; *name != NULL; name++) {
                if (!tell_group(&core->ecc->curves[j], &core->curves[j], *name, callback,
                                argument)) {
                    return 0;
                }
            }
        }
    }
    return 1;
}
