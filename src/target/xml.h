/* SPDX-License-Identifier: MIT
 * The door to the XML parser, which is a module of its own: libxml2 costs more to load than a whole analysis.
 */
#ifndef TF_TARGET_XML_H
#define TF_TARGET_XML_H

#include <stddef.h>
#include <stdint.h>

#define XML_MODULE "xml"
#define XML_ENTRY "tf_xml_v1"

/* What a validated document holds, in document order. */
struct xml_sink {
    void *data;
    /* attributes: name, value, name, value, ..., NULL */
    void (*element)(void *data, const char *name, const char *const *attributes, uint32_t line);
    void (*text)(void *data, const char *name, const char *text); /* all the text of an element that has no children */
    void (*error)(void *data, uint32_t line, const char *message);
    /* of a document that does not follow the schema: each element, so that a better message than the grammar's can be made;
     * any attribute may be missing */
    void (*invalid)(void *data, const char *name, const char *const *attributes, uint32_t line);
};

/* Parses and validates against a RELAX NG schema, without network, entities or a document type; then reports the
 * elements to the sink.  0, or -1 after at least one error. */
typedef int (*xml_read_fn)(
    const char *text, size_t length, const char *schema, size_t schema_length, const struct xml_sink *sink);

#endif
