import type { ChannelFacts } from "../../model/channel-setup.ts";
import type { MetaDriver } from "../../model/channels.ts";
import { toWellFormed } from "../../model/wire.ts";
import {
  readFields,
  readId,
  readList,
  readNumber,
  readObjects,
  readText,
  type Fields,
} from "./read-json.ts";

/** Permissions that a token needs for its channel. Instagram Login does not list its own. */
export const requiredScopes: Readonly<Record<MetaDriver, readonly string[]>> = {
  whatsapp_cloud: ["whatsapp_business_management", "whatsapp_business_messaging"],
  messenger: ["pages_messaging", "pages_manage_metadata"],
  instagram_page: ["instagram_basic", "instagram_manage_messages", "pages_manage_metadata"],
  instagram_login: [],
};

const maxWords = 300;

/** A text of Meta for people, cut to 300 characters. */
export function readWords(value: unknown): string | null {
  const text = readText(value);
  return text === null ? null : toWellFormed(Array.from(text).slice(0, maxWords).join(""));
}

/** An error of the Graph API. */
export interface GraphRefusal {
  code: number | null;
  subcode: number | null;
  message: string | null;
}

/** The error of an answer; null where the answer is none. */
export function findGraphRefusal(statusCode: number, body: unknown): GraphRefusal | null {
  const error = readFields(readFields(body)?.["error"]);
  if (error !== null) return readRefusal(error);
  if (statusCode >= 200 && statusCode < 300) return null;
  return { code: null, subcode: null, message: `HTTP ${statusCode}` };
}

/** Meta's text for people says more than its message for programs, where both are there. */
function readRefusal(error: Fields): GraphRefusal {
  const details = readFields(error["error_data"])?.["details"];
  return {
    code: readNumber(error["code"]),
    subcode: readNumber(error["error_subcode"] ?? error["subcode"]),
    message: readWords(details ?? error["error_user_msg"] ?? error["message"]),
  };
}

/** Facts of a token. */
export interface TokenFacts {
  appId: string | null;
  isValid: boolean;
  scopes: string[];
  /** Null: the token does not expire. */
  expiresAt: Date | null;
  /** Reason why it is not valid. */
  refusal: GraphRefusal | null;
}

/** Reads the answer of `GET /debug_token`. Null where it has no data. */
export function readTokenFacts(body: unknown): TokenFacts | null {
  const data = readFields(readFields(body)?.["data"]);
  if (data === null) return null;
  const expiresAt = readNumber(data["expires_at"]) ?? 0;
  const error = readFields(data["error"]);
  return {
    appId: readId(data["app_id"]),
    isValid: data["is_valid"] === true,
    scopes: readList(data["scopes"]).filter((one) => typeof one === "string"),
    expiresAt: expiresAt > 0 ? new Date(expiresAt * 1_000) : null,
    refusal: error === null ? null : readRefusal(error),
  };
}

const noFacts: ChannelFacts = {
  display_name: null,
  verified_name: null,
  status: null,
  platform_type: null,
  is_on_biz_app: null,
  quality_rating: null,
  messaging_limit: null,
  throughput: null,
  can_send: null,
  problems: [],
  is_subscribed: null,
};

/** Facts of a number of WhatsApp. */
export function readNumberFacts(body: unknown): ChannelFacts {
  const number = readFields(body) ?? {};
  const health = readFields(number["health_status"]);
  return {
    ...noFacts,
    display_name: readWords(number["display_phone_number"]),
    verified_name: readWords(number["verified_name"]),
    status: readId(number["status"]),
    platform_type: readId(number["platform_type"]),
    quality_rating: readId(number["quality_rating"]),
    throughput: readId(readFields(number["throughput"])?.["level"]),
    can_send: readId(health?.["can_send_message"]),
    problems: readObjects(health?.["entities"]).flatMap(readProblems).slice(0, 10),
  };
}

/** Errors of a node, and the notes that Meta gives to a limited one. */
function readProblems(entity: Fields): ChannelFacts["problems"] {
  const errors = readObjects(entity["errors"]).map((error) => ({
    code: readId(error["error_code"]) ?? "unknown",
    text: readWords(error["error_description"]) ?? "",
    solution: readWords(error["possible_solution"]),
  }));
  const notes = readList(entity["additional_info"]).flatMap((note) => {
    const text = readWords(note);
    return text === null ? [] : [{ code: "limited", text, solution: null }];
  });
  return [...errors, ...notes];
}

/** Facts of a Page or of an Instagram account: only its name. */
export function factsOfName(displayName: string | null): ChannelFacts {
  return { ...noFacts, display_name: displayName };
}

/** A number takes messages once it is registered at the Cloud API. */
export function isRegistered({
  status,
  platform_type: platform,
}: Pick<ChannelFacts, "status" | "platform_type">): boolean {
  return platform !== "NOT_APPLICABLE" && platform !== "ON_PREMISE" && status !== "DISCONNECTED";
}

/** A subscription of an object to an app, as `GET /{id}/subscribed_apps` lists it. */
export interface Subscription {
  appId: string | null;
  /** Address in place of the app's own; WhatsApp alone. */
  callbackUrl: string | null;
  /** Null where Meta does not list them. */
  fields: string[] | null;
}

/** Reads the answer of `GET /{id}/subscribed_apps`. */
export function readSubscriptions(body: unknown): Subscription[] {
  return readObjects(readFields(body)?.["data"]).map((one) => {
    const app = readFields(one["whatsapp_business_api_data"]) ?? one;
    const fields = one["subscribed_fields"];
    return {
      appId: readId(app["id"]),
      callbackUrl: readText(one["override_callback_uri"]),
      fields: Array.isArray(fields)
        ? fields.map((field) => readText(readFields(field)?.["name"] ?? field) ?? "")
        : null,
    };
  });
}
