/* Marking the lines of a document by what is around them, as sieve/line_score.py defines it. */

#include "facts.h"

enum { WINDOW = 10000, WINDOW_BYTES = 1 << 22, ANCHORED = 7000, COMMON = 3 }; /* as in line_score.py */

typedef struct {
    PyObject_HEAD
    PyObject *scorer;
    const Model *model;
    uint64_t before;    /* the hash of the last line that was not blank */
    int64_t number;     /* of lines that were not blank */
    Buffer text, facts; /* of the lines that wait for the end of their window */
    Buffer known, firsts;
} Windows;

/* --- marks --- */

/* Marks those lines whose key another has, too; false if there is no memory. */
static bool mark_echoes(Windows *self, Facts **known, size_t count)
{
    size_t places = 16;
    while (places < 2 * count)
        places *= 2;
    self->firsts.size = 0;
    if (!reserve(&self->firsts, places * sizeof(uint32_t)))
        return false;
    uint32_t *firsts = (uint32_t *)self->firsts.data; /* 1 + the first line with a key, by the key's address */
    memset(firsts, 0, places * sizeof *firsts);
    for (size_t i = 0; i < count; i++) {
        if (!(known[i]->marks & MAY_ECHO))
            continue;
        size_t place = known[i]->key & (places - 1);
        while (firsts[place] && known[firsts[place] - 1]->key != known[i]->key)
            place = (place + 1) & (places - 1);
        if (!firsts[place]) {
            firsts[place] = i + 1;
        } else {
            known[i]->marks |= ECHO_ALONE;
            known[firsts[place] - 1]->marks |= ECHO_ALONE;
        }
    }
    for (size_t i = 0, before = 0, here; i < count; i++, before = here) {
        here = known[i]->marks & ECHO_ALONE;
        if (here && (before || (i + 1 < count && known[i + 1]->marks & ECHO_ALONE)))
            known[i]->marks ^= ECHO_ALONE | ECHO_BESIDE;
    }
    return true;
}

/* The weight of a context in the model, 0 if it is not there. */
static uint32_t context_weight(const Windows *self, uint64_t hash)
{
    uint32_t weight = find(self->model, hash);
    return weight == FREE ? 0 : weight;
}

/* Whether the model has a hash of this kind at such distances. */
static bool has_place(const Windows *self, uint64_t value, uint64_t kind, int64_t top, int64_t bottom, unsigned which)
{
    uint64_t contexts[2];
    for (int i = place_contexts(value, kind, top, bottom, which, contexts); i--;)
        if (find(self->model, contexts[i]) != FREE)
            return true;
    return false;
}

/* Marks a line that other documents have; `after` is NULL if the line after is not known. */
static void mark_beside(const Windows *self, Facts *fact, uint64_t before, const uint64_t *after, int64_t top, int64_t bottom)
{
    uint32_t most = context_weight(self, pair_context(before, fact->line.whole));
    if (after) {
        uint32_t weight = context_weight(self, pair_context(fact->line.whole, *after));
        most = weight > most ? weight : most;
    }
    if (most >= ANCHORED || has_place(self, fact->line.whole, PLACE, top, bottom, 0))
        fact->marks |= ANCHOR;
    fact->marks |= most ? RARE_BESIDE : RARE;
}

/* Marks a line that begins or ends as one at its place does in other documents, unless too many here do. */
static void mark_ends(const Windows *self, Facts **known, size_t count, Facts *fact, int64_t top, int64_t bottom)
{
    size_t firsts = 0, lasts = 0;
    for (size_t i = 0; i < count; i++) {
        firsts += known[i]->line.first == fact->line.first;
        lasts += known[i]->line.last == fact->line.last;
    }
    if ((firsts <= COMMON && has_place(self, fact->line.first, END, top, bottom, FIRST)) ||
        (lasts <= COMMON && has_place(self, fact->line.last, END, top, bottom, LAST)))
        fact->marks |= PLACED;
}

/* Marks the next lines, which end the document if `last`, by what is around them; what takes other lines than
   the ones before only if they are looked at `together`. False if there is no memory. */
static bool mark(Windows *self, Facts *lines, size_t line_count, bool last, bool together)
{
    static const uint64_t edge = EDGE;
    self->known.size = 0;
    if (!reserve(&self->known, line_count * sizeof(Facts *)))
        return false;
    Facts **known = (Facts **)self->known.data; /* those that are not blank */
    size_t count = 0;
    for (size_t i = 0; i < line_count; i++)
        if (!(lines[i].marks & BLANK))
            known[count++] = &lines[i];
    if (together && !mark_echoes(self, known, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        int64_t top = self->number + i, bottom = last ? (int64_t)(count - 1 - i) : UNKNOWN;
        const uint64_t *after = i + 1 < count ? &known[i + 1]->line.whole : last ? &edge : NULL;
        if (known[i]->marks & SHARED)
            mark_beside(self, known[i], self->before, after, top, bottom);
        if (top < NEAR || (last && bottom < NEAR))
            mark_ends(self, known, count, known[i], top, bottom);
        self->before = known[i]->line.whole;
    }
    self->number += count;
    return true;
}

/* Marks all windows that end within `count` lines, after each of which another begins; tells how many lines these
   have and, in `bytes`, how long they are. -1 if there is no memory. */
static Py_ssize_t mark_windows(Windows *self, Facts *lines, size_t count, size_t *bytes)
{
    size_t first = 0, window = 0;
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (i - first == WINDOW || window >= WINDOW_BYTES) {
            if (!mark(self, lines + first, i - first, false, true))
                return -1;
            first = i;
            *bytes += window;
            window = 0;
        }
        window += lines[i].size;
    }
    return first;
}

