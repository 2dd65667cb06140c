/* Counting by document, as sieve/ngrams.py and sieve/contexts.py define it. */

#include "contexts.h"
#include "fold.h"

enum { BATCH = 512, FIRST_BITS = 12 };

/* A hash, the number of documents that have it, and the last of them: so no set of a document's own is needed.
   Free where the number is 0. */
typedef struct { uint64_t hash; uint32_t documents, last; } Count;

/* Open addressing, at most half of it full: 32 to 64 bytes a hash. */
typedef struct { Count *places; size_t used; unsigned bits; } Table;

typedef struct { uint64_t hash; uint32_t documents; uint32_t kind; } Entry;

typedef struct {
    PyObject_HEAD
    unsigned n;
    uint32_t document;
    Secret secret;
    Table tables[END + 1];  /* by kind; OPEN and CLOSE are not counted */
    Folded folded;
    uint64_t number;        /* of lines of the document that were not blank */
    uint64_t before;        /* the hash of the last of them */
    Line latest[FAR];       /* the last of them, each at its number modulo FAR */
    Entry *entries;
    size_t entry_count;
} Counter;

INLINE size_t place_of(const Counter *self, const Table *table, uint64_t hash)
{
    return scatter(hash, &self->secret) >> (64 - table->bits);
}

/* Makes a table of 2^bits places with what is in `table`; false if there is no memory. */
static bool resize(const Counter *self, Table *table, unsigned bits)
{
    Table larger = {calloc((size_t)1 << bits, sizeof(Count)), table->used, bits};
    if (!larger.places)
        return false;
    size_t last = ((size_t)1 << bits) - 1;
    for (size_t i = 0; table->places && i >> table->bits == 0; i++)
        if (table->places[i].documents) {
            size_t place = place_of(self, &larger, table->places[i].hash);
            while (larger.places[place].documents)
                place = (place + 1) & last;
            larger.places[place] = table->places[i];
        }
    free(table->places);
    *table = larger;
    return true;
}

/* Counts hashes of the document; false if there is no memory. */
static bool count_hashes(Counter *self, Table *table, const uint64_t *hashes, size_t count)
{
    while ((table->used + count) * 2 > (size_t)1 << table->bits)
        if (!resize(self, table, table->bits + 1))
            return false;
    size_t last = ((size_t)1 << table->bits) - 1;
    for (size_t i = 0; i < count; i++) /* a large table is in memory that is slow to answer */
        __builtin_prefetch(&table->places[place_of(self, table, hashes[i])]);
    for (size_t i = 0; i < count; i++) {
        size_t place = place_of(self, table, hashes[i]);
        while (table->places[place].documents && table->places[place].hash != hashes[i])
            place = (place + 1) & last;
        Count *found = &table->places[place];
        table->used += !found->documents;
        found->hash = hashes[i];
        found->documents += found->last != self->document;
        found->last = self->document;
    }
    return true;
}

static bool count_hash(Counter *self, unsigned kind, uint64_t hash)
{
    return count_hashes(self, &self->tables[kind], &hash, 1);
}

/* Counts the contexts of a line at its distances from top and bottom. */
static bool count_places(Counter *self, const Line *line, int64_t top, int64_t bottom)
{
    uint64_t contexts[2];
    int count = place_contexts(line->whole, PLACE, top, bottom, 0, contexts);
    bool done = count_hashes(self, &self->tables[PLACE], contexts, count);
    count = place_contexts(line->first, END, top, bottom, FIRST, contexts);
    done = done && count_hashes(self, &self->tables[END], contexts, count);
    count = place_contexts(line->last, END, top, bottom, LAST, contexts);
    return done && count_hashes(self, &self->tables[END], contexts, count);
}

static bool count_line(Counter *self, const uint8_t *text, size_t size)
{
    uint64_t hashes[BATCH + 8];
    if (!fold(text, size, &self->folded))
        return false;
    text = self->folded.text.data;
    size = self->folded.text.size;
    if (!size)
        return true;
    Line line = {.whole = xxh64(text, size, LINE)};
    Grams grams;
    size_t left = grams_of(&self->folded, self->n, &grams);
    if (!left)
        line.first = line.last = xxh64(text, size, NGRAM);
    for (bool first = true; left; first = false) {
        size_t count = left < BATCH ? left : BATCH;
        hash_grams(&grams, count, hashes);
        if (!count_hashes(self, &self->tables[NGRAM], hashes, count))
            return false;
        if (first)
            line.first = hashes[0];
        line.last = hashes[count - 1];
        left -= count;
    }
    if (!count_hash(self, LINE, line.whole) || !count_hash(self, PAIR, pair_context(self->before, line.whole)) ||
        (self->number < FAR && !count_places(self, &line, self->number, UNKNOWN)))
        return false;
    self->before = line.whole;
    self->latest[self->number++ % FAR] = line;
    return true;
}

/* Counts what is only known at the document's end. */
static bool count_end(Counter *self)
{
    bool done = !self->number || count_hash(self, PAIR, pair_context(self->before, EDGE));
    for (int64_t bottom = 0; done && bottom < FAR && (uint64_t)bottom < self->number; bottom++)
        done = count_places(self, &self->latest[(self->number - 1 - bottom) % FAR], UNKNOWN, bottom);
    self->number = 0;
    self->before = EDGE;
    return done;
}

