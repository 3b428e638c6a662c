import { Anchor, Button, Modal, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Empty, LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { OnceModal } from "../../components/once-modal.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { SubscriptionBadge } from "../../components/state-badge.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { useSession } from "../../lib/session.ts";
import { subscriptionPath } from "../../paths.ts";
import { subscriptionsQuery, useAddSubscription, type Subscription } from "./api.ts";
import { SubscriptionForm } from "./subscription-form.tsx";

/** The account's webhook subscriptions. */
export function WebhooksPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [adding, add] = useDisclosure(false);
  const button = role === "admin" && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
      {t("webhooks.add")}
    </Button>
  );
  return (
    <Page title={t("webhooks.title")} text={t("webhooks.text")} action={button}>
      <Subscriptions />
      {adding && <AddModal onClose={add.close} />}
    </Page>
  );
}

function Subscriptions() {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery(subscriptionsQuery(offset));
  if (data === undefined && error !== null) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows />;
  if (data.meta.total === 0) {
    return <Empty title={t("webhooks.empty")} text={t("webhooks.empty_text")} />;
  }
  return (
    <>
      <WideTable label={t("webhooks.title")} minWidth={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>URL</Table.Th>
            <Table.Th>{t("webhooks.events")}</Table.Th>
            <Table.Th>{t("people.state")}</Table.Th>
            <Table.Th>{t("common.created")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.data.map((row) => (
            <SubscriptionRow key={row.id} row={row} />
          ))}
        </Table.Tbody>
      </WideTable>
      <Pager meta={data.meta} onMove={setOffset} />
    </>
  );
}

function SubscriptionRow({ row }: { row: Subscription }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to={subscriptionPath(row.id)} fw={500} c="inherit">
          {row.name}
        </Anchor>
        <Text size="xs" c="dimmed" ff="monospace">
          {row.url}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" ff="monospace">
          {row.events.join(", ")}
        </Text>
      </Table.Td>
      <Table.Td>
        <SubscriptionBadge state={row.state} />
      </Table.Td>
      <Table.Td>
        <Moment at={row.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

function AddModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const add = useAddSubscription();
  if (add.data !== undefined) {
    return (
      <OnceModal
        title={t("webhooks.added")}
        text={t("webhooks.secret_text")}
        label={t("webhooks.secret")}
        value={add.data.secret}
        onClose={onClose}
      />
    );
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("webhooks.add")}
      size="lg"
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <SubscriptionForm
        submit={t("webhooks.add_submit")}
        pending={add.isPending}
        onSubmit={async (input) => await add.mutateAsync(input)}
        onCancel={onClose}
      />
    </Modal>
  );
}
