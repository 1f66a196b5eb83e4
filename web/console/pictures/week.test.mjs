import assert from "node:assert/strict";
import test from "node:test";
import { firesIn, grouped, mondayOf, weekOf, weeksLater } from "./week.mjs";

const berlin = "Europe/Berlin";
const at = (iso) => Date.parse(iso);
const schedule = (cron, paused = false, nextFires = []) => ({
  cron: [cron],
  timezone: berlin,
  paused,
  nextFires,
  createdAt: "2011-01-01T00:00:00Z",
});
const run = (fireTime, state = "SUCCEEDED", more = {}) => ({
  id: fireTime,
  reportId: 1,
  trigger: "schedule",
  state,
  fireTime,
  attempt: 1,
  ...more,
});

test("a week begins on Monday by the zone's clocks", () => {
  assert.equal(mondayOf(berlin, at("2026-11-22T22:59:00Z")), "2026-11-16");
  assert.equal(mondayOf(berlin, at("2026-11-22T23:00:00Z")), "2026-11-23");
  assert.equal(mondayOf("Pacific/Kiritimati", at("2026-11-22T11:00:00Z")), "2026-11-23");
  assert.equal(weeksLater("2026-12-28", 1), "2027-01-04");
});

test("the week in which summer time begins is an hour shorter, and says which", () => {
  const week = weekOf(berlin, "2026-03-23", at("2026-03-25T12:00:00Z"));
  assert.equal((week.to - week.from) / 3_600_000, 7 * 24 - 1);
  assert.deepEqual(
    week.days.map((d) => d.skipped),
    [[], [], [], [], [], [], [[120, 180]]],
  );
  assert.deepEqual(
    week.days.map((d) => d.today),
    [false, false, true, false, false, false, false],
  );
});

test("the week in which it ends is an hour longer", () => {
  const week = weekOf(berlin, "2026-10-19", 0);
  assert.equal((week.to - week.from) / 3_600_000, 7 * 24 + 1);
  assert.deepEqual(week.days[6].repeated, [[120, 180]]);
});

test("a day that does not exist is skipped whole", () => {
  const week = weekOf("Pacific/Apia", "2011-12-26", 0);
  assert.deepEqual(week.days[4].skipped, [[0, 1440]]);
});

test("a fire inside the gap stands at its end, one that occurs twice stands once", () => {
  const spring = firesIn(schedule("30 2 * * *"), [], weekOf(berlin, "2026-03-23", 0), 0).fires;
  assert.deepEqual(spring.map((f) => [f.day, f.minute]).slice(5), [
    [5, 150],
    [6, 180],
  ]);
  const autumn = firesIn(schedule("30 2 * * *"), [], weekOf(berlin, "2026-10-19", 0), 0).fires;
  assert.deepEqual(autumn.map((f) => [f.day, f.minute]).slice(5), [
    [5, 150],
    [6, 150],
  ]);
});

test("what became of each fire is told by its run", () => {
  const now = at("2026-11-20T12:00:00Z");
  const runs = [
    run("2026-11-16T06:00:00Z"),
    run("2026-11-17T06:00:00Z", "FAILED"),
    run("2026-11-19T06:00:00Z", "SUCCEEDED", { trigger: "catchUp", missedFires: 1 }),
    run("2026-11-20T06:00:00Z", "SKIPPED"),
    run("2026-11-20T06:30:00Z", "SUCCEEDED", { trigger: "manual" }),
    run("2026-11-20T06:40:00Z", "SUCCEEDED", { trigger: "hook" }),
    run("2026-11-20T06:50:00Z", "SUCCEEDED", { trigger: "change" }),
  ];
  const week = weekOf(berlin, "2026-11-16", now);
  const outcomes = (paused) => firesIn(schedule("0 7 * * *", paused), runs, week, now).fires.map((f) => f.outcome);
  assert.deepEqual(outcomes(false), ["done", "failed", "missed", "caughtUp", "skipped", "due", "due"]);
  assert.deepEqual(outcomes(true).slice(5), ["paused", "paused"]);
});

test("a run of the next week stands for what was missed in this one", () => {
  const runs = [run("2026-11-22T23:30:00Z", "SUCCEEDED", { trigger: "catchUp", missedFires: 2 })];
  const week = weekOf(berlin, "2026-11-16", 0);
  const { fires } = firesIn(schedule("0,30 * * * *"), runs, week, at("2026-11-23T12:00:00Z"));
  assert.deepEqual(
    fires.slice(-2).map((f) => f.outcome),
    ["unknown", "missed"],
  );
});

test("a fire without a run is not said to be missed", () => {
  const week = weekOf(berlin, "2026-11-16", 0);
  assert.equal(firesIn(schedule("0 7 * * *"), [], week, at("2026-11-18T12:00:00Z")).fires[0].outcome, "unknown");
});

test("a schedule did not fire before it was made", () => {
  const made = { ...schedule("0 7 * * *"), createdAt: "2026-11-19T12:00:00Z" };
  const { fires } = firesIn(made, [], weekOf(berlin, "2026-11-16", 0), 0);
  assert.deepEqual(
    fires.map((f) => f.day),
    [4, 5, 6],
  );
});

test("expressions that cannot be expanded show the fires that the service told", () => {
  const got = firesIn(schedule("@every 90000ms", false, ["2026-11-18T06:00:00Z"]), [], weekOf(berlin, "2026-11-16", 0), 0);
  assert.deepEqual([got.exact, got.fires.map((f) => f.day)], [false, [2]]);
});

test("many fires of an hour are drawn as one, with the worst outcome", () => {
  const now = at("2026-11-16T00:30:00Z");
  const { fires } = firesIn(schedule("*/5 1,2 * * mon"), [run("2026-11-16T00:10:00Z", "FAILED")], weekOf(berlin, "2026-11-16", now), now);
  const got = grouped(fires).map((g) => [g.minute, g.minutes, g.outcome, g.fires.length]);
  assert.deepEqual(got, [
    [60, 60, "failed", 12],
    [120, 60, "due", 12],
  ]);
  assert.equal(grouped(fires.slice(0, 4)).length, 4);
});

test("fires of one minute are one mark, which shows the failure among them", () => {
  const week = weekOf(berlin, "2026-11-16", 0);
  const one = firesIn(schedule("0 7 * * mon"), [run("2026-11-16T06:00:00Z")], week, 0).fires;
  const other = firesIn(schedule("0 7 * * mon"), [run("2026-11-16T06:00:00Z", "FAILED")], week, 0).fires;
  assert.deepEqual(
    grouped([...other, ...one]).map((g) => [g.minute, g.outcome, g.fires.length]),
    [[420, "failed", 2]],
  );
});

test("what became of a tick is shown: skipped, taken over, waiting, not known", () => {
  const week = weekOf(berlin, "2026-11-16", at("2026-11-20T12:00:00Z"));
  const states = [["SKIPPED", {}], ["SUPERSEDED", {}], ["QUEUED", { attempt: 2 }], ["QUEUED", { attempt: 0 }], ["DREAMING", {}]];
  const runs = states.map(([state, more], i) => run(`2026-11-${16 + i}T06:00:00Z`, state, more));
  const { fires } = firesIn(schedule("0 7 * * *"), runs, week, at("2026-11-20T12:00:00Z"));
  assert.deepEqual(fires.slice(0, 5).map(({ outcome }) => outcome), ["skipped", "superseded", "waiting", "running", "unknown"]);
  assert.equal(grouped(fires).length, fires.length);
});
