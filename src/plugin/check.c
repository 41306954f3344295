/* SPDX-License-Identifier: MIT
 * The handshake after the entry has answered: is the descriptor one that this program understands, and is what it
 * offers whole.  What passes is copied into zeroed structs of this version's size, so that from here on an absent
 * member is a NULL one.
 */
#include "plugin/module.h"

#include "util/buf.h"

#include <string.h>

/* Past these something else than a descriptor is being read. */
#define LARGEST_STRUCT 65536u
#define MOST_ELEMENTS 4096u
#define LONGEST_NAME 64

struct checker {
    tf_ctx *ctx;
    uint32_t severity;
    const char *file;
};

/* Says `plugin FILE: ...`; gives the status of a refusal. */
__attribute__((format(printf, 3, 4))) static int refuse(
    const struct checker *c, const char *code, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    diag(c->ctx, NULL, c->severity, code, "plugin %s: %s", c->file, buf_text(&text));
    buf_free(&text);
    return TF_E_REFUSED;
}

/* ---- letters ------------------------------------------------------------------------------------------------------*/

static int is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int name_is_plain(const char *name)
{
    size_t n = 0;
    while (n <= LONGEST_NAME && (is_small(name[n]) || is_digit(name[n]) || name[n] == '-'))
        n++;
    return n && n <= LONGEST_NAME && !name[n] && is_small(name[0]) && name[n - 1] != '-';
}

int name_is_identifier(const char *name)
{
    size_t n = 0;
    while (n <= LONGEST_NAME &&
           (is_small(name[n]) || is_digit(name[n]) || name[n] == '_' || (name[n] >= 'A' && name[n] <= 'Z')))
        n++;
    return n && n <= LONGEST_NAME && !name[n] && !is_digit(name[0]);
}

/* One line for people. */
static int is_line(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return 0;
    return 1;
}

/* A name that may be anything at all, as it can be shown. */
static const char *shown(const struct checker *c, const char *name)
{
    size_t length = strnlen(name, LONGEST_NAME + 1);
    char *text = arena_strndup(&c->ctx->arena, name, length);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7F)
            text[i] = '?';
    return text;
}

/* ---- operators ----------------------------------------------------------------------------------------------------*/

static int check_inputs(const struct checker *c, const struct tf_op *op)
{
    for (size_t i = 0; i < op->n_inputs; i++) {
        const struct tf_input *input = &op->inputs[i];
        if (!input->name || !name_is_identifier(input->name))
            return refuse(c, "plugin-name", "op %s: input %zu has no name that a program could write", op->name, i);
        if (input->kind > TF_INPUT_VARIADIC)
            return refuse(c, "plugin-newer",
                "op %s: input %s is of kind %u, of which this tilefoundry knows none; it "
                "needs a newer one",
                op->name, input->name, input->kind);
        if (input->kind == TF_INPUT_VARIADIC && op->n_inputs != 1)
            return refuse(c, "plugin-incomplete", "op %s: a variadic input must be the only one, and there are %zu",
                op->name, op->n_inputs);
    }
    return TF_OK;
}

static int check_choices(const struct checker *c, const struct tf_op *op, const struct tf_attr_decl *attr)
{
    if (attr->kind != TF_ATTR_CHOICE)
        return TF_OK;
    if (!attr->choices || !attr->choices[0])
        return refuse(c, "plugin-incomplete", "op %s: attribute %s is a choice of nothing", op->name, attr->name);
    if (attr->enumeration && !name_is_identifier(attr->enumeration))
        return refuse(
            c, "plugin-name", "op %s: attribute %s has an enumeration of no proper name", op->name, attr->name);
    return TF_OK;
}

static int check_attrs(const struct checker *c, const struct tf_op *op)
{
    for (size_t i = 0; i < op->n_attrs; i++) {
        const struct tf_attr_decl *attr = &op->attrs[i];
        if (!attr->name || !name_is_identifier(attr->name))
            return refuse(c, "plugin-name", "op %s: attribute %zu has no name that a program could write", op->name, i);
        if (attr->kind > TF_ATTR_NUMBER || (attr->flags & ~(TF_ATTR_REQUIRED | TF_ATTR_OPTIONAL)))
            return refuse(c, "plugin-newer",
                "op %s: attribute %s is of kind %u with flags %u, which this tilefoundry "
                "does not know; it needs a newer one",
                op->name, attr->name, attr->kind, attr->flags);
        if (check_choices(c, op, attr))
            return TF_E_REFUSED;
    }
    return TF_OK;
}

