import { Entity } from "typeorm";
import { Int, Moment, Ref } from "./columns.ts";

/** An appointment whose events on external calendars have yet to be brought in line with it. */
@Entity("calendar_syncs")
export class CalendarSync {
  @Ref({ primary: true }) appointmentId: number;
  @Ref() accountId: number;
  /** The appointment's version that asked last. A run takes the row away only where no later one has. */
  @Int({ unsigned: true }) version: number;
  @Moment() requestedAt: Date;
}
