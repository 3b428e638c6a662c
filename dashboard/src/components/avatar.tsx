import { IconUser } from "@tabler/icons-react";
import type { RestChannel } from "../../../core/model/channels.ts";
import { hueOf } from "../lib/hues.ts";
import styles from "./avatar.module.css";
import { ChannelDot } from "./channel-icon.tsx";

interface AvatarProps {
  /** Id of the contact or the user, for the hue. */
  id: number;
  name: string;
  /** Diameter in px. */
  size?: number;
  /** Channel at the corner. */
  channel?: RestChannel;
  /** True for a green dot at the corner: the person is online. */
  online?: boolean;
}

/** Initials of a person on a hue of their own. The name is always beside it, in words. */
export function Avatar({ id, name, size = 36, channel, online = false }: AvatarProps) {
  const letters = initialsOf(name);
  return (
    <span className={styles["avatar"]} style={sizes(size)} data-hue={hueOf(id)}>
      {letters === "" ? (
        <IconUser size={size / 2} aria-hidden />
      ) : (
        // Not part of the text, so that a copied row has the name alone.
        <i className={styles["initials"]} data-initials={letters} aria-hidden />
      )}
      {channel !== undefined && <ChannelDot channel={channel} />}
      {online && <i className={styles["presence"]} aria-hidden />}
    </span>
  );
}

function sizes(px: number) {
  return { width: px, height: px, fontSize: Math.max(9, Math.round(px * 0.36)) };
}

/** First letters of the first and the last word; empty for a phone or a symbol. */
function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => Array.from(word ?? "")[0]?.toLocaleUpperCase() ?? "").join("");
}
