import page from "../../../../docs/receiving-webhooks.md?raw";
import file from "../../../../docs/webhook-test-vectors.json";

/** Languages of the verification code. */
export const languages = ["js", "python", "php"] as const;
export type Language = (typeof languages)[number];

/** Deliveries with their secret and both signatures, to test a receiver. */
export const testVectors = file.vectors;
export type TestVector = (typeof testVectors)[number];

/**
 * Code that verifies both signatures. It is taken from the documentation, whose code a test runs.
 */
export function verificationCode(language: Language): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "mu");
  return block.exec(page)?.[1]?.trimEnd() ?? "";
}
