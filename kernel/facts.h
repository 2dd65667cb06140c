/* What is known of a line by itself: what score.c finds, and windows.c completes and writes. */

#ifndef FACTS_H
#define FACTS_H

#include "contexts.h"
#include "model.h"

/* Echoes are told by the hash of the key: nobody can make two meet, and in a window two do by chance once in
   10^10. */
typedef struct {
    Line line;
    uint64_t key;
    uint32_t size; /* in bytes */
    uint16_t parts;
    uint16_t marks; /* bits: those of the letters, in the order in which they are written, and three more */
} Facts;

#define MARK_LETTERS "oOcClhsaRrEep"

enum {
    OPENS = 1 << 0, OPENS_OFTEN = 1 << 1, CLOSES = 1 << 2, CLOSES_OFTEN = 1 << 3, IS_LONG = 1 << 4, IS_SHORT = 1 << 5,
    SYMBOLS = 1 << 6, ANCHOR = 1 << 7, RARE_BESIDE = 1 << 8, RARE = 1 << 9, ECHO_ALONE = 1 << 10, ECHO_BESIDE = 1 << 11,
    PLACED = 1 << 12, LETTERS = (1 << 13) - 1,
    MAY_ECHO = 1 << 13, SHARED = 1 << 14, BLANK = 1 << 15,
};

/* The model that a Scorer scores by. */
const Model *model_of(PyObject *scorer);

#endif
