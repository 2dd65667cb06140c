/* Shingles and their sketch, as sieve/minhash.py and sieve/sketch.py define them. */

#include "loops.h"
#include "xxh64.h"

enum { FIRST_BITS = 10 };

typedef struct {
    PyObject_HEAD
    Py_ssize_t size;       /* words in a shingle */
    PyObject *find_words;  /* gives the words of bytes that are not all ASCII, a space between */
    Buffer words, starts;  /* the last words of the document, a space between; where each of them begins */
    uint64_t *hashes;      /* the set, at most half full; 0 is where none is */
    bool zero;             /* whether it has 0 as well */
    size_t used;
    unsigned bits;
    Secret secret;
} Shingles;

static bool resize(Shingles *self, unsigned bits)
{
    uint64_t *hashes = calloc((size_t)1 << bits, sizeof *hashes);
    if (!hashes)
        return false;
    size_t last = ((size_t)1 << bits) - 1;
    for (size_t i = 0; self->hashes && i >> self->bits == 0; i++)
        if (self->hashes[i]) {
            size_t place = scatter(self->hashes[i], &self->secret) >> (64 - bits);
            while (hashes[place])
                place = (place + 1) & last;
            hashes[place] = self->hashes[i];
        }
    free(self->hashes);
    self->hashes = hashes;
    self->bits = bits;
    return true;
}

static bool add_hash(Shingles *self, uint64_t hash)
{
    if (!hash) {
        self->zero = true;
        return true;
    }
    if (2 * self->used >= (size_t)1 << self->bits && !resize(self, self->bits + 1))
        return false;
    size_t last = ((size_t)1 << self->bits) - 1, place = scatter(hash, &self->secret) >> (64 - self->bits);
    while (self->hashes[place] && self->hashes[place] != hash)
        place = (place + 1) & last;
    self->used += !self->hashes[place];
    self->hashes[place] = hash;
    return true;
}

/* Lower-cased letters and digits; 0 for what stands between words. Beyond ASCII all bytes are of words. */
INLINE uint8_t word_byte(uint8_t c)
{
    uint8_t small = c | 0x20;
    return small >= 'a' && small <= 'z' ? small : (c >= '0' && c <= '9') || c >= 0x80 ? c : 0;
}

/* Adds the word behind the others, `size` bytes in lower case, and the shingle that ends with it. */
static bool add_word(Shingles *self, size_t size)
{
    if (!reserve(&self->starts, sizeof(size_t)))
        return false;
    size_t *starts = (size_t *)self->starts.data, count = self->starts.size / sizeof *starts;
    const uint8_t *end = self->words.data + self->words.size + size;
    starts[count++] = self->words.size;
    self->starts.size += sizeof *starts;
    if (count >= (size_t)self->size) {
        const uint8_t *first = self->words.data + starts[count - self->size];
        if (!add_hash(self, xxh64(first, end - first, 0)))
            return false;
    }
    self->words.size += size;
    self->words.data[self->words.size++] = ' ';
    return true;
}

static bool add_text(Shingles *self, const uint8_t *p, size_t size, bool found);

/* Adds the words in a run of bytes that are not all ASCII; what they are is for Python to say. */
static bool add_run(Shingles *self, const uint8_t *p, size_t size)
{
    PyObject *run = PyBytes_FromStringAndSize((const char *)p, size), *words = NULL;
    if (run)
        words = PyObject_CallFunctionObjArgs(self->find_words, run, NULL);
    bool done = words && PyBytes_Check(words) &&
        add_text(self, (const uint8_t *)PyBytes_AS_STRING(words), PyBytes_GET_SIZE(words), true);
    Py_XDECREF(run);
    Py_XDECREF(words);
    return done;
}

/* Adds all words of a text; `found` is whether it is what Python found. */
static bool add_text(Shingles *self, const uint8_t *p, size_t size, bool found)
{
    const uint8_t *stop = p + size;
    while (p < stop) {
        if (!word_byte(*p)) {
            p++;
            continue;
        }
        const uint8_t *first = p;
        uint8_t any = 0;
        for (; p < stop && word_byte(*p); p++)
            any |= *p;
        if (any >= 0x80 && !found) {
            if (!add_run(self, first, p - first))
                return false;
            continue;
        }
        if (!reserve(&self->words, p - first + 1))
            return false;
        uint8_t *out = self->words.data + self->words.size;
        while (first < p)
            *out++ = word_byte(*first++);
        if (!add_word(self, out - self->words.data - self->words.size))
            return false;
    }
    return true;
}

