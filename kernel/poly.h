/* A hash that nobody can make collide who does not know its key, with a proof for it.

   The bytes, seven to a number, and then their count are the coefficients of a polynomial, which is
   evaluated at a secret point modulo the prime 2^61 - 1. Two texts of up to s bytes are two
   polynomials that agree at no more than s / 7 + 2 points, so they have the same hash with a
   probability below (s / 7 + 2) / 2^61, whoever chose them (Carter, Wegman, "New hash functions and
   their use in authentication and set equality", 1981). XXH64 has no such bound: there are pairs that
   collide under half of its seeds. */

#ifndef POLY_H
#define POLY_H

#include "xxh64.h"

#define PRIME ((1ull << 61) - 1)

/* x * key modulo PRIME, not wholly reduced: below 2^61 + 8 for x below 2^63. */
INLINE uint64_t poly_times(uint64_t x, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)x * key;
    uint64_t sum = ((uint64_t)product & PRIME) + (uint64_t)(product >> 61);
    return (sum & PRIME) + (sum >> 61);
}

/* The hash of a text, behind which a byte can be read, at the point `key` below PRIME. */
INLINE uint64_t poly(const uint8_t *p, size_t size, uint64_t key)
{
    enum { BYTES = 7 };
    const uint64_t square = poly_times(key, key), mask = ((uint64_t)1 << 8 * BYTES) - 1;
    size_t left = size;
    uint64_t odd = 0, even = 0, rest = 0; /* every other number apart, so that two multiplications go on at once */
    for (; left >= 2 * BYTES; left -= 2 * BYTES, p += 2 * BYTES) {
        odd = poly_times(odd + (read64(p) & mask), square);
        even = poly_times(even + (read64(p + BYTES) & mask), square);
    }
    uint64_t sum = poly_times(odd, key) + even;
    if (left >= BYTES) {
        sum = poly_times(sum + (read64(p) & mask), key);
        left -= BYTES;
        p += BYTES;
    }
    if (left && size >= 8)
        rest = read64(p + left - 8) >> (64 - 8 * left);
    else
        for (size_t i = 0; i < left; i++)
            rest |= (uint64_t)p[i] << 8 * i;
    sum = poly_times(poly_times(poly_times(sum, key) + rest, key) + size, key);
    return sum >= PRIME ? sum - PRIME : sum;
}

#endif
