import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Swatch } from "../../components/hue-picker.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { resourcesQuery, servicesQuery, type Service } from "../../lib/appointments.ts";
import { ServiceModal } from "./service-modal.tsx";
import { SetupList, SetupRow } from "./setup-list.tsx";

/** List of services. */
export function ServiceList() {
  const { t } = useTranslation();
  const [archived, setArchived] = useState(false);
  const [edited, setEdited] = useState<Service | "new" | null>(null);
  const services = useQuery(servicesQuery({ archived }));
  const resources = useQuery(resourcesQuery()).data?.data ?? [];
  const names = new Map(resources.map(({ id, name }) => [id, name]));
  return (
    <SetupList
      title={t("setup.services")}
      add={t("setup.add_service")}
      onAdd={() => setEdited("new")}
      archived={archived}
      onArchived={setArchived}
    >
      <QueryState query={services} rows={2}>
        {({ data }) => (
          <>
            {data.length === 0 && !archived && <Text c="dimmed">{t("setup.no_service")}</Text>}
            {data.map((row) => (
              <SetupRow
                key={row.id}
                below="/services"
                row={row}
                edit={t("setup.edit_service", { name: row.name })}
                onEdit={() => setEdited(row)}
              >
                <Text size="sm" c="dimmed">
                  <Swatch hue={row.hue} />
                  {t("setup.minutes", { count: row.duration_minutes })}
                  {" · "}
                  {row.resource_ids.length === 0
                    ? t("setup.all_agendas")
                    : row.resource_ids.map((id) => names.get(id) ?? t("setup.archived")).join(", ")}
                </Text>
              </SetupRow>
            ))}
          </>
        )}
      </QueryState>
      {edited !== null && (
        <ServiceModal
          {...(edited === "new" ? {} : { service: edited })}
          resources={resources}
          onClose={() => setEdited(null)}
        />
      )}
    </SetupList>
  );
}
