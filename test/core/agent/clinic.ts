import { DateTime } from "luxon";
import { localTimeOf } from "../../../core/agent/local-time.ts";
import {
  chooseSlots,
  fitsSearch,
  preferAgenda,
  wantedClockOf,
  type LocalSlot,
} from "../../../core/agent/slot-choice.ts";
import { toolInputs, toolNames } from "../../../core/agent/tools.ts";
import type {
  OfferedSlot,
  ToolCall,
  ToolInput,
  ToolRefusal,
  ToolResult,
} from "../../../core/agent/tools.ts";
import { wordsOfTime } from "../../../core/agent/words.ts";
import type { AgentContext, ContextAppointment } from "../../../core/agent/context.ts";
import { buildIndex } from "../../../core/agent/search.ts";
import { minutesOfDay, weekdays, type WeeklyHours } from "../../../core/model/schedule.ts";
import { clinicItems } from "./corpus/faq.ts";
import type { Transcript, TranscriptWorld } from "./transcripts.ts";

/** Tuesday 24 November 2026, 09:00 in Mexico City. */
export const clinicNow = new Date("2026-11-24T15:00:00.000Z");
const timeZone = "America/Mexico_City";

const weekdayHours = [{ from: "09:00", to: "19:00" }];

export const clinicHours: WeeklyHours = {
  monday: weekdayHours,
  tuesday: weekdayHours,
  wednesday: weekdayHours,
  thursday: weekdayHours,
  friday: weekdayHours,
  saturday: [{ from: "09:00", to: "14:00" }],
  sunday: [],
};

export const clinicResources = [
  { id: 1, name: "Dra. Soto", timeZone, weeklyHours: clinicHours },
  { id: 2, name: "Dr. Ramírez", timeZone, weeklyHours: clinicHours },
];

export const clinicServices = [
  { id: 11, name: "Limpieza dental", durationMinutes: 60, resourceIds: [1] },
  { id: 12, name: "Ortodoncia", durationMinutes: 60, resourceIds: [2] },
  { id: 13, name: "Consulta general", durationMinutes: 60, resourceIds: [1, 2] },
];

const at = (local: string): Date => DateTime.fromISO(local, { zone: timeZone }).toJSDate();

function appointment(
  id: number,
  start: string,
  serviceId: number,
  resourceId: number,
): ContextAppointment {
  const startTime = at(start);
  return {
    id,
    serviceId,
    resourceId,
    startTime,
    endTime: new Date(startTime.getTime() + 3_600_000),
  };
}

/**
 * A clinic in memory: appointments, a contact, and tools that answer as the service's do.
 * @param isFree leaves times out, as other customers' appointments do
 */
