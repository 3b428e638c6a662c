import { Tooltip } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { callApi } from "../../lib/api.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { curlCommand } from "./curl.ts";

/** Copies the POST of a delivery as a command. The server signs it at the click. */
export function CurlButton({ deliveryId }: { deliveryId: number }) {
  const { t } = useTranslation();
  const copy = useMutation({
    mutationFn: async () => await copyCurl(deliveryId),
    onSuccess: () => tellDone(t("deliveries.curl_copied")),
    onError: (error) => tellFailure(t("deliveries.curl_failed"), error),
  });
  return (
    <Tooltip label={t("deliveries.curl_text")} multiline maw={260}>
      <PendingButton
        size="xs"
        variant="default"
        aria-label={t("deliveries.curl")}
        pending={copy.isPending}
        onClick={() => copy.mutate()}
      >
        cURL
      </PendingButton>
    </Tooltip>
  );
}

/**
 * The clipboard takes a promise, because some browsers refuse a copy that begins long after the
 * click.
 */
async function copyCurl(id: number): Promise<void> {
  const command = callApi("GET /deliveries/:id/signed-request", { id }).then(curlCommand);
  const item = new ClipboardItem({
    "text/plain": command.then((text) => new Blob([text], { type: "text/plain" })),
  });
  await Promise.all([command, navigator.clipboard.write([item])]);
}
