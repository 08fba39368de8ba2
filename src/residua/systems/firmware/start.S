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

/* void board_rest(void *): waits for any interrupt, at most WAIT cycles, by instructions of PicoRV32. */
    .equ WAIT, 8192
    .section .text.board_rest, "ax"
    .global board_rest
board_rest:
    li a0, WAIT
    .word 0x0A05000B /* timer zero, a0: an interrupt after that time */
    .word 0x0800050B /* waitirq a0 */
    .word 0x0A00000B /* timer zero, zero: none */
    ret
