/* Answers a host on the serial line, until the power goes. */
#include "board.h"
#include "commands.h"
#include "frames.h"

static uint8_t request[COMMANDS_REQUEST], answer[COMMANDS_ANSWER];

int main(void)
{
    commands_begin();
    for (;;) {
        int size = frames_receive(request, sizeof request);
        frames_send(answer, commands_answer(request, size, answer));
        for (size_t i = 0; i < sizeof request; i++)
            ((volatile uint8_t *)request)[i] = 0;
        for (size_t i = 0; i < sizeof answer; i++)
            ((volatile uint8_t *)answer)[i] = 0;
    }
}
