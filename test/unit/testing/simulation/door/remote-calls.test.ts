import { describe, expect, it } from 'vitest';
import { RemoteCalls } from '../../../../../lib/testing/simulation/door/remote-calls.js';

function calls(...made: readonly (readonly [method: string, ...args: unknown[]])[]): RemoteCalls {
  const noted = new RemoteCalls();
  for (const [method, ...args] of made) noted.note(method, args);
  return noted;
}

describe('calls of services beyond those of the reference', () => {
  const reference = calls(['charge', 'a'], ['charge', 'b'], ['charge', 'b']);

  it('are none where each was made as often as there', () => {
    expect(calls(['charge', 'b'], ['charge', 'a'], ['charge', 'b']).beyond(reference)).toBe(0);
  });

  it('are the same calls made more often, also where another is missing', () => {
    expect(calls(['charge', 'b'], ['charge', 'b'], ['charge', 'b']).beyond(reference)).toBe(1);
  });

  it('are counted by their number where each carries something of its own', () => {
    const random = calls(['charge', 'a', 1], ['charge', 'a', 2], ['charge', 'b', 3], ['charge', 'b', 4]);

    expect(random.beyond(reference)).toBe(1);
  });

  it('may have arguments that JSON does not know', () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;

    expect(calls(['charge', circular], ['charge', 1n]).total).toBe(2);
  });
});
