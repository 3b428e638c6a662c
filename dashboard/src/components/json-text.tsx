import styles from "./json-text.module.css";

/** A string with the colon of a member behind it, another string, or any other value. */
const token =
  /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Formatted JSON with colours for members, texts and other values. */
export function JsonText({ value }: { value: string }) {
  const parts: React.ReactNode[] = [];
  let end = 0;
  for (const match of value.matchAll(token)) {
    const [whole, text, colon = ""] = match;
    parts.push(value.slice(end, match.index));
    const look = text === undefined ? "value" : colon === "" ? "string" : "member";
    parts.push(
      <span key={match.index} className={styles[look]}>
        {text ?? whole}
      </span>,
      colon,
    );
    end = match.index + whole.length;
  }
  parts.push(value.slice(end));
  return <>{parts}</>;
}
