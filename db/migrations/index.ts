import { Foundation1769000000000 } from "./1769000000000-foundation.ts";

/** Every migration, in order. */
export const migrations = [Foundation1769000000000];
