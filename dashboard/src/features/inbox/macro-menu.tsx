import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconBolt } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MacroView } from "../../../../core/model/views/macro.ts";
import { ApiError, callApi, readAll } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { newToken } from "../../lib/token.ts";

const macrosQuery = queryOptions({
  queryKey: [...liveKeys.answers, "macros"],
  queryFn: async () => await readAll(async (query) => await callApi("GET /macros", { query })),
});

/** Menu that runs a macro in a conversation. Nothing where the person has no macro. */
export function MacroMenu({ conversationId }: { conversationId: number }) {
  const { t } = useTranslation();
  const macros = useQuery(macrosQuery).data?.data ?? [];
  const run = useRun(conversationId);
  const [opened, setOpened] = useState(false);
  if (macros.length === 0) return null;
  return (
    <Menu position="top-start" opened={opened} onChange={setOpened}>
      <Tooltip label={t("answers.macros")} disabled={opened}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="var(--parley-control-small)"
            aria-label={t("answers.macros")}
            aria-busy={run.isPending}
          >
            <IconBolt size={18} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
        {macros.map((macro) => (
          <Menu.Item key={macro.id} onClick={() => run.mutate(macro)}>
            <bdi>{macro.name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function useRun(id: number) {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    // One run after another, in the order of the clicks.
    scope: { id: `macro-${id}` },
    mutationFn: async (macro: MacroView) =>
      await callApi("POST /conversations/:id/macros/:macroId/run", {
        id,
        macroId: macro.id,
        body: { external_id: newToken() },
      }),
    onSuccess: (_, { name }) => tellDone(t("answers.macro_done", { name })),
    onError: (error, { name }) => {
      const failed = failedStep(error);
      if (failed === null) tellFailure(t("answers.macro_failed", { name }), error);
      else {
        const title = t("answers.macro_step_failed", { name, step: failed.step });
        tellFailure(title, failed.reason);
      }
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: liveKeys.conversation(id) });
    },
  });
}

/** Number of the step that could not run, and the reason; null for any other error. */
function failedStep(error: unknown): { step: number; reason: ApiError } | null {
  if (!(error instanceof ApiError) || error.code !== "macro_step_failed") return null;
  const { step, code, message } = error.details as { step: number; code: string; message: string };
  const reason = new ApiError({ code, message, details: null, retryAfterSeconds: null });
  return { step, reason };
}
