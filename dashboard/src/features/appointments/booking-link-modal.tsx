import { Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { maxSlugLength } from "../../../../core/model/booking-link.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { callApi } from "../../lib/api.ts";
import { giversOf, type Resource, type Service } from "../../lib/appointments.ts";
import { differenceOf } from "../../lib/difference.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { useAgendaChange, type BookingLink } from "./agenda-api.ts";

interface BookingLinkModalProps {
  /** Undefined for a new link. */
  link?: BookingLink;
  resources: Resource[];
  services: Service[];
  onClose: () => void;
}

/** Dialog that creates or changes a booking link. */
export function BookingLinkModal({ link, onClose, ...offers }: BookingLinkModalProps) {
  const { t } = useTranslation();
  const change = useAgendaChange();
  const form = useLinkForm(link);
  const { service, resource } = form.values;
  const save = form.onSubmit((values) => {
    const body = bodyOf(values);
    const call = () =>
      link === undefined
        ? callApi("POST /booking-links", { body })
        : // A colleague's change of another field stays.
          callApi("PATCH /booking-links/:id", {
            id: link.id,
            body: differenceOf(body, bodyOf(form.getInitialValues())),
          });
    change.mutate(call, {
      onSuccess: onClose,
      onError: (error) => form.setErrors({ slug: fieldErrors(error)["own_slug"] }),
    });
  });
  return (
    <Dialog onClose={onClose} title={link === undefined ? t("booking_links.add") : link.title}>
      <form onSubmit={save}>
        <Stack gap="sm">
          <Fields form={form} {...offers} />
          <FormFoot
            error={
              change.isError && form.errors["slug"] === undefined ? errorText(change.error) : null
            }
            submit={t("common.save")}
            pending={change.isPending}
            disabled={service === null && resource === null}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** All fields of a booking link, as the API takes them. */
function bodyOf({ title, slug, service, resource }: ReturnType<typeof useLinkForm>["values"]) {
  const own_slug = slug.trim() === "" ? null : slug;
  return { title, own_slug, service_id: idOf(service), resource_id: idOf(resource) };
}

function useLinkForm(link: BookingLink | undefined) {
  return useForm({
    initialValues: {
      title: link?.title ?? "",
      slug: link?.own_slug ?? "",
      service: valueOf(link?.service_id ?? null),
      resource: valueOf(link?.resource_id ?? null),
    },
  });
}

interface FieldsProps extends Pick<BookingLinkModalProps, "resources" | "services"> {
  form: ReturnType<typeof useLinkForm>;
}

function Fields({ form, resources, services }: FieldsProps) {
  const { t } = useTranslation();
  const chosen = services.find(({ id }) => id === idOf(form.values.service));
  return (
    <>
      <TextInput
        label={t("booking_links.heading")}
        required
        withAsterisk={false}
        maxLength={200}
        data-autofocus
        {...form.getInputProps("title")}
      />
      <TextInput
        label={t("booking_links.slug")}
        description={t("booking_links.slug_text")}
        placeholder="sonrisa-dental"
        leftSection={<Text size="sm">/book/</Text>}
        leftSectionWidth={56}
        maxLength={maxSlugLength}
        spellCheck={false}
        {...form.getInputProps("slug")}
      />
      <Select
        label={t("booking.service")}
        description={t("booking_links.needs")}
        placeholder={t("booking_links.any_service")}
        clearable
        data={services.map(({ id, name }) => ({ value: String(id), label: name }))}
        {...form.getInputProps("service")}
      />
      <Select
        label={t("appointments.agenda")}
        placeholder={t("booking_links.any_resource")}
        clearable
        data={giversOf(chosen, resources).map(({ id, name }) => ({
          value: String(id),
          label: name,
        }))}
        {...form.getInputProps("resource")}
      />
    </>
  );
}

function idOf(value: string | null): number | null {
  return value === null ? null : Number(value);
}

function valueOf(id: number | null): string | null {
  return id === null ? null : String(id);
}
