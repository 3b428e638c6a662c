import { Anchor } from "@mantine/core";
import { useMemo } from "react";
import { splitLinks } from "../lib/linkify.ts";

/** A text whose URLs open in a new tab. The new tab gets neither the opener nor the referrer. */
export function LinkedText({ text }: { text: string }) {
  const parts = useMemo(() => splitLinks(text), [text]);
  return parts.map(({ text: part, href }, index) =>
    href === null ? (
      part
    ) : (
      <Anchor
        key={index}
        // On a phone a link inside a text is no higher than its line.
        data-inline
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        c="inherit"
        underline="always"
      >
        {part}
      </Anchor>
    ),
  );
}
