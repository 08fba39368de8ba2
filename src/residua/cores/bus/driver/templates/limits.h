/* What the stream functions of a device return if they would have to wait. */
#define {{ library | upper }}_PENDING 1

/* Limits for {{ library }}_device.polls: what 0 stands for, and no limit at all. */
#define {{ library | upper }}_DEFAULT_POLLS 1000000u
#define {{ library | upper }}_UNLIMITED 0xFFFFFFFFu

