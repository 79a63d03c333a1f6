/* SPDX-License-Identifier: MIT
 * Scores of a target and of its domains, from its rows and envelopes. Operations and precision are those of the
 * specification, domains.md, section 9. */
#include "kernels/dom/kernel.h"

#include <math.h>

/* Returns log(1 + e^v) by the reference's table in steps of 0.001, but computes only the entry needed. */
static float log_of_sum(float v) {
    const float max = v > 0.0f ? v : 0.0f, min = v > 0.0f ? 0.0f : v, d = max - min;
    if (d >= 15.7f || min == -INFINITY) return max;
    const int entry = (int)(d * 1000.0f);
    return max + (float)log(1.0 + exp(-(double)entry / 1000.0));
}

/* Returns the correction in nats; the prior of null2 is 1/256. */
static float bias_of(float correction) { return log_of_sum((float)(log(1.0 / 256.0) + (double)correction)); }

/* Returns a compensated sum in single precision. Most values are 0. A 0 that leaves the sum unchanged leaves the
 * correction unchanged too, so the code skips the zeros after it. */
static float compensated(const float *v, size_t n) {
    float sum = 0.0f, c = 0.0f;
    int settled = 1;
    for (size_t i = 0; i < n; i++) {
        if (v[i] == 0.0f && settled) continue;
        const float y = v[i] - c, next = sum + y;
        c = (next - sum) - y;
        settled = v[i] == 0.0f && next == sum;
        sum = next;
    }
    return sum;
}

/* Returns log(L / (L+3)), which each residue outside of domains adds. */
static double outside(uint32_t L) { return log((double)((float)L / (float)(L + 3))); }

static uint32_t length_of(const ws_domain *d) { return d->env_to - d->env_from + 1; }

/* Replaces the target's score by the sum of its domains' scores, if that is higher. */
static void reconstruct(ws_dom_result *h, int nonull2) {
    float sum = 0.0f, nb = 0.0f;
    int64_t Ld = 0;
    for (uint32_t d = 0; d < h->n; d++) {
        const ws_domain *m = &h->domain[d];
        if (!(m->env_nats - (nonull2 ? 0.0f : m->correction_nats) > 0.0f)) continue;
        sum += m->env_nats;
        Ld += length_of(m);
        if (!nonull2) nb += m->correction_nats;
    }
    nb = nonull2 ? 0.0f : bias_of(nb);
    sum = (float)((double)sum + (double)((int64_t)h->L - Ld) * outside(h->L));
    h->recon_pre_bits = ws_bits(sum, h->null_nats);
    h->recon_bits = ws_bits(sum, h->null_nats + nb);
    h->recon_residues = (uint32_t)Ld;
    h->reconstructed = Ld > 0 && h->recon_bits > h->whole_bits;
}

static void score_domains(const ws_dom_tables *t, ws_dom_result *h, int nonull2) {
    for (uint32_t d = 0; d < h->n; d++) {
        ws_domain *m = &h->domain[d];
        const float score = (float)((double)m->env_nats + (double)((int64_t)h->L - length_of(m)) * outside(h->L));
        m->bias_nats = nonull2 ? 0.0f : bias_of(m->correction_nats);
        m->bits = ws_bits(score, h->null_nats + m->bias_nats);
        m->lnp = ws_exp_lnp(m->bits, t->tau, t->lambda);
        if (m->bits > h->domain[h->best].bits) h->best = d;
    }
}

/* Collects the domains of all envelopes in target order, and counts. Envelopes overlap if one begins within the last
 * scored one. Returns WS_ENOMEM on failure. */
static int collect(ws_dom_pair *pair, ws_err *err) {
    ws_dom_result *h = &pair->hit;
    uint32_t n = 0;
    h->regions = pair->nregion;
    for (uint32_t r = 0; r < pair->nregion; r++) {
        const ws_dom_region *g = &pair->region[r];
        uint32_t last = 0;
        if (g->failed) h->status = (ws_dom_status)g->failed;
        h->ensembles += g->multi != 0;
        h->envelopes += g->nenv;
        for (uint32_t e = 0; e < g->nenv; e++) {
            h->overlaps += g->env[e].from <= last;
            if (!g->env[e].scored) continue;
            last = g->env[e].to;
            n++;
        }
    }
    if (n == 0) return WS_OK;
    if (!(h->domain = ws_calloc(n, sizeof *h->domain, err))) return err->code;
    for (uint32_t r = 0; r < pair->nregion; r++)
        for (uint32_t e = 0; e < pair->region[r].nenv; e++) {
            ws_dom_envelope *from = &pair->region[r].env[e];
            if (!from->scored) continue;
            h->domain[h->n++] = from->domain;
            from->domain.column = NULL; /* the target owns it now */
        }
    return WS_OK;
}

int ws_dom_finish(const ws_dom_tables *t, const ws_dom_options *o, ws_dom_pair *pair, ws_err *err) {
    ws_dom_result *h = &pair->hit;
    if (h->status == WS_DOM_RANGE) return WS_OK;
    int rc = collect(pair, err);
    if (rc) return rc;
    h->n2_sum = pair->n2 ? compensated(pair->n2, (size_t)pair->L + 1) : 0.0f;
    if (h->n == 0 || h->status != WS_DOM_HIT) {
        if (h->status == WS_DOM_HIT) h->status = WS_DOM_NONE;
        return WS_OK;
    }
    h->bias_nats = o->nonull2 ? 0.0f : bias_of(h->n2_sum);
    h->whole_pre_bits = ws_bits(h->fwd_nats, h->null_nats);
    h->whole_bits = ws_bits(h->fwd_nats, h->null_nats + h->bias_nats);
    reconstruct(h, o->nonull2);
    h->bits = h->reconstructed ? h->recon_bits : h->whole_bits;
    h->pre_bits = h->reconstructed ? h->recon_pre_bits : h->whole_pre_bits;
    h->lnp = ws_exp_lnp(h->bits, t->tau, t->lambda);
    score_domains(t, h, o->nonull2);
    return WS_OK;
}
