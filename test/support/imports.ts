import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { repositoryRoot } from "../../dev/local.ts";

/** One import or re-export as it stands in a file. */
export interface Import {
  file: string;
  /** A path from the root for our own files, else the package's name. */
  target: string;
  typeOnly: boolean;
}

/** Paths of the TypeScript files below a folder, from the root and with `/`. */
export function listSources(folder: string): string[] {
  return readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => slashed(join(folder, name)));
}

/** Imports and re-exports of a file, `import()` too. */
export function importsOf(file: string): Import[] {
  const statements = readSource(file).matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s)?"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...statements].map(([, typeOnly, plain, dynamic]) => {
    const specifier = plain ?? dynamic ?? "";
    const target = specifier.startsWith(".") ? slashed(join(dirname(file), specifier)) : specifier;
    return { file, target, typeOnly: typeOnly !== undefined };
  });
}

/** Text of a file, whose path is from the root. */
export function readSource(file: string): string {
  return readFileSync(join(repositoryRoot, file), "utf8");
}

/** A path from the root with `/`, as imports have it. */
export function fromRoot(path: string): string {
  return slashed(relative(repositoryRoot, path));
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}
