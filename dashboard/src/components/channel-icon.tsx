import {
  IconBrandInstagram,
  IconBrandMessenger,
  IconBrandWhatsapp,
  IconWorld,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { RestChannel } from "../../../core/model/channels.ts";

const icons: Record<RestChannel, Icon> = {
  whatsapp: IconBrandWhatsapp,
  instagram: IconBrandInstagram,
  facebook: IconBrandMessenger,
  web: IconWorld,
};

/** Icon of a channel, with its name for screen readers. */
export function ChannelIcon({ channel, size = 16 }: { channel: RestChannel; size?: number }) {
  const { t } = useTranslation();
  const Picture = icons[channel];
  return <Picture size={size} stroke={1.6} role="img" aria-label={t(`channel.${channel}`)} />;
}
