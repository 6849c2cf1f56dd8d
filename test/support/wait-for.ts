export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Looks every few milliseconds until there is something (neither undefined nor false). @throws {Error} naming what it waited for */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(10);
  }
  throw new Error(`waited ${timeoutMs} ms for ${what}`);
}