export function openClinic(
  scene: Transcript["scene"] = "new",
  isFree: (slot: LocalSlot) => boolean = () => true,
): TranscriptWorld {
  const index = buildIndex(clinicItems);
  let name: string | null =
    scene === "new" || scene === "plain" || scene === "full" ? null : "Ana López";
  let email: string | null = null;
  let appointments: ContextAppointment[] =
    scene === "booked"
      ? [appointment(501, "2026-11-26T10:00", 11, 1)]
      : scene === "booked twice"
        ? [appointment(501, "2026-11-26T10:00", 11, 1), appointment(502, "2026-12-01T16:00", 12, 2)]
        : [];
  let next = 600;
  let isTaken = scene === "taken";
  const services = scene === "plain" ? [] : clinicServices;
  const resources = scene === "plain" ? clinicResources.slice(0, 1) : clinicResources;

  const isBusy = (slot: LocalSlot, except: number | undefined) =>
    appointments.some(
      (one) =>
        one.id !== except &&
        one.resourceId === slot.resourceId &&
        one.startTime.getTime() === slot.startTime.getTime(),
    );

  function listFree(
    ids: readonly number[],
    from: string,
    to: string,
    except?: number,
  ): LocalSlot[] {
    const slots: LocalSlot[] = [];
    if (scene === "full") return slots;
    for (
      let day = DateTime.fromISO(from, { zone: timeZone });
      day <= DateTime.fromISO(to, { zone: timeZone });
      day = day.plus({ days: 1 })
    ) {
      for (const range of clinicHours[weekdays[day.weekday - 1] ?? "monday"]) {
        for (
          let minute = minutesOfDay(range.from);
          minute + 60 <= minutesOfDay(range.to);
          minute += 60
        ) {
          for (const resourceId of ids) {
            const startTime = day.plus({ minutes: minute }).toJSDate();
            const slot = { startTime, resourceId, ...localTimeOf(startTime, timeZone) };
            if (startTime > clinicNow && isFree(slot) && !isBusy(slot, except)) slots.push(slot);
          }
        }
      }
    }
    return slots;
  }

  const present = (
    slots: readonly LocalSlot[],
    serviceId: number | null,
    language: "es" | "en",
  ): OfferedSlot[] =>
    slots.map((slot, position) => ({
      ref: `S${position + 1}`,
      start: slot.startTime.toISOString(),
      service_id: serviceId,
      resource_id: slot.resourceId,
      words: wordsOfTime({
        startTime: slot.startTime,
        resourceName: resources.find(({ id }) => id === slot.resourceId)?.name ?? "",
        language,
        timeZone,
      }),
    }));

  const view = (one: ContextAppointment, language: "es" | "en") => ({
    ok: true as const,
    appointment_id: one.id,
    start: one.startTime.toISOString(),
    service_id: one.serviceId,
    resource_id: one.resourceId,
    words: wordsOfTime({ startTime: one.startTime, resourceName: "", language, timeZone }),
  });

  const idsFor = (serviceId: number | null, resourceId: number | undefined) => {
    const given =
      services.find(({ id }) => id === serviceId)?.resourceIds ?? resources.map(({ id }) => id);
    return resourceId === undefined ? given : given.filter((id) => id === resourceId);
  };
  const plusDays = (day: string, days: number) =>
    DateTime.fromISO(day).plus({ days }).toISODate() ?? day;

  function findSlots(input: ToolInput<"find_slots">, language: "es" | "en"): ToolResult {
    const moved = appointments.find(({ id }) => id === input.appointment_id);
    const serviceId = moved?.serviceId ?? input.service_id ?? null;
    if (serviceId === null && services.length > 1)
      return { ok: false, code: "service_needed", hint: "" };
    const from = input.from_day ?? "2026-11-24";
    const found = listFree(
      idsFor(serviceId, input.resource_id),
      from,
      input.to_day ?? plusDays(from, 14),
      moved?.id,
    ).filter((slot) => fitsSearch(slot, input));
    const offered = moved === undefined ? found : preferAgenda(found, moved.resourceId);
    return {
      ok: true,
      slots: present(
        chooseSlots(offered, { max: 9, ...wantedClockOf(input) }),
        serviceId,
        language,
      ),
    };
  }

  function refuse(
    code: ToolRefusal["code"],
    day: string,
    serviceId: number | null,
    language: "es" | "en",
  ): ToolRefusal {
    const free = listFree(idsFor(serviceId, undefined), day, plusDays(day, 7)).slice(0, 3);
    return { ok: false, code, hint: "", nearest: present(free, serviceId, language) };
  }

  function place(
    input: ToolInput<"book_appointment">,
    serviceId: number | null,
    language: "es" | "en",
    except?: number,
  ): ToolResult {
    const { day = "", time = "", resource_id: resourceId } = input;
    const start = at(`${day}T${time}`);
    const free = listFree(idsFor(serviceId, resourceId), day, day, except).find(
      ({ startTime }) => startTime.getTime() === start.getTime(),
    );
    if (free === undefined || isTaken) {
      isTaken = false;
      return refuse("slot_taken", day, serviceId, language);
    }
    const made = {
      ...appointment(next, `${day}T${time}`, serviceId ?? 0, free.resourceId),
      serviceId,
    };
    next += 1;
    appointments = [...appointments.filter(({ id }) => id !== except), made];
    return view(made, language);
  }

  function run({ tool, input }: ToolCall, language: "es" | "en"): ToolResult {
    switch (tool) {
      case "find_slots":
        return findSlots(toolInputs.find_slots.parse(input), language);
      case "book_appointment": {
        const parsed = toolInputs.book_appointment.parse(input);
        if (name === null) return { ok: false, code: "name_needed", hint: "" };
        return place(parsed, parsed.service_id ?? null, language);
      }
      case "reschedule_appointment": {
        const { appointment_id: id, ...target } = toolInputs.reschedule_appointment.parse(input);
        const own = appointments.find((one) => one.id === id);
        if (own === undefined) return { ok: false, code: "not_found", hint: "" };
        return place(target, own.serviceId, language, id);
      }
      case "cancel_appointment": {
        const { appointment_id: id } = toolInputs.cancel_appointment.parse(input);
        const own = appointments.find((one) => one.id === id);
        if (own === undefined) return { ok: false, code: "not_found", hint: "" };
        appointments = appointments.filter((one) => one.id !== id);
        return view(own, language);
      }
      case "update_contact": {
        const given = toolInputs.update_contact.parse(input);
        name = given.name ?? name;
        email = given.email ?? email;
        return { ok: true, name, email };
      }
      case "hand_off":
        toolInputs.hand_off.parse(input);
        return { ok: true } as ToolResult;
      default:
        return { ok: false, code: "unknown_tool", hint: "" };
    }
  }

  const read = (burst: string): ReturnType<TranscriptWorld["read"]> => ({
    account: { name: "Clínica Sonrisa", timeZone, locale: "es", address: "Av. Juárez 120, Centro" },
    persona: { name: "", tone: "friendly", instructions: "", introduces: false },
    now: clinicNow,
    teamIsOpen: scene !== "closed team",
    services,
    resources,
    stages: [],
    contact: { name, phone: "5215512345678", email },
    appointments: appointments.toSorted(
      (one, other) => one.startTime.getTime() - other.startTime.getTime(),
    ),
    knowledge: hits(burst),
    offeredItems: clinicItems.map((item) => ({
      ...item,
      score: 1,
    })) as AgentContext["offeredItems"] & object,
    offers: [],
    untold: [],
    tools: toolNames,
  });

  const hits = (burst: string): AgentContext["knowledge"] =>
    index(burst)
      .slice(0, 5)
      .flatMap(({ id, score }) => {
        const item = clinicItems.find((one) => one.id === id);
        return item === undefined || score < 0.35
          ? []
          : [{ id, question: item.question, answer: item.answer, language: item.language, score }];
      });

  return { read, runTool: (call, language) => Promise.resolve(run(call, language)) };
}
