import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { weekdays } from "../../../../core/model/schedule.ts";
import { QueryState } from "../../components/load-states.tsx";
import { resourcesQuery, type Resource } from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { zoneText } from "../../lib/time.ts";
import { AgendaModal } from "./agenda-modal.tsx";
import { Closures } from "./closures.tsx";
import { Feeds } from "./feeds.tsx";
import { SetupList, SetupRow } from "./setup-list.tsx";

/** List of agendas. */
export function AgendaList() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [archived, setArchived] = useState(false);
  const [edited, setEdited] = useState<Resource | "new" | null>(null);
  const agendas = useQuery(resourcesQuery({ archived }));
  return (
    <SetupList
      title={t("setup.agendas")}
      add={t("setup.add_agenda")}
      onAdd={() => setEdited("new")}
      archived={archived}
      onArchived={setArchived}
    >
      <QueryState query={agendas} rows={2}>
        {({ data }) => (
          <>
            {data.length === 0 && !archived && <Text c="dimmed">{t("setup.no_agenda")}</Text>}
            {data.map((row) => (
              <SetupRow
                key={row.id}
                below="/resources"
                row={row}
                edit={t("setup.edit_agenda", { name: row.name })}
                onEdit={() => setEdited(row)}
              >
                <Hours resource={row} />
                {row.archived_at === null && (
                  <Group gap="xs">
                    <Closures resource={row} />
                    {role === "admin" && <Feeds resource={row} />}
                  </Group>
                )}
              </SetupRow>
            ))}
          </>
        )}
      </QueryState>
      {edited !== null && (
        <AgendaModal
          {...(edited === "new" ? {} : { resource: edited })}
          onClose={() => setEdited(null)}
        />
      )}
    </SetupList>
  );
}

/** Weekly hours, with one line per run of equal days: `Monday–Friday 09:00–17:00`. */
function Hours({ resource: { weekly_hours: hours, time_zone: zone } }: { resource: Resource }) {
  const { t } = useTranslation();
  const runs: { first: string; last: string; words: string }[] = [];
  for (const day of weekdays) {
    const words = hours[day].map(({ from, to }) => `${from}–${to}`).join(", ");
    const run = runs.at(-1);
    if (run?.words === words) run.last = t(`weekday.${day}`);
    else runs.push({ first: t(`weekday.${day}`), last: t(`weekday.${day}`), words });
  }
  return (
    <>
      {runs.map(({ first, last, words }) => (
        <Text key={first} size="sm" className="tabular">
          {first === last ? first : `${first}–${last}`} {words === "" ? t("setup.closed") : words}
        </Text>
      ))}
      <Text size="xs" c="dimmed">
        {zoneText(zone)}
      </Text>
    </>
  );
}
