import { LEASE_TRANSITIONS, SLOT_TRANSITIONS } from '../../leases/protocol.js';
import { type Exploration, explore } from './explore.js';
import { PROTECTION_NAMES, PROTECTIONS, type ProtectionName, without } from './protections.js';

export interface ExploreProtocolOptions {
  /** What may befall the members and schedulers of one run, in all; 1 unless given. */
  readonly disturbances?: number;
  /** States after which an exploration stops, complete or not. */
  readonly maxStates?: number;
  /** Protections to switch off, each in an exploration of its own; all unless given, none for an empty list. */
  readonly mutants?: readonly ProtectionName[];
}

export interface ProtocolReport {
  /** Whether the protocol kept every invariant, in every state, and each mutant broke one. */
  readonly held: boolean;
  readonly protocol: Exploration;
  readonly mutants: ReadonlyMap<ProtectionName, Exploration>;
}

/**
 * Explores the protocol of slots, leases and plans: two members, two tasks, every order of steps, and everything that may befall
 * them. Then once more for each protection without it, to see that it is needed. docs/protocol.md says what is explored.
 *
 * @param print receives the report, line by line
 */
export function exploreProtocol(options: ExploreProtocolOptions, print: (line: string) => void): ProtocolReport {
  const { mutants = PROTECTION_NAMES, ...bounds } = options;
  const protocol = explore(bounds);
  printProtocol(protocol, print);
  const explored = mutants.map((name) => {
    const exploration = explore({ ...bounds, protections: without(name) });
    printMutant(name, exploration, print);
    return [name, exploration] as const;
  });
  const held = protocol.isComplete && explored.every(([, { violation }]) => violation !== null);
  print(held ? 'The protocol keeps its invariants, and needs each protection.' : 'NOT ALL HELD.');
  return { held, protocol, mutants: new Map(explored) };
}

function printProtocol(
  { states, steps, depth, violation, isComplete, transitions }: Exploration,
  print: (line: string) => void,
) {
  const extent = violation !== null ? 'up to a violation' : isComplete ? 'all there are' : 'not all there are';
  print(`protocol: ${states} states (${extent}), ${steps} transitions, depth ${depth}`);
  for (const name of [...SLOT_TRANSITIONS, ...LEASE_TRANSITIONS]) print(`  ${name}: ${transitions.get(name) ?? 0}`);
  if (violation === null) return;
  print(`VIOLATED ${violation.invariant.id}: ${violation.invariant.text}`);
  for (const step of violation.path) print(`  ${step}`);
}

function printMutant(name: ProtectionName, { states, violation }: Exploration, print: (line: string) => void) {
  print(`without ${name}: ${PROTECTIONS[name]}`);
  if (violation === null) return print(`  NOT FOUND in ${states} states`);
  print(`  breaks ${violation.invariant.id} after ${violation.path.length} steps (${states} states)`);
  for (const step of violation.path) print(`    ${step}`);
}
