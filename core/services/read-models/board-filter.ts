import type { Tx } from "../../../db/transaction.ts";
import type { BoardFilter } from "../../model/pipeline.ts";
import { requireUserId } from "../accounts/actor.ts";
import { allOf, contactSearch, type SqlPart } from "../sql.ts";

/** Joins and conditions of a filter, for a query that reads cards `s` first. */
export interface CardFilterSql {
  joins: SqlPart;
  conditions: SqlPart;
}

/**
 * The SQL of a filter of the board. Each join finds one row at most. STRAIGHT_JOIN keeps the order
 * in which the index of the cards is read.
 */
export function filterSql(tx: Tx, filter: BoardFilter): CardFilterSql {
  const joins: [string, ...unknown[]][] = [];
  const conditions: [string, ...unknown[]][] = [["s.outcome = ?", filter.outcome]];
  const { assigned_to: assignee, channel, tag, search, appointment } = filter;
  if (assignee !== undefined || channel !== undefined) {
    joins.push(["STRAIGHT_JOIN conversations c ON c.id = s.conversation_id"]);
  }
  if (channel !== undefined) conditions.push(["c.channel = ?", channel]);
  if (assignee === "nobody") conditions.push(["c.assigned_to_user_id IS NULL"]);
  else if (assignee !== undefined) {
    const userId = assignee === "me" ? requireUserId(tx.actor) : assignee;
    conditions.push(["c.assigned_to_user_id = ?", userId]);
  }
  if (tag !== undefined) {
    joins.push(["STRAIGHT_JOIN contact_tags t ON t.contact_id = s.contact_id AND t.tag = ?", tag]);
  }
  if (search !== undefined) {
    const matching = contactSearch("k", search);
    joins.push(["STRAIGHT_JOIN contacts k ON k.id = s.contact_id"]);
    conditions.push([matching.sql, ...matching.values]);
  }
  if (appointment !== undefined) {
    // As a value, not as EXISTS, which MySQL may turn into a join in another order.
    const next = `(SELECT a.id FROM appointments a FORCE INDEX (appointments_contact)
      WHERE a.contact_id = s.contact_id AND a.start_time > ? AND a.status = 'confirmed' LIMIT 1)`;
    conditions.push([`${next} IS ${appointment ? "NOT NULL" : "NULL"}`, tx.now]);
  }
  const joined = {
    sql: joins.map(([sql]) => sql).join(" "),
    values: joins.flatMap(([, ...v]) => v),
  };
  return { joins: joined, conditions: allOf(conditions) };
}
