/** An event of a stream of Server-Sent Events. */
export interface StreamEvent {
  /** Null where the stream named none. */
  id: string | null;
  name: string;
  data: string;
}

/**
 * Makes a parser of Server-Sent Events for text that comes in pieces.
 * @returns a function that takes the next piece and returns the events that are complete
 */
export function makeSseParser(): (piece: string) => StreamEvent[] {
  let rest = "";
  let id: string | null = null;
  let name = "";
  let data: string[] = [];

  const readLine = (line: string, events: StreamEvent[]): void => {
    if (line === "") {
      if (data.length > 0) events.push({ id, name: name || "message", data: data.join("\n") });
      name = "";
      data = [];
      return;
    }
    const at = line.indexOf(":");
    const field = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? "" : line.slice(line[at + 1] === " " ? at + 2 : at + 1);
    if (field === "data") data.push(value);
    else if (field === "event") name = value;
    else if (field === "id" && !value.includes("\0")) id = value;
  };

  return (piece) => {
    const events: StreamEvent[] = [];
    rest += piece;
    // A carriage return at the end may be the first half of a line's end.
    const isHalf = rest.endsWith("\r");
    const lines = (isHalf ? rest.slice(0, -1) : rest).split(/\r\n|\n|\r/u);
    rest = (lines.pop() ?? "") + (isHalf ? "\r" : "");
    for (const line of lines) readLine(line, events);
    return events;
  };
}
