import { Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { MutationFoot } from "../../components/mutation-foot.tsx";
import {
  resourcesQuery,
  servicesQuery,
  type Resource,
  type Service,
} from "../../lib/appointments.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSaveMapping, type CalendlyConnection } from "./api.ts";
import styles from "./calendars.module.css";

interface MappingDialogProps {
  connection: CalendlyConnection;
  name: string;
  onClose: () => void;
}

/** Dialog that gives Calendly's people an agenda and its event types a service. */
export function CalendlyMappingDialog({ connection, name, onClose }: MappingDialogProps) {
  const { t } = useTranslation();
  const resources = useQuery(resourcesQuery());
  const services = useQuery(servicesQuery());
  return (
    <Dialog onClose={onClose} size="lg" title={t("calendars.map_title", { name })}>
      <QueryState query={resources} rows={3}>
        {({ data: agendas }) => (
          <QueryState query={services} rows={3}>
            {({ data }) => (
              <MappingForm
                connection={connection}
                agendas={agendas}
                services={data}
                onClose={onClose}
              />
            )}
          </QueryState>
        )}
      </QueryState>
    </Dialog>
  );
}

/** Chosen id by the URI of a person or an event type. */
export type Choices = Record<string, number | null>;

interface MappingFormProps extends Omit<MappingDialogProps, "name"> {
  agendas: Resource[];
  services: Service[];
}

function MappingForm({ connection, agendas, services, onClose }: MappingFormProps) {
  const { t } = useTranslation();
  const { users, event_types: types } = connection.calendly;
  const save = useSaveMapping(connection.id);
  const [people, setPeople] = useState<Choices>(() =>
    Object.fromEntries(users.map((one) => [one.uri, one.resource_id])),
  );
  const [given, setGiven] = useState<Choices>(() =>
    Object.fromEntries(types.map((one) => [one.uri, one.service_id])),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const body = {
          users: Object.entries(people).map(([uri, resource_id]) => ({ uri, resource_id })),
          event_types: Object.entries(given).map(([uri, service_id]) => ({ uri, service_id })),
        };
        save.mutate(body, {
          onSuccess: () => {
            onClose();
            tellDone(t("calendars.mapping_saved"));
          },
        });
      }}
    >
      <Stack gap="md">
        <Choosing
          title={t("calendars.people")}
          text={t(users.length === 0 ? "calendars.no_people" : "calendars.people_text")}
          rows={users.map(({ uri, name, email }) => ({ uri, label: name, note: email }))}
          options={agendas}
          none={t("calendars.nobody")}
          choices={people}
          onChange={setPeople}
        />
        <Choosing
          title={t("calendars.services")}
          text={t(types.length === 0 ? "calendars.no_types" : "calendars.services_text")}
          rows={types.map(({ uri, name }) => ({ uri, label: name, note: null }))}
          options={services}
          none={t("calendars.no_service")}
          choices={given}
          onChange={setGiven}
        />
        <MutationFoot mutation={save} submit={t("common.save")} onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface ChoosingProps {
  title: string;
  text: string;
  rows: { uri: string; label: string; note: string | null }[];
  options: { id: number; name: string }[];
  /** Words for no choice. */
  none: string;
  choices: Choices;
  onChange: (choices: Choices) => void;
}

/** A field for each row, which chooses an agenda or a service. */
export function Choosing(props: ChoosingProps) {
  const { title, text, rows, options, none, choices, onChange } = props;
  const data = options.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <section aria-label={title}>
      <Title order={3}>{title}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {text}
      </Text>
      <div className={styles["pairs"]}>
        {rows.map(({ uri, label, note }) => {
          const id = choices[uri] ?? null;
          return (
            <Select
              key={uri}
              label={label}
              description={note}
              placeholder={none}
              clearable
              searchable
              data={data}
              value={id === null ? null : String(id)}
              onChange={(value) =>
                onChange({ ...choices, [uri]: value === null ? null : Number(value) })
              }
            />
          );
        })}
      </div>
    </section>
  );
}
