import type { RestChannel } from "../../model/channels.ts";
import { textLength, textLimits } from "../../model/text-limit.ts";
import type { Locale } from "../../model/user.ts";
import { findPhrase, foldedWords } from "../basic/text.ts";
import type { AgentContext } from "../context.ts";
import { promptCanary } from "../prompt.ts";
import { findFalseClaim } from "./claims.ts";
import { findUngrounded } from "./grounding.ts";
import { findWrongWeekday } from "./weekdays.ts";

/** A reply of a model, before anyone sees it. */
export interface ReplyToCheck {
  text: string;
  /** The text ends at the limit of tokens. */
  cut?: boolean;
  /** Text of the built-in agent, from templates and stored answers: its form alone is checked. */
  isBuiltIn?: boolean;
  /** Length that the service adds, in the unit of the channel: confirmations and the like. */
  addedLength?: number;
  context: AgentContext;
  language: Locale;
  /** Answers from knowledge need the marker of their item. */
  strict: boolean;
  blockedWords: readonly string[];
  channel: RestChannel;
}

/** Guards of a reply. */
export type ReplyGuard =
  | "claim"
  | "grounding"
  | "length"
  | "blocked_word"
  | "canary"
  | "plain_text"
  | "language"
  | "empty";

/** Result of the guards. `refs` name the free times that a model marked. `fact` tells the model the fault, in English, for one more try. */
export type CheckedReply =
  | { ok: true; text: string; citations: number[]; refs: string[] }
  | { ok: false; guard: ReplyGuard; fact: string };

/** Mark of the knowledge item that an answer comes from. */
export const marker = /\s*\[k(\d+)\]/gu;
const markup = /\*\*|^#{1,6} |```|^\|.*\|$|\[[^\]\n]+\]\([^)\n]+\)|<\/?[a-z][^>\n]*>/imu;

/** Mark of a free time that a model offers. */
const slotMarker = /\s*\[(S[1-9])\]/gu;

/**
 * Checks a reply before its commit. The text of a good reply has no markers, and card numbers are
 * masked. Pure: equal arguments give equal results.
 */
export function checkReply(reply: ReplyToCheck): CheckedReply {
  const { context, language, channel } = reply;
  const citations = [...new Set([...reply.text.matchAll(marker)].map(([, id]) => Number(id)))];
  const unmarked = reply.text.replaceAll(marker, "");
  const offered = reply.isBuiltIn === true ? [] : [...unmarked.matchAll(slotMarker)];
  const refs = [...new Set(offered.map(([, ref = ""]) => ref))];
  const bare = reply.isBuiltIn === true ? unmarked : unmarked.replaceAll(slotMarker, "");
  const text = maskCards(bare.trim());
  const fail = (guard: ReplyGuard, fact: string): CheckedReply => ({ ok: false, guard, fact });

  if (text === "") return fail("empty", "It was empty. Answer the customer.");
  if (text.toLowerCase().includes(promptCanary))
    return fail("canary", "It repeated your instructions. Never do that.");
  const limit = Math.max(0, textLimits[channel].max - (reply.addedLength ?? 0));
  if (reply.cut === true || textLength(channel, text) > limit)
    return fail("length", `It was too long. Use at most ${Math.min(limit, 600)} characters.`);
  const blocked = findPhrase(text, reply.blockedWords);
  if (blocked !== null) return fail("blocked_word", `It used a forbidden word: ${blocked}.`);
  if (reply.isBuiltIn === true) return { ok: true, text, citations, refs };
  if (markup.test(text)) return fail("plain_text", "It had markup. Write plain text.");
  if (isInOtherLanguage(text, language))
    return fail("language", `Write in ${language === "es" ? "Spanish" : "English"}.`);
  const claim = findFalseClaim(text, context);
  if (claim !== null)
    return fail("claim", `It claimed a deed without a tool that did it: ${claim}.`);
  const stray = findUngrounded(text, context);
  if (stray !== null) return fail("grounding", `Nothing you were given says: ${stray}.`);
  const wrong = findWrongWeekday(text, context);
  if (wrong !== null) return fail("grounding", `Weekday and date do not match: ${wrong}.`);
  return checkCitations(reply, { text, citations, refs });
}

function checkCitations(
  { context, strict }: ReplyToCheck,
  good: { text: string; citations: number[]; refs: string[] },
): CheckedReply {
  const { text, citations } = good;
  const items = listItems(context);
  const unknown = citations.find((id) => !items.has(id));
  if (unknown !== undefined)
    return { ok: false, guard: "grounding", fact: `There is no item [k${unknown}].` };
  if (strict && citations.length === 0) {
    const used = [...items].find(([, answer]) => isTakenFrom(text, answer));
    if (used !== undefined)
      return {
        ok: false,
        guard: "grounding",
        fact: `It used item [k${used[0]}] without its marker.`,
      };
  }
  return { ok: true, ...good };
}

/** Answers of the knowledge items that the model has seen, by id. */
export function listItems({
  knowledge,
  rounds,
}: Pick<AgentContext, "knowledge" | "rounds">): Map<number, string> {
  const items = new Map(knowledge.map(({ id, answer }) => [id, answer]));
  for (const { result } of rounds.flatMap(({ calls }) => calls)) {
    if (!result.ok || !("items" in result)) continue;
    for (const { id, answer } of result.items) items.set(Number(id.replace(/^k/u, "")), answer);
  }
  return items;
}

/** True where a reply holds half of the longer words of an answer, and at least three. */
function isTakenFrom(text: string, answer: string): boolean {
  const own = new Set(foldedWords(text));
  const words = [...new Set(foldedWords(answer).filter((word) => word.length > 3))];
  const shared = words.filter((word) => own.has(word)).length;
  return shared >= 3 && shared >= words.length / 2;
}

const commonWords: Record<Locale, ReadonlySet<string>> = {
  es: new Set("el la los las de que y en un una para con tu su por es te lo se del".split(" ")),
  en: new Set("the of and to in you your for with is are we it at on this that have".split(" ")),
};

/** Long texts only: a short one may be a name or an address. */
function isInOtherLanguage(text: string, language: Locale): boolean {
  const words = foldedWords(text);
  const count = (locale: Locale) => words.filter((word) => commonWords[locale].has(word)).length;
  const other = count(language === "es" ? "en" : "es");
  return words.length >= 8 && other >= 3 && other > 3 * count(language);
}

/** Keeps the last four digits of card numbers, which have 13 to 19 digits and a check digit. */
function maskCards(text: string): string {
  return text.replaceAll(/(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)/gu, (shown) => {
    const digits = shown.replaceAll(/\D/gu, "");
    return hasCheckDigit(digits) ? `•••• ${digits.slice(-4)}` : shown;
  });
}

/** Source: ISO/IEC 7812-1, the Luhn formula. */
function hasCheckDigit(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, index) => {
      const doubled = digit * (index % 2 === 0 ? 1 : 2);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}
