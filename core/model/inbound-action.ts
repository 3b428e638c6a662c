import { z } from "zod";

/**
 * An action of an endpoint: its name, the schema of its `data`, and a sample of `data` that another
 * system could send at a moment in milliseconds.
 */
export function defineAction<Name extends string, Data extends z.ZodType>(
  event: Name,
  data: Data,
  sample: (now: number) => z.input<Data>,
) {
  return { event, call: z.object({ event: z.literal(event), data }), sample };
}

/** Names of actions, in the order of the documentation. */
export function namesOf<Name extends string>(actions: readonly { event: Name }[]): Name[] {
  return actions.map(({ event }) => event);
}

/** Schemas of the calls, as `z.discriminatedUnion` takes them. */
export function callsOf<Actions extends readonly { call: z.ZodType }[]>(actions: Actions) {
  const calls: unknown = actions.map(({ call }) => call);
  return calls as { [Index in keyof Actions]: Actions[Index]["call"] };
}

/** A phone of the samples. */
export const samplePhone = "5215512345678";
