import { Alert, Button, Group, Stack, Switch, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey } from "@tabler/icons-react";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { CopyText } from "../../components/copy-text.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { callApi, readAll, type AnswerOf } from "../../lib/api.ts";
import type { Resource } from "../../lib/appointments.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { dayText } from "../../lib/time.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";

type Feed = AnswerOf<"GET /resources/:id/feeds">["data"][number];

/** Feeds of an agenda that are not revoked, newest first. */
function feedsQuery(resourceId: number) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "feeds", resourceId],
    queryFn: async () => {
      const { data } = await readAll(
        async (query) => await callApi("GET /resources/:id/feeds", { id: resourceId, query }),
      );
      return data.filter((feed) => feed.revoked_at === null);
    },
  });
}

/** Changes feeds. `gcTime` 0: the cache drops the address of a new feed with its dialog. */
function useFeedChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    gcTime: 0,
    onSettled: async () =>
      await client.invalidateQueries({ queryKey: [...liveKeys.agendas, "feeds"] }),
  });
}

/** Button for the private feeds of an agenda, which calendar apps follow. */
export function Feeds({ resource }: { resource: Resource }) {
  const { t } = useTranslation();
  const [open, modal] = useDisclosure(false);
  const [revoked, setRevoked] = useState<Feed | null>(null);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={modal.open}>
        {t("setup.feeds")}
      </Button>
      {open && (
        <Dialog onClose={modal.close} title={t("setup.feeds_of", { name: resource.name })}>
          <Stack>
            <Text size="sm">{t("setup.feeds_text")}</Text>
            <FeedList resourceId={resource.id} onRevoke={setRevoked} />
            <NewFeed resourceId={resource.id} />
          </Stack>
        </Dialog>
      )}
      {revoked !== null && <RevokeModal feed={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

interface FeedListProps {
  resourceId: number;
  onRevoke: (feed: Feed) => void;
}

function FeedList({ resourceId, onRevoke }: FeedListProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const feeds = useQuery(feedsQuery(resourceId));
  const place = useFocusAfterRow<HTMLDivElement>(feeds.data?.length ?? 0);
  return (
    <QueryState query={feeds} rows={2}>
      {(rows) => (
        <Stack gap="xs" ref={place} tabIndex={-1}>
          {rows.length === 0 && (
            <Text size="sm" c="dimmed">
              {t("setup.no_feed")}
            </Text>
          )}
          {rows.map((feed) => {
            const time = dayText(feed.created_at, account.time_zone);
            return (
              <Group key={feed.id} justify="space-between" wrap="nowrap">
                <Text size="sm">
                  {t(feed.times_only ? "setup.times_only" : "setup.feed_full")}
                  <Text span size="xs" c="dimmed">
                    {" "}
                    · {t("setup.feed_made")} {time}
                  </Text>
                </Text>
                <Button
                  size="xs"
                  variant="default"
                  c="bad"
                  aria-label={t("setup.revoke_feed", { time })}
                  onClick={() => onRevoke(feed)}
                >
                  {t("setup.revoke")}
                </Button>
              </Group>
            );
          })}
        </Stack>
      )}
    </QueryState>
  );
}

/** Form for a feed. The address of the new one stays in sight until the dialog is closed. */
function NewFeed({ resourceId: id }: { resourceId: number }) {
  const { t } = useTranslation();
  const [timesOnly, setTimesOnly] = useState(false);
  const create = useFeedChange(
    async (times_only: boolean) =>
      await callApi("POST /resources/:id/feeds", { id, body: { times_only } }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(timesOnly);
      }}
    >
      <Stack gap="sm">
        {create.isSuccess && (
          <Alert
            color="warn"
            role="status"
            icon={<IconKey aria-hidden />}
            title={t("setup.feed_once")}
          >
            <CopyText value={create.data.url} label={t("setup.feed_address")} />
          </Alert>
        )}
        <Switch
          label={t("setup.times_only")}
          description={t("setup.times_only_text")}
          checked={timesOnly}
          onChange={({ currentTarget }) => setTimesOnly(currentTarget.checked)}
        />
        <MutationFoot mutation={create} submit={t("setup.create_feed")} />
      </Stack>
    </form>
  );
}

function RevokeModal({ feed, onClose }: { feed: Feed; onClose: () => void }) {
  const { t } = useTranslation();
  const revoke = useFeedChange(
    async () => await callApi("POST /feeds/:id/revoke", { id: feed.id }),
  );
  return (
    <ConfirmModal
      title={t("setup.revoke_title")}
      text={t("setup.revoke_text")}
      action={t("setup.revoke")}
      keep={t("common.keep")}
      color="bad"
      pending={revoke.isPending}
      onConfirm={() =>
        revoke.mutate(undefined, {
          onSuccess: () => {
            onClose();
            tellDone(t("setup.revoked"));
          },
          onError: (error) => tellFailure(t("setup.not_changed"), error),
        })
      }
      onClose={onClose}
    />
  );
}
