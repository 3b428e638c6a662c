import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
}

const leastShare = 0.02;

/**
 * Where the CPU of each process went, by package or folder of ours, from the profiles that Node wrote
 * into `folder` at the end of each process: the share of the time in which it was not idle.
 */
export function describeProfiles(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => `${name}\n${describeProfile(join(folder, name))}`)
    .join("\n");
}

function describeProfile(file: string): string {
  const profile = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const spent = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of profile.samples.entries()) {
    const place = places.get(id) ?? "?";
    if (place === "(idle)") continue;
    const ms = (profile.timeDeltas[index] ?? 0) / 1_000;
    busy += ms;
    spent.set(place, (spent.get(place) ?? 0) + ms);
  }
  const shares = [...spent].map(([place, ms]) => ({ place, share: ms / busy }));
  const lines = shares
    .filter(({ share }) => share >= leastShare)
    .toSorted((a, b) => b.share - a.share)
    .map(({ place, share }) => `  ${(share * 100).toFixed(0).padStart(3)} % ${place}`);
  return [`  ${(busy / 1_000).toFixed(1)} s busy`, ...lines].join("\n");
}

/** The package, our own folder, Node itself, or what V8 did. */
function placeOf({ functionName, url }: { functionName: string; url: string }): string {
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage !== undefined) return inPackage;
  if (url.startsWith("node:")) return "node";
  if (url === "") return functionName.startsWith("(") ? functionName : "node, native";
  const own = /\/((?:api|core|db|activities|worker|workflows)\/.*)$/.exec(url)?.[1];
  return own?.split("/").slice(0, -1).join("/") ?? url;
}
