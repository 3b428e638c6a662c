import { Alert, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { canSign, fingerprint } from "./signing.ts";

interface CompareBytesProps {
  /** Length of the received body in bytes. */
  bytes: number;
  sha256: string;
}

type Compared = { same: true } | { same: false; bytes: number };

/**
 * Compares the bytes that a sender signed with the received ones. The text never leaves this
 * browser.
 */
export function CompareBytes({ bytes, sha256 }: CompareBytesProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [compared, setCompared] = useState<Compared | null>(null);
  if (!canSign()) return null;
  const compare = async (pasted: string): Promise<void> => {
    setText(pasted);
    if (pasted === "") return setCompared(null);
    const own = await fingerprint(pasted);
    setCompared(own.sha256 === sha256 ? { same: true } : { same: false, bytes: own.bytes });
  };
  return (
    <Stack gap="xs">
      <Textarea
        label={t("inbound.compare")}
        description={t("inbound.compare_text")}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        onChange={(event) => void compare(event.currentTarget.value)}
      />
      {compared !== null && (
        <Alert color={compared.same ? "ok" : "warn"} role="status">
          {compared.same
            ? t("inbound.same_bytes")
            : t("inbound.other_bytes", { own: compared.bytes, came: bytes })}
        </Alert>
      )}
    </Stack>
  );
}
