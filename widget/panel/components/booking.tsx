import { useEffect, useRef, useState } from "preact/hooks";
import type { visitBookingView, visitSlotsView } from "../../../core/model/widget-visit.ts";
import type { z } from "zod";
import { usePanel } from "../context.ts";
import { fill } from "../format.ts";
import { newId } from "../new-id.ts";
import { CallError } from "../net/call-error.ts";
import { faultOf, Fields, readTrap, Refusal, Trap, type FieldName } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { wordsOfError } from "./trouble.tsx";

type Slots = z.output<typeof visitSlotsView>;
type Service = Slots["services"][number];
type Slot = Slots["slots"][number];
/** A time with the zone in which it was shown. */
type ZonedSlot = Slot & { zone: string };
type BookingView = z.output<typeof visitBookingView>;

/** Days of one page of free times. */
const pageDays = 7;
const fieldNames = ["name", "email", "phone"] as const;

/** Books an appointment in the panel: a service, a time, a name. */
export function Booking({ onClose }: { onClose: () => void }) {
  const { words, state } = usePanel();
  const [service, setService] = useState<Service | null>(null);
  const [slot, setSlot] = useState<ZonedSlot | null>(null);
  const [booked, setBooked] = useState<BookingView | null>(null);
  const [isTaken, setTaken] = useState(false);
  // They outlast a time that is taken.
  const [values, setValues] = useState({
    name: state.session?.visitor.name ?? "",
    email: "",
    phone: "",
  });
  const back = (): void => {
    if (booked !== null || service === null) onClose();
    else if (slot === null) setService(null);
    else setSlot(null);
  };
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone, so the focus goes on at the top of the next step.
  useEffect(() => heading.current?.focus(), [service, slot, booked]);
  return (
    <main class="page booking">
      <button type="button" class="link back" onClick={back}>
        <Icon name="back" />
        {words.booking.back}
      </button>
      <h2 ref={heading} tabIndex={-1}>
        {booked === null ? words.booking.title : words.booking.done}
      </h2>
      {booked !== null ? (
        <Done booked={booked} zone={slot?.zone} />
      ) : service !== null && slot !== null ? (
        <Confirm
          service={service}
          slot={slot}
          values={values}
          onValues={setValues}
          onBooked={setBooked}
          onTaken={() => {
            setTaken(true);
            setSlot(null);
          }}
        />
      ) : (
        <>
          <Refusal code={isTaken ? "slot_taken" : null} />
          <Times
            key={service?.id}
            service={service}
            onService={setService}
            onSlot={(chosen) => {
              setTaken(false);
              setSlot(chosen);
            }}
          />
        </>
      )}
    </main>
  );
}

interface TimesProps {
  service: Service | null;
  onService: (service: Service) => void;
  onSlot: (slot: ZonedSlot) => void;
}

/** Services, and the free times of one of them. Null until they have come. */
function useSlots(serviceId: number | null, from: string | null) {
  const { chat } = usePanel();
  const [found, setFound] = useState<Slots | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    setFault(null);
    const query =
      serviceId === null ? "" : `?service_id=${serviceId}${from === null ? "" : `&from=${from}`}`;
    chat.call<Slots>("GET", `/slots${query}`).then(
      (slots) => isCurrent && setFound(slots),
      (thrown: unknown) =>
        isCurrent && setFault(thrown instanceof CallError ? thrown.code : "unknown"),
    );
    return () => {
      isCurrent = false;
    };
  }, [chat, serviceId, from]);
  return { found, fault };
}

function Times({ service, onService, onSlot }: TimesProps) {
  const { words } = usePanel();
  // First days of the pages that were shown. Null: the first page with a free time.
  const [pages, setPages] = useState<readonly (string | null)[]>([null]);
  const from = pages.at(-1) ?? null;
  const { found, fault } = useSlots(service?.id ?? null, from);
  if (fault !== null)
    return (
      <p class="fault" role="alert">
        {wordsOfError(words, fault, null)}
      </p>
    );
  if (found === null) return <p>{words.loading}</p>;
  if (service === null)
    return (
      <div class="options list" role="group" aria-label={words.booking.service}>
        {found.services.map((one) => (
          <button key={one.id} type="button" dir="auto" onClick={() => onService(one)}>
            <span>{one.name}</span>
            <small>{fill(words.booking.minutes, { count: one.duration_minutes })}</small>
          </button>
        ))}
      </div>
    );
  return (
    <>
      <Days slots={found} onSlot={onSlot} />
      <div class="row">
        <button
          type="button"
          class="quiet"
          disabled={pages.length === 1}
          onClick={() => setPages(pages.slice(0, -1))}
        >
          {words.booking.earlier}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => setPages([...pages, nextPage(found, from)])}
        >
          {words.booking.later}
        </button>
      </div>
    </>
  );
}

