import { useTranslation } from "react-i18next";
import { Status, type Tone } from "../../components/status.tsx";
import type { Import } from "./api.ts";

/** Only an import that waits for a person has a tint. */
const tones: Record<Import["state"], Tone> = {
  uploaded: "info",
  mapping: "warn",
  planning: "info",
  planned: "warn",
  committing: "info",
  paused: "gray",
  done: "ok",
  cancelled: "gray",
  failed: "bad",
  undoing: "info",
  undone: "gray",
};

/** Facts of an import that its state is told from. */
export type StatusFacts = Pick<Import, "state" | "is_waiting" | "error">;

/** State of an import. */
export function ImportStatus({ state, is_waiting: isWaiting, error }: StatusFacts) {
  const { t } = useTranslation();
  const isExpired = error?.code === "import_expired";
  if (isExpired) return <Status tone="gray">{t("imports.states.expired")}</Status>;
  if (isWaiting) return <Status tone="info">{t("imports.states.waiting")}</Status>;
  return <Status tone={tones[state]}>{t(`imports.states.${state}`)}</Status>;
}
