import { Group, NumberInput, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { giversOf, type Resource, type Service, type SlotQuery } from "../../lib/appointments.ts";

/** How long a booking takes where nothing says so. */
const usualMinutes = 30;

/** What is booked, and where; null: no service, any agenda. */
export interface SlotRequest {
  serviceId: number | null;
  /** How long, without a service, as it stands in its field: empty while it is typed anew. */
  minutes: number | string;
  resourceId: number | null;
}

/** What a booking begins with: the only service and the only agenda, where there is one alone. */
export function firstSlotRequest(
  resourceId: number | undefined,
  resources: Resource[],
  services: Service[],
): SlotRequest {
  const given = resourceId ?? (resources.length === 1 ? resources[0]?.id : undefined);
  const offered = services.filter((service) => gives(service, given ?? null));
  return {
    serviceId: offered.length === 1 ? (offered[0]?.id ?? null) : null,
    minutes: usualMinutes,
    resourceId: given ?? null,
  };
}

/** What the API looks for a free time by, and books. */
export function lengthOf({ serviceId, minutes }: SlotRequest): SlotQuery {
  return serviceId === null
    ? { duration_minutes: Number(minutes) || usualMinutes }
    : { service_id: serviceId };
}

interface WishFieldsProps {
  wish: SlotRequest;
  resources: Resource[];
  services: Service[];
  onChange: (wish: SlotRequest) => void;
}

/** Service, else a length, and agenda. */
export function SlotRequestFields({ wish, resources, services, onChange }: WishFieldsProps) {
  const { t } = useTranslation();
  const service = services.find(({ id }) => id === wish.serviceId);
  const givers = giversOf(service, resources);
  const choose = (serviceId: number | null): void => {
    const next = services.find(({ id }) => id === serviceId);
    const kept = next === undefined || gives(next, wish.resourceId);
    onChange({ ...wish, serviceId, resourceId: kept ? wish.resourceId : null });
  };
  return (
    <>
      <Group align="flex-start" grow>
        <Select
          label={t("booking.service")}
          placeholder={t("booking.no_service")}
          clearable
          searchable
          value={wish.serviceId === null ? null : String(wish.serviceId)}
          onChange={(id) => choose(id === null ? null : Number(id))}
          data={services.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        {wish.serviceId === null && (
          <NumberInput
            label={t("booking.minutes")}
            min={1}
            max={1_440}
            step={5}
            allowDecimal={false}
            placeholder={String(usualMinutes)}
            value={wish.minutes}
            onChange={(minutes) => onChange({ ...wish, minutes })}
          />
        )}
      </Group>
      <Select
        label={t("appointments.agenda")}
        placeholder={t("appointments.any_agenda")}
        clearable
        searchable
        value={wish.resourceId === null ? null : String(wish.resourceId)}
        onChange={(id) => onChange({ ...wish, resourceId: id === null ? null : Number(id) })}
        data={givers.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
    </>
  );
}

function gives({ resource_ids: givers }: Service, resourceId: number | null): boolean {
  return resourceId === null || givers.length === 0 || givers.includes(resourceId);
}
