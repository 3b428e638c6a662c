import i18next from "i18next";
import type { Money } from "../../../core/model/money.ts";

/** Decimals of a currency: 2 for MXN, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits ?? 2;
}

/** The amount in units of its currency: 129.5 for 12950 minor units of MXN. */
export function unitsOf({ amount, currency }: Money): number {
  return amount / 10 ** decimalsOf(currency);
}

/**
 * `$2,400` in the account's own currency, `EUR 2,400` in any other. Several currencies may share a
 * sign.
 */
export function moneyText(money: Money, ownCurrency: string): string {
  const units = unitsOf(money);
  const { currency } = money;
  const format = new Intl.NumberFormat(i18next.language === "es" ? "es-MX" : "en-US", {
    style: "currency",
    currency,
    currencyDisplay: currency === ownCurrency ? "narrowSymbol" : "code",
    minimumFractionDigits: Number.isInteger(units) ? 0 : decimalsOf(currency),
  });
  return format.format(units);
}

/** Cost of models, in millionths of the account's currency: `$0.0021`. */
export function costText(micros: number, currency: string): string {
  const format = new Intl.NumberFormat(i18next.language === "es" ? "es-MX" : "en-US", {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: 4,
  });
  return format.format(micros / 1_000_000);
}
