import { CsvError, parse } from "csv-parse/sync";
import {
  pairsOfLines,
  squeeze,
  tidyPairs,
  type Line,
  type Pair,
  type SourceContent,
} from "./pairs.ts";

/** Heads of the two columns, which are no question with its answer. */
const heads = new Set(["question", "pregunta", "questions", "preguntas"]);

/** Questions and answers of a text file, by the end of its name; or the reason why there are none. */
export function pairsOfFile(name: string, content: string): SourceContent {
  const [, title = name, kind = ""] = /^(.*)\.(txt|md|csv)$/iu.exec(name) ?? [];
  if (content.includes("\0")) return "not_text";
  switch (kind.toLowerCase()) {
    case "csv":
      return pairsOfCsv(content);
    case "md":
      return pairsOfLines(linesOfMarkdown(content), title);
    case "txt":
      return pairsOfText(content, title);
    default:
      return "unknown_kind";
  }
}

/** Questions and answers of plain text. */
export function pairsOfText(content: string, title: string): Pair[] {
  const lines = linesOf(content).map((text) => ({ text, isHeading: false }));
  return pairsOfLines(lines, title);
}

function linesOf(content: string): string[] {
  return content
    .split(/\r\n|\r|\n/u)
    .map(squeeze)
    .filter((text) => text !== "");
}

function linesOfMarkdown(content: string): Line[] {
  return linesOf(content).flatMap((text) => {
    // A line below a heading, a rule or a fence.
    if (/^(?:=+|-{3,}|\*{3,}|`{3,}\w*)$/u.test(text)) return [];
    const [, marks, heading] = /^(#{1,6}) +(.+)$/u.exec(text) ?? [];
    return [{ text: plain(heading ?? text), isHeading: marks !== undefined }];
  });
}

/** Links, images and emphasis of Markdown as plain text. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^[\]]{0,500})\]\(([^()\s]{0,500})\)/gu, "$1 ($2)")
    .replaceAll(/(\*\*|__|`)/gu, "")
    .replace(/ +#+$/u, "");
}

function pairsOfCsv(content: string): SourceContent {
  try {
    const rows = parse(content, {
      bom: true,
      delimiter: delimiterOf(content),
      relax_column_count: true,
      skip_empty_lines: true,
    });
    const first = squeeze(rows[0]?.[0] ?? "").toLowerCase();
    const body = heads.has(first) ? rows.slice(1) : rows;
    if (body.some((row) => row.length < 2)) return "not_two_columns";
    return tidyPairs(body.map(([question = "", answer = ""]) => ({ question, answer })));
  } catch (error) {
    if (error instanceof CsvError) return "not_csv";
    throw error;
  }
}

/** A table program writes commas, semicolons or tabs, by its language. */
function delimiterOf(content: string): string {
  const [line = ""] = content.split(/\r?\n/u, 1);
  const bare = line.replaceAll(/"[^"]*"/gu, "");
  const counts = [",", ";", "\t"].map((mark): [string, number] => [mark, bare.split(mark).length]);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
