import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { createOpenApi } from "../../api/openapi/openapi.ts";
import { v1Routes } from "../../api/v1/index.ts";
import { eventTypes } from "../../core/model/event-types.ts";
import { scopes } from "../../core/model/principal.ts";
import { listLateRuns, lostRunKinds } from "../../core/services/operations/lost-runs.ts";
import { migrations } from "../../db/migrations/index.ts";
import type { Tx } from "../../db/transaction.ts";
import { en } from "../../dashboard/src/locales/en/index.ts";
import { scenarios } from "../../tools/faults/scenarios/index.ts";
import { scheduleIds } from "../../worker/schedules.ts";
import { importsOf, listSources, readSource } from "../support/imports.ts";

// A step that is missing here is checked by the compiler or by another test.

/** Text of the group that matched, for each match. */
function listMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups.find(Boolean) ?? "");
}

/** Part of a text between two marks, without them. */
function between(text: string, start: string, end: string): string {
  const [, rest] = text.split(start, 2);
  const part = rest?.split(end, 1)[0];
  if (part === undefined || part === rest) throw new Error(`${start} … ${end} is not there.`);
  return part;
}

/** Names outside of `listed`. A name with a reason in `exceptions` must stay outside. */
function listForgotten(
  names: readonly string[],
  listed: readonly string[],
  exceptions: Record<string, string> = {},
): string[] {
  const needless = Object.keys(exceptions).filter(
    (name) => listed.includes(name) || !names.includes(name),
  );
  const forgotten = names.filter((name) => !listed.includes(name) && !(name in exceptions));
  return [...forgotten, ...needless.map((name) => `${name} is no exception any more`)];
}

/** `send-mail` becomes `sendMail`. */
function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());
}

const guide = between(readSource("docs/architecture.md"), "\n## To add something\n", "\n## ");

test("every recipe of the guide is known here, so that a new one comes with its checks", () => {
  expect(listMatches(guide, /^### (.+)$/gmu)).toEqual([
    "An event type",
    "An inbound action",
    "A route of API v1",
    "A route of the Dashboard API",
    "A Dashboard page",
    "A workflow",
    "A migration",
    "A setting",
    "An error code",
    "Smaller things",
  ]);
  expect(listMatches(guide, /^\| (an? .+?) +\| /gmu)).toEqual([
    "a scope",
    "a channel driver",
    "a calendar",
    "a metric",
    "a fault scenario",
  ]);
});

describe("a file of a folder stands in its index", () => {
  /** Folders whose index lists each export of this form. */
  const folders: [string, RegExp][] = [
    ["api/v1", /^export const (\w+Routes)\b/gmu],
    ["core/model/routes", /^export const (\w+Shapes)\b/gmu],
    ["db/entities", /^export class (\w+)/gmu],
    ["db/migrations", /^export class (\w+)/gmu],
    ["tools/faults/scenarios", /^export const (\w+Scenarios)\b/gmu],
  ];
  const imported = ["api", "core", "db", "tools"].flatMap(listSources).flatMap(importsOf);
  const targets = imported.map(({ target }) => target);

  test.each(folders)("%s", (folder, form) => {
    const files = listSources(folder).filter((file) => file !== `${folder}/index.ts`);
    const exported = files.flatMap((file) => listMatches(readSource(file), form));
    expect(exported).not.toEqual([]);
    const list = readSource(`${folder}/index.ts`).replaceAll(/^import [^;]*;$/gmu, "");
    expect(listForgotten(exported, listMatches(list, /(\w+)/gu))).toEqual([]);
    // A file without such an export helps others.
    expect(listForgotten(files, targets)).toEqual([]);
  });
});

