import { cpus, totalmem } from "node:os";

/** Prints the figures of one run as a table of description, figure and note. */
export function printTable(rows: string[][]): void {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
  console.log(`\nMeasured in one run on ${machine}; everything on this one machine.\n`);
  console.log("| what | figure | |\n|---|---|---|");
  for (const [what, figure, note = ""] of rows) console.log(`| ${what} | ${figure} | ${note} |`);
}

/** A figure as a share of its base. */
export function ratioOf(figure: number, base: number): string {
  return `${(figure / base).toFixed(2)} of it`;
}

/** Duration in ms, for people. */
export function inMs(value: number): string {
  return `${value.toFixed(0)} ms`;
}
