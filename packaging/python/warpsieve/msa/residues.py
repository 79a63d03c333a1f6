# SPDX-License-Identifier: MIT
"""One-letter parents of common residues by their codes in the Chemical Component Dictionary, as AlphaFold 3 takes them."""

PROTEIN = {
    "A": "SEC AIB ABA MAA ORN DAL ALA",
    "C": "CSO CSD CSX CME OCS CAS CSS SCY CSP SMC YCM CYG DCY P1L CYF CYS",
    "D": "BFD PHD IAS ASB DAS ASP",
    "E": "PCA CGU DGL GMA GLU",
    "F": "PFF PHI PHE",
    "G": "SAR GLY",
    "H": "NEP HIC MHS DHI HIS",
    "I": "DIL ILE",
    "K": "MLY M3L MLZ ALY KCX LLP DLY LYZ LYS",
    "L": "NLE MLE DLE LEU",
    "M": "MSE FME MHO SME MED MET",
    "N": "MEN AHB DSG ASN",
    "P": "HYP DPR PRO",
    "Q": "DGN GLN",
    "R": "AGM CIR 2MR NMM DAR ARG",
    "S": "SEP DHA SAC HSE DSN SER",
    "T": "TPO DTH BMT THR",
    "V": "MVA DVA VAL",
    "W": "FTR TRQ TOX DTR TRP",
    "X": "UNK",
    "Y": "PTR TYS IYR TPQ DTY TYR",
}
RNA = {
    "A": "1MA A2M MIA T6A MA6 2MA A",
    "C": "5MC OMC CBV CCC 4OC C",
    "G": "OMG 2MG 7MG M2G YYG G7M GTP 1MG QUO G",
    "I": "I",
    "N": "N",
    "U": "PSU 5MU OMU H2U 4SU 5BU UR3 U",
}
LETTERS = {"protein": {code: one for one, codes in PROTEIN.items() for code in codes.split()},
           "rna": {code: one for one, codes in RNA.items() for code in codes.split()}}


def letter(code, kind):
    """Returns the letter that a residue is searched as, or None for a code that is not known here."""
    return LETTERS[kind].get(code)


def learn(code, one):
    """Takes the letter of a code, as --modified says it, for both kinds."""
    for known in LETTERS.values():
        known[code] = one