describe("an event type", () => {
  test("is published by a service", () => {
    const services = listSources("core/services").map(readSource).join("\n");
    const published = listMatches(
      services,
      /\bpublish(?:All)?\(\s*tx,\s*"([\w.]+)"|\bif \(event === "([\w.]+)"\) \{\s*await publish\(tx, event,/gu,
    );
    expect(listForgotten(eventTypes, published)).toEqual([]);
  });
});

describe("a Dashboard page", () => {
  const paths = new Map(
    [...readSource("dashboard/src/paths.ts").matchAll(/^ {2}(\w+): "([^"]+)",$/gmu)].map(
      ([, name = "", path = ""]) => [name, path],
    ),
  );

  /** Patterns of a route as the router declares it. A last part that may be left out makes two. */
  function readRoute(declared: string): string[] {
    const [, name = "", rest = ""] = /^`?(?:\$\{)?paths\.(\w+)\}?(.*?)`?$/u.exec(declared) ?? [];
    const path = paths.get(name);
    if (path === undefined) throw new Error(`${declared} does not come from paths.ts.`);
    const required = rest.replace(/\/[^/]*\?$/u, "");
    return required === rest ? [path + rest] : [path + required, path + rest.slice(0, -1)];
  }

  const router = readSource("dashboard/src/router.tsx");
  const declarations = listMatches(router, /\bpath: (.+?),(?:\n| element:)/gu);
  const routes = declarations.filter((one) => one !== '"*"').flatMap(readRoute);

  test("has a route", () => {
    expect(declarations).toHaveLength(router.match(/\bpath:/gu)?.length ?? 0);
    expect(listForgotten([...paths.values()], routes)).toEqual([]);
  });

  test("is looked at by test/dashboard/pages.test.ts", () => {
    const source = readSource("test/dashboard/pages.test.ts");
    const pages = between(source, "const pages = [", "\n] as const");
    const opened = listMatches(pages, /"(\/[^"?#]*)[^"]*"/gu);
    const isOpened = (route: string): boolean => {
      const pattern = new RegExp(`^${route.replaceAll(/:\w+/gu, "[^/]+")}$`, "u");
      return opened.some((path) => pattern.test(path));
    };
    const exceptions = {
      "/pipelines/:pipeline": "/pipelines shows the first pipeline in the same way",
    };
    expect(listForgotten(routes, routes.filter(isOpened), exceptions)).toEqual([]);
  });

  test("has its place in the sidebar and in Ctrl-K", () => {
    const places = listMatches(readSource("dashboard/src/shell/pages.ts"), /\bto: paths\.(\w+)/gu);
    const exceptions = {
      login: "it opens without a sidebar",
      link: "it opens without a sidebar",
      bookingLinks: "section-nav.tsx leads there from the appointments",
      appointmentSetup: "section-nav.tsx leads there from the appointments",
      agentSetup: "agent-frame.tsx leads there from the AI agent",
      agentKnowledge: "agent-frame.tsx leads there from the AI agent",
      agentPlayground: "agent-frame.tsx leads there from the AI agent",
      agentCases: "agent-frame.tsx leads there from the AI agent",
      agentTurns: "agent-frame.tsx leads there from the AI agent",
      agentUsage: "agent-frame.tsx leads there from the AI agent",
      agentQuality: "agent-frame.tsx leads there from the AI agent",
      webChat: "channels-page.tsx leads there from the channels",
      channelConnect: "channels-page.tsx leads there from the channels",
      imports: "settings-nav.tsx leads there from the settings, and command-palette.tsx in Ctrl-K",
      exports: "settings-nav.tsx leads there from the settings, and command-palette.tsx in Ctrl-K",
    };
    expect(listForgotten([...paths.keys()], places, exceptions)).toEqual([]);
  });
});

describe("a workflow", () => {
  const workflows = listMatches(readSource("workflows/index.ts"), /^export \{ (\w+) \}/gmu);
  const commands = listMatches(
    between(readSource("core/model/workflow/workflow-command.ts"), "  workflow:\n", ";"),
    /"(\w+)"/gu,
  );

  test("stands in workflows/index.ts, where it is the function that has the name of its file", () => {
    const named = listSources("workflows").filter((file) => {
      const text = readSource(file);
      return text.includes(`export async function ${camelCase(basename(file, ".ts"))}(`);
    });
    const names = named.map((file) => camelCase(basename(file, ".ts")));
    const exceptions = { moveEvent: "a part of reschedule" };
    expect(listForgotten(names, workflows, exceptions)).toEqual([]);
    expect(listForgotten(workflows, names)).toEqual([]);
  });

  test("is started by a request, by a schedule, or in a way that is named here", () => {
    expect(listForgotten(commands, workflows)).toEqual([]);
    const exceptions = {
      deliverWebhook: "the relay starts it for the outbox row of a delivery",
      reseal: "start-reseal.ts starts it when the key changes",
      warmUp: "warm-up.ts starts it with the worker",
    };
    expect(listForgotten(workflows, [...commands, ...scheduleIds], exceptions)).toEqual([]);
  });

  test("that was requested is found by lost-runs.ts when its run is lost", async () => {
    const exceptions = {
      cancelDeliveries: "lost-deliveries.ts finds its subscription",
      holdDeliveries: "lost-deliveries.ts finds its subscription",
      resumeDeliveries: "lost-deliveries.ts finds its subscription",
      watchCalendar: "the reading of a calendar without a channel requests it again",
      undoImport: "the query of importFile asks for it where the import is being undone",
    };
    expect(listForgotten(commands, await listFound(), exceptions)).toEqual([]);
  });

  /** Workflows that the queries of lost-runs.ts ask for, with a row of every column. */
  async function listFound(): Promise<string[]> {
    const ids = { id: 1, accountId: 1, conversationId: 1, appointmentId: 1, movedId: 1, moveId: 1 };
    const input = { accountId: 1, contactIds: [1], conversationIds: [1] };
    const row = { ...ids, channel: "web", epoch: 1, run: 1, version: 1, input };
    const manager = { query: async () => await Promise.resolve([row]) };
    const tx = { manager, now: new Date() } as unknown as Tx;
    const page = { after: 0, limit: 1 };
    const found = await Promise.all(lostRunKinds.map((kind) => listLateRuns(tx, kind, page)));
    return found.flat().map(({ command }) => command.workflow);
  }

  test("has a recorded history that test/workflows/replay.test.ts replays", () => {
    const recorded = readdirSync("test/histories")
      .filter((name) => name.endsWith(".json"))
      .map((name) => readSource(`test/histories/${name}`))
      .map((text) => /"workflowType":\s*\{\s*"name":\s*"(\w+)"/u.exec(text)?.[1] ?? "");
    const exceptions = { warmUp: "it has no step that a replay could find in another order" };
    expect(listForgotten(workflows, recorded, exceptions)).toEqual([]);
  });
});

describe("a migration", () => {
  test("stands in the order of time, under the name of its file", () => {
    const names = listSources("db/migrations")
      .filter((file) => file !== "db/migrations/index.ts")
      .map((file) => /(\d+)-(.+)\.ts$/u.exec(file) ?? [])
      .toSorted(([, a], [, b]) => Number(a) - Number(b))
      .map(([, at = "", name = ""]) => camelCase(`-${name}`) + at);
    expect(migrations.map(({ name }) => name)).toEqual(names);
  });
});

describe("an error code", () => {
  test("with details has an example of them in the API reference", () => {
    const sources = ["core", "api"].flatMap(listSources).map(readSource).join("\n");
    const detailed = listMatches(sources, /new AppError\(\s*"(\w+)",\s*\{[^;]*?\bdetails\b/gu);
    expect(detailed.length).toBeGreaterThan(5);
    const reference = JSON.stringify(createOpenApi(v1Routes, "https://parley.example"));
    const bare = listMatches(reference, /"code":"(\w+)","message":"[^"]*","details":null/gu);
    const exceptions = { contact_not_found: "details are there for a merged contact alone" };
    const described = detailed.filter((code) => !bare.includes(code));
    expect(listForgotten(detailed, described, exceptions)).toEqual([]);
  });
});

describe("smaller things", () => {
  test("a scope has an example call and a text", () => {
    const example = readSource("dashboard/src/features/api-keys/key-example.tsx");
    expect(listForgotten(scopes, listMatches(example, /\{ scope: "([^"]+)"/gu))).toEqual([]);
    const keys = scopes.map((scope) => scope.replace(":", "_"));
    expect(listForgotten(keys, Object.keys(en.scope))).toEqual([]);
  });

  test("a metric is created in a file whose metrics test/docs/grafana-dashboard.test.ts reads", () => {
    const folders = ["activities", "api", "cli", "core", "db", "worker"];
    const creating = folders
      .flatMap(listSources)
      .filter((file) => /\bnew (Counter|Gauge|Histogram|Summary)\b/u.test(readSource(file)));
    expect(creating.toSorted()).toEqual(["activities/metrics.ts", "api/metrics.ts"]);
  });

  test("a fault scenario has a row in docs/reliability.md", () => {
    const rows = listMatches(readSource("docs/reliability.md"), /^\| (F\d+) +\| \w[^|]*\|$/gmu);
    expect(rows).toEqual(scenarios.map(({ id }) => id));
  });
});
