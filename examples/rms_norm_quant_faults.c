/* SPDX-License-Identifier: MIT
 * What goes wrong in kernels by hand, each as a twin of rms_norm_quant.py: none of them passes.
 *
 *     cc -O2 -shared -fPIC -I PREFIX/include -o faults.so rms_norm_quant_faults.c -lm
 *     tilefoundry check rms_norm_quant.py:Fused --twin faults.so:last_block --inputs random --weights random \
 *         --out 'output[0]' --fn equal --out 'output[1]' --fn allclose --atol 1e-6 --rtol 1e-6
 */
#include "rms_norm_quant_twin.c"

struct step {
    uint8_t *codes;
    float *scales;
    size_t n_codes, n_scales, blocks; /* blocks: of a row */
};

static struct step step_of(const struct tf_twin_call *call)
{
    size_t rows = (size_t)call->args[0]->extents[0], width = (size_t)call->args[0]->extents[1];
    return (struct step){
        call->results[0]->data, call->results[1]->data, rows * width, rows * width / BLOCK, width / BLOCK};
}

/* All scales 4 % too large, as from another constant. */
TF_TWIN(gain)
{
    struct step s = step_of(call);
    int status = tilefoundry_twin(call);
    for (size_t i = 0; i < s.n_scales; i++)
        s.scales[i] *= 1.04f;
    return status;
}

/* One code a step away. */
TF_TWIN(one_step)
{
    struct step s = step_of(call);
    int status = tilefoundry_twin(call);
    s.codes[s.n_codes / 3] ^= 1;
    return status;
}

/* The first row has the second one's scales, and the other way round. */
TF_TWIN(rows_swapped)
{
    struct step s = step_of(call);
    int status = tilefoundry_twin(call);
    for (size_t i = 0; i < s.blocks && s.n_scales > s.blocks; i++) {
        float first = s.scales[i];
        s.scales[i] = s.scales[s.blocks + i];
        s.scales[s.blocks + i] = first;
    }
    return status;
}

/* A loop that ends a block too early: what was in the buffer stays there. */
TF_TWIN(last_block)
{
    struct step s = step_of(call);
    uint8_t before[BLOCK];
    float scale;
    memcpy(before, s.codes + s.n_codes - BLOCK, BLOCK);
    memcpy(&scale, &s.scales[s.n_scales - 1], sizeof(scale));
    int status = tilefoundry_twin(call);
    memcpy(s.codes + s.n_codes - BLOCK, before, BLOCK);
    memcpy(&s.scales[s.n_scales - 1], &scale, sizeof(scale));
    return status;
}

/* One element too many. */
TF_TWIN(past_the_end)
{
    struct step s = step_of(call);
    int status = tilefoundry_twin(call);
    s.codes[s.n_codes] = 0;
    return status;
}

/* The input is used as room to work in. */
TF_TWIN(input_changed)
{
    int status = tilefoundry_twin(call);
    memset((void *)(uintptr_t)call->args[0]->data, 0, 2);
    return status;
}

/* The first answer is given for ever. */
TF_TWIN(kept_answer)
{
    static uint8_t *codes;
    static float *scales;
    struct step s = step_of(call);
    int status = codes ? 0 : tilefoundry_twin(call);
    if (!codes) {
        codes = malloc(s.n_codes);
        scales = malloc(s.n_scales * sizeof(*scales));
        memcpy(codes, s.codes, s.n_codes);
        memcpy(scales, s.scales, s.n_scales * sizeof(*scales));
    }
    memcpy(s.codes, codes, s.n_codes);
    memcpy(s.scales, scales, s.n_scales * sizeof(*scales));
    return status;
}
