import { execFile } from "node:child_process";
import { inspect, promisify } from "node:util";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createModelFetch } from "../../../activities/models/guarded-fetch.ts";
import { createModelPort } from "../../../activities/models/port.ts";
import type { AgentContext } from "../../../core/agent/context.ts";
import { promptCanary } from "../../../core/agent/prompt.ts";
import { StepError, type StepOutput } from "../../../core/agent/step.ts";
import { parseToolInput } from "../../../core/agent/tool-input.ts";
import { toolNames, type ToolRound } from "../../../core/agent/tools.ts";
import type { ProviderKind } from "../../../core/model/agent.ts";
import { startModelStandIn, type ModelStandIn } from "../../../dev/stand-in/model-server.ts";
import { eventually } from "../../support/eventually.ts";
import { makeContext } from "./fixture.ts";

let standIn: ModelStandIn;
beforeAll(async () => {
  standIn = await startModelStandIn({ port: 0, show: true });
});
afterAll(() => standIn.close());

const key = "sk-canary-key";
const fetch = createModelFetch({ policy: { allowPrivate: true, ownHosts: [] } });

function step(
  model: string,
  options: {
    kind?: ProviderKind;
    context?: AgentContext;
    repair?: string;
    signal?: AbortSignal;
    fetch?: typeof globalThis.fetch;
  } = {},
): Promise<StepOutput> {
  const { kind = "openai_compatible", context = makeContext(), repair } = options;
  const baseUrl = `${standIn.url}/${kind === "google" ? "v1beta" : "v1"}`;
  const port = createModelPort(
    { kind, baseUrl, model, apiKey: key },
    { fetch: options.fetch ?? fetch },
  );
  const request = { context, maxOutputTokens: 600, ...(repair !== undefined && { repair }) };
  return port.step(request, options.signal ?? new AbortController().signal);
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

const kinds: ProviderKind[] = ["openai_compatible", "openai", "anthropic", "google", "mistral"];

describe.each(kinds)("%s", (kind) => {
  test("gives the text and the tokens", async () => {
    expect(await step("echo", { kind })).toMatchObject({
      kind: "reply",
      text: "canary-text: ¿cuánto cuesta?",
      usage: { input: 100, output: 20 },
    });
    const { headers = {}, path } = standIn.requests().at(-1) ?? {};
    expect(inspect(headers)).toContain(key);
    expect(path).not.toContain(key);
  });

  test("asks for calls, and hears of their results", async () => {
    const first = await step("book", { kind });
    expect(first).toMatchObject({ kind: "calls", calls: [{ tool: "find_slots", input: {} }] });
    const rounds: ToolRound[] = [
      {
        text: "Un momento.",
        calls: [
          {
            callId: "any id of another provider",
            tool: "find_slots",
            input: {},
            result: {
              ok: true,
              slots: [
                {
                  ref: "S1",
                  start: "2026-11-24T16:00:00Z",
                  service_id: 1,
                  resource_id: 7,
                  words: "martes",
                },
              ],
            },
          },
        ],
      },
    ];
    const second = await step("book", { kind, context: makeContext({ rounds }) });
    expect(second).toMatchObject({
      calls: [{ tool: "book_appointment", input: { slot_ref: "S1" } }],
    });
  });

  test("keeps several calls in order, with the text beside them", async () => {
    expect(await step("text-with-hand-off", { kind })).toMatchObject({
      kind: "calls",
      text: "Te paso con una persona.",
      calls: [{ tool: "hand_off" }],
    });
    const { calls } = (await step("calls-after-hand-off", { kind })) as { calls: unknown[] };
    expect(calls).toMatchObject([{ tool: "hand_off" }, { tool: "cancel_appointment" }]);
  });

  test("keeps calls that no tool can run, whose check then fails", async () => {
    expect(await step("unknown-call", { kind })).toMatchObject({ calls: [{ tool: "send_email" }] });
    const wrong = (await step("wrong-call", { kind })) as Extract<StepOutput, { kind: "calls" }>;
    expect(parseToolInput("book_appointment", wrong.calls[0]?.input).ok).toBe(false);
  });

  test("marks a cut text, and drops a filtered one", async () => {
    expect(await step("cut", { kind })).toMatchObject({ kind: "reply", cut: true });
    expect(await step("refused", { kind })).toMatchObject({ kind: "reply", text: "" });
    expect(await step("empty", { kind })).toMatchObject({ kind: "reply", text: "" });
  });

  test.each([
    ["401", "refused", 401, null],
    ["404", "bad_request", 404, null],
    ["429", "rate_limited", 429, 2_000],
    ["quota", "quota", 429, null],
    ["500", "unavailable", 500, null],
    ["html", "bad_answer", 200, null],
    ["bad-json", "bad_answer", 200, null],
    ["huge", "bad_answer", null, null],
    ["redirect", "bad_request", 307, null],
  ])("%s is %s", async (model, failure, status, retryAfterMs) => {
    const asked = standIn.requests().length;
    const error = await failureOf(step(model, { kind }));
    expect(error).toBeInstanceOf(StepError);
    expect(error).toMatchObject({ failure, status, retryAfterMs });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/canary|sk-|heron|Welcome/u);
    expect((error as StepError).cause).toBeUndefined();
    expect(standIn.requests()).toHaveLength(asked + 1);
  });

  test.each(["hang", "drip", "slow"])("an abort closes the connection of %s", async (model) => {
    const abort = new AbortController();
    const asked = standIn.requests().length;
    const failed = failureOf(step(model, { kind, signal: abort.signal }));
    await eventually(() => expect(standIn.requests()).toHaveLength(asked + 1));
    await setTimeout(150);
    abort.abort(new Error("paused"));
    expect(await failed).toBe(abort.signal.reason);
    // Null where the stand-in has ended its answer.
    await eventually(() => expect(standIn.requests()[asked]?.closedByClientAt).not.toBeNull());
  });
});

