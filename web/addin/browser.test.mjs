/** The twin in a real browser, as a module and as the plain script, against the vectors that Go and Node are held to. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { text } from "node:stream/consumers";

import { twin } from "./bundle.mjs";

const PATIENCE = 600_000; // ms for the browser to start and answer on a busy machine

const page = `<!doctype html><meta charset="utf-8"><script src="/plain.js"></script><script type="module">
  const verdicts = {};
  try {
    const [arithmetic, checksums, { hold }, vectors] = await Promise.all([
      import("/mooring.mjs"), import("/checksum.mjs"), import("/vectors.mjs"), fetch("/vectors.json").then((answer) => answer.json()),
    ]);
    verdicts.module = await hold({ ...arithmetic, ...checksums }, vectors);
    verdicts.script = await hold(Mooring, vectors);
    verdicts.digests = typeof crypto.subtle;
  } catch (error) {
    verdicts.error = String(error.stack || error);
  }
  await fetch("/verdict", { method: "POST", body: JSON.stringify(verdicts) });
</script>`;

const file = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

/** What the page asks for: its type and its text. */
function served(path) {
  switch (path) {
    case "/":
      return ["text/html", page];
    case "/plain.js":
      return ["text/javascript", twin()];
    case "/mooring.mjs":
    case "/checksum.mjs":
    case "/vectors.mjs":
      return ["text/javascript", file("." + path)];
    case "/vectors.json":
      return ["application/json", file("../../checksum/testdata/vectors.json")];
  }
  return undefined;
}

/** A server on a free port of loopback; verdict comes true when the page has sent it. */
async function serve() {
  let judged;
  const verdict = new Promise((resolve) => (judged = resolve));
  const server = createServer(async (request, response) => {
    if (request.url === "/verdict") judged(JSON.parse(await text(request)));
    const [type, body] = served(request.url) ?? [];
    response.writeHead(type || request.url === "/verdict" ? 200 : 404, { "Content-Type": `${type ?? "text/plain"}; charset=utf-8` });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, verdict, url: `http://127.0.0.1:${server.address().port}/` };
}

function findBrowser() {
  for (const directory of process.env.PATH.split(delimiter)) {
    for (const name of ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]) {
      try {
        accessSync(join(directory, name), constants.X_OK);
        return join(directory, name);
      } catch {
        // not there
      }
    }
  }
  return undefined;
}

const browser = findBrowser();
const skip = browser || process.env.MOORING_TEST_REQUIRE ? false : "no chromium: apt-get install chromium-headless-shell";

test("a browser gives every vector the bytes and digests that Go gives it", { skip }, async (t) => {
  assert.ok(browser, "no chromium: apt-get install chromium-headless-shell");
  const profile = mkdtempSync(join(tmpdir(), "mooring-browser-"));
  const { server, verdict, url } = await serve();
  const child = spawn(browser, [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`,
    "--remote-debugging-port=0", url, // without a port to be driven by, a headless browser loads the page and is gone
  ], { stdio: ["ignore", "ignore", "pipe"], detached: true });
  const said = text(child.stderr);
  const exited = new Promise((resolve) => child.on("exit", resolve));
  let timer;
  t.after(async () => {
    clearTimeout(timer);
    try {
      process.kill(-child.pid, "SIGKILL"); // its group: helpers that outlive the browser still write to the profile
    } catch {
      // it has ended
    }
    await exited;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  });
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE, "late")));
  const got = await Promise.race([verdict, exited, late]);
  if (typeof got !== "object" || got === null) {
    child.kill("SIGKILL");
    assert.fail(`the page has sent no verdict: ${await said}`);
  }
  assert.equal(got.error, undefined);
  assert.equal(got.digests, "object", "the page has the platform's digests");
  for (const { checked, faults } of [got.module, got.script]) {
    assert.deepEqual(faults, []);
    assert.ok(checked > 300, `${checked} facts were checked`);
  }
});
