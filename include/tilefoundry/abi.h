/* SPDX-License-Identifier: MIT
 *
 * Numbers and rules of the plugin interface.  Include <tilefoundry/plugin.h>, which brings this in.
 *
 * Rules of growth.
 *  1. Members are added at the end only; none is removed, moved or re-typed.  A dead member stays and is NULL.
 *  2. A changed signature is a new member beside the old one.
 *  3. Each addition raises TF_ABI_MINOR by one and is marked "since 1.N".
 *  4. Structs that a plugin defines begin with struct_size.  The host copies what is there into a zeroed struct of its
 *     own size and afterwards tests for NULL only.  An unknown tail is ignored: these are offers.
 *  5. Structs that the host allocates (types, nodes, calls, programs) are read through the pointer and never measured
 *     or copied by a plugin, so they too grow at the end.  TF_HAS() tells whether a host struct has a member.
 *  6. A break is a new major, with a new entry symbol.
 *  7. No padding: a struct's members leave no hole, so that no addition hides in one.
 */
#ifndef TILEFOUNDRY_ABI_H
#define TILEFOUNDRY_ABI_H

#ifndef TILEFOUNDRY_PLUGIN_H
#error "include <tilefoundry/plugin.h> instead"
#endif

#include <stddef.h>
#include <stdint.h>

#define TF_ABI_MAJOR 1
#define TF_ABI_MINOR 0

/* The one symbol that a plugin exports; the major is part of it. */
#define TF_PLUGIN_ENTRY tilefoundry_plugin_v1
#define TF_PLUGIN_ENTRY_NAME "tilefoundry_plugin_v1"

/* Whether the struct at p, which begins with struct_size, reaches as far as member. */
#define TF_HAS(type, p, member) ((p)->struct_size >= offsetof(type, member) + sizeof((p)->member))

#ifdef __GNUC__
#define TF_EXPORT __attribute__((visibility("default")))
#define TF_HIDDEN __attribute__((visibility("hidden")))
#define TF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TF_EXPORT
#define TF_HIDDEN
#define TF_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
#define TF_EXTERN_C extern "C"
#else
#define TF_EXTERN_C
#endif

/* What a callback returns: 0, or one of these.  A refusal has been explained by a diagnostic. */
#define TF_OK 0
#define TF_E_REFUSED (-1)     /* the program or the request is wrong; a diagnostic says where and why */
#define TF_E_UNSUPPORTED (-2) /* not this plugin's case; the host goes on to the next */
#define TF_E_NOMEM (-3)
#define TF_E_OVERFLOW (-4) /* a count passed 2^63; the host names the call */
#define TF_E_INTERNAL (-5) /* a bug in the plugin */

#endif
