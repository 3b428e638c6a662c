import { z } from "zod";

/** Currencies by their ISO 4217 codes, in alphabetical order. */
export const currencies: readonly string[] = Intl.supportedValuesOf("currency");

/** A currency in a body. */
export const currencyInput = z
  .string()
  .refine((code) => currencies.includes(code), "Use a currency of ISO 4217, such as MXN.")
  .meta({ example: "MXN" });

/** Highest amount of one card, in minor units. A column of 90,000 such cards still adds exactly. */
export const maxAmount = 99_999_999_999;

const amountHint = `Use a whole number of minor units, from 0 to ${maxAmount}.`;

/** A sum of money in a body. */
export const moneyInput = z.strictObject({
  amount: z
    .int(amountHint)
    .min(0, amountHint)
    .max(maxAmount, amountHint)
    .describe("In minor units: 12950 is 129.50 in a currency with two decimals."),
  currency: currencyInput,
});

/** A sum of money: minor units of a currency. */
export const moneyView = z.strictObject({ amount: z.int().min(0), currency: z.string() });
export type Money = z.output<typeof moneyView>;
