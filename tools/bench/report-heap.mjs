/**
 * Loaded into a worker beside its own code. On SIGUSR2 it collects garbage and writes the used
 * bytes of its heap to the file HEAP_FILE. It is no TypeScript: the worker's threads load it too,
 * and only the main thread has a loader for TypeScript.
 */
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc");

process.on("SIGUSR2", () => {
  const file = process.env["HEAP_FILE"] ?? "";
  // Objects that one collection finalizes are freed by the next.
  for (let times = 0; times < 3; times += 1) collect();
  writeFileSync(`${file}.part`, String(process.memoryUsage().heapUsed));
  renameSync(`${file}.part`, file);
});
