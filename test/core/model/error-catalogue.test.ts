import { expect, test } from "vitest";
import { AppError, notFound } from "../../../core/errors.ts";
import { errorCatalogue, type ErrorCode } from "../../../core/model/error-catalogue.ts";
import { listSources, readSource } from "../../support/imports.ts";

const catalogue = ["error-catalogue", "import-errors", "knowledge-errors"].map(
  (name) => `core/model/${name}.ts`,
);
const codes = Object.keys(errorCatalogue) as ErrorCode[];
const sources = ["core", "api", "activities", "worker"]
  .flatMap(listSources)
  .filter((file) => !catalogue.includes(file))
  .map((file) => ({ file, text: readSource(file) }));

test("an error has the status and the text of its code, unless it brings a text that knows more", () => {
  const plain = new AppError("slot_taken");
  expect([plain.status, plain.message, plain.details]).toEqual([
    409,
    "This time is not free. Choose another one.",
    null,
  ]);
  const told = new AppError("slot_taken", { message: "Another appointment has this time." });
  expect([told.status, told.message]).toEqual([409, "Another appointment has this time."]);
  expect(notFound("booking_link")).toMatchObject({ code: "booking_link_not_found", status: 404 });
});

test("a code without an entry does not compile", () => {
  // @ts-expect-error: the catalogue has no such code.
  expect(() => new AppError("made_up")).toThrow(TypeError);
  // @ts-expect-error: nor `made_up_not_found`.
  expect(() => notFound("made_up")).toThrow(TypeError);
});

test("each code has whole sentences, and is 404 where its name says so", () => {
  for (const code of codes) {
    const { status, message } = errorCatalogue[code];
    expect([code, status === 404]).toEqual([code, code.endsWith("_not_found")]);
    expect([code, message]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/u)]);
  }
});

test("a text of the catalogue stands in no other file", () => {
  const repeated = sources.flatMap(({ file, text }) =>
    codes
      .filter((code) => text.includes(JSON.stringify(errorCatalogue[code].message)))
      .map((code) => `${file} repeats the text of ${code}; leave it out there`),
  );
  expect(repeated).toEqual([]);
});

test("each code is in use", () => {
  const isUsed = (code: ErrorCode) => {
    const names = [code, code.replace(/_not_found$/u, "")].map((name) => JSON.stringify(name));
    return sources.some(({ text }) => names.some((name) => text.includes(name)));
  };
  expect(codes.filter((code) => !isUsed(code))).toEqual([]);
});
