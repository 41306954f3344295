/* SPDX-License-Identifier: MIT
 * A program as text that the front end reads back to the same program.  The modules are printed first, since the header
 * names what they turn out to need.
 */
#include "ir/printer.h"

#include <stdio.h>
#include <string.h>

/* ---- lines --------------------------------------------------------------------------------------------------------*/

void use(struct printer *p, enum use what)
{
    p->uses |= UINT64_C(1) << what;
}

void line_start(struct printer *p)
{
    for (uint32_t i = 0; i < p->indent; i++)
        buf_add(&p->out, "    ", 4);
}

void line_end(struct printer *p)
{
    buf_char(&p->out, '\n');
    p->lines++;
}

const struct tf_node *known_node(const struct printer *p, const struct tf_node *node)
{
    return p->function->whole ? p->function->node_of[node->id] : node;
}

const struct ir_site *site_of(const struct printer *p, const struct tf_node *node)
{
    const struct ir_function *f = p->function;
    uint32_t site = f->n_sites ? f->site_of[node->id] : IR_NO_SITE;
    return site == IR_NO_SITE ? NULL : &f->sites[site];
}

/* What a comment calls a mesh: its name where it is or was open, else its finest level's. */
static const char *comment_name(void *data, const struct tf_mesh *mesh)
{
    struct printer *p = data;
    const uint32_t *known = ptr_map_get(&p->plan.meshes, mesh);
    if (known)
        return p->plan.mesh_names.at[*known];
    return mesh->n_levels ? mesh->levels[mesh->n_levels - 1].name : "mesh";
}

/* Types repeat from line to line. */
static void add_type(struct printer *p, const struct tf_type *type)
{
    size_t meshes = p->plan.mesh_names.n;
    if (!p->type || p->type_meshes != meshes || !type_equal(p->type, type)) {
        p->type_text.n = 0;
        type_print(&p->type_text, type, comment_name, p);
    }
    p->type = type;
    p->type_meshes = meshes;
    buf_add(&p->out, p->type_text.at, p->type_text.n);
}

void line_note(struct printer *p, const struct tf_node *node)
{
    const struct tf_node *known = known_node(p, node);
    const char *note = p->hooks && p->hooks->note && known ? p->hooks->note(p->hooks->data, known) : NULL;
    buf_str(&p->out, "  # ");
    add_type(p, node->type);
    buf_str(&p->out, note ? note : "");
    line_end(p);
}

/* The line is known once the header is. */
void line_placed(struct printer *p, const struct tf_node *node, const char *name)
{
    struct placed_line placed = {known_node(p, node), name, p->lines + 1};
    if (p->hooks && p->hooks->placed && placed.node)
        VEC_PUSH(&p->placed, placed);
}

/* ---- constants ----------------------------------------------------------------------------------------------------*/

static const char *constant_name(struct printer *p, char letter)
{
    uint32_t *next = letter == 'K' ? &p->next_number : letter == 'L' ? &p->next_layout : &p->next_mesh;
    const char *name;
    do {
        char text[16];
        snprintf(text, sizeof(text), "%c%u", letter, (*next)++);
        name = ctx_intern(p->ctx, text);
    } while (ptr_map_get(&p->authors, name) || ptr_map_get(&p->globals, name));
    return name;
}

const char *constant_named(struct printer *p, char letter, const char *text)
{
    struct buf key = {0};
    buf_char(&key, letter);
    buf_str(&key, text);
    const char *interned = ctx_intern(p->ctx, buf_text(&key));
    buf_free(&key);
    uint32_t *index = ptr_map_put(&p->known, interned, UINT32_MAX);
    if (*index == UINT32_MAX) {
        struct constant constant = {.name = constant_name(p, letter), .text = interned + 1};
        *index = (uint32_t)p->constants.n;
        VEC_PUSH(&p->constants, constant);
    }
    return p->constants.at[*index].name;
}

/* ---- the header ---------------------------------------------------------------------------------------------------*/

struct import {
    const char *module, *text;
};
static const struct import IMPORT[] = {
#define X(name, module, text) {module, text},
    USES(X)
#undef X
};

static void add_imports(const struct printer *p, struct buf *out)
{
    const char *open = NULL;
    if (p->placed_signature)
        buf_str(out, "from __future__ import annotations\n\n");
    for (size_t i = 0; i < sizeof(IMPORT) / sizeof(*IMPORT); i++) {
        if (!(p->uses >> i & 1))
            continue;
        if (open && !strcmp(open, IMPORT[i].module))
            buf_printf(out, ", %s", IMPORT[i].text);
        else
            buf_printf(out, "%sfrom %s import %s", open ? "\n" : "", IMPORT[i].module, IMPORT[i].text);
        open = IMPORT[i].module;
    }
    buf_str(out, open ? "\n" : "");
}

static void add_names(const struct printer *p, struct buf *out)
{
    if (p->dims.n || p->constants.n)
        buf_char(out, '\n');
    for (size_t i = 0; i < p->dims.n; i++) {
        const struct dim_var *var = &p->dims.at[i];
        buf_printf(
            out, "%s = DimVar(\"%s\", %lld, %lld)\n", var->name, var->name, (long long)var->lo, (long long)var->hi);
    }
    for (size_t i = 0; i < p->constants.n; i++)
        buf_printf(out, "%s = %s\n", p->constants.at[i].name, p->constants.at[i].text);
    buf_str(out, "\n\n");
}

static void add_header(struct printer *p, struct buf *out)
{
    if (p->dims.n)
        use(p, USE_DIM_VAR);
    add_imports(p, out);
    add_names(p, out);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------*/

/* No value may hide these. */
static const char *const RESERVED[] = {"tf", "T", "Tensor", "ConstTensor", "Mesh", "Topology", "Layout", "ShardLayout",
    "S", "B", "P", "tile", "range", "where", "mesh", "tuple", "float", "func", "module", "DimVar", "DimVarRangePat",
    "CudaTarget", "CpuTarget", "AmxTarget", "dim_min", "dim_max", "False", "None", "True", "and", "as", "assert",
    "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
    "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield"};

static void tell_places(const struct printer *p, size_t header)
{
    for (size_t i = 0; i < p->placed.n; i++)
        p->hooks->placed(p->hooks->data, p->placed.at[i].node, p->placed.at[i].name, header + p->placed.at[i].line);
}

static void printer_free(struct printer *p)
{
    buf_free(&p->out);
    buf_free(&p->type_text);
    VEC_FREE(&p->units);
    VEC_FREE(&p->dims);
    VEC_FREE(&p->constants);
    VEC_FREE(&p->placed);
    ptr_map_free(&p->known);
    ptr_map_free(&p->globals);
    ptr_map_free(&p->authors);
}

void ir_print_module(tf_ctx *ctx, struct buf *out, const struct ir_module *module, const struct print_hooks *hooks)
{
    struct printer p = {.ctx = ctx, .hooks = hooks};
    size_t from = out->n, header = 0;
    for (size_t i = 0; i < sizeof(RESERVED) / sizeof(*RESERVED); i++)
        name_reserve(&p, RESERVED[i], NAME_NEEDED);
    gather_units(&p, module);
    print_units(&p);
    add_header(&p, out);
    for (size_t i = from; i < out->n; i++)
        header += out->at[i] == '\n';
    buf_add(out, p.out.at, p.out.n);
    tell_places(&p, header);
    printer_free(&p);
}
