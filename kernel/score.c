/* Scoring, as sieve/line_score.py defines it. */

#include "fold.h"
#include "loops.h"
#include "model.h"
#include "poly.h"

enum {
    WINDOW = 10000,          /* lines in which echoes are looked for, and bytes: as in line_score.py */
    WINDOW_BYTES = 1 << 22,
    RARE = SCALE / 2,
    ECHO_LENGTH = 3,
    BATCH = 512,             /* n-grams looked up at a time */
    REMEMBERED_BITS = 14,    /* lines remembered, of 128 bytes each; a template has fewer */
    REMEMBERED_LENGTH = 104, /* bytes of a line that is remembered; most are shorter */
};

/* What is known of a line by itself. Echoes are told by the hash of the key: nobody can make two meet,
   and by chance two in a window do in one of 10^10. */
typedef struct {
    uint64_t key;
    uint16_t parts;
    uint8_t marks; /* bits, in the order in which they are written */
} Facts;

enum { MARK_OPEN = 1, MARK_CLOSE = 2, MARK_RARE = 4, MARK_SYMBOLS = 8, MARK_ECHO = 16, ECHOES = 32, BLANK = 64 };
static const char mark_letters[] = "ocrse";

typedef struct { size_t start, size; Facts facts; } Scored;

/* A line that repeats is scored once, while its place is not taken by another with the same address. */
typedef struct { Facts facts; uint32_t size; uint8_t line[REMEMBERED_LENGTH]; } Remembered;

typedef struct {
    PyObject_HEAD
    unsigned n;
    uint64_t point; /* of the hash of keys */
    Model model;
    Folded folded;
    Remembered *remembered;
    uint32_t *met; /* the other half of the hash of the line that was last at each place */
    Buffer held, echoes, scored; /* `scored` are the lines of the text at hand, `held` their bytes */
} Scorer;

/* --- a line --- */

/* Looks the next `count` n-grams up, and tells how many are in the model with a weight that is not 0: their
   places, and their weights. */
static size_t look_up(Scorer *self, Grams *grams, size_t count, uint16_t *places, uint16_t *weights)
{
    uint64_t hashes[BATCH + 8];
    size_t maybe = 0, found = 0;
    hash_grams(grams, count, hashes);
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

/* The sum of the weights of the best n-gram over each character of the folded line. */
static uint64_t coverage(Scorer *self)
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
        size_t found = look_up(self, &grams, count, places, weights);
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
    *facts = (Facts){0};
    if (!fold(line, size, &self->folded))
        return false;
    const uint8_t *text = self->folded.text.data;
    size_t length = self->folded.text.size, characters = self->folded.characters;
    const Buffer *key = &self->folded.key;
    if (!length) {
        facts->marks = BLANK;
        return true;
    }
    uint64_t hashes[3];
    xxh64_seeds(text, length, (const uint64_t[]){LINE, OPEN, CLOSE}, hashes, 3);
    uint32_t whole = find(&self->model, hashes[0]);
    uint64_t parts = 0;
    if (characters >= self->n)
        parts = (2 * coverage(self) + characters) / (2 * characters); /* rounds half up */
    if (whole != FREE && whole > parts)
        parts = whole;
    facts->parts = parts;
    facts->marks = (find(&self->model, hashes[1]) != FREE ? MARK_OPEN : 0) |
                   (find(&self->model, hashes[2]) != FREE ? MARK_CLOSE : 0) |
                   (whole < RARE ? MARK_RARE : 0) | (key->size ? 0 : MARK_SYMBOLS) |
                   (key->size >= ECHO_LENGTH ? ECHOES : 0);
    if (facts->marks & ECHOES)
        facts->key = poly(key->data, key->size, self->point);
    return true;
}

/* The same, remembered. Any hash will do for the address, since the lines themselves are compared. A line is
   kept when it comes a second time, so that the many that never do leave the others in their places. */
static bool recall_line(Scorer *self, const uint8_t *line, size_t size, Facts *facts)
{
    if (size == 1 && *line == '\n') {
        *facts = (Facts){.marks = BLANK};
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
            hash += rotate(read64(line + (size - 8) * i / 4), 11 * i) * P1;
    }
    hash = (hash ^ hash >> 32) * P2;
    Remembered *place = &self->remembered[hash >> (64 - REMEMBERED_BITS)];
    uint32_t *met = &self->met[hash >> (64 - REMEMBERED_BITS)];
    bool again = *met == (uint32_t)hash;
    if (again && place->size == size && !memcmp(place->line, line, size)) {
        *facts = place->facts;
        return true;
    }
    if (!score_line(self, line, size, facts))
        return false;
    *met = hash;
    if (again) {
        place->size = size;
        place->facts = *facts;
        memcpy(place->line, line, size);
    }
    return true;
}

/* --- a window --- */

/* Marks those of `count` lines whose key another has, too; false if there is no memory. */
static bool mark_echoes(Scorer *self, Scored *lines, size_t count)
{
    size_t places = 16;
    while (places < 2 * count)
        places *= 2;
    self->echoes.size = 0;
    if (!reserve(&self->echoes, places * sizeof(uint32_t)))
        return false;
    uint32_t *firsts = (uint32_t *)self->echoes.data; /* 1 + the first line with a key, by the key's address */
    memset(firsts, 0, places * sizeof *firsts);
    for (size_t i = 0; i < count; i++) {
        Facts *facts = &lines[i].facts;
        if (!(facts->marks & ECHOES))
            continue;
        size_t place = facts->key & (places - 1);
        while (firsts[place] && lines[firsts[place] - 1].facts.key != facts->key)
            place = (place + 1) & (places - 1);
        if (!firsts[place]) {
            firsts[place] = i + 1;
        } else {
            facts->marks |= MARK_ECHO;
            lines[firsts[place] - 1].facts.marks |= MARK_ECHO;
        }
    }
    return true;
}

