/** One installation: a database, and the processes that work on it. */
export interface Installation {
  /** Six letters and digits, made at random together with the database. */
  id: string;
  /**
   * True for an installation that is older than its id. Its runs and task queues keep names without
   * the id.
   */
  hasPlainNames: boolean;
}

/** Turns our name of a run, a task queue or a schedule into its name in Temporal. */
export type TemporalNaming = (name: string) => string;

/** Names without an id, for an installation that is older than its id. */
export const plainNames: TemporalNaming = (name) => name;

/**
 * Names of an installation in Temporal begin with its id. A database that is recreated beside a
 * kept Temporal counts from 1 again. Its new id keeps it apart from the runs of the earlier
 * database.
 */
export function namingOf({ id, hasPlainNames }: Installation): TemporalNaming {
  return hasPlainNames ? plainNames : (name) => `${id}-${name}`;
}
