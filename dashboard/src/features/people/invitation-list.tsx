import { Menu, Stack, Table, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSend, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { LoadFailed } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Pager } from "../../components/pager.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
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
      <WideTable
        label={t("people.open_invitations")}
        minWidth={480}
        heads={[t("people.person"), t("people.role"), t("people.expires"), ""]}
      >
        {data.data.map((row) => (
          <InvitationRow key={row.id} row={row} onLink={setUnmailed} />
        ))}
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
  const { email, name, role, mail, expires_at } = row;
  const { t } = useTranslation();
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
        <Moment at={expires_at} />
        {mail !== null && (
          <Text size="xs" c={mail === "failed" ? "bad" : "dimmed"}>
            {t(`people.mail_${mail}`)}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <InvitationActions row={row} onLink={onLink} />
      </Table.Td>
    </Table.Tr>
  );
}

function InvitationActions({ row: { id, email, mail }, onLink }: InvitationRowProps) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const withdraw = useWithdraw();
  const send = useSendAgain({
    onSuccess: (sent) => {
      if (sent.url === null) tellDone(t("people.mailed", { email }));
      else onLink(sent);
    },
    onError: (error) => tellFailure(t("people.no_link"), error),
  });
  return (
    <>
      <RowMenu name={email}>
        {mail !== null && mail !== "queued" && (
          <Menu.Item
            leftSection={<IconSend size={16} aria-hidden />}
            onClick={() => {
              if (!send.isPending) send.mutate(id);
            }}
          >
            {t("people.send_again")}
          </Menu.Item>
        )}
        <Menu.Item color="bad" leftSection={<IconTrash size={16} aria-hidden />} onClick={ask.open}>
          {t("people.withdraw")}
        </Menu.Item>
      </RowMenu>
      {asking && (
        <ConfirmModal
          title={t("people.withdraw_title", { email })}
          text={t("people.withdraw_text")}
          action={t("people.withdraw")}
          keep={t("common.keep")}
          color="bad"
          pending={withdraw.isPending}
          onConfirm={() =>
            withdraw.mutate(id, {
              onError: (error) => tellFailure(t("people.not_withdrawn"), error),
            })
          }
          onClose={ask.close}
        />
      )}
    </>
  );
}
