/* SPDX-License-Identifier: MIT
 * GATK's pair-HMM for callers: likelihoods of reads given haplotypes, from memory to memory.
 * ws_pairhmm(3) has an example. Link with -lws_pairhmm. Nothing here prints, ends the process or starts a thread.
 *
 * A caller owns a ws_pairhmm_caller for each of its threads. Two threads may use two of them at once, and one of them
 * one after the other. A pair's value depends on the pair alone: not on what is scored beside it, nor on the vector
 * width of the processor. */
#ifndef WS_PAIRHMM_CALLER_H
#define WS_PAIRHMM_CALLER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WS_PAIRHMM_API __attribute__((visibility("default")))
#else
#define WS_PAIRHMM_API
#endif

/* Five arrays of `length` bytes, at least 1. Bases are letters of either case. Qualities are numbers from 0 to 127, not
 * characters: of the bases, of opening an insertion, of opening a deletion, and of continuing either. */
typedef struct ws_pairhmm_caller_read {
    const unsigned char *bases, *quals, *insertion, *deletion, *continuation;
    size_t length;
} ws_pairhmm_caller_read;

/* Bases of a haplotype, at least one. */
typedef struct ws_pairhmm_caller_haplotype {
    const unsigned char *bases;
    size_t length;
} ws_pairhmm_caller_haplotype;

/* Return codes. */
enum { WS_PAIRHMM_CALLER_OK, WS_PAIRHMM_CALLER_BAD_INPUT, WS_PAIRHMM_CALLER_NO_MEMORY };

/* Memory and settings of one thread. */
typedef struct ws_pairhmm_caller ws_pairhmm_caller;

/* Returns a new caller, which ws_pairhmm_caller_destroy releases; NULL: no memory. It uses the widest vectors that the
 * processor has, and single precision where that is enough. */
WS_PAIRHMM_API ws_pairhmm_caller *ws_pairhmm_caller_create(void);
WS_PAIRHMM_API void ws_pairhmm_caller_destroy(ws_pairhmm_caller *c); /* c may be NULL */

/* Asks for double precision for all pairs (1), or only for those that need it (0). */
WS_PAIRHMM_API void ws_pairhmm_caller_use_double(ws_pairhmm_caller *c, int on);
/* Asks for a vector width by its name: avx512, avx2, neon or scalar. Returns WS_PAIRHMM_CALLER_BAD_INPUT, and changes
 * nothing, where the name is another one or the processor lacks the width. */
WS_PAIRHMM_API int ws_pairhmm_caller_use_width(ws_pairhmm_caller *c, const char *name);

/* Writes log10 of the likelihood of reads[r] given haplotypes[h] to log10[r * nhaplotype + h]; -INFINITY where no
 * alignment is possible. Returns a code; unless it is WS_PAIRHMM_CALLER_OK, log10 is unchanged and
 * ws_pairhmm_caller_message says why. */
WS_PAIRHMM_API int ws_pairhmm_caller_score(ws_pairhmm_caller *c, const ws_pairhmm_caller_read *reads, size_t nread,
                                           const ws_pairhmm_caller_haplotype *haplotypes, size_t nhaplotype,
                                           double *log10);

/* Returns the sentence of the last call that failed, "" if none did; it is valid until the next call with c. */
WS_PAIRHMM_API const char *ws_pairhmm_caller_message(const ws_pairhmm_caller *c);

#ifdef __cplusplus
}
#endif
#endif
