// SPDX-License-Identifier: MIT
// The search box: every word of the query must stand in a section. index.js, which has the sections, is loaded at the first use.
"use strict";
const root = document.body.dataset.root + "/";
const box = document.getElementById("query");
const list = document.getElementById("found");
const most = 12;
let loading = null;
let at = -1;

// A page comes with its menu open, which narrow screens have no room for.
const menu = document.querySelector("details.menu");
const wide = matchMedia("(min-width: 60.01rem)");
const follow = () => { menu.open = wide.matches; };
wide.addEventListener("change", follow);
follow();
const here = menu.querySelector("[aria-current]");
if (here && wide.matches) menu.scrollTop = Math.max(0, here.offsetTop - menu.clientHeight / 2);

function load() {
  loading = loading || new Promise((done) => {
    const script = document.createElement("script");
    script.src = root + "index.js";
    script.onload = done;
    document.head.append(script);
  });
  return loading;
}

// More for a word in a title or a heading, most for one that is all of an option's or a page's name. Manual pages come first.
function score([address, title, heading, text], words) {
  const [t, h, x] = [title, heading, text].map((s) => s.toLowerCase());
  let sum = address.startsWith("man/") ? 3 : 0;
  for (const word of words) {
    const inText = x.indexOf(word);
    if (!t.includes(word) && !h.includes(word) && inText < 0) return 0;
    sum += (t.startsWith(word) ? 12 : t.includes(word) ? 6 : 0) + (h.includes(word) ? 5 : 0);
    if (h.split(/[^a-z0-9_-]+/).some((part) => part.replace(/^-+/, "") === word.replace(/^-+/, ""))) sum += 8;
    if (inText >= 0) sum += 1 + Math.min(3, x.split(word, 5).length - 1) * 0.5;
  }
  return sum;
}

function marked(text, words) {
  const part = document.createElement("span");
  const low = text.toLowerCase();
  const first = Math.max(0, Math.min(...words.map((w) => (low.indexOf(w) < 0 ? text.length : low.indexOf(w)))) - 50);
  const from = first >= text.length - 50 ? 0 : first;
  const piece = (from ? "… " : "") + text.slice(from, from + 170);
  const pattern = new RegExp(words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gi");
  let last = 0;
  for (const m of piece.matchAll(pattern)) {
    const strong = document.createElement("mark");
    strong.textContent = m[0];
    part.append(piece.slice(last, m.index), strong);
    last = m.index + m[0].length;
  }
  part.append(piece.slice(last));
  return part;
}

function show(words) {
  const hits = sections.map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, most);
  list.replaceChildren();
  at = -1;
  for (const [, section] of hits) {
    const link = document.createElement("a");
    link.href = root + section[0];
    link.append(section[1] === section[2] ? section[1] : section[1] + " › " + section[2], marked(section[3], words));
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  if (!hits.length) {
    const none = document.createElement("p");
    none.textContent = "No section has all of these words.";
    list.append(none);
  }
  list.hidden = false;
}

async function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) {
    list.hidden = true;
    return;
  }
  await load();
  show(words);
}

function move(step) {
  const links = [...list.querySelectorAll("a")];
  if (!links.length) return;
  if (links[at]) links[at].classList.remove("at");
  at = (at + step + links.length) % links.length;
  links[at].classList.add("at");
  links[at].scrollIntoView({ block: "nearest" });
}

box.addEventListener("input", search);
box.addEventListener("focus", load);
box.addEventListener("keydown", (e) => {
  if (e.key === "ArrowDown" || e.key === "ArrowUp") move(e.key === "ArrowDown" ? 1 : -1);
  else if (e.key === "Enter") (list.querySelector("a.at") || list.querySelector("a"))?.click();
  else if (e.key === "Escape") list.hidden = true;
  else return;
  e.preventDefault();
});
list.addEventListener("click", () => { list.hidden = true; });
document.addEventListener("click", (e) => { if (!e.target.closest(".search")) list.hidden = true; });
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    box.focus();
    e.preventDefault();
  }
});
