import { DateTime } from "luxon";
import type { AgentContext } from "../context.ts";

/** A figure or an address of a text, in a form that can be compared. */
export interface Fact {
  kind: "price" | "date" | "time" | "phone" | "email" | "url";
  shown: string;
  /** Place of its first character in the text, and of the character after its last one. */
  start: number;
  end: number;
  /** Readings of an unclear one: `4:00` is 4 or 16 o'clock. */
  readings: string[];
}

const months = [
  ["enero", "january", "jan", "ene"],
  ["febrero", "february", "feb"],
  ["marzo", "march", "mar"],
  ["abril", "april", "apr", "abr"],
  ["mayo", "may"],
  ["junio", "june", "jun"],
  ["julio", "july", "jul"],
  ["agosto", "august", "aug", "ago"],
  ["septiembre", "setiembre", "september", "sep", "sept"],
  ["octubre", "october", "oct"],
  ["noviembre", "november", "nov"],
  ["diciembre", "december", "dec", "dic"],
];
/** Numbers of months by their names and short forms. */
export const monthByName = new Map(
  months.flatMap((names, index) => names.map((name): [string, number] => [name, index + 1])),
);
/** Alternatives of a pattern, the longest first. */
export const monthName = [...monthByName.keys()].toSorted((a, b) => b.length - a.length).join("|");