/* --- writing --- */

static size_t written_size(const Facts *lines, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += lines[i].size + (lines[i].marks & BLANK ? 2 : 7);
        for (unsigned left = lines[i].marks & LETTERS; left; left &= left - 1)
            size++;
    }
    return size;
}

static void write_lines(const Facts *lines, size_t count, const uint8_t *text, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        unsigned parts = lines[i].parts, marks = lines[i].marks;
        if (marks & BLANK) {
            *out++ = '-';
        } else {
            *out++ = '0' + parts / SCALE;
            *out++ = '.';
            *out++ = '0' + parts / 1000 % 10;
            *out++ = '0' + parts / 100 % 10;
            *out++ = '0' + parts / 10 % 10;
            *out++ = '0' + parts % 10;
            for (unsigned left = marks & LETTERS; left; left &= left - 1)
                *out++ = MARK_LETTERS[__builtin_ctz(left)];
        }
        *out++ = '\t';
        memcpy(out, text, lines[i].size);
        out += lines[i].size;
        text += lines[i].size;
    }
}

static PyObject *written(const Facts *lines, size_t count, const uint8_t *text)
{
    PyObject *result = PyBytes_FromStringAndSize(NULL, written_size(lines, count));
    if (result) {
        Py_BEGIN_ALLOW_THREADS
        write_lines(lines, count, text, (uint8_t *)PyBytes_AS_STRING(result));
        Py_END_ALLOW_THREADS
    }
    return result;
}

static void forget(Buffer *buffer, size_t size)
{
    buffer->size -= size;
    memmove(buffer->data, buffer->data + size, buffer->size);
}

static bool append(Buffer *buffer, const uint8_t *data, size_t size)
{
    if (!reserve(buffer, size))
        return false;
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return true;
}

static PyObject *windows_feed(Windows *self, PyObject *args)
{
    const uint8_t *text, *facts;
    Py_ssize_t size, facts_size, count = -1;
    size_t bytes;
    if (!PyArg_ParseTuple(args, "y#y#", &text, &size, &facts, &facts_size))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (append(&self->text, text, size) && append(&self->facts, facts, facts_size))
        count = mark_windows(self, (Facts *)self->facts.data, self->facts.size / sizeof(Facts), &bytes);
    Py_END_ALLOW_THREADS
    if (count < 0)
        return PyErr_NoMemory();
    PyObject *result = written((Facts *)self->facts.data, count, self->text.data);
    if (result) {
        forget(&self->text, bytes);
        forget(&self->facts, count * sizeof(Facts));
    }
    return result;
}

static PyObject *windows_each(Windows *self, PyObject *args)
{
    const uint8_t *text, *facts;
    Py_ssize_t size, facts_size;
    bool done = true;
    if (!PyArg_ParseTuple(args, "y#y#", &text, &size, &facts, &facts_size))
        return NULL;
    self->facts.size = 0;
    if (!append(&self->facts, facts, facts_size))
        return PyErr_NoMemory();
    Facts *lines = (Facts *)self->facts.data;
    size_t count = facts_size / sizeof *lines;
    for (size_t i = 0; done && i < count; i++)
        done = mark(self, &lines[i], 1, false, false);
    self->facts.size = 0;
    return done ? written(lines, count, text) : PyErr_NoMemory();
}

static PyObject *windows_end(Windows *self, PyObject *unused)
{
    Facts *lines = (Facts *)self->facts.data;
    size_t count = self->facts.size / sizeof *lines;
    if (!mark(self, lines, count, true, true))
        return PyErr_NoMemory();
    PyObject *result = written(lines, count, self->text.data);
    self->text.size = self->facts.size = 0;
    self->before = EDGE;
    self->number = 0;
    return result;
}

/* --- the type --- */

static PyObject *windows_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *scorer;
    if (!PyArg_ParseTuple(args, "O!", &ScorerType, &scorer))
        return NULL;
    Windows *self = (Windows *)type->tp_alloc(type, 0);
    if (self) {
        Py_INCREF(scorer);
        self->scorer = scorer;
        self->model = model_of(scorer);
        self->before = EDGE;
    }
    return (PyObject *)self;
}

static void windows_free(Windows *self)
{
    Py_XDECREF(self->scorer);
    free(self->text.data);
    free(self->facts.data);
    free(self->known.data);
    free(self->firsts.data);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef windows_methods[] = {
    {"feed", (PyCFunction)windows_feed, METH_VARARGS,
     "feed(block, facts) -> the scored lines of the windows that end in it; facts are those of Scorer.score"},
    {"each", (PyCFunction)windows_each, METH_VARARGS,
     "each(block, facts) -> the scored lines of the block, of which none waits for another"},
    {"end", (PyCFunction)windows_end, METH_NOARGS,
     "end() -> the scored lines of the window that the document ends in; what is fed next is of another"},
    {0}};

PyTypeObject WindowsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sieve._kernel.Windows",
    .tp_doc = "Windows(scorer): marks the lines of a document by what is around them, and writes them",
    .tp_basicsize = sizeof(Windows),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = windows_new,
    .tp_dealloc = (destructor)windows_free,
    .tp_methods = windows_methods,
};
