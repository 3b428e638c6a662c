import { Anchor } from "@mantine/core";
import { useMemo } from "react";
import { splitLinks } from "../lib/linkify.ts";

/** A text whose URLs open in a tab of their own, which learns nothing of this page. */
export function LinkedText({ text }: { text: string }) {
  const parts = useMemo(() => splitLinks(text), [text]);
  return parts.map(({ text: part, href }, index) =>
    href === null ? (
      part
    ) : (
      <Anchor
        key={index}
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
