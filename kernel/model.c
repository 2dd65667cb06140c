#include "model.h"

enum { FILTER_BITS = 32 }; /* for each hash at least: a bit is set for at most one in 32 of those that are not there */

/* The least power of two of at least `least`, as its logarithm. */
static unsigned bits_for(size_t least)
{
    unsigned bits = 6;
    while (((size_t)1 << bits) < least)
        bits++;
    return bits;
}

static bool parse(Model *model, const uint8_t *p, const uint8_t *stop, size_t count);

bool read_model(Model *model, const uint8_t *text, size_t size, size_t count)
{
    if (count > size / 2) { /* a digit and an LF each; before so much memory is asked for */
        PyErr_SetString(PyExc_ValueError, "fewer entries than announced");
        return false;
    }
    unsigned bits = bits_for(2 * count), filter_bits = bits_for(FILTER_BITS * count);
    if (!draw(&model->secret, sizeof model->secret))
        return false;
    model->shift = 64 - bits;
    model->filter_shift = 64 - filter_bits;
    model->entries = malloc(sizeof *model->entries << bits);
    model->filter = calloc((size_t)1 << (filter_bits - 6), sizeof *model->filter);
    if (!model->entries || !model->filter) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i >> bits == 0; i++)
        model->entries[i].weight = FREE;
    if (!parse(model, text, text + size, count)) {
        PyErr_SetString(PyExc_ValueError, "not the entries of a model");
        return false;
    }
    return true;
}

/* Reads digits up to a value below `limit`; NULL if there are none, or more. */
static const uint8_t *parse_number(const uint8_t *p, const uint8_t *stop, uint64_t limit, uint64_t *value)
{
    const uint8_t *first = p;
    for (*value = 0; p < stop && *p >= '0' && *p <= '9'; p++) {
        unsigned digit = *p - '0';
        if (*value > (limit - digit) / 10)
            return NULL;
        *value = *value * 10 + digit;
    }
    return p > first && p - first <= 20 ? p : NULL;
}

static bool parse(Model *model, const uint8_t *p, const uint8_t *stop, size_t count)
{
    size_t last = ((size_t)1 << (64 - model->shift)) - 1, found = 0;
    uint64_t hash, before = 0, weight;
    for (; p < stop; p++, found++, before = hash) {
        if (!(p = parse_number(p, stop, UINT64_MAX, &hash)) || (found && hash <= before))
            return false;
        weight = SCALE;
        if (p < stop && *p == '\t' && !(p = parse_number(p + 1, stop, SCALE, &weight)))
            return false;
        if (p == stop || *p != '\n' || found == count)
            return false;
        size_t i = scatter(hash, &model->secret) >> model->shift;
        while (model->entries[i].weight != FREE)
            i = (i + 1) & last;
        model->entries[i] = (Entry){hash, weight};
        uint64_t bit = hash >> model->filter_shift;
        model->filter[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    return found == count;
}

void free_model(Model *model)
{
    free(model->entries);
    free(model->filter);
}
