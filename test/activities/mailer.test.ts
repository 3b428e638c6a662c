import { expect, test } from "vitest";
import { startSmtp } from "../support/smtp.ts";
import { useFixture } from "../support/use-fixture.ts";

const smtp = useFixture(startSmtp);

async function send(to: string) {
  const content = { subject: "Hello", text: "Hello", calendarFile: null };
  const mail = { messageId: "<1@example.com>", to, ...content };
  return await smtp.mailer("http://127.0.0.1:3000").send(mail);
}

test("a refused recipient is the mail's own fault, and the mail is given up", async () => {
  smtp.refused.add("nobody@example.com");
  expect(await send("nobody@example.com")).toEqual({ kind: "permanent", code: "EENVELOPE 550" });
  expect(await send("ana@example.com")).toEqual({ kind: "sent" });
});

test("a refused sender is the server's trouble, and the mail is tried again", async () => {
  smtp.refused.add("parley@example.com");
  expect(await send("ana@example.com")).toEqual({ kind: "transient", code: "EENVELOPE 550" });
  smtp.refused.delete("parley@example.com");
  expect(await send("ana@example.com")).toEqual({ kind: "sent" });
});
