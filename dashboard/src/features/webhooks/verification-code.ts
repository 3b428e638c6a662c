import page from "../../../../docs/receiving-webhooks.md?raw";
import file from "../../../../docs/webhook-test-vectors.json";

/** Languages that the code to verify a signature is there in. */
export const languages = ["js", "python", "php"] as const;
export type Language = (typeof languages)[number];

/** Deliveries with their secret and both signatures, to test a receiver with. */
export const testVectors = file.vectors;
export type TestVector = (typeof testVectors)[number];

/** The code that verifies both signatures: the documentation's own, which a test runs. */
export function verificationCode(language: Language): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "mu");
  return block.exec(page)?.[1]?.trimEnd() ?? "";
}
