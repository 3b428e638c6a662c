import { expect, test } from "vitest";
import type { TalkBook } from "../../tools/faults/agent-talks.ts";
import { judgeTalk, type HungTalk } from "../../tools/faults/talk-verdict.ts";

const untouched: TalkBook = {
  open: 0,
  outcomes: "paused",
  appointments: 0,
  replies: 0,
  confirmations: 0,
  untold: 0,
  status: "handed_off",
  newestReply: 0,
  newestDeed: 0,
  turnMs: 12_000,
};
const booked: TalkBook = {
  ...untouched,
  outcomes: "replied",
  appointments: 1,
  replies: 1,
  confirmations: 1,
  status: "bot",
  newestReply: 5,
  newestDeed: 3,
};
const calledOnly: TalkBook = { ...untouched, appointments: 1, untold: 1, newestDeed: 3 };

const good: Record<string, HungTalk> = {
  answered: { ending: "answers again", heldStep: 1, atPause: null, after: booked },
  handedOver: {
    ending: "hangs on",
    heldStep: 1,
    atPause: null,
    after: { ...untouched, outcomes: "handed_off", replies: 1, newestReply: 5 },
  },
  hungOn: { ending: "hangs on", heldStep: 2, atPause: null, after: booked },
  paused: {
    ending: "pause after the takeover",
    heldStep: 1,
    atPause: untouched,
    after: untouched,
  },
  pausedLater: {
    ending: "pause before the takeover",
    heldStep: 2,
    atPause: calledOnly,
    after: calledOnly,
  },
  raceWon: { ending: "pause beside the answer", heldStep: 2, atPause: booked, after: booked },
  raceLost: {
    ending: "pause beside the answer",
    heldStep: 1,
    atPause: untouched,
    after: untouched,
  },
};

test.each(Object.entries(good))("a talk that is %s breaks nothing", (_, talk) => {
  expect(judgeTalk(talk)).toEqual([]);
});

/** A good talk, the change that spoils it, and a part of the breach. */
const spoiled: [name: keyof typeof good, change: Partial<TalkBook>, breach: string][] = [
  ["answered", { turnMs: null }, "a turn of null ms"],
  ["answered", { turnMs: 106_000 }, "a turn of 106000 ms"],
  ["answered", { replies: 2 }, "2 messages"],
  ["answered", { replies: 0 }, "not one message"],
  ["answered", { appointments: 2, confirmations: 2 }, "2 appointments"],
  ["answered", { appointments: 0, confirmations: 0 }, "nothing is booked"],
  ["answered", { outcomes: "handed_off" }, "ended as handed_off"],
  ["answered", { untold: 1 }, "does not know"],
  ["hungOn", { confirmations: 0 }, "0 confirmations of 1 bookings"],
  ["hungOn", { outcomes: "failed" }, "ended as failed"],
  ["paused", { newestReply: 9, replies: 1 }, "a message after the pause"],
  ["paused", { newestDeed: 9 }, "a call of a tool after the pause"],
  ["paused", { appointments: 1 }, "an appointment after the pause"],
  ["paused", { outcomes: "superseded" }, "ended as superseded"],
  ["pausedLater", { appointments: 0 }, "0 appointments"],
  ["raceWon", { newestReply: 9 }, "a message after the pause"],
  ["raceLost", { outcomes: "replied" }, "ended as replied with 0 messages"],
];

test.each(spoiled)("the verdict on %s finds %j", (name, change, breach) => {
  const talk = good[name];
  if (talk === undefined) throw new Error(`There is no talk ${name}.`);
  const found = judgeTalk({ ...talk, after: { ...talk.after, ...change } });
  expect(found.join("; ")).toContain(breach);
});
