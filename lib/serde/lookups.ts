/** Look-ups of serdes that are made of others, and of many records at once. What needs none costs nothing here. */
import { asBuffer } from '../model/byte-key.js';
import type { Serde, SerdeLookups, SerdePlace } from './serde.js';

/** A serde of any type, as far as it looks things up. */
type Asking = Pick<Serde<unknown>, 'lookups'>;

/** Called with each part of some bytes that one of the serdes reads. */
export type VisitPart = (serde: Asking, bytes: Uint8Array, start: number, end: number) => void;

/**
 * The look-ups of a serde made of others, to be spread into it: none if none of the others has any.
 *
 * @param parts the serdes inside
 * @param eachPart shows which bytes belong to which; it may throw at bytes that are malformed, which reading will say again
 * @param placeOf where the others are used; default: where their whole is
 */
export function lookupsOfParts(
  parts: readonly Asking[],
  eachPart: (bytes: Buffer, start: number, end: number, visit: VisitPart) => void,
  placeOf: (place: SerdePlace) => SerdePlace = (place) => place,
): { readonly lookups?: SerdeLookups } {
  if (parts.every(({ lookups }) => lookups === undefined)) return {};
  return {
    lookups: {
      forTopic(place) {
        const waiting = new Waiting();
        for (const { lookups } of parts) waiting.add(lookups?.forTopic(placeOf(place)));
        return waiting.all();
      },
      forBytes(bytes, start, end) {
        const waiting = new Waiting();
        try {
          eachPart(bytes, start, end, (serde, of, from, to) => {
            waiting.add(serde.lookups?.forBytes(asBuffer(of), from, to));
          });
        } catch {
          // malformed bytes have nothing to look up
        }
        return waiting.all();
      },
    },
  };
}

/** The look-ups of key and value for one topic. */
export function lookUpTopic(
  topic: string,
  serdes: { readonly key: Asking; readonly value: Asking },
): Promise<void> | undefined {
  const waiting = new Waiting();
  for (const part of ['key', 'value'] as const) waiting.add(serdes[part].lookups?.forTopic({ topic, part }));
  return waiting.all();
}

/** Look-ups under way, each once. */
export class Waiting {
  private readonly promises = new Set<Promise<void>>();

  add(promise: Promise<void> | undefined): void {
    if (promise === undefined || this.promises.has(promise)) return;
    promise.catch(() => undefined); // whoever waits for all is told; one that fails meanwhile is not unhandled
    this.promises.add(promise);
  }

  /** Resolves when all are there; undefined if there is none. */
  all(): Promise<void> | undefined {
    return this.promises.size === 0 ? undefined : Promise.all(this.promises).then(() => undefined);
  }
}
