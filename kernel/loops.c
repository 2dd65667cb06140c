#include "loops.h"
#include "xxh64.h"

/* `A` to `Z` become small letters, digits `0`, white space a space. */
const uint8_t ascii_folds[128] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, ' ', ' ', ' ', ' ', ' ', 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
    30, 31, ' ', '!', '"', '#', '$', '%', '&', '\'', '(', ')', '*', '+', ',', '-', '.', '/', '0', '0', '0', '0', '0',
    '0', '0', '0', '0', '0', ':', ';', '<', '=', '>', '?', '@', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k',
    'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '[', '\\', ']', '^', '_', '`', 'a', 'b',
    'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y',
    'z', '{', '|', '}', '~', 127};

const uint8_t ascii_stays[128] = {['0' ... '9'] = 1, ['a' ... 'z'] = 1};

Loops loops;

/* --- in plain C --- */

/* Of a constant size ten multiplications are left, and the processor does several hashes side by side. */
static void hash_sevens(const uint8_t *text, size_t count, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++)
        hashes[i] = xxh64(text + i, 7, NGRAM);
}

static size_t fold_ascii(const uint8_t *line, size_t size, Buffer *text, Buffer *key, bool *after_space)
{
    uint8_t *out = text->data + text->size, *key_out = key->data + key->size;
    bool after = *after_space;
    size_t i;
    for (i = 0; i < size && line[i] < 0x80; i++) {
        uint8_t c = ascii_folds[line[i]];
        bool space = c == ' ';
        *out = c;
        *key_out = c;
        out += !(space & after);
        key_out += ascii_stays[c];
        after = space;
    }
    *after_space = after;
    text->size = out - text->data;
    key->size = key_out - key->data;
    return i;
}

INLINE void permute_inline(const uint32_t *numbers, size_t count, const uint32_t *factors, const uint32_t *terms,
                           uint32_t *least)
{
    enum { SOME = 32 }; /* permutations at a time, so that they stay in registers */
    for (int first = 0; first < PERMUTATIONS; first += SOME) {
        uint32_t some[SOME], a[SOME], b[SOME];
        memcpy(some, least + first, sizeof some);
        memcpy(a, factors + first, sizeof a);
        memcpy(b, terms + first, sizeof b);
        for (size_t k = 0; k < count; k++)
            for (int i = 0; i < SOME; i++) {
                uint32_t number = a[i] * numbers[k] + b[i];
                some[i] = number < some[i] ? number : some[i];
            }
        memcpy(least + first, some, sizeof some);
    }
}

static void permute(const uint32_t *numbers, size_t count, const uint32_t *factors, const uint32_t *terms,
                    uint32_t *least)
{
    permute_inline(numbers, count, factors, terms, least);
}

#if !(defined(__x86_64__) && defined(__GNUC__))

void choose_loops(bool vectors)
{
    loops = (Loops){hash_sevens, fold_ascii, permute};
}

#else

/* --- with the vectors of x86-64: the same loops, from which the compiler makes them ... --- */

__attribute__((target("sse4.1")))
static void permute_sse41(const uint32_t *numbers, size_t count, const uint32_t *factors, const uint32_t *terms,
                          uint32_t *least)
{
    permute_inline(numbers, count, factors, terms, least);
}

__attribute__((target("avx2")))
static void permute_avx2(const uint32_t *numbers, size_t count, const uint32_t *factors, const uint32_t *terms,
                         uint32_t *least)
{
    permute_inline(numbers, count, factors, terms, least);
}

/* --- ... and those that it cannot make --- */

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vbmi,avx512vbmi2,popcnt")))

typedef uint64_t Eight __attribute__((vector_size(64))); /* numbers, on which operators work as on one */

AVX512 static void hash_sevens_avx512(const uint8_t *text, size_t count, uint64_t *hashes)
{
    const Eight spread = {0x0706050403020100, 0x0807060504030201, 0x0908070605040302, 0x0A09080706050403,
                          0x0B0A090807060504, 0x0C0B0A0908070605, 0x0D0C0B0A09080706, 0x0E0D0C0B0A090807};
    for (size_t i = 0; i < count; i += 8) {
        __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(text + i)));
        Eight grams = (Eight)_mm512_shuffle_epi8(bytes, (__m512i)spread); /* the eight bytes from each place on */
        Eight hash = (NGRAM + P5 + 7) ^ (grams & 0xFFFFFFFF) * P1;
        hash = (hash << 23 | hash >> 41) * P2 + P3;
        for (int byte = 4; byte < 7; byte++) {
            hash ^= (grams >> byte * 8 & 0xFF) * P5;
            hash = (hash << 11 | hash >> 53) * P1;
        }
        hash = (hash ^ hash >> 33) * P2;
        hash = (hash ^ hash >> 29) * P3;
        hash ^= hash >> 32;
        memcpy(hashes + i, &hash, sizeof hash);
    }
}

AVX512 static size_t fold_ascii_avx512(const uint8_t *line, size_t size, Buffer *text, Buffer *key, bool *after_space)
{
    __m512i low = _mm512_loadu_si512(ascii_folds), high = _mm512_loadu_si512(ascii_folds + 64);
    uint8_t *out = text->data + text->size, *key_out = key->data + key->size;
    uint64_t after = *after_space, inside = ~0ull;
    size_t i;
    for (i = 0; i < size && inside == ~0ull; i += __builtin_popcountll(inside)) {
        if (size - i < 64)
            inside = (1ull << (size - i)) - 1;
        __m512i bytes = _mm512_maskz_loadu_epi8(inside, line + i);
        uint64_t beyond = _mm512_movepi8_mask(bytes);
        if (beyond)
            inside = (beyond & -beyond) - 1;
        bytes = _mm512_permutex2var_epi8(low, bytes, high);
        uint64_t space = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' '));
        uint64_t stays = inside & ~(space & (space << 1 | after));
        uint64_t in_key = inside & (_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('0')) |
            _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('a')), _mm512_set1_epi8(26)));
        if (inside)
            after = space >> (__builtin_popcountll(inside) - 1) & 1;
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(stays, bytes));
        _mm512_storeu_si512(key_out, _mm512_maskz_compress_epi8(in_key, bytes));
        out += __builtin_popcountll(stays);
        key_out += __builtin_popcountll(in_key);
    }
    *after_space = after;
    text->size = out - text->data;
    key->size = key_out - key->data;
    return i;
}

void choose_loops(bool vectors)
{
    loops = (Loops){hash_sevens, fold_ascii, permute};
    if (!vectors)
        return;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.1"))
        loops.permute = permute_sse41;
    if (__builtin_cpu_supports("avx2"))
        loops.permute = permute_avx2;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("popcnt")) {
        loops.hash_sevens = hash_sevens_avx512;
        loops.fold_ascii = fold_ascii_avx512;
    }
}

#endif
