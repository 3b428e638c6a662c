interface Named {
  id: number;
  name: string;
  email: string;
}

/** Label of each member in a note that is being written. Members of one name have their email. */
export function mentionLabels(team: Named[]): { id: number; label: string }[] {
  return team.map(({ id, name, email }) => {
    const isShared = team.some((other) => other.id !== id && other.name === name);
    return { id, label: isShared ? `${name} (${email})` : name };
  });
}

/** Replaces labels such as `@Luis` by the form that a note stores, such as `@[42]`. */
export function storeMentions(text: string, team: Named[]): string {
  const ids = new Map(mentionLabels(team).map(({ id, label }) => [label, id]));
  // Longest first, because a name may begin another name.
  const labels = [...ids.keys()].toSorted((one, other) => other.length - one.length);
  if (labels.length === 0) return text;
  const named = new RegExp(`@(${labels.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "gu");
  return text.replaceAll(named, (written, label: string) => {
    const id = ids.get(label);
    return id === undefined ? written : `@[${id}]`;
  });
}

/** Parts of a stored note. `userId` is null for plain text. */
export function splitMentions(text: string): { text: string; userId: number | null }[] {
  return text.split(/(@\[\d{1,15}\])/u).map((part) => {
    const id = /^@\[(\d+)\]$/u.exec(part)?.[1];
    return { text: part, userId: id === undefined ? null : Number(id) };
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, String.raw`\$&`);
}
