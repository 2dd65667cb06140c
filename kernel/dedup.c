/* Telling repeated lines from new ones, as sieve/repeats.py defines it, without a look at the lines met.

   The hash is 122 bits under secret keys. As nobody knows them, no lines can be made to meet (poly.h), and which
   hash it is shows nowhere: a file of lines seen is read and written by plain Python, with its own. */

#include "poly.h"

enum { BATCH = 64, FIRST_ROOM = 1024 };

typedef struct { uint64_t high, low; } Hash; /* not both 0 */

typedef struct {
    PyObject_HEAD
    uint64_t keys[2];
    Hash *hashes; /* open addressing, between a half and three quarters full: 53 bytes a line while it grows */
    size_t used, room;
    Buffer out;
} Repeats;

INLINE size_t place_of(uint64_t high, size_t room)
{
    return (size_t)((unsigned __int128)high * room >> 61);
}

/* Adds a hash; tells whether it is new. */
INLINE bool add(Hash *hashes, size_t room, Hash hash)
{
    size_t place = place_of(hash.high, room);
    while (hashes[place].high | hashes[place].low) {
        if (hashes[place].high == hash.high && hashes[place].low == hash.low)
            return false;
        if (++place == room)
            place = 0;
    }
    hashes[place] = hash;
    return true;
}

static bool grow(Repeats *self)
{
    size_t room = self->room ? self->room + self->room / 2 : FIRST_ROOM;
    Hash *hashes = calloc(room, sizeof *hashes);
    if (!hashes)
        return false;
    for (size_t i = 0; i < self->room; i++)
        if (self->hashes[i].high | self->hashes[i].low)
            add(hashes, room, self->hashes[i]);
    free(self->hashes);
    self->hashes = hashes;
    self->room = room;
    return true;
}

INLINE bool is_blank(const uint8_t *p, const uint8_t *stop)
{
    while (p < stop && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
        p++;
    return p == stop;
}

/* Gathers in `self->out` the lines that are new, or those that are not; false if there is no memory. */
static bool pick(Repeats *self, const uint8_t *p, size_t size, bool repeated)
{
    const uint8_t *stop = p + size, *ends[BATCH];
    Hash hashes[BATCH];
    self->out.size = 0;
    if (!reserve(&self->out, size))
        return false;
    while (p < stop) {
        size_t count = 0;
        while ((self->used + BATCH) * 4 > self->room * 3)
            if (!grow(self))
                return false;
        for (const uint8_t *line = p; count < BATCH && line < stop; line = ends[count++]) {
            const uint8_t *end = ends[count] = line_end(line, stop);
            size_t length = end - line - (end[-1] == '\n');
            if (is_blank(line, end)) {
                hashes[count] = (Hash){0, 0};
                continue;
            }
            Hash hash = {poly(line, length, self->keys[0]), poly(line, length, self->keys[1])};
            if (!(hash.high | hash.low))
                hash.low = 1;
            hashes[count] = hash;
            __builtin_prefetch(&self->hashes[place_of(hash.high, self->room)]);
        }
        for (size_t i = 0; i < count; p = ends[i++]) {
            bool new = true;
            if (hashes[i].high | hashes[i].low) {
                new = add(self->hashes, self->room, hashes[i]);
                self->used += new;
            }
            if (new != repeated) {
                memcpy(self->out.data + self->out.size, p, ends[i] - p);
                self->out.size += ends[i] - p;
            }
        }
    }
    return true;
}

static PyObject *repeats_pick(Repeats *self, PyObject *args)
{
    PyObject *block;
    int repeated;
    bool done;
    if (!PyArg_ParseTuple(args, "Sp", &block, &repeated))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    done = pick(self, (uint8_t *)PyBytes_AS_STRING(block), PyBytes_GET_SIZE(block), repeated);
    Py_END_ALLOW_THREADS
    if (!done)
        return PyErr_NoMemory();
    return PyBytes_FromStringAndSize((char *)self->out.data, self->out.size);
}

static PyObject *repeats_clear(Repeats *self, PyObject *unused)
{
    free(self->hashes);
    self->hashes = NULL;
    self->used = self->room = 0;
    Py_RETURN_NONE;
}

/* --- the type --- */

static PyObject *repeats_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    Repeats *self = (Repeats *)type->tp_alloc(type, 0);
    if (self && !draw(self->keys, sizeof self->keys)) {
        Py_DECREF(self);
        return NULL;
    }
    for (int i = 0; self && i < 2; i++)
        self->keys[i] %= PRIME;
    return (PyObject *)self;
}

static void repeats_free(Repeats *self)
{
    free(self->hashes);
    free(self->out.data);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef repeats_methods[] = {
    {"pick", (PyCFunction)repeats_pick, METH_VARARGS, "pick(block, repeated) -> its lines that are new, or that are not"},
    {"clear", (PyCFunction)repeats_clear, METH_NOARGS, "clear(): no line was met"},
    {0}};

PyTypeObject RepeatsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sieve._kernel.Repeats",
    .tp_doc = "Repeats(): the lines met so far",
    .tp_basicsize = sizeof(Repeats),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = repeats_new,
    .tp_dealloc = (destructor)repeats_free,
    .tp_methods = repeats_methods,
};
