/* SPDX-License-Identifier: MIT
 * domscore where the pairs are windows of long DNA that passed fwdscore: nhmmer's domains, hits and table. Workers
 * score and keep
 * the hits, the end of the input sorts them. Specification long-targets.md, sections 10 to 14. */
#ifndef WS_DOMAINS_FROM_WINDOWS_H
#define WS_DOMAINS_FROM_WINDOWS_H

#include "bin/domains/domscore.h"

/* Once the input is known to be windows. WS_EUSAGE for options that windows do not have, WS_ENOMEM. */
int ws_dom_windows_open(ws_job *job, ws_err *err);
void ws_dom_windows_close(ws_job *job);
/* Finds the domains of a batch's rows that passed, and keeps them. Any thread. WS_EDATA of rows that are no windows. */
int ws_dom_windows_score(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                         ws_err *err);
/* Writes all outputs, for so many residues searched. */
int ws_dom_windows_write(ws_job *job, uint64_t residues, ws_err *err);
/* ws_output.head and end of output k. */
int ws_dom_windows_head(const ws_job *job, int k, ws_buf *text, ws_err *err);
int ws_dom_windows_end(const ws_job *job, int k, uint64_t rows, ws_buf *text, ws_err *err);

#endif
