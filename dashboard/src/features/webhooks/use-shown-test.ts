import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { tellFailure } from "../../lib/notify.ts";
import { useSendTest } from "./api.ts";

/** Sends a test to a subscription and opens its delivery. */
export function useShownTest(subscriptionId: number) {
  const { t } = useTranslation();
  const [, setParams] = useSearchParams();
  const { mutate, isPending } = useSendTest(subscriptionId);
  const send = (): void => {
    if (isPending) return;
    mutate(undefined, {
      onSuccess: (deliveryId) => setParams({ delivery: String(deliveryId) }),
      onError: (error) => tellFailure(t("webhooks.not_sent"), error),
    });
  };
  return { send, isPending };
}
