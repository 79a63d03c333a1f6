#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tools for Galaxy in workflows/galaxy, without Galaxy.

    galaxy_tools.py check FOLDER              the parts that each tool needs, by rules of our own; by Galaxy's linters too where
                                        galaxy-tool-util is installed. Exits 1 with what was found.
    galaxy_tools.py run FOLDER OUT            expands each <test> into a command line, runs it, and compares what it left with the
                                        files of test-data as Galaxy does, and then without the lines that differ by nature
    galaxy_tools.py write FOLDER OUT          the same, but copies what HMMER's programs left into test-data: needs a hmmsieve in
                                        front of the PATH that prints HMMER's folder

The commands are templates of Cheetah. A part of that language is enough, "#if", "#end if" and "$name", which this script reads;
where Cheetah is installed (galaxy-tool-util brings it) both must give the same command.
"""
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

# Lines that name program, version, folder, times or date.
OWN = re.compile(r"# (HMMER 3|Copyright|Freely|The (interface|format) is|CPU time|Mc/sec|Program:|Version:|Current dir:|Date:)"
                 r"|#=GF AU|DATE|HMMER3/f")
FOLDER = re.compile(r"(?<=# Option settings: )\S*/")


class Value:
    """A parameter as a template sees it: a text, or a group with names."""

    def __init__(self, text=""):
        self.text = text

    def __str__(self):
        return self.text

    def __bool__(self):
        return self.text not in ("", "false", "False")


def read(path):
    """Returns the tree of a tool with its macros and tokens in their places."""
    root = xml.parse(path).getroot()
    macros, tokens = {}, {}
    for name in root.findall("macros/import"):
        for m in xml.parse(os.path.join(os.path.dirname(path), name.text)).getroot():
            if m.tag == "xml":
                macros[m.get("name")] = m
            elif m.tag == "token":
                tokens[m.get("name")] = m.text or ""
    root.remove(root.find("macros"))

    def put(element):
        for child in list(element):
            if child.tag == "expand":
                at = list(element).index(child)
                element.remove(child)
                for n, new in enumerate(put(xml.fromstring(xml.tostring(macros[child.get("macro")])))):
                    element.insert(at + n, new)
            else:
                put(child)
        return element

    def fill(text):
        while text and re.search("|".join(tokens), text):
            text = re.sub("|".join(tokens), lambda m: tokens[m[0]], text)
        return text

    put(root)
    for element in root.iter():
        element.text = fill(element.text)
        for key in element.attrib:
            element.set(key, fill(element.get(key)))
    return root


def name_of(param):
    return param.get("name") or param.get("argument").lstrip("-").replace("-", "_")


def default(param):
    if param.get("type") == "select":
        chosen = [o.get("value") for o in param.findall("option") if o.get("selected") == "true"]
        if param.get("multiple") != "true" and not chosen:
            chosen = [param.find("option").get("value")]
        return ",".join(chosen)
    if param.get("type") == "boolean":
        return param.get("checked", "false")
    return param.get("value", "")


def answer(param, given, data):
    """The text of a parameter: what a test gives, or the default."""
    text = default(param) if given is None else given
    kind = param.get("type")
    if kind == "boolean":
        on = text in ("true", param.get("truevalue"))
        return param.get("truevalue", "true") if on else param.get("falsevalue", "false")
    if kind == "select":
        values = [o.get("value") for o in param.findall("option")]
        for word in text.split(","):
            if word not in values and not (word == "" and param.get("optional") == "true"):
                sys.exit(f"galaxy_tools.py: {name_of(param)} has no value {word}")
    if kind == "data" and text:
        return os.path.join(data, text)
    if kind == "data" and param.get("optional") != "true":
        sys.exit(f"galaxy_tools.py: a test gives no {name_of(param)}")
    return text or ("None" if kind in ("data", "select") and param.get("optional") == "true" else "")


def values(inputs, given, data):
    """Returns the names that a template has for these inputs; takes what it uses out of given."""
    out = {}
    for element in inputs:
        if element.tag == "param":
            out[name_of(element)] = Value(answer(element, given.pop(name_of(element), None), data))
        elif element.tag in ("section", "conditional"):
            group, inner = Value(), given.pop(element.get("name"), {})
            found = values(element, inner, data)
            if element.tag == "conditional":
                by = str(next(iter(found.values())))
                cases = [w for w in element.findall("when") if w.get("value") == by]
                if len(cases) != 1:
                    sys.exit(f"galaxy_tools.py: {element.get('name')} has {len(cases)} cases for {by}")
                found.update(values(cases[0], inner, data))
            if inner:
                sys.exit(f"galaxy_tools.py: {element.get('name')} has no {', '.join(inner)}")
            group.__dict__.update(found)
            out[element.get("name")] = group
    return out


def given_by(test):
    out = {}
    for element in test:
        if element.tag == "param":
            out[element.get("name")] = element.get("value")
        elif element.tag in ("section", "conditional"):
            out[element.get("name")] = given_by(element)
    return out


def expand(template, names):
    """Fills the part of Cheetah that these tools use."""
    lines, states = [], [True]
    for line in template.split("\n"):
        word = line.strip()
        if word.startswith("#if "):
            states.append(states[-1] and bool(eval(re.sub(r"\$(?=[a-z])", "", word[4:]), {"str": str}, names)))
        elif word == "#end if":
            states.pop()
        elif word.startswith("#"):
            sys.exit(f"galaxy_tools.py: {word} is not in the part of Cheetah that is read here")
        elif states[-1]:
            lines.append(re.sub(r"(\\?)\$([a-z]\w*(?:\.\w+)*)", lambda m: m[0] if m[1] else str(eval(m[2], {}, names)), line))
    return re.sub(r"\\\$", "$", "\n".join(lines))


def cheetah(template, names):
    try:
        from Cheetah.Template import Template
    except ImportError:
        return None
    return str(Template(template, searchList=[names]))


def outputs_of(tool, names):
    """The outputs whose filter lets them through."""
    seen = {n: str(v) if not vars(v).keys() - {"text"} else {k: str(w) for k, w in vars(v).items()} for n, v in names.items()}
    seen = {n: v == "true" if v in ("true", "false") else v for n, v in seen.items()}
    for group in seen.values():
        if isinstance(group, dict) and group.get("tables") == "None":
            group["tables"] = None
    return [d for d in tool.find("outputs") if all(eval(f.text, {}, seen) for f in d.findall("filter"))]


def unlike(want, got, allowed):
    """Returns the differences, as Galaxy counts them, and apart from lines that differ by nature; empty if there are none."""
    with open(want) as f, open(got) as g:
        a, b = f.readlines(), g.readlines()
    diff = list(difflib.unified_diff(a, b, want, got))
    changed = sum(d[0] in "+-" and d[:3] not in ("+++", "---") for d in diff)
    if changed > allowed:
        return f"{changed} lines differ, at most {allowed} may:\n" + "".join(diff[:40])
    diff = list(difflib.unified_diff(*([FOLDER.sub("", re.sub(r" +", " ", x)) for x in t if not OWN.match(x)] for t in (a, b)), want, got))
    return "".join(diff[:40])


def run_test(tool, test, where, data, write):
    names = values(tool.find("inputs"), given_by(test), data)
    outputs = outputs_of(tool, names)
    template = tool.find("command").text
    command = expand(template, names)
    other = cheetah(template, names)
    if other is not None and other.split() != command.split():
        sys.exit(f"galaxy_tools.py: Cheetah expands to\n{other}\nand this script to\n{command}")
    work = os.path.join(where, "work")
    os.makedirs(work)
    done = subprocess.run(["bash", "-ec", " ".join(command.split())], cwd=work, capture_output=True, text=True)
    if done.returncode:
        return f"status {done.returncode} of {' '.join(command.split())}\n{done.stdout}{done.stderr}"
    if int(test.get("expect_num_outputs", len(outputs))) != len(outputs):
        return f"{len(outputs)} outputs, expected {test.get('expect_num_outputs')}"
    wrong = ""
    for o in test.findall("output"):
        made = [d.get("from_work_dir") for d in outputs if d.get("name") == o.get("name")]
        if not made:
            return f"the filters leave no output {o.get('name')}"
        got, want = os.path.join(work, made[0]), os.path.join(data, o.get("file"))
        if write:
            shutil.copyfile(got, want)
        wrong += unlike(want, got, int(o.get("lines_diff", 0)))
    return wrong


def run(folder, out, write=False):
    data, ran, bad = os.path.abspath(os.path.join(folder, "test-data")), 0, 0
    for path in sorted(glob.glob(os.path.join(folder, "[!m]*.xml"))):
        tool = read(path)
        for number, test in enumerate(tool.find("tests"), 1):
            where = os.path.abspath(os.path.join(out, f"{tool.get('id')}.{number}"))
            wrong = run_test(tool, test, where, data, write)
            ran += 1
            if wrong:
                bad += 1
                print(f"{path}, test {number}: {wrong}")
    print(f"{ran} tests, {bad} wrong")
    sys.exit(1 if bad or not ran else 0)


def check_tool(path, say):
    tool, folder = read(path), os.path.dirname(path)
    name = tool.get("name")
    for part in ("description", "requirements", "version_command", "command", "inputs", "outputs", "tests", "help", "citations"):
        if tool.find(part) is None:
            say(path, f"it has no <{part}>")
    template = tool.find("command").text
    offered = subprocess.run(["bash", "-c", f'"$(hmmsieve --hmmer-path)/{name}" -h'], capture_output=True, text=True).stdout
    options = set(re.findall(r"(?<=\s)--?[A-Za-z][\w]*", template))
    options |= {w for o in tool.iter("option") for w in [o.get("value")] if w.startswith("-")} | {
        p.get("truevalue") for p in tool.iter("param") if p.get("truevalue")}
    for option in sorted(options - {"--hmmer", "-s"}):
        if not re.search(rf"^ +{re.escape(option)} ", offered, re.M):
            say(path, f"{name} -h has no option {option}")
    used = set(re.findall(r"\$([a-z]\w*(?:\.\w+)*)", template.replace("\\$", "")))
    known = set()
    for d in tool.find("outputs"):
        if d.get("from_work_dir") not in template.split():
            say(path, f"the command writes no {d.get('from_work_dir')}")
    for element in tool.find("inputs"):
        inner = element.iter("param") if element.tag != "param" else [element]
        prefix = element.get("name") + "." if element.tag != "param" else ""
        known |= {prefix + name_of(p) for p in inner}
    for what, names in (("the command uses no", known - used), ("there is no input", used - known)):
        for n in sorted(names):
            say(path, f"{what} {n}")
    tested = {o.get("name") for o in tool.find("tests").iter("output")}
    for n in sorted({d.get("name") for d in tool.find("outputs")} - tested):
        say(path, f"no test has the output {n}")
    for element in tool.find("tests").iter():
        for f in [element.get("file")] + ([element.get("value")] if element.get("ftype") and element.tag == "param" else []):
            if f and not os.path.exists(os.path.join(folder, "test-data", f)):
                say(path, f"test-data has no {f}")


def check(folder):
    found = []
    paths = sorted(glob.glob(os.path.join(folder, "[!m]*.xml")))
    for path in paths:
        check_tool(path, lambda p, what: found.append(f"{p}: {what}"))
    linters = 0
    try:
        from galaxy.tool_util.lint import get_lint_context_for_tool_source
        from galaxy.tool_util.parser import get_tool_source
    except ImportError:
        print("# galaxy-tool-util is not installed: checked by our own rules only")
    else:
        for path in paths:
            context = get_lint_context_for_tool_source(get_tool_source(os.path.abspath(path)))
            linters += 1
            found += [f"{path}: {m}" for m in context.warn_messages + context.error_messages]
    print("\n".join(found + [f"{len(paths)} tools, {linters} of them by Galaxy's linters, {len(found)} faults"]))
    sys.exit(1 if found or not paths else 0)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "check":
        check(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] in ("run", "write"):
        run(sys.argv[2], sys.argv[3], sys.argv[1] == "write")
    else:
        sys.exit(__doc__)
