import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ContactRow } from "../../lib/contact.ts";
import { ContactPicker } from "../contact-picker.tsx";
import type { Booking } from "./use-book.ts";

/** A known contact, or the typed data of a new contact. */
export type Customer =
  | { kind: "known"; contact: ContactRow | null }
  | { kind: "new"; contact: { name: string; phone: string; email: string } };

/** The customer in the shape of the API; null without a choice. */
export function customerIn(customer: Customer): Pick<Booking, "contact" | "contact_id"> | null {
  if (customer.kind === "known") {
    return customer.contact === null ? null : { contact_id: customer.contact.id };
  }
  const { phone, email } = customer.contact;
  return phone.trim() === "" && email.trim() === "" ? null : { contact: customer.contact };
}

interface CustomerFieldsProps {
  value: Customer;
  onChange: (customer: Customer) => void;
  /** Error message per field, by the path of the field. */
  errors: Record<string, string>;
}

/** Fields that choose the customer of an appointment. */
export function CustomerFields({ value, onChange, errors }: CustomerFieldsProps) {
  const { t } = useTranslation();
  const isNew = value.kind === "new";
  const other: Customer = isNew
    ? { kind: "known", contact: null }
    : { kind: "new", contact: { name: "", phone: "", email: "" } };
  return (
    <Stack gap="xs" role="group" aria-label={t("booking.customer")}>
      {value.kind === "new" ? (
        <NewCustomer
          contact={value.contact}
          onChange={(contact) => onChange({ kind: "new", contact })}
          errors={errors}
        />
      ) : (
        <ContactPicker
          label={t("booking.choose_customer")}
          limit={4}
          chosen={value.contact}
          onChoose={(contact) => onChange({ kind: "known", contact })}
        />
      )}
      <Group>
        <Button size="compact-sm" variant="default" onClick={() => onChange(other)}>
          {t(isNew ? "booking.known_customer" : "booking.new_customer")}
        </Button>
      </Group>
    </Stack>
  );
}

interface NewCustomerProps {
  contact: { name: string; phone: string; email: string };
  onChange: (contact: NewCustomerProps["contact"]) => void;
  errors: Record<string, string>;
}

function NewCustomer({ contact, onChange, errors }: NewCustomerProps) {
  const { t } = useTranslation();
  const field = (name: keyof typeof contact) => ({
    value: contact[name],
    error: errors[`contact.${name}`],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...contact, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <Text size="sm" c="dimmed">
        {t("booking.customer_text")}
      </Text>
      <TextInput label={t("common.name")} maxLength={200} {...field("name")} />
      <Group grow align="flex-start">
        <TextInput type="tel" label={t("contact.phone")} {...field("phone")} />
        <TextInput type="email" label={t("common.email")} {...field("email")} />
      </Group>
    </>
  );
}
