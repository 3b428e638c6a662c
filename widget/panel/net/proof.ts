/** A challenge of the API, in the form of ALTCHA. */
interface Challenge {
  algorithm: string;
  challenge: string;
  salt: string;
  signature: string;
  maxnumber: number;
}

/** Numbers that are tried at once. */
const batch = 200;

/**
 * Finds the number whose SHA-256 behind the salt is the challenge.
 * @param details of the answer 428
 * @returns the proof as the API takes it
 * @throws Error where no number fits
 */
export async function prove(details: unknown): Promise<string> {
  const { algorithm, challenge, salt, signature, maxnumber } = details as Challenge;
  const encoder = new TextEncoder();
  for (let from = 0; from <= maxnumber; from += batch) {
    const numbers = Array.from(
      { length: Math.min(batch, maxnumber - from + 1) },
      (_, at) => from + at,
    );
    const hashes = await Promise.all(
      numbers.map(async (number) =>
        hex(await crypto.subtle.digest("SHA-256", encoder.encode(salt + number))),
      ),
    );
    const at = hashes.indexOf(challenge);
    if (at === -1) continue;
    return btoa(JSON.stringify({ algorithm, challenge, number: from + at, salt, signature }));
  }
  throw new Error("no_proof");
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
