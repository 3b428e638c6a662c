import { useMemo } from "preact/hooks";
import { splitLinks, tokenize, type Block, type Inline } from "./tokenize.ts";

/** A text of the company: the small part of Markdown. */
export function RichText({ text }: { text: string }) {
  const blocks = useMemo(() => tokenize(text), [text]);
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
}

/** A text of the visitor: plain, with links. */
export function PlainText({ text }: { text: string }) {
  const inlines = useMemo(() => splitLinks(text), [text]);
  return <p>{inlines.map(drawInline)}</p>;
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "paragraph":
      return <p>{block.children.map(drawInline)}</p>;
    case "code":
      return (
        // A long line scrolls, so the keyboard must reach it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "list": {
      const items = block.items.map((inlines, index) => (
        <li key={index}>{inlines.map(drawInline)}</li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
  }
}

function drawInline(inline: Inline, index: number) {
  switch (inline.kind) {
    case "text":
      return inline.text;
    case "break":
      return <br key={index} />;
    case "code":
      return <code key={index}>{inline.text}</code>;
    case "bold":
      return <strong key={index}>{inline.children.map(drawInline)}</strong>;
    case "italic":
      return <em key={index}>{inline.children.map(drawInline)}</em>;
    case "link":
      return (
        <a
          key={index}
          href={inline.href}
          title={inline.href}
          target="_blank"
          rel="noopener nofollow ugc"
        >
          {inline.text}
        </a>
      );
  }
}
