/* SPDX-License-Identifier: MIT
 * Processes that a twin started and that left its group, as daemons do: they are found as children that come to us when
 * their own parent has ended.
 */
#ifndef TF_CHECK_ORPHANS_H
#define TF_CHECK_ORPHANS_H

/* From here on such processes come to us; before the twin's own process is started. */
void orphans_expect(void);
/* Ends them all.  The twin's process has ended and was waited for.  It may be called by a signal handler. */
void orphans_end(void);

#endif
