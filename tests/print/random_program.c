/* SPDX-License-Identifier: MIT */
#include "random_program.h"

static const char *const NAMES[] = {"a", "b", "c", "h", "v0", "v1", "acc", "x", "t"};
#define N_NAMES 9u

/* Which names are bound: a bit each; the last one is the parameter y, which is never assigned. */
#define BIT_X (1u << 7)
#define BIT_Y (1u << N_NAMES)

struct maker {
    struct buf *out;
    uint32_t state;
};

static uint32_t below(struct maker *m, uint32_t n)
{
    m->state = m->state * 1664525u + 1013904223u;
    return (m->state >> 8) % n;
}

static int percent(struct maker *m, uint32_t chance)
{
    return below(m, 100) < chance;
}

static const char *read_name(struct maker *m, uint32_t bound)
{
    for (;;) {
        uint32_t i = below(m, N_NAMES + 1);
        if (bound >> i & 1)
            return i == N_NAMES ? "y" : NAMES[i];
    }
}

static void start_line(struct maker *m, uint32_t depth)
{
    buf_printf(m->out, "%*s", (int)depth * 4, "");
}

static void put_value(struct maker *m, uint32_t bound)
{
    static const char *const factors[] = {"2.0", "-1.5", "LOW", "0.5"};
    const char *a = read_name(m, bound), *b = read_name(m, bound), *c = read_name(m, bound);
    switch (below(m, 10)) {
    case 0: buf_printf(m->out, "%s + %s\n", a, b); break;
    case 1: buf_printf(m->out, "tf.exp(%s)\n", a); break;
    case 2: buf_printf(m->out, "%s * %s\n", a, factors[below(m, 4)]); break;
    case 3: buf_printf(m->out, "tf.max(%s, %s)\n", a, b); break;
    case 4: buf_printf(m->out, "tf.exp(%s) - %s * %s\n", a, b, c); break;
    case 5: buf_printf(m->out, "f0(%s)\n", a); break;
    case 6: buf_printf(m->out, "%s\n", a); break;
    case 7: buf_printf(m->out, "last(%s)\n", a); break;
    case 8: buf_printf(m->out, "tf.reshape(%s[0, :], (1, 8)) + %s\n", a, b); break;
    default: buf_printf(m->out, "tf.square(%s)\n", a); break;
    }
}

/* The names that it binds. */
static uint32_t put_assignment(struct maker *m, uint32_t depth, uint32_t bound)
{
    uint32_t i = below(m, N_NAMES), k = (i + 1 + below(m, N_NAMES - 1)) % N_NAMES;
    start_line(m, depth);
    if (percent(m, 10)) {
        buf_printf(m->out, "%s, %s = %s, %s\n", NAMES[i], NAMES[k], read_name(m, bound), read_name(m, bound));
    } else if (percent(m, 10)) {
        buf_printf(m->out, "%s, %s = pair(%s)\n", NAMES[i], NAMES[k], read_name(m, bound));
    } else {
        buf_printf(m->out, "%s = ", NAMES[i]);
        put_value(m, bound);
        return 1u << i;
    }
    return 1u << i | 1u << k;
}

static void put_loop(struct maker *m, uint32_t depth, uint32_t bound, uint32_t nested)
{
    static const char *const headers[] = {"range(3)", "range(1, 4)", "range(0, 8, 2)", "tile(8, 2)"};
    start_line(m, depth);
    buf_printf(m->out, "for %c in %s:\n", "ijk"[below(m, 3)], headers[below(m, 4)]);
    for (uint32_t n = 1 + below(m, 4); n; n--) {
        if (nested < 3 && percent(m, 30))
            put_loop(m, depth + 1, bound, nested + 1);
        else
            bound |= put_assignment(m, depth + 1, bound);
    }
}

/* The names that it binds directly. */
static uint32_t put_region(struct maker *m, uint32_t depth, uint32_t bound, uint32_t nested)
{
    uint32_t direct = 0;
    start_line(m, depth);
    buf_printf(m->out, "with M as m%u:\n", nested);
    for (uint32_t n = 1 + below(m, 5); n || !direct; n -= n != 0) {
        if (nested < 2 && percent(m, 20))
            direct |= 0 & put_region(m, depth + 1, bound | direct, nested + 1);
        else if (percent(m, 25))
            put_loop(m, depth + 1, bound | direct, 0);
        else
            direct |= put_assignment(m, depth + 1, bound | direct);
    }
    return direct;
}

static void put_body(struct maker *m)
{
    uint32_t bound = BIT_X | BIT_Y;
    for (uint32_t n = 2 + below(m, 6); n; n--) {
        if (percent(m, 25))
            bound |= put_region(m, 2, bound, 0);
        else if (percent(m, 33))
            put_loop(m, 2, bound, 0);
        else
            bound |= put_assignment(m, 2, bound);
    }
    uint32_t depth = 2;
    if (percent(m, 20)) {
        buf_str(m->out, "        with M as m:\n");
        depth = 3;
    }
    start_line(m, depth);
    buf_printf(m->out, "return %s", read_name(m, bound));
    for (uint32_t n = below(m, 4); n; n--)
        buf_printf(m->out, ", %s", read_name(m, bound));
    buf_char(m->out, '\n');
}

void random_program(struct buf *out, uint32_t seed)
{
    static const char *const first[] = {"x", "tf.exp(x) + x", "x * 3.0"};
    static const char *const pairs[] = {"x, tf.exp(x)", "x, x", "tf.split(x, axis=0, num_splits=1)[0], x * 2.0"};
    static const char *const last[] = {"        for i in range(2):\n            y = f0(x)\n",
        "        with M as m:\n            for i in range(2):\n                y = tf.exp(x)\n",
        "        for i in range(2):\n            for k in tile(8, 4):\n                y = f0(x) + x\n"};
    struct maker m = {out, seed * 2654435761u + 1};
    buf_str(out, "from tilefoundry import func, module\n"
                 "from tilefoundry.dsl import Mesh, Tensor, Topology, tf\n"
                 "from tilefoundry.target import CudaTarget\n\n"
                 "LOW = -2.0\n"
                 "M = Mesh((Topology(\"cta\", 4),), (4,), (\"c\",))\n\n\n"
                 "@module(entry=\"main\", target=CudaTarget(\"nvidia.h200_sxm\"), topologies=(Topology(\"cta\", 4),))\n"
                 "class R:\n");
    buf_printf(out, "    @func\n    def f0(x: Tensor[(4, 8), \"f32\"]):\n        return %s\n\n", first[below(&m, 3)]);
    buf_printf(out, "    @func\n    def pair(x: Tensor[(4, 8), \"f32\"]):\n        return %s\n\n", pairs[below(&m, 3)]);
    buf_printf(out, "    @func\n    def last(x: Tensor[(4, 8), \"f32\"]):\n%s\n", last[below(&m, 3)]);
    buf_str(out, "    @func\n    def main(x: Tensor[(4, 8), \"f32\"], y: Tensor[(4, 8), \"f32\"]):\n");
    put_body(&m);
}
