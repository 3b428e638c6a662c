import { expect, test } from "vitest";
import type { AgentContext } from "../../../core/agent/context.ts";
import type { StepOutput } from "../../../core/agent/step.ts";
import { commitReply } from "../../../core/services/agent/reply.ts";
import { beginTurn } from "../../../core/services/agent/turns.ts";
import { bookAppointment } from "../../../core/services/appointments/appointments.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { seedClinic } from "../../../dev/launcher/demo-clinic.ts";
import type { MetaNetwork } from "../../../dev/stand-in/meta-accounts.ts";
import { takeTurn, type TurnPlace } from "../../core/services/agent/turn-fixture.ts";
import { asSystem } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { workdaysAhead } from "../../support/workdays.ts";
import { setUpAgent } from "../../worker/agent-fixture.ts";
import { startSendingFixture } from "./sending-fixture.ts";

// A customer talks over a network to the agent of the demo clinic, which books with the real tools.
const fixture = useFixture(startSendingFixture);

interface Answer {
  said: string;
  tools: string[];
  outcome: string;
}

interface Option {
  id: string;
  title: string;
}

/** A deed of the customer: words, or the tap on an option. */
type Deed = string | Option;

type Model = (context: AgentContext) => StepOutput;

/** Opens a talk. Each answer of the agent leaves over the network before the customer goes on. */
async function openTalk(network: MetaNetwork, model?: Model) {
  const talk = await fixture.talk(network);
  const { account, conversationId, standIn } = talk;
  const { accountId } = account;
  const { dataSource } = fixture.database;
  const run: TurnPlace["run"] = async (work) => await asSystem(dataSource, accountId, work);
  await run((tx) => seedClinic(tx));
  await setUpAgent(fixture.database, accountId);
  const sql = async <Row>(statement: string, values: unknown[] = []) =>
    await dataSource.query<Row[]>(statement, values);
  const act = async (deed: Deed) => {
    const given =
      typeof deed === "string"
        ? ({ kind: "text", text: deed } as const)
        : ({ kind: "button", text: deed.title, choiceId: deed.id } as const);
    await standIn.receive(network, given);
    await talk.settle();
  };
  const newest = async () => {
    const select =
      "SELECT id, type, content, interactive FROM messages WHERE conversation_id = ? ORDER BY id DESC LIMIT 1";
    const [row] = await sql<{
      id: number;
      type: string;
      content: string;
      interactive: { options: Option[]; sent_as?: string } | null;
    }>(select, [conversationId]);
    if (row === undefined) throw new Error("no message");
    return row;
  };
  const place = (deed: Deed): TurnPlace => ({
    account,
    run,
    sql,
    write: async () => {
      await act(deed);
      return { conversationId, messageId: (await newest()).id };
    },
    commit: async (turn, { seq = 1, allowNewer = false } = {}) =>
      await run((tx) => commitReply(tx, { ...turn, seq, allowNewer })),
    repliesIn: async (id, after = 0) => {
      const rows = await sql<{ content: string }>(
        `SELECT content FROM messages WHERE conversation_id = ? AND sender_type = 'ai'
            AND id > ? AND status <> 'cancelled' ORDER BY id`,
        [id, after],
      );
      return rows.map(({ content }) => content);
    },
  });
  return {
    ...talk,
    /** Sends a message as the workflow does. */
    send: async (input: SendMessageInput) => await talk.run(input),
    run,
    sql,
    act,
    newest,
    place,
    /** The customer acts, the agent answers, and the answer leaves. */
    async say(...deeds: Deed[]): Promise<Answer> {
      let answer: Answer = { said: "", tools: [], outcome: "" };
      for (const deed of deeds) {
        answer = await takeTurn(place(deed), "", "", model);
        await talk.run({ accountId, messageId: (await newest()).id });
      }
      return answer;
    },
    /** The options of the newest message. */
    async options(): Promise<Option[]> {
      return (await newest()).interactive?.options ?? [];
    },
    async appointments() {
      const select =
        "SELECT start_time AS start, status FROM appointments WHERE conversation_id = ? AND source <> 'dashboard' ORDER BY id";
      const rows = await sql<{ start: Date; status: string }>(select, [conversationId]);
      return rows.map(({ start, status }) => `${start.toISOString()} ${status}`);
    },
    /** Books a time for someone else. */
    async take({ id }: Option) {
      const [, start = "", resourceId] = /^slot\/([^/]+)\/r(\d+)/u.exec(id) ?? [];
      const select = "SELECT contact_id AS contactId FROM conversations WHERE id = ?";
      const [{ contactId } = { contactId: 0 }] = await sql<{ contactId: number }>(select, [
        conversationId,
      ]);
      const slot = { resourceId: Number(resourceId), startTime: new Date(start) };
      await run((tx) =>
        bookAppointment(tx, {
          ...slot,
          durationMinutes: 30,
          customer: { contactId },
          source: "dashboard",
        }),
      );
    },
  };
}

