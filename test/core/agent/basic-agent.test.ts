import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { basicStep } from "../../../core/agent/basic/basic-agent.ts";
import type { Dialogue } from "../../../core/agent/basic/dialogue.ts";
import type { AgentContext } from "../../../core/agent/context.ts";
import type { LocalSlot } from "../../../core/agent/slot-choice.ts";
import { toolInputs, toolNames, type ToolName } from "../../../core/agent/tools.ts";
import { clinicNow, openClinic } from "./clinic.ts";
import { runTranscript } from "./transcripts.ts";

function contextOf(text: string, change: Partial<AgentContext> = {}): AgentContext {
  return {
    ...openClinic("booked").read(text),
    messages: [{ id: 1, speaker: "customer", text, at: clinicNow }],
    answeredUpTo: 0,
    rounds: [],
    dialogue: null,
    language: null,
    ...change,
  };
}

const bursts = fc.array(
  fc.oneof(
    fc.constantFrom(
      ..."hola;quiero una cita;limpieza;ortodoncia;el jueves;a las 5;mañana;la 2;sí;no;cancela mi cita;muévela al viernes;1;gracias;cuánto cuesta;soy Ana;cualquiera;en la tarde;book an appointment;Friday at 3pm;yes;never mind;[audio];el 31 de febrero;mejor no;me da igual;repite".split(
        ";",
      ),
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
  ),
  { minLength: 1, maxLength: 8 },
);
const scenes = fc.constantFrom("new", "known", "booked", "booked twice", "full", "plain", "taken");

describe("the built-in agent", () => {
  test("any burst gets a reply within six steps, with calls that the tools accept", async () => {
    await fc.assert(
      fc.asyncProperty(bursts, scenes, async (texts, scene) => {
        const turns = texts.map((customer) => ({ customer }));
        const played = await runTranscript({ turns }, openClinic(scene as "new"));
        for (const { calls, reply } of played) {
          expect(reply.trim()).not.toBe("");
          for (const { tool, input } of calls) {
            expect(toolInputs[tool as ToolName].safeParse(input).success).toBe(true);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test("an appointment is booked, moved and cancelled only after a question of yes or no", async () => {
    await fc.assert(
      fc.asyncProperty(bursts, scenes, async (texts, scene) => {
        const turns = texts.map((customer) => ({ customer }));
        const played = await runTranscript({ turns }, openClinic(scene as "new"));
        const unasked = played.filter(({ calls }, index) => {
          const acts = calls.some(({ tool }) => /^(?:book|reschedule|cancel)_/u.test(tool));
          const before = played[index - 1]?.reply ?? "";
          return acts && !/Responde sí o no|Answer yes or no/u.test(before);
        });
        expect(unasked).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  type Scene = "known" | "booked" | "booked twice";
  const repliesTo = async (texts: readonly string[], scene: Scene) => {
    const turns = texts.map((customer) => ({ customer }));
    return (await runTranscript({ turns }, openClinic(scene))).map(({ reply }) => reply);
  };

  test("later and earlier times of the day are offered, the nearest ones", async () => {
    const [, later, latest, earlier, chosen] = await repliesTo(
      [
        "quiero una limpieza este viernes en la tarde",
        "¿hay más tarde?",
        "¿y más tarde?",
        "entonces antes",
        "la de las 4",
      ],
      "known",
    );
    expect(later?.match(/\d\d:00/gu)).toEqual(["15:00", "16:00", "17:00"]);
    expect(latest?.match(/\d\d:00/gu)).toEqual(["18:00"]);
    expect(earlier?.match(/\d\d:00/gu)).toEqual(["15:00", "16:00", "17:00"]);
    expect(chosen).toMatch(/^¿Agendo .+ 16:00/u);
  });

  test.each([
    ["[audio]", "sí, quiero una cita mañana", "¿Qué servicio"],
    ["[audio]", "sí", "Muy bien"],
    ["¿venden bicicletas?", "sí, quiero una cita mañana", "¿Qué servicio"],
    ["¿venden bicicletas?", "sí, ¿a qué hora abren?", "9:00"],
  ])("after %s, %s calls no person", async (first, answer, says) => {
    const turns = [{ customer: first }, { customer: answer }];
    const [, played] = await runTranscript({ turns }, openClinic("known"));
    expect(played?.calls).toEqual([]);
    expect(played?.reply).toContain(says);
  });

  test.each(["sí", "sí, por favor", "sí, hoy mismo"])(
    "%s takes the offer of a person",
    async (answer) => {
      const turns = [{ customer: "¿venden bicicletas?" }, { customer: answer }];
      const [, played] = await runTranscript({ turns }, openClinic("known"));
      expect(played?.calls.map(({ tool }) => tool)).toEqual(["hand_off"]);
    },
  );

  // Of Thursday the times from 12:00 to 14:00 are free.
  const atNoon = ({ day, minutes }: LocalSlot) =>
    day !== "2026-11-26" || (minutes >= 720 && minutes < 900);
  test.each([
    ["la de la una", "26 de noviembre, 13:00"],
    ["para la una", "26 de noviembre, 13:00"],
    ["para la 1", "26 de noviembre, 13:00"],
    ["la una", "26 de noviembre, 13:00"],
    ["la 1", "26 de noviembre, 12:00"],
    ["la primera", "26 de noviembre, 12:00"],
    ["la primera hora", "26 de noviembre, 12:00"],
    ["the first time", "26 de noviembre, 12:00"],
    ["mañana a primera hora", "25 de noviembre, 09:00"],
    ["first thing tomorrow", "25 de noviembre, 09:00"],
  ])(
    "of 12:00, 13:00 and 14:00 the words choose by number or by time: %s",
    async (answer, says) => {
      const turns = [{ customer: "limpieza el jueves" }, { customer: answer }];
      const [first, second] = await runTranscript({ turns }, openClinic("known", atNoon));
      expect(first?.reply.match(/\d\d:00/gu)).toEqual(["12:00", "13:00", "14:00"]);
      expect(second?.reply).toContain(says);
    },
  );

  test.each(["es mi primera vez", "mi primera cita", "it's my first time", "la primera vez"])(
    "%s chooses no service",
    async (answer) => {
      const [asked, again] = await repliesTo(["quiero una cita", answer], "known");
      expect(asked).toContain("1. Limpieza dental");
      expect(again).toContain("1. Limpieza dental");
    },
  );

  // Wednesday, the 25th, is full. In the next week the wanted times are free on Thursday alone.
  test.each([
    ["limpieza el miércoles o el lunes", ["lunes 30 de noviembre, 09:00"]],
    ["limpieza la próxima semana a las 5", ["¿Agendo", "jueves 3 de diciembre, 17:00"]],
    ["limpieza la próxima semana después de las 5", ["1. jueves 3 de diciembre, 17:00"]],
    ["limpieza el miércoles después de las 5", ["cercano", "1. jueves 3 de diciembre, 17:00"]],
  ])("a free time is found beyond the days with most room: %s", async (customer, says) => {
    const isFree = ({ day, minutes }: LocalSlot) =>
      day === "2026-12-03" || (day !== "2026-11-25" && minutes < 17 * 60);
    const [played] = await runTranscript({ turns: [{ customer }] }, openClinic("known", isFree));
    for (const text of says) expect(played?.reply).toContain(text);
  });

  test("after an hour, a nearer day with a later time comes before days with that very hour", async () => {
    const isFree = ({ day, minutes }: LocalSlot) => day !== "2026-11-30" || minutes >= 18 * 60;
    const turns = [{ customer: "limpieza la próxima semana después de las 5" }];
    const [played] = await runTranscript({ turns }, openClinic("known", isFree));
    expect(played?.reply).toContain("1. lunes 30 de noviembre, 18:00");
  });

  test("where nothing is earlier on that day, the question is for another one", async () => {
    const replies = await repliesTo(
      ["move my appointment to friday", "anything earlier?"],
      "booked",
    );
    expect(replies[1]).toContain("other day");
  });

  test("later times leave no bound for another day", async () => {
    const replies = await repliesTo(
      ["limpieza el viernes en la tarde", "más tarde", "mejor el lunes"],
      "known",
    );
    expect(replies.at(-1)?.match(/\d\d:00/gu)).toEqual(["09:00", "10:00", "11:00"]);
  });

  test.each(["lo checo más tarde", "antes de elegir, ¿cuánto cuesta?"])(
    "%s asks for no other time",
    async (text) => {
      const [, reply] = await repliesTo(["limpieza el viernes en la tarde", text], "known");
      expect(reply).not.toContain("15:00");
      expect(reply).not.toContain("no tengo espacio");
    },
  );

  test("a booking is of the service that the question before it was about", async () => {
    const replies = await repliesTo(
      [
        "¿cuánto cuesta una limpieza?",
        "ok, agéndame una el viernes a las 10",
        "gracias",
        "otra cita",
      ],
      "known",
    );
    expect(replies[1]).toMatch(/^¿Agendo Limpieza dental/u);
    const [, , forgotten] = await repliesTo(
      ["¿cuánto cuesta una limpieza?", "gracias", "quiero una cita"],
      "known",
    );
    expect(forgotten).toContain("¿Qué servicio");
  });

  test("a move to the same time of another day searches that time", async () => {
    const [reply] = await repliesTo(["cambia mi cita al viernes a la misma hora"], "booked");
    expect(reply).toMatch(/^¿Cambio tu cita .+, a: viernes 27 de noviembre, 10:00/u);
  });

  test.each(["sí, a la misma hora", "sí, el viernes a la misma hora"])(
    "a yes to another hour than the own one is asked again: %s",
    async (answer) => {
      const replies = await repliesTo(["mueve mi cita al viernes a las 12", answer], "booked");
      expect(replies[1]).toMatch(/^¿Cambio tu cita .+, a: viernes 27 de noviembre, 10:00/u);
    },
  );

  test("the same time of no named day leads to the question for the day", async () => {
    const replies = await repliesTo(
      ["quiero cambiar mi cita a otro día a la misma hora", "el viernes"],
      "booked",
    );
    expect(replies[0]).toContain("día");
    expect(replies[0]).not.toContain("1.");
    expect(replies[1]).toMatch(/, a: viernes 27 de noviembre, 10:00/u);
    const [refused] = await repliesTo(["mueve mi cita al viernes, no a la misma hora"], "booked");
    expect(refused).toMatch(/1\. viernes/u);
  });

  test("the same time holds also where the customer first says which appointment", async () => {
    const dated = await repliesTo(
      ["cambia mi cita al lunes a la misma hora", "la segunda"],
      "booked twice",
    );
    expect(dated[1]).toMatch(/^¿Cambio .+Ortodoncia.+, a: lunes 30 de noviembre, 16:00/u);
    const undated = await repliesTo(
      ["cambia mi cita a la misma hora", "la segunda", "el lunes"],
      "booked twice",
    );
    expect(undated[1]).toContain("¿Para qué día");
    expect(undated[2]).toMatch(/, a: lunes 30 de noviembre, 16:00/u);
  });

  test.each([
    ["can I come at 11 instead?", /, to: Thursday, November 26, 11:00 AM/u],
    ["¿puedo ir mejor a las 12?", /, a: jueves 26 de noviembre, 12:00/u],
  ])("another time is a move of the appointment: %s", async (words, reply) => {
    expect((await repliesTo([words], "booked"))[0]).toMatch(reply);
  });

  test.each([
    "Can I come in later today?",
    "¿Puedo ir antes del viernes?",
    "¿puedo ir antes de las 5 para una limpieza?",
  ])("without an appointment it is a booking: %s", async (words) => {
    const [reply] = await repliesTo([words], "known");
    expect(reply).not.toMatch(/^(?:No encuentro citas|I find no)/u);
    expect(reply).toMatch(/\b1\. |¿Qué día/u);
  });

  test("in the middle of another booking it asks for later times", async () => {
    const [, later] = await repliesTo(
      ["quiero otra cita, una limpieza el viernes con la Dra. Soto", "¿puedo ir más tarde?"],
      "booked",
    );
    expect(later).not.toMatch(/Cambio|Cambiamos|Para qué día/u);
    expect(later).toMatch(/1\. viernes/u);
  });

  test.each([
    [["cancela ambas citas"], "Puedo con una cita a la vez."],
    [["quiero cancelar", "las dos"], "Puedo con una cita a la vez."],
    [["cancel all my appointments"], "I can take one appointment at a time."],
  ])("of several appointments the customer chooses one: %j", async (texts, reply) => {
    expect((await repliesTo(texts, "booked twice")).at(-1)).toContain(reply);
  });

  test.each([
    ["quiero dos citas el jueves", "Puedo con una cita a la vez."],
    ["I need two appointments", "I can take one appointment at a time."],
  ])("who wants several is told that one comes after the other: %s", async (text, note) => {
    const [reply] = await repliesTo([text], "known");
    expect(reply).toMatch(new RegExp(`^${note}\n\n(?:¿|Which)`, "u"));
  });

  test("words of the customer count more than the question before", async () => {
    const [, other] = await repliesTo(
      ["¿cuánto cuesta la limpieza dental?", "quiero una cita con el Dr. Ramírez"],
      "known",
    );
    expect(other).toContain("¿Qué servicio");
    const [, cleaning] = await repliesTo(
      ["cita con el Dr. Ramírez", "limpieza dental el viernes a las 10"],
      "known",
    );
    expect(cleaning).toMatch(/^¿Agendo Limpieza dental: .+Dra\. Soto/u);
  });

  test.each(["con la doctora no", "con la doctora Gómez"])("%s chooses no agenda", async (text) => {
    const replies = await repliesTo(["cita para consulta el viernes", text], "known");
    expect(replies[1]).toContain("¿Con quién");
  });

  test("a move to any day keeps the agenda that the customer named", async () => {
    const replies = await repliesTo(
      [
        "cancela mi cita",
        "sí",
        "consulta general con la Dra. Soto el viernes a las 10",
        "sí",
        "quiero cambiar mi cita con el Dr. Ramírez",
        "cualquier día de la próxima semana",
      ],
      "booked",
    );
    expect(replies.at(-1)?.match(/Dr\. Ramírez/gu)).toHaveLength(3);
  });

  test("a title is an agenda where one agenda alone has it", async () => {
    const replies = await repliesTo(["cita para consulta el viernes", "con la doctora"], "known");
    expect(replies[1]?.match(/Dra\. Soto/gu)).toHaveLength(3);
  });

  test("the dialogue holds nothing of a customer's text", async () => {
    const text = "soy Xochiquetzal y quiero una limpieza el jueves a las 5";
    const world = openClinic("known");
    const first = basicStep(contextOf(text, world.read(text)));
    expect(first.kind).toBe("calls");
    const { dialogue } = await lastStep(text);
    expect(JSON.stringify(dialogue)).not.toMatch(/xochi/iu);
  });

  test("the same context gives the same step", () => {
    const context = contextOf("quiero cancelar mi cita");
    expect(basicStep(context)).toEqual(basicStep(context));
  });

  test("untold effects are left to the service, which tells of each once", () => {
    const untold = [{ tool: "book_appointment" as const, text: "Cita confirmada: jueves" }];
    const step = basicStep(contextOf("hola", { untold }));
    expect(step.kind === "reply" && step.text.includes("Cita confirmada")).toBe(false);
  });

  const booked = {
    ok: true as const,
    appointment_id: 7,
    start: "2026-11-26T23:00:00.000Z",
    service_id: 11,
    resource_id: 1,
    words: "jueves 26 de noviembre, 17:00, Dra. Soto",
  };

  test("what a model did before it failed is not asked for again", () => {
    const text = "una limpieza el jueves a las 5, soy Ana López";
    const input = { service_id: 11, day: "2026-11-26", time: "17:00" };
    const call = { callId: "call_1", tool: "book_appointment", input, result: booked };
    const step = basicStep(contextOf(text, { rounds: [{ text: "", calls: [call] }] }));
    expect(step).toMatchObject({ kind: "reply", dialogue: { flow: null, asked: null } });
    expect(step.kind === "reply" && step.text).not.toContain("?");
    const refused = { ok: false as const, code: "slot_taken" as const, hint: "Taken." };
    const rounds = [{ text: "", calls: [{ ...call, result: refused }] }];
    expect(basicStep(contextOf(text, { rounds })).kind).toBe("calls");
  });

  test.each([
    ["book", "book_appointment"],
    ["move", "reschedule_appointment"],
    ["cancel", "cancel_appointment"],
  ] as const)("the answer to a last question of %s is not acted upon twice", (flow, tool) => {
    const chosen = { start: "2026-11-26T23:00:00.000Z", resourceId: 1 };
    const slots = { appointmentId: 501, serviceId: 11, chosen, time: "17:00" };
    const dialogue: Dialogue = { flow, slots, asked: "confirm", misses: 0 };
    const untold = [{ tool, text: "Cita: jueves" }];
    expect(basicStep(contextOf("sí", { dialogue })).kind).toBe("calls");
    expect(basicStep(contextOf("sí", { dialogue, untold }))).toMatchObject({
      kind: "reply",
      text: "Muy bien. Si necesitas algo más, aquí estoy.",
      dialogue: { flow: null, slots: {}, asked: null },
    });
  });

  test.each([
    ["quiero una cita", "book_appointment"],
    ["quiero cancelar mi cita", "cancel_appointment"],
    ["quiero mover mi cita", "reschedule_appointment"],
    ["mi correo es a@b.mx", "update_contact"],
  ] as const)("a wish without its tool goes to a person: %s", (text, missing) => {
    const tools = toolNames.filter((one) => one !== missing);
    const step = basicStep(contextOf(text, { tools }));
    expect(step.kind === "calls" ? step.calls.map(({ tool }) => tool) : step.text).toEqual([
      "hand_off",
    ]);
  });

  test("a result is found although the store has sorted the names of its input", () => {
    const dialogue: Dialogue = {
      flow: "book",
      slots: { serviceId: 11, from: "2026-11-26", to: "2026-11-26" },
      asked: "day",
      misses: 0,
    };
    const context = contextOf("el viernes en la tarde", { dialogue });
    const first = basicStep(context);
    const [call] = first.kind === "calls" ? first.calls : [];
    if (call === undefined) throw new Error("No call was made.");
    const entries = Object.entries(call.input as object).toReversed();
    const stored = {
      ...call,
      input: Object.fromEntries(entries),
      result: { ok: true as const, slots: [] },
    };
    const second = basicStep({ ...context, rounds: [{ text: "", calls: [stored] }] });
    expect(second).not.toEqual(first);
  });
});

/** The reply to a text, with its dialogue. */
async function lastStep(text: string): Promise<{ dialogue: Dialogue | undefined }> {
  const world = openClinic("known");
  const rounds: AgentContext["rounds"][number][] = [];
  for (let step = 0; step < 6; step += 1) {
    const output = basicStep(contextOf(text, { ...world.read(text), rounds }));
    if (output.kind === "reply") return { dialogue: output.dialogue };
    const calls = await Promise.all(
      output.calls.map(async (call) => ({ ...call, result: await world.runTool(call, "es") })),
    );
    rounds.push({ text: "", calls });
  }
  throw new Error("No reply.");
}
