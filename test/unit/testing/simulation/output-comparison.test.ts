import { describe, expect, it } from 'vitest';
import { difference } from '../../../../lib/testing/simulation/output-comparison.js';

const exact = { isExact: true, isCoalesced: false, isStateful: true };
const cached = { ...exact, isCoalesced: true };
const repeated = { isExact: false, isCoalesced: false, isStateful: false };

describe('outputs compared', () => {
  it('a sequence is the same at exactly once', () => {
    const facts = { ...exact, rule: 'sequence' } as const;

    expect(difference(['1', '2'], ['1', '2'], facts)).toBeNull();
    expect(difference(['2', '1'], ['1', '2'], facts)).not.toBeNull();
    expect(difference(['1', '2', '2'], ['1', '2'], facts)).not.toBeNull();
    expect(difference(['1'], ['1', '2'], facts)).not.toBeNull();
  });

  it('a multiset may come in any order, and nothing more or less often', () => {
    const facts = { ...exact, rule: 'multiset' } as const;

    expect(difference(['b', 'a', null], ['a', null, 'b'], facts)).toBeNull();
    expect(difference(['a', 'a'], ['a', 'b'], facts)).not.toBeNull();
    expect(difference(['a', 'b', 'b'], ['a', 'b'], facts)).not.toBeNull();
    expect(difference(['a'], ['a', 'b'], facts)).not.toBeNull();
  });

  it('behind a cache values may be left out, but for the last', () => {
    const facts = { ...cached, rule: 'sequence' } as const;

    expect(difference(['1', '3'], ['1', '2', '3'], facts)).toBeNull();
    expect(difference(['1', '2'], ['1', '2', '3'], facts)).not.toBeNull();
    expect(difference(['2', '1', '3'], ['1', '2', '3'], facts)).not.toBeNull();
    expect(difference(['b'], ['a', 'b'], { ...cached, rule: 'multiset' })).toBeNull();
    expect(difference(['c'], ['a', 'b'], { ...cached, rule: 'multiset' })).not.toBeNull();
  });

  it('at least once repeats, and neither loses nor invents', () => {
    const sequence = { ...repeated, rule: 'sequence' } as const;
    const multiset = { ...repeated, rule: 'multiset' } as const;

    expect(difference(['1', '2', '1', '2', '3'], ['1', '2', '3'], sequence)).toBeNull();
    expect(difference(['1', '3'], ['1', '2', '3'], sequence)).not.toBeNull();
    expect(difference(['1', '2', '9'], ['1', '2'], sequence)).not.toBeNull();
    expect(difference(['b', 'a', 'a'], ['a', 'b'], multiset)).toBeNull();
    expect(difference(['a', 'a'], ['a', 'b'], multiset)).not.toBeNull();
    expect(difference(['a', 'b', 'c'], ['a', 'b'], multiset)).not.toBeNull();
  });

  it('at least once with a store nothing is missing', () => {
    const facts = { ...repeated, isStateful: true, rule: 'sequence' } as const;

    expect(difference(['1', '2', '3'], ['1', '2'], facts)).toBeNull();
    expect(difference(['1'], ['1', '2'], facts)).not.toBeNull();
  });

  it('the last value decides where only that is asked for', () => {
    expect(difference(['7', '2'], ['1', '2'], { ...exact, rule: 'last' })).toBeNull();
    expect(difference(['2', '7'], ['1', '2'], { ...exact, rule: 'last' })).not.toBeNull();
    expect(difference([], ['1'], { ...exact, rule: 'last' })).not.toBeNull();
    expect(difference(['1'], [], { ...exact, rule: 'last' })).not.toBeNull();
  });

  it('a row that is gone in the end need not have been mentioned behind a cache, where the last value alone decides', () => {
    const cached = { ...exact, rule: 'last', isCoalesced: true } as const;

    expect(difference(['1', null], [], cached)).toBeNull();
    expect(difference([], ['1', null], cached)).toBeNull();
    expect(difference(['1'], ['1', null], cached)).not.toBeNull();
    expect(difference(['1', null], ['1'], cached)).not.toBeNull();
    expect(difference([], ['1', null], { ...cached, isCoalesced: false })).not.toBeNull();
  });
});