const [day, laterDay] = workdaysAhead();
const wish = `Quiero una limpieza el ${day} con cualquiera, soy Ana Torres`;

/** An option at its place. @throws where there is none */
function pick(options: readonly Option[], index: number): Option {
  const option = options[index];
  if (option === undefined) throw new Error(`no option ${index}`);
  return option;
}

const startOf = ({ id }: Option) => id.split("/")[1] ?? "";

test("WhatsApp shows the offered times as buttons, and a tap books the very slot", async () => {
  const talk = await openTalk("whatsapp");
  const offer = await talk.say(wish);
  const options = await talk.options();
  const titles = options.map(({ title }) => title.replaceAll(/\d+/gu, "0"));
  expect(titles).toEqual(Array(3).fill(`${day.slice(0, 3)} 0, 0:0`));
  const buttons = options.map((reply) => ({ type: "reply", reply }));
  expect(talk.bodies().at(-1)).toMatchObject({
    interactive: { type: "button", body: { text: offer.said }, action: { buttons } },
  });
  expect(offer.said).toContain(`Tengo estos horarios:\n1. ${day} `);
  const second = pick(options, 1);
  const asked = await talk.say(second);
  expect(asked.said).toContain(`¿Agendo Limpieza (cleaning): ${day} `);
  const done = await talk.say("sí");
  expect(done.said).toContain(`Cita confirmada: ${day} `);
  expect(await talk.appointments()).toEqual([`${startOf(second)} confirmed`]);
});

test.each(["messenger", "instagram"] as const)(
  "%s shows them as quick replies, and a tap books the very slot",
  async (network) => {
    const talk = await openTalk(network);
    await talk.say(wish);
    const options = await talk.options();
    const quick_replies = options.map(({ id, title }) => {
      return { content_type: "text", title, payload: id };
    });
    expect(talk.bodies().at(-1)).toMatchObject({ message: { quick_replies } });
    await talk.say(pick(options, 2), "sí");
    expect(await talk.appointments()).toEqual([`${startOf(pick(options, 2))} confirmed`]);
  },
);

test("a typed number under the buttons is the line of the text", async () => {
  const talk = await openTalk("whatsapp");
  await talk.say(wish);
  const options = await talk.options();
  await talk.say("2", "sí");
  expect(await talk.appointments()).toEqual([`${startOf(pick(options, 1))} confirmed`]);
});

test("a slot that was taken meanwhile is not booked, and other ones are offered", async () => {
  const talk = await openTalk("whatsapp");
  await talk.say(wish);
  const first = pick(await talk.options(), 0);
  await talk.take(first);
  const { said, tools } = await talk.say(first);
  expect(said).toContain("En ese horario no tengo espacio. Lo más cercano:");
  expect(tools).not.toContain("book_appointment");
  const others = await talk.options();
  expect(others.length).toBeGreaterThan(0);
  expect(others.map(startOf)).not.toContain(startOf(first));
  await talk.say(pick(others, 0));
  // Taken between the question and the answer.
  await talk.take(pick(others, 0));
  expect((await talk.say("sí")).tools).toEqual(["book_appointment: slot_taken"]);
  const last = await talk.options();
  expect(last.map(startOf)).not.toContain(startOf(pick(others, 0)));
  await talk.say(pick(last, 0), "sí");
  expect(await talk.appointments()).toEqual([`${startOf(pick(last, 0))} confirmed`]);
});

test("the button of an older message still books its slot, while no person has the talk", async () => {
  const talk = await openTalk("whatsapp");
  await talk.say(wish);
  const old = pick(await talk.options(), 2);
  await talk.say("olvídalo");
  await talk.sql("UPDATE agent_conversations SET offered_at = NOW() - INTERVAL 1 HOUR");
  await talk.say(old, "sí");
  expect(await talk.appointments()).toEqual([`${startOf(old)} confirmed`]);
});

test("a tap moves the appointment for which the time was offered", async () => {
  const talk = await openTalk("whatsapp");
  await talk.say(wish);
  await talk.say(pick(await talk.options(), 0), "sí", "quiero cambiar mi cita", `el ${laterDay}`);
  const later = pick(await talk.options(), 1);
  expect(later.id).toMatch(/\/a\d+$/u);
  const asked = await talk.say(later);
  expect(asked.said).toMatch(new RegExp(`^¿Cambio tu cita de: .*${day} .* a: ${laterDay} `, "u"));
  expect((await talk.say("sí")).said).toContain(`Cita movida: ${laterDay} `);
  const [before = "", after] = await talk.appointments();
  expect(before).toContain("rescheduled");
  expect(after).toBe(`${startOf(later)} confirmed`);
});

