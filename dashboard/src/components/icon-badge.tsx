import { Badge } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";

/** Colour and icon of a state. */
export interface BadgeLook {
  color: string;
  icon: Icon;
}

/** Badge with a colour, an icon and a word. */
export function IconBadge({
  look: { color, icon: Picture },
  word,
}: {
  look: BadgeLook;
  word: string;
}) {
  return (
    <Badge color={color} leftSection={<Picture size={12} aria-hidden />}>
      {word}
    </Badge>
  );
}
