import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { createMailer, type Mailer } from "../../activities/mail/mailer.ts";

/** A mail as it arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The whole mail with its headers, quoted-printable decoded. */
  text: string;
}

/** A mail server of this machine. */
export interface TestSmtp {
  url: string;
  mails: ReceivedMail[];
  /** Refuses these addresses for good, as recipient or sender. */
  refused: Set<string>;
  /** Refuses so many mails for now. */
  trouble: { left: number };
  mailer(publicUrl: string): Mailer;
  stop(): Promise<void>;
}

/** Starts a mail server that keeps what it gets. */
export async function startSmtp(): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const refused = new Set<string>();
  const trouble = { left: 0 };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onMailFrom({ address }, _session, callback) {
      callback(refused.has(address) ? answer(550, "Sender not allowed") : null);
    },
    onRcptTo({ address }, _session, callback) {
      if (refused.has(address)) return callback(answer(550, "No such mailbox"));
      trouble.left -= 1;
      callback(trouble.left >= 0 ? answer(451, "Try again later") : null);
    },
    onData(stream, { envelope }, callback) {
      void text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, text: decode(raw) });
        callback(null);
      }, callback);
    },
  });
  const listening = server.listen(0, "127.0.0.1");
  await new Promise((resolve) => listening.once("listening", resolve));
  const address = listening.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `smtp://127.0.0.1:${port}`;
  return {
    url,
    mails,
    refused,
    trouble,
    mailer: (publicUrl) => createMailer({ smtpUrl: url, from: "parley@example.com" }, publicUrl),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function answer(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function decode(raw: string): string {
  const joined = raw.replaceAll(/=\r?\n/g, "");
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
