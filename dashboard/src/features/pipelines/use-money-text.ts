import { useQuery } from "@tanstack/react-query";
import type { Money } from "../../../../core/model/money.ts";
import { accountQuery } from "../../lib/account.ts";
import { moneyText } from "../../lib/money.ts";

/** Currency that the account proposes; undefined while the account is loading. */
export function useOwnCurrency(): string | undefined {
  return useQuery(accountQuery).data?.settings.currency;
}

/** Function that writes sums of money: `$2,400 + EUR 90`. */
export function useMoneyText(): (sums: Money[]) => string {
  const own = useOwnCurrency() ?? "";
  return (sums) => sums.map((one) => moneyText(one, own)).join(" + ");
}
