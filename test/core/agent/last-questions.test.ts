import { expect, test } from "vitest";
import { basicStep } from "../../../core/agent/basic/basic-agent.ts";
import type { Dialogue } from "../../../core/agent/basic/dialogue.ts";
import type { AgentContext, ContextMessage } from "../../../core/agent/context.ts";
import type { ToolCall, ToolRound } from "../../../core/agent/tools.ts";
import { clinicNow, openClinic } from "./clinic.ts";

// Questions of yes or no that the customer has not answered in the usual order.
const asked = "confirm" as const;
const chosen = { start: "2026-11-26T23:00:00.000Z", resourceId: 1 };
const atFive = { from: "2026-11-26", to: "2026-11-26", time: "17:00", chosen };
const booking = { serviceId: 11, resourceId: 1, ...atFive };
const toBook: Dialogue = { flow: "book", slots: booking, asked, misses: 0 };
const moving = { appointmentId: 501, ...atFive };
const toMove: Dialogue = { flow: "move", slots: moving, asked, misses: 0 };
const toCancel: Dialogue = { flow: "cancel", slots: { appointmentId: 501 }, asked, misses: 0 };

const question = /^¿.*Responde sí o no\.$/su;
const say = (id: number, speaker: ContextMessage["speaker"], text: string): ContextMessage => {
  return { id, speaker, text, at: clinicNow };
};

/** Plays a turn in a clinic that has appointment 501. @returns its calls and its reply */
async function play(change: Partial<AgentContext>) {
  const world = openClinic("booked");
  const rounds: ToolRound[] = [];
  const made: ToolCall[] = [];
  for (let step = 0; step < 6; step += 1) {
    const context = { ...world.read(""), dialogue: null, language: null, rounds };
    const output = basicStep({ ...context, messages: [], answeredUpTo: 0, ...change });
    if (output.kind === "reply") return { calls: made.map(({ tool }) => tool), ...output };
    made.push(...output.calls);
    const results = output.calls.map(async (call) => {
      return { ...call, result: await world.runTool(call, "es") };
    });
    rounds.push({ text: "", calls: await Promise.all(results) });
  }
  throw new Error("No reply.");
}

test.each([toBook, toMove, toCancel])(
  "the question of $flow that somebody interrupted is asked again",
  async (interrupted) => {
    const messages = [say(1, "customer", "sí, gracias")];
    const { text, dialogue } = await play({ interrupted, messages });
    expect(text).toMatch(question);
    expect(dialogue).toMatchObject({ flow: interrupted.flow, asked });
  },
);

test("the agenda of an interrupted question stays, also where any was right", async () => {
  const { slots } = toBook;
  const atSecond = { ...chosen, resourceId: 2 };
  const general = { ...slots, serviceId: 13, resourceId: 0, chosen: atSecond };
  const interrupted: Dialogue = { ...toBook, slots: general };
  const { text } = await play({ interrupted, messages: [say(1, "customer", "sí")] });
  expect(text).toMatch(/^¿Agendo Consulta general: .+17:00, Dr\. Ramírez/u);
});

const dayLater = new Date("2026-11-27T15:00:00.000Z");
const atNight = new Date("2026-11-27T00:00:00.000Z");
const atChosen = new Date(chosen.start);
const made = { id: 7, serviceId: 11, resourceId: 1, startTime: atChosen, endTime: atNight };
test.each([
  ["its time is over", toBook, "sí", { now: dayLater }],
  ["somebody has booked it", toBook, "sí", { appointments: [made] }],
  ["the appointment is no longer there", toCancel, "sí", { appointments: [] }],
  ["the customer says no yes", toCancel, "gracias", {}],
  ["the yes is none yet", toCancel, "ok, déjame ver", {}],
  ["the customer thanks", toCancel, "perfecto, muchas gracias", {}],
  ["the customer says goodbye", toBook, "vale, nos vemos", {}],
] as const)(
  "an interrupted question is not asked again where %s",
  async (_why, interrupted, words, change) => {
    const messages = [say(1, "customer", words)];
    const { calls, text } = await play({ interrupted, messages, ...change });
    expect(calls.filter((tool) => tool !== "hand_off")).toEqual([]);
    expect(text).not.toMatch(question);
  },
);

test.each([
  ["sí", toBook, "book_appointment"],
  ["sí", toMove, "reschedule_appointment"],
  ["sí, cancélala", toCancel, "cancel_appointment"],
] as const)(
  "%s that is older than the last question confirms nothing of it, and a newer yes does: %o",
  async (words, dialogue, tool) => {
    const late = say(3, "agent", "¿…? Responde sí o no.");
    const earlier = [say(1, "customer", "hola"), late, say(2, "customer", words)];
    const given = { dialogue, answeredUpTo: 1 };
    const before = await play({ ...given, messages: earlier });
    expect(before.calls).toEqual([]);
    expect(before.text).toMatch(question);
    expect(before.dialogue).toMatchObject({ flow: dialogue.flow, asked, misses: 0 });
    const after = await play({ ...given, messages: [...earlier, say(4, "customer", "sí")] });
    expect(after.calls).toEqual([tool]);
  },
);