static int settles(const struct tf_op *op, const struct tf_alias *alias)
{
    for (size_t i = 0; i < op->n_attrs; i++) {
        const struct tf_attr_decl *attr = &op->attrs[i];
        if (attr->kind != TF_ATTR_CHOICE || strcmp(attr->name, alias->attr))
            continue;
        for (const char *const *choice = attr->choices; *choice; choice++)
            if (!strcmp(*choice, alias->value))
                return 1;
    }
    return 0;
}

static int check_aliases(const struct checker *c, const struct tf_op *op)
{
    for (size_t i = 0; i < op->n_aliases; i++) {
        const struct tf_alias *alias = &op->aliases[i];
        if (!alias->name || !name_is_identifier(alias->name))
            return refuse(c, "plugin-name", "op %s: alias %zu has no name that a program could write", op->name, i);
        if (!alias->attr || !alias->value || !settles(op, alias))
            return refuse(c, "plugin-incomplete", "op %s: alias %s settles %s = %s, which is no choice of an attribute",
                op->name, alias->name, alias->attr ? alias->attr : "(none)", alias->value ? alias->value : "(none)");
    }
    return TF_OK;
}

static int check_op(const struct checker *c, const struct tf_op *op)
{
    if (!op->infer)
        return refuse(c, "plugin-incomplete", "op %s: infer is NULL, and no operator is without a type", op->name);
    if ((op->n_inputs && !op->inputs) || (op->n_attrs && !op->attrs) || (op->n_aliases && !op->aliases))
        return refuse(c, "plugin-incomplete",
            "op %s: counts %zu inputs, %zu attributes, %zu aliases and one of the "
            "lists is NULL",
            op->name, op->n_inputs, op->n_attrs, op->n_aliases);
    if (op->n_inputs > MOST_ELEMENTS || op->n_attrs > MOST_ELEMENTS || op->n_aliases > MOST_ELEMENTS)
        return refuse(c, "plugin-size", "op %s: counts %zu inputs, %zu attributes, %zu aliases; at most %u of each",
            op->name, op->n_inputs, op->n_attrs, op->n_aliases, MOST_ELEMENTS);
    if (op->flags & ~(TF_OP_PLACES | TF_OP_ITEM | TF_OP_ROWS))
        return refuse(c, "plugin-newer",
            "op %s: has flags %u, of which this tilefoundry does not know all; it needs a "
            "newer one",
            op->name, op->flags);
    int rc = check_inputs(c, op);
    if (!rc)
        rc = check_attrs(c, op);
    return rc ? rc : check_aliases(c, op);
}

/* ---- the other kinds ----------------------------------------------------------------------------------------------*/

static int check_analyzer(const struct checker *c, const struct tf_analyzer *analyzer)
{
    if (!analyzer->run)
        return refuse(c, "plugin-incomplete", "analyzer %s: run is NULL", analyzer->name);
    if (analyzer->flags)
        return refuse(c, "plugin-newer",
            "analyzer %s: has flags %u, which this tilefoundry does not know; it needs a "
            "newer one",
            analyzer->name, analyzer->flags);
    return TF_OK;
}

static int check_backend(const struct checker *c, const struct tf_backend *backend)
{
    if (!backend->targets || !backend->targets[0])
        return refuse(c, "plugin-incomplete", "backend %s: serves no target; \"*\" would be any", backend->name);
    if (!backend->supports)
        return refuse(c, "plugin-incomplete", "backend %s: supports is NULL", backend->name);
    return TF_OK;
}

static int check_path(const struct checker *c, const struct tf_path *path)
{
    return path->match ? TF_OK : refuse(c, "plugin-incomplete", "path %s: match is NULL", path->name);
}

static int check_predicate(const struct checker *c, const struct tf_predicate *predicate)
{
    if (!predicate->judge && !predicate->judge_enclosed)
        return refuse(c, "plugin-incomplete", "predicate %s: judge is NULL", predicate->name);
    if (!predicate->fold != !predicate->conclude || (predicate->fold && !predicate->state_bytes))
        return refuse(c, "plugin-incomplete", "predicate %s: of fold, conclude and state_bytes some are missing",
            predicate->name);
    if (predicate->n_bounds > MOST_ELEMENTS || (predicate->n_bounds && !predicate->bounds))
        return refuse(c, "plugin-incomplete", "predicate %s: counts %zu bounds and does not list them", predicate->name,
            predicate->n_bounds);
    for (size_t i = 0; i < predicate->n_bounds; i++)
        if (!predicate->bounds[i].name || !name_is_plain(predicate->bounds[i].name))
            return refuse(c, "plugin-name", "predicate %s: bound %zu has no proper name", predicate->name, i);
    return TF_OK;
}

static int check_twin(const struct checker *c, const struct tf_twin *twin)
{
    return twin->claims && twin->run ? TF_OK
                                     : refuse(c, "plugin-incomplete", "twin %s: claims or run is NULL", twin->name);
}

