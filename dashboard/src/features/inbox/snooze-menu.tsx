import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../lib/lazy-part.ts";
import { useSession } from "../../lib/session.ts";
import { snoozeText, useNow } from "../../lib/time.ts";
import { snoozeChoices } from "./snooze-times.ts";

const SnoozeDialog = lazyPart(async () => (await import("./snooze-dialog.tsx")).SnoozeDialog);

interface SnoozeMenuProps {
  opened: boolean;
  onChange: (opened: boolean) => void;
  /** True where the menu offers to end a snooze. */
  isSnoozed?: boolean;
  /** `until` is null to end the snooze. */
  onSnooze: (until: string | null) => void;
  /** The button that opens the menu. */
  children: ReactNode;
}

/** Menu with moments to snooze until, and a dialog for any other moment. */
export function SnoozeMenu({ opened, onChange, isSnoozed, onSnooze, children }: SnoozeMenuProps) {
  const [picking, pick] = useDisclosure(false);
  return (
    <>
      <Menu opened={opened} onChange={onChange} position="bottom-end" width={240}>
        <Menu.Target>{children}</Menu.Target>
        <Menu.Dropdown>
          <SnoozeItems isSnoozed={isSnoozed} onSnooze={onSnooze} onPick={pick.open} />
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {picking && <SnoozeDialog onSnooze={onSnooze} onClose={pick.close} />}
      </Suspense>
    </>
  );
}

interface SnoozeItemsProps extends Pick<SnoozeMenuProps, "isSnoozed" | "onSnooze"> {
  onPick: () => void;
}

/** Entries of a menu with moments to snooze until. */
export function SnoozeItems({ isSnoozed = false, onSnooze, onPick }: SnoozeItemsProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const now = new Date(useNow(60_000)).toISOString();
  return (
    <>
      <Menu.Label>{t("snooze.title")}</Menu.Label>
      {snoozeChoices(now, account.time_zone).map(({ key, at }) => (
        <Menu.Item
          key={key}
          rightSection={<span className="tabular">{snoozeText(at, account.time_zone)}</span>}
          onClick={() => onSnooze(at)}
        >
          {t(`snooze.${key}`)}
        </Menu.Item>
      ))}
      <Menu.Item onClick={onPick}>{t("snooze.pick")}</Menu.Item>
      {isSnoozed && (
        <>
          <Menu.Divider />
          <Menu.Item onClick={() => onSnooze(null)}>{t("snooze.end")}</Menu.Item>
        </>
      )}
    </>
  );
}
