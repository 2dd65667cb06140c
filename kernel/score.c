/* Scoring, as sieve/line_score.py defines it. */

#include "facts.h"
#include "fold.h"
#include "loops.h"
#include "model.h"
#include "poly.h"

enum {
    ECHO_LENGTH = 3,         /* this and the next three as in line_score.py */
    LONG = 60,
    SHORT = 20,
    STRONG_EDGE = 4000,
    BATCH = 512,             /* n-grams looked up at a time */
    REMEMBERED_BITS = 14,    /* lines remembered, of 128 bytes each; a template has fewer */
    REMEMBERED_LENGTH = 88,  /* bytes of a line that is remembered; most are shorter */
};

/* A line that repeats is scored once, while its place is not taken by another with the same address. */
typedef struct { Facts facts; uint8_t line[REMEMBERED_LENGTH]; } Remembered;

typedef struct {
    PyObject_HEAD
    unsigned n;
    uint64_t point; /* of the hash of keys */
    Model model;
    Folded folded;
    Remembered *remembered;
    Buffer facts;
    uint32_t *met; /* the other half of the hash of the line that was last at each place */
} Scorer;

/* --- a line --- */

/* Looks the next `count` n-grams up, and tells how many are in the model with a weight that is not 0: their
   places, and their weights. Tells the first and the last hash as well. */
static size_t look_up(Scorer *self, Grams *grams, size_t count, uint16_t *places, uint16_t *weights,
                      uint64_t *first, uint64_t *last)
{
    uint64_t hashes[BATCH + 8];
    size_t maybe = 0, found = 0;
    hash_grams(grams, count, hashes);
    *first = hashes[0];
    *last = hashes[count - 1];
    for (size_t i = 0; i < count; i++) { /* without a branch: which are in the filter is not predictable */
        places[maybe] = i;
        maybe += may_have(&self->model, hashes[i]);
    }
    for (size_t i = 0; i < maybe; i++) {
        uint32_t weight = weight_of(&self->model, hashes[places[i]]);
        places[found] = places[i];
        weights[found] = weight;
        found += weight != FREE && weight;
    }
    return found;
}

/* The sum of the weights of the best n-gram over each character of the folded line, which has an n-gram; tells
   the hashes of its first and its last one as well. */
static uint64_t coverage(Scorer *self, Line *line)
{
    Grams grams;
    size_t all = grams_of(&self->folded, self->n, &grams);
    unsigned n = self->n;
    uint16_t places[BATCH], weights[BATCH], best[2 * GRAM_LIMIT]; /* of n characters from `first` on, then 0 */
    size_t first = 0;
    uint64_t total = 0;
    for (unsigned k = 0; k < 2 * n; k++)
        best[k] = 0;
    for (size_t start = 0; start < all; start += BATCH) {
        size_t count = all - start < BATCH ? all - start : BATCH;
        uint64_t first_hash;
        size_t found = look_up(self, &grams, count, places, weights, &first_hash, &line->last);
        if (!start)
            line->first = first_hash;
        for (size_t i = 0; i < found; i++) {
            size_t place = start + places[i], passed = place - first < n ? place - first : n;
            first = place;
            for (unsigned k = 0; k < passed; k++)
                total += best[k];
            for (unsigned k = 0; k < n; k++) {
                uint16_t old = best[k + passed];
                best[k] = old > weights[i] ? old : weights[i];
            }
        }
    }
    for (unsigned k = 0; k < n; k++)
        total += best[k];
    return total;
}

/* Finds the facts of a line; false if there is no memory. */
static bool score_line(Scorer *self, const uint8_t *line, size_t size, Facts *facts)
{
    *facts = (Facts){.size = size};
    if (!fold(line, size, &self->folded))
        return false;
    const uint8_t *text = self->folded.text.data;
    size_t length = self->folded.text.size, characters = self->folded.characters;
    const Buffer *key = &self->folded.key;
    if (!length) {
        facts->marks = BLANK;
        return true;
    }
    uint64_t hashes[3], parts = 0;
    xxh64_seeds(text, length, (const uint64_t[]){LINE, OPEN, CLOSE}, hashes, 3);
    facts->line.whole = hashes[0];
    uint32_t whole = find(&self->model, hashes[0]), opens = find(&self->model, hashes[1]),
             closes = find(&self->model, hashes[2]);
    if (characters >= self->n)
        parts = (2 * coverage(self, &facts->line) + characters) / (2 * characters); /* rounds half up */
    else
        facts->line.first = facts->line.last = xxh64(text, length, NGRAM);
    if (whole != FREE && whole > parts)
        parts = whole;
    size_t width = characters + self->folded.wide;
    facts->parts = parts;
    facts->marks = (opens == FREE ? 0 : opens >= STRONG_EDGE ? OPENS_OFTEN : OPENS) |
                   (closes == FREE ? 0 : closes >= STRONG_EDGE ? CLOSES_OFTEN : CLOSES) |
                   (width > LONG ? IS_LONG : width < SHORT ? IS_SHORT : 0) | (key->size ? 0 : SYMBOLS) |
                   (whole == FREE ? 0 : SHARED) | (key->size >= ECHO_LENGTH ? MAY_ECHO : 0);
    if (facts->marks & MAY_ECHO)
        facts->key = poly(key->data, key->size, self->point);
    return true;
}

