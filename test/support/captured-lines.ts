import { vi } from 'vitest';

/** What is written to the standard streams from now on, a line of JSON each, instead of being written. */
export function captureLines(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      return true;
    });
  }
  return lines;
}
