#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens pages of a site in headless Chromium, in a frame of one width, and prints what a script finds of each.

    site_browser.py CHROMIUM SITE WIDTH light|dark SCRIPT PAGE...

SCRIPT is the body of an asynchronous function of (page, d, w): the page's name, its document and its window. A line of the
output is the page and what SCRIPT returned. The site comes from a server of this process, which the browser answers."""
import http.server
import json
import subprocess
import sys
import tempfile
import threading

chromium, site, width, colour, script, *pages = sys.argv[1:]
FRAMES = """<!DOCTYPE html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><body><script>
const check = async (page, d, w) => { %s };
(async () => {
  const found = [];
  for (const page of %s) {
    const f = document.createElement("iframe");
    f.style = "border: 0; height: 800px; width: %dpx";
    f.src = page;
    await new Promise((done) => { f.onload = done; document.body.append(f); });
    try { found.push(page + "\\t" + await check(page, f.contentDocument, f.contentWindow)); }
    catch (e) { found.push(page + "\\t" + e); }
    f.remove();
  }
  fetch("/found", { method: "POST", body: found.join("\\n") });
})();
</script>"""
answer, answered = [], threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory=site)

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path != "/frames":
            return super().do_GET()
        text = (FRAMES % (script, json.dumps(pages), int(width))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(text)
        return None

    def do_POST(self):
        answer.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()
        answered.set()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = subprocess.Popen([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                f"--user-data-dir={profile}", f"--blink-settings=preferredColorScheme={0 if colour == 'dark' else 1}",
                                "--window-size=1300,900", "--remote-debugging-port=0", f"http://127.0.0.1:{server.server_port}/frames"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    drain = threading.Thread(target=lambda: said.append(browser.stderr.read().decode(errors="replace")), daemon=True)
    said = []
    drain.start()
    got = answered.wait(120)
    browser.terminate()
    browser.wait()
    drain.join(5)
if not got:
    sys.exit("the browser gave no answer within two minutes: " + "".join(said)[-500:])
print(answer[0])
