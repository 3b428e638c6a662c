import { useMutation } from "@tanstack/react-query";
import { IconMail } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { callApi } from "../../lib/api.ts";
import { tellFailure } from "../../lib/notify.ts";
import { usePageAction } from "../../lib/page-actions.ts";
import { paths } from "../../paths.ts";
import { useConversationKeys } from "./selection.ts";

/**
 * Key and palette entry that mark the open conversation as unread. The conversation closes by that:
 * while it is open, it would be read at once.
 */
export function useMarkUnread(id: number): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search } = useLocation();
  const mark = useMutation({
    mutationFn: async () => await callApi("POST /conversations/:id/unread", { id }),
    onError: (error) => tellFailure(t("inbox.not_changed"), error),
  });
  const run = (): void => {
    void navigate({ pathname: paths.inbox, search });
    mark.mutate();
  };
  useConversationKeys({ u: run });
  usePageAction({ id: "unread", label: t("inbox.mark_unread"), icon: IconMail, run });
}
