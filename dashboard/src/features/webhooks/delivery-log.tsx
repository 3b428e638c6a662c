import { Anchor, Table, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { maxAttempts } from "../../../../core/model/workflow/delivery.ts";
import { EmptyList } from "../../components/empty.tsx";
import { ExportButton } from "../../components/exports/export-button.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { LogPager } from "../../components/log-pager.tsx";
import { DeliveryStatus } from "../../components/states.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { useSession } from "../../lib/session.ts";
import { isEmptyLog } from "../../lib/empty-list.ts";
import { beforeIn, useUrlFilters } from "../../lib/url-filters.ts";
import { ResponseSummary } from "./response-summary.tsx";
import { isSuccess } from "./answer.ts";
import { deliveriesQuery, type DeliveryRow, type LogFilter } from "./deliveries-api.ts";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { deliverySubject } from "./delivery-subject.ts";
import { isNarrowed, logFilterOf, LogFilters } from "./log-filters.tsx";
import { NextAttempt } from "./next-attempt.tsx";
import { useShownTest } from "./use-shown-test.ts";
import styles from "./webhooks.module.css";

/**
 * The deliveries of a subscription, newest first. The URL keeps filters and the opened delivery.
 */
export function DeliveryLog({ subscriptionId }: { subscriptionId: number }) {
  const { role, account } = useSession();
  const test = useShownTest(subscriptionId);
  const [params, set] = useUrlFilters(["delivery"]);
  const filter = logFilterOf(params, subscriptionId, account.time_zone);
  const beforeId = beforeIn(params);
  const opened = Number(params.get("delivery"));
  useFocusAfter(opened);
  return (
    <>
      <LogFilters params={params} onSet={set}>
        {role === "admin" && <ExportButton body={{ kind: "deliveries", filters: filter }} />}
      </LogFilters>
      <Rows
        filter={filter}
        beforeId={beforeId}
        opened={opened}
        onMove={(to) => set("before", to === null ? null : String(to))}
        onOpen={(id) => set("delivery", String(id))}
        onTest={role === "admin" ? test.send : null}
      />
      {opened > 0 && (
        <OpenedDelivery
          id={opened}
          filter={filter}
          beforeId={beforeId}
          onMove={(id) => set("delivery", String(id), { replace: true })}
          onClose={() => set("delivery", null)}
        />
      )}
    </>
  );
}

/** Focuses the row of the delivery that was open last. Arrows may have gone on from the first. */
function useFocusAfter(opened: number): void {
  const last = useRef(0);
  useEffect(() => {
    const row = document.querySelector(`[data-delivery="${opened || last.current}"]`);
    if (opened > 0) row?.scrollIntoView({ block: "nearest" });
    else if (last.current > 0) row?.querySelector("button")?.focus({ preventScroll: true });
    last.current = opened;
  }, [opened]);
}

interface OpenedDeliveryProps {
  id: number;
  filter: LogFilter;
  beforeId: number | null;
  onMove: (id: number) => void;
  onClose: () => void;
}

/** Drawer of a delivery, with its neighbours on the page of the list. */
function OpenedDelivery({ id, filter, beforeId, onMove, onClose }: OpenedDeliveryProps) {
  const rows = useQuery(deliveriesQuery(filter, beforeId)).data?.data ?? [];
  const index = rows.findIndex((row) => row.id === id);
  const at = (place: number): number | null => (index < 0 ? null : (rows[place]?.id ?? null));
  return (
    <DeliveryDrawer
      id={id}
      previous={at(index - 1)}
      next={at(index + 1)}
      onMove={onMove}
      onClose={onClose}
    />
  );
}

interface RowsProps {
  filter: LogFilter;
  beforeId: number | null;
  /** The delivery in the drawer; 0 for none. */
  opened: number;
  onMove: (beforeId: number | null) => void;
  onOpen: (id: number) => void;
  /** Null for members without the right to send a test. */
  onTest: (() => void) | null;
}

function Rows({ filter, beforeId, opened, onMove, onOpen, onTest }: RowsProps) {
  const { t } = useTranslation();
  const deliveries = useQuery(deliveriesQuery(filter, beforeId));
  const narrowed = isNarrowed(filter);
  const words = narrowed ? "no_match" : "empty";
  return (
    <QueryState query={deliveries}>
      {(page) =>
        isEmptyLog(page, beforeId) ? (
          <EmptyList
            title={t(`deliveries.${words}`)}
            text={t(`deliveries.${words}_text`)}
            first={t("deliveries.test_first")}
            hint={t("deliveries.test_hint")}
            icon={IconSend}
            onFirst={narrowed ? null : onTest}
          />
        ) : (
          <>
            <DeliveryTable rows={page.data} opened={opened} onOpen={onOpen} />
            {page.data.length === 0 && <Text>{t("common.empty_page")}</Text>}
            <LogPager meta={page.meta} beforeId={beforeId} onMove={onMove} />
          </>
        )
      }
    </QueryState>
  );
}

interface DeliveryTableProps extends Pick<RowsProps, "onOpen" | "opened"> {
  rows: DeliveryRow[];
}

function DeliveryTable({ rows, opened, onOpen }: DeliveryTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("webhooks.tabs.deliveries")}
      minWidth={980}
      heads={[
        t("deliveries.state"),
        t("deliveries.type"),
        t("deliveries.subject"),
        t("deliveries.attempts"),
        t("deliveries.last_answer"),
        t("deliveries.next"),
        t("common.created"),
      ]}
    >
      {rows.map((row) => (
        <DeliveryLine
          key={row.id}
          row={row}
          isOpened={row.id === opened}
          onOpen={() => onOpen(row.id)}
        />
      ))}
    </WideTable>
  );
}

