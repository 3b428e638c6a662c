import { patched, proxyActivities, setCurrentDetails, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { EraseContactInput, EraseEventsProgress } from "../core/model/erasure.ts";

const { eraseContactRows, eraseContactEvents, forgetRefusedCalls, endContactErasure } =
  proxyActivities<Activities>({
    startToCloseTimeout: 60_000,
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });

/**
 * Erases the data of an erased contact, batch by batch. After a wait for writes that were under way
 * the run erases once more. Rows come before events: a message may still publish one.
 */
export async function eraseContact(input: EraseContactInput): Promise<{ events: number }> {
  const { accountId, contactIds } = input;
  const [contactId = 0] = contactIds;
  // Runs from before this patch come from requests that did this part themselves.
  const searchesCalls = patched("forget-refused-calls");
  let events = await sweep(input, 0);
  const after = searchesCalls ? await searchCalls(accountId, contactId, 0) : 0;
  await sleep(input.waitMs, { summary: "wait for what was under way" });
  events = await sweep(input, events);
  if (searchesCalls) {
    await searchCalls(accountId, contactId, after);
    await endContactErasure({ accountId, contactId });
  }
  return { events };
}

/** @returns the id of the last searched call, after which the next search continues. */
async function searchCalls(accountId: number, contactId: number, from: number): Promise<number> {
  let step = { after: from, done: false };
  while (!step.done) {
    step = await forgetRefusedCalls({ accountId, contactId, after: step.after });
    setCurrentDetails(`Inbound calls searched up to ${step.after}.`);
  }
  return step.after;
}

async function sweep(input: EraseContactInput, before: number): Promise<number> {
  let events = before;
  while (!(await eraseContactRows(input)).done);
  for (const contactId of input.contactIds) {
    let step: EraseEventsProgress = { erased: 0, after: null };
    do {
      const { accountId } = input;
      step = await eraseContactEvents({ accountId, contactId, after: step.after });
      events += step.erased;
      setCurrentDetails(`${events} events erased.`);
    } while (step.after !== null);
  }
  return events;
}
