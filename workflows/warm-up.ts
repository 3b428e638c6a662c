/**
 * Does nothing. The first run of a process is slow, so a worker runs this workflow before it
 * reports ready.
 */
export async function warmUp(): Promise<void> {}
