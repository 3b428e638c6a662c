import type { Locale } from "../../model/user.ts";

const list = (names: readonly string[]): string => names.map((name) => `• ${name}`).join("\n");

/** A numbered list, from which the customer chooses. */
export const numbered = (names: readonly string[]): string =>
  names.map((name, index) => `${index + 1}. ${name}`).join("\n");

const es = {
  greet: "¡Hola! ¿En qué te puedo ayudar?",
  thanks: "¡Con gusto!",
  goodbye: "¡Hasta luego! Que tengas buen día.",
  acknowledged: "Muy bien. Si necesitas algo más, aquí estoy.",
  forgotten: "De acuerdo, lo dejamos así. Si necesitas algo más, aquí estoy.",
  again: "No te entendí bien.",
  unknown: "No tengo ese dato. ¿Quieres que te comunique con una persona?",
  media: "Por ahora solo puedo leer texto. ¿Me lo escribes, por favor?",
  handedOff: "Te comunico con una persona del equipo.",
  didYouMean: (questions: readonly string[]) =>
    `¿Te refieres a alguna de estas preguntas?\n${numbered(questions)}\nResponde con el número.`,
  askService: (names: readonly string[]) => `¿Qué servicio te interesa?\n${numbered(names)}`,
  askResource: (names: readonly string[]) =>
    `¿Con quién quieres tu cita? Si te da igual, dime "cualquiera".\n${numbered(names)}`,
  askDay: "¿Qué día te queda bien?",
  askOtherDay: "¿Qué otro día u hora prefieres?",
  askMoveDay: (appointment: string) => `Tu cita es: ${appointment}. ¿Para qué día la quieres?`,
  noSuchDay: "Esa fecha no existe. ¿Qué día te queda bien?",
  pastDay: "Esa fecha ya pasó. ¿Qué otro día te queda bien?",
  whichDay: (days: readonly string[]) => `¿Qué día es?\n${numbered(days)}`,
  whichTime: (times: readonly string[]) => `¿A qué hora?\n${numbered(times)}`,
  offer: (times: readonly string[]) =>
    `Tengo estos horarios:\n${numbered(times)}\n¿Cuál prefieres?`,
  offerNear: (times: readonly string[]) =>
    `En ese horario no tengo espacio. Lo más cercano:\n${numbered(times)}\n¿Cuál prefieres?`,
  taken: (times: readonly string[]) =>
    `Ese horario ya no está libre. Lo más cercano:\n${numbered(times)}\n¿Cuál prefieres?`,
  outsideHours: (times: readonly string[]) =>
    `A esa hora no atendemos. Lo más cercano:\n${numbered(times)}\n¿Cuál prefieres?`,
  noSlots: "No encuentro espacio en esas fechas. ¿Qué otro día te queda bien?",
  askName: "¿A nombre de quién?",
  askEmail: "¿Cuál es tu correo?",
  wrongEmail: "Ese correo no parece completo. ¿Me lo escribes de nuevo?",
  confirmBooking: (service: string, time: string) =>
    `¿Agendo ${service === "" ? "tu cita" : service}: ${time}? Responde sí o no.`,
  confirmMove: (before: string, after: string) =>
    `¿Cambio tu cita de: ${before}, a: ${after}? Responde sí o no.`,
  confirmCancel: (appointment: string) => `¿Cancelo tu cita: ${appointment}? Responde sí o no.`,
  done: (name: string) => (name === "" ? "Listo. Te esperamos." : `Listo, ${name}. Te esperamos.`),
  cancelled: "Listo. Si quieres otra cita, dime qué día te queda bien.",
  kept: "De acuerdo, no hago ningún cambio.",
  noted: "Listo, ya tengo tus datos.",
  noAppointments: "No encuentro citas próximas en esta conversación.",
  whichAppointment: (names: readonly string[]) => `¿Cuál de tus citas?\n${numbered(names)}`,
  oneAtATime: "Puedo con una cita a la vez.",
  mine: (names: readonly string[]) =>
    names.length === 1
      ? `Tu próxima cita: ${names[0] ?? ""}.`
      : `Tus próximas citas:\n${list(names)}`,
  hours: (lines: readonly string[]) => `Nuestro horario:\n${list(lines)}`,
  hoursOfDay: (day: string, ranges: string) =>
    ranges === "" ? `El ${day} no abrimos.` : `El ${day} abrimos: ${ranges}.`,
  closed: "cerrado",
  services: (names: readonly string[]) => `Estos son nuestros servicios:\n${list(names)}`,
  resources: (names: readonly string[]) => `Puedes tener tu cita con:\n${list(names)}`,
  address: (address: string) => `Nuestra dirección: ${address}.`,
  minutes: (count: number) => `${count} min`,
};

