/* SPDX-License-Identifier: MIT
 * Which plugins there are.  Nothing is opened before something that it provides is asked for, with two exceptions: what
 * --plugin names, and what lies in a directory that the user named and no index lists.
 *
 * A file hides another of its base name in a later directory, as programs on $PATH do.
 */
#include "plugin/claims.h"

#include "util/place.h"
#include "util/vec.h"

#include <errno.h>
#include <string.h>

struct directory {
    const char *path;
    int is_users; /* from the command line or the environment */
};

struct registry {
    tf_ctx *ctx;
    int only_added, is_ready, is_scanned;
    struct claims table;
    VEC(struct directory) directories;
    VEC(struct module_file *) files;
    VEC(struct plugin *) plugins;
};

struct registry *registry_create(tf_ctx *ctx)
{
    struct registry *r = CTX_NEW(ctx, struct registry);
    r->ctx = ctx;
    ctx->registry = r;
    return r;
}

void registry_destroy(struct registry *r)
{
    if (!r)
        return;
    if (r->ctx->registry == r)
        r->ctx->registry = NULL;
    claims_finish(&r->table);
    VEC_FREE(&r->directories);
    VEC_FREE(&r->files);
    VEC_FREE(&r->plugins);
}

static struct registry *registry_of(tf_ctx *ctx)
{
    return ctx->registry ? ctx->registry : registry_create(ctx);
}

void registry_only_added_paths(tf_ctx *ctx)
{
    registry_of(ctx)->only_added = 1;
}

/* ---- files --------------------------------------------------------------------------------------------------------*/

/* The living file of that base name, or NULL. */
static struct module_file *file_named(const struct registry *r, const char *base)
{
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.at[i]->state != FILE_DEAD && !strcmp(r->files.at[i]->base, base))
            return r->files.at[i];
    return NULL;
}

static struct module_file *file_add(struct registry *r, const char *path, enum file_state state)
{
    struct module_file *file = CTX_NEW(r->ctx, struct module_file);
    *file = (struct module_file){.path = path, .base = path_base(path), .state = state};
    VEC_PUSH(&r->files, file);
    return file;
}

static int is_current(const struct module_file *file)
{
    struct stat status;
    return !stat(file->path, &status) && status.st_mtime == file->mtime && status.st_size == file->size;
}

static struct plugin *plugin_of_inode(const struct registry *r, const struct stat *status)
{
    for (size_t i = 0; i < r->plugins.n; i++)
        if (r->plugins.at[i]->inode == status->st_ino && r->plugins.at[i]->device == status->st_dev)
            return r->plugins.at[i];
    return NULL;
}

/* ---- registering a plugin -----------------------------------------------------------------------------------------*/

/* A module's claim to a name, and a visitor of all its claims. */
struct claim {
    enum plugin_kind kind;
    const char *name;
    const void *element;
    const struct tf_alias *alias;
};
typedef int claim_fn(void *data, const struct claim *claim);

static int each_claim_of_op(const struct tf_op *op, claim_fn *visit, void *data)
{
    int rc = visit(data, &(struct claim){KIND_OP, op->name, op, NULL});
    for (size_t i = 0; !rc && i < op->n_aliases; i++)
        rc = visit(data, &(struct claim){KIND_OP, op->aliases[i].name, op, &op->aliases[i]});
    for (size_t i = 0; !rc && i < op->n_attrs; i++)
        if (op->attrs[i].kind == TF_ATTR_CHOICE && op->attrs[i].enumeration)
            rc = visit(data, &(struct claim){KIND_ENUM, op->attrs[i].enumeration, &op->attrs[i], NULL});
    return rc;
}

static int each_claim(const struct plugin *plugin, claim_fn *visit, void *data)
{
    int rc = visit(data, &(struct claim){KIND_PLUGIN, plugin->descriptor.name, plugin, NULL});
    for (enum plugin_kind kind = 0; kind < KIND_PLUGIN; kind++)
        for (size_t i = 0; !rc && i < plugin_count(plugin, kind); i++) {
            const struct element *element = plugin_element(plugin, kind, i);
            rc = kind == KIND_OP ? each_claim_of_op((const struct tf_op *)element, visit, data)
                                 : visit(data, &(struct claim){kind, element->name, element, NULL});
        }
    return rc;
}

struct registration {
    struct registry *r;
    struct plugin *plugin;
    struct module_file *file;
    uint32_t severity;
};

