/** Who looks at the pages: some views in every partition, all the time; and what has come out for them. */
import type { LocalStreams } from '../../lib/local/index.js';
import { counts, views } from './page-views.js';

/** Enough for every task to have a store that is worth warming up a copy of. */
const PAGES = 3_600;
const VIEWS_AT_ONCE = 48;
const EVERY_MS = 50;

export class Visitors {
  private readonly streams: Pick<LocalStreams, 'append' | 'read'>;
  private readonly sleep: (ms: number) => Promise<void>;
  private viewed = 0;
  private isOver = false;

  constructor(streams: Pick<LocalStreams, 'append' | 'read'>, sleep: (ms: number) => Promise<void>) {
    this.streams = streams;
    this.sleep = sleep;
  }

  /** Every page is viewed once. */
  async seeAll(): Promise<void> {
    await this.see(PAGES);
  }

  /** Goes on until {@link leave}. */
  async keepComing(): Promise<void> {
    while (!this.isOver) {
      await this.see(VIEWS_AT_ONCE);
      await this.sleep(EVERY_MS);
    }
  }

  leave(): void {
    this.isOver = true;
  }

  /** How many pages have been counted right, and how many there are. */
  async countedRight(): Promise<{ readonly right: number; readonly pages: number }> {
    const last = new Map<string, number | null>();
    for (const { key, value } of await this.streams.read('views-per-page', counts)) last.set(key ?? '', value);
    const right = Array.from({ length: PAGES }, (_, page) => page).filter(
      (page) => Number(last.get(nameOf(page))) === this.viewsOf(page),
    );
    return { right: right.length, pages: PAGES };
  }

  /** Pages are viewed in turn. */
  private viewsOf(page: number): number {
    return Math.floor(this.viewed / PAGES) + (page < this.viewed % PAGES ? 1 : 0);
  }

  private async see(howMany: number): Promise<void> {
    const from = this.viewed;
    this.viewed += howMany;
    const seen = Array.from({ length: howMany }, (_, index) => ({
      key: nameOf((from + index) % PAGES),
      value: 'seen',
    }));
    await this.streams.append('views', views, seen);
  }
}

function nameOf(page: number): string {
  return `page-${page}`;
}
