import { expect, test } from "vitest";
import type { z } from "zod";
import {
  changedFields,
  contactListQuery,
  contactPatchBody,
  contactUpsertBody,
  contactView,
  diffContact,
  emailInput,
  maxTagsPerContact,
  parseEmail,
  parsePhone,
  parseTag,
  phoneInput,
  phoneKey,
  tagInput,
  tagKey,
  type ContactFacts,
} from "../../../core/model/contact.ts";

test.each([
  ["5215512345678", "5215512345678"],
  ["+52 1 55 1234 5678", "5215512345678"],
  ["+52 (1) 55-1234.5678", "5215512345678"],
  ["  0052 55 1234 5678 ", "525512345678"],
  ["+52 1 55 1234‑5678", "5215512345678"],
  ["+52\u00A0155\u00A012345678", "5215512345678"],
  ["12345678", "12345678"],
  ["123456789012345", "123456789012345"],
])("the phone %o is read as %s", (text, digits) => {
  expect(parsePhone(text)).toBe(digits);
});

test.each([
  "",
  " ",
  "+",
  "1234567",
  "1234567890123456",
  "001234567",
  "00 12 34 56",
  "++5255123456",
  "52+5512345678",
  "5255123456x78",
  "5255 1234 5678 ext 2",
  "٥٢٥٥١٢٣٤٥٦٧٨",
  "５２５５１２３４５６",
  "12345678\0",
])("%o is no phone", (text) => {
  expect(parsePhone(text)).toBeNull();
});

test.each([
  ["Mexico with the old mobile 1", "5215512345678", "525512345678"],
  ["Mexico without it", "525512345678", "525512345678"],
  ["Mexico, 521 and one digit too few", "521551234567", "521551234567"],
  ["Argentina with the mobile 9", "5491112345678", "541112345678"],
  ["Argentina without it", "541112345678", "541112345678"],
  ["Brazil, ninth digit before 6", "5511961234567", "551161234567"],
  ["Brazil, ninth digit before 9", "5511991234567", "551191234567"],
  ["Brazil, eight digits from 6 on", "551161234567", "551161234567"],
  ["Brazil, ninth digit before 5 stays", "5511951234567", "5511951234567"],
  ["Brazil, a landline stays", "551131234567", "551131234567"],
  ["Brazil, 13 digits without a 9", "5511861234567", "5511861234567"],
  ["Spain", "34612345678", "34612345678"],
  ["the United States", "15512345678", "15512345678"],
])("the key of a number of %s", (_country, digits, key) => {
  expect(phoneKey(digits)).toBe(key);
  expect(phoneKey(key)).toBe(key);
});

test("a Brazilian landline and a mobile whose ninth digit was never optional stay two people", () => {
  expect(phoneKey("5511931234567")).not.toBe(phoneKey("551131234567"));
});

test.each([
  [" Ana@Example.COM ", "ana@example.com"],
  ["ana+shop@sub.example.mx", "ana+shop@sub.example.mx"],
  ["o'neil&co/ventas#1%x@example.com", "o'neil&co/ventas#1%x@example.com"],
  ["ana@xn--80ak6aa92e.XN--p1ai", "ana@xn--80ak6aa92e.xn--p1ai"],
  [`${"a".repeat(64)}@${"b".repeat(61)}.${"c".repeat(61)}.${"d".repeat(61)}.com`, "254"],
])("the email %o is read trimmed and in lower case", (text, email) => {
  const parsed = parseEmail(text);
  expect(email === "254" ? String(parsed?.length) : parsed).toBe(email);
});

test.each([
  "",
  "ana",
  "ana@",
  "@example.com",
  "ana@example",
  "ana@127.0.0.1",
  "ana@-example.com",
  "ana@example..com",
  ".ana@example.com",
  "ana.@example.com",
  "ana..x@example.com",
  "aná@example.com",
  "ana@@example.com",
  "ana @example.com",
  "ana@example.com, eva@example.com",
  "Ana <ana@example.com>",
  `${"a".repeat(64)}@${"b".repeat(61)}.${"c".repeat(61)}.${"d".repeat(61)}.comm`,
])("%o is no email", (text) => {
  expect(parseEmail(text)).toBeNull();
});