/* The file that has a name already: one that is loaded, or that an index which still holds says provides it. */
static const struct module_file *holder_of(const struct registration *reg, const struct claim *claim)
{
    for (struct entry *e = claims_find(&reg->r->table, claim->kind, claim->name); e; e = e->also) {
        if (e->file == reg->file || e->file->state == FILE_DEAD)
            continue;
        if (e->file->state == FILE_LOADED || is_current(e->file))
            return e->file;
    }
    return NULL;
}

static int check_claim(void *data, const struct claim *claim)
{
    const struct registration *reg = data;
    const struct module_file *holder = claim->kind == KIND_ENUM ? NULL : holder_of(reg, claim);
    if (!holder)
        return TF_OK;
    diag(reg->r->ctx, NULL, reg->severity, "plugin-duplicate",
        "plugin %s: provides %s %s, and so does %s: only one of them can be on the plugin path", reg->plugin->file,
        kind_text(claim->kind), claim->name, holder->path);
    return TF_E_REFUSED;
}

static int add_claim(void *data, const struct claim *claim)
{
    const struct registration *reg = data;
    struct entry *entry = NULL;
    /* what the index promised is kept now */
    for (struct entry *e = claims_find(&reg->r->table, claim->kind, claim->name); e && !entry; e = e->also)
        if (e->file == reg->file && !e->element)
            entry = e;
    if (!entry)
        entry = claims_add(&reg->r->table, reg->r->ctx, claim->kind, claim->name, reg->file);
    entry->element = claim->element;
    entry->alias = claim->alias;
    return TF_OK;
}

/* Two claims of one plugin to one name. */
static int check_own_claims(void *data, const struct claim *claim)
{
    struct registration *reg = data;
    struct entry *mine = claims_find(&reg->r->table, claim->kind, claim->name);
    for (; mine; mine = mine->also)
        if (mine->file == reg->file && mine->element && claim->kind != KIND_ENUM &&
            (mine->element != claim->element || mine->alias != claim->alias)) {
            diag(reg->r->ctx, NULL, reg->severity, "plugin-duplicate", "plugin %s: provides %s %s twice",
                reg->plugin->file, kind_text(claim->kind), claim->name);
            return TF_E_REFUSED;
        }
    return add_claim(data, claim);
}

static int register_plugin(struct registration *reg)
{
    int rc = each_claim(reg->plugin, check_claim, reg);
    if (!rc)
        rc = each_claim(reg->plugin, check_own_claims, reg);
    if (!rc)
        rc = module_start(reg->r->ctx, reg->severity, reg->plugin);
    if (rc)
        return rc;
    reg->file->state = FILE_LOADED;
    VEC_PUSH(&reg->r->plugins, reg->plugin);
    return TF_OK;
}

/* Opens and registers; on any failure the file is dead, and so is everything that the table says of it. */
static int load_file(struct registry *r, struct module_file *file, uint32_t severity, int is_explicit)
{
    struct stat status;
    const struct plugin *same = stat(file->path, &status) ? NULL : plugin_of_inode(r, &status);
    if (same) {
        file->state = FILE_DEAD;
        return TF_OK;
    }
    struct plugin *plugin = CTX_NEW(r->ctx, struct plugin);
    int rc = module_open(r->ctx, severity, file->path, plugin);
    plugin->is_explicit = (uint32_t)is_explicit;
    if (!rc)
        rc = register_plugin(&(struct registration){r, plugin, file, severity});
    if (rc) {
        file->state = FILE_DEAD;
        file->was_refused = 1;
    }
    return rc;
}

/* Nobody is told twice why a file is of no use. */
static int was_refused(const struct registry *r, const char *path)
{
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.at[i]->was_refused && !strcmp(r->files.at[i]->path, path))
            return 1;
    return 0;
}

/* ---- directories --------------------------------------------------------------------------------------------------*/

static const char *join(struct registry *r, const char *directory, const char *name)
{
    return arena_format(&r->ctx->arena, "%s/%s", directory, name);
}

static void add_directory(struct registry *r, const char *path, int is_users)
{
    for (size_t i = 0; i < r->directories.n; i++)
        if (!strcmp(r->directories.at[i].path, path))
            return;
    VEC_PUSH(&r->directories, ((struct directory){path, is_users}));
}

int registry_add_path(tf_ctx *ctx, const char *directory)
{
    struct registry *r = registry_of(ctx);
    if (search_check_directory(ctx, DIAG_ERROR, directory, "--plugin-path"))
        return TF_E_REFUSED;
    add_directory(r, ctx_intern(ctx, directory), 1);
    return TF_OK;
}

