import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

import { Api, Away, EventParser, follow, pause, Problem, Session, SignedOut } from "./api.mjs";
import { cellText, count, when } from "./text.mjs";

class MemoryStorage {
  values = new Map();
  getItem(key) {
    return this.values.get(key) ?? null;
  }
  setItem(key, value) {
    this.values.set(key, value);
  }
  removeItem(key) {
    this.values.delete(key);
  }
}

/** An Api whose server gives the answers in turn: [status, body, headers] or an error; asked is what it was asked. */
function apiOf(answers, { tokens = { access: "first" }, signIn } = {}) {
  const asked = [];
  const session = new Session(new MemoryStorage(), "https://host.example");
  session.tokens = tokens;
  const away = [];
  mock.method(globalThis, "fetch", async (path, { method, headers, body }) => {
    asked.push(`${method} ${path} ${headers.Authorization ?? "-"} ${body ?? ""}`.trim());
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    const [status, text, more] = answer;
    return new Response(status === 204 ? null : JSON.stringify(text), { status, headers: more });
  });
  mock.method(globalThis, "setTimeout", (fn) => {
    queueMicrotask(fn);
    return 0;
  });
  return { api: new Api(session, { onAway: (a) => away.push(a), signIn: signIn && (() => signIn(session)) }), asked, away, session };
}

afterEach(() => mock.restoreAll());

const down = new TypeError("fetch failed");

test("a request is tried again while the server is away or busy, and says when it is there again", async () => {
  const { api, away, asked } = apiOf([down, [503, {}, { "Retry-After": "1" }], [200, { ok: 1 }]]);
  assert.deepEqual(await api.get("/me"), { ok: 1 });
  assert.equal(asked.length, 3);
  assert.deepEqual(away, ["server", ""]);
});

test("an answer says whether the storage is away or the server", async () => {
  const { api, away } = apiOf([[503, { code: "storage_loading" }], down, [503, { code: "storage_unavailable" }], [200, {}]]);
  await api.get("/me");
  assert.deepEqual(away, ["storage", "server", "storage", ""]);
});

test("a storage that is full refuses writes, and is not away", async () => {
  const { api, away } = apiOf([[503, { code: "storage_full" }]]);
  await assert.rejects(api.post("/x", {}), (error) => error instanceof Problem && error.code === "storage_full");
  assert.deepEqual(away, []);
});

test("what may not be sent twice is sent once, unless the server did nothing with it", async () => {
  const lost = apiOf([down]);
  await assert.rejects(lost.api.post("/x", {}), Away);
  const limited = apiOf([
    [429, {}, { "Retry-After": "1" }],
    [200, {}],
  ]);
  await limited.api.post("/x", {});
  assert.equal(limited.asked.length, 2);
});

test("patience ends", async () => {
  const { api } = apiOf(Array(3).fill([503, { message: "Busy.", code: "unavailable" }]));
  await assert.rejects(
    api.get("/x", { patience: 0 }),
    (error) => error instanceof Problem && error.status === 503 && error.message === "Busy.",
  );
});

test("an ended token is renewed once for all who wait, and kept", async () => {
  const tokens = { access: "first", refresh: "r1" };
  const { api, asked, session } = apiOf(
    [
      [401, {}],
      [401, {}],
      [200, { access_token: "second", refresh_token: "r2", expires_in: 60 }],
      [200, 1],
      [200, 2],
    ],
    { tokens },
  );
  assert.deepEqual((await Promise.all([api.get("/a"), api.get("/b")])).sort(), [1, 2]);
  assert.equal(asked.filter((one) => one.includes("/device/token")).length, 1);
  assert.ok(asked.at(-1).includes("Bearer second"));
  assert.equal(session.tokens.refresh, "r2");
});

test("who insists is answered once the server is neither away nor busy, and by a refusal too", async () => {
  const { api, asked } = apiOf([down, [503, {}], [429, {}], [200, { email: "ana@example.com" }], [401, {}]]);
  assert.equal((await api.insist("GET", "/me", { token: "third" })).status, 200);
  assert.equal((await api.insist("GET", "/me", { token: "ended" })).status, 401);
  assert.deepEqual(asked.slice(3), ["GET /api/v1/me Bearer third", "GET /api/v1/me Bearer ended"]);
});

test("where a token cannot be renewed, the request waits for another sign-in", async () => {
  const refused = [400, { error: "invalid_grant" }];
  const answers = [[401, {}], refused, [200, "done"]];
  const { api } = apiOf(answers, {
    tokens: { access: "first", refresh: "old" },
    signIn: async (session) => {
      session.tokens = { access: "third" };
    },
  });
  assert.equal(await api.get("/a"), "done");
  const gone = apiOf([[401, {}]]);
  await assert.rejects(gone.api.get("/a"), SignedOut);
  assert.equal(gone.session.tokens, null);
});

