import { useTranslation } from "react-i18next";
import type { ConversationStatus as State } from "../../../core/model/conversation.ts";
import { Status, type Tone } from "./status.tsx";

const tones: Record<State, Tone> = {
  active: "ok",
  waiting: "gray",
  handed_off: "warn",
  resolved: "gray",
};

/** State of a conversation. */
export function ConversationStatus({ status }: { status: State }) {
  const { t } = useTranslation();
  return <Status tone={tones[status]}>{t(`status.${status}`)}</Status>;
}