/** First day of the page behind: after the last time that is shown, else a page further. */
function nextPage({ slots, time_zone }: Slots, from: string | null): string {
  const last = slots.at(-1)?.start_time;
  const days = last === undefined ? pageDays : 1;
  const day = new Date(last ?? (from === null ? Date.now() : from)).toLocaleDateString("sv", {
    timeZone: last === undefined && from !== null ? "UTC" : time_zone,
  });
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

function Days({
  slots: { slots, time_zone },
  onSlot,
}: {
  slots: Slots;
  onSlot: (slot: ZonedSlot) => void;
}) {
  const { words, state } = usePanel();
  const { locale } = state;
  if (slots.length === 0) return <p>{words.booking.none}</p>;
  const dayOf = ({ start_time }: Slot): string =>
    new Date(start_time).toLocaleDateString(locale, {
      weekday: "long",
      day: "numeric",
      month: "long",
      timeZone: time_zone,
    });
  const days = [...new Set(slots.map(dayOf))];
  return (
    <>
      <p class="small">{fill(words.booking.zone, { zone: time_zone.replaceAll("_", " ") })}</p>
      {days.map((day) => (
        <section key={day}>
          <h3>{day}</h3>
          <div class="options slots">
            {slots
              .filter((one) => dayOf(one) === day)
              .map((one) => (
                <button
                  key={one.slot + one.resource}
                  type="button"
                  onClick={() => onSlot({ ...one, zone: time_zone })}
                >
                  {timeOf(one.start_time, time_zone, locale)}
                </button>
              ))}
          </div>
        </section>
      ))}
    </>
  );
}

function timeOf(iso: string, timeZone: string, locale: string): string {
  return new Date(iso).toLocaleTimeString(locale, { hour: "numeric", minute: "2-digit", timeZone });
}

type Values = Record<FieldName, string>;

interface ConfirmProps {
  service: Service;
  slot: ZonedSlot;
  values: Values;
  onValues: (values: Values) => void;
  onBooked: (booked: BookingView) => void;
  onTaken: () => void;
}

function Confirm({ service, slot, values, onValues, onBooked, onTaken }: ConfirmProps) {
  const { chat, words, state } = usePanel();
  const [clientId] = useState(newId);
  const [faults, setFaults] = useState<Partial<Record<FieldName, string | null>>>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Without a conversation nobody could answer a visitor who gives no address.
  const hasAddress = state.conversation !== null || values.phone.trim() !== "";
  const isNeeded = (field: FieldName): boolean =>
    field === "name" || (field === "email" && !hasAddress);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const found = fieldNames.map(
      (field) => [field, faultOf(field, values[field].trim(), isNeeded(field), words)] as const,
    );
    setFaults(Object.fromEntries(found));
    const [wrong] = found.find(([, fault]) => fault !== null) ?? [];
    if (wrong !== undefined) return form.querySelector<HTMLElement>(`[name=${wrong}]`)?.focus();
    setBusy(true);
    try {
      const filled = Object.entries(values).filter(([, value]) => value.trim() !== "");
      const chosen = { client_id: clientId, service_id: service.id, slot: slot.slot };
      const body = { ...chosen, ...Object.fromEntries(filled), ...readTrap(form) };
      onBooked(await chat.call<BookingView>("POST", "/bookings", body));
      await chat.refresh();
    } catch (thrown) {
      const code = thrown instanceof CallError ? thrown.code : "unknown";
      setRefusal(code);
      setBusy(false);
      if (code === "slot_taken") onTaken();
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
      noValidate
    >
      <Card title={service.name} at={slot.start_time} zone={slot.zone} note={slot.resource} />
      <Fields
        names={fieldNames}
        isOptional={(name) => !isNeeded(name)}
        values={values}
        faults={faults}
        onChange={onValues}
      />
      <Trap />
      <Refusal code={refusal} />
      <button type="submit" class="primary" disabled={isBusy}>
        {words.booking.confirm}
      </button>
    </form>
  );
}

interface CardProps {
  title: string;
  at: string;
  zone: string | undefined;
  note?: string;
}

function Card({ title, at, zone, note }: CardProps) {
  const { state } = usePanel();
  const when = new Date(at).toLocaleString(state.locale, {
    dateStyle: "full",
    timeStyle: "short",
    ...(zone === undefined ? {} : { timeZone: zone }),
  });
  return (
    <p class="card" dir="auto">
      <strong>{title}</strong>
      <span>{when}</span>
      {note !== undefined && <small>{note}</small>}
    </p>
  );
}

function Done({ booked, zone }: { booked: BookingView; zone: string | undefined }) {
  const { words } = usePanel();
  return (
    <div role="status">
      <Card title={booked.service} at={booked.start_time} zone={zone} />
      <a href={booked.url} target="_blank" rel="noopener">
        {words.booking.change}
      </a>
    </div>
  );
}
