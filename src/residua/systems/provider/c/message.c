/* Messages, and what is computed of them for a signature: their digest. */
#include <openssl/core_names.h>
#include <openssl/params.h>

#include "provider.h"

void provider_message_end(provider_message *message)
{
    EVP_MD_CTX_free(message->context);
    message->context = NULL;
}

void provider_message_free(provider_message *message)
{
    EVP_MD_free(message->digest);
    message->digest = NULL;
    provider_message_end(message);
}

int provider_message_copy(provider_message *message, const provider_message *from)
{
    if (from->digest != NULL && !EVP_MD_up_ref(from->digest)) {
        return 0;
    }
    message->digest = from->digest;
    if (from->context == NULL) {
        return 1;
    }
    message->context = EVP_MD_CTX_new();
    return message->context != NULL && EVP_MD_CTX_copy_ex(message->context, from->context);
}

int provider_digest_use(const residua_provider *provider, EVP_MD **digest, const char *name,
                        const char *properties)
{
    EVP_MD *found = EVP_MD_fetch(provider->libctx, name, properties);

    if (found == NULL || EVP_MD_get_size(found) <= 0) {
        RAISE(provider, REASON_DIGEST, "%s", name);
        EVP_MD_free(found);
        return 0;
    }
    EVP_MD_free(*digest);
    *digest = found;
    return 1;
}

int provider_digest_set(const residua_provider *provider, EVP_MD **digest, const OSSL_PARAM *param,
                        const OSSL_PARAM *query)
{
    char name[NAME_SIZE], *target = name;
    const char *properties = NULL;

    return OSSL_PARAM_get_utf8_string(param, &target, sizeof name) &&
           (query == NULL || OSSL_PARAM_get_utf8_string_ptr(query, &properties)) &&
           provider_digest_use(provider, digest, name, properties);
}

int provider_message_set_params(provider_message *message, const OSSL_PARAM params[])
{
    const OSSL_PARAM *digest = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST);
    const OSSL_PARAM *query = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PROPERTIES);

    if (digest == NULL) {
        return 1;
    }
    if (message->context != NULL) {
        RAISE(message->provider, REASON_UNSUPPORTED, "another digest in the midst of a message");
        return 0;
    }
    return provider_digest_set(message->provider, &message->digest, digest, query);
}

int provider_message_begin(provider_message *message, const char *name)
{
    const char *wanted = name != NULL && name[0] != '\0' ? name : "SHA256";

    if ((message->digest == NULL || (name != NULL && name[0] != '\0')) &&
        !provider_digest_use(message->provider, &message->digest, wanted, NULL)) {
        return 0;
    }
    message->context = EVP_MD_CTX_new();
    if (message->context == NULL || !EVP_DigestInit_ex2(message->context, message->digest, NULL)) {
        RAISE(message->provider, REASON_DIGEST, "%s", wanted);
        return 0;
    }
    return 1;
}

int provider_message_update(const provider_message *message, const unsigned char *bytes, size_t size)
{
    return message->context != NULL && EVP_DigestUpdate(message->context, bytes, size);
}

/* The digest may be asked for again. */
int provider_message_finish(const provider_message *message, unsigned char *digest, unsigned *size)
{
    EVP_MD_CTX *copy = EVP_MD_CTX_new();
    int good = message->context != NULL && copy != NULL &&
               EVP_MD_CTX_copy_ex(copy, message->context) && EVP_DigestFinal_ex(copy, digest, size);

    EVP_MD_CTX_free(copy);
    if (!good) {
        RAISE(message->provider, REASON_DIGEST, "of the message");
    }
    return good;
}
