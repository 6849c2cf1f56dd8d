/**
 * Word count on a real broker with every member in a process of its own: killed, stopped and continued, and the broker killed
 * under them. Exact counts are checked by the Java client.
 */
import { afterEach, expect, it } from 'vitest';
import { runJavaTool } from '../../support/kafka/java-tool.js';
import { PARTITIONS, WordCountProcesses } from '../../support/processes/word-count-processes.js';
import { seededRandom, textOfWords } from '../../support/text-of-words.js';
import { sleep } from '../../support/wait-for.js';
import { readCounts } from '../../support/word-count-reader.js';

const SEED = 4_101;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

it('counts are exactly 1 to n over killed, stopped and continued processes and a killed broker', async () => {
  const random = seededRandom(SEED);
  const text = textOfWords(200_000, SEED);
  const world = await WordCountProcesses.start('exactly_once_v2', cleanUps);
  await world.feed(text.lines.slice(0, 5_000));
  await world.untilCaughtUp(); // from here on every commit is one of work
  const feeding = world.feed(text.lines.slice(5_000));
  cleanUps.push(() => feeding.catch(() => undefined));

  for (let kills = 0; kills < 3; kills += 1) {
    await sleep(500 + random() * 1_500);
    await world.killOne(random);
  }
  const stopped = await world.stopInMidTransaction();
  await world.untilRunByOthers(stopped);
  await feeding;
  await world.untilCaughtUp();
  const rejection = await world.continueIntoRejection(stopped);
  const more = world.feed(text.lines);
  await sleep(300);
  await world.kafka.kill(1);
  await world.kafka.restart(1);
  await more;
  await world.untilCaughtUp();

  const seen = await runJavaTool('CheckCounts', ['counts'], { brokers: world.kafka.brokers });
  const wanted = [...text.counts].map(([word, count]) => `${word} ${2 * count}`);
  expect(seen.trim().split('\n').sort()).toEqual(wanted.sort());
  expect(rejection.fields.code).toBe('STREAMS_PRODUCER_FENCED');
}, 400_000);

it('at least once loses nothing and repeats little over a killed, a stopped and a continued process', async () => {
  const text = textOfWords(20_000, SEED);
  const world = await WordCountProcesses.start('at_least_once', cleanUps);
  await world.feed(text.lines.slice(0, 5_000));
  await world.untilCaughtUp(); // from here on every commit is one of work
  await world.feed(text.lines.slice(5_000, 10_000));
  await world.killOne(seededRandom(SEED));

  const [stopped] = await Promise.all([world.stopInMidTransaction(), world.feed(text.lines.slice(10_000))]);
  await world.untilRunByOthers(stopped);
  await world.untilCaughtUp(); // whoever took its tasks has committed what it was about to, and so has fenced it
  await world.continueIntoRejection(stopped);

  const counts = await readCounts(world.log, 'counts', PARTITIONS);
  const last = (word: string) => counts.get(word)?.at(-1) ?? 0;
  const lost = [...text.counts].filter(([word, count]) => last(word) < count);
  const words = [...text.counts.values()].reduce((sum, count) => sum + count, 0);
  const counted = [...text.counts.keys()].reduce((sum, word) => sum + last(word), 0);
  expect(lost).toEqual([]);
  expect(counted - words).toBeLessThan(words / 4);
  expect(world.events.filter(({ event }) => event === 'task-failed')).toEqual([]);
}, 200_000);
