/** What an application costs while nothing changes: table writes, counted. */
import { expect, it } from 'vitest';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import { ControlPlaneWorld } from '../../support/control-plane-world.js';

const MEMBERS = 100;
const ROUNDS = 5;
const READS = /^(list|read)/;

it('a hundred members that have settled cost one table write per heartbeat, and ticks none', async () => {
  const world = await ControlPlaneWorld.create({ members: MEMBERS }, MEMBERS);
  for (let round = 0; round < 6; round += 1) await world.round();
  const writes = new Map<string, number>();
  const leases = world.leases as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const method of methodsOf(world.leases).filter((name) => !READS.test(name))) {
    const write = leases[method]?.bind(world.leases);
    leases[method] = (...args: unknown[]) => {
      writes.set(method, (writes.get(method) ?? 0) + 1);
      return write?.(...args);
    };
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    await world.host.advance(world.app.settings.tickIntervalMs);
    await world.tick();
    expect([...writes]).toEqual(round === 0 ? [] : [['heartbeat', MEMBERS * round]]);
    await world.membersAct();
  }

  expect(world.living).toHaveLength(MEMBERS);
  expect([...writes]).toEqual([['heartbeat', MEMBERS * ROUNDS]]);
});

function methodsOf(store: LeaseStore): readonly string[] {
  const own = Object.getOwnPropertyNames(store);
  const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(store));
  const isMethod = (name: string) => typeof (store as unknown as Record<string, unknown>)[name] === 'function';
  return [...new Set([...own, ...inherited])].filter((name) => name !== 'constructor' && isMethod(name));
}
