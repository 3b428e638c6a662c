import { Entity, Index, PrimaryColumn } from "typeorm";
import type { Hue } from "../../core/model/hue.ts";
import type { WeeklyHours } from "../../core/model/schedule.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

const key = {
  type: "bigint",
  unsigned: true,
  transformer: { to: (v: unknown) => v, from: Number },
} as const;

/**
 * A resource with a calendar, such as a practitioner or a room. Its row is locked while its times
 * are checked.
 */
@Entity("resources")
@Index("resources_account", ["accountId", "id"])
export class Resource {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  /** IANA name of the zone of the weekly hours. */
  @Token(64) timeZone: string;
  @Json() weeklyHours: WeeklyHours;
  /** From this time on no new appointment is booked here. */
  @Moment({ nullable: true }) archivedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A time in which a resource is closed regardless of its weekly hours. */
@Entity("resource_closures")
@Index("resource_closures_resource", ["resourceId", "endTime"])
export class ResourceClosure {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() resourceId: number;
  @Moment() startTime: Date;
  @Moment() endTime: Date;
  @Text(500, { nullable: true }) reason: string | null;
  @MomentNow() createdAt: Date;
}

/** A service that can be booked: its duration, and the buffers that stay free around it. */
@Entity("services")
@Index("services_account", ["accountId", "id"])
export class Service {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  @Int({ unsigned: true }) durationMinutes: number;
  @Int({ unsigned: true, default: 0 }) bufferBeforeMinutes: number;
  @Int({ unsigned: true, default: 0 }) bufferAfterMinutes: number;
  /** Minutes between two offered starts; null: the duration. */
  @Int({ unsigned: true, nullable: true }) stepMinutes: number | null;
  /** Colour of its appointments in the calendar. */
  @Token(8, { default: "slate" }) hue: Hue;
  @Moment({ nullable: true }) archivedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A resource that gives a service. A service without any row is given by all. */
@Entity("service_resources")
@Index("service_resources_resource", ["resourceId"])
export class ServiceResource {
  @PrimaryColumn(key) serviceId: number;
  @PrimaryColumn(key) resourceId: number;
  @Ref() accountId: number;
}