/* A component that is refused is left out with a warning: the run may not need it. */
static void add_environment(struct registry *r)
{
    static const char variable[] = "$TILEFOUNDRY_PLUGIN_PATH";
    const char *path = getenv(variable + 1);
    for (size_t length; path && *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        const char *directory = ctx_intern_n(r->ctx, path, length);
        if (!length)
            continue;
        if (*directory != '/')
            diag(r->ctx, NULL, DIAG_WARNING, "plugin-path",
                "plugin directory %s (%s): not absolute, so it would be another one in every working directory; it is "
                "not searched",
                directory, variable);
        else if (!search_check_directory(r->ctx, DIAG_WARNING, directory, variable))
            add_directory(r, directory, 1);
    }
}

static void add_own_directory(struct registry *r)
{
    struct stat status;
    const char *directory = place_dir(r->ctx, PLACE_PLUGINS);
    if (!stat(directory, &status) && !search_check_directory(r->ctx, DIAG_ERROR, directory, "the program's own"))
        add_directory(r, directory, 0);
}

static void add_listed(struct registry *r, const char *directory, const struct index_module *module)
{
    struct module_file *file = file_add(r, join(r, directory, module->file), FILE_LISTED);
    file->mtime = module->mtime;
    file->size = module->size;
    for (size_t i = 0; i < module->n; i++)
        claims_add(&r->table, r->ctx, module->names[i].kind, module->names[i].name, file);
}

static void read_index(struct registry *r, const char *directory)
{
    const struct index_module *modules;
    size_t n = index_read(r->ctx, directory, &modules);
    for (size_t i = 0; i < n; i++)
        if (!file_named(r, modules[i].file))
            add_listed(r, directory, &modules[i]);
}

/* Looks at what is in the directory: files that an index listed and that have not changed stay closed, all others are
 * opened.  Those that break are warnings. */
static void scan_directory(struct registry *r, const char *directory)
{
    const char *const *names;
    size_t n = search_list(r->ctx, directory, &names);
    for (size_t i = 0; i < n; i++) {
        const char *path = join(r, directory, names[i]);
        struct module_file *known = file_named(r, names[i]);
        if (was_refused(r, path) || (known && (known->state == FILE_LOADED || is_current(known))))
            continue;
        if (known)
            known->state = FILE_DEAD;
        load_file(r, file_add(r, path, FILE_LISTED), DIAG_WARNING, 0);
    }
}

/* Indexes of all directories first, so that whatever is opened afterwards is held against all that is known. */
static void make_ready(struct registry *r)
{
    if (r->is_ready)
        return;
    r->is_ready = 1;
    if (!r->only_added) {
        add_environment(r);
        add_own_directory(r);
    }
    for (size_t i = 0; i < r->directories.n; i++) {
        const char *const *names;
        const struct directory *d = &r->directories.at[i];
        read_index(r, d->path);
        size_t n = d->is_users ? search_list(r->ctx, d->path, &names) : 0;
        for (size_t k = 0; k < n; k++)
            if (!file_named(r, names[k]))
                file_add(r, join(r, d->path, names[k]), FILE_LISTED)->size = -1;
    }
    for (size_t i = 0; i < r->directories.n; i++)
        if (r->directories.at[i].is_users)
            scan_directory(r, r->directories.at[i].path);
}

/* Files that were dropped into the program's own directory after its index was written. */
static void scan_own(struct registry *r)
{
    if (r->is_scanned)
        return;
    r->is_scanned = 1;
    for (size_t i = 0; i < r->directories.n; i++)
        if (!r->directories.at[i].is_users)
            scan_directory(r, r->directories.at[i].path);
}

/* ---- asking -------------------------------------------------------------------------------------------------------*/

/* The entry of a name that is known, its file opened.  NULL when the index promised what the file does not hold. */
static struct entry *opened(struct registry *r, enum plugin_kind kind, const char *name)
{
    for (struct entry *e; (e = claims_find_live(&r->table, kind, name));) {
        if (e->element)
            return e;
        struct module_file *file = e->file;
        if (file->state == FILE_LOADED)
            return NULL;
        if (!is_current(file)) {
            const char *path = file->path;
            file->state = FILE_DEAD;
            struct stat status;
            if (!stat(path, &status))
                load_file(r, file_add(r, path, FILE_LISTED), DIAG_ERROR, 0);
        } else {
            load_file(r, file, DIAG_ERROR, 0);
        }
    }
    return NULL;
}

static struct entry *look_up(tf_ctx *ctx, enum plugin_kind kind, const char *name)
{
    struct registry *r = registry_of(ctx);
    make_ready(r);
    struct entry *entry = opened(r, kind, name);
    if (entry)
        return entry;
    scan_own(r);
    return opened(r, kind, name);
}