/* The same, remembered. Any hash will do for the address, since the lines themselves are compared. A line is
   kept when it comes a second time, so that the many that never do leave the others in their places. */
static bool recall_line(Scorer *self, const uint8_t *line, size_t size, Facts *facts)
{
    if (size == 1 && *line == '\n') {
        *facts = (Facts){.size = 1, .marks = BLANK};
        return true;
    }
    if (size > REMEMBERED_LENGTH)
        return score_line(self, line, size, facts);
    uint64_t hash = size * P5, word = 0;
    if (size < 8) {
        memcpy(&word, line, size);
        hash += word * P1;
    } else {
        for (unsigned i = 0; i <= 4; i++) /* five samples make out most lines, and need not wait for each other */
            hash += rotate(read64(line + (size - 8) * i / 4), 11 * i + 1) * P1;
    }
    hash = (hash ^ hash >> 32) * P2;
    Remembered *place = &self->remembered[hash >> (64 - REMEMBERED_BITS)];
    uint32_t *met = &self->met[hash >> (64 - REMEMBERED_BITS)];
    bool again = *met == (uint32_t)hash;
    if (again && place->facts.size == size && !memcmp(place->line, line, size)) {
        *facts = place->facts;
        return true;
    }
    if (!score_line(self, line, size, facts))
        return false;
    *met = hash;
    if (again) {
        place->facts = *facts;
        memcpy(place->line, line, size);
    }
    return true;
}

static PyObject *scorer_score(Scorer *self, PyObject *args)
{
    const uint8_t *p;
    Py_ssize_t size;
    bool done = true;
    if (!PyArg_ParseTuple(args, "y#", &p, &size) || !need_folds(p, size))
        return NULL;
    self->facts.size = 0;
    Py_BEGIN_ALLOW_THREADS
    for (const uint8_t *stop = p + size, *end; done && p < stop; p = end) {
        end = line_end(p, stop);
        done = reserve(&self->facts, sizeof(Facts)) &&
               recall_line(self, p, end - p, (Facts *)(self->facts.data + self->facts.size));
        self->facts.size += sizeof(Facts);
    }
    Py_END_ALLOW_THREADS
    if (!done)
        return PyErr_NoMemory();
    return PyBytes_FromStringAndSize((char *)self->facts.data, self->facts.size);
}

/* --- the type --- */

static PyObject *scorer_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    unsigned n;
    const uint8_t *entries;
    Py_ssize_t size, count;
    if (!PyArg_ParseTuple(args, "Iy#n", &n, &entries, &size, &count))
        return NULL;
    if (n < 1 || n > GRAM_LIMIT || count < 0) {
        PyErr_SetString(PyExc_ValueError, "n or the number of entries is out of range");
        return NULL;
    }
    Scorer *self = (Scorer *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->n = n;
    self->remembered = calloc((size_t)1 << REMEMBERED_BITS, sizeof *self->remembered);
    self->met = calloc((size_t)1 << REMEMBERED_BITS, sizeof *self->met);
    bool room = self->remembered && self->met;
    if (!room)
        PyErr_NoMemory();
    if (!room || !draw(&self->point, sizeof self->point) ||
        !read_model(&self->model, entries, size, count)) {
        Py_DECREF(self);
        return NULL;
    }
    self->point %= PRIME;
    return (PyObject *)self;
}

const Model *model_of(PyObject *scorer) { return &((Scorer *)scorer)->model; }

static void scorer_free(Scorer *self)
{
    free_model(&self->model);
    free(self->remembered);
    free(self->met);
    free(self->folded.text.data);
    free(self->folded.key.data);
    free(self->facts.data);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef scorer_methods[] = {
    {"score", (PyCFunction)scorer_score, METH_VARARGS, "score(block) -> the facts of its lines, for Windows.feed"},
    {0}};

PyTypeObject ScorerType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sieve._kernel.Scorer",
    .tp_doc = "Scorer(n, text of the entries of a model, their number)",
    .tp_basicsize = sizeof(Scorer),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = scorer_new,
    .tp_dealloc = (destructor)scorer_free,
    .tp_methods = scorer_methods,
};
