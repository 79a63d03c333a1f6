# SPDX-License-Identifier: MIT
# Replaces each line ".so FILE" of a manual page by that file, as soelim(1) does. FILE is named from the top of the tree.
/^\.so / {
    while ((found = (getline line < $2)) > 0) print line
    if (found < 0) {
        print FILENAME ":" FNR ": there is no file " $2 > "/dev/stderr"
        exit 1
    }
    close($2)
    next
}
{ print }