test("words after the tap in the same burst win over it", async () => {
  const talk = await openTalk("whatsapp");
  await talk.say(wish);
  const options = await talk.options();
  await talk.act(pick(options, 0));
  const { said } = await talk.say(`no, mejor el ${laterDay} por la tarde`);
  expect(said).toContain(`1. ${laterDay} `);
});

test("a tap is no attachment, also where attachments go to a person", async () => {
  const talk = await openTalk("whatsapp");
  await setUpAgent(fixture.database, talk.account.accountId, { attachments: "hand_over" });
  await talk.say(wish);
  expect((await talk.say(pick(await talk.options(), 0))).outcome).toBe("replied");
});

test("after a pause no options leave, and a tap books nothing", async () => {
  const talk = await openTalk("whatsapp");
  await talk.say(wish);
  const first = pick(await talk.options(), 0);
  // A further offer is committed, and paused before it leaves.
  await takeTurn(talk.place("otro horario"), "", "");
  await takeTurn(talk.place(`el ${laterDay}`), "", "");
  const offer = await talk.newest();
  expect(offer.type).toBe("interactive");
  const sent = talk.bodies().length;
  await talk.run((tx) => setBot(tx, talk.conversationId, { enabled: false }));
  const { accountId } = talk.account;
  expect(await talk.send({ accountId, messageId: offer.id })).toEqual({ state: "cancelled" });
  expect(talk.bodies()).toHaveLength(sent);
  await talk.act(first);
  const begun = await talk.run((tx) =>
    beginTurn(tx, { accountId, conversationId: talk.conversationId, quietMs: 0 }),
  );
  expect(begun).toEqual({ state: "idle" });
  expect(await talk.appointments()).toEqual([]);
  expect(talk.bodies()).toHaveLength(sent);
});

const usage = { input: 1, cached: 0, output: 1 };

/** A model that offers the first two free times in its own words, and books what was chosen. */
const model: Model = ({ messages, rounds, answeredUpTo, account }) => {
  const [done] = rounds.flatMap(({ calls }) => calls);
  const call = (tool: string, input: object): StepOutput => {
    return { kind: "calls", text: "", calls: [{ callId: "1", tool, input }], usage };
  };
  const reply = (text: string): StepOutput => ({ kind: "reply", text, usage });
  const offer = (result: object): StepOutput => {
    const slots = "slots" in result ? result.slots : "nearest" in result ? result.nearest : [];
    const [one, two] = slots as { ref: string; words: string }[];
    return reply(`I have ${one?.words} [${one?.ref}] and ${two?.words} [${two?.ref}]. Which one?`);
  };
  const slot = messages.findLast((one) => one.id > answeredUpTo)?.slot;
  if (slot === undefined) {
    const resources = { service_id: Number(serviceIds.get(account.name)) };
    return done === undefined ? call("find_slots", resources) : offer(done.result);
  }
  if (done !== undefined) return done.result.ok ? reply("See you then.") : offer(done.result);
  const [day = "", clock = ""] = slot.startTime.toISOString().split("T");
  return call("book_appointment", {
    service_id: slot.serviceId,
    resource_id: slot.resourceId,
    day,
    time: clock.slice(0, 5),
  });
};
const serviceIds = new Map<string, number>();

test("a model offers times in its words; a tap books, and a taken one is offered anew", async () => {
  const talk = await openTalk("whatsapp", model);
  await talk.sql("UPDATE accounts SET time_zone = 'UTC', locale = 'en' WHERE id = ?", [
    talk.account.accountId,
  ]);
  const [service] = await talk.sql<{ id: number; name: string }>(
    "SELECT s.id, a.name FROM services s JOIN accounts a ON a.id = s.account_id WHERE a.id = ? LIMIT 1",
    [talk.account.accountId],
  );
  serviceIds.set(service?.name ?? "", service?.id ?? 0);
  const { said } = await talk.say("Hello, I am Ana and want to come for a check-up");
  expect(said).not.toMatch(/\[S/u);
  const options = await talk.options();
  expect(options).toHaveLength(2);
  expect(talk.bodies().at(-1)).toMatchObject({
    interactive: { type: "button", body: { text: said } },
  });
  await talk.take(pick(options, 0));
  expect(await talk.say(pick(options, 0))).toMatchObject({
    tools: ["book_appointment: slot_taken"],
  });
  const others = await talk.options();
  expect(others).toHaveLength(2);
  expect((await talk.say(pick(others, 1))).said).toContain("Appointment confirmed");
  expect(await talk.appointments()).toEqual([`${startOf(pick(others, 1))} confirmed`]);
});
