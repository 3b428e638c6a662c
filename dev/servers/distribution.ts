import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Source of packages: `own` fits the libraries of this system. `newest` has the newest packages,
 * which bring every library along. Debian's releases have no MySQL; its suite sid has one.
 */
export type Suite = "own" | "newest";

/** Lines of a sources.list by suite, and the keyring that signs these sources. */
export type Distribution = { sources: Record<Suite, string>; keyring: string };

/** Package sources of this Debian or Ubuntu; null on any other system. */
export function readDistribution(): Distribution | null {
  if (!existsSync("/etc/os-release")) return null;
  const release = readFileSync("/etc/os-release", "utf8");
  const field = (name: string): string => {
    return new RegExp(`^${name}="?([^"\n]*)`, "m").exec(release)?.[1] ?? "";
  };
  if (field("ID") === "debian") {
    const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    const line = (suite: string): string => `deb ${mirror("debian")} ${suite} main\n`;
    const own = line(field("VERSION_CODENAME") || "sid");
    return { keyring, sources: { own, newest: line("sid") } };
  }
  if (field("ID") !== "ubuntu") return null;
  const suite = field("VERSION_CODENAME");
  const place = mirror(process.arch === "x64" ? "ubuntu" : "ubuntu-ports");
  const suites = [suite, `${suite}-updates`, `${suite}-security`];
  const source = suites.map((one) => `deb ${place} ${one} main universe\n`).join("");
  const keyring = "/usr/share/keyrings/ubuntu-archive-keyring.gpg";
  return { keyring, sources: { own: source, newest: source } };
}

/** The mirror that this system already uses. A proxy or firewall surely lets it through. */
function mirror(folder: string): string {
  const known = {
    debian: "http://deb.debian.org/debian",
    ubuntu: "http://archive.ubuntu.com/ubuntu",
  };
  const lists = ["/etc/apt/sources.list"];
  const parts = "/etc/apt/sources.list.d";
  if (existsSync(parts)) lists.push(...readdirSync(parts).map((name) => join(parts, name)));
  for (const list of lists.filter((one) => existsSync(one))) {
    const pattern = new RegExp(`^(?:deb |URIs:).*?(https?://[^\\s]+/${folder})/?(?:\\s|$)`, "m");
    const found = pattern.exec(readFileSync(list, "utf8"))?.[1];
    if (found !== undefined) return found;
  }
  if (folder === "ubuntu-ports") return "http://ports.ubuntu.com/ubuntu-ports";
  return folder === "debian" ? known.debian : known.ubuntu;
}
