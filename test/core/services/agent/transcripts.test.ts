import { describe, expect, test } from "vitest";
import { basicStep } from "../../../../core/agent/basic/basic-agent.ts";
import type { ToolCall } from "../../../../core/agent/tools.ts";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { commitReply } from "../../../../core/services/agent/reply.ts";
import { insertRow } from "../../../../core/services/sql.ts";
import { KnowledgeItem } from "../../../../db/entities/knowledge.ts";
import { Resource, Service, ServiceResource } from "../../../../db/entities/resource.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receiveIn } from "../../../support/conversations.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { setUpAgent } from "../../../worker/agent-fixture.ts";
import { clinicNow, clinicResources, clinicServices } from "../../agent/clinic.ts";
import { clinicItems } from "../../agent/corpus/faq.ts";
import { transcripts } from "../../agent/corpus/transcripts.ts";
import { listFaults, type PlayedTurn, type Transcript } from "../../agent/transcripts.ts";
import { startTurnFixture, takeTurn, type TurnFixture } from "./turn-fixture.ts";

// The golden transcripts on the real tools and MySQL, in the clinic of the corpus. The clock stands
// at the time of the clinic.
const fixture = useFixture(async () => {
  const started = await startTurnFixture();
  const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    await started.run(async (tx) => await work({ ...tx, now: clinicNow }));
  const { accountId } = started.account;
  await started.sql(
    "UPDATE accounts SET name = 'Clínica Sonrisa', time_zone = 'America/Mexico_City', locale = 'es', settings = ? WHERE id = ?",
    [JSON.stringify({ booking_address: "Av. Juárez 120, Centro" }), accountId],
  );
  await setUpAgent(started.database, accountId, {
    persona: { name: "", tone: "friendly", instructions: "", introduces: false },
  });
  const ids = await run(insertClinic);
  const clock: TurnFixture = {
    ...started,
    run,
    write: async (content, from = freshPhone()) => {
      const { row } = await run((tx) => receiveIn(tx, { from, content }));
      return { conversationId: row.conversationId, messageId: row.id };
    },
    commit: async (turn, { seq = 1, allowNewer = false } = {}) =>
      await run((tx) => commitReply(tx, { ...turn, seq, allowNewer })),
  };
  return { clock, ids, stop: async () => await started.stop() };
});

/** Our id of each id of the corpus. */
type Ids = Record<"service_id" | "resource_id" | "appointment_id", Map<number, number>>;

/** Fills the account with the clinic. */
async function insertClinic(tx: Tx): Promise<Ids> {
  const { accountId } = tx.actor;
  const [services, resources] = [new Map<number, number>(), new Map<number, number>()];
  for (const { id, ...resource } of clinicResources)
    resources.set(id, await insertRow(tx, Resource, { accountId, ...resource }));
  for (const { id, name, durationMinutes, resourceIds } of clinicServices) {
    const serviceId = await insertRow(tx, Service, { accountId, name, durationMinutes });
    services.set(id, serviceId);
    for (const one of resourceIds) {
      const resourceId = resources.get(one) ?? 0;
      await insertRow(tx, ServiceResource, { accountId, serviceId, resourceId });
    }
  }
  for (const { id: _, ...item } of clinicItems) {
    const phrasings = [...item.phrasings];
    await insertRow(tx, KnowledgeItem, { accountId, ...item, phrasings, state: "approved" });
  }
  return { service_id: services, resource_id: resources, appointment_id: new Map() };
}

/** Appointments with which a scene begins. */
const booked = [
  { id: 501, start: "2026-11-26T16:00:00Z", serviceId: 11, resourceId: 1 },
  { id: 502, start: "2026-12-01T22:00:00Z", serviceId: 12, resourceId: 2 },
];

/** Plays a transcript. Ids of its calls are those of the corpus again. */
async function play({ scene = "new", turns }: Transcript): Promise<PlayedTurn[]> {
  // An earlier transcript leaves its times free.
  await fixture.clock.sql(
    "UPDATE appointments SET status = 'cancelled' WHERE status = 'confirmed'",
  );
  await fixture.clock.sql("UPDATE contacts SET email = NULL");
  const from = freshPhone();
  const ids: Ids = { ...fixture.ids, appointment_id: new Map() };
  const back = (key: string, value: unknown): unknown => {
    const known = Object.entries(ids).find(([name]) => name === key)?.[1];
    return [...(known ?? [])].find(([, ours]) => ours === value)?.[0] ?? value;
  };
  const { conversationId, contactId } = await fixture.clock.run(async (tx) => {
    const { row } = await receiveIn(tx, { from, content: turns[0]?.customer ?? "" });
    const conversation = "SELECT contact_id AS contactId FROM conversations WHERE id = ?";
    const [{ contactId } = { contactId: 0 }] = await tx.manager.query<{ contactId: number }[]>(
      conversation,
      [row.conversationId],
    );
    if (scene !== "new")
      await tx.manager.query("UPDATE contacts SET name = 'Ana López' WHERE id = ?", [contactId]);
    return { contactId, conversationId: row.conversationId };
  });
  const counts = { booked: 1, "booked twice": 2 }[scene as string] ?? 0;
  for (const { id, start, serviceId, resourceId } of booked.slice(0, counts)) {
    const appointment = await fixture.clock.run((tx) =>
      bookAppointment(tx, {
        resourceId: ids.resource_id.get(resourceId) ?? 0,
        serviceId: ids.service_id.get(serviceId) ?? 0,
        customer: { contactId },
        conversationId,
        startTime: new Date(start),
        source: "agente",
      }),
    );
    ids.appointment_id.set(id, appointment.id);
  }
  const played: PlayedTurn[] = [];
  for (const [index, { customer }] of turns.entries()) {
    const calls: ToolCall[] = [];
    // The first message stands already.
    const write = async (content: string, sender?: string) =>
      index > 0 ? await fixture.clock.write(content, sender) : { conversationId, messageId: 0 };
    const { said, outcome } = await takeTurn(
      { ...fixture.clock, write },
      customer,
      from,
      (context) => {
        const output = basicStep(context);
        if (output.kind === "calls") calls.push(...output.calls);
        return output;
      },
    );
    // The service hands over by itself where the customer asks for a person.
    if (outcome === "handed_off" && calls.length === 0)
      calls.push({ callId: "", tool: "hand_off", input: {} });
    const shown = calls.map((call) => {
      const pairs = Object.entries(call.input as object).map(([key, value]) => [
        key,
        back(key, value),
      ]);
      return { ...call, input: Object.fromEntries(pairs) as unknown };
    });
    played.push({ calls: shown, reply: said });
  }
  return played;
}

describe("golden transcripts on the real tools", () => {
  test.each(
    transcripts.filter(({ scene = "new" }) => /^(?:new|known|booked|booked twice)$/u.test(scene)),
  )("$language: $name", async (transcript) => {
    expect(listFaults(transcript, await play(transcript))).toEqual([]);
  });
});
