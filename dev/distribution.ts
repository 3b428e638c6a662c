import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Distribution = { source: string; keyring: string };

/**
 * Where this Debian or Ubuntu has its packages, as lines of a sources.list, and the keyring that
 * signs them; null on any other system. Debian's releases have no MySQL, its suite sid has.
 */
export function readDistribution(): Distribution | null {
  if (!existsSync("/etc/os-release")) return null;
  const release = readFileSync("/etc/os-release", "utf8");
  const field = (name: string): string => {
    return new RegExp(`^${name}="?([^"\n]*)`, "m").exec(release)?.[1] ?? "";
  };
  if (field("ID") === "debian") {
    const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    return { keyring, source: `deb ${mirror("debian")} sid main\n` };
  }
  if (field("ID") !== "ubuntu") return null;
  const suite = field("VERSION_CODENAME");
  const place = mirror(process.arch === "x64" ? "ubuntu" : "ubuntu-ports");
  const suites = [suite, `${suite}-updates`, `${suite}-security`];
  const source = suites.map((one) => `deb ${place} ${one} main universe\n`).join("");
  return { keyring: "/usr/share/keyrings/ubuntu-archive-keyring.gpg", source };
}

/** The mirror this system already uses, which a proxy or firewall surely lets through. */
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