const emailPattern = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu;
const urlPattern =
  /(?:https?:\/\/|www\.)[^\s<>"')\]]+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|mx|net|org|io|app|me|es|dev|co|info|link|page|site|shop|ly)(?:\.[a-z]{2})?(?:\/[^\s<>"')\]]*)?(?![\w@])/giu;
const pricePattern =
  /(?:US|MX)?[$€£]\s?(\d[\d.,]*)|(\d[\d.,]*)\s?(?:pesos|mxn|usd|d[oó]lares|euros?|eur|€|dollars|bucks)(?![\p{L}])/giu;
const isoDatePattern = /\b(\d{4})-(\d{2})-(\d{2})(?!\d)/gu;
const dayMonthPattern = new RegExp(
  String.raw`\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:de\s+|of\s+)?(${monthName})(?![\p{L}])`,
  "giu",
);
const monthDayPattern = new RegExp(
  String.raw`(?<![\p{L}])(${monthName})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:])`,
  "giu",
);
const slashDatePattern = /\b(\d{1,2})\/(\d{1,2})(?:\/\d{2,4})?(?![\d/])/gu;
const half = String.raw`(?:\s?(a\.?\s?m\b\.?|p\.?\s?m\b\.?)|\s+(?:de|por|en|in|at) (?:la |the )?(mañana|tarde|noche|morning|afternoon|evening|night))?`;
const clockPattern = new RegExp(String.raw`(?<![\d:.,])(\d{1,2}):(\d{2})(?!\d)${half}`, "giu");
const bareHourPattern = new RegExp(
  String.raw`(?:\ba las?|\blas|\bat)\s(\d{1,2})(?![\d:.,/]|\s?%)(?:\s+y\s+(media|cuarto)(?![\p{L}]))?${half}|(?<![\d:.,$])(\d{1,2})\s?(a\.?m\b|p\.?m\b|hrs?\b|h\b)`,
  "giu",
);
const phonePattern = /\+?\(?\d[\d\s().-]{6,}\d/gu;

function priceOf(digits: string): string {
  const text = digits.replaceAll(/[.,]+$/gu, "");
  // A last group of one or two digits are cents; any other mark groups thousands.
  const cents = /[.,](\d{1,2})$/u.exec(text)?.[1] ?? "";
  const whole = (cents === "" ? text : text.slice(0, -cents.length - 1)).replaceAll(/[.,]/gu, "");
  return String(Number(`${whole}.${cents === "" ? "0" : cents}`));
}

function readHour(hour: number, minute: number, mark: string): string[] {
  if (hour > 24 || minute > 59) return [];
  const at = (value: number) => `${value % 24}:${String(minute).padStart(2, "0")}`;
  const word = mark.toLowerCase().replaceAll(/[.\s]/gu, "");
  if (word.startsWith("p") || /^(?:tarde|noche|afternoon|evening|night)$/u.test(word))
    return [at(hour < 12 ? hour + 12 : hour)];
  if (/^(?:am|mañana|morning)$/u.test(word)) return [at(hour === 12 ? 0 : hour)];
  return hour >= 1 && hour <= 12 ? [at(hour), at(hour + 12)] : [at(hour)];
}

function dateOf(month: number, day: number): string[] {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [`${month}-${day}`] : [];
}

function urlOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/^https?:\/\//u, "")
    .replace(/^www\./u, "")
    .replace(/[/.,;:!?]+$/u, "");
}

/** Prices, dates, times, phones, emails and URLs of a text. */
export function listFacts(text: string): Fact[] {
  const facts: Fact[] = [];
  let rest = text;
  // Each kind is taken out of the text, so that the digits of a date are no phone.
  const take = (
    kind: Fact["kind"],
    pattern: RegExp,
    read: (groups: (string | undefined)[]) => string[],
  ): void => {
    rest = rest.replaceAll(pattern, (shown: string, ...groups: unknown[]) => {
      const readings = read([shown, ...groups.map((one) => (typeof one === "string" ? one : ""))]);
      if (readings.length === 0) return shown;
      const start = Number(groups.findLast((one) => typeof one === "number"));
      facts.push({ kind, shown: shown.trim(), start, end: start + shown.length, readings });
      // Of the same length, so that the places of later facts are those of the text.
      return ";".padEnd(shown.length);
    });
  };
  take("email", emailPattern, ([shown = ""]) => [shown.toLowerCase()]);
  take("url", urlPattern, ([shown = ""]) => [urlOf(shown)]);
  take("price", pricePattern, ([, before, after]) => [priceOf(before || after || "0")]);
  take("date", isoDatePattern, ([, , month, day]) => dateOf(Number(month), Number(day)));
  take("date", dayMonthPattern, ([, day, month = ""]) =>
    dateOf(monthByName.get(month.toLowerCase()) ?? 0, Number(day)),
  );
  take("date", monthDayPattern, ([, month = "", day]) =>
    dateOf(monthByName.get(month.toLowerCase()) ?? 0, Number(day)),
  );
  take("date", slashDatePattern, ([, first, second]) => [
    ...dateOf(Number(second), Number(first)),
    ...dateOf(Number(first), Number(second)),
  ]);
  take("time", clockPattern, ([, hour, minute, mark, part]) =>
    readHour(Number(hour), Number(minute), mark || part || ""),
  );
  take("time", bareHourPattern, ([, hour, more = "", mark, part, glued, gluedMark]) => {
    const minute = more === "" ? 0 : more.toLowerCase() === "media" ? 30 : 15;
    return readHour(Number(hour || glued), minute, mark || part || gluedMark || "");
  });
  take("phone", phonePattern, ([shown = ""]) => {
    const digits = shown.replaceAll(/\D/gu, "");
    return digits.length >= 8 ? [digits.slice(-10)] : [];
  });
  return facts;
}

/** All that a reply may repeat, by kind. */
function listKnown(context: AgentContext): Map<Fact["kind"], Set<string>> {
  const { account, persona, contact, knowledge, messages, rounds, untold } = context;
  const known = new Map<Fact["kind"], Set<string>>();
  const add = (kind: Fact["kind"], value: string): void => {
    known.set(kind, (known.get(kind) ?? new Set()).add(value));
  };
  const results = rounds.flatMap(({ calls }) => calls.map(({ result }) => JSON.stringify(result)));
  const own = [
    account.name,
    account.address ?? "",
    persona.instructions,
    ...context.services.map(({ name }) => name),
    ...context.resources.map(({ name }) => name),
    ...knowledge.flatMap(({ question, answer }) => [question, answer]),
    ...messages.filter(({ speaker }) => speaker === "person").map(({ text }) => text),
    ...results,
    ...untold.map(({ text }) => text),
  ];
  const heard = [contact.phone ?? "", contact.email ?? "", ...messages.map(({ text }) => text)];
  const addAll = (text: string, isOwn: boolean): void => {
    for (const { kind, readings } of listFacts(text)) {
      // A customer's price or link does not become true when the agent repeats it.
      if (isOwn || (kind !== "price" && kind !== "url")) readings.forEach((one) => add(kind, one));
    }
  };
  own.forEach((text) => addAll(text, true));
  heard.forEach((text) => addAll(text, false));
  // Prices also stand as plain numbers in tables of knowledge items.
  for (const text of [...knowledge.map(({ answer }) => answer), persona.instructions]) {
    for (const [digits] of text.matchAll(/\d[\d.,]*/gu)) add("price", priceOf(digits));
  }
  const starts = [
    ...context.offers.map(({ startTime }) => startTime),
    ...context.appointments.flatMap(({ startTime, endTime }) => [startTime, endTime]),
    ...results.flatMap((text) =>
      [...text.matchAll(/"start":"([^"]+)"/gu)].map(([, start = ""]) => new Date(start)),
    ),
  ];
  const addLocal = (moment: DateTime): void => {
    add("date", `${moment.month}-${moment.day}`);
    add("time", `${moment.hour}:${String(moment.minute).padStart(2, "0")}`);
  };
  for (const start of starts) {
    const zones = [account.timeZone, ...context.resources.map(({ timeZone }) => timeZone)];
    for (const zone of zones) addLocal(DateTime.fromJSDate(start, { zone }));
  }
  // Days near now follow from words such as "tomorrow".
  const today = DateTime.fromJSDate(context.now, { zone: account.timeZone });
  for (let days = 0; days <= 14; days += 1) {
    const day = today.plus({ days });
    add("date", `${day.month}-${day.day}`);
  }
  for (const { weeklyHours } of context.resources) {
    for (const { from, to } of Object.values(weeklyHours).flat()) {
      for (const time of [from, to]) {
        const [hour = "0", minute = "00"] = time.split(":");
        add("time", `${Number(hour) % 24}:${minute}`);
      }
    }
  }
  return known;
}

/** A figure or an address of a reply that neither context nor results hold; null: none. */
export function findUngrounded(text: string, context: AgentContext): string | null {
  const known = listKnown(context);
  const stray = listFacts(text).find(
    ({ kind, readings }) => !readings.some((one) => known.get(kind)?.has(one) === true),
  );
  return stray === undefined ? null : `${stray.kind} ${stray.shown}`;
}
