import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
}

const leastShare = 0.02;

/**
 * Shares of CPU time per process, by package or folder of ours. Node wrote the profiles into the
 * subfolders of `folder` at the end of each process. Only the busiest thread of a process counts,
 * and only the time in which it was not idle.
 */
export function describeProfiles(folder: string): string {
  const processes = readdirSync(folder).map((name) => {
    const threads = readdirSync(join(folder, name)).map((file) => join(folder, name, file));
    const [busiest] = threads.map(readProfile).toSorted((a, b) => b.busyMs - a.busyMs);
    return busiest === undefined ? name : `${name}\n${describeProfile(busiest)}`;
  });
  return processes.join("\n");
}

interface Spent {
  busyMs: number;
  /** CPU time in ms by place. */
  places: Map<string, number>;
}

function readProfile(file: string): Spent {
  const profile = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const placeById = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const places = new Map<string, number>();
  let busyMs = 0;
  for (const [index, id] of profile.samples.entries()) {
    const place = placeById.get(id) ?? "?";
    if (place === "(idle)") continue;
    const ms = (profile.timeDeltas[index] ?? 0) / 1_000;
    busyMs += ms;
    places.set(place, (places.get(place) ?? 0) + ms);
  }
  return { busyMs, places };
}

function describeProfile({ busyMs, places }: Spent): string {
  const lines = [...places]
    .map(([place, ms]) => ({ place, share: ms / busyMs }))
    .filter(({ share }) => share >= leastShare)
    .toSorted((a, b) => b.share - a.share)
    .map(({ place, share }) => `  ${(share * 100).toFixed(0).padStart(3)} % ${place}`);
  return [`  ${(busyMs / 1_000).toFixed(1)} s busy`, ...lines].join("\n");
}

/** Place of a frame: a package, our own folder, Node itself, or work of V8. */
function placeOf({ functionName, url }: { functionName: string; url: string }): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage !== undefined) return inPackage;
  if (url.startsWith("node:")) return "node";
  if (url === "") return functionName.startsWith("(") ? functionName : "node, native";
  const own = /\/((?:api|core|db|activities|worker|workflows)\/.*)$/.exec(url)?.[1];
  return own?.split("/").slice(0, -1).join("/") ?? url;
}