type Texts = typeof es;

const en: Texts = {
  greet: "Hello! How can I help you?",
  thanks: "You're welcome!",
  goodbye: "Goodbye! Have a nice day.",
  acknowledged: "Great. If you need anything else, I'm here.",
  forgotten: "All right, we leave it there. If you need anything else, I'm here.",
  again: "I did not get that.",
  unknown: "I do not have that information. Shall I put you in touch with a person?",
  media: "I can only read text for now. Could you write it, please?",
  handedOff: "I am putting you in touch with a person of the team.",
  didYouMean: (questions) =>
    `Do you mean one of these questions?\n${numbered(questions)}\nAnswer with the number.`,
  askService: (names) => `Which service would you like?\n${numbered(names)}`,
  askResource: (names) =>
    `Who would you like to see? If you don't mind, say "anyone".\n${numbered(names)}`,
  askDay: "Which day works for you?",
  askOtherDay: "Which other day or time would you prefer?",
  askMoveDay: (appointment) =>
    `Your appointment is: ${appointment}. Which day would you like instead?`,
  noSuchDay: "That date does not exist. Which day works for you?",
  pastDay: "That date has passed. Which other day works for you?",
  whichDay: (days) => `Which day is it?\n${numbered(days)}`,
  whichTime: (times) => `At what time?\n${numbered(times)}`,
  offer: (times) => `I have these times:\n${numbered(times)}\nWhich would you prefer?`,
  offerNear: (times) =>
    `I have no room at that time. The nearest:\n${numbered(times)}\nWhich would you prefer?`,
  taken: (times) =>
    `That time is no longer free. The nearest:\n${numbered(times)}\nWhich would you prefer?`,
  outsideHours: (times) =>
    `We are closed at that time. The nearest:\n${numbered(times)}\nWhich would you prefer?`,
  noSlots: "I find no room on those dates. Which other day works for you?",
  askName: "What name should I put it under?",
  askEmail: "What is your email?",
  wrongEmail: "That email does not look complete. Could you write it again?",
  confirmBooking: (service, time) =>
    `Shall I book ${service === "" ? "your appointment" : service}: ${time}? Answer yes or no.`,
  confirmMove: (before, after) =>
    `Shall I move your appointment from: ${before}, to: ${after}? Answer yes or no.`,
  confirmCancel: (appointment) =>
    `Shall I cancel your appointment: ${appointment}? Answer yes or no.`,
  done: (name) => (name === "" ? "All set. See you then." : `All set, ${name}. See you then.`),
  cancelled: "Done. If you want another appointment, tell me which day works for you.",
  kept: "All right, I change nothing.",
  noted: "Done, I have your details.",
  noAppointments: "I find no upcoming appointments in this conversation.",
  whichAppointment: (names) => `Which of your appointments?\n${numbered(names)}`,
  oneAtATime: "I can take one appointment at a time.",
  mine: (names) =>
    names.length === 1
      ? `Your next appointment: ${names[0] ?? ""}.`
      : `Your next appointments:\n${list(names)}`,
  hours: (lines) => `Our hours:\n${list(lines)}`,
  hoursOfDay: (day, ranges) =>
    ranges === "" ? `We are closed on ${day}.` : `On ${day} we are open: ${ranges}.`,
  closed: "closed",
  services: (names) => `These are our services:\n${list(names)}`,
  resources: (names) => `You can have your appointment with:\n${list(names)}`,
  address: (address) => `Our address: ${address}.`,
  minutes: (count) => `${count} min`,
};

/** All sentences of the built-in agent. The service adds confirmations from the rows. */
export const texts: Record<Locale, Texts> = { es, en };

/** Reasons of a handoff, for the team. */
export const handoffReasons = {
  es: {
    asked: "El cliente pide una persona.",
    not_understood: "No entendí al cliente dos veces.",
    unsupported: "El cliente pide algo que el asistente no puede hacer.",
    refused: "Una acción no se pudo completar.",
  },
  en: {
    asked: "The customer asks for a person.",
    not_understood: "I did not understand the customer twice.",
    unsupported: "The customer wants something that the assistant cannot do.",
    refused: "An action could not be completed.",
  },
} satisfies Record<Locale, Record<string, string>>;
export type HandoffReason = keyof (typeof handoffReasons)["en"];
