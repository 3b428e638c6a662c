import { ActionIcon, Button, Menu, Popover, Title, Tooltip } from "@mantine/core";
import {
  IconAdjustmentsHorizontal,
  IconChevronDown,
  IconEdit,
  IconFlask,
  IconKeyboard,
  IconSearch,
} from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { inboxOrders } from "../../../../core/model/inbox-queue.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { LoadingRows } from "../../components/load-states.tsx";
import { Mark } from "../../components/mark.tsx";
import { lazyPart } from "../../lib/lazy-part.ts";
import { useViewLinks, type ViewLink } from "../../lib/view-links.ts";
import styles from "./inbox.module.css";
import { isNarrowed, type ListChange, type ListState } from "./list-state.ts";
import { useSavedViewItems } from "./use-saved-view-items.tsx";

const ListFilters = lazyPart(async () => (await import("./list-filters.tsx")).ListFilters);

interface ListHeadProps {
  /** Null until the list is known. */
  state: ListState | null;
  change: (next: ListChange) => void;
  /** Number of conversations in words; empty before they are counted. */
  count: string;
  onHelp: () => void;
  onSearch: () => void;
  onStart: () => void;
  onWrite: () => void;
}

/** Head of the list: view, number of conversations, order, filters and actions. */
export function ListHead({ state, change, count, ...actions }: ListHeadProps) {
  const { t } = useTranslation();
  const links = useViewLinks();
  const current = links.find(({ isCurrent }) => isCurrent);
  return (
    <>
      <div className={styles["listHead"]}>
        <span className={styles["mark"]}>
          <Mark size={24} />
        </span>
        <Title order={1} size="h2" className={styles["listTitle"] ?? ""}>
          {t("inbox.title")}
        </Title>
        <Title order={2} className={styles["viewTitle"] ?? ""} dir="auto">
          {current?.label ?? t("inbox.gone_view")}
        </Title>
        <ViewMenu links={links} label={current?.label ?? t("inbox.gone_view")} />
        <span className={`${styles["viewCount"]} tabular`}>{count}</span>
        <span className={styles["headRest"]} />
        <ListMenu state={state} change={change} {...actions} />
        <HeadActions state={state} change={change} {...actions} />
      </div>
      <nav className={styles["pills"]} aria-label={t("inbox.view")}>
        {links.map(({ key, to, label, count: number, isCurrent }) => (
          <Link key={key} to={to} aria-current={isCurrent ? "page" : undefined}>
            <span dir="auto">{label}</span>
            {number !== "" && <span className="tabular">{number}</span>}
          </Link>
        ))}
      </nav>
    </>
  );
}

/** The views behind the title, where the sidebar does not show them. */
function ViewMenu({ links, label }: { links: ViewLink[]; label: string }) {
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          className={styles["viewMenu"] ?? ""}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map(({ key, to, label: name, count, isCurrent }) => (
          <Menu.Item
            key={key}
            component={Link}
            to={to}
            aria-current={isCurrent ? "page" : undefined}
            rightSection={<span className="tabular">{count}</span>}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type ListMenuProps = Omit<ListHeadProps, "count" | "onStart">;

/** Menu of the list behind the name of its order: order, saved view, search and help. */
function ListMenu({ state, change, onHelp, onSearch, onWrite }: ListMenuProps) {
  const { t } = useTranslation();
  const views = useSavedViewItems(state);
  const order = state?.order ?? "queue";
  const word = t(`inbox.orders.${order}`);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            px={6}
            flex="none"
            className={styles["order"] ?? ""}
            aria-label={`${t("inbox.list_more")}: ${word}`}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            <span className={styles["orderWord"]}>{word}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {inboxOrders.map((one) => (
            <Menu.RadioItem
              key={one}
              value={one}
              checked={one === order}
              closeMenuOnClick
              onChange={() => change({ order: one })}
            >
              {t(`inbox.orders.${one}`)}
            </Menu.RadioItem>
          ))}
          <Menu.Divider />
          {views.items}
          <Menu.Item leftSection={<IconSearch size={15} aria-hidden />} onClick={onSearch}>
            {t("inbox.search_all")}
          </Menu.Item>
          <Menu.Item leftSection={<IconFlask size={15} aria-hidden />} onClick={onWrite}>
            {t("sandbox.title")}
          </Menu.Item>
          <Menu.Item leftSection={<IconKeyboard size={15} aria-hidden />} onClick={onHelp}>
            {t("shortcuts.title")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {views.dialogs}
    </>
  );
}

type HeadActionsProps = Pick<ListHeadProps, "state" | "change" | "onSearch" | "onStart">;

function HeadActions({ state, change, onSearch, onStart }: HeadActionsProps) {
  const { t } = useTranslation();
  return (
    <div className={styles["headActions"]}>
      {state !== null && <FilterButton state={state} change={change} />}
      <IconAction label={t("inbox.search_all")} hiddenFrom="sm" onClick={onSearch}>
        <IconSearch size={20} />
      </IconAction>
      <IconAction label={t("new_conversation.title")} onClick={onStart}>
        <IconEdit size={17} />
      </IconAction>
    </div>
  );
}

function FilterButton({ state, change }: { state: ListState } & Pick<ListHeadProps, "change">) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={280}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Tooltip label={t("inbox.filter")}>
          <ActionIcon
            variant={isNarrowed(state) ? "light" : "subtle"}
            color={isNarrowed(state) ? "indigo" : "gray"}
            aria-label={t("inbox.filter")}
            aria-expanded={opened}
            aria-haspopup="dialog"
            onClick={() => setOpened(!opened)}
          >
            <IconAdjustmentsHorizontal size={17} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("inbox.filter")}>
        <Suspense fallback={<LoadingRows />}>
          <ListFilters state={state} change={change} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
