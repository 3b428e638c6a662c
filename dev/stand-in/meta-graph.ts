import type { IncomingHttpHeaders } from "node:http";
import { hmacHex, secretFor, type MetaAccount } from "./meta-accounts.ts";
import { describeFile } from "./meta-media.ts";
import { answerUpload, type MetaForm } from "./meta-uploads.ts";
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
  /** The form with a file, in place of `body`. */
  form?: MetaForm | null;
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
  if (call.method === "GET" && edge === "" && world.files.has(id)) {
    return answerFile(world, owned, id, call);
  }
  const named = id === "refresh_access_token" ? "me" : id;
  const account = pickAccount(world, owned, named, call.body);
  if (account === undefined) return noObject(id);
  const unproven = judgeProof(world, account, token ?? "", call.query.get("appsecret_proof"));
  if (unproven !== null) return unproven;
  if (call.path === "/refresh_access_token") return refreshToken(account, call);
  if (call.method === "POST" && (edge === "media" || edge === "message_attachments")) {
    return answerUpload(world, account, { id, edge, form: call.form ?? null });
  }
  if (isSend) return await sendTo(world, account, id, call.body);
  const route = `${call.method} ${edge}`;
  if (route === "POST take_thread_control") return takeThread(world, account, id);
  if (edge === "subscribed_apps") return await answerSubscription(world, account, call);
  if (route === "POST register" && account.driver === "whatsapp_cloud") {
    return register(account, call.body);
  }
  if (route === "GET phone_numbers" && id === account.parentId)
    return { http: 200, body: { data: owned.map(describeNumber) } };
  if (route === "GET message_templates" && account.driver === "whatsapp_cloud") {
    if (id !== account.parentId) return noObject(id);
    const list = listMetaTemplates(world.templates, call.query);
    return "http" in list ? refusalOf(list) : { http: 200, body: list };
  }
  if (route === "GET ") return describeObject(world, account, id, call.query.get("fields"));
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

/** Scripts in which another app has the conversation. */
const heldScripts: ReadonlySet<string> = new Set(["other_app", "other_owner"]);

