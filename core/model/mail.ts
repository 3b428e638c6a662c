import type { Locale } from "./user.ts";

/** Kinds of mail. */
export const mailKinds = ["invitation", "password_reset", "needs_person"] as const;
export type MailKind = (typeof mailKinds)[number];

/** States of a mail. A mail is cancelled when its link is no longer valid. */
export const mailStates = ["queued", "sent", "failed", "cancelled"] as const;
export type MailState = (typeof mailStates)[number];

/** The facts that a mail's text is made of. */
export interface MailFacts {
  kind: MailKind;
  locale: Locale;
  accountName: string;
  url: string;
}

/** Subject and plain text of a mail, in the reader's language. */
export function renderMail({ kind, locale, accountName, url }: MailFacts): {
  subject: string;
  text: string;
} {
  const { subject, lines } = texts[locale][kind](accountName);
  const [first = "", ...rest] = lines;
  return { subject, text: `${[first, url, ...rest].join("\n\n")}\n` };
}

type Text = (account: string) => { subject: string; lines: string[] };

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
  },
};
