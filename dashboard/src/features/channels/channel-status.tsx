import { useTranslation } from "react-i18next";
import { Status } from "../../components/status.tsx";
import type { Channel } from "./api.ts";
import { stateTones } from "../../lib/channel-words.ts";

/** State of a channel as a dot and a word. */
export function ChannelStatus({ channel: { state } }: { channel: Channel }) {
  const { t } = useTranslation();
  return <Status tone={stateTones[state]}>{t(`channels.state.${state}`)}</Status>;
}
