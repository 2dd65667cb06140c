#include "fold.h"
#include "loops.h"
#include "xxh64.h"

enum {
    PAGE = 256,
    PAGES = 0x110000 / PAGE,
    WIDE = 0x2E80, /* code points from here on take two columns, as in line_score.py */
};

/* The fold of each code point by pages; a page without folds is NULL. */
static int32_t *pages[PAGES];

INLINE uint32_t fold_of(uint32_t code)
{
    const int32_t *page = pages[code / PAGE];
    return page ? (uint32_t)page[code % PAGE] : code;
}

/* Makes `code` fold to `folded`, an integer or a string of one character. */
static bool set_fold(PyObject *code, PyObject *folded)
{
    long from = PyLong_AsLong(code);
    long to = PyUnicode_Check(folded) ? (long)PyUnicode_ReadChar(folded, 0) : PyLong_AsLong(folded);
    if (PyErr_Occurred())
        return false;
    if (from < 0 || from >= 0x110000 || to < 0 || to >= 0x110000 || (from < 128 && to >= 128)) {
        PyErr_SetString(PyExc_ValueError, "not a table of folds");
        return false;
    }
    int32_t **page = &pages[from / PAGE];
    if (!*page) {
        *page = malloc(PAGE * sizeof **page);
        if (!*page) {
            PyErr_NoMemory();
            return false;
        }
        for (int i = 0; i < PAGE; i++)
            (*page)[i] = from / PAGE * PAGE + i;
    }
    (*page)[from % PAGE] = to;
    return true;
}

bool need_folds(const uint8_t *block, size_t size)
{
    static bool made;
    if (made || is_ascii(block, size))
        return true;
    PyObject *module = PyImport_ImportModule("sieve.fold");
    PyObject *table = module ? PyObject_CallMethod(module, "table", NULL) : NULL;
    PyObject *code, *folded;
    Py_ssize_t position = 0;
    made = table && PyDict_Check(table);
    while (made && PyDict_Next(table, &position, &code, &folded))
        made = set_fold(code, folded);
    Py_XDECREF(module);
    Py_XDECREF(table);
    return made;
}

bool is_ascii(const uint8_t *p, size_t size)
{
    uint64_t any = 0;
    for (; size >= 8; size -= 8, p += 8)
        any |= read64(p);
    while (size--)
        any |= *p++;
    return !(any & 0x8080808080808080u);
}

/* Neither letter nor digit, beyond ASCII: _SYMBOLS in line_score.py. */
static bool is_symbol(uint32_t c)
{
    return c < 0xC0 || c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c <= 0x206F) || (c >= 0x2190 && c <= 0x2BFF) ||
           (c >= 0x3000 && c <= 0x3004) || (c >= 0x3008 && c <= 0x3020) || (c >= 0xFE30 && c <= 0xFE4F);
}

bool fold(const uint8_t *line, size_t size, Folded *folded)
{
    const uint8_t *p = line, *stop = line + size;
    Buffer *text = &folded->text, *key = &folded->key;
    text->size = key->size = 0;
    /* no fold has more than twice the bytes */
    if (!reserve(text, 2 * size + SLACK) || !reserve(key, 2 * size + SLACK))
        return false;
    text->data[text->size++] = ' ';
    bool after_space = true;
    folded->wide = 0;
    size_t beyond = 0; /* bytes in the text that do not begin a character */
    p += loops.fold_ascii(p, stop - p, text, key, &after_space);
    folded->ascii = p == stop;
    while (p < stop) {
        uint32_t code;
        p += decode(p, stop, &code);
        code = fold_of(code);
        if (code != ' ' || !after_space) {
            uint8_t *out = encode(code, text->data + text->size);
            beyond += out - text->data - text->size - 1;
            text->size = out - text->data;
            folded->wide += code >= WIDE;
        }
        if (code < 0x80 ? ascii_stays[code] : !is_symbol(code))
            key->size = encode(code, key->data + key->size) - key->data;
        after_space = code == ' ';
        p += loops.fold_ascii(p, stop - p, text, key, &after_space);
    }
    if (!after_space)
        text->data[text->size++] = ' ';
    if (text->size == 1) /* but a space */
        text->size = 0;
    folded->characters = text->size - beyond;
    return true;
}

size_t grams_of(const Folded *folded, unsigned n, Grams *grams)
{
    if (folded->characters < n)
        return 0;
    const uint8_t *begin = folded->text.data, *stop = begin + folded->text.size, *end = begin;
    uint32_t code;
    for (unsigned i = 0; i < n; i++)
        end += decode(end, stop, &code);
    *grams = (Grams){begin, end, stop, n, folded->ascii};
    return folded->characters - n + 1;
}

/* --- hashes --- */

/* How many bytes from `p` on are ASCII, up to `most`. */
static size_t ascii_run(const uint8_t *p, size_t most)
{
    size_t run = 0;
    while (run + 8 <= most) {
        uint64_t beyond = read64(p + run) & 0x8080808080808080u;
        if (beyond)
            return run + __builtin_ctzll(beyond) / 8;
        run += 8;
    }
    while (run < most && p[run] < 0x80)
        run++;
    return run;
}

/* Most n-grams beyond ASCII have a letter of two bytes, or two, or one of three. */
static uint64_t hash_gram(const uint8_t *gram, size_t size)
{
    switch (size) {
    case 8: return xxh64(gram, 8, NGRAM);
    case 9: return xxh64(gram, 9, NGRAM);
    case 10: return xxh64(gram, 10, NGRAM);
    default: return xxh64(gram, size, NGRAM);
    }
}

void hash_grams(Grams *grams, size_t count, uint64_t *hashes)
{
    const uint8_t *begin = grams->begin, *end = grams->end, *stop = grams->stop;
    unsigned n = grams->n;
    while (count) {
        size_t most = count + n - 1 < (size_t)(stop - begin) ? count + n - 1 : (size_t)(stop - begin);
        size_t run = grams->ascii ? most : ascii_run(begin, most);
        if (run >= n) {
            size_t some = run - n + 1;
            if (n == 7)
                loops.hash_sevens(begin, some, hashes);
            else
                for (size_t i = 0; i < some; i++)
                    hashes[i] = xxh64(begin + i, n, NGRAM);
            hashes += some;
            count -= some;
            begin += some;
            end = begin + n - 1; /* these are ASCII, too */
            if (end < stop)
                end += decode(end, stop, &(uint32_t){0});
            continue;
        }
        /* up to the one that begins after the character that is not ASCII */
        for (const uint8_t *last = begin + run; count && begin <= last; count--) {
            *hashes++ = hash_gram(begin, end - begin);
            begin += decode(begin, stop, &(uint32_t){0});
            if (end < stop)
                end += decode(end, stop, &(uint32_t){0});
        }
    }
    grams->begin = begin;
    grams->end = end;
}