/** A Page takes a conversation, unless the script leaves it with the other app. */
function takeThread({ script }: MetaWorld, { driver, id, parentId }: MetaAccount, page: string) {
  const owner = driver === "instagram_page" ? parentId : id;
  const isPage = driver === "messenger" || driver === "instagram_page";
  if (!isPage || page !== owner) return noObject(page);
  if (!heldScripts.has(script.name)) return { http: 200, body: { success: true } };
  return refusalOf({ http: 400, code: 10, message: "Only the primary receiver may take it" });
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

/** A file has no owner here: any token of WhatsApp with its proof may ask for its address. */
function answerFile(
  world: MetaWorld,
  owned: readonly MetaAccount[],
  id: string,
  { query }: GraphCall,
): GraphAnswer {
  const account = owned.find(({ network }) => network === "whatsapp");
  if (account === undefined) return noObject(id);
  const unproven = judgeProof(world, account, account.token, query.get("appsecret_proof"));
  const body = describeFile(world, id);
  return unproven ?? (body === null ? noObject(id) : { http: 200, body });
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
  const owned = world.accounts.filter(({ token }) => token === query.get("input_token"));
  const [account] = owned;
  const { trouble = {} } = account ?? {};
  const { tokenAppId = world.app.id, expiresAt = 0 } = trouble;
  const isOver = expiresAt !== 0 && expiresAt * 1_000 <= Date.now();
  if (account === undefined || world.script.name === "token" || isOver) {
    const message = isOver ? "Session has expired" : "Invalid OAuth access token.";
    const error = { code: 190, ...(isOver && { subcode: 463 }), message };
    const data = { error, is_valid: false, scopes: [], expires_at: expiresAt };
    return { http: 200, body: { data } };
  }
  const granted = [...new Set(owned.flatMap(({ driver }) => scopes[driver]))];
  const facts = { app_id: tokenAppId, type: "SYSTEM_USER", expires_at: expiresAt };
  const data = { ...facts, is_valid: true, scopes: trouble.scopes ?? granted };
  return { http: 200, body: { data } };
}

/** Members of the body or of the query: Meta reads both. */
function parameterOf({ body, query }: GraphCall, name: string): string | null {
  const given = (Object(body) as Record<string, unknown>)[name];
  return typeof given === "string" ? given : query.get(name);
}

/** The business account, the Page or the account of Instagram that the app subscribes to. */
function subscribedId({ driver, id, parentId }: MetaAccount): string {
  return driver === "whatsapp_cloud" || driver === "instagram_page" ? parentId : id;
}

/** Reads, makes and ends a subscription. */
async function answerSubscription(
  world: MetaWorld,
  account: MetaAccount,
  call: GraphCall,
): Promise<GraphAnswer> {
  const id = subscribedId(account);
  if (call.method === "GET") return listSubscriptions(world, account, id);
  if (call.method === "DELETE") {
    world.subscriptions.delete(id);
    return { http: 200, body: { success: true } };
  }
  const answer = await subscribe(world, account, call);
  if (answer !== "hang" && answer.http === 200) {
    const url = parameterOf(call, "override_callback_uri");
    const fields = parameterOf(call, "subscribed_fields")?.split(",") ?? [];
    world.subscriptions.set(id, { url, fields });
  }
  return answer;
}

/** WhatsApp names the app in an object of its own; the others list the app with its fields. */
function listSubscriptions(world: MetaWorld, account: MetaAccount, id: string): GraphAnswer {
  const found = world.subscriptions.get(id);
  if (found === undefined) return { http: 200, body: { data: [] } };
  const { url, fields } = found;
  const one =
    account.driver === "whatsapp_cloud"
      ? {
          whatsapp_business_api_data: { id: world.app.id, name: "Parley" },
          ...(url !== null && { override_callback_uri: url }),
        }
      : { id: world.app.id, name: "Parley", subscribed_fields: fields };
  return { http: 200, body: { data: [one] } };
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

/** A token of Instagram Login lives 60 days more, and keeps its text here. */
function refreshToken(account: MetaAccount, call: GraphCall): GraphAnswer {
  const isAsked = call.query.get("grant_type") === "ig_refresh_token";
  if (account.driver !== "instagram_login" || !isAsked) return noObject("refresh_access_token");
  if (account.trouble?.isYoung === true) {
    const message = "The token must be at least 24 hours old.";
    return refusalOf({ http: 400, code: 10, message });
  }
  const renewed = { access_token: account.token, token_type: "bearer", expires_in: 5_184_000 };
  return { http: 200, body: renewed };
}

/** The PIN `000000` is that of nobody. */
function register(account: MetaAccount, body: unknown): GraphAnswer {
  const { messaging_product: product, pin } = Object(body) as Record<string, unknown>;
  if (pin === "000000") {
    const message = "(#133005) Two step verification PIN Mismatch";
    return refusalOf({ http: 400, code: 133_005, message });
  }
  if (product === "whatsapp" && typeof pin === "string" && /^\d{6}$/u.test(pin)) {
    if (account.trouble !== undefined) account.trouble.isUnregistered = false;
    return { http: 200, body: { success: true } };
  }
  return refusalOf({ http: 400, code: 100, message: "(#100) Param pin must be 6 digits" });
}

/** The health of a number. A blocked one says why, and what helps. */
function healthOf({ id, trouble }: MetaAccount): object {
  if (trouble?.blockedFor === undefined) return { can_send_message: "AVAILABLE", entities: [] };
  const error = {
    error_code: 141_006,
    error_description: trouble.blockedFor,
    possible_solution: "Appeal in the security centre.",
  };
  const node = { entity_type: "PHONE_NUMBER", id, can_send_message: "BLOCKED", errors: [error] };
  return { can_send_message: "BLOCKED", entities: [node] };
}

function describeNumber(account: MetaAccount): Record<string, unknown> {
  const isUnregistered = account.trouble?.isUnregistered === true;
  return {
    id: account.id,
    display_phone_number: account.name,
    verified_name: "Clínica de prueba",
    status: isUnregistered ? "PENDING" : "CONNECTED",
    quality_rating: "GREEN",
    platform_type: isUnregistered ? "NOT_APPLICABLE" : "CLOUD_API",
    is_on_biz_app: account.trouble?.isOnBizApp === true,
    whatsapp_business_manager_messaging_limit: "TIER_2K",
    code_verification_status: "VERIFIED",
    throughput: { level: "STANDARD" },
    health_status: healthOf(account),
    webhook_configuration: {},
  };
}

/** A Page names the Instagram account that is linked to it. */
function instagramOfPage({ accounts }: MetaWorld, id: string): Record<string, unknown> {
  const linked = accounts.find((one) => one.driver === "instagram_page" && one.parentId === id);
  return linked === undefined ? {} : { instagram_business_account: { id: linked.id } };
}

/** The fields that were asked for. An unknown one is refused. */
function describeObject(
  world: MetaWorld,
  account: MetaAccount,
  id: string,
  fields: string | null,
): GraphAnswer {
  const all: Record<string, unknown> =
    account.driver === "whatsapp_cloud"
      ? id === account.id
        ? describeNumber(account)
        : {
            id,
            name: "Clínica de prueba",
            currency: "MXN",
            owner_business_info: { id: "3300112233", name: "Clínica de prueba" },
          }
      : // `id` of Instagram Login belongs to the app; webhooks carry `user_id`.
        {
          id: account.driver === "instagram_login" ? `9${account.id}` : account.id,
          user_id: account.id,
          username: account.name.replace(/^@/u, ""),
          name: account.name,
          ...instagramOfPage(world, id),
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
