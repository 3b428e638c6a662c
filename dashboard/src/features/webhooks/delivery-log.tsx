import { Anchor, Group, Select, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { deliveryStates, maxAttempts } from "../../../../core/model/workflow/delivery.ts";
import { eventTypes } from "../../../../core/model/event-types.ts";
import { EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { LogPager } from "../../components/log-pager.tsx";
import { DeliveryStatus } from "../../components/states.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { useSession } from "../../lib/session.ts";
import { isEmptyLog } from "../../lib/empty-list.ts";
import { beforeIn, useUrlFilters } from "../../lib/url-filters.ts";
import { conversationPath, contactPath } from "../../paths.ts";
import { ResponseSummary } from "./response-summary.tsx";
import { isSuccess } from "./answer.ts";
import { deliveriesQuery, type DeliveryRow, type LogFilter } from "./deliveries-api.ts";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { NextAttempt } from "./next-attempt.tsx";
import { useShownTest } from "./use-shown-test.ts";

/**
 * The deliveries of a subscription, newest first. The URL keeps filters and the opened delivery.
 */
export function DeliveryLog({ subscriptionId }: { subscriptionId: number }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const test = useShownTest(subscriptionId);
  const [params, set] = useUrlFilters(["delivery"]);
  const state = deliveryStates.find((one) => one === params.get("state"));
  const type = eventTypes.find((one) => one === params.get("type"));
  const filter: LogFilter = {
    subscription_id: subscriptionId,
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { event_type: type }),
  };
  const opened = Number(params.get("delivery"));
  return (
    <>
      <Group mb="md">
        <Select
          clearable
          aria-label={t("deliveries.state")}
          placeholder={t("deliveries.any_state")}
          value={state ?? null}
          onChange={(value) => set("state", value)}
          data={deliveryStates.map((value) => ({ value, label: t(`delivery_state.${value}`) }))}
        />
        <Select
          clearable
          searchable
          aria-label={t("deliveries.type")}
          placeholder={t("deliveries.any_type")}
          value={type ?? null}
          onChange={(value) => set("type", value)}
          data={[...eventTypes]}
        />
      </Group>
      <Rows
        filter={filter}
        beforeId={beforeIn(params)}
        onMove={(beforeId) => set("before", beforeId === null ? null : String(beforeId))}
        onOpen={(id) => set("delivery", String(id))}
        onTest={role === "admin" ? test.send : null}
      />
      {opened > 0 && <DeliveryDrawer id={opened} onClose={() => set("delivery", null)} />}
    </>
  );
}

interface RowsProps {
  filter: LogFilter;
  beforeId: number | null;
  onMove: (beforeId: number | null) => void;
  onOpen: (id: number) => void;
  /** Null for members without the right to send a test. */
  onTest: (() => void) | null;
}

function Rows({ filter, beforeId, onMove, onOpen, onTest }: RowsProps) {
  const { t } = useTranslation();
  const deliveries = useQuery(deliveriesQuery(filter, beforeId));
  const narrowed = filter.state !== undefined || filter.event_type !== undefined;
  const words = narrowed ? "no_match" : "empty";
  return (
    <QueryState query={deliveries}>
      {(page) =>
        isEmptyLog(page, beforeId) ? (
          <EmptyList
            title={t(`deliveries.${words}`)}
            text={t(`deliveries.${words}_text`)}
            first={t("deliveries.test_first")}
            onFirst={narrowed ? null : onTest}
          />
        ) : (
          <>
            <DeliveryTable rows={page.data} onOpen={onOpen} />
            {page.data.length === 0 && <Text>{t("common.empty_page")}</Text>}
            <LogPager meta={page.meta} beforeId={beforeId} onMove={onMove} />
          </>
        )
      }
    </QueryState>
  );
}

interface DeliveryTableProps extends Pick<RowsProps, "onOpen"> {
  rows: DeliveryRow[];
}

function DeliveryTable({ rows, onOpen }: DeliveryTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable label={t("webhooks.tabs.deliveries")} minWidth={980}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("deliveries.state")}</Table.Th>
          <Table.Th>{t("deliveries.type")}</Table.Th>
          <Table.Th>{t("deliveries.subject")}</Table.Th>
          <Table.Th>{t("deliveries.attempts")}</Table.Th>
          <Table.Th>{t("deliveries.last_answer")}</Table.Th>
          <Table.Th>{t("deliveries.next")}</Table.Th>
          <Table.Th>{t("common.created")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <DeliveryLine key={row.id} row={row} onOpen={() => onOpen(row.id)} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function DeliveryLine({ row, onOpen }: { row: DeliveryRow; onOpen: () => void }) {
  return (
    <Table.Tr>
      <Table.Td>
        <DeliveryStatus state={row.state} />
      </Table.Td>
      <Table.Td>
        <Anchor
          component="button"
          type="button"
          onClick={onOpen}
          ff="monospace"
          size="sm"
          ta="left"
        >
          {row.event_type}
        </Anchor>
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
function Subject({ row: { event_type, contact, conversation_id } }: { row: DeliveryRow }) {
  const { t } = useTranslation();
  if (contact === null && conversation_id === null) return null;
  const inConversation = /^(message|conversation)\./.test(event_type) && conversation_id !== null;
  const to =
    contact === null || inConversation
      ? conversationPath(conversation_id ?? 0)
      : contactPath(contact.id);
  return (
    <Anchor component={Link} to={to} size="sm" dir="auto" lineClamp={1}>
      {contact?.name ?? t("deliveries.conversation", { id: conversation_id })}
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

/** Number of attempts made, out of six: `●●○○○○`. */
function Dots({ row }: { row: DeliveryRow }) {
  const { t } = useTranslation();
  const made = Math.min(row.first_number - 1 + row.attempts_made, maxAttempts);
  const words = t("deliveries.attempts_made", { made, max: maxAttempts });
  return (
    <Text span role="img" style={{ whiteSpace: "nowrap" }} aria-label={words} title={words}>
      {"●".repeat(made) + "○".repeat(maxAttempts - made)}
    </Text>
  );
}
