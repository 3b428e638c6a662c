import type { Tx } from "../../../db/transaction.ts";
import { localTimeOf, midnightOf, momentAt } from "../../agent/local-time.ts";
import { invalidField } from "../../errors.ts";
import { getAccount } from "../accounts/accounts.ts";

/** Most days of a report. */
const maxDays = 90;

/** The days of a report in the account's time zone, each with its midnight. */
export interface ReportDays {
  days: { day: string; startsAt: Date }[];
  from: Date;
  /** Midnight after the last day. */
  until: Date;
}

/** @throws AppError `validation_error` where the days are not 1 to 90 in order. */
export async function readReportDays(
  tx: Tx,
  { from, to }: { from: string; to: string },
): Promise<ReportDays> {
  const { timeZone } = await getAccount(tx);
  // By noon, which every day has: a change of the clock may skip a midnight.
  const noon = momentAt(from, "12:00", timeZone);
  if (noon === null || to < from) {
    throw invalidField("query.to", "invalid_range", "The last day comes after the first one.");
  }
  const days: ReportDays["days"] = [];
  for (let index = 0; ; index += 1) {
    const startsAt = midnightOf(noon, timeZone, index);
    const { day } = localTimeOf(startsAt, timeZone);
    if (day > to) return { days, from: days[0]?.startsAt ?? startsAt, until: startsAt };
    if (index === maxDays) {
      throw invalidField("query.to", "too_many_days", `Use at most ${maxDays} days.`);
    }
    days.push({ day, startsAt });
  }
}
