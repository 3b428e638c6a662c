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

/** Position of a round, which goes on in a new run where one history would get too long. */
export type ReconcileRound = {
  /** Figures so far. */
  totals: Omit<ReconcileProgress, "after" | "takenUp">;
  recovered: number;
  /** Subscriptions whose stranded deliveries got a new run in this round. */
  takenUp: number[];
  /** Cursor of the deliveries; null when all have been checked. */
  after: number | null;
  /** Position among the other kinds; null when every kind has been checked. */
  next: RecoverInput | null;
};

/** Position at the start of a round. */
export const newRound: ReconcileRound = {
  totals: { checked: 0, restarted: 0, discarded: 0 },
  recovered: 0,
  takenUp: [],
  after: 0,
  next: { kind: null, after: 0 },
};

/** Pages of up to 100 late runs that one run checks, of deliveries and of the other kinds each. */
export const reconcilePagesOfRun = 200;

/** The same in runs that began before rounds went on in a new one. They left the rest unchecked. */
export const formerPagesOfRun = 1_000;
