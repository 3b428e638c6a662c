// Workflow code runs this file, so it imports nothing.

/** Position of a search for lost runs. */
export type ReconcileInput = {
  /** Open and held deliveries up to this id have been checked. */
  after: number;
  /** Subscriptions whose stranded deliveries got a new run in this round; none by default. */
  takenUp?: number[];
};

/** Progress of a search for lost runs. */
export type ReconcileProgress = {
  /** Open deliveries whose run is late. */
  checked: number;
  /** Deliveries whose run was lost and has been started again. */
  restarted: number;
  /** Deliveries whose run was lost after the last attempt. */
  discarded: number;
  /**
   * Subscriptions for whose stranded deliveries a new run was requested; missing where there are
   * none.
   */
  takenUp?: number[];
  /** Cursor for the next step; null when all deliveries have been checked. */
  after: number | null;
};

/** Position of a search for lost runs of every kind except deliveries. */
export type RecoverInput = {
  /** The next kind; null at the start. */
  kind: string | null;
  /** Rows of the kind up to this id have been checked. */
  after: number;
};

/** Progress of one step of that search. */
export type RecoverProgress = {
  /** Lost runs that were requested again. */
  restarted: number;
  /** Position of the next step; null when every kind has been checked. */
  next: RecoverInput | null;
};

/**
 * Maximum number of pages of up to 100 late runs in one round, so that no history gets too long.
 * The next round continues.
 */
export const maxReconcilePages = 1_000;
