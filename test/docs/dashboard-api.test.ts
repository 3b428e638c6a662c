import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dashboardRoutes } from "../../api/dashboard/index.ts";
import { dashboardShapes } from "../../core/model/routes/index.ts";

const page = readFileSync("docs/dashboard-api.md", "utf8");

test("the page has every call of the Dashboard API, with who may make it", () => {
  const rows = [...page.matchAll(/^\| `([A-Z]+ \/[\w/:-]+)` +\| (\w+) +\|/gmu)];
  const shown = rows.map(([, call, who]) => `${call} ${who}`);
  const routes = dashboardRoutes.map(({ method, path, access }) => {
    return `${method} ${path} ${access.kind === "role" ? access.role : "anyone"}`;
  });
  expect(shown.toSorted()).toEqual(routes.toSorted());
});

test("every shape has one route", () => {
  const names = dashboardRoutes.map(({ method, path }) => `${method} ${path}`);
  expect(names.toSorted()).toEqual(Object.keys(dashboardShapes).toSorted());
});
