/* Folding and n-grams, as sieve/fold.py defines them. */

#ifndef FOLD_H
#define FOLD_H

#include "kernel.h"

/* A folded line, empty if the line is blank, and its echo key: it without its symbols. */
typedef struct {
    Buffer text, key;
    bool ascii;
    size_t characters;
    size_t wide; /* those of them that take two columns */
} Folded;

/* Folds a line; false if there is no memory. */
bool fold(const uint8_t *line, size_t size, Folded *folded);

/* The n-grams of a folded line that are still to come: the next is from `begin` to `end`. */
typedef struct { const uint8_t *begin, *end, *stop; unsigned n; bool ascii; } Grams;

/* All n-grams of a folded line; tells how many they are. */
size_t grams_of(const Folded *folded, unsigned n, Grams *grams);

/* Hashes the next `count` n-grams, of which there must be so many. Up to 7 numbers after are overwritten. */
void hash_grams(Grams *grams, size_t count, uint64_t *hashes);

bool is_ascii(const uint8_t *p, size_t size);

/* The length in bytes of the character at `p`, and its code point in `code`: of a byte that is not
   UTF-8 it is 1, and U+DC00 plus the byte, as Python's 'surrogateescape' decodes it. */
INLINE unsigned decode(const uint8_t *p, const uint8_t *stop, uint32_t *code)
{
    uint32_t c = p[0];
    size_t room = stop - p;
#define FOLLOWS(i) ((p[i] & 0xC0) == 0x80)
    if (c < 0x80) {
        *code = c;
        return 1;
    }
    if (c >= 0xC2 && c < 0xE0 && room >= 2 && FOLLOWS(1)) {
        *code = (c & 0x1F) << 6 | (p[1] & 0x3F);
        return 2;
    }
    if (c >= 0xE0 && c < 0xF0 && room >= 3 && FOLLOWS(1) && FOLLOWS(2)) {
        *code = (c & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        if (*code >= 0x800 && *code >> 11 != 0xD800 >> 11)
            return 3;
    }
    if (c >= 0xF0 && c < 0xF5 && room >= 4 && FOLLOWS(1) && FOLLOWS(2) && FOLLOWS(3)) {
        *code = (c & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
        if (*code >= 0x10000 && *code < 0x110000)
            return 4;
    }
#undef FOLLOWS
    *code = 0xDC00 + c;
    return 1;
}

/* Writes what `decode` read, and returns where it ends. */
INLINE uint8_t *encode(uint32_t code, uint8_t *p)
{
    if (code < 0x80) {
        *p++ = code;
    } else if (code < 0x800) {
        *p++ = 0xC0 | code >> 6;
        *p++ = 0x80 | (code & 0x3F);
    } else if (code >> 11 == 0xD800 >> 11) {
        *p++ = code - 0xDC00;
    } else if (code < 0x10000) {
        *p++ = 0xE0 | code >> 12;
        *p++ = 0x80 | (code >> 6 & 0x3F);
        *p++ = 0x80 | (code & 0x3F);
    } else {
        *p++ = 0xF0 | code >> 18;
        *p++ = 0x80 | (code >> 12 & 0x3F);
        *p++ = 0x80 | (code >> 6 & 0x3F);
        *p++ = 0x80 | (code & 0x3F);
    }
    return p;
}

/* Takes the table of folds from sieve/fold.py before the first `block` that needs it is folded; false
   with an exception set. */
bool need_folds(const uint8_t *block, size_t size);

#endif
