import { Parser } from "htmlparser2";
import { faqPairs } from "./json-ld.ts";
import { pairsOfLines, squeeze, tidyPairs, type Line, type Pair } from "./pairs.ts";

/** Elements without text for a customer, or with the same text on every page. */
const skipped = new Set(
  "script style noscript template svg nav footer aside form button select textarea iframe".split(
    " ",
  ),
);
/** Elements that name the text below them. */
const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt"]);
/** Elements that begin a line. */
const blocks = new Set(
  "p div section article main header ul ol li dl dd table tr details blockquote pre br hr figure address".split(
    " ",
  ),
);
/** Deeper pages are made to cost time: the parser looks through its open elements. */
const maxDepth = 500;

/** A page with deeper elements than a person writes. */
export class DeepPageError extends Error {
  override readonly name = "DeepPageError";
}

/**
 * Questions and answers of an HTML page: those of a FAQPage in JSON-LD, then the headings with the
 * text below.
 * @throws DeepPageError
 */
export function pairsOfHtml(html: string): Pair[] {
  const { lines, title, scripts } = readHtml(html);
  const listed = scripts.flatMap(faqPairs).map(({ question, answer }) => ({
    question: textOfHtml(question),
    answer: textOfHtml(answer),
  }));
  return tidyPairs([...listed, ...pairsOfLines(lines, title)]);
}

function textOfHtml(html: string): string {
  return readHtml(html)
    .lines.map(({ text }) => text)
    .join("\n");
}

interface HtmlText {
  lines: Line[];
  title: string;
  /** Texts of JSON-LD. */
  scripts: string[];
}

function readHtml(html: string): HtmlText {
  const read: HtmlText = { lines: [], title: "", scripts: [] };
  let line = "";
  let script: string | null = null;
  let depth = 0;
  /** Depth of the outermost skipped element, title or heading; 0 outside. */
  let skippedAt = 0;
  let titleAt = 0;
  let headingAt = 0;
  const endLine = (isHeading: boolean): void => {
    const text = squeeze(line);
    line = "";
    if (text !== "") read.lines.push({ text, isHeading });
  };
  const parser = new Parser({
    onopentag(name, { type }) {
      depth += 1;
      if (depth > maxDepth) throw new DeepPageError();
      if (name === "script" && type === "application/ld+json") script = "";
      if (skippedAt > 0) return;
      if (skipped.has(name)) skippedAt = depth;
      else if (name === "title") titleAt = depth;
      else if (headingAt > 0) line += blocks.has(name) ? " " : "";
      else if (headings.has(name)) {
        endLine(false);
        headingAt = depth;
      } else if (blocks.has(name)) {
        endLine(false);
        if (name === "li") line = "- ";
      } else if (name === "td" || name === "th") line += " ";
    },
    ontext(text) {
      if (script !== null) script += text;
      else if (skippedAt > 0) return;
      else if (titleAt > 0) read.title += text;
      else line += text;
    },
    onclosetag(name) {
      if (script !== null) read.scripts.push(script);
      script = null;
      if (depth === headingAt) {
        endLine(true);
        headingAt = 0;
      } else if (blocks.has(name) && headingAt === 0 && skippedAt === 0) endLine(false);
      if (depth === skippedAt) skippedAt = 0;
      if (depth === titleAt) titleAt = 0;
      depth -= 1;
    },
  });
  parser.end(html);
  endLine(false);
  read.lines = read.lines.filter(({ text }) => text !== "-");
  return { ...read, title: squeeze(read.title) };
}
