import { expect, test } from "vitest";
import { callApi, readAll, type AnswerOf } from "../../dashboard/src/lib/api.ts";

/** `npm run check:types` fails where one of these lines compiles without an error. */
const wrongCalls = [
  // @ts-expect-error no route has this path
  () => callApi("GET /contact"),
  // @ts-expect-error the path has no such method
  () => callApi("PUT /contacts/:id", { id: 1, body: { name: "Ana" } }),
  // @ts-expect-error the path needs an id
  () => callApi("GET /contacts/:id"),
  // @ts-expect-error the path takes no id
  () => callApi("GET /account", { id: 1 }),
  // @ts-expect-error the route has no body
  () => callApi("POST /api-keys/:id/revoke", { id: 1, body: {} }),
  // @ts-expect-error the body is required
  () => callApi("POST /contacts/:id/merge", { id: 1 }),
  // @ts-expect-error the field has another type
  () => callApi("POST /contacts/:id/merge", { id: 1, body: { into_contact_id: "2" } }),
  // @ts-expect-error the body has no such field
  () => callApi("PATCH /contacts/:id", { id: 1, body: { nickname: "Ana" } }),
  // @ts-expect-error the value is none of the list
  () => callApi("GET /deliveries", { query: { state: "sleeping" } }),
  // @ts-expect-error the query has no such parameter
  () => callApi("GET /contacts", { query: { page: 2 } }),
  // @ts-expect-error the route has no query
  () => callApi("GET /contacts/:id", { id: 1, query: { limit: 1 } }),
  // @ts-expect-error the answer has no such member
  async () => (await callApi("GET /contacts/:id", { id: 1 })).surname,
  // @ts-expect-error a list is a page, not its rows
  async () => (await callApi("GET /contacts")).length,
  // @ts-expect-error a single row has no `meta`
  async () => (await callApi("GET /contacts/:id", { id: 1 })).meta,
];

/** A list, a row, and a route with two kinds of answer. */
type Right = [
  AnswerOf<"GET /contacts">["data"][number]["name"],
  AnswerOf<"GET /deliveries">["meta"]["next"],
  AnswerOf<"GET /contacts/:id">["stages"][number]["stage_name"],
  Extract<AnswerOf<"POST /appointments/:id/reschedule">, { link: string }>["state"],
];

const rightTypes: Right[] = [
  ["Ana", 7, "New", "committed"],
  ["Ana", null, "New", "requested"],
];

test("a call that does not fit its route does not compile", () => {
  expect(wrongCalls).toHaveLength(14);
  expect(rightTypes).toHaveLength(2);
});

test("a row that moves to the next page between two calls is read once", async () => {
  const ids = Array.from({ length: 150 }, (_, index) => index + 1);
  const { data } = await readAll(async ({ limit, offset }) => {
    const rows = ids.slice(offset, offset + limit).map((id) => ({ id }));
    // Somebody joins at the head of the list.
    ids.unshift(151);
    return { data: rows, meta: { total: 150, total_at_least: false, limit, offset } };
  });
  expect(data.map(({ id }) => id)).toEqual(Array.from({ length: 150 }, (_, index) => index + 1));
});
