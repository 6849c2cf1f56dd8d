/** The suppression of cases. */
import { type KTable, type Suppression, untilTimeLimit, untilWindowCloses } from '../../lib/index.js';
import { type CaseNode, named, type Operator, type Value } from './case-nodes.js';

export const suppress: Operator = (build, node) => {
  const input = build.kind(node, node.in, 'table');
  const table = input.of as KTable<Value, Value> & { suppress(until: Suppression, options: object): typeof input.of };
  const options = { ...named(node), ...(node.loggingDisabled === undefined ? {} : { logged: !node.loggingDisabled }) };
  return { ...input, of: table.suppress(untilOf(node), options) };
};

function untilOf({ until, timeLimitMs = 0, buffer = {} }: CaseNode): Suppression {
  const { whenFull, ...limits } = buffer;
  if (until === 'timeLimit')
    return untilTimeLimit(timeLimitMs, { ...limits, ...(whenFull === undefined ? {} : { whenFull }) });
  if (until === 'windowCloses') return untilWindowCloses(limits);
  throw new Error(`missing operator: suppress until ${until}`);
}
