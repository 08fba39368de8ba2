/* Where the processor begins: a stack, variables that are zero, main. */
    .section .text.start, "ax"
    .global start
start:
    la sp, stack_top
    la t0, zero_begin
    la t1, zero_end
1:
    bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:
    call main
3:
    j 3b
