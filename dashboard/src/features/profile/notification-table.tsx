import { Alert, Button, Stack, Switch, Table, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { NotificationPreference } from "../../../../core/model/notification-preferences.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Tick } from "../../components/tick.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { callApi } from "../../lib/api.ts";
import { requestDesktopPermission, useDesktopPermission } from "../../lib/desktop-permission.ts";
import { linkOptionsQuery } from "../../lib/link-options.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { mutationsDone } from "../../lib/mutations-done.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { soundSetting } from "../../lib/sound.ts";

const chooseKey = ["choose-notification"];

const preferencesQuery = queryOptions({
  queryKey: ["notification-preferences"],
  queryFn: async ({ client, signal }) => {
    await mutationsDone(client, chooseKey, signal);
    return await callApi("GET /me/notification-preferences");
  },
});

const surfaces = ["app", "desktop", "email"] as const;

/** Choices of the person: each kind of notification by surface, desktop permission and sound. */
export function NotificationTable() {
  const preferences = useQuery(preferencesQuery);
  return (
    <Stack gap="sm">
      <DesktopPermission />
      <SoundSwitch />
      <QueryState query={preferences}>{(rows) => <Choices rows={rows} />}</QueryState>
    </Stack>
  );
}

function Choices({ rows }: { rows: NotificationPreference[] }) {
  const { t } = useTranslation();
  const { user } = useSession();
  const options = useQuery(linkOptionsQuery);
  const obstacle = obstacleOf(options.data?.mail, user.email_confirmed);
  return (
    <>
      <WideTable
        label={t("choices.title")}
        minWidth={480}
        heads={[t("choices.kind"), ...surfaces.map((surface) => t(`choices.${surface}`))]}
      >
        {rows.map((row) => (
          <Choice key={row.kind} row={row} canMail={obstacle === null} />
        ))}
      </WideTable>
      <Text size="xs" c="dimmed">
        {obstacle === null ? t("choices.mail_text", { email: user.email }) : t(obstacle)}
      </Text>
    </>
  );
}

function obstacleOf(isMailOn: boolean | undefined, isConfirmed: boolean) {
  if (isMailOn === false) return "choices.mail_off" as const;
  return isConfirmed ? null : ("error.email_unconfirmed" as const);
}

function Choice({ row, canMail }: { row: NotificationPreference; canMail: boolean }) {
  const { t } = useTranslation();
  const choose = useChoose();
  const kind = t(`choices.kinds.${row.kind}`);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {kind}
      </Table.Th>
      {surfaces.map((surface) => (
        <Table.Td key={surface}>
          {row[surface] === null ? (
            <Text span c="dimmed" size="xs">
              {t("choices.no_mail")}
            </Text>
          ) : (
            <Tick
              label={t("choices.choice", { kind, surface: t(`choices.${surface}`) })}
              checked={row[surface]}
              // A choice for mails can always be taken back.
              disabled={surface === "email" && !canMail && !row.email}
              onChange={({ currentTarget }) =>
                choose.mutate({ kind: row.kind, [surface]: currentTarget.checked })
              }
            />
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

/** Stores a choice. The table shows the choice at once, and reverts a refused one. */
function useChoose() {
  const client = useQueryClient();
  const { t } = useTranslation();
  const { queryKey } = preferencesQuery;
  return useMutation({
    mutationKey: chooseKey,
    scope: { id: "notification-preferences" },
    mutationFn: async (choice: Pick<NotificationPreference, "kind"> & { app?: boolean }) =>
      await callApi("PATCH /me/notification-preferences", { body: { preferences: [choice] } }),
    onMutate: async (choice) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      client.setQueryData(
        queryKey,
        before?.map((row) => (row.kind === choice.kind ? { ...row, ...choice } : row)),
      );
      return before;
    },
    onError: (error, _, before) => {
      client.setQueryData(queryKey, before);
      tellFailure(t("choices.not_saved"), error);
    },
    // Not awaited, because the table waits for the end of the last choice.
    onSettled: () => {
      void client.invalidateQueries({ queryKey });
      void client.invalidateQueries({ queryKey: liveKeys.notifications });
    },
  });
}

function DesktopPermission() {
  const { t } = useTranslation();
  const permission = useDesktopPermission();
  if (permission === "granted") return null;
  if (permission === "denied") return <Alert color="gray">{t("choices.desktop_denied")}</Alert>;
  return (
    <Button
      variant="default"
      style={{ alignSelf: "flex-start" }}
      onClick={() => void requestDesktopPermission()}
    >
      {t("choices.allow_desktop")}
    </Button>
  );
}

function SoundSwitch() {
  const { t } = useTranslation();
  const [on, setOn] = useLocalStorage(soundSetting);
  return (
    <Switch
      label={t("choices.sound")}
      description={t("choices.sound_text")}
      checked={on}
      onChange={({ currentTarget }) => setOn(currentTarget.checked)}
    />
  );
}
