/* Where a line stands in its document, as sieve/contexts.py defines it. */

#ifndef CONTEXTS_H
#define CONTEXTS_H

#include "xxh64.h"

enum { EDGE = 0, NEAR = 8, FAR = 32, SHARED_LEAST = 2 };
enum { FIRST, LAST };
enum { UNKNOWN = -1 }; /* a distance */

/* What is hashed of a line: all of it, and its first and last n characters. */
typedef struct { uint64_t whole, first, last; } Line;

INLINE uint64_t context(uint64_t one, uint64_t other, uint64_t kind)
{
    return xxh_avalanche(xxh_word(xxh_word(kind + P5 + 16, one), other)); /* XXH64 of both, little-endian */
}

INLINE uint64_t pair_context(uint64_t before, uint64_t after) { return context(before, after, PAIR); }

/* The contexts of a hash at its distances from top and bottom; tells how many they are. */
INLINE int place_contexts(uint64_t value, uint64_t kind, int64_t top, int64_t bottom, unsigned which, uint64_t contexts[2])
{
    const int64_t distances[2] = {top, bottom}, limit = kind == PLACE ? FAR : NEAR;
    int count = 0;
    for (unsigned side = 0; side < 2; side++)
        if (distances[side] >= 0 && distances[side] < limit) {
            unsigned distance = distances[side];
            unsigned bucket = distance < 4 ? distance : distance < 8 ? 4 : distance < 16 ? 5 : 6; /* the farther the wider */
            contexts[count++] = context(value, bucket << 2 | side << 1 | which, kind);
        }
    return count;
}

#endif