static int check_members(const struct checker *c, enum plugin_kind kind, const void *element)
{
    switch (kind) {
    case KIND_OP: return check_op(c, element);
    case KIND_ANALYZER: return check_analyzer(c, element);
    case KIND_BACKEND: return check_backend(c, element);
    case KIND_PATH: return check_path(c, element);
    case KIND_PREDICATE: return check_predicate(c, element);
    case KIND_TWIN: return check_twin(c, element);
    default: return TF_E_INTERNAL;
    }
}

/* ---- copying ------------------------------------------------------------------------------------------------------*/

/* A kind as it lies in a descriptor: `smallest` is the size of the smallest struct that is of use, `full` of ours. */
struct kind_layout {
    const char *text;
    size_t count_at, list_at, smallest, full;
};
#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
static const struct kind_layout LAYOUT[] = {
#define X(KIND, text, member, type, last)                                                                              \
    {text, offsetof(struct tf_plugin, n_##member), offsetof(struct tf_plugin, member), END_OF(type, last),             \
        sizeof(type)},
    PLUGIN_KINDS(X)
#undef X
};
#define N_LISTED (sizeof(LAYOUT) / sizeof(*LAYOUT))

const char *kind_text(enum plugin_kind kind)
{
    return kind < N_LISTED ? LAYOUT[kind].text : kind == KIND_PLUGIN ? "plugin" : "enum";
}

int kind_find(const char *text, enum plugin_kind *kind)
{
    for (enum plugin_kind k = 0; k < KIND_COUNT; k++)
        if (!strcmp(text, kind_text(k))) {
            *kind = k;
            return 0;
        }
    return TF_E_REFUSED;
}

size_t plugin_count(const struct plugin *plugin, enum plugin_kind kind)
{
    size_t n;
    memcpy(&n, (const char *)&plugin->descriptor + LAYOUT[kind].count_at, sizeof(n));
    return n;
}

static const struct element *const *element_list(const struct tf_plugin *descriptor, enum plugin_kind kind)
{
    const struct element *const *list;
    memcpy(&list, (const char *)descriptor + LAYOUT[kind].list_at, sizeof(list));
    return list;
}

const struct element *plugin_element(const struct plugin *plugin, enum plugin_kind kind, size_t index)
{
    return element_list(&plugin->descriptor, kind)[index];
}

static int check_element(const struct checker *c, enum plugin_kind kind, size_t index, const struct element *element)
{
    const struct kind_layout *layout = &LAYOUT[kind];
    if (!element)
        return refuse(c, "plugin-incomplete", "%s %zu is NULL", layout->text, index);
    if (element->struct_size < layout->smallest || element->struct_size > LARGEST_STRUCT || element->struct_size % 8)
        return refuse(c, "plugin-size",
            "%s %zu says that it has %llu bytes; a struct of kind %s has at least %zu and at most %u, in "
            "eights: set struct_size to sizeof the struct",
            layout->text, index, (unsigned long long)element->struct_size, layout->text, layout->smallest,
            LARGEST_STRUCT);
    if (!element->name)
        return refuse(c, "plugin-name", "%s %zu has no name", layout->text, index);
    int proper = kind == KIND_OP ? name_is_identifier(element->name) : name_is_plain(element->name);
    if (kind == KIND_PREDICATE) /* as it is typed after --fn: allclose, rel_l2 */
        proper = proper || (name_is_identifier(element->name) && is_small(element->name[0]));
    if (!proper)
        return refuse(c, "plugin-name", "%s %zu is named \"%s\"; %s", layout->text, index, shown(c, element->name),
            kind == KIND_OP ? "an operator's name is an identifier of at most 64 letters"
                            : "a name has at most 64 of a-z, 0-9 and -, begins with a letter and ends in none of -");
    if (!element->summary || !is_line(element->summary))
        return refuse(c, "plugin-incomplete", "%s %s has no summary of one line", layout->text, element->name);
    return TF_OK;
}

/* Copies the elements of one kind to *to and puts a list of the copies into the descriptor. */
static int copy_kind(const struct checker *c, struct plugin *plugin, enum plugin_kind kind, char **to)
{
    const struct kind_layout *layout = &LAYOUT[kind];
    size_t n = plugin_count(plugin, kind);
    const struct element *const *given = element_list(&plugin->descriptor, kind);
    const void **list = CTX_ARRAY(c->ctx, const void *, n);
    for (size_t i = 0; i < n; i++) {
        if (check_element(c, kind, i, given[i]))
            return TF_E_REFUSED;
        size_t size = (size_t)given[i]->struct_size < layout->full ? (size_t)given[i]->struct_size : layout->full;
        memcpy(*to, given[i], size);
        if (check_members(c, kind, *to))
            return TF_E_REFUSED;
        list[i] = *to;
        *to += layout->full;
    }
    memcpy((char *)&plugin->descriptor + layout->list_at, &list, sizeof(list));
    return TF_OK;
}

static int count_elements(const struct checker *c, const struct plugin *plugin, size_t *bytes)
{
    *bytes = 0;
    for (enum plugin_kind kind = 0; kind < N_LISTED; kind++) {
        size_t n = plugin_count(plugin, kind);
        if (n > MOST_ELEMENTS)
            return refuse(c, "plugin-size", "counts %zu of kind %s; at most %u", n, kind_text(kind), MOST_ELEMENTS);
        if (n && !element_list(&plugin->descriptor, kind))
            return refuse(c, "plugin-incomplete", "counts %zu of kind %s and their list is NULL", n, kind_text(kind));
        *bytes += n * LAYOUT[kind].full;
    }
    return TF_OK;
}

static int copy_elements(const struct checker *c, struct plugin *plugin)
{
    size_t bytes;
    if (count_elements(c, plugin, &bytes))
        return TF_E_REFUSED;
    char *to = arena_alloc(&c->ctx->arena, bytes);
    plugin->elements = to;
    plugin->elements_end = to + bytes;
    for (enum plugin_kind kind = 0; kind < N_LISTED; kind++)
        if (copy_kind(c, plugin, kind, &to))
            return TF_E_REFUSED;
    return TF_OK;
}

/* ---- the descriptor -----------------------------------------------------------------------------------------------*/

static int check_codes(const struct checker *c, const struct tf_plugin *plugin)
{
    if (plugin->n_codes > MOST_ELEMENTS || (plugin->n_codes && !plugin->codes))
        return refuse(c, "plugin-incomplete", "counts %zu diagnostic codes and does not list them", plugin->n_codes);
    for (size_t i = 0; i < plugin->n_codes; i++) {
        if (!plugin->codes[i].code || !name_is_plain(plugin->codes[i].code))
            return refuse(c, "plugin-name", "diagnostic code %zu has no proper name", i);
        if (!plugin->codes[i].meaning || !is_line(plugin->codes[i].meaning))
            return refuse(
                c, "plugin-incomplete", "diagnostic code %s has no meaning of one line", plugin->codes[i].code);
    }
    return TF_OK;
}

static int check_head(const struct checker *c, const struct tf_plugin *raw)
{
    const size_t smallest = offsetof(struct tf_plugin, n_ops);
    if (!raw)
        return refuse(c, "plugin-descriptor", "%s returned NULL instead of a descriptor", TF_PLUGIN_ENTRY_NAME);
    if (raw->abi_major != TF_ABI_MAJOR)
        return refuse(c, "plugin-abi",
            "was built for plugin ABI %u, and this tilefoundry has plugin ABI %u: build it "
            "again with the headers of this one",
            raw->abi_major, TF_ABI_MAJOR);
    if (raw->struct_size < smallest || raw->struct_size > LARGEST_STRUCT || raw->struct_size % 8)
        return refuse(c, "plugin-size",
            "its descriptor says that it has %u bytes; it has at least %zu and at most %u, "
            "in eights: begin it with TF_PLUGIN_HEAD",
            raw->struct_size, smallest, LARGEST_STRUCT);
    return TF_OK;
}

static int check_texts(const struct checker *c, const struct tf_plugin *plugin)
{
    if (!plugin->name)
        return refuse(c, "plugin-name", "has no name");
    if (!name_is_plain(plugin->name))
        return refuse(c, "plugin-name",
            "is named \"%s\"; a name has at most 64 of a-z, 0-9 and -, begins with a letter "
            "and ends in none of -",
            shown(c, plugin->name));
    if (!plugin->version || !is_line(plugin->version))
        return refuse(c, "plugin-incomplete", "has no version of one line");
    if (!plugin->summary || !is_line(plugin->summary))
        return refuse(c, "plugin-incomplete", "has no summary of one line");
    return TF_OK;
}

int descriptor_check(
    tf_ctx *ctx, uint32_t severity, const char *file, const struct tf_plugin *raw, struct plugin *plugin)
{
    const struct checker c = {ctx, severity, file};
    *plugin = (struct plugin){.file = file};
    int rc = check_head(&c, raw);
    if (rc)
        return rc;
    size_t size = raw->struct_size < sizeof(plugin->descriptor) ? raw->struct_size : sizeof(plugin->descriptor);
    memcpy(&plugin->descriptor, raw, size);
    rc = check_texts(&c, &plugin->descriptor);
    if (!rc)
        rc = check_codes(&c, &plugin->descriptor);
    return rc ? rc : copy_elements(&c, plugin);
}
