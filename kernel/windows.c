/* Finding echoes in the windows of a document and writing scored lines, as sieve/line_score.py defines it. */

#include "facts.h"

enum { WINDOW = 10000, WINDOW_BYTES = 1 << 22 }; /* as in line_score.py */

typedef struct {
    PyObject_HEAD
    Buffer text, facts; /* of the lines that wait for the end of their window */
    Buffer firsts;
} Windows;

/* Marks those of `count` lines whose key another has, too; false if there is no memory. */
static bool mark_echoes(Windows *self, Facts *lines, size_t count)
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
        if (!(lines[i].marks & MAY_ECHO))
            continue;
        size_t place = lines[i].key & (places - 1);
        while (firsts[place] && lines[firsts[place] - 1].key != lines[i].key)
            place = (place + 1) & (places - 1);
        if (!firsts[place]) {
            firsts[place] = i + 1;
        } else {
            lines[i].marks |= ECHO;
            lines[firsts[place] - 1].marks |= ECHO;
        }
    }
    return true;
}

/* Marks the echoes in all windows that end within `count` lines; tells how many lines these have and, in
   `bytes`, how long they are. -1 if there is no memory. */
static Py_ssize_t mark_windows(Windows *self, Facts *lines, size_t count, size_t *bytes)
{
    size_t first = 0, window = 0;
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        window += lines[i].size;
        if (i + 1 - first == WINDOW || window >= WINDOW_BYTES) {
            if (!mark_echoes(self, lines + first, i + 1 - first))
                return -1;
            first = i + 1;
            *bytes += window;
            window = 0;
        }
    }
    return first;
}

static size_t written_size(const Facts *lines, size_t count)
{
    static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned marks = lines[i].marks;
        size += lines[i].size + (marks & BLANK ? 2 : 7 + bits[marks % 16] + (marks / ECHO & 1));
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
            for (unsigned left = marks & (2 * ECHO - 1); left; left &= left - 1)
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

static PyObject *windows_end(Windows *self, PyObject *unused)
{
    size_t count = self->facts.size / sizeof(Facts);
    if (!mark_echoes(self, (Facts *)self->facts.data, count))
        return PyErr_NoMemory();
    PyObject *result = written((Facts *)self->facts.data, count, self->text.data);
    self->text.size = self->facts.size = 0;
    return result;
}

static PyObject *windows_without(PyObject *unused, PyObject *args)
{
    const uint8_t *text, *facts;
    Py_ssize_t size, facts_size;
    if (!PyArg_ParseTuple(args, "y#y#", &text, &size, &facts, &facts_size))
        return NULL;
    return written((const Facts *)facts, facts_size / sizeof(Facts), text);
}

/* --- the type --- */

static PyObject *windows_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return type->tp_alloc(type, 0);
}

static void windows_free(Windows *self)
{
    free(self->text.data);
    free(self->facts.data);
    free(self->firsts.data);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef windows_methods[] = {
    {"feed", (PyCFunction)windows_feed, METH_VARARGS,
     "feed(block, facts) -> the scored lines of the windows that end in it; facts are those of Scorer.score"},
    {"end", (PyCFunction)windows_end, METH_NOARGS, "end() -> those of the window that the document ends in"},
    {"without", (PyCFunction)windows_without, METH_VARARGS | METH_STATIC,
     "without(block, facts) -> the scored lines of the block, in which no echoes are looked for"},
    {0}};

PyTypeObject WindowsType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sieve._kernel.Windows",
    .tp_doc = "Windows(): marks echoes and writes scored lines",
    .tp_basicsize = sizeof(Windows),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = windows_new,
    .tp_dealloc = (destructor)windows_free,
    .tp_methods = windows_methods,
};
