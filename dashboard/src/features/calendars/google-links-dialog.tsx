import { Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import { resourcesQuery, type Resource } from "../../lib/appointments.ts";
import { tellDone } from "../../lib/notify.ts";
import {
  useGoogleCalendars,
  useSaveLinks,
  type GoogleCalendar,
  type GoogleConnection,
  type GoogleLink,
} from "./api.ts";
import styles from "./calendars.module.css";

interface LinksDialogProps {
  connection: GoogleConnection;
  onClose: () => void;
}

/** Dialog that gives the calendars of a Google account their agendas. */
export function GoogleLinksDialog({ connection, onClose }: LinksDialogProps) {
  const { t } = useTranslation();
  const calendars = useGoogleCalendars(connection.id);
  const resources = useQuery(resourcesQuery());
  return (
    <Dialog onClose={onClose} size="lg" title={t("calendars.choose")}>
      <QueryState query={calendars} rows={3}>
        {(offered) => (
          <QueryState query={resources} rows={3}>
            {({ data }) => (
              <LinksForm
                connection={connection}
                rows={rowsOf(offered, connection.google.links)}
                resources={data}
                onClose={onClose}
              />
            )}
          </QueryState>
        )}
      </QueryState>
    </Dialog>
  );
}

/** A calendar that Google offers, or one that is linked and that Google no longer offers. */
interface Row extends GoogleCalendar {
  isLost: boolean;
}

function rowsOf(offered: GoogleCalendar[], links: GoogleLink[]): Row[] {
  const known = new Set(offered.map((one) => one.calendar_id));
  const lost = links.filter((link) => !known.has(link.calendar_id));
  return [
    ...offered.map((one) => ({ ...one, isLost: false })),
    ...lost.map(({ calendar_id, name }) => {
      return { calendar_id, name, primary: false, writable: true, isLost: true };
    }),
  ];
}

/** Use of a calendar; without an agenda it is not used. */
interface Use extends Pick<GoogleLink, "direction" | "other_events"> {
  resource_id: number | null;
}
type Uses = Record<string, Use>;

function usesOf(rows: Row[], links: GoogleLink[]): Uses {
  return Object.fromEntries(
    rows.map(({ calendar_id: id, writable }): [string, Use] => {
      const link = links.find((one) => one.calendar_id === id);
      if (link !== undefined) return [id, link];
      const direction = writable ? "two_way" : "busy_only";
      return [id, { resource_id: null, direction, other_events: "busy" }];
    }),
  );
}

interface LinksFormProps extends LinksDialogProps {
  rows: Row[];
  resources: Resource[];
}

function LinksForm({ connection, rows, resources, onClose }: LinksFormProps) {
  const { t } = useTranslation();
  const [uses, setUses] = useState(() => usesOf(rows, connection.google.links));
  const save = useSaveLinks(connection.id);
  const chosen = Object.values(uses).flatMap(({ resource_id: id }) => (id === null ? [] : [id]));
  const twice = new Set(chosen.filter((id, index) => chosen.indexOf(id) !== index));
  if (rows.length === 0) return <Text c="dimmed">{t("calendars.no_calendars")}</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(
          { links: bodyOf(uses) },
          {
            onSuccess: () => {
              onClose();
              tellDone(t("calendars.saved"));
            },
          },
        );
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t("calendars.choose_text")}</Text>
        <div className={styles["choices"]}>
          {rows.map((row) => (
            <CalendarChoice
              key={row.calendar_id}
              row={row}
              use={uses[row.calendar_id]}
              resources={resources}
              twice={twice}
              onChange={(use) => setUses((before) => ({ ...before, [row.calendar_id]: use }))}
            />
          ))}
        </div>
        <MutationFoot
          mutation={save}
          submit={t("common.save")}
          disabled={twice.size > 0}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function bodyOf(uses: Uses) {
  return Object.entries(uses).flatMap(([calendar_id, use]) => {
    const { resource_id, direction, other_events } = use;
    return resource_id === null ? [] : [{ calendar_id, resource_id, direction, other_events }];
  });
}

interface ChoiceProps {
  row: Row;
  use: Use | undefined;
  resources: Resource[];
  /** Agendas that more than one calendar has. */
  twice: Set<number>;
  onChange: (use: Use) => void;
}

function CalendarChoice({ row, use, resources, twice, onChange }: ChoiceProps) {
  const { t } = useTranslation();
  if (use === undefined) return null;
  const { name, primary, writable, isLost } = row;
  const { resource_id: id } = use;
  const notes = [
    primary && t("calendars.primary"),
    !writable && t("calendars.read_only"),
    isLost && t("calendars.lost"),
  ].filter((note) => note !== false);
  const agenda = resources.find((one) => one.id === id)?.name ?? `#${id}`;
  return (
    <div role="group" aria-label={name}>
      <div className={styles["choiceName"]}>
        <b dir="auto">{name}</b>
        {notes.length > 0 && <small>{notes.join(" · ")}</small>}
      </div>
      <div className={styles["choiceFields"]}>
        <Select
          label={t("calendars.agenda")}
          placeholder={t("calendars.nobody")}
          clearable
          searchable
          data={resources.map((one) => ({ value: String(one.id), label: one.name }))}
          value={id === null ? null : String(id)}
          error={id !== null && twice.has(id) ? t("calendars.twice", { agenda }) : null}
          onChange={(value) =>
            onChange({ ...use, resource_id: value === null ? null : Number(value) })
          }
        />
        {id !== null && <UseFields use={use} writable={writable} onChange={onChange} />}
      </div>
    </div>
  );
}

const directions = ["two_way", "write_only", "busy_only"] as const;
const others = ["busy", "ignore"] as const;

interface UseFieldsProps {
  use: Use;
  writable: boolean;
  onChange: (use: Use) => void;
}

/** Direction of a calendar, and the use of its events that are no appointments. */
function UseFields({ use, writable, onChange }: UseFieldsProps) {
  const { t } = useTranslation();
  const possible = writable ? directions : (["busy_only"] as const);
  return (
    <>
      <Select
        label={t("calendars.direction")}
        allowDeselect={false}
        data={possible.map((value) => ({ value, label: t(`calendars.directions.${value}`) }))}
        value={use.direction}
        onChange={(value) => {
          const direction = directions.find((one) => one === value);
          if (direction !== undefined) onChange({ ...use, direction });
        }}
      />
      {use.direction === "two_way" && (
        <Select
          label={t("calendars.other_events")}
          description={t("calendars.other_events_text")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          allowDeselect={false}
          data={others.map((value) => ({ value, label: t(`calendars.others.${value}`) }))}
          value={use.other_events}
          onChange={(value) => {
            const other = others.find((one) => one === value);
            if (other !== undefined) onChange({ ...use, other_events: other });
          }}
        />
      )}
    </>
  );
}
