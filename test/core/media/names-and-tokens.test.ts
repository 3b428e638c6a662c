import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentDisposition, safeFileName } from "../../../core/media/file-name.ts";
import {
  openMediaToken,
  signMediaToken,
  type MediaGrant,
} from "../../../core/media/media-token.ts";
import { parseSha256 } from "../../../core/media/sha256.ts";
import { createSecretBox } from "../../../core/secrets.ts";
import { testSecretBox } from "../../support/accounts.ts";

const pdf = "application/pdf";

describe("names of files", () => {
  test.each([
    ["invoice.pdf", pdf, "invoice.pdf"],
    ["Año nuevo 2026.PDF", pdf, "Año nuevo 2026.PDF"],
    ["../../etc/passwd", pdf, "passwd.pdf"],
    ["C:\\Users\\ana\\cita.pdf", pdf, "cita.pdf"],
    ["photo.jpeg", "image/jpeg", "photo.jpeg"],
    ["photo.jpg", "image/png", "photo.jpg.png"],
    ["virus.exe", "image/jpeg", "virus.exe.jpg"],
    ["cod\u202Egpj.exe", "application/octet-stream", "codgpj.exe"],
    ["a\r\nSet-Cookie: x=1", pdf, "aSet-Cookie_ x=1.pdf"],
    ["...", pdf, "file.pdf"],
    [" . ", "audio/ogg", "file.ogg"],
    ["con.pdf", pdf, "_con.pdf"],
    [null, "video/mp4", "file.mp4"],
    [null, "application/octet-stream", "file.bin"],
    ["notes.txt", "application/octet-stream", "notes.txt"],
  ])("%j of type %s is saved as %j", (given, type, wanted) => {
    expect(safeFileName(given, type)).toBe(wanted);
  });

  test("no name has a path, a control, or too many characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (given) => {
        const name = safeFileName(given, pdf);
        expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(name.toLowerCase().endsWith(".pdf")).toBe(true);
        expect(Array.from(name).length).toBeLessThanOrEqual(124);
        // A header takes Latin 1 alone, and no line break.
        expect(contentDisposition("attachment", name)).toMatch(/^[\x20-\x7e]+$/u);
      }),
    );
  });

  test("a header has an old and an exact name", () => {
    expect(contentDisposition("inline", `Año "2"(1).pdf`)).toBe(
      `inline; filename="A_o _2_(1).pdf"; filename*=UTF-8''A%C3%B1o%20%222%22%281%29.pdf`,
    );
  });
});

describe("tokens of links", () => {
  const grant: MediaGrant = {
    accountId: 7,
    mediaId: 42,
    variant: "original",
    disposition: "inline",
  };
  const now = new Date("2026-03-02T10:00:30Z");
  const later = (ms: number) => new Date(now.getTime() + ms);
  const token = signMediaToken(testSecretBox, grant, later(600_000));

  test.each([
    grant,
    { ...grant, variant: "thumbnail" as const },
    { ...grant, disposition: "attachment" as const },
  ])("a token opens as it was signed", (one) => {
    const signed = signMediaToken(testSecretBox, one, later(600_000));
    expect(openMediaToken(testSecretBox, signed, now)).toEqual(one);
  });

  test("a token is valid for its life and at most a minute more", () => {
    expect(openMediaToken(testSecretBox, token, later(599_999))).toEqual(grant);
    expect(openMediaToken(testSecretBox, token, later(661_000))).toBe(null);
  });

  test("a token that is changed anywhere opens nothing", () => {
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ["0", "1", "t", "a", "-"]) {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        if (changed === token) continue;
        expect(openMediaToken(testSecretBox, changed, now)).toBe(null);
      }
    }
  });

  test("a token has one spelling alone", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const spellings = Array.from(alphabet, (last) => token.slice(0, -1) + last);
    const open = spellings.filter((one) => openMediaToken(testSecretBox, one, now) !== null);
    expect(open).toEqual([token]);
  });

  test.each(["", ".", "7.42.oi.hoko0", `${token}x`, ` ${token}`, token.toUpperCase()])(
    "%j is no token",
    (text) => expect(openMediaToken(testSecretBox, text, now)).toBe(null),
  );

  test("a token of another key, or a signature for another purpose, opens nothing", () => {
    const other = createSecretBox(`other:${Buffer.alloc(32, 1).toString("base64")}`);
    expect(openMediaToken(other, token, now)).toBe(null);
    const text = token.slice(0, token.lastIndexOf("."));
    const forged = `${text}.${testSecretBox.sign(text, "booking")}`;
    expect(openMediaToken(testSecretBox, forged, now)).toBe(null);
  });
});

test("a hash is read in base64 and in hexadecimal", () => {
  const hash = Buffer.alloc(32, 0xab);
  const hex = hash.toString("hex");
  expect(parseSha256(hex)).toBe(hex);
  expect(parseSha256(hex.toUpperCase())).toBe(hex);
  expect(parseSha256(hash.toString("base64"))).toBe(hex);
  for (const wrong of ["", "abc", hex.slice(1), hash.toString("base64").slice(4)]) {
    expect(parseSha256(wrong)).toBe(null);
  }
});
