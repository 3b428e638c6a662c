import type { ModelAsk, Scripted } from "../../dev/stand-in/model-scripts.ts";
import { startModelStandIn, type ModelRequest } from "../../dev/stand-in/model-server.ts";

/** A booking that the model makes for a customer. */
export interface ModelBooking {
  serviceId: number;
  /** A day such as `2026-12-01`, and a time such as `10:00`, of the account's zone. */
  day: string;
  time: string;
}

/**
 * A provider whose model books what the customer asks for, and then says good-bye. Told to, it
 * takes calls of one step and answers none until it is released.
 */
export interface HangingModel {
  /** Base URL of the provider. */
  url: string;
  /** Calls so far, oldest first. */
  requests(): ModelRequest[];
  /** Calls that wait for their answer, with the client still there. */
  waiting(): ModelRequest[];
  /** Holds all calls of a step from now on. 1: before the booking, 2: after it. */
  hold(step: 1 | 2): void;
  /** Answers the calls that wait, and all later ones at once. */
  release(): void;
  stop(): Promise<void>;
}

/** Name of the model at its provider. */
export const hangingModel = "books-and-hangs";
/** The name that customers write, since a booking wants one that the customer wrote. */
export const customerName = "Ana Torres";

/** Text of a customer who asks for a booking in one message. */
export function textOf({ serviceId, day, time }: ModelBooking): string {
  return `Soy ${customerName}, quiero una consulta (servicio ${serviceId}) el ${day} a las ${time}.`;
}

function bookingIn(text: string): ModelBooking | null {
  const [, serviceId, day, time] =
    /servicio (\d+)\) el (\d{4}-\d{2}-\d{2}) a las (\d{2}:\d{2})/u.exec(text) ?? [];
  if (day === undefined || time === undefined) return null;
  return { serviceId: Number(serviceId), day, time };
}

function answerTo({ user, results }: ModelAsk): Scripted {
  const booking = bookingIn(user);
  if (results.length > 0 || booking === null) return { text: "Gracias, te esperamos." };
  const { serviceId: service_id, day, time } = booking;
  const args = JSON.stringify({ service_id, day, time, name: customerName });
  return { text: "", calls: [{ name: "book_appointment", args }] };
}

/** True while a call has neither an answer nor lost its client. */
export function isWaiting({ answeredAt, closedByClientAt }: ModelRequest): boolean {
  return answeredAt === null && closedByClientAt === null;
}

/** Starts the provider. It answers at once until it is told to hold. */
export async function startHangingModel(): Promise<HangingModel> {
  let heldStep = 0;
  let held = Promise.resolve();
  let open = (): void => {};

  async function script(ask: ModelAsk): Promise<Scripted> {
    if (ask.results.length + 1 === heldStep) await held;
    return answerTo(ask);
  }

  function release(): void {
    heldStep = 0;
    open();
  }

  const standIn = await startModelStandIn({ scripts: { [hangingModel]: script } });
  return {
    url: `${standIn.url}/v1`,
    requests: () => standIn.requests(),
    waiting: () => standIn.requests().filter(isWaiting),
    hold(step) {
      release();
      heldStep = step;
      held = new Promise((resolve) => (open = resolve));
    },
    release,
    async stop() {
      release();
      await standIn.close();
    },
  };
}
