import { expect, test } from "vitest";
import { phoneText, phoneUrl } from "../../dashboard/src/lib/phone.ts";

test.each([
  ["525512345678", "+52 55 1234 5678"],
  ["5215512345678", "+52 55 1234 5678"],
  ["522221234567", "+52 222 123 4567"],
  ["573102000000", "+57 310 200 0000"],
  ["14155550123", "+1 415 555 0123"],
  ["34612345678", "+34 612 345 678"],
  ["5491123456789", "+54 9 11 2345 6789"],
  ["5511912345678", "+55 11 91234 5678"],
  ["50212345678", "+502 1234 5678"],
  ["351912345678", "+351 912 345 678"],
  ["12345678", "+1 234 5678"],
])("the phone %s reads %s", (digits, text) => {
  expect(phoneText(digits)).toBe(text);
});

test("every digit of a phone is shown, whatever its length", () => {
  for (let length = 8; length <= 15; length += 1) {
    const digits = "998877665544332".slice(0, length);
    expect(phoneText(digits).replaceAll(/\D/g, "")).toBe(digits);
  }
});

test("a Mexican mobile is dialled without the 1 that WhatsApp writes", () => {
  expect(phoneUrl("5215512345678")).toBe("tel:+525512345678");
});
