/**
 * Loaded into a worker beside its own code: on SIGUSR2 it collects garbage and writes how many bytes of
 * its heap are in use to the file that HEAP_FILE names. No TypeScript, since the worker's threads load
 * it too, and only the main one has a loader for that.
 */
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc");

process.on("SIGUSR2", () => {
  const file = process.env["HEAP_FILE"] ?? "";
  // What a first collection finalizes is freed by the next.
  for (let times = 0; times < 3; times += 1) collect();
  writeFileSync(`${file}.part`, String(process.memoryUsage().heapUsed));
  renameSync(`${file}.part`, file);
});
