import type { DataSource } from "typeorm";

/** Pause in ms between two marks of one widget. */
const everyMs = 10_000;
const maxWidgets = 10_000;

/** Marks the sites that show widgets. */
export interface SeenMarks {
  /**
   * Notes that a site shows the widget, at most every 10 s.
   * @param origin of the site, such as `https://shop.example`
   */
  mark(widgetId: number, origin: string): Promise<void>;
}

/** Marks of one process. Several processes write a little more often. */
export function createSeenMarks(dataSource: DataSource): SeenMarks {
  const markedAt = new Map<number, number>();
  return {
    async mark(widgetId, origin) {
      const now = Date.now();
      if (now - (markedAt.get(widgetId) ?? 0) < everyMs) return;
      // Old entries save a query at most.
      if (markedAt.size >= maxWidgets) markedAt.clear();
      markedAt.set(widgetId, now);
      await dataSource.query("UPDATE widgets SET seen_at = ?, seen_on = ? WHERE id = ?", [
        new Date(now),
        origin.slice(0, 255),
        widgetId,
      ]);
    },
  };
}
