#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make site: all links lead somewhere, pages fit a narrow screen, follow a dark one, and the search box finds.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    ! missing || return 0
    python3 "$top/packaging/site/site.py" "$top/${B:-build}" "$PWD/site" >said
}
setup() {
    cd "$BATS_FILE_TMPDIR"
    ! missing >what || skip "the site needs what is not there:$(<what)"
}
missing() { # the programs that a site needs and that are not there
    local p found=1
    for p in python3 pandoc mandoc; do command -v $p >/dev/null || { printf ' %s' $p; found=0; }; done
    return $found
}

# Writes to the file "seen" what a script returns of each page: look WIDTH light|dark SCRIPT PAGE... The browser is that of
# CHROMIUM, or one of Debian's names.
look() {
    local name
    name=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} ||
        skip "there is no chromium to look at the site"
    HOME=$PWD python3 "$top/tests/site_browser.py" "$name" site "$@" >seen 2>errors || fail "$(tail -3 errors)"
}

@test "every link of the site leads to a page and a place; nothing is loaded from elsewhere" {
    cat said
    run -0 python3 "$top/tests/site_links.py" site
    [ "$(wc -l <<<"$output")" -eq 1 ] || fail "$output"
    for p in index.html docs/cookbook.html docs/spec/index.html bench/index.html man/hmmsieve.1.html man/warpsieve-tsv.5.html; do
        [ -s site/$p ] || fail "$p"
    done
    ! grep -rlE '/(work|root|home|tmp)/' site --include='*.html' --include='index.js' | grep . >paths ||
        ! grep -rhoE "$top" $(cat paths) | grep . || fail "a path of this machine"
    # the checker sees: a page too few, an anchor too many, something from elsewhere
    cp -r site broken
    rm broken/docs/cookbook.html
    printf '<a href="index.html#nowhere">x</a><script src="https://example.org/x.js"></script>' >broken/more.html
    run -1 python3 "$top/tests/site_links.py" broken
    grep -q 'there is no .*cookbook.html' <<<"$output"
    grep -q 'index.html has no #nowhere' <<<"$output"
    grep -q 'loads https://example.org' <<<"$output"
}

@test "a link to a file that is not there ends make site with the page and the link, and the older site stays" {
    mkdir -p small/packaging small/lib/base small/build out
    cp -r "$top/packaging/site" small/packaging/
    cp "$top/lib/base/ws.h" small/lib/base/
    echo '# A page with [a link](docs/none.md)' >small/README.md
    echo older >out/index.html
    run -1 python3 small/packaging/site/site.py small/build out
    [ "$output" = 'site.py: README.md: there is no docs/none.md' ] || fail "$output"
    [ "$(cat out/index.html)" = older ]
    echo '# A page' >small/README.md
    run -0 python3 small/packaging/site/site.py small/build out
    grep -q '<h1 id="a-page">A page</h1>' out/index.html
    [ ! -e out.part ]
}

@test "no page is wider than a screen of 390 pixels" {
    mapfile -t pages < <(cd site && find . -name '*.html' ! -name wide.html | sort)
    # the control: a page that is too wide
    echo '<div style="width: 700px">wide</div>' >site/wide.html
    look 390 light 'return d.documentElement.scrollWidth' ./wide.html "${pages[@]}"
    grep -q '^./wide.html.708' seen
    awk -F '\t' '$1 != "./wide.html" && $2 > 390' seen >wide
    [ ! -s wide ] || fail "$(cat wide)"
    [ "$(wc -l <seen)" -eq $((${#pages[@]} + 1)) ]
    rm site/wide.html
}

@test "on a dark screen pages are dark, and text has contrast on both" {
    local check='const c = (e, k) => w.getComputedStyle(e)[k].match(/[0-9.]+/g).slice(0, 3).map(Number);
        const l = (x) => { const [r, g, b] = x.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const back = l(c(d.body, "backgroundColor"));
        const least = Math.min(...["main", "main a[href]", "footer", ".menu li a", ".home small"].map((s) => {
            const t = l(c(d.querySelector(s), "color")); return (Math.max(t, back) + 0.05) / (Math.min(t, back) + 0.05); }));
        return (back < 0.2 ? "dark" : "light") + "\t" + (least >= 4.5 ? "readable" : least)'
    for colour in light dark; do
        look 1200 $colour "$check" index.html man/hmmsieve.1.html docs/cookbook.html
        [ "$(grep -c "$colour.readable" seen)" -eq 3 ] || fail "$(cat seen)"
    done
}

@test "the search box finds options, programs and pages, and says when it finds nothing" {
    local check='const b = d.getElementById("query"), f = d.getElementById("found"), said = [];
        for (const q of ["domtblout", "jacksieve rounds", "mrfseg", "<b>&", "nosuchwordatall"]) {
            b.value = q; b.dispatchEvent(new w.Event("input"));
            for (let i = 0; i < 100 && (f.hidden || f.dataset.of !== q); i++) {
                await new Promise((go) => w.setTimeout(go, 20)); if (!f.hidden) f.dataset.of = q; }
            const a = f.querySelector("a");
            said.push(a ? a.getAttribute("href") : f.textContent); f.hidden = true; }
        return said.join("\t")'
    look 1200 light "$check" docs/numerics.html
    cat seen
    IFS=$'\t' read -r _ option rounds volumes _ nothing <seen
    [[ $option == ../man/*.1.html#*tblout ]] || fail "$option"
    [[ $rounds == *jacksieve* ]] || fail "$rounds"
    [[ $volumes == *man/mrfseg.1.html* ]] || fail "$volumes"
    [ "$nothing" = 'No section has all of these words.' ] || fail "$nothing"
}
