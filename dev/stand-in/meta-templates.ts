import type { MetaAccount } from "./meta-accounts.ts";
import type { MetaRefusal } from "./meta-scripts.ts";
import type { MetaPiece } from "./meta-wire.ts";

/** A template as Meta's list shows it. */
export interface MetaTemplate {
  id?: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameter_format?: "POSITIONAL" | "NAMED";
  components: MetaComponent[];
  quality_score?: { score: string };
  rejected_reason?: string;
}

/** A part of a template. */
export interface MetaComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: { type: string; text?: string; url?: string }[];
  [more: string]: unknown;
}

/** Templates of a stand-in that is told no others. */
export const metaTemplates: readonly MetaTemplate[] = [
  {
    name: "hello_world",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    components: [
      { type: "HEADER", format: "TEXT", text: "Hello World" },
      { type: "BODY", text: "Welcome and congratulations!" },
      { type: "FOOTER", text: "WhatsApp Business Platform sample message" },
    ],
  },
  {
    name: "recordatorio_cita",
    language: "es_MX",
    status: "APPROVED",
    category: "UTILITY",
    quality_score: { score: "GREEN" },
    components: [
      {
        type: "BODY",
        text: "Hola {{1}}, te esperamos el {{2}} a las {{3}}.",
        example: { body_text: [["Ana", "5 de marzo", "10:00"]] },
      },
      {
        type: "BUTTONS",
        buttons: [
          { type: "QUICK_REPLY", text: "Confirmar" },
          { type: "URL", text: "Ver cita", url: "https://clinica.example/citas/{{1}}" },
        ],
      },
    ],
  },
  {
    name: "resultados_listos",
    language: "es_MX",
    status: "APPROVED",
    category: "UTILITY",
    parameter_format: "NAMED",
    components: [
      { type: "HEADER", format: "DOCUMENT" },
      { type: "BODY", text: "{{nombre}}, tus resultados de {{estudio}} están listos." },
    ],
  },
  {
    name: "promo_verano",
    language: "es_MX",
    status: "REJECTED",
    category: "MARKETING",
    rejected_reason: "TAG_CONTENT_MISMATCH",
    components: [{ type: "BODY", text: "Todo al 50 %." }],
  },
];

const known = [
  "id",
  "name",
  "language",
  "status",
  "category",
  "parameter_format",
  "components",
  "quality_score",
  "rejected_reason",
] as const;

/** A page of the list, or the refusal of a field that Meta does not know. */
export function listMetaTemplates(
  templates: readonly MetaTemplate[],
  query: URLSearchParams,
): MetaRefusal | { data: object[]; paging?: object } {
  const fields = (query.get("fields") ?? "name,language,status,category,components,id").split(",");
  const unknown = fields.find((field) => !known.some((one) => one === field));
  if (unknown !== undefined) {
    return refuse(100, `(#100) Tried accessing nonexisting field (${unknown})`);
  }
  const limit = Math.min(Number(query.get("limit") ?? "25"), 100);
  const first = cursorOf(query.get("after"));
  if (first === null) return refuse(100, "(#100) Invalid cursors values");
  const page = templates.slice(first, first + limit);
  const data = page.map((one, index) => {
    const all: Record<string, unknown> = {
      id: String(594_425_479_261_000 + first + index),
      parameter_format: "POSITIONAL",
      rejected_reason: "NONE",
      ...one,
    };
    return Object.fromEntries(
      [...fields, "id"].flatMap((name) => (name in all ? [[name, all[name]]] : [])),
    );
  });
  if (page.length === 0) return { data };
  const cursors = { before: toCursor(first), after: toCursor(first + page.length) };
  const hasNext = first + page.length < templates.length;
  return { data, paging: { cursors, ...(hasNext && { next: "https://graph.facebook.com/next" }) } };
}

function toCursor(place: number): string {
  return Buffer.from(`at:${place}`).toString("base64url");
}

function cursorOf(after: string | null): number | null {
  if (after === null) return 0;
  const place = /^at:(\d+)$/u.exec(Buffer.from(after, "base64url").toString())?.[1];
  return place === undefined ? null : Number(place);
}

function refuse(code: number, message: string): MetaRefusal {
  return { http: code === 132_001 ? 404 : 400, code, message };
}

/** The webhook with which Meta tells of a status. It names the account alone, no number. */
export function templateNews(
  account: MetaAccount,
  { id = "594425479261000", name, language }: MetaTemplate,
  status: string,
): MetaPiece {
  return {
    account,
    field: "message_template_status_update",
    value: {
      event: status,
      message_template_id: Number(id),
      message_template_name: name,
      message_template_language: language,
      reason: status === "REJECTED" ? "INVALID_FORMAT" : "NONE",
    },
  };
}
