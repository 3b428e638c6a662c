/** The logo: two speech shapes that meet. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden style={{ flex: "none" }}>
      <path fill="var(--parley-mark-b)" d={shapes.back} />
      <path fill="var(--parley-mark-a)" d={shapes.front} />
      <path fill="var(--parley-mark-c)" d={shapes.shared} />
    </svg>
  );
}

const shapes = {
  back: "M20 10.5a9.5 9.5 0 0 1 9.5 9.5v8a1.5 1.5 0 0 1-1.5 1.5h-8a9.5 9.5 0 0 1 0-19z",
  front: "M12 2.5a9.5 9.5 0 1 1 0 19h-8a1.5 1.5 0 0 1-1.5-1.5v-8a9.5 9.5 0 0 1 9.5-9.5z",
  shared: "M21.4 10.6a9.5 9.5 0 0 1-10.8 10.8a9.5 9.5 0 0 1 10.8-10.8z",
};
