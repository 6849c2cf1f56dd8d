/**
 * At most one commit in flight while the task goes on in a second overlay.
 *
 * ```
 *            begin               the promise settles            settle
 *   free ───────────▶ in flight ─────────────────────▶ decided ─────────▶ free      (committed: overlays merged)
 *                                                          └────────────▶ failed    (its error thrown; nothing legal after it)
 * ```
 *
 * Invariants
 *   C1  at most two overlays: the one in flight and the open one; a second seal waits for the first commit
 *   C2  an overlay is merged only after its transaction was certainly committed, and between two records, never within one:
 *       when the loop asks, or at once while it waits for something that touches no store
 *   C3  a failure drops both overlays: the caller throws the session away
 */
type State =
  | { readonly is: 'free' }
  | { readonly is: 'in flight'; readonly settled: Promise<void> }
  | { readonly is: 'committed' }
  | { readonly is: 'failed'; readonly error: unknown };

const FREE: State = { is: 'free' };

export class CommitPipeline {
  private state: State = FREE;
  private merge: () => void = () => {};
  private isWaiting = false;

  /** Whether a commit may begin. */
  get isFree(): boolean {
    return this.state.is === 'free';
  }

  /** Starts a commit. `merge` runs once it has certainly been committed, from within {@link settle} or {@link settleIfDecided}. */
  begin(commit: Promise<void>, merge: () => void): void {
    this.merge = merge;
    const settled = commit.then(
      () => this.committed(),
      (error: unknown) => {
        this.state = { is: 'failed', error };
      },
    );
    this.state = { is: 'in flight', settled };
  }

  /** Merges, or throws, if the commit in flight has been decided; else does nothing. */
  settleIfDecided(): void {
    const { state } = this;
    if (state.is === 'failed') throw state.error;
    if (state.is !== 'committed') return;
    this.state = FREE;
    this.merge();
  }

  /** Waits for something that touches no store; what is committed meanwhile is merged at once, what fails is thrown later. */
  async mergingMeanwhile<T>(wait: () => Promise<T>): Promise<T> {
    this.isWaiting = true;
    try {
      return await wait();
    } finally {
      this.isWaiting = false;
    }
  }

  /** Waits until the commit in flight is decided, then merges or throws. */
  async settle(): Promise<void> {
    await this.decided();
    this.settleIfDecided();
  }

  /** Waits until the commit in flight, if there is one, is decided. Never throws, and merges nothing. */
  async decided(): Promise<void> {
    if (this.state.is === 'in flight') await this.state.settled;
  }

  private committed(): void {
    this.state = { is: 'committed' };
    if (!this.isWaiting) return;
    try {
      this.settleIfDecided();
    } catch (error) {
      this.state = { is: 'failed', error };
    }
  }
}
