import type { TemplateDefinition } from "../../model/template.ts";
import { readFields, readId, readObjects, readText, type Fields } from "./read-json.ts";
import { storableJson } from "./storable-json.ts";

/** One template of Meta's list, in our words. */
export interface ListedTemplate {
  providerId: string | null;
  name: string;
  language: string;
  /** `marketing`, `utility`, `authentication`, or a word that Meta adds later. */
  category: string;
  /** `approved`, `pending`, `rejected`, `paused`, `disabled`, or a word that Meta adds later. */
  status: string;
  /** `green`, `yellow` or `red`; null while Meta has no opinion. */
  quality: string | null;
  format: TemplateDefinition["format"];
  /** Meta's components, as they came. */
  components: unknown;
  rejectedReason: string | null;
}

/** A page of Meta's list. */
export interface TemplatePage {
  templates: ListedTemplate[];
  /** Rows without a usable name or language. */
  skipped: number;
  /** Cursor of the next page; null on the last page. */
  next: string | null;
}

/** The fields to ask for. */
export const templateFields =
  "id,name,language,category,status,quality_score,parameter_format,components,rejected_reason";

/** JSON of the components of one template at most, in characters. */
const maxComponents = 100_000;
const maxCursorLength = 2_000;

/** A page of Meta's list; null for a body that is no list. */
export function readTemplatePage(body: unknown): TemplatePage | null {
  const fields = readFields(body);
  if (!Array.isArray(fields?.["data"])) return null;
  const rows = readObjects(fields["data"]);
  const templates = rows.flatMap((row) => readTemplate(row) ?? []);
  const paging = readFields(fields["paging"]);
  const after = readText(readFields(paging?.["cursors"])?.["after"]);
  const hasNext = readText(paging?.["next"]) !== null;
  const next = hasNext && after !== null && after.length <= maxCursorLength ? after : null;
  return { templates, skipped: fields["data"].length - templates.length, next };
}

function readTemplate(row: Fields): ListedTemplate | null {
  const name = readId(row["name"], 512);
  const language = readId(row["language"], 20);
  const components = storableJson(row["components"] ?? []);
  if (name === null || language === null) return null;
  if (JSON.stringify(components).length > maxComponents) return null;
  const score = readFields(row["quality_score"])?.["score"] ?? row["quality_score"];
  const quality = readWord(score, 16);
  return {
    providerId: readId(row["id"], 64),
    name,
    language,
    category: readWord(row["category"], 32) ?? "unknown",
    status: readWord(row["status"], 32) ?? "unknown",
    quality: quality === "unknown" ? null : quality,
    format: readWord(row["parameter_format"], 16) === "named" ? "named" : "positional",
    components,
    rejectedReason: readReason(row["rejected_reason"]),
  };
}

/** News of one template in a webhook of the app. */
export interface TemplateNews {
  name: string;
  language: string;
  /** Null where the webhook speaks of something else, such as the quality. */
  status: string | null;
  quality: string | null;
  rejectedReason: string | null;
}

/** Fields of webhooks that speak of templates. */
const newsFields: ReadonlySet<string> = new Set([
  "message_template_status_update",
  "message_template_quality_update",
  "message_template_components_update",
  "template_category_update",
]);

/** @returns true for a field of webhooks that speaks of templates. */
export function isTemplateField(field: string): boolean {
  return newsFields.has(field);
}

/** News of a template; null where the webhook names none. */
export function readTemplateNews(field: string, value: unknown): TemplateNews | null {
  const fields = readFields(value);
  const name = readId(fields?.["message_template_name"], 512);
  const language = readId(fields?.["message_template_language"], 20);
  if (fields === null || name === null || language === null) return null;
  const isStatus = field === "message_template_status_update";
  return {
    name,
    language,
    status: isStatus ? readWord(fields["event"], 32) : null,
    quality:
      field === "message_template_quality_update"
        ? readWord(fields["new_quality_score"], 16)
        : null,
    rejectedReason: isStatus ? readReason(fields["reason"]) : null,
  };
}

/** Meta writes NONE where there is no reason. */
function readReason(value: unknown): string | null {
  const reason = readWord(value, 64);
  return reason === "none" ? null : reason;
}

/** A word of Meta in lowercase; null for anything else. */
function readWord(value: unknown, maxLength: number): string | null {
  if (typeof value !== "string" || !/^\w+$/u.test(value)) return null;
  return value.slice(0, maxLength).toLowerCase();
}
