import {
  Anchor,
  ActionIcon,
  Button,
  Group,
  Menu,
  Popover,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { IconAdjustmentsHorizontal, IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { appointmentLooks } from "../../components/appointment-status.tsx";
import { Avatar } from "../../components/avatar.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { WallField } from "../../components/wall-field.tsx";
import type { Resource } from "../../lib/appointments.ts";
import { hueOf } from "../../lib/hues.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime, useNow, zoneText } from "../../lib/time.ts";
import { addDays } from "../../lib/zoned-time.ts";
import { paths } from "../../paths.ts";
import styles from "./calendar.module.css";
import { ServiceLegend } from "./service-legend.tsx";
import type { CalendarState } from "./use-calendar.ts";

interface StateProps {
  state: CalendarState;
}

/** Buttons for today, earlier and later days, and the time in the account's zone. */
export function Turns({ state: { view, date, today, set, asList } }: StateProps) {
  const { t } = useTranslation();
  const step = view === "week" ? 7 : 1;
  const go = (day: string): void => set({ date: day === today ? null : day });
  return (
    <Group gap={4} wrap="nowrap" component="span">
      <IconAction label={t("appointments.earlier")} onClick={() => go(addDays(date, -step))}>
        <IconChevronLeft size={18} stroke={1.75} />
      </IconAction>
      <IconAction label={t("appointments.later")} onClick={() => go(addDays(date, step))}>
        <IconChevronRight size={18} stroke={1.75} />
      </IconAction>
      <Button variant="default" size="xs" mx={4} onClick={() => go(today)}>
        {t("appointments.today")}
      </Button>
      {!asList && <ZoneClock />}
    </Group>
  );
}

function ZoneClock() {
  const { account } = useSession();
  const now = new Date(useNow(60_000)).toISOString();
  return (
    <Text span size="xs" c="dimmed" className="tabular">
      {zoneText(account.time_zone)}, {clockTime(now, account.time_zone)}
    </Text>
  );
}

/** Switch between a day and a week. */
export function ViewSwitch({ state: { view, set } }: StateProps) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      aria-label={t("appointments.view")}
      value={view}
      onChange={(next) => set({ view: next === "week" ? null : next })}
      data={[
        { value: "day", label: t("appointments.day") },
        { value: "week", label: t("appointments.week") },
      ]}
    />
  );
}

interface CalendarControlsProps extends StateProps {
  resources: Resource[];
}

/** Second row of the calendar: agendas, colours, and links to the other pages of the section. */
export function CalendarControls({ state, resources }: CalendarControlsProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  return (
    <div className={styles["toolbar"]}>
      {state.asList && <Turns state={state} />}
      {resources.length > 0 && <AgendaChips state={state} resources={resources} />}
      <div className={styles["end"]}>
        {state.colour === "service" && <ServiceLegend state={state} />}
        <ViewOptions state={state} />
        <nav aria-label={t("appointments.parts")}>
          <Group gap={14} component="span">
            <Anchor component={Link} size="xs" fw={500} c="accent" to={paths.bookingLinks}>
              {t("booking_links.title")}
            </Anchor>
            {role === "admin" && (
              <Anchor component={Link} size="xs" fw={500} c="accent" to={paths.appointmentSetup}>
                {t("setup.nav")}
              </Anchor>
            )}
          </Group>
        </nav>
      </div>
    </div>
  );
}

/** Agendas beyond this number are in a menu. */
const mostChips = 6;

