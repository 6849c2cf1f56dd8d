/** What `KTable` and `Suppressed` of Kafka Streams 4.1 refuse, call by call: each is refused, and named by the name or store it was given. */
import { string, untilTimeLimit, untilWindowCloses } from '../../../../lib/index.js';
import { built, history, kept, mine, name, none, refuses, table, text, yes } from '../../../support/refusals.js';

refuses('a step of a table is refused as Kafka Streams refuses it', [
  ['filter', [mine], () => table().filter(none, { name })],
  ['filterNot', [kept], () => table().filterNot(none, { store: 'kept' })],
  ['mapValues', [mine], () => table().mapValues(none, { name })],
  ['groupBy', [mine], () => table().groupBy(none, { name })],
  ['transformValues', [mine], () => table().transformValues(none, { name, value: string() })],
  ['transformValues without serde', [mine], () => table().transformValues(none, { name } as never)],
  [
    'transformValues with a store that there is not',
    [mine, kept],
    () =>
      built((of) =>
        of
          .table('in', text)
          .transformValues(() => ({ transform: () => '' }), { name, value: string(), stores: ['kept'] }),
      ),
  ],
  ['toStream with null', ['toStream'], () => table().toStream(none)],
  ['suppress without saying until when', [mine], () => table().suppress(none, { name })],
  ['suppress of a kind of one’s own', [mine], () => table().suppress({ until: 'tea' } as never, { name })],
  [
    'suppress until windows close that there are not',
    [name],
    () => table().suppress(untilWindowCloses() as never, { name }),
  ],
  ['suppress of a table with history', [name], () => history(5).other.suppress(untilTimeLimit(5), { name })],
  [
    'suppress of what comes of a table with history',
    [name],
    () => history(5).other.filter(yes).suppress(untilTimeLimit(5), { name }),
  ],
  ['a limit that is null', ['untilTimeLimit'], () => untilTimeLimit(none)],
  ['a limit that is negative', ['untilTimeLimit'], () => untilTimeLimit(-1)],
  ['final results that come early', ['untilWindowCloses'], () => untilWindowCloses({ whenFull: 'emitEarly' as never })],
]);
