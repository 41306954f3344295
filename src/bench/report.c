/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include <stdio.h>

#define LABEL "  %-10s"

/* ---- numbers with units -------------------------------------------------------------------------------------------*/

/* Three digits and a prefix: "88.1 M" */
static const char *scaled(char *text, size_t room, double value)
{
    static const char *const PREFIXES[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;
    for (; value >= 999.5 && i + 1 < sizeof(PREFIXES) / sizeof(*PREFIXES); i++)
        value /= 1000;
    snprintf(text, room, value < 9.995 ? "%.2f %s" : value < 99.95 ? "%.1f %s" : "%.0f %s", value, PREFIXES[i]);
    return text;
}

static const char *duration(char *text, size_t room, double ns)
{
    static const char *const UNITS[] = {"ns", "us", "ms", "s"};
    size_t i = 0;
    for (; ns >= 999.5 && i + 1 < sizeof(UNITS) / sizeof(*UNITS); i++)
        ns /= 1000;
    snprintf(text, room, ns < 9.995 ? "%.2f %s" : ns < 99.95 ? "%.1f %s" : "%.0f %s", ns, UNITS[i]);
    return text;
}

#define SCALED(value) scaled((char[32]){0}, 32, value)
#define TIME(ns) duration((char[32]){0}, 32, ns)

/* ---- one side -----------------------------------------------------------------------------------------------------*/

static void put_agreement(struct buf *out, const struct side_finding *side)
{
    buf_printf(
        out, LABEL "%s\n", "check", !side->agreement ? "none: what this computes was not looked at" : side->agreement);
}

static void put_time(struct buf *out, const struct side_finding *side)
{
    buf_printf(out, LABEL "median %s, quartiles %s to %s, least %s\n", "time", TIME(side->time.median),
        TIME(side->time.low), TIME(side->time.high), TIME(side->time.least));
    buf_printf(out, LABEL "%u", "launches", side->n);
    if (side->timing->rotated_bytes)
        buf_printf(out, ", cold: going around in %sB", SCALED((double)side->timing->rotated_bytes));
    else
        buf_str(out, ", on the same buffers");
    if (side->timing->floor_ns > 0)
        buf_printf(out, "; one that does nothing takes %s", TIME(side->timing->floor_ns));
    buf_char(out, '\n');
    if (side->timing->conditions)
        buf_printf(out, LABEL "%s\n", "on", side->timing->conditions);
}

static void put_other(struct buf *out, const struct bench_finding *f, const struct side_finding *side)
{
    buf_printf(out, "against %s\n", side->label);
    put_agreement(out, side);
    put_time(out, side);
    buf_printf(out, LABEL "%.3g times as long as the kernel (quartiles %.3g to %.3g of %u rounds)\n", "ratio",
        side->ratio.median, side->ratio.low, side->ratio.high, f->rounds);
}

/* ---- what the time means ------------------------------------------------------------------------------------------*/

static void put_bytes(struct buf *out, const struct bench_finding *f)
{
    double ns = f->sides[0].time.median;
    buf_printf(out, LABEL "%sB needed: %sB/s", "bytes", SCALED(f->needed), SCALED(f->needed / ns * 1e9));
    if (f->figures.bytes >= 0)
        buf_printf(out, "; analyze counts %sB: %sB/s", SCALED(f->figures.bytes), SCALED(f->figures.bytes / ns * 1e9));
    buf_char(out, '\n');
    if (f->copy > 0)
        buf_printf(out, LABEL "%sB/s in this run: the kernel moves its bytes at %.3g of that\n", "copy",
            SCALED(f->copy), f->needed / ns * 1e9 / f->copy);
    if (f->figures.flops > 0)
        buf_printf(
            out, LABEL "%sflop: %sflop/s\n", "work", SCALED(f->figures.flops), SCALED(f->figures.flops / ns * 1e9));
}

static void put_target(struct buf *out, const struct bench_finding *f)
{
    double ns = f->sides[0].time.median;
    if (f->target)
        buf_printf(out, LABEL "%s\n", "target", f->target);
    if (f->figures.ideal_ns > 0)
        buf_printf(out, LABEL "%s by the roofline: %.3g of it is reached\n", "ideal", TIME(f->figures.ideal_ns),
            f->figures.ideal_ns / ns);
    if (f->figures.predicted_ns > 0)
        buf_printf(out, LABEL "%s: %+.1f %% of what was measured\n", "predicted", TIME(f->figures.predicted_ns),
            100 * (f->figures.predicted_ns / ns - 1));
    if (f->unanalysed)
        buf_printf(out, LABEL "not all: %s\n", "figures", f->unanalysed);
}

void bench_text(struct buf *out, const struct bench_job *job, const struct bench_finding *f)
{
    buf_printf(out, "bench %s\n" LABEL "%s\n", job->source, "kernel", f->sides[0].label);
    buf_printf(out, LABEL "%s", "inputs", f->inputs);
    if (f->seed >= 0)
        buf_printf(out, ", seed %lld", (long long)f->seed);
    buf_char(out, '\n');
    put_agreement(out, &f->sides[0]);
    put_time(out, &f->sides[0]);
    put_bytes(out, f);
    put_target(out, f);
    for (size_t i = 1; i < f->n_sides; i++)
        put_other(out, f, &f->sides[i]);
    if (f->is_implausible)
        buf_printf(out, "IMPLAUSIBLE: no kernel takes less than %s for these bytes\n", TIME(f->floor_ns));
}
