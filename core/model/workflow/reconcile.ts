// Workflow code runs this file, so it imports nothing.

/** Where a look for lost runs goes on. */
export type ReconcileInput = {
  /** Open and held deliveries up to this id have been looked at. */
  after: number;
  /** Subscriptions that this round has taken up; none unless given. */
  takenUp?: number[];
};

/** What a look for lost runs has come to. */
export type ReconcileProgress = {
  /** Open deliveries whose run is late. */
  checked: number;
  /** Those whose run was lost and has been started anew. */
  restarted: number;
  /** Those whose run was lost after the last attempt. */
  discarded: number;
  /** Subscriptions whose stranded deliveries a new run was asked for; missing where there are none. */
  takenUp?: number[];
  /** Where to go on; null when all have been looked at. */
  after: number | null;
};

/** Where a look for lost runs of anything except deliveries goes on. */
export type RecoverInput = {
  /** The kind that is next; null at the start. */
  kind: string | null;
  /** Rows of the kind up to this id have been looked at. */
  after: number;
};

/** What a step of that look has come to. */
export type RecoverProgress = {
  /** Lost runs that have been asked for again. */
  restarted: number;
  /** Where to go on; null when every kind has been looked through. */
  next: RecoverInput | null;
};

/** Pages of up to 100 late runs in one round: more are the next round's, and no history gets too long. */
export const maxReconcilePages = 1_000;
