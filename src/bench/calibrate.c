/* SPDX-License-Identifier: MIT
 * What a backend measured of this machine, as a target document.
 */
#include "bench/calibrate.h"

#include "plugin/registry.h"
#include "target/target.h"
#include "util/diag.h"
#include "util/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct document {
    const char *by; /* the backend */
    struct buf head, facts, model;
};

/* ---- XML ----------------------------------------------------------------------------------------------------------*/

static void put_escaped(struct buf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': buf_str(out, "&amp;"); break;
        case '<': buf_str(out, "&lt;"); break;
        case '>': buf_str(out, "&gt;"); break;
        case '"': buf_str(out, "&quot;"); break;
        default: buf_char(out, *text);
        }
}

static void put_attribute(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, " %s=\"", name);
    put_escaped(out, value);
    buf_char(out, '"');
}

static void put_element(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, "    <%s>", name);
    put_escaped(out, text);
    buf_printf(out, "</%s>\n", name);
}

/* ---- what the backend states --------------------------------------------------------------------------------------*/

static struct document *document_of(const struct tf_calibration *to)
{
    return to->data;
}

static void take_head(
    const struct tf_calibration *to, const char *id, const char *family, const char *architecture, const char *title)
{
    struct buf *out = &document_of(to)->head;
    buf_str(out, "<target xmlns=\"urn:tilefoundry:target:1\"");
    put_attribute(out, "id", id);
    put_attribute(out, "kind", "device");
    put_attribute(out, "family", family);
    if (architecture)
        put_attribute(out, "architecture", architecture);
    buf_str(out, ">\n  <title>");
    put_escaped(out, title);
    buf_str(out, "</title>\n\n");
}

/* Today, or the day of $SOURCE_DATE_EPOCH, so that what is made twice can be the same. */
static void put_day(struct buf *out)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t at = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm day;
    char text[32] = "";
    if (gmtime_r(&at, &day))
        strftime(text, sizeof(text), "%Y-%m-%d", &day);
    buf_str(out, text);
}

static void take_fact(
    const struct tf_calibration *to, const char *path, const char *value, const char *unit, const char *conditions)
{
    struct document *document = document_of(to);
    struct buf *out = &document->facts;
    buf_str(out, "  <fact");
    put_attribute(out, "path", path);
    put_attribute(out, "value", value);
    put_attribute(out, "unit", unit);
    buf_str(out, " origin=\"measured\">\n");
    if (conditions)
        put_element(out, "conditions", conditions);
    buf_str(out, "    <source>tilefoundry target calibrate, backend ");
    put_escaped(out, document->by);
    buf_str(out, ", ");
    put_day(out);
    buf_str(out, "</source>\n  </fact>\n");
}

static void take_model(const struct tf_calibration *to, const char *element, const char *const *attributes)
{
    struct buf *out = &document_of(to)->model;
    buf_printf(out, "    <%s", element);
    for (; attributes[0] && attributes[1]; attributes += 2)
        put_attribute(out, attributes[0], attributes[1]);
    buf_str(out, "/>\n");
}

/* ---- the document -------------------------------------------------------------------------------------------------*/

/* Read as any document is, before it takes another's place. */
static int validate(tf_ctx *ctx, const struct document *document, const struct buf *text)
{
    int memory = memfd_create("document", MFD_CLOEXEC);
    const char *path = arena_format(&ctx->arena, "/proc/self/fd/%d", memory);
    if (memory < 0 || write_all(memory, text->at, text->n)) {
        ERROR(ctx, NULL, "io", "the document cannot be checked: %s", strerror(errno));
        return TF_E_REFUSED;
    }
    const struct tf_target *target = target_read(ctx, path);
    close(memory);
    if (target)
        return TF_OK;
    ERROR(ctx, NULL, "plugin-fault", "what backend %s states of this machine is no target document", document->by);
    return TF_E_REFUSED;
}

static void assemble(struct document *document, struct buf *text)
{
    buf_str(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    buf_str(text, buf_text(&document->head));
    buf_str(text, buf_text(&document->facts));
    buf_str(text, "\n  <model>\n");
    buf_str(text, buf_text(&document->model));
    buf_str(text, "  </model>\n</target>\n");
}

static int ask(tf_ctx *ctx, const struct tf_backend *backend, struct document *document)
{
    const struct tf_calibration to = {
        .struct_size = sizeof(to), .data = document, .head = take_head, .fact = take_fact, .model = take_model};
    size_t errors = diag_errors(ctx);
    int status = backend->calibrate(ctx, &to);
    if (status && diag_errors(ctx) == errors)
        ERROR(ctx, NULL, "plugin-fault", "backend %s cannot measure this machine, and does not say why", backend->name);
    return status;
}

int calibrate(tf_ctx *ctx, const char *name, struct buf *text)
{
    const struct tf_backend *backend = registry_backend(ctx, name);
    if (!backend || !backend->calibrate) {
        ERROR(ctx, NULL, "backend-missing", backend ? "backend %s does not measure machines" : "no backend is named %s",
            name);
        return TF_E_REFUSED;
    }
    struct document document = {.by = name};
    int status = ask(ctx, backend, &document);
    if (!status) {
        assemble(&document, text);
        status = validate(ctx, &document, text);
    }
    buf_free(&document.head);
    buf_free(&document.facts);
    buf_free(&document.model);
    return status;
}
