import { expect, test } from "vitest";
import {
  composeInteractive,
  findNumbered,
  interactiveInput,
  type Interactive,
} from "../../../core/model/interactive.ts";

function choices(count: number, more: Partial<Interactive["options"][number]> = {}): Interactive {
  const options = Array.from({ length: count }, (_, n) => ({
    id: `o-${n + 1}`,
    title: `Option ${n + 1}`,
    ...more,
  }));
  return { kind: "buttons", body: "Which one?", options };
}

/** One option with a title or a description of a length. */
function long(title: number, description?: number): Interactive {
  const described = description === undefined ? {} : { description: "d".repeat(description) };
  return choices(1, { title: "t".repeat(title), ...described });
}

test.each<[string, string, Interactive, string]>([
  ["whatsapp_cloud", "3 options", choices(3), "buttons"],
  ["whatsapp_cloud", "4 options", choices(4), "list"],
  ["whatsapp_cloud", "10 options", choices(10), "list"],
  ["whatsapp_cloud", "11 options", choices(11), "text"],
  ["whatsapp_cloud", "a title of 20", long(20), "buttons"],
  ["whatsapp_cloud", "a title of 21", long(21), "list"],
  ["whatsapp_cloud", "a title of 24", long(24), "list"],
  ["whatsapp_cloud", "a title of 25", long(25), "text"],
  ["whatsapp_cloud", "a description of 72", long(5, 72), "list"],
  ["whatsapp_cloud", "a description of 73", long(5, 73), "text"],
  ["messenger", "13 options", choices(13), "quick_replies"],
  ["messenger", "14 options", choices(14), "text"],
  ["instagram_page", "a title of 20", long(20), "quick_replies"],
  ["instagram_login", "a title of 21", long(21), "text"],
  ["sandbox", "2 options", choices(2), "text"],
  ["web", "30 options", choices(30, { description: "d" }), "buttons"],
])("%s shows %s as %s", (driver, _, interactive, form) => {
  expect(composeInteractive(driver, interactive, "en").interactive.sent_as).toBe(form);
});

test("web chat draws a list for each kind but buttons", () => {
  const kinds = (["list", "cards", "slots"] as const).map(
    (kind) => composeInteractive("web", { ...choices(2), kind }, "en").interactive.sent_as,
  );
  expect(kinds).toEqual(["list", "list", "list"]);
});

test("buttons of WhatsApp hold a text of 1,024 characters, a list holds more", () => {
  const formOf = (length: number) =>
    composeInteractive("whatsapp_cloud", { ...choices(1), body: "b".repeat(length) }, "en")
      .interactive.sent_as;
  expect([formOf(1_024), formOf(1_025)]).toEqual(["buttons", "list"]);
});

test("the customer reads each option, whatever the form", () => {
  const described = choices(2, { description: "30 min" });
  expect(composeInteractive("sandbox", described, "es").text).toBe(
    "Which one?\n\n1. Option 1: 30 min\n2. Option 2: 30 min",
  );
  expect(composeInteractive("messenger", described, "es").text).toBe(
    "Which one?\n\nOption 1: 30 min\nOption 2: 30 min",
  );
  const list = composeInteractive("whatsapp_cloud", described, "es");
  expect(list.text).toBe("Which one?");
  expect(list.interactive.button).toBe("Ver opciones");
});

test.each([
  ["2", "o-2"],
  [" 2. ", "o-2"],
  ["2)", "o-2"],
  ["3", "o-3"],
  ["4", null],
  ["0", null],
  ["02", null],
  ["2 please", null],
  ["-2", null],
  ["", null],
])("the text %j names the option %j of three", (text, id) => {
  expect(findNumbered(choices(3).options, text)?.id ?? null).toBe(id);
});

test.each<[string, object, string[]]>([
  ["no option", { options: [] }, ["options"]],
  ["31 options", { options: choices(31).options }, ["options"]],
  ["an unknown kind", { kind: "carousel" }, ["kind"]],
  ["a blank body", { body: " " }, ["body"]],
  ["a title of two lines", { options: [{ id: "1", title: "a\nb" }] }, ["options.0.title"]],
  ["no id", { options: [{ title: "a" }] }, ["options.0.id"]],
  ["an id of 201", { options: [{ id: "i".repeat(201), title: "a" }] }, ["options.0.id"]],
  ["an unknown field", { options: [{ id: "1", title: "a", url: "x" }] }, ["options.0"]],
  ["a text that is too long in all", { body: "b".repeat(4_090) }, ["body"]],
])("%s is refused", (_, change, paths) => {
  const issues = interactiveInput.safeParse({ ...choices(1), ...change }).error?.issues ?? [];
  expect(issues.map(({ path }) => path.join("."))).toEqual(paths);
});

test("two options never share an id or a title, since no answer could tell them apart", () => {
  const [first] = choices(1).options;
  const issues = (more: object) =>
    interactiveInput
      .safeParse({ ...choices(1), options: [first, { id: "x", title: "y", ...more }] })
      .error?.issues.map(({ path }) => path.join("."));
  expect(issues({ id: "o-1" })).toEqual(["options.1.id"]);
  expect(issues({ title: "Option 1" })).toEqual(["options.1.title"]);
  expect(issues({})).toBeUndefined();
});