test("a list is read page by page", async () => {
  const page = (items, next) => [200, { items, pageInfo: { hasNextPage: Boolean(next), endCursor: next } }];
  const { api, asked } = apiOf([page([1, 2], "c+/="), page([3])]);
  const pages = [];
  assert.deepEqual(await api.all("/x?include=y", (items) => pages.push(items)), [1, 2, 3]);
  assert.deepEqual(pages, [[1, 2], [3]]);
  assert.ok(asked[1].includes("/x?include=y&first=500&after=c%2B%2F%3D"));
});

test("tokens belong to the origin that frames the face", () => {
  const storage = new MemoryStorage();
  new Session(storage, "https://a.example").tokens = { access: "a", expires: 1 };
  assert.equal(new Session(storage, "https://b.example").tokens, null);
  storage.setItem("mooring.session:https://b.example", "{not json");
  assert.equal(new Session(storage, "https://b.example").tokens, null);
});

test("waits double up to a bound, or are what the server asks for", () => {
  assert.equal(pause(5, "7"), 7000);
  for (const [attempt, most] of [
    [0, 500],
    [1, 1000],
    [20, 15_000],
  ]) {
    const ms = pause(attempt, null);
    assert.ok(ms > most / 2 && ms <= most, `${attempt}: ${ms}`);
  }
});

test("events are read wherever the stream is cut", () => {
  const stream =
    ': connected\n\nid: 1-0\nevent: run.started\ndata: {"type":"run.started","reportId":3,"data":{}}\n\n' +
    'event: gap\ndata: {"message":"read anew"}\n\n: \n\nid: 2-0\nevent: x\ndata: {"type":"x","reportId":4,"data":{}}\n\n';
  for (let size = 1; size <= stream.length; size++) {
    const parser = new EventParser();
    const events = [];
    for (let i = 0; i < stream.length; i += size) events.push(...parser.push(stream.slice(i, i + size)));
    assert.deepEqual(
      events.map((e) => e.type),
      ["run.started", "gap", "x"],
      `pieces of ${size}`,
    );
    assert.equal(parser.lastId, "2-0");
  }
});

test("a stream that follows nothing read before begins with a gap, one that is resumed does not", async () => {
  const told = [];
  const ended = new AbortController();
  const streams = ["", 'id: 1-0\nevent: x\ndata: {"type":"x","reportId":4,"data":{}}\n\n', ""];
  const asked = [];
  const api = {
    open: async (method, path, { headers }) => {
      asked.push(headers["Last-Event-ID"] ?? "none");
      if (!streams.length) ended.abort();
      return new Response(streams.shift() ?? "");
    },
  };
  mock.method(globalThis, "setTimeout", (fn) => {
    queueMicrotask(fn);
    return 0;
  });
  await follow(api, 1, (event) => told.push(event.type), ended.signal);
  assert.deepEqual(asked, ["none", "none", "1-0", "1-0"]);
  assert.deepEqual(told, ["gap", "gap", "x"]);
});

test("times read as one would say them", () => {
  const now = new Date(2026, 10, 22, 9, 30);
  for (const [at, want] of [
    [new Date(2026, 10, 22, 7, 0), "07:00"],
    [new Date(2026, 10, 21, 23, 5), "yesterday 23:05"],
    [new Date(2026, 10, 23, 0, 1), "tomorrow 00:01"],
    [new Date(2026, 4, 3, 7, 0), "3 May, 07:00"],
    [new Date(2025, 11, 31, 7, 0), "31 Dec 2025"],
  ])
    assert.equal(when(at.toISOString(), now), want);
  assert.equal(when(undefined, now), "");
  const noon = new Date("2026-11-22T12:00:00Z");
  for (const [at, zone, want] of [
    ["2026-11-22T06:00:00Z", "Europe/Berlin", "07:00"],
    ["2026-11-22T15:30:00Z", "Asia/Tokyo", "tomorrow 00:30"],
    ["2026-11-22T02:00:00Z", "America/New_York", "yesterday 21:00"],
    ["2026-01-01T04:00:00Z", "America/New_York", "31 Dec 2025"],
  ])
    assert.equal(when(at, noon, zone), want);
});

test("numbers and cells are written for people", () => {
  assert.equal(count(1, "row"), "1 row");
  assert.equal(count(12_345, "row"), "12,345 rows");
  assert.deepEqual([null, "", 1234.5, true, "a", { error: "#N/A" }, { formula: "=A1", value: 2 }].map(cellText), [
    "",
    "",
    "1,234.5",
    "TRUE",
    "a",
    "#N/A",
    "=A1",
  ]);
});
