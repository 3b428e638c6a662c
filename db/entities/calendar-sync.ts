import { Entity } from "typeorm";
import { Int, Moment, Ref } from "./columns.ts";

/** An appointment whose external events are not in line with it yet. */
@Entity("calendar_syncs")
export class CalendarSync {
  @Ref({ primary: true }) appointmentId: number;
  @Ref() accountId: number;
  /**
   * The newest version that requested a sync. A run deletes the row unless a later version has
   * requested one.
   */
  @Int({ unsigned: true }) version: number;
  @Moment() requestedAt: Date;
}
