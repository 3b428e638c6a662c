import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { createOpenApi } from "../../../api/openapi/openapi.ts";
import { v1Routes } from "../../../api/v1/index.ts";
import { inboundCall } from "../../../core/model/inbound.ts";
import { voiceCall } from "../../../core/model/voice.ts";
import {
  createJudge,
  listOperations,
  type Document,
  type MediaType,
  type Operation,
} from "../../support/open-api.ts";

const document = createOpenApi(v1Routes, "https://parley.example") as Document;
const judge = createJudge(document);
const operations = listOperations(document);
const ofPaths = operations.filter(([, [part]]) => part === "paths");

/** Every request and response body, with its name and the keys to it. */
function bodies(): [string, string[], MediaType][] {
  return operations.flatMap(([name, pointer, { requestBody, responses }]) => {
    const all: [string, string[], MediaType | undefined][] = [
      [`${name} request`, ["requestBody"], requestBody?.content["application/json"]],
      ...Object.entries(responses).map(
        ([status, response]): [string, string[], MediaType | undefined] => [
          `${name} ${status}`,
          ["responses", status],
          response.content?.["application/json"],
        ],
      ),
    ];
    return all.flatMap(([title, below, media]): [string, string[], MediaType][] =>
      media === undefined
        ? []
        : [[title, [...pointer, ...below, "content", "application/json", "schema"], media]],
    );
  });
}

/** The names of the operations that break a rule. */
function breaking(rule: (operation: Operation) => boolean, list = operations): string[] {
  return list.filter(([, , operation]) => !rule(operation)).map(([name]) => name);
}

function examplesOf({ example, examples }: MediaType): unknown[] {
  if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
  return example === undefined ? [] : [example];
}

test("it is valid by the OpenAPI 3.1 schema", async () => {
  const result = await new Validator().validate({ ...structuredClone(document) });
  expect(result).toEqual({ valid: true });
});

test("operation ids are unique, and every operation has a summary and one tag that is described", () => {
  const ids = operations.map(([, , { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const described = document.tags.filter(({ description }) => description !== undefined);
  const tags = new Set(described.map(({ name }) => name));
  expect(breaking(({ summary }) => /^\S.{5,}[^.]$/.test(summary.replace(/\.$/, "")))).toEqual([]);
  expect(breaking(({ tags: own }) => own.length === 1 && tags.has(own[0] ?? ""))).toEqual([]);
  const used = new Set(operations.flatMap(([, , { tags: own }]) => own));
  expect(document.tags.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
});

test("every operation has a success and a refusal, and each of them a schema", () => {
  const schemaOf = ({ responses }: Operation, family: string) =>
    Object.entries(responses).filter(
      ([status, { content }]) => status.startsWith(family) && content !== undefined,
    );
  expect(breaking((one) => schemaOf(one, "2").length > 0, ofPaths)).toEqual([]);
  expect(breaking((one) => schemaOf(one, "4").length > 0, ofPaths)).toEqual([]);
  const bare = ofPaths.flatMap(([name, , { responses }]) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      content === undefined ? [`${name} ${status}`] : [],
    ),
  );
  expect(bare).toEqual([]);
});

test("every parameter is described, and those of the path are all there", () => {
  const vague = operations.flatMap(([name, , { parameters = [] }]) =>
    parameters.filter((one) => !one.description).map((one) => `${name} ${one.name}`),
  );
  expect(vague).toEqual([]);
  for (const [name, , { parameters = [] }] of ofPaths) {
    const inPath = parameters.filter((one) => one.in === "path");
    expect(inPath.map((one) => `{${one.name}}`)).toEqual(name.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
  }
});

test("every body has examples, and they fit", () => {
  expect(bodies().length).toBeGreaterThan(100);
  for (const [name, pointer, media] of bodies()) {
    const examples = examplesOf(media);
    expect([name, examples.length > 0]).toEqual([name, true]);
    for (const example of examples) {
      expect([name, judge.problems(pointer, example)]).toEqual([name, []]);
    }
  }
});

test("the examples of requests are taken by the very schemas that read requests", () => {
  for (const route of v1Routes.filter(({ body }) => body !== undefined)) {
    const path = `/api/v1${route.path.replace(":id", "{id}")}`;
    const operation = document.paths[path]?.[route.method.toLowerCase()];
    const example = operation?.requestBody?.content["application/json"].example;
    expect(example).toBeDefined();
    expect(route.body?.safeParse(example).error).toBeUndefined();
    // A body that is left out reads like an empty object.
    const mayBeEmpty = route.body?.safeParse({}).success === true;
    expect([path, operation?.requestBody?.required === true]).toEqual([path, !mayBeEmpty]);
  }
  const inbound = document.paths["/api/webhooks/inbound/{slug}"]?.["post"];
  inboundCall.parse(inbound?.requestBody?.content["application/json"].example);
  const voice = document.paths["/api/webhooks/voice/{slug}"]?.["post"];
  voiceCall.parse(voice?.requestBody?.content["application/json"].example);
});

test("every error code has a message of its own as its example", () => {
  for (const [name, , media] of bodies()) {
    for (const [code, example] of Object.entries(media.examples ?? {})) {
      expect([name, example.value]).toMatchObject([name, { error: { code } }]);
      expect([name, example.value]).not.toMatchObject([name, { error: { message: code } }]);
    }
  }
});

test("no component is unused", () => {
  const text = JSON.stringify(document);
  const names = Object.keys(document.components["schemas"] ?? {});
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
});
