/* Makes requests of {{ instances }} coprocessors through their driver, on the simulated bus, and collects the
 * results; plain integers gave what must come out. */
#include <stdio.h>
#include <string.h>

#include "{{ name }}_simulated.h"

#define COUNT {{ requests | length }}
#define NUMBERS {{ numbers }}
#define WORDS (NUMBERS * {{ words }}) /* of a result */
#define LONG {{ long }} /* a request that takes long */
#define BYTES (4 * RESIDUA_ECC_MAX_WORDS) /* of a number */

struct request {
    unsigned operation, curve, operand_words;
    int status;
    uint32_t operands[{{ most_operands }}], results[WORDS];
};

static const struct request requests[COUNT] = {
{% for one in requests %}
    {
        {{ one.operation }},
        {{ one.curve }},
        {{ one.operands | length }},
        {{ one.status }},
        { {{ (one.operands or [0]) | join(", ") }} },
        { {{ one.results | join(", ") }} },
    },
{% endfor %}
};

static residua_ecc_device device;

static int wrong(const char *what, int code)
{
    printf("WRONG %s: %d\n", what, code);
    return 0;
}

static int submit(unsigned tag, const struct request *one)
{
    return residua_ecc_submit(&device, tag, one->operation, one->curve, one->operands,
                              one->operand_words);
}

/* A result that has to be that of its request, or, of the coprocessors of a mask, zeroised. */
static int collect(const struct request *const *by_tag, uint32_t zeroised)
{
    residua_ecc_completion completion;
    uint32_t results[WORDS], nothing[WORDS] = {0};
    const struct request *one;
    int code, status, aborted;

    memset(results, 0xA5, sizeof results);
    code = residua_ecc_collect(&device, &completion, results, WORDS);
    if (code != RESIDUA_ECC_STATUS_OK) {
        return wrong("collect", code);
    }
    one = by_tag[completion.tag];
    if (one == NULL || completion.instance >= {{ instances }}) {
        return wrong("tag", completion.tag);
    }
    aborted = (int)(zeroised >> completion.instance & 1);
    status = aborted ? RESIDUA_ECC_STATUS_ZEROISED : one->status;
    if (completion.status != status ||
        memcmp(results, aborted ? nothing : one->results, sizeof results) != 0) {
        return wrong("result of request", completion.tag);
    }
    return 1;
}

/* All requests, as many at a time as there is room for. */
static int all_requests(void)
{
    const struct request *by_tag[COUNT];
    unsigned made = 0, done = 0, refused = 0;
    int code;

    while (done < COUNT) {
        code = made < COUNT ? submit(made, &requests[made]) : RESIDUA_ECC_BUSY;
        if (code == RESIDUA_ECC_STATUS_OK) {
            by_tag[made] = &requests[made];
            made++;
        } else if (code != RESIDUA_ECC_BUSY) {
            return wrong("submit", code);
        } else {
            refused++;
            if (!collect(by_tag, 0)) {
                return 0;
            }
            done++;
        }
    }
    return refused > 0 ? 1 : wrong("there is always room", 0);
}

/* One coprocessor is zeroised while others go on. */
static int one_zeroised(void)
{
    const struct request *by_tag[{{ instances }}];
    residua_ecc_completion completion;
    uint32_t results[WORDS];
    unsigned i, code;

    for (i = 0; i < {{ instances }}; i++) {
        by_tag[i] = &requests[LONG];
        do {
            code = (unsigned)submit(i, by_tag[i]);
        } while (code == (unsigned)RESIDUA_ECC_BUSY);
        if (code != RESIDUA_ECC_STATUS_OK) {
            return wrong("submit", (int)code);
        }
    }
    if (residua_ecc_execute(&device, requests[LONG].operation, requests[LONG].curve,
                            requests[LONG].operands, requests[LONG].operand_words, results,
                            WORDS) != RESIDUA_ECC_BUSY) {
        return wrong("a call that waits, beside requests", 0);
    }
    if (residua_ecc_zeroise_instances(&device, 1) != RESIDUA_ECC_STATUS_OK) {
        return wrong("zeroise_instances", 0);
    }
    for (i = 0; i < {{ instances }}; i++) {
        if (!collect(by_tag, 1)) {
            return 0;
        }
    }
    /* Nothing more comes, and nothing is disturbed by having asked. */
    device.polls = 16;
    if (residua_ecc_collect(&device, &completion, results, WORDS) != RESIDUA_ECC_TIMEOUT) {
        return wrong("a result that no request has", completion.tag);
    }
    device.polls = {{ polls }};
    return 1;
}

