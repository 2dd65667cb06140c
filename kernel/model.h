/* A model in memory: the weight of each hash. */

#ifndef MODEL_H
#define MODEL_H

#include "kernel.h"

typedef struct { uint64_t hash; uint32_t weight; } Entry;

typedef struct {
    Entry *entries;      /* open addressing, at most half of it full; a free one has the weight FREE */
    unsigned shift;      /* the address of a hash is what is left of 64 bits */
    uint64_t *filter;    /* a bit for each hash there is: most n-grams of a text are not in a model */
    unsigned filter_shift;
    Secret secret;
} Model;

enum { FREE = UINT32_MAX };

/* Reads the `count` entries of a model file from `text`, which must be as sieve/model.py writes them: sets
   ValueError if they are not, and plain Python tells where. */
bool read_model(Model *model, const uint8_t *text, size_t size, size_t count);
void free_model(Model *model);

INLINE bool may_have(const Model *model, uint64_t hash)
{
    uint64_t bit = hash >> model->filter_shift;
    return model->filter[bit / 64] >> bit % 64 & 1;
}

/* The weight of `hash`, or FREE. */
INLINE uint32_t weight_of(const Model *model, uint64_t hash)
{
    size_t last = ((size_t)1 << (64 - model->shift)) - 1;
    size_t i = scatter(hash, &model->secret) >> model->shift;
    while (model->entries[i].weight != FREE && model->entries[i].hash != hash)
        i = (i + 1) & last;
    return model->entries[i].weight;
}

/* The same for one that is likely not to be there. */
INLINE uint32_t find(const Model *model, uint64_t hash)
{
    return may_have(model, hash) ? weight_of(model, hash) : FREE;
}

#endif
