import { Button, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Chip } from "../../components/chip.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Pager } from "../../components/pager.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { ownSessionsQuery, useEndSessions, type OwnSession } from "./api.ts";

/** Table of the user's logins, with a button to end each login but the present one. */
export function SessionList() {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const sessions = useQuery(ownSessionsQuery(offset));
  const end = useEndSessions();
  const onError = (failure: unknown): void => tellFailure(t("profile.not_ended"), failure);
  const endOthers = (): void =>
    end.mutate("others", {
      onSuccess: (count) => tellDone(t("profile.ended", { count })),
      onError,
    });
  return (
    <QueryState query={sessions} rows={2}>
      {({ data, meta }) => (
        <Stack gap="sm">
          <Group justify="space-between">
            <Title order={2}>{t("profile.sessions")}</Title>
            {meta.total > 1 && (
              <PendingButton
                variant="default"
                size="xs"
                onClick={endOthers}
                pending={end.isPending}
              >
                {t("profile.end_others")}
              </PendingButton>
            )}
          </Group>
          <WideTable label={t("profile.sessions")} minWidth={480}>
            {data.map((row) => (
              <SessionRow key={row.id} row={row} onEnd={() => end.mutate(row.id, { onError })} />
            ))}
          </WideTable>
          <Pager meta={meta} onMove={setOffset} />
        </Stack>
      )}
    </QueryState>
  );
}

function SessionRow({ row, onEnd }: { row: OwnSession; onEnd: () => void }) {
  const { t } = useTranslation();
  const browser = browserName(row.user_agent) ?? t("profile.unknown_browser");
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          {browser}
          {row.current && <Chip>{t("profile.this_one")}</Chip>}
        </Group>
        <Text size="xs" c="dimmed">
          {row.ip}
        </Text>
      </Table.Td>
      <Table.Td>
        {t("profile.last_seen")}: <Moment at={row.last_seen_at} />
      </Table.Td>
      <Table.Td ta="right">
        {!row.current && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={onEnd}
            aria-label={t("profile.end_label", { browser })}
          >
            {t("profile.end")}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/**
 * `Firefox, Linux` for a User-Agent. A browser also names its ancestors, so the order of the names
 * matters.
 */
function browserName(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const browsers = ["Edg", "OPR", "Firefox", "Chrome", "Safari"];
  const systems = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"];
  const named = { Edg: "Edge", OPR: "Opera", "Mac OS": "macOS" } as Record<string, string>;
  const parts = [browsers, systems].flatMap((names) => {
    const found = names.find((name) => userAgent.includes(name));
    return found === undefined ? [] : [named[found] ?? found];
  });
  return parts.length === 0 ? userAgent.slice(0, 60) : parts.join(", ");
}
