/* SPDX-License-Identifier: MIT
 * The programs of HMMER in whose place the programs of bin/search and bin/genomes stand. */
#ifndef WS_PEERS_PEERS_H
#define WS_PEERS_PEERS_H

#include "lib/run/peer.h"

extern const ws_peer ws_peer_hmmsearch, ws_peer_hmmscan, ws_peer_nhmmer, ws_peer_nhmmscan, ws_peer_phmmer,
    ws_peer_jackhmmer;

#endif
