#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the links of a site that make site made: each leads to a file of the site and to a place that it has.

    site_links.py FOLDER

Links to other sites are not followed, but a page may not load anything from there. Prints what is wrong, and at the end
how many links there were."""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loads = set(), [], []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found[k] for k in ("id", "name") if found.get(k)}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif found.get("src") or (tag == "link" and found.get("href")):
            self.loads.append(found.get("src") or found["href"])


def main():
    root, wrong, count = sys.argv[1], [], 0
    paths = [os.path.join(d, f) for d, _, files in os.walk(root) for f in files if f.endswith(".html")]
    pages = {os.path.normpath(p): Page(p) for p in paths}
    for path, page in pages.items():
        for link in page.links + page.loads:
            count += 1
            kind = urllib.parse.urlsplit(link)
            if kind.scheme:
                if link in page.loads and kind.scheme != "data":
                    wrong.append(f"{path}: loads {link}")
                continue
            goal = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(kind.path))) if kind.path else path
            if link.startswith("/") or not os.path.isfile(goal):
                wrong.append(f"{path}: there is no {link}")
            elif kind.fragment and goal in pages and urllib.parse.unquote(kind.fragment) not in pages[goal].places:
                wrong.append(f"{path}: {kind.path} has no #{kind.fragment}")
    print(*wrong, f"{len(pages)} pages, {count} links", sep="\n")
    sys.exit(bool(wrong))


main()
