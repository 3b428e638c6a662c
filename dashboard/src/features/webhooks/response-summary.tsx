import { useTranslation } from "react-i18next";
import { tookText } from "../../lib/time.ts";
import { errorWords, type Answer } from "./answer.ts";

/** Status or error, with the duration: `500 in 312 ms`. */
export function ResponseSummary({ answer }: { answer: Answer & { duration_ms: number } }) {
  const { t } = useTranslation();
  const time = tookText(answer.duration_ms);
  return <>{t("deliveries.outcome", { answer: errorWords(answer), time })}</>;
}
