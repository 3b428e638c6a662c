import { useTranslation } from "react-i18next";
import type { Turn } from "../../lib/agent-turns.ts";
import { Status } from "../status.tsx";
import { outcomeTones } from "./turn-words.ts";

/** Outcome of a turn; an open turn is still at its answer. */
export function TurnStatus({ outcome }: Pick<Turn, "outcome">) {
  const { t } = useTranslation();
  const tone = outcome === null ? "info" : outcomeTones[outcome];
  return <Status tone={tone}>{t(`turns.outcome.${outcome ?? "open"}`)}</Status>;
}
