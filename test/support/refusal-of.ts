import { StreamsError } from '../../lib/index.js';

/** What is thrown, as `CODE: message`; `accepted` if nothing is. */
export function refusalOf(action: () => unknown): string {
  try {
    action();
    return 'accepted';
  } catch (thrown) {
    return thrown instanceof StreamsError ? `${thrown.code}: ${thrown.message}` : `${thrown}`;
  }
}
