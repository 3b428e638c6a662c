import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../lib/api.ts";
import type { Resource, Service } from "../../lib/appointments.ts";
import { fieldErrors } from "../../lib/error-text.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { dayAndTime } from "../../lib/time.ts";
import { useIsMounted } from "../../lib/use-is-mounted.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import { FormFoot } from "../form-foot.tsx";
import { CustomerFields, customerIn, type Customer } from "./customer-fields.tsx";
import { Refusal } from "./refusal.tsx";
import { SlotPicker, type SlotChoice } from "./slot-picker.tsx";
import { firstSlotRequest, lengthOf, SlotRequestFields } from "./slot-request-fields.tsx";
import { useBook } from "./use-book.ts";

/** Day, time and agenda with which a booking begins, where the caller knows them. */
export interface BookingStart extends Partial<SlotChoice> {
  /** A day as `2026-11-24`, in the account's time zone. */
  date?: string;
}

/** Contact of a booking, with the conversation from which it is booked. */
export interface BookedContact {
  id: number;
  name: string;
  conversationId?: number | undefined;
}

interface BookingFormProps {
  contact?: BookedContact;
  at?: BookingStart;
  resources: Resource[];
  services: Service[];
  onDone: () => void;
}

/** Form for an appointment: customer, service, agenda and time. */
export function BookingForm({ contact, at = {}, resources, services, onDone }: BookingFormProps) {
  const { t } = useTranslation();
  const [customer, setCustomer] = useState<Customer>({ kind: "known", contact: null });
  const [wish, setWish] = useState(() => firstSlotRequest(at.resource_id, resources, services));
  const [slot, setSlot] = useState(() => pointedAt(at));
  const [date, setDate] = useFirstDate(at);
  const [title, setTitle] = useState("");
  const { book, error, pending } = useBooking(onDone, () => setSlot(null));
  const who = contact === undefined ? customerIn(customer) : idsOf(contact);
  const named = title.trim() === "" ? {} : { title };
  const submit = (outsideHours: boolean): void => {
    if (slot === null || who === null) return;
    const { resource_id, start_time } = slot;
    const place = { resource_id, start_time, outside_hours: outsideHours };
    book({ ...who, ...lengthOf(wish), ...named, ...place });
  };
  const where = wish.resourceId === null ? {} : { resource_id: wish.resourceId };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(false);
      }}
    >
      <Stack>
        {contact === undefined ? (
          <CustomerFields value={customer} onChange={setCustomer} errors={fieldErrors(error)} />
        ) : (
          <Text fw={500}>{contact.name}</Text>
        )}
        <SlotRequestFields
          wish={wish}
          resources={resources}
          services={services}
          onChange={(next) => {
            setWish(next);
            setSlot(null);
          }}
        />
        <SlotPicker
          wish={{ ...lengthOf(wish), ...where }}
          resources={resources}
          date={date}
          onDate={setDate}
          value={slot}
          onChange={setSlot}
        />
        <TitleInput value={title} onChange={setTitle} />
        <FormFoot
          error={error === null ? null : <Refusal error={error} onAnyway={() => submit(true)} />}
          submit={t("booking.submit")}
          pending={pending}
          disabled={slot === null || who === null}
        />
      </Stack>
    </form>
  );
}

function TitleInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={t("booking.note")}
      description={t("booking.note_text")}
      maxLength={200}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/**
 * Books and shows a toast. Where somebody else took the time meanwhile, the person can choose
 * another one.
 */
function useBooking(onDone: () => void, onTaken: () => void) {
  const { t } = useTranslation();
  const { account } = useSession();
  const mounted = useIsMounted();
  const timeOf = (moment: string) => dayAndTime(moment, account.time_zone);
  const {
    mutate: book,
    error,
    isPending: pending,
  } = useBook({
    onBooked: ({ start_time: start }) => {
      tellDone(t("booking.booked", { time: timeOf(start) }));
      // Another drawer may be open by then.
      if (mounted.current) onDone();
    },
    // The form shows a refusal itself, as long as it is open.
    onRefused: (refused, { start_time: start }) => {
      if (!mounted.current) tellFailure(t("booking.not_booked", { time: timeOf(start) }), refused);
      else if (refused instanceof ApiError && refused.code === "slot_taken") onTaken();
    },
  });
  return { book, error, pending };
}

function useFirstDate({ date, start_time: start }: BookingStart) {
  const { account } = useSession();
  return useState(
    () => date ?? wallTime(start ?? new Date().toISOString(), account.time_zone).date,
  );
}

function idsOf({ id, conversationId }: BookedContact) {
  return { contact_id: id, conversation_id: conversationId };
}

function pointedAt({ resource_id, start_time }: BookingStart): SlotChoice | null {
  return resource_id === undefined || start_time === undefined ? null : { resource_id, start_time };
}