static size_t written_size(const Scored *lines, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned marks = lines[i].facts.marks;
        size += lines[i].size + (marks & BLANK ? 2 : 7 + __builtin_popcount(marks & (2 * MARK_ECHO - 1)));
    }
    return size;
}

static void write_lines(const Scored *lines, size_t count, const uint8_t *text, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) {
        unsigned parts = lines[i].facts.parts, marks = lines[i].facts.marks;
        if (marks & BLANK) {
            *out++ = '-';
        } else {
            *out++ = '0' + parts / SCALE;
            *out++ = '.';
            *out++ = '0' + parts / 1000 % 10;
            *out++ = '0' + parts / 100 % 10;
            *out++ = '0' + parts / 10 % 10;
            *out++ = '0' + parts % 10;
            for (unsigned bit = 0; marks >> bit && bit < sizeof mark_letters - 1; bit++)
                if (marks >> bit & 1)
                    *out++ = mark_letters[bit];
        }
        *out++ = '\t';
        memcpy(out, text + lines[i].start, lines[i].size);
        out += lines[i].size;
    }
}

/* Scores the lines of `text` from `start` on behind those in `self->scored`. Tells how many of all are in
   whole windows, and marks these; -1 if there is no memory. */
static Py_ssize_t score_lines(Scorer *self, const uint8_t *text, size_t start, size_t size, bool echoes)
{
    const uint8_t *p = text + start, *stop = text + size;
    Scored *lines = (Scored *)self->scored.data;
    size_t count = self->scored.size / sizeof *lines, first = 0, bytes = start;
    while (p < stop) {
        const uint8_t *end = line_end(p, stop);
        if (!reserve(&self->scored, sizeof *lines))
            return -1;
        lines = (Scored *)self->scored.data;
        Scored *line = &lines[count++];
        self->scored.size += sizeof *lines;
        line->start = p - text;
        line->size = end - p;
        if (!recall_line(self, p, end - p, &line->facts))
            return -1;
        bytes += end - p;
        p = end;
        if (echoes && (count - first == WINDOW || bytes >= WINDOW_BYTES)) {
            if (!mark_echoes(self, lines + first, count - first))
                return -1;
            first = count;
            bytes = 0;
        }
    }
    return echoes ? (Py_ssize_t)first : (Py_ssize_t)count;
}

/* The text of the first `count` scored lines, written; they are forgotten. */
static PyObject *written(Scorer *self, const uint8_t *text, size_t count)
{
    Scored *lines = (Scored *)self->scored.data;
    size_t left = self->scored.size / sizeof *lines - count;
    PyObject *result = PyBytes_FromStringAndSize(NULL, written_size(lines, count));
    if (!result)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    write_lines(lines, count, text, (uint8_t *)PyBytes_AS_STRING(result));
    size_t done = left ? lines[count].start : 0;
    if (count && left) {
        memmove(lines, lines + count, left * sizeof *lines);
        for (size_t i = 0; i < left; i++)
            lines[i].start -= done;
    }
    Py_END_ALLOW_THREADS
    self->scored.size = left * sizeof *lines;
    return result;
}

static PyObject *scorer_feed(Scorer *self, PyObject *args)
{
    const uint8_t *text;
    Py_ssize_t size;
    int echoes;
    if (!PyArg_ParseTuple(args, "y#p", &text, &size, &echoes) || !need_folds(text, size))
        return NULL;
    Py_ssize_t count = -1;
    size_t held = self->held.size;
    Py_BEGIN_ALLOW_THREADS
    if (!held || reserve(&self->held, size)) {
        if (held) {
            memcpy(self->held.data + held, text, size);
            size += held;
            text = self->held.data;
        }
        count = score_lines(self, text, held, size, echoes);
    }
    Py_END_ALLOW_THREADS
    if (count < 0)
        return PyErr_NoMemory();
    PyObject *result = written(self, text, count);
    if (!result)
        return NULL;
    size_t left = 0; /* bytes of lines that wait for the end of their window */
    for (size_t i = 0; i < self->scored.size / sizeof(Scored); i++)
        left += ((Scored *)self->scored.data)[i].size;
    if (held) {
        memmove(self->held.data, self->held.data + size - left, left);
    } else if (!reserve(&self->held, left)) {
        Py_DECREF(result);
        return PyErr_NoMemory();
    } else {
        memcpy(self->held.data, text + size - left, left);
    }
    self->held.size = left;
    return result;
}

static PyObject *scorer_end(Scorer *self, PyObject *unused)
{
    size_t count = self->scored.size / sizeof(Scored);
    if (!mark_echoes(self, (Scored *)self->scored.data, count))
        return PyErr_NoMemory();
    PyObject *result = written(self, self->held.data, count);
    self->held.size = 0;
    return result;
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

static void scorer_free(Scorer *self)
{
    free_model(&self->model);
    free(self->remembered);
    free(self->met);
    free(self->folded.text.data);
    free(self->folded.key.data);
    free(self->held.data);
    free(self->echoes.data);
    free(self->scored.data);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef scorer_methods[] = {
    {"feed", (PyCFunction)scorer_feed, METH_VARARGS,
     "feed(block, echoes) -> the scored lines, with echoes those of whole windows"},
    {"end", (PyCFunction)scorer_end, METH_NOARGS, "end() -> the scored lines of the window that the document ends in"},
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
