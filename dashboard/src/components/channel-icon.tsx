import {
  IconBrandInstagram,
  IconBrandMessenger,
  IconBrandWhatsapp,
  IconWorld,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { RestChannel } from "../../../core/model/channels.ts";
import styles from "./avatar.module.css";

const icons: Record<RestChannel, Icon> = {
  whatsapp: IconBrandWhatsapp,
  instagram: IconBrandInstagram,
  facebook: IconBrandMessenger,
  web: IconWorld,
};

interface ChannelProps {
  channel: RestChannel;
}

/** Icon of a channel on its colour, with its name for screen readers. */
export function ChannelIcon({ channel }: ChannelProps) {
  return <Glyph channel={channel} className={`${styles["channel"]} ${styles["alone"]}`} />;
}

/** The same at the corner of an avatar. */
export function ChannelDot({ channel }: ChannelProps) {
  return <Glyph channel={channel} className={styles["channel"] ?? ""} />;
}

function Glyph({ channel, className }: ChannelProps & { className: string }) {
  const { t } = useTranslation();
  const Picture = icons[channel];
  return (
    <span className={className} data-channel={channel}>
      <Picture size={11} stroke={2.1} role="img" aria-label={t(`channel.${channel}`)} />
    </span>
  );
}
