/* SPDX-License-Identifier: MIT
 * The module xml.so: libxml2 behind xml.h.
 */
#include "target/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include <limits.h>
#include <string.h>

__attribute__((visibility("default"))) int tf_xml_v1(
    const char *text, size_t length, const char *schema, size_t schema_length, const struct xml_sink *sink);

struct reading {
    const struct xml_sink *sink;
    int n_errors;
    int has_doctype;
};

/* libxml2's words, on one line; only the first few: one mistake makes many. */
#define MOST_ERRORS 5

static void report(void *data, xmlErrorPtr error)
{
    struct reading *reading = data;
    if (!error->message || (error->level == XML_ERR_WARNING) || reading->n_errors++ >= MOST_ERRORS)
        return;
    char message[512];
    size_t n = 0;
    for (const char *c = error->message; *c && n + 1 < sizeof(message); c++)
        message[n++] = *c == '\n' || *c == '\t' ? ' ' : *c;
    while (n && message[n - 1] == ' ')
        n--;
    message[n] = '\0';
    reading->sink->error(reading->sink->data, error->line > 0 ? (uint32_t)error->line : 0, message);
}

/* A document type could declare entities: it is refused where it begins, before anything of it is read. */
static void refuse_doctype(void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    xmlParserCtxtPtr parser = data;
    struct reading *reading = parser->_private;
    reading->has_doctype = 1;
    reading->n_errors++;
    reading->sink->error(reading->sink->data, parser->input ? (uint32_t)parser->input->line : 0,
        "a document type declaration is not allowed");
    xmlStopParser(parser);
}

static xmlDocPtr parse(const char *text, size_t length, struct reading *reading)
{
    if (length > INT_MAX)
        return NULL;
    xmlParserCtxtPtr parser = xmlCreateMemoryParserCtxt(text, (int)length);
    if (!parser)
        return NULL;
    parser->_private = reading;
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES | XML_PARSE_COMPACT |
                                  XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    parser->sax->internalSubset = refuse_doctype;
    xmlSetStructuredErrorFunc(reading, report);
    xmlParseDocument(parser);
    xmlDocPtr document = parser->myDoc;
    const xmlError *last = xmlCtxtGetLastError(parser);
    if (!parser->wellFormed && !reading->n_errors) {
        xmlError copy = last ? *last : (xmlError){.message = (char *)"not well-formed", .level = XML_ERR_FATAL};
        report(reading, &copy);
    }
    if (!parser->wellFormed || reading->has_doctype) {
        xmlFreeDoc(document);
        document = NULL;
    }
    xmlFreeParserCtxt(parser);
    return document;
}

static int validate(xmlDocPtr document, const char *schema, size_t length, struct reading *reading)
{
    xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewMemParserCtxt(schema, (int)length);
    xmlRelaxNGPtr grammar = NULL;
    xmlRelaxNGValidCtxtPtr valid = NULL;
    int status = -1;
    if (!parser)
        return -1;
    xmlRelaxNGSetParserStructuredErrors(parser, (xmlStructuredErrorFunc)report, reading);
    grammar = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    if (grammar)
        valid = xmlRelaxNGNewValidCtxt(grammar);
    if (valid) {
        xmlRelaxNGSetValidStructuredErrors(valid, (xmlStructuredErrorFunc)report, reading);
        status = xmlRelaxNGValidateDoc(valid, document);
        xmlRelaxNGFreeValidCtxt(valid);
    }
    xmlRelaxNGFree(grammar);
    return status;
}

#define MOST_ATTRIBUTES 16

/* Depth is bounded by the schema in a valid document, by libxml2's own limit of nesting in another. */
static void walk(xmlNodePtr node, const struct xml_sink *sink, int is_valid)
{
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        const char *attributes[2 * MOST_ATTRIBUTES + 1] = {0};
        xmlChar *values[MOST_ATTRIBUTES] = {0};
        size_t n = 0;
        for (xmlAttrPtr a = node->properties; a && n < MOST_ATTRIBUTES; a = a->next, n++) {
            values[n] = xmlNodeListGetString(node->doc, a->children, 1);
            attributes[2 * n] = (const char *)a->name;
            attributes[2 * n + 1] = values[n] ? (const char *)values[n] : "";
        }
        const char *name = (const char *)node->name;
        (is_valid ? sink->element : sink->invalid)(sink->data, name, attributes, (uint32_t)xmlGetLineNo(node));
        if (xmlFirstElementChild(node)) {
            walk(node->children, sink, is_valid);
        } else if (is_valid) {
            xmlChar *text = xmlNodeGetContent(node);
            if (text && *text)
                sink->text(sink->data, name, (const char *)text);
            xmlFree(text);
        }
        for (size_t i = 0; i < n; i++)
            xmlFree(values[i]);
    }
}

int tf_xml_v1(const char *text, size_t length, const char *schema, size_t schema_length, const struct xml_sink *sink)
{
    struct reading reading = {.sink = sink};
    xmlInitParser();
    xmlDocPtr document = parse(text, length, &reading);
    int failed = !document || validate(document, schema, schema_length, &reading);
    if (document)
        walk(xmlDocGetRootElement(document), sink, !failed);
    if (failed && !reading.n_errors)
        sink->error(sink->data, 0, "the document does not follow the schema");
    xmlFreeDoc(document);
    xmlSetStructuredErrorFunc(NULL, NULL);
    return failed ? -1 : 0;
}
