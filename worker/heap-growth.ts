import { setFlagsFromString } from "node:v8";

/** Garbage that a heap may hold, in percent of what the last collection left in it. */
const growthPercent = 50;

/**
 * Limits the garbage in the heaps of this process: its own, and those of Temporal's threads, which
 * share its flags. On a machine with much memory V8 lets a heap grow to four times what is in use
 * before it collects, where many objects get old. The rows of an import do, and so do runs of a flood.
 * Workers grew by 260 MB then.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
