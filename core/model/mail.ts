import type { Locale } from "./user.ts";

/** Kinds of mail. */
export const mailKinds = [
  "invitation",
  "password_reset",
  "needs_person",
  "new_message",
  "assigned",
  "mentioned",
  "booked",
  "booking_made",
] as const;
export type MailKind = (typeof mailKinds)[number];

/** States of a mail. A mail is cancelled when its link is no longer valid. */
export const mailStates = ["queued", "sent", "failed", "cancelled"] as const;
export type MailState = (typeof mailStates)[number];

/** The facts that a mail's text is made of. */
export interface MailFacts {
  kind: MailKind;
  locale: Locale;
  accountName: string;
  /** The customer of the conversation or appointment; null: not named. */
  customerName: string | null;
  /** Lines before the text, such as the time of an appointment. */
  facts?: string[];
  url: string;
}

/** Subject and plain text of a mail, in the reader's language. */
export function renderMail({ kind, locale, accountName, customerName, facts, url }: MailFacts): {
  subject: string;
  text: string;
} {
  const { subject, lines } = texts[locale][kind](accountName, customerName ?? somebody[locale]);
  const [first = "", ...rest] = lines;
  const before = facts === undefined ? [] : [facts.join("\n")];
  return { subject, text: `${[...before, first, url, ...rest].join("\n\n")}\n` };
}

const somebody: Record<Locale, string> = { en: "A customer", es: "Un cliente" };

type Text = (account: string, customer: string) => { subject: string; lines: string[] };

const texts: Record<Locale, Record<MailKind, Text>> = {
  en: {
    invitation: (account) => ({
      subject: `Join ${account} on Parley`,
      lines: [
        `You are invited to ${account} on Parley. Open this link to join:`,
        "The link works once, within 7 days. If you do not know the account, ignore this mail.",
      ],
    }),
    password_reset: () => ({
      subject: "Set a new password for Parley",
      lines: [
        "Open this link to set a new password:",
        "The link works once, within 24 hours. If you did not ask for it, ignore this mail. Your password stays as it is.",
      ],
    }),
    needs_person: (account) => ({
      subject: `A conversation of ${account} needs you`,
      lines: [
        "A customer waits for a person. Open the conversation here:",
        "You can switch these mails off in your profile.",
      ],
    }),
    new_message: (account, customer) => ({
      subject: `${customer} wrote to you at ${account}`,
      lines: [
        "A message waits in a conversation of yours. Open the conversation here:",
        "You get at most one of these mails in 10 minutes for a conversation. You can switch them off in your profile.",
      ],
    }),
    assigned: (account, customer) => ({
      subject: `A conversation of ${account} is yours: ${customer}`,
      lines: [
        "A colleague assigned you a conversation. Open the conversation here:",
        "You can switch these mails off in your profile.",
      ],
    }),
    mentioned: (account, customer) => ({
      subject: `You are mentioned in a note of ${account}: ${customer}`,
      lines: [
        "A colleague mentioned you in a note. Open the conversation here:",
        "You can switch these mails off in your profile.",
      ],
    }),
    booked: (account, customer) => ({
      subject: `${customer} booked an appointment at ${account}`,
      lines: ["Open the appointment here:", "You can switch these mails off in your profile."],
    }),
    booking_made: (account) => ({
      subject: `Your appointment at ${account}`,
      lines: [
        "On this page you add it to your calendar, move it or cancel it:",
        "Whoever has this address can do so, too. If you did not book, ignore this mail.",
      ],
    }),
  },
  es: {
    invitation: (account) => ({
      subject: `Únete a ${account} en Parley`,
      lines: [
        `Tienes una invitación a ${account} en Parley. Abre este enlace para unirte:`,
        "El enlace funciona una vez, durante 7 días. Si no conoces la cuenta, ignora este correo.",
      ],
    }),
    password_reset: () => ({
      subject: "Pon una contraseña nueva en Parley",
      lines: [
        "Abre este enlace para poner una contraseña nueva:",
        "El enlace funciona una vez, durante 24 horas. Si no lo pediste, ignora este correo. Tu contraseña no cambia.",
      ],
    }),
    needs_person: (account) => ({
      subject: `Una conversación de ${account} te necesita`,
      lines: [
        "Un cliente espera a una persona. Abre la conversación aquí:",
        "Puedes desactivar estos correos en tu perfil.",
      ],
    }),
    new_message: (account, customer) => ({
      subject: `${customer} te escribió en ${account}`,
      lines: [
        "Un mensaje espera en una conversación tuya. Abre la conversación aquí:",
        "Recibes como máximo uno de estos correos cada 10 minutos por conversación. Puedes desactivarlos en tu perfil.",
      ],
    }),
    assigned: (account, customer) => ({
      subject: `Una conversación de ${account} es tuya: ${customer}`,
      lines: [
        "Alguien de tu equipo te asignó una conversación. Abre la conversación aquí:",
        "Puedes desactivar estos correos en tu perfil.",
      ],
    }),
    mentioned: (account, customer) => ({
      subject: `Te mencionaron en una nota de ${account}: ${customer}`,
      lines: [
        "Alguien de tu equipo te mencionó en una nota. Abre la conversación aquí:",
        "Puedes desactivar estos correos en tu perfil.",
      ],
    }),
    booked: (account, customer) => ({
      subject: `${customer} reservó una cita en ${account}`,
      lines: ["Abre la cita aquí:", "Puedes desactivar estos correos en tu perfil."],
    }),
    booking_made: (account) => ({
      subject: `Tu cita en ${account}`,
      lines: [
        "En esta página la agregas a tu calendario, la cambias o la cancelas:",
        "Quien tenga esta dirección también puede hacerlo. Si no reservaste, ignora este correo.",
      ],
    }),
  },
};