test("a tag is trimmed, keeps its case and has 1 to 50 characters; a contact holds 100", () => {
  expect(parseTag("  VIP Oro ")).toBe("VIP Oro");
  expect(parseTag("x".repeat(50))).toBe("x".repeat(50));
  expect(parseTag("x".repeat(51))).toBeNull();
  expect(parseTag("   ")).toBeNull();
  expect(maxTagsPerContact).toBe(100);
});

test("tags are the same whatever their case or composition, but not without their accents", () => {
  expect(tagKey("Médico")).toBe(tagKey("MÉDICO"));
  expect(tagKey("me\u0301dico")).toBe(tagKey("m\u00E9dico"));
  expect(tagKey("medico")).not.toBe(tagKey("médico"));
});

test("a phone, email or tag that cannot be read is an issue with a code and a helpful sentence", () => {
  expect(phoneInput.safeParse("12").error?.issues).toMatchObject([
    { params: { code: "invalid_phone" }, message: "Use 8 to 15 digits with the country code." },
  ]);
  expect(emailInput.safeParse("x").error?.issues).toMatchObject([
    { params: { code: "invalid_email" } },
  ]);
  expect(tagInput.safeParse("").error?.issues).toMatchObject([{ params: { code: "invalid_tag" } }]);
});

test.each([
  [{ phone: "+52 155 1234 5678" }, { phone: "5215512345678" }],
  [{ email: "ANA@example.com" }, { email: "ana@example.com" }],
  [{ phone: "", email: "ana@example.com", name: "" }, { email: "ana@example.com" }],
  [{ phone: "5215512345678", email: "  ", name: " \t" }, { phone: "5215512345678" }],
  [
    { phone: "5215512345678", name: " Ana " },
    { phone: "5215512345678", name: "Ana" },
  ],
  [
    { phone: "5215512345678", name: "x".repeat(200) },
    { phone: "5215512345678", name: "x".repeat(200) },
  ],
])("the upsert %o is read, empty texts as absent ones", (body, parsed) => {
  expect(contactUpsertBody.parse(body)).toEqual(parsed);
});

test.each([
  [{}, [" phone_or_email_required"]],
  [{ name: "Ana" }, [" phone_or_email_required"]],
  [{ phone: "", email: " " }, [" phone_or_email_required"]],
  [{ phone: "12" }, ["phone invalid_phone"]],
  [{ phone: "12", email: "x" }, ["phone invalid_phone", "email invalid_email"]],
  [{ phone: null, email: "ana@example.com" }, ["phone invalid_type"]],
  [{ phone: 5215512345678 }, ["phone invalid_type"]],
  [{ email: "ana@example.com", name: "x".repeat(201) }, ["name too_big"]],
  [{ email: "ana@example.com", name: { role: "x" } }, ["name invalid_type"]],
  [{ email: "ana@example.com", tags: ["vip"], id: 1 }, [" unrecognized_keys"]],
  ["text", [" invalid_type"]],
])("the upsert %o is refused, every issue with its place and code", (body, issues) => {
  expect(issuesOf(contactUpsertBody.safeParse(body))).toEqual(issues);
});

test("the upsert of another border may ignore unknown members and still needs a phone or an email", () => {
  const lenient = contactUpsertBody.strip();
  expect(lenient.parse({ phone: "5215512345678", city: "CDMX" })).toEqual({
    phone: "5215512345678",
  });
  expect(issuesOf(lenient.safeParse({ city: "CDMX" }))).toEqual([" phone_or_email_required"]);
});

test("a patch holds the fields sent, and null clears one", () => {
  expect(contactPatchBody.parse({})).toEqual({});
  expect(contactPatchBody.parse({ name: " Ana ", phone: null })).toEqual({
    name: "Ana",
    phone: null,
  });
  expect(contactPatchBody.parse({ name: null, email: " ANA@example.com" })).toEqual({
    name: null,
    email: "ana@example.com",
  });
});

test.each([
  [{ name: "" }, ["name empty_name"]],
  [{ name: "  " }, ["name empty_name"]],
  [{ name: "x".repeat(201) }, ["name too_big"]],
  [{ phone: "" }, ["phone invalid_phone"]],
  [{ email: "" }, ["email invalid_email"]],
  [{ whatsapp_id: "1", created_at: "x" }, [" unrecognized_keys"]],
])("the patch %o is refused", (body, issues) => {
  expect(issuesOf(contactPatchBody.safeParse(body))).toEqual(issues);
});

