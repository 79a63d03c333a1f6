#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a static site of the repository's pages (make site):   site.py BUILD OUT

Every page in Markdown, INSTALL and the manual pages of BUILD/man become HTML, by pandoc and mandoc. Links stay relative, so
the site works from any folder, also without a server. Other files that a page links to are copied. A link to a file that
the sources have not is an error, and then an older OUT stays."""
import concurrent.futures
import glob
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
# Groups of the menu: title, and pages by their paths; a pattern takes what no group before it has.
MENU = [("Start", ["README.md", "INSTALL", "docs/cookbook.md", "docs/python.md", "docs/jobsize.md", "workflows/README.md"]),
        ("Programs", ["man/warpsieve.7", "man/*.1"]),
        ("Formats", ["man/*.5"]),
        ("Speed", ["bench/README.md"]),
        ("How it works", ["docs/algorithm.md", "docs/architecture.md", "docs/numerics.md", "docs/reliability.md",
                          "docs/stability.md", "docs/glossary.md", "docs/*.md"]),
        ("Specification", ["docs/spec/README.md", "docs/spec/*.md"]),
        ("Kernels", ["kernels/*/README.md"]),
        ("Work on it", ["CONTRIBUTING.md", "docs/development.md", "packaging/README.md", "tests/README.md", "CHANGELOG.md"])]
NAME = {"README.md": "Overview", "INSTALL": "Install", "CHANGELOG.md": "Changes", "bench/README.md": "Benchmarks",
        "docs/spec/README.md": "Overview", "workflows/README.md": "Workflows", "packaging/README.md": "Packages",
        "tests/README.md": "Tests", "CONTRIBUTING.md": "Contributing"}
VOID = re.compile(r"<[^>]*>")


class Wrong(Exception):
    """Why no site was made."""


def output(*command, **kind):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, **kind).stdout
    except FileNotFoundError:
        raise Wrong(f"there is no {command[0]}; on Debian: apt-get install {command[0]}") from None
    except subprocess.CalledProcessError as e:
        raise Wrong(f"{' '.join(command[:4])}: {e.stderr.strip()}") from None


def sources():
    """All files of the sources, by git, or by what a tarball has."""
    if os.path.exists(os.path.join(TOP, ".git")):
        return [f for f in output("git", "-C", TOP, "ls-files").splitlines() if os.path.isfile(os.path.join(TOP, f))]
    found = (os.path.relpath(os.path.join(d, f), TOP) for d, _, files in os.walk(TOP) for f in files)
    return sorted(f for f in found if not f.startswith(("build/", ".git/")))


def place(path):
    """Where a page lies in the site: README.md is its folder's index."""
    folder, name = posixpath.split(path)
    if name == "README.md":
        return posixpath.join(folder, "index.html")
    return posixpath.join(folder, (name[:-3] if name.endswith(".md") else name) + ".html")


def is_page(path):
    return path.endswith(".md") or path == "INSTALL" or re.fullmatch(r"man/[^/]+\.[1-8]", path)


class Page:
    def __init__(self, path, build):
        self.path, self.place = path, place(path)
        if path.startswith("man/"):
            self.body = output("mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", os.path.join(build, path))
            self.body = re.sub(r'<table class="(head|foot)">.*?</table>', "", self.body, flags=re.S)
            self.title = f"{path[4:-2]}({path[-1]})"
            self.body = f"<h1>{self.title}</h1>\n{self.body}".replace("h1 class=\"Sh\"", "h2 class=\"Sh\"")
            self.body = re.sub(r"(<h2 class=\"Sh\".*?)</h1>", r"\1</h2>", self.body, flags=re.S)
            self.body = re.sub(r"<(/?)h2 class=\"Ss\"", r"<\1h3 class=\"Ss\"", self.body)
            self.body = re.sub(r"(<h3 class=\"Ss\".*?)</h2>", r"\1</h3>", self.body, flags=re.S)
        elif path == "INSTALL":
            with open(os.path.join(TOP, path), encoding="utf-8") as f:
                self.body = f"<h1>Install</h1>\n<pre class=\"plain\">{html.escape(f.read())}</pre>"
            self.title = "Install"
        else:
            self.body = output("pandoc", "-f", "gfm", "-t", "html5", "--no-highlight", "--wrap=none", os.path.join(TOP, path))
            head = re.search(r"<h1[^>]*>(.*?)</h1>", self.body, re.S)
            self.title = html.unescape(VOID.sub("", head[1])) if head else path
        self.body = re.sub(r"<table.*?</table>", lambda m: f'<div class="scroll" tabindex="0">{m[0]}</div>', self.body, flags=re.S)

    def name(self):
        """How the menu calls it."""
        if self.path in NAME:
            return NAME[self.path]
        if self.path.startswith("man/"):
            return self.title[:-3]
        return posixpath.basename(posixpath.dirname(self.path)) if self.path.endswith("README.md") else self.title.split(":")[0]

    def heads(self):
        return [(m[1], html.unescape(VOID.sub("", m[2]))) for m in re.finditer(r'<h2[^>]* id="([^"]*)"[^>]*>(.*?)</h2>', self.body, re.S)]

    def sections(self):
        """Pieces for the search: address, title of the page, heading, text. An option of a manual page is a piece."""
        heads = r'(<h[1-3][^>]*>.*?</h[1-3]>|<dt id="[^"]*">.*?</dt>)'
        at, heading = self.place, self.title
        for piece in re.split(heads, self.body, flags=re.S):
            head = re.match(r"<(h[1-3]|dt)([^>]*)>(.*)</(?:h[1-3]|dt)>", piece, re.S)
            if head:
                name = re.search(r'id="([^"]*)"', head[2])
                at = self.place + (f"#{name[1]}" if name and head[1] != "h1" else "")
                heading = " ".join(html.unescape(VOID.sub("", head[3])).split())
                continue
            text = re.sub(r" ([.,;:)])", r"\1", " ".join(html.unescape(VOID.sub(" ", piece)).split())).replace("( ", "(")
            if text:
                yield [at, self.title.split(": ")[0], heading.split(": ")[0] if heading == self.title else heading, text]


