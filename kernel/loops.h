/* The innermost loops, in plain C and for processors with vectors, chosen when the kernel is loaded. */

#ifndef LOOPS_H
#define LOOPS_H

#include "kernel.h"

enum {
    SLACK = 72, /* bytes that may be read, and written, behind a text that these loops work on */
    PERMUTATIONS = 128,
};

typedef struct {
    /* The hashes of the `count` 7-grams of ASCII text; writes up to 7 numbers more. */
    void (*hash_sevens)(const uint8_t *text, size_t count, uint64_t *hashes);

    /* Appends to `text` the fold of a line up to the first byte that is not ASCII, and to `key` its letters and
       digits; tells how many bytes that is. `after_space` is whether the text so far ends with a space. */
    size_t (*fold_ascii)(const uint8_t *line, size_t size, Buffer *text, Buffer *key, bool *after_space);

    /* Lowers `least` to the least of each permutation of `count` numbers. */
    void (*permute)(const uint32_t *numbers, size_t count, const uint32_t *factors, const uint32_t *terms,
                    uint32_t *least);
} Loops;

extern Loops loops;

/* Chooses the loops that suit the processor, or the plain ones. */
void choose_loops(bool vectors);

/* The fold of each byte of ASCII, and whether it is a letter or a digit then. */
extern const uint8_t ascii_folds[128], ascii_stays[128];

#endif
