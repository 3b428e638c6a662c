import { dayMs } from "../model/durations.ts";
import type { DetectedChat } from "../model/import.ts";
import { dayOf, type ChatHead } from "./chat-head.ts";
import { parseChat, splitMessages } from "./chat-text.ts";
import type { ChatSource } from "./chat-file.ts";
import { ImportFileError } from "./import-error.ts";

const sampleLines = 3;
const maxAuthors = 2;

/**
 * Looks at the export of a chat: who wrote, when, and in which order days and months stand.
 * @throws ImportFileError `chat_empty`, or `chat_group` for more than two authors
 */
export async function detectChat(source: ChatSource): Promise<DetectedChat> {
  const order = await detectDayOrder(source);
  const authors = new Map<string, number>();
  const sample: string[] = [];
  let messages = 0;
  let first = "";
  let last = "";
  const files = new Set(source.fileNames);
  for await (const one of parseChat(source.readText(), order ?? true, files)) {
    authors.set(one.author, (authors.get(one.author) ?? 0) + 1);
    if (authors.size > maxAuthors) throw new ImportFileError("chat_group", one.line);
    messages += 1;
    if (first === "" || one.time < first) first = one.time;
    if (one.time > last) last = one.time;
  }
  if (messages === 0) throw new ImportFileError("chat_empty");
  for await (const { raw } of splitMessages(source.readText())) {
    sample.push(raw);
    if (sample.length === sampleLines) break;
  }
  return {
    format: "chat",
    authors: [...authors]
      .map(([name, count]) => ({ name, messages: count }))
      .toSorted((one, other) => other.messages - one.messages),
    day_first: order,
    sample,
    messages,
    media: files.size,
    first_at: first,
    last_at: last,
  };
}

/**
 * True where days stand before months. A day over 12 decides. Else the order in which fewer
 * messages lie before the message above them, since a chat is in the order of time. Else the order
 * in which the chat takes less time.
 * @returns null where both orders are as good
 */
async function detectDayOrder(source: ChatSource): Promise<boolean | null> {
  const dayFirst = new DayOrder(true);
  const monthFirst = new DayOrder(false);
  for await (const { head } of splitMessages(source.readText())) {
    if (head.isYearFirst) return false;
    const [one, two] = head.date;
    if (one > 12) return true;
    if (two > 12) return false;
    dayFirst.add(head);
    monthFirst.add(head);
  }
  const difference = monthFirst.backwards - dayFirst.backwards || monthFirst.days - dayFirst.days;
  return difference === 0 ? null : difference > 0;
}

/** The days of a chat as one order reads them. */
class DayOrder {
  /** Messages that lie before the message above them. */
  backwards = 0;
  #first = Infinity;
  #last = -Infinity;
  #before = -Infinity;

  constructor(readonly isDayFirst: boolean) {}

  /** Days from the first to the last message. */
  get days(): number {
    return this.#last - this.#first;
  }

  add(head: ChatHead): void {
    const day = dayNumber(head, this.isDayFirst);
    if (day < this.#before) this.backwards += 1;
    this.#before = day;
    this.#first = Math.min(this.#first, day);
    this.#last = Math.max(this.#last, day);
  }
}

function dayNumber(head: ChatHead, dayFirst: boolean): number {
  const day = dayOf(head, dayFirst);
  return day === null ? 0 : Date.UTC(day.year, day.month - 1, day.day) / dayMs;
}
