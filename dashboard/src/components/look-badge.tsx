import { Badge } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";

/** What a state looks like. */
export interface Look {
  color: string;
  icon: Icon;
}

/** A state in a colour, an icon and a word. */
export function LookBadge({ look: { color, icon: Picture }, word }: { look: Look; word: string }) {
  return (
    <Badge color={color} leftSection={<Picture size={12} aria-hidden />}>
      {word}
    </Badge>
  );
}
