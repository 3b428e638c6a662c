import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** One Markdown file of the repository. */
export interface Page {
  /** Path from the root. */
  path: string;
  text: string;
}

/** Reads every page that people read: those at the root, and all of `docs/`. */
export function readPages(): Page[] {
  const paths = [
    ...readdirSync(root),
    ...readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).map(
      (name) => `docs/${name}`,
    ),
  ];
  return paths
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path, text: readFileSync(`${root}${path}`, "utf8") }));
}

/** Blanks fenced code, so that the other lines keep their number. */
export function withoutFences(text: string): string {
  return text.replace(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gmu, (block) =>
    block.replaceAll(/[^\n]/gu, ""),
  );
}

/** Targets of the links and images of a page, but for those of other sites. */
export function listRelativeLinks(text: string): string[] {
  const plain = withoutFences(text).replaceAll(/`[^`]*`/gu, "CODE");
  return [...plain.matchAll(/\]\(([^)\s]+)\)/gu)]
    .map(([, target]) => target ?? "")
    .filter((target) => !/^[a-z][a-z+.-]*:/iu.test(target));
}

/** The anchors of a page, as GitHub makes them from its headings. */
export function listAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gmu)].map(([, heading = ""]) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/gu, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Paths from the root that a page names as code; a path with a placeholder such as `<noun>` is none. */
export function listPaths(text: string): string[] {
  const folders = "activities|api|core|dashboard|db|dev|docs|test|worker|workflows";
  const path = new RegExp(`^(?:${folders})/[\\w./-]*$`, "u");
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/gu)]
    .map(([, code]) => code ?? "")
    .filter((code) => path.test(code));
}
