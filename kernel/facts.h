/* What is known of a line by itself: what score.c finds and windows.c writes. */

#ifndef FACTS_H
#define FACTS_H

#include "kernel.h"

/* Echoes are told by the hash of the key: nobody can make two meet, and in a window two do by chance once in
   10^10. */
typedef struct {
    uint64_t key;
    uint32_t size; /* of the line, in bytes */
    uint16_t parts;
    uint8_t marks; /* bits, of which those up to ECHO are written as letters, in their order */
} Facts;

enum { OPENS = 1, CLOSES = 2, RARE = 4, SYMBOLS = 8, ECHO = 16, MAY_ECHO = 32, BLANK = 64 };
#define MARK_LETTERS "ocrse"

#endif