class Site:
    def __init__(self, build, out):
        self.build, self.out, self.copied = build, out, set()
        self.files = sources()
        self.folders = {posixpath.dirname(f) for f in self.files}
        paths = [f for f in self.files if is_page(f)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            self.pages = {p.path: p for p in pool.map(lambda f: Page(f, build), paths)}
        with open(os.path.join(TOP, "lib", "base", "ws.h"), encoding="utf-8") as f:
            self.version = re.search(r'define WS_VERSION "(.*)"', f.read())[1]
        self.groups = self.menu()

    def menu(self):
        taken, groups = set(), []
        for title, patterns in MENU:
            found = []
            for p in patterns:
                for path in sorted(glob.glob(p, root_dir=TOP)):
                    if path in self.pages and path not in taken:
                        taken.add(path)
                        found.append(self.pages[path])
            groups.append((title, found))
        return groups

    def link(self, page, target):
        """The address in the site of what a page links to; None for a folder or a manual page that the site has not."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        path, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
        if page.path.startswith("man/") and path.endswith(".html"):
            path = path[:-5]
            if path not in self.pages:
                return None # HMMER's, or the system's
        if path in self.folders and path + "/README.md" in self.pages:
            path += "/README.md"
        elif path in self.folders:
            return None
        if path in self.pages:
            goal = self.pages[path].place
        elif path in self.files:
            self.copied.add(path)
            goal = path
        else:
            raise Wrong(f"{page.path}: there is no {target}")
        return posixpath.relpath(goal, posixpath.dirname(page.place) or ".") + mark + anchor

    def linked(self, page):
        def anchor(m):
            goal = self.link(page, html.unescape(m[2]))
            return m[0].replace(m[2], html.escape(goal), 1) if goal else f"<span{m[1]}>{m[3]}</span>"

        def image(m):
            return m[1] + html.escape(self.link(page, html.unescape(m[2]))) + '"'
        body = re.sub(r'<a((?: class="[^"]*")?) href="([^"]*)"[^>]*>(.*?)</a>', anchor, page.body, flags=re.S)
        return re.sub(r'(<img src=")([^"]*)"', image, body)

    def navigation(self, page):
        lines = []
        for title, pages in self.groups:
            inside = page in pages
            lines.append(f'<details{" open" if inside or title == "Start" else ""}><summary>{title}</summary><ul>')
            for p in pages:
                here = ' aria-current="page"' if p is page else ""
                lines.append(f'<li><a href="{posixpath.relpath(p.place, posixpath.dirname(page.place) or ".")}"{here}>'
                             f"{html.escape(p.name())}</a>")
                if p is page and p.heads():
                    lines.append("<ul>" + "".join(f'<li><a href="#{i}">{html.escape(t)}</a></li>' for i, t in p.heads()) + "</ul>")
                lines.append("</li>")
            lines.append("</ul></details>")
        return "\n".join(lines)

    def write(self, path, text):
        to = os.path.join(self.out, path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "w", encoding="utf-8") as f:
            f.write(text)

    def page(self, template, page):
        root = posixpath.relpath(".", posixpath.dirname(page.place) or ".")
        body = self.linked(page)
        if page.path == "bench/README.md":
            body += self.plots()
        whole = page.title if page.path == "README.md" else f"{page.title} - warpsieve"
        fill = {"title": html.escape(whole), "root": root, "version": self.version, "menu": self.navigation(page), "body": body,
                "kind": " man" if page.path.startswith("man/") else "", "source": page.path}
        self.write(page.place, re.sub(r"@(\w+)@", lambda m: fill[m[1]], template))

    def plots(self):
        """The pictures that make plots left, for the page of benchmarks."""
        found = sorted(glob.glob(os.path.join(self.build, "plots", "*.svg")))
        for f in found:
            os.makedirs(os.path.join(self.out, "bench", "plots"), exist_ok=True)
            shutil.copy(f, os.path.join(self.out, "bench", "plots"))
        names = [os.path.basename(f) for f in found]
        return "".join(f'<p class="plot"><img src="plots/{n}" alt="plot of {n[:-4]}"></p>\n' for n in names)

    def make(self):
        with open(os.path.join(HERE, "page.html"), encoding="utf-8") as f:
            template = f.read()
        for page in self.pages.values():
            self.page(template, page)
        for path in self.copied:
            to = os.path.join(self.out, path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(TOP, path), to)
        for name in ("style.css", "search.js"):
            shutil.copy(os.path.join(HERE, name), self.out)
        listed = [p for _, pages in self.groups for p in pages]
        rest = [p for p in self.pages.values() if p not in listed]
        index = [s for p in listed + rest for s in p.sections()]
        self.write("index.js", "const sections = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: site.py BUILD OUT")
    build, out = sys.argv[1:]
    part = out.rstrip("/") + ".part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        site = Site(build, part)
        site.make()
    except Wrong as e:
        sys.exit(f"site.py: {e}")
    shutil.rmtree(out, ignore_errors=True)
    os.rename(part, out)
    print(f"{out}/index.html: {len(site.pages)} pages")


if __name__ == "__main__":
    main()