/** Buttons that choose one agenda, some or all. */
function AgendaChips({ state: { agendaIds, set }, resources }: CalendarControlsProps) {
  const { t } = useTranslation();
  const isOn = ({ id }: Resource) => agendaIds?.includes(id) === true;
  const toggle = ({ id }: Resource): void => {
    const others = (agendaIds ?? []).filter((one) => one !== id);
    const next = agendaIds?.includes(id) === true ? others : [...others, id];
    // Without any agenda nothing is shown, so the last one stays.
    if (next.length > 0) set({ agenda: next.length === resources.length ? "all" : next.join() });
  };
  const further = resources.slice(mostChips);
  return (
    <div className={styles["chips"]} role="group" aria-label={t("setup.agendas")}>
      <UnstyledButton
        className={styles["chip"] ?? ""}
        data-plain
        aria-pressed={agendaIds === null}
        onClick={() => set({ agenda: "all" })}
      >
        <span>{t("appointments.any_agenda")}</span>
      </UnstyledButton>
      {resources.slice(0, mostChips).map((agenda) => (
        <AgendaChip
          key={agenda.id}
          agenda={agenda}
          isOn={isOn(agenda)}
          onToggle={() => toggle(agenda)}
        />
      ))}
      {further.length > 0 && (
        <Menu closeOnItemClick={false}>
          <Menu.Target>
            <UnstyledButton className={styles["chip"] ?? ""} data-plain>
              <span>{t("appointments.more_agendas", { count: further.length })}</span>
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
            {further.map((agenda) => (
              <Menu.CheckboxItem
                key={agenda.id}
                checked={isOn(agenda)}
                closeMenuOnClick={false}
                rightSection={<Avatar id={agenda.id} name={agenda.name} size={18} />}
                onChange={() => toggle(agenda)}
              >
                <bdi>{agenda.name}</bdi>
              </Menu.CheckboxItem>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}

interface AgendaChipProps {
  agenda: Resource;
  isOn: boolean;
  onToggle: () => void;
}

function AgendaChip({ agenda: { id, name }, isOn, onToggle }: AgendaChipProps) {
  return (
    <UnstyledButton
      className={styles["chip"] ?? ""}
      data-hue={hueOf(id)}
      aria-pressed={isOn}
      title={name}
      onClick={onToggle}
    >
      <Avatar id={id} name={name} size={18} />
      <span dir="auto">{name}</span>
    </UnstyledButton>
  );
}

/** Popover with the day, the origin of colours, cancelled appointments, and a key to the forms. */
function ViewOptions({ state: { date, today, colour, all, set } }: StateProps) {
  const { t } = useTranslation();
  const [picking, setPicking] = useState(false);
  return (
    // The first Escape closes the days alone.
    <Popover position="bottom-end" width={280} trapFocus closeOnEscape={!picking}>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t("appointments.options")}>
          <IconAdjustmentsHorizontal size={17} stroke={1.75} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <WallField
            kind="date"
            label={t("appointments.date")}
            value={date}
            withinPortal={false}
            onCalendar={setPicking}
            onChange={(day) => day !== "" && set({ date: day === today ? null : day })}
          />
          <Stack gap={4}>
            <Text size="sm" fw={500} id="colour-by">
              {t("appointments.colour")}
            </Text>
            <SegmentedControl
              aria-labelledby="colour-by"
              fullWidth
              value={colour}
              onChange={(next) => set({ colour: next === "service" ? null : next })}
              data={[
                { value: "service", label: t("appointments.by_service") },
                { value: "agenda", label: t("appointments.agenda") },
              ]}
            />
          </Stack>
          <Switch
            label={t("appointments.all")}
            checked={all}
            onChange={({ currentTarget }) => set({ all: currentTarget.checked ? "1" : null })}
          />
          <FormKey />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Key to the forms of an appointment: its status, or a move of it. */
function FormKey() {
  const { t } = useTranslation();
  const shown = ["confirmed", "completed", "no_show", "cancelled"] as const;
  return (
    <ul className={styles["forms"]} aria-label={t("appointments.forms")}>
      {shown.map((status) => {
        const { icon: Picture } = appointmentLooks[status];
        return (
          <li key={status} className={styles["block"]} data-hue="slate" data-form={status}>
            <span className={styles["line"]}>
              <b className={styles["name"]}>{t(`appointment_status.${status}`)}</b>
              <span className={styles["marks"]}>
                {status !== "confirmed" && <Picture size={13} aria-hidden />}
              </span>
            </span>
          </li>
        );
      })}
      <li className={styles["block"]} data-hue="slate" data-form="moving">
        <b>{t("appointments.moving")}</b>
      </li>
    </ul>
  );
}