/* ---- --plugin -----------------------------------------------------------------------------------------------------*/

static void refuse_name(struct registry *r, const char *name)
{
    VEC(const char *) near = {0};
    for (size_t i = 0; i < r->directories.n; i++) {
        const char *const *names;
        size_t n = search_list(r->ctx, r->directories.at[i].path, &names);
        for (size_t k = 0; k < n; k++)
            VEC_PUSH(&near, ctx_intern_n(r->ctx, names[k], strlen(names[k]) - 3));
    }
    const char *meant = did_you_mean(name, near.at, near.n);
    const char *last = r->directories.n ? r->directories.at[r->directories.n - 1].path : "no directory";
    if (meant)
        ERROR(r->ctx, NULL, "plugin-not-found", "no plugin %s: did you mean %s?", name, meant);
    else
        ERROR(r->ctx, NULL, "plugin-not-found",
            "no plugin %s: there is no %s.so in --plugin-path, $TILEFOUNDRY_PLUGIN_PATH or %s; a path needs a slash",
            name, name, last);
    VEC_FREE(&near);
}

/* NAME.so in the first directory that has one; NULL, without a diagnostic, when none has. */
static const char *find_file(struct registry *r, const char *name)
{
    struct stat status;
    for (size_t i = 0; i < r->directories.n; i++) {
        const char *path = arena_format(&r->ctx->arena, "%s/%s.so", r->directories.at[i].path, name);
        if (!stat(path, &status))
            return path;
    }
    return NULL;
}

static int load_path(struct registry *r, const char *path)
{
    struct stat status;
    struct plugin *same = stat(path, &status) ? NULL : plugin_of_inode(r, &status);
    if (same) {
        same->is_explicit = 1;
        return TF_OK;
    }
    /* what is named outright stands for a listed file of its name */
    struct module_file *file = file_named(r, path_base(path));
    if (!file || file->state != FILE_LISTED || strcmp(file->path, path) || !is_current(file)) {
        if (file && file->state == FILE_LISTED)
            file->state = FILE_DEAD;
        file = file_add(r, path, FILE_LISTED);
    }
    return load_file(r, file, DIAG_ERROR, 1);
}

int registry_load(tf_ctx *ctx, const char *name)
{
    struct registry *r = registry_of(ctx);
    make_ready(r);
    if (strchr(name, '/'))
        return load_path(r, ctx_intern(ctx, name));
    if (!name_is_plain(name)) {
        ERROR(ctx, NULL, "plugin-name",
            "no plugin can be named \"%s\": a name is of a-z, 0-9 and -; a file is named with a slash, as in ./%s",
            name, name);
        return TF_E_REFUSED;
    }
    const char *path = find_file(r, name);
    if (path)
        return load_path(r, path);
    /* a file may be called otherwise than the plugin in it */
    const struct entry *entry = look_up(ctx, KIND_PLUGIN, name);
    if (!entry) {
        refuse_name(r, name);
        return TF_E_REFUSED;
    }
    return load_path(r, entry->file->path);
}

const struct plugin *registry_plugin(tf_ctx *ctx, const char *name)
{
    struct registry *r = registry_of(ctx);
    struct stat status;
    const char *path = strchr(name, '/') ? name : find_file(r, name);
    if (path && !stat(path, &status))
        return plugin_of_inode(r, &status);
    const struct entry *entry = path ? NULL : look_up(ctx, KIND_PLUGIN, name);
    return entry ? entry->element : NULL;
}

int registry_load_all(tf_ctx *ctx)
{
    struct registry *r = registry_of(ctx);
    make_ready(r);
    scan_own(r);
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.at[i]->state == FILE_LISTED)
            load_file(r, r->files.at[i], DIAG_WARNING, 0);
    return TF_OK;
}

/* ---- what names stand for -----------------------------------------------------------------------------------------*/

const struct tf_op *registry_op(tf_ctx *ctx, const char *name, const struct tf_alias **alias)
{
    const struct entry *entry = look_up(ctx, KIND_OP, name);
    if (alias)
        *alias = entry ? entry->alias : NULL;
    return entry ? entry->element : NULL;
}

const struct tf_analyzer *registry_analyzer(tf_ctx *ctx, const char *name)
{
    const struct entry *entry = look_up(ctx, KIND_ANALYZER, name);
    return entry ? entry->element : NULL;
}

const struct tf_backend *registry_backend(tf_ctx *ctx, const char *name)
{
    const struct entry *entry = look_up(ctx, KIND_BACKEND, name);
    return entry ? entry->element : NULL;
}

