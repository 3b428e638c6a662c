import type { Scope } from "../../../core/model/principal.ts";
import type { Route } from "../../../api/http/route.ts";
import { v1Routes } from "../../../api/v1/index.ts";
import type { ApiFixture } from "../api-fixture.ts";

/** A request that a route of API v1 answers with success, and bodies that it refuses. */
export interface V1Request {
  /** `POST /conversations/:id/bot` */
  name: string;
  route: Route;
  scope: Scope;
  body?: object;
  /** The status on `body`, where everything is there already. */
  status: number;
  /** Bodies with the issues that each is refused for. */
  refused: [body: unknown, issues: string[]][];
}

const phone = "34655000111";

const known: Record<string, Pick<V1Request, "body" | "status" | "refused">> = {
  "GET /contacts": { status: 200, refused: [] },
  "POST /contacts": {
    body: { phone },
    status: 200,
    refused: [[{ name: "Ana" }, ["body phone_or_email_required"]]],
  },
  "GET /contacts/:id": { status: 200, refused: [] },
  "PATCH /contacts/:id": {
    body: {},
    status: 200,
    refused: [[{ name: "" }, ["body.name empty_name"]]],
  },
  "GET /conversations": { status: 200, refused: [] },
  "POST /conversations": {
    body: { phone },
    status: 200,
    refused: [
      [{}, ["body.phone required"]],
      [{ phone: "x" }, ["body.phone invalid_phone"]],
      [{ phone: 34655000111 }, ["body.phone invalid_type"]],
      [{ phone, initial_message: "" }, ["body.initial_message too_small"]],
      [{ phone, initial_message: "x".repeat(4_097) }, ["body.initial_message too_big"]],
      [{ phone, name: "x".repeat(201) }, ["body.name too_big"]],
      [{ phone, template: { name: "x" } }, ["body.template.language required"]],
      [
        { phone, channel: "web", status: "x" },
        ["body.channel unknown_field", "body.status unknown_field"],
      ],
    ],
  },
  "GET /conversations/:id": { status: 200, refused: [] },
  "PATCH /conversations/:id": {
    body: { status: "active" },
    status: 200,
    refused: [
      [{ status: "closed" }, ["body.status invalid_value"]],
      [{ status: "handed_off" }, ["body.status invalid_value"]],
      [{ status: null }, ["body.status invalid_value"]],
      [{ status: "active", bot_enabled: true }, ["body.bot_enabled unknown_field"]],
    ],
  },
  "POST /conversations/:id/bot": {
    body: { enabled: true },
    status: 200,
    refused: [
      [{}, ["body.enabled required"]],
      [{ enabled: "false" }, ["body.enabled invalid_type"]],
      [{ enabled: 0 }, ["body.enabled invalid_type"]],
      [{ enabled: false, reason: 5 }, ["body.reason invalid_type"]],
      [{ enabled: false, reason: "x".repeat(501) }, ["body.reason too_big"]],
    ],
  },
  "GET /conversations/:id/messages": { status: 200, refused: [] },
  "GET /templates": { status: 200, refused: [] },
  "POST /conversations/:id/messages": {
    body: { content: "Hola" },
    status: 201,
    refused: [[{}, ["body.content required"]]],
  },
};

/** A request for every route of API v1. @throws Error for a route that has none here. */
export const v1Requests: V1Request[] = v1Routes.map((route) => {
  const name = `${route.method} ${route.path}`;
  const request = known[name];
  if (request === undefined) throw new Error(`${name} needs a request in v1-requests.ts.`);
  if (route.access.kind !== "scope") throw new Error(`${name} has no scope.`);
  return { name, route, scope: route.access.scope, ...request };
});

/** Ids by the noun of a route. */
export type Ids = Record<string, number>;

/** Makes the contact and the conversation that every request meets. */
export async function makeTargets(fixture: ApiFixture, apiKey: string): Promise<Ids> {
  const opened = await fixture.api.call("POST", "/api/v1/conversations", {
    apiKey,
    body: { phone },
  });
  return { conversation: opened.json.data.id, contact: opened.json.data.contact_id };
}

/** The path of a request, with the id of what it names. */
export function pathOf({ route }: V1Request, ids: Ids): string {
  return pathTo(route, String(ids[route.noun ?? ""]));
}

/** The path of a route with any text for `:id`. */
export function pathTo({ path }: Route, id: string): string {
  return `/api/v1${path.replace(":id", id)}`;
}
