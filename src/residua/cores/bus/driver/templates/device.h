/* A device: which core it is, and how the driver reaches it; supplied by the integrator. */
typedef struct {
    const struct {{ library }}_core *core;

    /* Access to the register at a byte offset, as one 32-bit access, in program order. */
    uint32_t (*read32)(void *context, uint32_t offset);
    void (*write32)(void *context, uint32_t offset, uint32_t value);

{% if random %}
    /* A core with data registers: a fresh, uniform, secret word; returns 0 if there is one.
     * May be NULL if the core uses no randomness. {{ "With streams only shares of secrets are made of it" if curves else "Not used with streams" }}. */
    int (*random)(void *context, uint32_t *word);

{% endif %}
    /* A core with streams (NULL if it has data registers). None of them waits. Each returns 0 on
     * success, a negative number if it failed.
     * send: send these words to s_axis_operand; 0 when all are taken and may be overwritten,
     *   {{ library | upper }}_PENDING until then: it is called again with the same arguments.
     * receive: make ready for count words of m_axis_result.
     * received: 0 when they are there, {{ library | upper }}_PENDING until then.
     * With NULL and 0, send and receive end what is under way: the words that were named before are
     * neither read nor written any more. */
    int (*send)(void *context, const uint32_t *words, size_t count);
    int (*receive)(void *context, uint32_t *words, size_t count);
    int (*received)(void *context);

    void *context; /* handed to every function */

    /* How often STATUS is read without progress, streams included, before the driver gives up{{ ";" if random else "." }}
     * {{ "random words are no progress. " if random }}0 for {{ library | upper }}_DEFAULT_POLLS; {{ library | upper }}_UNLIMITED to wait
     * forever. */
    uint32_t polls;

    /* Comes back when the interrupt of the core is there, or after a while that no core minds; may be NULL:
     * STATUS is read again and again. The driver calls it while an operation goes on and wants nothing, with
     * the interrupt at its end enabled (INTERRUPT_ENABLE.done). */
    void (*wait)(void *context);
{% if several %}

    /* Several coprocessors that several threads share: does one operation to its end, as
     * {{ library }}_execute() does with these arguments, among those of others, by {{ library }}_submit(),
     * {{ library }}_tend() and {{ library }}_collect(). May be NULL: the driver does one at a time then. */
    int (*perform)(void *context, unsigned operation, unsigned curve, const uint32_t *operands,
                   size_t operand_words, uint32_t *results, size_t result_words);
{% endif %}
} {{ library }}_device;