/* A request that was made of byte strings, or refused with a code: what the call that waits has for it. */
static int same(const char *what, int code, int waited_code, unsigned curve, const uint8_t *waited,
                size_t size)
{
    residua_ecc_completion completion;
    uint32_t results[WORDS];
    uint8_t taken[1 + 2 * BYTES];

    if (code != waited_code) {
        return wrong(what, code);
    }
    if (code != RESIDUA_ECC_STATUS_OK) {
        return 1;
    }
    code = residua_ecc_collect(&device, &completion, results, WORDS);
    if (code == RESIDUA_ECC_STATUS_OK) {
        code = completion.status;
    }
    if (code == RESIDUA_ECC_STATUS_OK) {
        code = size == residua_ecc_point_size(&device, curve)
                   ? residua_ecc_take_point(&device, curve, results, taken)
                   : residua_ecc_take_x(&device, curve, results, taken);
    }
    return code == RESIDUA_ECC_STATUS_OK && memcmp(taken, waited, size) == 0 ? 1 : wrong(what, code);
}

/* Products on every curve, by requests and by calls that wait. */
static int byte_strings(void)
{
    uint8_t k[BYTES], point[1 + 2 * BYTES], product[1 + 2 * BYTES];
    unsigned curve;
    size_t size, x_size;
    int code;

    for (curve = 0; (x_size = residua_ecc_field_size(&device, curve)) != 0; curve++) {
        size = residua_ecc_point_size(&device, curve);
        memset(k, 0, sizeof k);
        k[residua_ecc_order_size(&device, curve) - 1] = 5;
        code = residua_ecc_base_multiply(&device, curve, k, point);
        if (!same("base_multiply", residua_ecc_submit_base_multiply(&device, 0, curve, k), code,
                  curve, point, size)) {
            return 0;
        }
        if (code != RESIDUA_ECC_STATUS_OK) {
            memset(point, 0, sizeof point);
            point[0] = 9;
        }
        code = residua_ecc_point_multiply(&device, curve, k, point, size, product);
        if (!same("point_multiply",
                  residua_ecc_submit_point_multiply(&device, 0, curve, k, point, size), code, curve,
                  product, size)) {
            return 0;
        }
        code = residua_ecc_x_multiply(&device, curve, k, point, size, product);
        if (!same("x_multiply", residua_ecc_submit_x_multiply(&device, 0, curve, k, point, size),
                  code, curve, product, x_size)) {
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    int code;

    device = {{ name }}_simulated(1, 16, {{ pause }});
    device.polls = {{ polls }};
    code = residua_ecc_open(&device);
    if (code != RESIDUA_ECC_STATUS_OK) {
        return wrong("open", code);
    }
    if (residua_ecc_instances(&device) != {{ instances }}) {
        return wrong("instances", 0);
    }
    if (residua_ecc_zeroise_instances(&device, 1u << {{ instances }}) != RESIDUA_ECC_ARGUMENT) {
        return wrong("a mask of others", 0);
    }
    if (submit(RESIDUA_ECC_MOST_TAG + 1, &requests[0]) != RESIDUA_ECC_ARGUMENT) {
        return wrong("a tag that is too large", 0);
    }
    if (!all_requests() || !byte_strings() || !one_zeroised() || !all_requests()) {
        return 0;
    }
    if ({{ name }}_failure(&device) != 0 || {{ name }}_waiting(&device) != 0) {
        return wrong("bus", 0);
    }
    printf("PASS requests\n");
    return 0;
}
