import { describe, expect, test } from "vitest";
import { findSlotOffer } from "../../../core/agent/slot-offer.ts";
import type { AgentContext } from "../../../core/agent/context.ts";
import type { Dialogue } from "../../../core/agent/basic/dialogue.ts";
import { checkReply } from "../../../core/agent/guards/check-reply.ts";
import type { OfferedSlot, ToolResult } from "../../../core/agent/tools.ts";
import { makeContext } from "../../activities/models/fixture.ts";

// Monday 23 November 2026, 10:00 in Mexico City.
const starts = {
  S1: "2026-11-26T16:00:00.000Z",
  S2: "2026-11-26T22:00:00.000Z",
  S3: "2026-11-27T16:00:00.000Z",
  S4: "2026-11-24T22:00:00.000Z",
};
const slots = Object.entries(starts).map(([ref, start]): OfferedSlot => {
  return { ref, start, service_id: 1, resource_id: 7, words: ref };
});

const call = (tool: string, result: ToolResult, input: unknown = {}) => {
  return { callId: "1", tool, input, result };
};
const found = call("find_slots", { ok: true, slots });

function roundsOf(...calls: ReturnType<typeof call>[]): Partial<AgentContext> {
  return { rounds: calls.map((one) => ({ text: "", calls: [one] })) };
}

/** Refs that a model's reply offers, in their order, and if the text numbers them. */
function offered(text: string, context: Partial<AgentContext> = roundsOf(found)) {
  const full = makeContext(context);
  const checked = checkReply({
    text,
    context: full,
    language: "es",
    strict: false,
    blockedWords: [],
    channel: "whatsapp",
  });
  if (!checked.ok) throw new Error(`${checked.guard}: ${checked.fact}`);
  const offer = findSlotOffer({ ...checked, dialogue: null }, full);
  const refs = offer?.slots.map(({ startTime }) => {
    return Object.entries(starts).find(([, start]) => start === startTime.toISOString())?.[0];
  });
  return { refs: refs?.join(" ") ?? null, isListed: offer?.isListed ?? null, said: checked.text };
}

describe("slots of a model", () => {
  test.each([
    ["Tengo el jueves 26 a las 10:00 o a las 16:00. ¿Cuál prefieres?", "S1 S2"],
    ["Tengo el viernes 27 de noviembre, 10:00, y el jueves 26 de noviembre, 16:00.", "S3 S2"],
    ["¿Mañana a las 4 de la tarde?", "S4"],
    ["¿A las 10:00 del viernes o a las 16:00 del jueves?", "S3 S2"],
    ["El jueves hay a las 10 y a las 4 de la tarde; el viernes a las 10 también.", "S1 S2 S3"],
    ["¿Qué día te queda bien?", null],
  ])("the words of %s name %s", (text, refs) => {
    expect(offered(text).refs).toBe(refs);
  });

  test("marks win over words, and the customer sees none", () => {
    expect(offered("Hay el jueves a las 4 [S2], o viernes temprano [S3].")).toEqual({
      refs: "S2 S3",
      isListed: false,
      said: "Hay el jueves a las 4, o viernes temprano.",
    });
  });

  test("the model's own numbers stand where they are those of the slots", () => {
    const listed = "Tengo:\n1. viernes 27, 10:00\n2. jueves 26, 16:00\n¿Cuál?";
    expect(offered(listed)).toMatchObject({ refs: "S3 S2", isListed: true });
  });

  test("other numbers would name other slots, so that nothing is offered as an option", () => {
    const more = "1. jueves 26, 10:00\n2. por la tarde\n3. viernes 27, 10:00";
    expect(offered(more).refs).toBeNull();
    expect(offered("2. jueves 26, 10:00\n3. viernes 27, 10:00").refs).toBeNull();
  });

  test("the free times near a refused one are offered, with the appointment that moves", () => {
    const nearest = slots.slice(0, 2);
    const refused = { ok: false, code: "slot_taken", hint: "", nearest } as const;
    const rounds = roundsOf(found, call("reschedule_appointment", refused, { appointment_id: 45 }));
    const text = "Ya no está libre. ¿Jueves 26 a las 10:00 o viernes 27 a las 10:00?";
    const offer = findSlotOffer({ text, refs: [], dialogue: null }, makeContext(rounds));
    expect(offer?.slots).toEqual([
      { startTime: new Date(starts.S1), serviceId: 1, resourceId: 7, appointmentId: 45 },
    ]);
  });

  test("a time that was booked in this turn is no offer", () => {
    const booked = { ok: true, appointment_id: 5, ...slots[0], words: "" } as unknown as ToolResult;
    const rounds = roundsOf(found, call("book_appointment", booked));
    const text = "Tu cita es el jueves 26 de noviembre a las 10:00.";
    expect(findSlotOffer({ text, refs: [], dialogue: null }, makeContext(rounds))).toBeNull();
  });

  test("a mark reaches an offer of an earlier turn, words alone do not", () => {
    const [{ start } = { start: "" }] = slots;
    const offers = [{ ref: "S1", startTime: new Date(start), serviceId: 1, resourceId: 7 }];
    expect(offered("¿El jueves 26 a las 10:00 [S1]?", { offers }).refs).toBe("S1");
    expect(offered("¿El jueves 26 a las 10:00?", { offers }).refs).toBeNull();
    expect(offered("¿El jueves 26 a las 10:00 [S9]?", { offers }).refs).toBeNull();
  });
});

describe("slots of the built-in agent", () => {
  const shown = [{ start: starts.S1, resourceId: 7 }];
  const dialogue: Dialogue = {
    flow: "book",
    asked: "slot",
    misses: 0,
    slots: { serviceId: 1, appointmentId: 45, shown },
  };
  const offerOf = (given: Dialogue) =>
    findSlotOffer({ text: "1. …", refs: [], dialogue: given }, makeContext());

  test("those that it shows are offered, numbered by its text", () => {
    const slot = { startTime: new Date(starts.S1), serviceId: 1, resourceId: 7 };
    expect(offerOf(dialogue)).toEqual({
      slots: [{ ...slot, appointmentId: null }],
      isListed: true,
    });
    expect(offerOf({ ...dialogue, flow: "move" })?.slots).toEqual([{ ...slot, appointmentId: 45 }]);
  });

  test("any other question offers none", () => {
    expect(offerOf({ ...dialogue, asked: "confirm" })).toBeNull();
  });
});
