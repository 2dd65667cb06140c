#include "fold.h"
#include "loops.h"
#include "xxh64.h"

bool draw(void *secret, size_t size)
{
    PyObject *os = PyImport_ImportModule("os");
    PyObject *random = os ? PyObject_CallMethod(os, "urandom", "n", (Py_ssize_t)size) : NULL;
    bool drawn = random && PyBytes_Check(random) && (size_t)PyBytes_GET_SIZE(random) == size;
    if (drawn)
        memcpy(secret, PyBytes_AS_STRING(random), size);
    Py_XDECREF(random);
    Py_XDECREF(os);
    return drawn;
}

/* The three below are here for the tests: all else stands on them. */

static PyObject *py_xxh64(PyObject *module, PyObject *args)
{
    const uint8_t *data;
    Py_ssize_t size;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "y#K", &data, &size, &seed))
        return NULL;
    return PyLong_FromUnsignedLongLong(xxh64(data, size, seed));
}

static PyObject *py_fold(PyObject *module, PyObject *args)
{
    const uint8_t *line;
    Py_ssize_t size;
    Folded folded = {0};
    if (!PyArg_ParseTuple(args, "y#", &line, &size) || !need_folds(line, size))
        return NULL;
    PyObject *result = fold(line, size, &folded)
        ? PyBytes_FromStringAndSize((char *)folded.text.data, folded.text.size) : PyErr_NoMemory();
    free(folded.text.data);
    free(folded.key.data);
    return result;
}

static PyObject *py_vectors(PyObject *module, PyObject *wanted)
{
    choose_loops(PyObject_IsTrue(wanted));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"xxh64", py_xxh64, METH_VARARGS, "xxh64(bytes, seed) -> integer"},
    {"vectors", py_vectors, METH_O, "vectors(wanted): whether to use what the processor has of them"},
    {"fold", py_fold, METH_VARARGS, "fold(line) -> its folded form"},
    {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "sieve._kernel", .m_size = -1, .m_methods = functions,
    .m_doc = "The hot loops of sieve, compiled; sieve.kernel decides whether they are used."};

PyMODINIT_FUNC PyInit__kernel(void)
{
    choose_loops(true);
    PyObject *module = PyModule_Create(&definition);
    PyTypeObject *types[] = {&ScorerType, &WindowsType, &CounterType, &ShinglesType, &RepeatsType};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!module || PyModule_AddType(module, types[i]) < 0)
            return NULL;
    return module;
}