test("a list starts with the 50 newest unless the query says otherwise; unknown parameters are ignored", () => {
  expect(contactListQuery.parse({})).toEqual({ limit: 50, offset: 0 });
  expect(
    contactListQuery.parse({ search: " ana ", limit: "100", offset: "250", page: "2" }),
  ).toEqual({ search: "ana", limit: 100, offset: 250 });
  expect(contactListQuery.parse({ search: "" })).toEqual({ limit: 50, offset: 0 });
  expect(contactListQuery.parse({ search: "x".repeat(100) }).search).toHaveLength(100);
});

test.each([
  ...["0", "101", "-1", "1.5", "1e1", "0x10", " 5", "", "abc", "١", "9".repeat(20), ["1", "2"]].map(
    (limit) => [{ limit }, "limit"] as const,
  ),
  ...["-1", "1.5", "abc", "", ["1", "2"]].map((offset) => [{ offset }, "offset"] as const),
  [{ search: "x".repeat(255) }, "search"] as const,
  [{ search: ["a", "b"] }, "search"] as const,
])("the query %o is refused", (query, path) => {
  const parsed = contactListQuery.safeParse(query);
  expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
});

test("a contact is shown with exactly the contract's eight fields, null only in three", () => {
  const view = {
    id: 8841,
    name: "Ana Torres",
    phone: "5215512345678",
    email: "ana@example.com",
    whatsapp_id: "5215512345678",
    tags: ["vip"],
    created_at: "2026-03-02T14:05:11.198Z",
    updated_at: "2026-03-02T14:05:11.198Z",
  };
  expect(Object.keys(contactView.shape)).toEqual(Object.keys(view));
  expect(contactView.parse(view)).toEqual(view);
  expect(contactView.safeParse({ ...view, source: "api" }).success).toBe(false);
  const nulls = Object.keys(view).filter(
    (field) => contactView.safeParse({ ...view, [field]: null }).success,
  );
  expect(nulls).toEqual(["phone", "email", "whatsapp_id"]);
});

const before: ContactFacts = {
  name: null,
  phone: "5215512345678",
  email: null,
  whatsapp_id: "5215512345678",
  instagram_id: null,
  facebook_id: null,
  tags: ["vip", "oro"],
};

test("a contact that did not change has no diff, whatever the order of its tags", () => {
  expect(diffContact(before, { ...before, tags: ["oro", "vip"] })).toEqual({
    changed_fields: [],
    previous_values: {},
  });
});

test("a diff names the changed fields sorted, with what they held before", () => {
  const after: ContactFacts = {
    name: "Ana",
    phone: null,
    email: "ana@example.com",
    whatsapp_id: null,
    instagram_id: "178",
    facebook_id: "99",
    tags: ["vip"],
  };
  expect(diffContact(before, after)).toEqual({
    changed_fields: [...changedFields],
    previous_values: {
      email: null,
      facebook_id: null,
      instagram_id: null,
      name: null,
      phone: "5215512345678",
      tags: ["vip", "oro"],
      whatsapp_id: "5215512345678",
    },
  });
  expect(changedFields.toSorted()).toEqual([...changedFields]);
});

test("another tag in place of one is a change", () => {
  expect(diffContact(before, { ...before, tags: ["vip", "plata"] })).toEqual({
    changed_fields: ["tags"],
    previous_values: { tags: ["vip", "oro"] },
  });
});

test("a diff holds what changed and nothing else", () => {
  expect(diffContact(before, { ...before, name: "Ana", tags: ["vip", "oro", "nueva"] })).toEqual({
    changed_fields: ["name", "tags"],
    previous_values: { name: null, tags: ["vip", "oro"] },
  });
});

function issuesOf(parsed: z.ZodSafeParseResult<unknown>): string[] {
  return (parsed.error?.issues ?? []).map((issue) => {
    const code: unknown = issue.code === "custom" ? issue.params?.["code"] : issue.code;
    return `${issue.path.join(".")} ${typeof code === "string" ? code : "none"}`;
  });
}
