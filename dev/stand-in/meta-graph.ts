import type { IncomingHttpHeaders } from "node:http";
import { hmacHex, secretFor, type MetaAccount } from "./meta-accounts.ts";
import { invalidToken } from "./meta-scripts.ts";
import { answerSend, refusalOf, type GraphAnswer } from "./meta-sending.ts";
import { listMetaTemplates } from "./meta-templates.ts";
import { shakeHands } from "./meta-webhooks.ts";
import type { MetaWorld } from "./meta-world.ts";

/** A call to the Graph API. */
export interface GraphCall {
  method: string;
  /** Path without the version, such as `/123/messages`. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined without a body. */
  body: unknown;
}

const scopes: Readonly<Record<MetaAccount["driver"], string[]>> = {
  whatsapp_cloud: ["whatsapp_business_management", "whatsapp_business_messaging"],
  messenger: ["pages_messaging", "pages_manage_metadata"],
  instagram_page: ["instagram_basic", "instagram_manage_messages", "pages_manage_metadata"],
  instagram_login: ["instagram_business_basic", "instagram_business_manage_messages"],
};

/** Answers one call of the Graph API, as strictly as Meta does. */
export async function answerGraph(world: MetaWorld, call: GraphCall): Promise<GraphAnswer> {
  if (call.method === "GET" && call.path === "/debug_token") return debugToken(world, call);
  const token = /^Bearer (\S+)$/u.exec(call.headers.authorization ?? "")?.[1];
  const owned = world.accounts.filter((one) => one.token === token);
  const [, id = "", edge = ""] = call.path.split("/");
  const isSend = call.method === "POST" && edge === "messages";
  if (owned.length === 0) return refusalOf(invalidToken);
  if (world.script.name === "token" && !isSend) return refusalOf(invalidToken);
  const account = pickAccount(world, owned, id, call.body);
  if (account === undefined) return noObject(id);
  const unproven = judgeProof(world, account, token ?? "", call.query.get("appsecret_proof"));
  if (unproven !== null) return unproven;
  if (isSend) return await sendTo(world, account, id, call.body);
  const route = `${call.method} ${edge}`;
  if (route === "POST subscribed_apps") return await subscribe(world, account, call);
  if (route === "DELETE subscribed_apps") return { http: 200, body: { success: true } };
  if (route === "POST register" && account.driver === "whatsapp_cloud") return register(call.body);
  if (route === "GET phone_numbers" && id === account.parentId)
    return { http: 200, body: { data: owned.map(describeNumber) } };
  if (route === "GET message_templates" && account.driver === "whatsapp_cloud") {
    if (id !== account.parentId) return noObject(id);
    const list = listMetaTemplates(world.templates, call.query);
    return "http" in list ? refusalOf(list) : { http: 200, body: list };
  }
  if (route === "GET ") return describeObject(account, id, call.query.get("fields"));
  return noObject(`${id}/${edge}`);
}

/** A Page sends for its Instagram account too, so the customer decides between the two. */
function pickAccount(
  world: MetaWorld,
  owned: readonly MetaAccount[],
  id: string,
  body: unknown,
): MetaAccount | undefined {
  const exact = owned.find((one) => one.id === id);
  const all = owned.filter((one) => [one.id, one.parentId, "me"].includes(id));
  const { recipient } = Object(body) as { recipient?: unknown };
  const { id: customerId } = Object(recipient) as { id?: unknown };
  const talk = world.lines.find((line) => line.customerId === customerId && !line.isOurs);
  return all.find(({ network }) => network === talk?.network) ?? exact ?? all[0];
}

/** WhatsApp sends by a number; the others by the Page, the account or `me`. */
async function sendTo(
  world: MetaWorld,
  account: MetaAccount,
  id: string,
  body: unknown,
): Promise<GraphAnswer> {
  if (account.driver === "whatsapp_cloud" && id !== account.id) return noObject(id);
  return await answerSend(world, account, body);
}

function noObject(id: string): GraphAnswer {
  const message = `(#100) Unsupported request. Object with ID '${id}' does not exist`;
  return refusalOf({ http: 400, code: 100, subcode: 33, message });
}

