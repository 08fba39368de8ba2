#include <stdarg.h>

#include "provider.h"

const OSSL_ITEM provider_reasons[] = {
    {REASON_CONFIGURATION, "the provider's section in openssl.cnf names no such device"},
    {REASON_OPEN, "the device of the core cannot be opened"},
    {REASON_TAKEN, "another process does not give the core back"},
    {REASON_NO_CORE, "the device holds no such core"},
    {REASON_BUSY, "the core is busy with an operation that was left alone"},
    {REASON_TIMEOUT, "the core makes no progress"},
    {REASON_ACCESS, "access to the core failed"},
    {REASON_DRIVER, "the driver of the core refused"},
    {REASON_NO_CURVE, "no core has this curve"},
    {REASON_KEY, "the key is not in its range"},
    {REASON_NO_PRIVATE_KEY, "the key has no private part"},
    {REASON_NO_PUBLIC_KEY, "the key has no public part"},
    {REASON_ENCODING, "a public key is not an uncompressed point of its curve"},
    {REASON_RANDOM, "there are no random numbers"},
    {REASON_UNSUPPORTED, "the provider does not support this"},
    {REASON_BUFFER, "the buffer is too small"},
    {REASON_DIGEST, "the digest cannot be computed"},
    {REASON_SIGNATURE, "the signature cannot be encoded"},
    {REASON_INTERNAL, "no memory, or another failure of OpenSSL"},
    {REASON_NO_RSA_CORE, "no core takes RSA keys of this length and public exponent"},
    {REASON_MESSAGE, "the message does not fit the key"},
    {REASON_CIPHERTEXT, "what is to be decrypted was not encrypted with this key so"},
    {REASON_STATUS + RESIDUA_ECC_STATUS_NEUTRAL, "the result is the neutral element"},
    {REASON_STATUS + RESIDUA_ECC_STATUS_OPERAND_RANGE, "an operand is not below its modulus"},
    {REASON_STATUS + RESIDUA_ECC_STATUS_SCALAR_RANGE, "a scalar is not in its range"},
    {REASON_STATUS + RESIDUA_ECC_STATUS_NOT_ON_CURVE, "a point is not on the curve"},
    {REASON_STATUS + RESIDUA_ECC_STATUS_SMALL_ORDER, "a point is of small order"},
    {REASON_RSA_STATUS + RESIDUA_MODULAR_STATUS_OPERAND_RANGE, "a number is too long for the core"},
    {REASON_RSA_STATUS + RESIDUA_MODULAR_STATUS_BAD_MODULUS, "the core refuses the key"},
    {REASON_RSA_STATUS + RESIDUA_MODULAR_STATUS_NOT_LOADED, "the core has no key"},
    {REASON_RSA_STATUS + RESIDUA_MODULAR_STATUS_FAULT, "the key is wrong, or the core has computed wrongly"},
    {0, NULL},
};

void provider_raise(const residua_provider *provider, const char *file, int line,
                    const char *function, int reason, const char *format, ...)
{
    va_list arguments;

    if (provider->new_error == NULL || provider->set_error_debug == NULL ||
        provider->vset_error == NULL) {
        return;
    }
    provider->new_error(provider->handle);
    provider->set_error_debug(provider->handle, file, line, function);
    va_start(arguments, format);
    provider->vset_error(provider->handle, (uint32_t)reason, format, arguments);
    va_end(arguments);
}
