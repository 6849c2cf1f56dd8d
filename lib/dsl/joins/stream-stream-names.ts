import type { NameSequence } from '../names.js';
import { PREFIX } from '../names.js';
import type { JoinKind } from './join-options.js';

/** Names of the five nodes and two or three stores of a join of two streams. */
export interface StreamStreamNames {
  readonly leftWindowed: string;
  readonly rightWindowed: string;
  readonly leftJoin: string;
  readonly rightJoin: string;
  readonly merge: string;
  readonly leftStore: string;
  readonly rightStore: string;
  /** Null in an inner join. */
  readonly sharedStore: string | null;
}

/** In the order in which Kafka Streams takes numbers; those of the two sides are taken though both have names. */
export function streamStreamNames(
  names: NameSequence,
  kind: JoinKind,
  given: { readonly name?: string | undefined; readonly store?: string | undefined },
): StreamStreamNames {
  const { name, store } = given;
  const leftSuffix = kind === 'outer' ? '-outer-this-join' : '-this-join';
  const rightSuffix = kind === 'inner' ? '-other-join' : '-outer-other-join';
  const leftWindowed = names.suffixedOrGenerated(name, '-this-windowed', PREFIX.windowed);
  const rightWindowed = names.suffixedOrGenerated(name, '-other-windowed', PREFIX.windowed);
  const leftPrefix = kind === 'outer' ? PREFIX.outerThis : PREFIX.joinThis;
  const left = names.node(leftPrefix);
  const right = names.node(kind === 'inner' ? PREFIX.joinOther : PREFIX.outerOther);
  const named = (base: string | undefined, suffix: string, generated: string) =>
    base === undefined ? generated : `${base}${suffix}`;
  const shared = `${PREFIX.outerShared}${left.slice(leftPrefix.length)}`;
  const sharedSuffix = kind === 'outer' ? '-outer-shared-join' : '-left-shared-join';
  return {
    leftWindowed,
    rightWindowed,
    leftJoin: named(name, leftSuffix, left),
    rightJoin: named(name, rightSuffix, right),
    merge: names.suffixedOrGenerated(name, '-merge', PREFIX.merge),
    leftStore: `${named(store, leftSuffix, left)}-store`,
    rightStore: `${named(store, rightSuffix, right)}-store`,
    sharedStore: kind === 'inner' ? null : `${named(store, sharedSuffix, shared)}-store`,
  };
}
