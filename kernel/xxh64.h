/* XXH64, from https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md. */

#ifndef XXH64_H
#define XXH64_H

#include "kernel.h"

#define P1 0x9E3779B185EBCA87u
#define P2 0xC2B2AE3D27D4EB4Fu
#define P3 0x165667B19E3779F9u
#define P4 0x85EBCA77C2B2AE63u
#define P5 0x27D4EB2F165667C5u

INLINE uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

INLINE uint64_t read64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

INLINE uint32_t read32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap32(x);
#endif
    return x;
}

INLINE uint64_t xxh_round(uint64_t lane, uint64_t input) { return rotate(lane + input * P2, 31) * P1; }

INLINE uint64_t xxh_merge(uint64_t hash, uint64_t lane) { return (hash ^ xxh_round(0, lane)) * P1 + P4; }

INLINE uint64_t xxh_word(uint64_t hash, uint64_t word) { return rotate(hash ^ xxh_round(0, word), 27) * P1 + P4; }

INLINE uint64_t xxh_half(uint64_t hash, uint32_t half) { return rotate(hash ^ half * P1, 23) * P2 + P3; }

INLINE uint64_t xxh_byte(uint64_t hash, uint8_t byte) { return rotate(hash ^ byte * P5, 11) * P1; }

INLINE uint64_t xxh_avalanche(uint64_t hash)
{
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}

/* The hashes of a text under each of `count` seeds. Inlined where `size` is a constant, as that of most n-grams
   is, nothing is left but its steps. */
INLINE void xxh64_seeds(const uint8_t *p, size_t size, const uint64_t *seeds, uint64_t *hashes, int count)
{
    size_t left = size;
    if (size >= 32) {
        uint64_t lanes[4][4];
        for (int k = 0; k < count; k++) {
            lanes[k][0] = seeds[k] + P1 + P2;
            lanes[k][1] = seeds[k] + P2;
            lanes[k][2] = seeds[k];
            lanes[k][3] = seeds[k] - P1;
        }
        for (; left >= 32; left -= 32, p += 32)
            for (int k = 0; k < count; k++)
                for (int i = 0; i < 4; i++)
                    lanes[k][i] = xxh_round(lanes[k][i], read64(p + 8 * i));
        for (int k = 0; k < count; k++) {
            uint64_t *l = lanes[k];
            hashes[k] = rotate(l[0], 1) + rotate(l[1], 7) + rotate(l[2], 12) + rotate(l[3], 18);
            hashes[k] = xxh_merge(xxh_merge(xxh_merge(xxh_merge(hashes[k], l[0]), l[1]), l[2]), l[3]);
        }
    } else {
        for (int k = 0; k < count; k++)
            hashes[k] = seeds[k] + P5;
    }
    for (int k = 0; k < count; k++)
        hashes[k] += size;
    for (; left >= 8; left -= 8, p += 8)
        for (int k = 0; k < count; k++)
            hashes[k] = xxh_word(hashes[k], read64(p));
    if (left >= 4) {
        for (int k = 0; k < count; k++)
            hashes[k] = xxh_half(hashes[k], read32(p));
        left -= 4;
        p += 4;
    }
    for (; left; left--, p++)
        for (int k = 0; k < count; k++)
            hashes[k] = xxh_byte(hashes[k], *p);
    for (int k = 0; k < count; k++)
        hashes[k] = xxh_avalanche(hashes[k]);
}

INLINE uint64_t xxh64(const uint8_t *p, size_t size, uint64_t seed)
{
    uint64_t hash;
    xxh64_seeds(p, size, &seed, &hash, 1);
    return hash;
}

#endif
