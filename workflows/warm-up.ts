/** Does nothing. A worker runs it once before it says that it is ready: the first run of a process is slow. */
export async function warmUp(): Promise<void> {}
