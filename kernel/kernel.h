/* What the parts of the compiled kernel share.

   The kernel is the plain Python of sieve/ once more, for speed: blocks of bytes go in and blocks
   of bytes come out, the same ones to the byte (tests/test_kernel.py). It is C by hand against
   Python's own interface, and not Cython: so it needs nothing to build but a compiler, holds no
   generated code, and loops over bytes read here as they run. There is no Python object per line.

   Types keep their state; no other is kept. Loops run without the lock of the interpreter (GIL), so
   an object must not be used by two threads at once: score and write have one each. */

#ifndef KERNEL_H
#define KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { SCALE = 10000 };                /* as in sieve/wire.py */
enum { NGRAM, LINE, OPEN, CLOSE, PAIR, PLACE, END }; /* seeds of the kinds of hashes, as in sieve/model.py */
enum { GRAM_LIMIT = 64 };              /* characters in an n-gram at most, as in sieve/ngram_model.py */

extern PyTypeObject ScorerType, WindowsType, CounterType, RepeatsType, ShinglesType;

/* --- bytes that grow --- */

typedef struct { uint8_t *data; size_t size, room; } Buffer;

/* Makes room for `more` bytes after the size; false if there is no memory. */
static inline bool reserve(Buffer *buffer, size_t more)
{
    if (buffer->room - buffer->size >= more)
        return true;
    size_t room = buffer->size + more;
    room += room / 4;
    uint8_t *data = realloc(buffer->data, room);
    if (!data)
        return false;
    buffer->data = data;
    buffer->room = room;
    return true;
}

/* --- lines --- */

/* The end of the line at `p`, after its LF if it has one. */
INLINE const uint8_t *line_end(const uint8_t *p, const uint8_t *stop)
{
    const uint8_t *lf = memchr(p, '\n', stop - p);
    return lf ? lf + 1 : stop;
}

/* --- secrets: what an adversary who writes the input does not know --- */

typedef struct { uint64_t low, odd, other; } Secret;

/* Fills `secret` with random bytes from the system; false with an exception set. */
bool draw(void *secret, size_t size);

/* A number of 64 bits that nobody can steer by the choice of `hash`: tables are addressed by its
   upper bits, so no corpus makes them slow. */
INLINE uint64_t scatter(uint64_t hash, const Secret *secret)
{
    hash = (hash ^ secret->low) * (secret->odd | 1);
    return (hash ^ hash >> 32) * (secret->other | 1);
}

#endif
