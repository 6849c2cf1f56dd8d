/** What a conformance suite needs of a test runner; vitest's and others' functions fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
  expect(actual: unknown): {
    toBe(expected: unknown): void;
    toEqual(expected: unknown): void;
  };
}

/** The `code` of the error that a promise is rejected with; `'no error'` if it is not. */
export async function codeOf(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
    return 'no error';
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
  }
}
