// SPDX-License-Identifier: Apache-2.0
//
// Text on standard output for people: as wide as their terminal, in colours where it has them.

#ifndef CLND_CLI_TERMINAL_H
#define CLND_CLI_TERMINAL_H

enum colour { COLOUR_NONE, COLOUR_RED, COLOUR_GREEN };

// Prints a word in this colour. Nothing happens where standard output is no terminal, or
// where NO_COLOR asks for none.
void terminal_print_word(const char *word, enum colour colour);

// Continues a line of which `column` columns are used, with words that go on below them; a line
// end in the text is a blank. Lines
// have as many columns as the terminal, from 60 to 100; elsewhere 100.
void terminal_print_wrapped(const char *text, int column);

#endif
