/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include "util/json_text.h"

static void put_known(struct json_writer *w, const char *key, double value, int is_known)
{
    if (is_known)
        json_number(w, key, value);
}

static void put_spread(struct json_writer *w, const char *key, const struct spread *spread)
{
    json_open(w, key, '{');
    json_number(w, "median", spread->median);
    json_number(w, "low_quartile", spread->low);
    json_number(w, "high_quartile", spread->high);
    json_number(w, "least", spread->least);
    json_close(w, '}');
}

static void put_side(struct json_writer *w, const struct side_finding *side, int is_first)
{
    json_string(w, "label", side->label);
    json_string(w, "check", side->agreement);
    put_spread(w, "ns", &side->time);
    json_open(w, "samples_ns", '[');
    for (uint32_t i = 0; i < side->n; i++)
        json_number(w, NULL, side->ns[i]);
    json_close(w, ']');
    json_whole(w, "rotated_bytes", (int64_t)side->timing->rotated_bytes);
    put_known(w, "launch_floor_ns", side->timing->floor_ns, side->timing->floor_ns > 0);
    if (side->timing->conditions)
        json_string(w, "conditions", side->timing->conditions);
    if (!is_first)
        put_spread(w, "ratio", &side->ratio);
}

static void put_meaning(struct json_writer *w, const struct bench_finding *f)
{
    double ns = f->sides[0].time.median;
    const struct tf_figures *figures = &f->figures;
    json_number(w, "needed_bytes", f->needed);
    json_number(w, "bytes_per_second", f->needed / ns * 1e9);
    put_known(w, "copy_bytes_per_second", f->copy, f->copy > 0);
    put_known(w, "share_of_copy", f->needed / ns * 1e9 / f->copy, f->copy > 0);
    put_known(w, "analysed_bytes", figures->bytes, figures->bytes >= 0);
    put_known(w, "flops", figures->flops, figures->flops >= 0);
    put_known(w, "flops_per_second", figures->flops / ns * 1e9, figures->flops >= 0);
    put_known(w, "ideal_ns", figures->ideal_ns, figures->ideal_ns >= 0);
    put_known(w, "share_of_roofline", figures->ideal_ns / ns, figures->ideal_ns >= 0);
    put_known(w, "predicted_ns", figures->predicted_ns, figures->predicted_ns >= 0);
    put_known(w, "prediction_error", figures->predicted_ns / ns - 1, figures->predicted_ns >= 0);
    put_known(w, "floor_ns", f->floor_ns, f->floor_ns > 0);
    json_string(w, "target", f->target);
    if (f->unanalysed)
        json_string(w, "no_figures", f->unanalysed);
}

void bench_json(struct buf *out, const struct bench_job *job, const struct bench_finding *f)
{
    struct json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_string(&w, "source", job->source);
    json_string(&w, "inputs", f->inputs);
    if (f->seed >= 0)
        json_whole(&w, "seed", f->seed);
    json_truth(&w, "warm", f->warm);
    json_whole(&w, "rounds", f->rounds);
    put_side(&w, &f->sides[0], 1);
    put_meaning(&w, f);
    json_open(&w, "against", '[');
    for (size_t i = 1; i < f->n_sides; i++) {
        json_open(&w, NULL, '{');
        put_side(&w, &f->sides[i], 0);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_string(&w, "verdict", f->is_implausible ? "IMPLAUSIBLE" : "MEASURED");
    json_close(&w, '}');
    buf_char(out, '\n');
}
