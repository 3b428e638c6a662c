import { Button, Select } from "@mantine/core";
import { useDisclosure, useMediaQuery } from "@mantine/hooks";
import {
  IconCalendarEvent,
  IconFilter,
  IconPlugConnected,
  IconTag,
  IconUser,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { restChannels } from "../../../../core/model/channels.ts";
import type { BoardTotals } from "../../../../core/model/pipeline.ts";
import { SearchInput } from "../../components/search-input.tsx";
import { useTeam } from "../../lib/team.ts";
import type { useBoardQuery } from "./board-query.ts";
import styles from "./board.module.css";
import { sumOf } from "./columns.ts";
import { useMoneyText } from "./use-money-text.ts";

type Query = ReturnType<typeof useBoardQuery>;

interface BoardToolsProps extends Query {
  totals: BoardTotals | undefined;
}

/** Search and filters of the board, and its totals. */
export function BoardTools({ totals, ...query }: BoardToolsProps) {
  const { t } = useTranslation();
  const { filter, isNarrowed, set, clear } = query;
  const isPhone = useMediaQuery("(max-width: 47.99em)") === true;
  const [opened, { toggle }] = useDisclosure(false);
  return (
    <div className={styles["tools"]}>
      <div className={styles["search"]}>
        <SearchInput
          size="xs"
          label={t("pipelines.search")}
          placeholder={t("pipelines.search")}
          value={filter.search ?? ""}
          onChange={(search) => set("search", search)}
        />
      </div>
      {isPhone && (
        <Button
          size="xs"
          variant="default"
          aria-expanded={opened}
          leftSection={<IconFilter size={14} aria-hidden />}
          onClick={toggle}
        >
          {t("pipelines.filters")}
        </Button>
      )}
      {(!isPhone || opened) && <Filters {...query} />}
      {isNarrowed && (
        <Button size="xs" variant="subtle" onClick={clear}>
          {t("pipelines.clear")}
        </Button>
      )}
      {totals !== undefined && <Totals totals={totals} outcome={filter.outcome} />}
    </div>
  );
}

function Filters({ filter, set }: Pick<Query, "filter" | "set">) {
  const { t } = useTranslation();
  const team = useTeam();
  const field = { size: "xs", clearable: true, className: styles["filter"] ?? "" } as const;
  return (
    <>
      <Select
        {...field}
        aria-label={t("pipelines.assignee")}
        placeholder={t("pipelines.assignee")}
        leftSection={<IconUser size={14} aria-hidden />}
        value={filter.assigned_to ?? null}
        onChange={(value) => set("assigned_to", value)}
        data={[
          { value: "me", label: t("pipelines.mine") },
          { value: "nobody", label: t("inbox.nobody") },
          ...team.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <div className={styles["filter"]}>
        <SearchInput
          size="xs"
          label={t("contacts.tag")}
          placeholder={t("contacts.tag")}
          icon={IconTag}
          maxLength={50}
          value={filter.tag ?? ""}
          onChange={(tag) => set("tag", tag)}
        />
      </div>
      <Select
        {...field}
        aria-label={t("inbox.channel")}
        placeholder={t("inbox.channel")}
        leftSection={<IconPlugConnected size={14} aria-hidden />}
        value={filter.channel ?? null}
        onChange={(value) => set("channel", value)}
        data={restChannels.map((value) => ({ value, label: t(`channel.${value}`) }))}
      />
      <Select
        {...field}
        className={styles["wideFilter"] ?? ""}
        aria-label={t("pipelines.appointment")}
        placeholder={t("pipelines.appointment")}
        leftSection={<IconCalendarEvent size={14} aria-hidden />}
        value={filter.appointment ?? null}
        onChange={(value) => set("appointment", value)}
        data={[
          { value: "true", label: t("pipelines.with_appointment") },
          { value: "false", label: t("pipelines.without_appointment") },
        ]}
      />
    </>
  );
}

function Totals({ totals, outcome }: { totals: BoardTotals; outcome: Query["filter"]["outcome"] }) {
  const { t } = useTranslation();
  const text = useMoneyText();
  const { cards, values } = sumOf(totals);
  return (
    <dl className={`${styles["totals"]} tabular`}>
      <div>
        <dt>{t(`pipelines.outcomes.${outcome}`)}</dt>
        <dd>{cards}</dd>
      </div>
      {values.length > 0 && (
        <div>
          <dt>{t("pipelines.value")}</dt>
          <dd>{text(values)}</dd>
        </div>
      )}
      {totals.won_this_month.length > 0 && (
        <div className={styles["won"]}>
          <dt>{t("pipelines.won_this_month")}</dt>
          <dd>{text(totals.won_this_month)}</dd>
        </div>
      )}
    </dl>
  );
}
