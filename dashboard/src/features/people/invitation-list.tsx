import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LoadFailed } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Pager } from "../../components/pager.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import {
  invitationsQuery,
  useSendAgain,
  useWithdraw,
  type Invitation,
  type SentInvitation,
} from "./api.ts";
import { InvitationLink } from "./invitation-link.tsx";

/** Table of open invitations; nothing where there is none. */
export function InvitationList() {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  // This state is kept in the list, because a row without a mail loses its button.
  const [unmailed, setUnmailed] = useState<SentInvitation | null>(null);
  const { data, error, refetch } = useQuery(invitationsQuery(offset));
  if (error !== null && data === undefined) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined || data.meta.total === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2}>{t("people.open_invitations")}</Title>
      <WideTable label={t("people.open_invitations")} minWidth={480}>
        <Table.Tbody>
          {data.data.map((row) => (
            <InvitationRow key={row.id} row={row} onLink={setUnmailed} />
          ))}
        </Table.Tbody>
      </WideTable>
      <Pager meta={data.meta} onMove={setOffset} />
      {unmailed !== null && <InvitationLink sent={unmailed} onClose={() => setUnmailed(null)} />}
    </Stack>
  );
}

interface InvitationRowProps {
  row: Invitation;
  /** Runs for an invitation that was not mailed. Only the answer contains its link. */
  onLink: (sent: SentInvitation) => void;
}

function InvitationRow({ row, onLink }: InvitationRowProps) {
  const { id, email, name, role, mail, expires_at } = row;
  const { t } = useTranslation();
  const withdraw = useWithdraw();
  const onWithdraw = (): void =>
    withdraw.mutate(id, {
      onError: (error) => tellFailure(t("people.not_withdrawn"), error),
    });
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={500}>{name ?? email}</Text>
        {name !== null && (
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{t(`people.${role}`)}</Table.Td>
      <Table.Td>
        {t("people.expires")}: <Moment at={expires_at} />
        {mail !== null && (
          <Text size="xs" c={mail === "failed" ? "bad" : "dimmed"}>
            {t(`people.mail_${mail}`)}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {mail !== null && mail !== "queued" && <SendAgain row={row} onLink={onLink} />}
        <PendingButton
          size="compact-sm"
          variant="default"
          aria-label={t("people.withdraw_label", { email })}
          pending={withdraw.isPending}
          onClick={onWithdraw}
        >
          {t("people.withdraw")}
        </PendingButton>
      </Table.Td>
    </Table.Tr>
  );
}

function SendAgain({ row: { id, email }, onLink }: InvitationRowProps) {
  const { t } = useTranslation();
  const send = useSendAgain({
    onSuccess: (sent) => {
      if (sent.url === null) tellDone(t("people.mailed", { email }));
      else onLink(sent);
    },
    onError: (error) => tellFailure(t("people.no_link"), error),
  });
  return (
    <PendingButton
      size="compact-sm"
      variant="default"
      mr="xs"
      aria-label={t("people.send_again_label", { email })}
      pending={send.isPending}
      onClick={() => send.mutate(id)}
    >
      {t("people.send_again")}
    </PendingButton>
  );
}
