/** For how long something has been so, without a pause and without an excuse. */
export class Standing {
  private sinceMs = new Map<string, number>();
  private readonly said = new Set<string>();

  /**
   * Notes what is so now, and answers what has been so for longer than its bound, each once.
   *
   * @param now what is so, by a name that changes when it is another such thing, with its bound in milliseconds
   * @param excusedUntilMs time before this does not count
   */
  beyond(
    now: ReadonlyMap<string, number>,
    nowMs: number,
    excusedUntilMs: number,
  ): readonly { readonly what: string; readonly forMs: number; readonly boundMs: number }[] {
    this.sinceMs = new Map(
      [...now.keys()].map((what) => [what, Math.max(this.sinceMs.get(what) ?? nowMs, excusedUntilMs)]),
    );
    return [...now].flatMap(([what, boundMs]) => {
      const forMs = nowMs - (this.sinceMs.get(what) ?? nowMs);
      if (forMs <= boundMs || this.said.has(what)) return [];
      this.said.add(what);
      return [{ what, forMs, boundMs }];
    });
  }
}
