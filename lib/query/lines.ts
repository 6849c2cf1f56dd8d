/** Lines in which callers wait for their turn, one for each name: who comes while nobody is there does not wait. */
export class Lines {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `turn` when all that came before it in the line of that name have ended, however they ended. */
  async wait<T>(name: string, turn: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(turn);
    this.last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === mine) this.last.delete(name);
    }
  }
}