/* Forgets all but the last words, with which the next shingles begin. */
static void forget(Shingles *self)
{
    size_t *starts = (size_t *)self->starts.data, count = self->starts.size / sizeof *starts, kept = self->size - 1;
    if (count <= kept)
        return;
    size_t done = kept ? starts[count - kept] : self->words.size;
    for (size_t i = 0; i < kept; i++)
        starts[i] = starts[count - kept + i] - done;
    self->starts.size = kept * sizeof *starts;
    memmove(self->words.data, self->words.data + done, self->words.size - done);
    self->words.size -= done;
}

static PyObject *shingles_add(Shingles *self, PyObject *args)
{
    const uint8_t *text;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &text, &size))
        return NULL;
    if (!add_text(self, text, size, false))
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    forget(self);
    Py_RETURN_NONE;
}

static Py_ssize_t shingles_length(Shingles *self) { return self->used + self->zero; }

static PyObject *shingles_sketch(Shingles *self, PyObject *args)
{
    const uint8_t *factors, *terms;
    Py_ssize_t factors_size, terms_size;
    uint32_t a[PERMUTATIONS], b[PERMUTATIONS], least[PERMUTATIONS];
    if (!PyArg_ParseTuple(args, "y#y#", &factors, &factors_size, &terms, &terms_size))
        return NULL;
    if (factors_size != 8 * PERMUTATIONS || terms_size != 8 * PERMUTATIONS) {
        PyErr_SetString(PyExc_ValueError, "not 128 numbers of 64 bits");
        return NULL;
    }
    uint32_t *numbers = malloc((self->used + 1) * sizeof *numbers);
    PyObject *result = PyBytes_FromStringAndSize(NULL, PERMUTATIONS);
    if (!numbers || !result) {
        free(numbers);
        Py_XDECREF(result);
        return PyErr_NoMemory();
    }
    for (int i = 0; i < PERMUTATIONS; i++) {
        a[i] = read64(factors + 8 * i);
        b[i] = read64(terms + 8 * i);
        least[i] = UINT32_MAX;
    }
    size_t count = 0;
    Py_BEGIN_ALLOW_THREADS
    if (self->zero)
        numbers[count++] = 0;
    for (size_t i = 0; i >> self->bits == 0; i++)
        if (self->hashes[i])
            numbers[count++] = self->hashes[i];
    loops.permute(numbers, count, a, b, least);
    Py_END_ALLOW_THREADS
    for (int i = 0; i < PERMUTATIONS; i++)
        PyBytes_AS_STRING(result)[i] = (char)least[i];
    free(numbers);
    return result;
}

/* --- the type --- */

static PyObject *shingles_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    Py_ssize_t size;
    PyObject *find_words;
    if (!PyArg_ParseTuple(args, "nO", &size, &find_words))
        return NULL;
    if (size < 1) {
        PyErr_SetString(PyExc_ValueError, "a shingle has a word or more");
        return NULL;
    }
    Shingles *self = (Shingles *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->size = size;
    Py_INCREF(find_words);
    self->find_words = find_words;
    if (!draw(&self->secret, sizeof self->secret)) {
        Py_DECREF(self);
        return NULL;
    }
    if (!resize(self, FIRST_BITS)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void shingles_free(Shingles *self)
{
    Py_XDECREF(self->find_words);
    free(self->words.data);
    free(self->starts.data);
    free(self->hashes);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef shingles_methods[] = {
    {"add", (PyCFunction)shingles_add, METH_VARARGS,
     "add(text): more of the document"},
    {"sketch", (PyCFunction)shingles_sketch, METH_VARARGS,
     "sketch(factors, terms) -> the sketch by permutations, given in lanes of 64 bits"},
    {0}};

static PySequenceMethods shingles_sequence = {.sq_length = (lenfunc)shingles_length};

PyTypeObject ShinglesType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sieve._kernel.Shingles",
    .tp_doc = "Shingles(size, find_words): the set of hashes of every `size` words in a row of a document",
    .tp_basicsize = sizeof(Shingles),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = shingles_new,
    .tp_dealloc = (destructor)shingles_free,
    .tp_as_sequence = &shingles_sequence,
    .tp_methods = shingles_methods,
};
