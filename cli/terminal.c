// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // struct winsize

#include "terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool has_colours(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}

void terminal_print_word(const char *word, enum colour colour)
{
    static const char *const codes[] = {"", "\033[31m", "\033[32m"};
    if (colour != COLOUR_NONE && has_colours())
        printf("%s%s\033[0m", codes[colour], word);
    else
        printf("%s", word);
}

static int columns(void)
{
    enum { LEAST = 60, MOST = 100 };
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return MOST;
    return size.ws_col < LEAST ? LEAST : size.ws_col > MOST ? MOST : size.ws_col;
}

void terminal_print_wrapped(const char *text, int column)
{
    const int most = columns();
    int used = column;
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (used > column && used + 1 + length > most) {
            printf("\n%*s", column, "");
            used = column;
        }
        used += printf("%s%.*s", used > column ? " " : "", length, text);
        text += length;
        text += strspn(text, " \n");
    }
    printf("\n");
}
