import { Anchor, Button, Group, Menu, Switch, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEdit, IconExternalLink, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { CopyText } from "../../components/copy-text.tsx";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { callApi } from "../../lib/api.ts";
import {
  resourcesQuery,
  servicesQuery,
  type Resource,
  type Service,
} from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { bookingLinksQuery, useAgendaStep, type BookingLink } from "./agenda-api.ts";
import { BookingLinkModal } from "./booking-link-modal.tsx";
import { SectionNav } from "./section-nav.tsx";

/** Page of the booking links. All members copy and preview them; admins create and change them. */
export function BookingLinksPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [adding, add] = useDisclosure(false);
  const links = useQuery(bookingLinksQuery);
  const resources = useQuery(resourcesQuery());
  const services = useQuery(servicesQuery());
  const offers = { resources: resources.data?.data ?? [], services: services.data?.data ?? [] };
  const isAdmin = role === "admin";
  return (
    <Page
      title={t("booking_links.title")}
      action={
        isAdmin &&
        offers.resources.length > 0 && (
          <>
            <Button variant="default" component={Link} to={paths.account}>
              {t("booking_links.look")}
            </Button>
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
              {t("booking_links.add")}
            </Button>
          </>
        )
      }
    >
      <SectionNav />
      <QueryState query={links}>
        {({ data }) =>
          data.length === 0 ? (
            <NoLinks agendas={resources.data?.data.length} onAdd={isAdmin ? add.open : null} />
          ) : (
            <Links links={data} {...offers} />
          )
        }
      </QueryState>
      {adding && <BookingLinkModal {...offers} onClose={add.close} />}
    </Page>
  );
}

interface NoLinksProps {
  /** Number of agendas; undefined while they are loading. */
  agendas: number | undefined;
  onAdd: (() => void) | null;
}

/** Empty list. A link needs an agenda, so the first step is an agenda. */
function NoLinks({ agendas, onAdd }: NoLinksProps) {
  const { t } = useTranslation();
  const words = { title: t("booking_links.empty"), text: t("booking_links.empty_text") };
  if (agendas === undefined) return <Empty {...words} />;
  if (agendas > 0) {
    return <EmptyList {...words} first={t("booking_links.add_first")} onFirst={onAdd} />;
  }
  const setUp = onAdd !== null && (
    <Button component={Link} to={paths.appointmentSetup}>
      {t("appointments.to_setup")}
    </Button>
  );
  return <Empty {...words} action={setUp} />;
}

interface BookingOffers {
  resources: Resource[];
  services: Service[];
}

function Links({ links, ...offers }: BookingOffers & { links: BookingLink[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("booking_links.title")}
      minWidth={760}
      heads={[t("booking_links.heading"), t("booking_links.url"), t("booking_links.enabled"), ""]}
    >
      {links.map((link) => (
        <LinkRow key={link.id} link={link} {...offers} />
      ))}
    </WideTable>
  );
}

function LinkRow({ link, ...offers }: BookingOffers & { link: BookingLink }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const { take, isPending } = useAgendaStep();
  const { id, title, url, enabled } = link;
  return (
    <Table.Tr>
      <Table.Td>
        <Text fw={500}>
          <bdi>{title}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          <Offer link={link} {...offers} />
        </Text>
      </Table.Td>
      <Table.Td>
        <CopyText value={url} label={t("booking_links.url_of", { title })} />
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          {t("booking_links.preview")} <IconExternalLink size={12} aria-hidden />
        </Anchor>
      </Table.Td>
      <Table.Td>
        <Switch
          aria-label={t("booking_links.enabled_of", { title })}
          checked={enabled}
          disabled={role !== "admin"}
          // Not disabled while it saves, because a disabled switch loses the keyboard focus.
          aria-busy={isPending}
          onChange={({ currentTarget }) => {
            const body = { enabled: currentTarget.checked };
            take(() => callApi("PATCH /booking-links/:id", { id, body }));
          }}
        />
      </Table.Td>
      <Table.Td>{role === "admin" && <Changes link={link} {...offers} />}</Table.Td>
    </Table.Tr>
  );
}

function Changes({ link, ...offers }: BookingOffers & { link: BookingLink }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const { take, isPending } = useAgendaStep();
  const { id, title } = link;
  const close = (): void => setOpen(null);
  return (
    <Group justify="flex-end">
      <RowMenu name={title}>
        <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={() => setOpen("edit")}>
          {t("booking_links.edit")}
        </Menu.Item>
        <Menu.Item
          color="bad"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setOpen("delete")}
        >
          {t("booking_links.delete")}
        </Menu.Item>
      </RowMenu>
      {open === "edit" && <BookingLinkModal link={link} {...offers} onClose={close} />}
      {open === "delete" && (
        <ConfirmModal
          title={t("booking_links.delete_title", { title })}
          text={t("booking_links.delete_text")}
          action={t("booking_links.delete")}
          keep={t("common.keep")}
          color="bad"
          pending={isPending}
          onConfirm={() => take(() => callApi("DELETE /booking-links/:id", { id }))}
          onClose={close}
        />
      )}
    </Group>
  );
}

/** The service and the agenda of a link. */
function Offer({ link, resources, services }: BookingOffers & { link: BookingLink }) {
  const { t } = useTranslation();
  const { resource_id, service_id } = link;
  const nameIn = (rows: { id: number; name: string }[], id: number) =>
    rows.find((row) => row.id === id)?.name ?? t("setup.archived");
  const what = service_id === null ? t("booking_links.any_service") : nameIn(services, service_id);
  const where =
    resource_id === null ? t("booking_links.any_resource") : nameIn(resources, resource_id);
  return (
    <>
      <bdi>{what}</bdi> · <bdi>{where}</bdi>
    </>
  );
}