static PyObject *counter_add(Counter *self, PyObject *args)
{
    const uint8_t *p;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &p, &size) || !need_folds(p, size))
        return NULL;
    bool done = true;
    Py_BEGIN_ALLOW_THREADS
    for (const uint8_t *stop = p + size, *end; done && p < stop; p = end) {
        end = line_end(p, stop);
        done = count_line(self, p, end - p);
    }
    Py_END_ALLOW_THREADS
    if (!done)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *counter_end(Counter *self, PyObject *unused)
{
    if (self->document == UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "more than 4294967294 documents");
        return NULL;
    }
    if (!count_end(self))
        return PyErr_NoMemory();
    self->document++;
    Py_RETURN_NONE;
}

/* --- what was counted --- */

static int compare(const void *one, const void *other)
{
    const Entry *a = one, *b = other;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->documents != b->documents)
        return a->documents < b->documents ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

static size_t select_entries(const Table *table, uint32_t least, uint32_t kind, Entry *entries)
{
    size_t found = 0;
    for (size_t i = 0; table->places && i >> table->bits == 0; i++)
        if (table->places[i].documents && table->places[i].documents >= least) {
            if (entries)
                entries[found] = (Entry){table->places[i].hash, table->places[i].documents, kind};
            found++;
        }
    return found;
}

static PyObject *counter_sort(Counter *self, PyObject *args)
{
    unsigned least[END + 1] = {0};
    if (!PyArg_ParseTuple(args, "III", &least[NGRAM], &least[LINE], &least[PAIR]))
        return NULL;
    least[PLACE] = least[END] = least[PAIR];
    self->entry_count = 0;
    for (unsigned kind = 0; kind <= END; kind++)
        self->entry_count += select_entries(&self->tables[kind], least[kind], kind, NULL);
    free(self->entries);
    self->entries = malloc((self->entry_count + 1) * sizeof *self->entries);
    if (!self->entries)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    Entry *end = self->entries;
    for (unsigned kind = 0; kind <= END; kind++)
        end += select_entries(&self->tables[kind], least[kind], kind, end);
    qsort(self->entries, self->entry_count, sizeof *self->entries, compare);
    Py_END_ALLOW_THREADS
    return PyLong_FromSize_t(self->entry_count);
}

/* Writes `number` and returns where it ends. */
static char *write_number(char *out, uint64_t number)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = '0' + number % 10;
    while (number /= 10);
    while (count)
        *out++ = digits[--count];
    return out;
}

static PyObject *counter_text(Counter *self, PyObject *args)
{
    static const char *const kinds[END + 1] = {[NGRAM] = "", [LINE] = "\tline", [PAIR] = "\tpair", [PLACE] = "\tplace", [END] = "\tend"};
    Py_ssize_t start, count;
    enum { LONGEST = 20 + 1 + 10 + 6 + 1 }; /* of an entry */
    if (!PyArg_ParseTuple(args, "nn", &start, &count))
        return NULL;
    size_t stop = self->entry_count;
    if (start < 0 || count < 0 || (size_t)start > stop) {
        PyErr_SetString(PyExc_IndexError, "no such entries");
        return NULL;
    }
    if ((size_t)count < stop - start)
        stop = start + count;
    PyObject *result = PyBytes_FromStringAndSize(NULL, (stop - start) * LONGEST);
    if (!result)
        return NULL;
    char *first = PyBytes_AS_STRING(result), *out = first;
    for (size_t i = start; i < stop; i++) {
        const Entry *entry = &self->entries[i];
        out = write_number(out, entry->hash);
        *out++ = '\t';
        out = write_number(out, entry->documents);
        const char *kind = kinds[entry->kind];
        size_t length = strlen(kind);
        memcpy(out, kind, length);
        out += length;
        *out++ = '\n';
    }
    _PyBytes_Resize(&result, out - first);
    return result;
}

/* --- the type --- */

static PyObject *counter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    unsigned n;
    if (!PyArg_ParseTuple(args, "I", &n))
        return NULL;
    if (n < 1 || n > GRAM_LIMIT) {
        PyErr_SetString(PyExc_ValueError, "n is out of range");
        return NULL;
    }
    Counter *self = (Counter *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->n = n;
    self->document = 1;
    self->before = EDGE;
    if (!draw(&self->secret, sizeof self->secret)) {
        Py_DECREF(self);
        return NULL;
    }
    for (unsigned kind = 0; kind <= END; kind++)
        if (kind != OPEN && kind != CLOSE && !resize(self, &self->tables[kind], FIRST_BITS)) {
            Py_DECREF(self);
            return PyErr_NoMemory();
        }
    return (PyObject *)self;
}

static void counter_free(Counter *self)
{
    for (unsigned kind = 0; kind <= END; kind++)
        free(self->tables[kind].places);
    free(self->folded.text.data);
    free(self->folded.key.data);
    free(self->entries);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef counter_methods[] = {
    {"add", (PyCFunction)counter_add, METH_VARARGS, "add(block): counts lines of the document"},
    {"end", (PyCFunction)counter_end, METH_NOARGS, "end(): what is added next is of another document"},
    {"sort", (PyCFunction)counter_sort, METH_VARARGS,
     "sort(least, of lines, of contexts) -> the number of n-grams, lines and contexts that so many documents have"},
    {"text", (PyCFunction)counter_text, METH_VARARGS,
     "text(start, count) -> some of the sorted entries, as counts are written"},
    {0}};

PyTypeObject CounterType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sieve._kernel.Counter",
    .tp_doc = "Counter(n): in how many documents each n-gram, each line and each context is",
    .tp_basicsize = sizeof(Counter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = counter_new,
    .tp_dealloc = (destructor)counter_free,
    .tp_methods = counter_methods,
};
