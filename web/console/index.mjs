/** The console's screens, and its beginning. */
import { Console } from "./console.mjs";

/**
 * The module of each screen, by its pattern. Those without a colon are in the navigation, in this order: failures first.
 * @type {Record<string, () => Promise<import("./console.mjs").ScreenModule>>}
 */
const SCREENS = {
  overview: () => import("./screens/overview.mjs"),
  documents: () => import("./screens/documents.mjs"),
  placements: () => import("./screens/placements.mjs"),
  "placements/:report/:placement": () => import("./screens/placement.mjs"),
  runs: () => import("./screens/runs.mjs"),
  "runs/:run": () => import("./screens/run.mjs"),
  reports: () => import("./screens/reports.mjs"),
  "reports/new": () => import("./screens/build.mjs"),
  "reports/:report": () => import("./screens/report.mjs"),
  "reports/:report/edit": () => import("./screens/build.mjs"),
  workbooks: () => import("./screens/workbooks.mjs"),
  "workbooks/:workbook": () => import("./screens/workbook.mjs"),
  schedules: () => import("./screens/schedules.mjs"),
  "schedules/new": () => import("./screens/schedule-edit.mjs"),
  "schedules/:id": () => import("./screens/schedule.mjs"),
  "schedules/:id/edit": () => import("./screens/schedule-edit.mjs"),
  agents: () => import("./screens/agents.mjs"),
  quota: () => import("./screens/quota.mjs"),
  keys: () => import("./screens/keys.mjs"),
  audit: () => import("./screens/audit.mjs"),
};

const app = new Console(SCREENS);
app.start().catch(app.fail);
