import { Button } from "@mantine/core";
import { IconEdit, IconFileUpload, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import type { ContactOrder } from "../../../../core/model/contact-list.ts";
import { EmptyWithSteps, type EmptyStep } from "../../components/empty.tsx";
import { ExportButton } from "../../components/exports/export-button.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { queryString } from "../../lib/api.ts";
import { activeContactsQuery, type ContactFilter } from "../../lib/contact.ts";
import { countWords } from "../../lib/count-words.ts";
import { newImportPath } from "../../lib/import-paths.ts";
import { useSession } from "../../lib/session.ts";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { useUrlFilters } from "../../lib/url-filters.ts";
import { paths } from "../../paths.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { ContactFilters, filterIn } from "./contact-filters.tsx";
import { ContactTable } from "./contact-table.tsx";
import { CursorPager } from "./cursor-pager.tsx";
import { NewContactModal } from "./new-contact-modal.tsx";
import { useSelection } from "./use-selection.ts";

/** List of contacts by last activity. The URL keeps search, filters, order and page. */
export function ContactsPage() {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const navigate = useNavigate();
  const [adding, add] = useUrlDisclosure();
  const filter = filterIn(params);
  const order: ContactOrder = params.get("order") === "quiet" ? "quiet" : "active";
  const cursor = params.get("cursor");
  const contacts = useQuery(activeContactsQuery(filter, order, cursor));
  const isNarrowed = Object.keys(filter).length > 0;
  const isEmpty = contacts.data?.data.length === 0 && cursor === null;
  // An account without contacts has nothing to search. The rows of an earlier search say nothing.
  const isBare = isEmpty && !isNarrowed && !contacts.isPlaceholderData;
  const selection = useSelection();
  const [known, setKnown] = useState(filter);
  // A selected contact that the list no longer shows would be changed unseen.
  if (queryString({ ...known }) !== queryString({ ...filter })) {
    setKnown(filter);
    selection.clear();
  }
  return (
    <Page
      title={t("contacts.title")}
      aside={contacts.data !== undefined && countWords(t, contacts.data.meta)}
      action={
        <>
          <ListButtons filter={filter} isBare={isBare} />
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={add.open}>
            {t("contacts.add")}
          </Button>
        </>
      }
    >
      {!isBare && (
        <ContactFilters
          filter={filter}
          onSet={(name, value) => set(name, value, { replace: true })}
          onApply={(kept) => void navigate(`${paths.contacts}${queryString({ ...kept })}`)}
        />
      )}
      <QueryState query={contacts}>
        {({ data, meta }) =>
          isEmpty ? (
            <NoContacts isNarrowed={isNarrowed} onAdd={add.open} />
          ) : (
            <>
              <ContactTable
                rows={data}
                order={order}
                onOrder={(next) => set("order", next === "active" ? null : next)}
                selection={selection}
              />
              <CursorPager meta={meta} cursor={cursor} onMove={(next) => set("cursor", next)} />
            </>
          )
        }
      </QueryState>
      {selection.contacts.length > 0 && <BulkBar selection={selection} />}
      {adding && <NewContactModal onClose={add.close} />}
    </Page>
  );
}

interface ListButtonsProps {
  filter: ContactFilter;
  /** True for an account without contacts, which has nothing to export. */
  isBare: boolean;
}

/** Buttons to import contacts and to export the list with its filters. Both are for admins. */
function ListButtons({ filter, isBare }: ListButtonsProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  if (role !== "admin") return null;
  return (
    <>
      <Button
        variant="default"
        component={Link}
        to={newImportPath("contacts")}
        leftSection={<IconFileUpload size={16} aria-hidden />}
      >
        {t("imports.action")}
      </Button>
      {!isBare && <ExportButton body={{ kind: "contacts", filters: filter }} />}
    </>
  );
}

function NoContacts({ isNarrowed, onAdd }: { isNarrowed: boolean; onAdd: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const words = isNarrowed ? "no_match" : "empty";
  const steps: EmptyStep[] = [
    {
      icon: IconUserPlus,
      hue: "teal",
      title: t("contacts.add_first"),
      text: t("contacts.add_first_text"),
      onClick: onAdd,
    },
    {
      icon: IconEdit,
      hue: "indigo",
      title: t("new_conversation.title"),
      text: t("contacts.write_first_text"),
      onClick: () => void navigate(`${paths.inbox}?new=1`),
    },
  ];
  return (
    <EmptyWithSteps
      title={t(`contacts.${words}`)}
      text={t(`contacts.${words}_text`)}
      steps={isNarrowed ? [] : steps}
    />
  );
}