/** Instagram Login asks for no proof, but a wrong one is refused. */
function judgeProof(
  world: MetaWorld,
  account: MetaAccount,
  token: string,
  proof: string | null,
): GraphAnswer | null {
  if (proof === null && account.driver === "instagram_login") return null;
  if (proof === hmacHex(secretFor(world.app, account), token)) return null;
  const message =
    proof === null
      ? "API calls from the server require an appsecret_proof argument"
      : "Invalid appsecret_proof provided in the API argument";
  return refusalOf({ http: 400, code: 100, message });
}

function debugToken(world: MetaWorld, { query, headers }: GraphCall): GraphAnswer {
  const caller = query.get("access_token") ?? headers.authorization?.replace(/^Bearer /u, "");
  if (caller !== `${world.app.id}|${world.app.secret}`) return refusalOf(invalidToken);
  const account = world.accounts.find(({ token }) => token === query.get("input_token"));
  const isValid = account !== undefined && world.script.name !== "token";
  const data = isValid
    ? { app_id: world.app.id, type: "SYSTEM_USER", expires_at: 0, scopes: scopes[account.driver] }
    : { error: { code: 190, message: "Invalid OAuth access token." }, scopes: [] };
  return { http: 200, body: { data: { ...data, is_valid: isValid } } };
}

/** Members of the body or of the query: Meta reads both. */
function parameterOf({ body, query }: GraphCall, name: string): string | null {
  const given = (Object(body) as Record<string, unknown>)[name];
  return typeof given === "string" ? given : query.get(name);
}

/** An override of WhatsApp is verified before it is taken. A Page names its fields. */
async function subscribe(
  world: MetaWorld,
  account: MetaAccount,
  call: GraphCall,
): Promise<GraphAnswer> {
  const url = parameterOf(call, "override_callback_uri");
  const verifyToken = parameterOf(call, "verify_token");
  if (account.driver === "whatsapp_cloud") {
    if (url === null) return { http: 200, body: { success: true } };
    const callback = { url, verifyToken: verifyToken ?? "" };
    const problem = URL.canParse(url) ? await shakeHands(callback) : "not a URL";
    if (problem !== null) {
      const message = `(#2200) Callback verification failed: ${problem}`;
      return refusalOf({ http: 400, code: 2_200, message });
    }
    world.callback = callback;
    return { http: 200, body: { success: true } };
  }
  if (parameterOf(call, "subscribed_fields") === null) {
    const message = "(#100) The parameter subscribed_fields is required.";
    return refusalOf({ http: 400, code: 100, message });
  }
  return { http: 200, body: { success: true } };
}

function register(body: unknown): GraphAnswer {
  const { messaging_product: product, pin } = Object(body) as Record<string, unknown>;
  if (product === "whatsapp" && typeof pin === "string" && /^\d{6}$/u.test(pin))
    return { http: 200, body: { success: true } };
  return refusalOf({ http: 400, code: 100, message: "(#100) Param pin must be 6 digits" });
}

function describeNumber(account: MetaAccount): Record<string, unknown> {
  return {
    id: account.id,
    display_phone_number: account.name,
    verified_name: "Clínica de prueba",
    status: "CONNECTED",
    quality_rating: "GREEN",
    platform_type: "CLOUD_API",
    code_verification_status: "VERIFIED",
    throughput: { level: "STANDARD" },
    health_status: { can_send_message: "AVAILABLE", entities: [] },
    webhook_configuration: {},
  };
}

/** The fields that were asked for. An unknown one is refused. */
function describeObject(account: MetaAccount, id: string, fields: string | null): GraphAnswer {
  const all: Record<string, unknown> =
    account.driver === "whatsapp_cloud"
      ? id === account.id
        ? describeNumber(account)
        : { id, name: "Clínica de prueba", currency: "MXN" }
      : // `id` of Instagram Login belongs to the app; webhooks carry `user_id`.
        {
          id: account.driver === "instagram_login" ? `9${account.id}` : account.id,
          user_id: account.id,
          username: account.name.replace(/^@/u, ""),
          name: account.name,
        };
  const asked = (fields ?? "id").split(",");
  const unknown = asked.find((name) => !(name in all));
  if (unknown !== undefined) {
    const message = `(#100) Tried accessing nonexisting field (${unknown})`;
    return refusalOf({ http: 400, code: 100, message });
  }
  const chosen = Object.fromEntries(asked.map((name) => [name, all[name]]));
  return { http: 200, body: { ...chosen, id: all["id"] } };
}
