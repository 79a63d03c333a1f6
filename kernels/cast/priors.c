/* SPDX-License-Identifier: MIT
 * The prior distributions of a model's parameters: Dirichlet mixtures, the numbers of HMMER 3.4. A row is a component:
 * its share, then its parameters in the order of the alphabet, or of the transitions. Specification build.md, section
 * 8. */
#include "kernels/cast/estimate.h"

static const double amino_from_match[][1 + 3] = {
    {1.0, 0.7939, 0.0278, 0.0135},
};

static const double amino_from_insert[][1 + 2] = {
    {1.0, 0.1551, 0.1331},
};

static const double amino_from_delete[][1 + 2] = {
    {1.0, 0.9002, 0.5630},
};

static const double amino_match[][1 + 20] = {
    {0.178091, 0.270671, 0.039848, 0.017576, 0.016415, 0.014268, 0.131916, 0.012391, 0.022599, 0.020358, 0.030727,
     0.015315, 0.048298, 0.053803, 0.020662, 0.023612, 0.216147, 0.147226, 0.065438, 0.003758, 0.009621},
    {0.056591, 0.021465, 0.010300, 0.011741, 0.010883, 0.385651, 0.016416, 0.076196, 0.035329, 0.013921, 0.093517,
     0.022034, 0.028593, 0.013086, 0.023011, 0.018866, 0.029156, 0.018153, 0.036100, 0.071770, 0.419641},
    {0.0960191, 0.561459, 0.045448, 0.438366, 0.764167, 0.087364, 0.259114, 0.214940, 0.145928, 0.762204, 0.247320,
     0.118662, 0.441564, 0.174822, 0.530840, 0.465529, 0.583402, 0.445586, 0.227050, 0.029510, 0.121090},
    {0.0781233, 0.070143, 0.011140, 0.019479, 0.094657, 0.013162, 0.048038, 0.077000, 0.032939, 0.576639, 0.072293,
     0.028240, 0.080372, 0.037661, 0.185037, 0.506783, 0.073732, 0.071587, 0.042532, 0.011254, 0.028723},
    {0.0834977, 0.041103, 0.014794, 0.005610, 0.010216, 0.153602, 0.007797, 0.007175, 0.299635, 0.010849, 0.999446,
     0.210189, 0.006127, 0.013021, 0.019798, 0.014509, 0.012049, 0.035799, 0.180085, 0.012744, 0.026466},
    {0.0904123, 0.115607, 0.037381, 0.012414, 0.018179, 0.051778, 0.017255, 0.004911, 0.796882, 0.017074, 0.285858,
     0.075811, 0.014548, 0.015092, 0.011382, 0.012696, 0.027535, 0.088333, 0.944340, 0.004373, 0.016741},
    {0.114468, 0.093461, 0.004737, 0.387252, 0.347841, 0.010822, 0.105877, 0.049776, 0.014963, 0.094276, 0.027761,
     0.010040, 0.187869, 0.050018, 0.110039, 0.038668, 0.119471, 0.065802, 0.025430, 0.003215, 0.018742},
    {0.0682132, 0.452171, 0.114613, 0.062460, 0.115702, 0.284246, 0.140204, 0.100358, 0.550230, 0.143995, 0.700649,
     0.276580, 0.118569, 0.097470, 0.126673, 0.143634, 0.278983, 0.358482, 0.661750, 0.061533, 0.199373},
    {0.234585, 0.005193, 0.004039, 0.006722, 0.006121, 0.003468, 0.016931, 0.003647, 0.002184, 0.005019, 0.005990,
     0.001473, 0.004158, 0.009055, 0.003630, 0.006583, 0.003172, 0.003690, 0.002967, 0.002772, 0.002686},
};

static const double nucleotide_from_match[][1 + 3] = {
    {1.0, 2.0, 0.1, 0.1},
};

static const double nucleotide_from_insert[][1 + 2] = {
    {1.0, 0.12, 0.4},
};

static const double nucleotide_from_delete[][1 + 2] = {
    {1.0, 0.5, 1.0},
};

static const double nucleotide_match[][1 + 4] = {
    {0.24, 0.16, 0.45, 0.12, 0.39},
    {0.26, 0.09, 0.03, 0.09, 0.04},
    {0.08, 1.29, 0.40, 6.58, 0.51},
    {0.42, 1.74, 1.49, 1.57, 1.95},
};

static const double amino_insert[][1 + 20] = {
    {1.0, 681.0, 120.0, 623.0, 651.0, 313.0, 902.0, 241.0, 371.0, 687.0, 676.0, 143.0, 548.0, 647.0, 415.0, 551.0,
     926.0, 623.0, 505.0, 102.0, 269.0},
};

static const double nucleotide_insert[][1 + 4] = {
    {1.0, 1.0, 1.0, 1.0, 1.0},
};

/* Laplace's prior: one component, all parameters 1. */
static const double laplace[][21] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};

#define SET(table, K) ws_build_mixture_set(to++, K, sizeof(table) / sizeof *(table), (table)[0])

void ws_build_priors_set(ws_build_priors *p, const ws_abc *abc, ws_build_prior which) {
    ws_build_mixture *to = p->of;
    if (which == WS_BUILD_LAPLACE) {
        for (int j = 0; j < WS_BUILD_NPRIOR; j++) {
            const int K = j >= WS_BUILD_MATCH ? abc->K : j == WS_BUILD_FROM_MATCH ? 3 : 2;
            ws_build_mixture_set(to++, K, 1, laplace[0]);
        }
    } else if (abc->type == WS_ABC_AMINO) {
        SET(amino_from_match, 3);
        SET(amino_from_insert, 2);
        SET(amino_from_delete, 2);
        SET(amino_match, 20);
        SET(amino_insert, 20);
    } else {
        SET(nucleotide_from_match, 3);
        SET(nucleotide_from_insert, 2);
        SET(nucleotide_from_delete, 2);
        SET(nucleotide_match, 4);
        SET(nucleotide_insert, 4);
    }
}
