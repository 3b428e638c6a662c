/** Open streams by a key, so that nobody looks at all streams to find a few. */
export interface StreamGroups<Key, Stream> {
  /** Number of keys with a stream. */
  readonly size: number;
  add(key: Key, stream: Stream): void;
  remove(key: Key, stream: Stream): void;
  /** In the order in which they were added; empty without any. */
  of(key: Key): ReadonlySet<Stream>;
}

/** Creates groups. A group goes with its last stream. */
export function createStreamGroups<Key, Stream>(): StreamGroups<Key, Stream> {
  const groups = new Map<Key, Set<Stream>>();
  const none: ReadonlySet<Stream> = new Set();
  return {
    get size() {
      return groups.size;
    },
    add(key, stream) {
      groups.set(key, (groups.get(key) ?? new Set()).add(stream));
    },
    remove(key, stream) {
      const group = groups.get(key);
      group?.delete(stream);
      if (group?.size === 0) groups.delete(key);
    },
    of: (key) => groups.get(key) ?? none,
  };
}
