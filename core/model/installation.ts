/** One installation: a database, and the processes that work on it. */
export interface Installation {
  /** Six letters and digits, made at random together with the database. */
  id: string;
  /** The installation is older than its id: its runs and task queues keep names without the id. */
  hasPlainNames: boolean;
}

/** Turns our name of a run, a task queue or a schedule into the name that Temporal has for it. */
export type TemporalNaming = (name: string) => string;

/** Names without an id, as an installation has them that is older than its id. */
export const plainNames: TemporalNaming = (name) => name;

/**
 * How an installation names things in Temporal: with its id first. A database that is made anew beside
 * a kept Temporal counts from 1 again, and meets no run of the one before.
 */
export function namingOf({ id, hasPlainNames }: Installation): TemporalNaming {
  return hasPlainNames ? plainNames : (name) => `${id}-${name}`;
}