test("an aborted signal asks nobody", async () => {
  const asked = standIn.requests().length;
  const error = await failureOf(step("echo", { signal: AbortSignal.abort(new Error("paused")) }));
  expect(error).toMatchObject({ message: "paused" });
  expect(standIn.requests()).toHaveLength(asked);
});

test("a call without JSON is kept, and its input is no object", async () => {
  const output = (await step("malformed-call")) as Extract<StepOutput, { kind: "calls" }>;
  expect(output.calls[0]?.tool).toBe("book_appointment");
  expect(parseToolInput("book_appointment", output.calls[0]?.input).ok).toBe(false);
  const refusal = { ok: false, code: "invalid_input", hint: "Use an object." } as const;
  const rounds = [{ text: "", calls: output.calls.map((call) => ({ ...call, result: refusal })) }];
  expect(await step("malformed-call", { context: makeContext({ rounds }) })).toMatchObject({
    kind: "reply",
  });
});

test("a thought before the answer is left out, and cached tokens are counted", async () => {
  expect(await step("thoughts")).toMatchObject({ text: "¡Hola!", usage: { cached: 40 } });
});

test("the request names every tool, and no text of a customer as system text", async () => {
  await step("echo", { repair: "Say no price." });
  const body = standIn.requests().at(-1)?.body as {
    messages: { role: string; content: string }[];
    tools: { function: { name: string } }[];
    max_tokens: number;
  };
  expect(body.tools.map((tool) => tool.function.name).toSorted()).toEqual(toolNames.toSorted());
  expect(body.max_tokens).toBe(600);
  const system = body.messages.filter(({ role }) => role === "system");
  expect(system).toHaveLength(1);
  expect(system[0]?.content).toContain("Say no price.");
  expect(system[0]?.content).toContain(promptCanary);
  expect(system[0]?.content).not.toMatch(/canary-text|Canary-Name|800/u);
});

describe("the guard of addresses", () => {
  const guarded = createModelFetch({ policy: { allowPrivate: false, ownHosts: [] } });

  test("a private address is refused before a byte is sent", async () => {
    const asked = standIn.requests().length;
    const error = await failureOf(step("echo", { fetch: guarded }));
    expect(error).toMatchObject({ failure: "bad_request", status: null });
    expect(standIn.requests()).toHaveLength(asked);
  });

  test("a name whose answer is private is refused", async () => {
    const resolver = {
      resolve4: () => Promise.resolve(["127.0.0.1"]),
      resolve6: () => Promise.resolve([]),
      cancel: () => {},
    };
    const rebound = createModelFetch({ policy: { allowPrivate: false, ownHosts: [] }, resolver });
    const port = createModelPort(
      { kind: "openai", baseUrl: "https://models.example.com/v1", model: "echo", apiKey: key },
      { fetch: rebound },
    );
    const request = { context: makeContext(), maxOutputTokens: 10 };
    const error = await failureOf(port.step(request, new AbortController().signal));
    expect(error).toMatchObject({ failure: "unavailable", status: null });
  });

  test("a refused connection may pass", async () => {
    const other = await startModelStandIn({ port: 0 });
    await other.close();
    const port = createModelPort(
      { kind: "openai", baseUrl: `${other.url}/v1`, model: "echo", apiKey: key },
      { fetch },
    );
    const request = { context: makeContext(), maxOutputTokens: 10 };
    expect(await failureOf(port.step(request, new AbortController().signal))).toMatchObject({
      failure: "unavailable",
    });
  });
});

test("neither console hears of a call", async () => {
  const spies = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
    vi.spyOn(console, name),
  );
  for (const model of ["echo", "500", "html", "unknown-call"]) await failureOf(step(model));
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test("the stand-in says its models, and keeps no contents unless asked", async () => {
  const quiet = await startModelStandIn({ port: 0 });
  const models = await (await globalThis.fetch(`${quiet.url}/v1/models`)).json();
  expect(inspect(models, { maxArrayLength: 99 })).toContain("false-claim");
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "secret" }] });
  await globalThis.fetch(`${quiet.url}/v1/chat/completions`, { method: "POST", body });
  const log = await (await globalThis.fetch(`${quiet.url}/log`)).text();
  expect(log).toContain('"model":"echo"');
  expect(log).not.toContain("secret");
  await quiet.close();
});

test("npm run stand-in:model prints its options", async () => {
  const args = ["--import", "tsx/esm", "dev/stand-in/model.ts", "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain("--delay-ms");
});
