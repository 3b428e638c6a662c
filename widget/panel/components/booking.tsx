import { useEffect, useState } from "preact/hooks";
import type { visitBookingView, visitSlotsView } from "../../../core/model/widget-visit.ts";
import type { z } from "zod";
import { usePanel } from "../context.ts";
import { fill } from "../format.ts";
import { CallError } from "../net/call-error.ts";
import { faultOf, Fields, Refusal, type FieldName } from "./field.tsx";
import { Icon } from "./icon.tsx";
import { wordsOfError } from "./trouble.tsx";

type Slots = z.output<typeof visitSlotsView>;
type Service = Slots["services"][number];
type Slot = Slots["slots"][number];
type BookingView = z.output<typeof visitBookingView>;

const daysAhead = 7;
const fieldNames = ["name", "email", "phone"] as const;

/** Books an appointment in the panel: a service, a time, a name. */
export function Booking({ onClose }: { onClose: () => void }) {
  const { words } = usePanel();
  const [service, setService] = useState<Service | null>(null);
  const [slot, setSlot] = useState<Slot | null>(null);
  const [booked, setBooked] = useState<BookingView | null>(null);
  const back = (): void => {
    if (booked !== null || service === null) onClose();
    else if (slot === null) setService(null);
    else setSlot(null);
  };
  return (
    <main class="page booking">
      <button type="button" class="link back" onClick={back}>
        <Icon name="back" />
        {words.booking.back}
      </button>
      <h2>{booked === null ? words.booking.title : words.booking.done}</h2>
      {booked !== null ? (
        <Done booked={booked} />
      ) : service !== null && slot !== null ? (
        <Confirm service={service} slot={slot} onBooked={setBooked} onTaken={() => setSlot(null)} />
      ) : (
        <Times service={service} onService={setService} onSlot={setSlot} />
      )}
    </main>
  );
}

interface TimesProps {
  service: Service | null;
  onService: (service: Service) => void;
  onSlot: (slot: Slot) => void;
}

function Times({ service, onService, onSlot }: TimesProps) {
  const { chat, words } = usePanel();
  const [from, setFrom] = useState(0);
  const [found, setFound] = useState<Slots | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const serviceId = service?.id ?? null;
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    setFault(null);
    const query =
      serviceId === null
        ? ""
        : `?service_id=${serviceId}${from === 0 ? "" : `&from=${dayAfter(from)}`}`;
    chat.call<Slots>("GET", `/slots${query}`).then(
      (slots) => isCurrent && setFound(slots),
      (thrown: unknown) =>
        isCurrent && setFault(thrown instanceof CallError ? thrown.code : "unknown"),
    );
    return () => {
      isCurrent = false;
    };
  }, [chat, serviceId, from]);
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
          disabled={from === 0}
          onClick={() => setFrom(from - daysAhead)}
        >
          {words.booking.earlier}
        </button>
        <button type="button" class="quiet" onClick={() => setFrom(from + daysAhead)}>
          {words.booking.later}
        </button>
      </div>
    </>
  );
}

function dayAfter(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

function Days({
  slots: { slots, time_zone },
  onSlot,
}: {
  slots: Slots;
  onSlot: (slot: Slot) => void;
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
                <button key={one.slot + one.resource} type="button" onClick={() => onSlot(one)}>
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

interface ConfirmProps {
  service: Service;
  slot: Slot;
  onBooked: (booked: BookingView) => void;
  onTaken: () => void;
}

function Confirm({ service, slot, onBooked, onTaken }: ConfirmProps) {
  const { chat, words, state } = usePanel();
  const [clientId] = useState(() => crypto.randomUUID());
  const [values, setValues] = useState({
    name: state.session?.visitor.name ?? "",
    email: "",
    phone: "",
  });
  const [faults, setFaults] = useState<Partial<Record<FieldName, string | null>>>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    const found = fieldNames.map(
      (field) => [field, faultOf(field, values[field].trim(), field === "name", words)] as const,
    );
    setFaults(Object.fromEntries(found));
    if (found.some(([, fault]) => fault !== null)) return;
    setBusy(true);
    try {
      const filled = Object.entries(values).filter(([, value]) => value.trim() !== "");
      const chosen = { client_id: clientId, service_id: service.id, slot: slot.slot };
      const body = { ...chosen, ...Object.fromEntries(filled) };
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
        void submit();
      }}
      noValidate
    >
      <Card title={service.name} at={slot.start_time} note={slot.resource} />
      <Fields
        names={fieldNames}
        isOptional={(name) => name !== "name"}
        values={values}
        faults={faults}
        onChange={setValues}
      />
      <Refusal code={refusal} />
      <button type="submit" class="primary" disabled={isBusy}>
        {words.booking.confirm}
      </button>
    </form>
  );
}

function Card({ title, at, note }: { title: string; at: string; note?: string }) {
  const { state } = usePanel();
  const when = new Date(at).toLocaleString(state.locale, { dateStyle: "full", timeStyle: "short" });
  return (
    <p class="card" dir="auto">
      <strong>{title}</strong>
      <span>{when}</span>
      {note !== undefined && <small>{note}</small>}
    </p>
  );
}

function Done({ booked }: { booked: BookingView }) {
  const { words } = usePanel();
  return (
    <div role="status">
      <Card title={booked.service} at={booked.start_time} />
      <a href={booked.url} target="_blank" rel="noopener">
        {words.booking.change}
      </a>
    </div>
  );
}
