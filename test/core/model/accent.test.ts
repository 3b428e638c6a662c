import fc from "fast-check";
import { expect, test } from "vitest";
import { accentColours, contrastOf } from "../../../core/model/accent.ts";

const hex = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("every accent is readable in both themes: as a link, on its soft ground, and under words", () => {
  fc.assert(
    fc.property(hex, (chosen) => {
      const { light, dark } = accentColours(chosen);
      for (const [colours, panel] of [
        [light, "#ffffff"],
        [dark, "#17181c"],
      ] as const) {
        expect(contrastOf(colours.accent, panel)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(colours.accent, colours.soft)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(colours.accent, colours.onAccent)).toBeGreaterThanOrEqual(4.5);
      }
    }),
  );
});

test("a dark accent stays as chosen, a pale one becomes darker", () => {
  expect(accentColours("#0d6e68").light.accent).toBe("#0d6e68");
  expect(accentColours("#ffee00").light.accent).not.toBe("#ffee00");
  expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
