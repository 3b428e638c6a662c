import { createTransport } from "nodemailer";
import { z } from "zod";
import type { MailAnswer } from "../../core/services/mails/mail-sending.ts";

/** A plain text mail to one address, perhaps with an appointment for its reader's calendar. */
export interface OutgoingMail {
  /** The same for every try, so that a mail program shows a repeated mail once. */
  messageId: string;
  to: string;
  subject: string;
  text: string;
  /** Attached as `appointment.ics`; null: no attachment. */
  calendarFile: string | null;
}

/** Sends mails through the mail server of this installation. */
export interface Mailer {
  /** Origin of the links in mails. */
  publicUrl: string;
  /** Never throws for errors of the mail server or the network. */
  send(mail: OutgoingMail): Promise<MailAnswer>;
}

const faults = z.object({
  code: z.string().optional(),
  responseCode: z.number().optional(),
  command: z.string().optional(),
});

/**
 * SMTP commands whose refusal concerns one mail: its recipient or its text. The sender is the same
 * in every mail. So a refused MAIL FROM is a temporary problem of the server or its settings.
 */
const ofOneMail = new Set(["RCPT TO", "DATA"]);

/** Creates a mailer for one SMTP server. Each try opens a connection of its own. */
export function createMailer(
  { smtpUrl, from }: { smtpUrl: string; from: string },
  publicUrl: string,
): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    publicUrl,
    async send({ messageId, to, subject, text, calendarFile }) {
      const headers = { "Auto-Submitted": "auto-generated" };
      try {
        const attachments = calendarFile === null ? [] : [attach(calendarFile)];
        await transport.sendMail({ from, to, subject, text, messageId, headers, attachments });
        return { kind: "sent" };
      } catch (error) {
        return classify(error);
      }
    },
  };
}

function attach(content: string) {
  const contentType = "text/calendar; charset=utf-8; method=PUBLISH";
  return { filename: "appointment.ics", content, contentType };
}

/** The error's own message may name the address, so only codes are kept. */
function classify(error: unknown): MailAnswer {
  const {
    code = "UNKNOWN",
    responseCode: response = 0,
    command = "",
  } = faults.catch({}).parse(error);
  const kind = ofOneMail.has(command) && response >= 500 ? "permanent" : "transient";
  return { kind, code: response === 0 ? code : `${code} ${response}` };
}
