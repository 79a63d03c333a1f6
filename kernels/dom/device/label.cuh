// SPDX-License-Identifier: MIT
// The components of a region's linked segments on a device: a warp labels the segments that it has sampled. Bodies are
// templates over the team of lanes, as in quad.cuh. Source: specification domains.md, section 8.5.
//
// A component begins with any open segment. In each round, lanes test 32 open segments at a time with the bounds of
// those that the round before took, and then those that pass with each of these. The segments of a component are alike,
// so few others pass. No round tests a pair that another has tested.
#ifndef WS_DOM_LABEL_CUH
#define WS_DOM_LABEL_CUH

extern "C" {
#include "kernels/dom/link.h"
}
#include "kernels/dom/device/device.cuh"

template <class G> struct ws_dom_labeller {
    template <class T> using each = typename G::template each<T>;
    enum : uint32_t { NONE = UINT32_MAX };
    G &g;
    const uint32_t *segment;        // two words each, as in ws_dom_resolved
    uint32_t *label, *open, *taken; // [n]; open: those of no component yet; taken: the others, component by component
    uint32_t n, nopen, ntaken;

    // room: three words for each of `count` segments; labels come first.
    WS_DOM_BOTH ws_dom_labeller(G &team, const uint32_t *words, uint32_t count, uint32_t *room)
        : g(team), segment(words), label(room), open(room + count), taken(room + 2 * (size_t)count), n(count),
          nopen(count), ntaken(0) {}

    WS_DOM_BOTH ws_dom_segment segment_of(uint32_t v) const {
        const uint32_t rows = segment[2 * v], nodes = segment[2 * v + 1];
        return {0, rows & 0xffff, rows >> 16, nodes & 0xffff, nodes >> 16 & 0x7fff};
    }

    WS_DOM_BOTH ws_dom_bounds bounds_of(uint32_t v) const {
        const ws_dom_segment s = segment_of(v);
        return ws_dom_bounds_of(&s);
    }

    // Returns the bounds of the taken segments from .. to - 1, at least one.
    WS_DOM_BOTH ws_dom_bounds bounds_of_taken(uint32_t from, uint32_t to) const {
        each<ws_dom_bounds> own;
        g.lanes([&](int z) {
            own[z] = bounds_of(taken[to - 1]);
            for (uint32_t at = from + (uint32_t)z; at < to; at += WS_DOM_TEAM) {
                const ws_dom_bounds b = bounds_of(taken[at]);
                for (int s = 0; s < WS_DOM_LINK_SIDES; s++) own[z].side[s] = ws_dom_lesser(own[z].side[s], b.side[s]);
            }
        });
        ws_dom_bounds all;
WS_DOM_UNROLL
        for (int s = 0; s < WS_DOM_LINK_SIDES; s++) {
            each<int32_t> side;
            g.lanes([&](int z) { side[z] = own[z].side[s]; });
            all.side[s] = g.least(side);
        }
        return all;
    }

    // Returns whether segment v links to one of the taken segments from .. to - 1.
    WS_DOM_BOTH bool links_to_taken(uint32_t v, uint32_t from, uint32_t to) const {
        const ws_dom_bounds b = bounds_of(v);
        for (uint32_t at = from; at < to; at += WS_DOM_TEAM)
            if (g.ballot([&](int z) {
                    if (at + (uint32_t)z >= to) return false;
                    const ws_dom_segment s = segment_of(taken[at + (uint32_t)z]);
                    return ws_dom_links(&b, &s) != 0;
                }))
                return true;
        return false;
    }

    // Takes the open segments that link to one of the taken ones from .. to - 1.
    WS_DOM_BOTH void take_linked(uint32_t from, uint32_t to) {
        const ws_dom_bounds all = to - from == 1 ? bounds_of(taken[from]) : bounds_of_taken(from, to);
        uint32_t kept = 0;
        for (uint32_t at = 0; at < nopen; at += WS_DOM_TEAM) {
            each<uint32_t> v;
            g.lanes([&](int z) { v[z] = at + (uint32_t)z < nopen ? open[at + (uint32_t)z] : (uint32_t)NONE; });
            uint32_t linked = g.ballot([&](int z) {
                if (v[z] == NONE) return false;
                const ws_dom_segment s = segment_of(v[z]);
                return ws_dom_links(&all, &s) != 0;
            });
            for (uint32_t left = to - from > 1 ? linked : 0; left; left &= left - 1) {
                const uint32_t z = ws_dom_ones((left & (0u - left)) - 1);
                if (!links_to_taken(g.of(v, z), from, to)) linked &= ~(1u << z);
            }
            g.lanes([&](int z) {
                const uint32_t before = ws_dom_ones(linked & ((1u << z) - 1));
                if (linked >> z & 1) taken[ntaken + before] = v[z];
                else if (v[z] != NONE) open[kept + (uint32_t)z - before] = v[z];
            });
            g.sync();
            const uint32_t some = nopen - at < WS_DOM_TEAM ? nopen - at : (uint32_t)WS_DOM_TEAM;
            ntaken += ws_dom_ones(linked);
            kept += some - ws_dom_ones(linked);
        }
        nopen = kept;
    }

    // Sets label[v] to the component of each segment v, in any order. Returns the number of components.
    WS_DOM_BOTH uint32_t run() {
        uint32_t found = 0;
        g.lanes([&](int z) {
            for (uint32_t v = (uint32_t)z; v < n; v += WS_DOM_TEAM) open[v] = v;
        });
        g.sync();
        for (; nopen > 0; found++) {
            const uint32_t first = ntaken++;
            if (g.leads()) taken[first] = open[nopen - 1];
            nopen--;
            g.sync();
            for (uint32_t from = first; from < ntaken && nopen > 0;) {
                const uint32_t to = ntaken;
                take_linked(from, to);
                from = to;
            }
            g.lanes([&](int z) {
                for (uint32_t at = first + (uint32_t)z; at < ntaken; at += WS_DOM_TEAM) label[taken[at]] = found;
            });
        }
        g.sync();
        return found;
    }
};

#endif
