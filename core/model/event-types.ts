import type { Locale } from "./user.ts";

/** Parts of a timeline's line that depend on the event type. */
export interface EventDisplay {
  label: Record<Locale, string>;
  /** Name of an icon in `dashboard/src/components/event-icon.ts`. */
  icon: string;
  /** The facts that the line shows in words. */
  details:
    | "none"
    | "text"
    | "message"
    | "reason"
    | "status"
    | "stage"
    | "source"
    | "fields"
    | "appointment";
}

/**
 * Every event type with its line in a timeline. This file has no schema, because pages of the
 * Dashboard load it that need none.
 */
export const eventDisplay = {
  "message.received": {
    label: { en: "The customer wrote", es: "El cliente escribió" },
    icon: "message",
    details: "text",
  },
  "message.sent": {
    label: { en: "Message sent", es: "Mensaje enviado" },
    icon: "message-forward",
    details: "message",
  },
  "conversation.created": {
    label: { en: "Conversation opened", es: "Se abrió una conversación" },
    icon: "message-plus",
    details: "none",
  },
  "conversation.updated": {
    label: { en: "Status changed", es: "Cambió el estado" },
    icon: "messages",
    details: "status",
  },
  "conversation.closed": {
    label: { en: "Conversation resolved", es: "Conversación resuelta" },
    icon: "message-check",
    details: "none",
  },
  "conversation.bot.enabled": {
    label: { en: "AI agent turned on", es: "Agente de IA activado" },
    icon: "robot",
    details: "none",
  },
  "conversation.bot.disabled": {
    label: { en: "AI agent paused", es: "Agente de IA en pausa" },
    icon: "robot-off",
    details: "reason",
  },
  "conversation.stage_changed": {
    label: { en: "Moved to another stage", es: "Pasó a otra etapa" },
    icon: "layout-kanban",
    details: "stage",
  },
  "contact.created": {
    label: { en: "Contact created", es: "Contacto creado" },
    icon: "user-plus",
    details: "source",
  },
  "contact.updated": {
    label: { en: "Contact changed", es: "Contacto modificado" },
    icon: "user-edit",
    details: "fields",
  },
  "appointment.created": {
    label: { en: "Appointment booked", es: "Cita agendada" },
    icon: "calendar-plus",
    details: "appointment",
  },
  "appointment.rescheduled": {
    label: { en: "Appointment moved", es: "Cita reprogramada" },
    icon: "calendar-time",
    details: "appointment",
  },
  "appointment.cancelled": {
    label: { en: "Appointment cancelled", es: "Cita cancelada" },
    icon: "calendar-cancel",
    details: "appointment",
  },
  "test.ping": {
    label: { en: "Test", es: "Prueba" },
    icon: "webhook",
    details: "none",
  },
} as const satisfies Record<string, EventDisplay>;

export type EventType = keyof typeof eventDisplay;
export type EventIcon = (typeof eventDisplay)[EventType]["icon"];

/** Every event type. docs/contract.md says when each of them fires. */
export const eventTypes = Object.keys(eventDisplay) as EventType[];

type FamilyOf<T> = T extends `${infer Family}.${string}` ? Family : never;
export type EventFamily = Exclude<FamilyOf<EventType>, "test">;

/** First words of the types that a subscription may select with a wildcard. Rule C39. */
export const eventFamilies = [
  ...new Set(eventTypes.map((type) => type.split(".")[0] as EventFamily | "test")),
].filter((family) => family !== "test");

/** Patterns that a subscription may select: all events, a family, or one type. Rule C39. */
export type EventPattern = "*" | `${EventFamily}.*` | EventType;
export const eventPatterns: readonly EventPattern[] = [
  "*",
  ...eventFamilies.map((family) => `${family}.*` as const),
  ...eventTypes,
];
