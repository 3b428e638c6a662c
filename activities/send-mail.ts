import { appointmentUid, renderCalendarFile } from "../core/calendars/calendar-file.ts";
import { renderMail } from "../core/model/mail.ts";
import type { SendMailInput, SendMailOutcome } from "../core/model/workflow/mailing.ts";
import {
  beginMail,
  completeMail,
  type MailAnswer,
  type MailMaterial,
} from "../core/services/mails/mail-sending.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { retryFor } from "./retry-for.ts";
import type { Mailer } from "./mail/mailer.ts";

type MailDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "mailer" | "log">;

/** Time limit to store a sent mail. After that the mail is sent again. */
const completionMs = 40_000;

/** The step of a mail. A crash between the server's answer and MySQL sends the mail twice. */
export function createSendMail({ dataSource, secretBox, mailer, log }: MailDeps) {
  return {
    /** Hands a mail to the mail server and stores the answer. */
    async postMail(input: SendMailInput): Promise<SendMailOutcome> {
      const options = systemOf(input.accountId);
      const begun = await transaction(dataSource, options, (tx) => beginMail(tx, secretBox, input));
      if ("outcome" in begun) return begun.outcome;
      const answer = await post(mailer, begun.material);
      const outcome = await retryFor(
        () => transaction(dataSource, options, (tx) => completeMail(tx, input, answer)),
        completionMs,
      );
      const { id, kind } = begun.material;
      const code = answer.kind === "sent" ? undefined : answer.code;
      log.info({ mail_id: id, kind, state: outcome.state, code }, "mail.handed_over");
      return outcome;
    },
  };
}

async function post(mailer: Mailer | undefined, material: MailMaterial): Promise<MailAnswer> {
  if (mailer === undefined) return { kind: "transient", code: "NO_SMTP_URL" };
  const { id, to, path } = material;
  const { publicUrl } = mailer;
  const messageId = `<mail-${id}@${new URL(publicUrl).hostname}>`;
  const url = `${publicUrl}${path}`;
  const calendarFile = renderAppointment(material, publicUrl);
  return await mailer.send({ messageId, to, ...renderMail({ ...material, url }), calendarFile });
}

/** The file holds no token, since calendars are shared. */
function renderAppointment({ appointment }: MailMaterial, publicUrl: string): string | null {
  if (appointment === undefined) return null;
  const { id, ...entry } = appointment;
  const uid = appointmentUid(id, publicUrl);
  return renderCalendarFile({ name: null, entries: [{ ...entry, uid }] });
}
