import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { maxBulk } from "../../../../core/model/inbox-queue.ts";
import { callApi } from "../../lib/api.ts";
import { placeChanged, type InboxRow } from "../../lib/inbox-queue.ts";
import { tellFailure } from "../../lib/notify.ts";
import { paths } from "../../paths.ts";
import type { Results, RowAction, Run } from "./bulk-result.ts";

/** The page comes without this code, which is needed after the first action. */
const loadResult = async () => await import("./bulk-result.ts");

/** Does one action on several conversations. One message has the count and names the failures. */
export function useBulk(openId: number | null) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const navigate = useNavigate();
  const place = (rows: InboxRow[]): void =>
    void placeChanged(
      client,
      rows.map(({ contact_id: id }) => id),
    );
  const send = async (rows: InboxRow[], action: RowAction): Promise<Results> => {
    // While it is open, it would be read at once.
    if (action.type === "unread" && rows.some(({ id }) => id === openId))
      await navigate({ pathname: paths.inbox, search: window.location.search });
    return await sendAll(rows, action);
  };
  return useMutation({
    mutationFn: async ({ rows, action }: Run) => await send(rows, action),
    onSuccess: async (results, run) => {
      const part = await loadResult().catch(() => null);
      part?.tellResult({ ...run, results, send, place, t });
    },
    onError: (error) => tellFailure(t("inbox.not_changed"), error),
    onSettled: (_results, _error, { rows }) => place(rows),
  });
}

async function sendAll(rows: InboxRow[], action: RowAction): Promise<Results> {
  const results: Results = [];
  for (let from = 0; from < rows.length; from += maxBulk) {
    const ids = rows.slice(from, from + maxBulk).map(({ id }) => id);
    results.push(...(await callApi("POST /conversations/bulk", { body: { ids, action } })));
  }
  return results;
}