interface DeliveryLineProps {
  row: DeliveryRow;
  isOpened: boolean;
  onOpen: () => void;
}

function DeliveryLine({ row, isOpened, onOpen }: DeliveryLineProps) {
  return (
    <Table.Tr data-delivery={row.id} aria-current={isOpened || undefined}>
      <Table.Td>
        <DeliveryStatus state={row.state} />
      </Table.Td>
      <Table.Td>
        <RowButton onClick={onOpen}>
          <Text span ff="monospace" size="xs">
            {row.event_type}
          </Text>
        </RowButton>
      </Table.Td>
      <Table.Td maw={200}>
        <Subject row={row} />
      </Table.Td>
      <Table.Td>
        <Dots row={row} />
      </Table.Td>
      <Table.Td>
        <LastAnswer row={row} />
      </Table.Td>
      <Table.Td>
        <NextAttempt row={row} />
      </Table.Td>
      <Table.Td>
        <Moment at={row.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Contact of the event, with a link to the conversation or to the contact's page. */
function Subject({ row }: { row: DeliveryRow }) {
  const { t } = useTranslation();
  const subject = deliverySubject(row);
  if (subject === null) return null;
  return (
    <Anchor component={Link} to={subject.to} size="sm" dir="auto" lineClamp={1}>
      {subject.name ?? t("deliveries.conversation", { id: row.conversation_id })}
    </Anchor>
  );
}

/** `500 in 312 ms`, red for a failure. */
function LastAnswer({ row: { last_answer: answer } }: { row: DeliveryRow }) {
  if (answer === null) return null;
  return (
    <Text size="sm" className="tabular" c={isSuccess(answer) ? undefined : "bad"}>
      <ResponseSummary answer={answer} />
    </Text>
  );
}

/** The six attempts as dots: red failed, green delivered, hollow to come. */
function Dots({ row }: { row: DeliveryRow }) {
  const { t } = useTranslation();
  const made = Math.min(row.first_number - 1 + row.attempts_made, maxAttempts);
  const words = t("deliveries.attempts_made", { made, max: maxAttempts });
  return (
    <span className={styles["dots"]} role="img" aria-label={words} title={words}>
      {Array.from({ length: maxAttempts }, (_, index) => (
        <i key={index} data-outcome={outcomeAt(row, index, made)} />
      ))}
    </span>
  );
}

/** Every attempt failed but the one that delivered, or the one under way. */
function outcomeAt({ state }: DeliveryRow, index: number, made: number): string | undefined {
  if (index >= made) return undefined;
  if (index < made - 1) return "failed";
  if (state === "sending") return undefined;
  return state === "delivered" ? "delivered" : "failed";
}
