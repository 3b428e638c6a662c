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