const struct tf_predicate *registry_predicate(tf_ctx *ctx, const char *name)
{
    const struct entry *entry = look_up(ctx, KIND_PREDICATE, name);
    return entry ? entry->element : NULL;
}

const struct tf_twin *registry_twin(tf_ctx *ctx, const char *name)
{
    const struct entry *entry = look_up(ctx, KIND_TWIN, name);
    return entry ? entry->element : NULL;
}

const struct tf_path *registry_path(tf_ctx *ctx, const char *name)
{
    const struct entry *entry = look_up(ctx, KIND_PATH, name);
    return entry ? entry->element : NULL;
}

static int is_provided(struct registry *r, enum plugin_kind kind, const char *name)
{
    const struct entry *entry = claims_find_live(&r->table, kind, name);
    return entry && (entry->file->state == FILE_LOADED ? entry->element != NULL : is_current(entry->file));
}

int registry_provides(tf_ctx *ctx, const char *kind_name, const char *name)
{
    struct registry *r = registry_of(ctx);
    enum plugin_kind kind;
    if (kind_find(kind_name, &kind))
        return 0;
    make_ready(r);
    if (is_provided(r, kind, name))
        return 1;
    scan_own(r);
    return is_provided(r, kind, name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t registry_names(tf_ctx *ctx, const char *kind_name, const char *const **names)
{
    struct registry *r = registry_of(ctx);
    enum plugin_kind kind;
    VEC(const char *) found = {0};
    *names = NULL;
    if (kind_find(kind_name, &kind))
        return 0;
    make_ready(r);
    scan_own(r);
    for (size_t i = 0; i < r->table.room; i++)
        if (r->table.slot[i] && r->table.slot[i]->kind == kind &&
            claims_find_live(&r->table, kind, r->table.slot[i]->name))
            VEC_PUSH(&found, r->table.slot[i]->name);
    size_t n = found.n;
    if (n) {
        qsort(found.at, n, sizeof(*found.at), by_text);
        *names = arena_copy(&ctx->arena, found.at, n * sizeof(*found.at));
    }
    VEC_FREE(&found);
    return n;
}

/* Members are the choices in upper case. */
static const char *choice_of(const struct tf_attr_decl *attr, const char *member)
{
    for (const char *const *choice = attr->choices; *choice; choice++) {
        const char *a = *choice, *b = member;
        while (*a && *b == (*a >= 'a' && *a <= 'z' ? *a - 'a' + 'A' : *a)) {
            a++;
            b++;
        }
        if (!*a && !*b)
            return *choice;
    }
    return NULL;
}

const char *registry_enum_member(tf_ctx *ctx, const char *enumeration, const char *member)
{
    struct registry *r = registry_of(ctx);
    const char *choice = NULL;
    look_up(ctx, KIND_ENUM, enumeration);
    for (struct entry *e = claims_find(&r->table, KIND_ENUM, enumeration); e && !choice; e = e->also) {
        if (e->file->state == FILE_LISTED && is_current(e->file))
            load_file(r, e->file, DIAG_ERROR, 0);
        if (e->file->state == FILE_LOADED && e->element)
            choice = choice_of(e->element, member);
    }
    return choice;
}

/* ---- listing ------------------------------------------------------------------------------------------------------*/

size_t registry_plugins(tf_ctx *ctx, const struct plugin *const **plugins)
{
    struct registry *r = registry_of(ctx);
    *plugins = (const struct plugin *const *)r->plugins.at;
    return r->plugins.n;
}

const struct plugin *registry_owner(tf_ctx *ctx, const void *element)
{
    struct registry *r = registry_of(ctx);
    const char *at = element;
    for (size_t i = 0; i < r->plugins.n; i++)
        if (at >= r->plugins.at[i]->elements && at < r->plugins.at[i]->elements_end)
            return r->plugins.at[i];
    return NULL;
}

static int by_file(const void *a, const void *b)
{
    return strcmp((*(const struct plugin *const *)a)->file, (*(const struct plugin *const *)b)->file);
}

int registry_write_index(tf_ctx *ctx, const char *directory)
{
    struct registry *r = registry_of(ctx);
    r->only_added = 1;
    if (registry_add_path(ctx, directory))
        return TF_E_REFUSED;
    registry_load_all(ctx);
    if (r->plugins.n)
        qsort(r->plugins.at, r->plugins.n, sizeof(*r->plugins.at), by_file);
    return index_write(ctx, directory, (const struct plugin *const *)r->plugins.at, r->plugins.n);
}
