import { Group, NumberInput, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { giversOf, type Resource, type Service, type SlotQuery } from "../../lib/appointments.ts";

/** Length of a booking in minutes where no other length is given. */
const usualMinutes = 30;

/** Service and agenda of a booking. Null means no service, or any agenda. */
export interface SlotRequest {
  serviceId: number | null;
  /**
   * Length in minutes without a service, as the field holds it: empty while the person types a new
   * length.
   */
  minutes: number | string;
  resourceId: number | null;
}

/**
 * Initial request: the given agenda, else the only agenda, and its only service. With several
 * services, none.
 */
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

/** Service or length of a request, in the shape in which the API searches and books. */
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

/** Fields for the service, or else a length, and the agenda. */
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
