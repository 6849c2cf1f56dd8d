/**
 * What the query function answers is true: the value is the one that the committed changelog has for the key below the offset
 * that the answer names, or one committed later that a snapshot held by then; that offset is not before what was committed when the
 * question came; and once all is quiet the answer is the end. It fails only where a fault explains it. What is answered of a
 * changelog that was harmed is not judged.
 */
import { jsonResponse } from '../../../lambda/http-response.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import { type Answer, QueryCaller } from '../query-caller.js';
import type { CheckedRun, Checker } from './checker.js';
import { PublishedEnds } from './published-ends.js';

/** Samples between two questions. */
const ASK_EVERY = 4;
/** Questions when all is quiet. */
const FINAL_QUESTIONS = 6;

interface AnswerBody {
  readonly value: unknown;
  readonly asOf: { readonly topic: string; readonly partition: number; readonly nextOffset: number };
}

export const queriesAreTrue: Checker = {
  name: 'queries-are-true',
  watch(run) {
    const { cloud, witness, wrong } = run;
    const caller = new QueryCaller(cloud, witness);
    const ends = new PublishedEnds(run);
    const answers: Answer[] = [];
    let samples = 0;
    let isQuiet = false;
    const askOne = async () => {
      const question = await caller.draw();
      if (question === null) return;
      const answer = await caller.ask(question);
      answers.push(answer);
      if (!answer.ok && !isExplained(run, answer)) wrong(`${said(answer)} fails: ${answer.why}`);
    };
    return {
      async sample() {
        samples += 1;
        if (samples % ASK_EVERY === 0 && !isQuiet) cloud.inBackground(askOne());
      },
      async settled() {
        isQuiet = true;
        for (let asked = 0; asked < FINAL_QUESTIONS; asked += 1) await askOne();
      },
      async ended() {
        for (const answer of answers) {
          if (cloud.harms.partitions.has(topicPartitionKey(answer.changelog))) continue; // its offsets are of two lives
          const ownEnd = await ends.until(topicPartitionKey(answer.changelog), answer.answeredAtMs);
          const what = answer.ok ? untruth(run, answer, answer.body, ownEnd) : null;
          if (what !== null) wrong(`${said(answer)}: ${what}`);
        }
      },
    };
  },
};

/**
 * @param snapshotsEnd how far the changelog had been written when the last snapshot before the answer was published; null: there was none
 * @returns what is not true of an answer; null: nothing
 */
export function untruth(
  { cloud, witness }: Pick<CheckedRun, 'cloud' | 'witness'>,
  question: Answer,
  body: string,
  snapshotsEnd: number | null,
): string | null {
  const { value, asOf } = JSON.parse(body) as AnswerBody;
  const { changelog, committedUpTo, key, store } = question;
  if (asOf.topic !== changelog.topic || asOf.partition !== changelog.partition)
    return `is answered from ${asOf.topic}-${asOf.partition}`;
  if (asOf.nextOffset < committedUpTo)
    return `is as of ${asOf.nextOffset}, and ${committedUpTo} was committed when it came`;
  const serde = cloud.app.topology.stores.get(store)?.valueSerde;
  const asText = (stored: string | null) =>
    jsonResponse(200, { value: stored === null ? null : serde?.deserialize(Buffer.from(stored, 'latin1')) }).body;
  const ofKey = witness.committed.records(topicPartitionKey(changelog)).filter((record) => record.key === key);
  const due = ofKey.filter(({ offset }) => offset < asOf.nextOffset).at(-1)?.value ?? null;
  const later = ofKey.filter(({ offset }) => offset >= asOf.nextOffset && offset < (snapshotsEnd ?? 0));
  const seenText = jsonResponse(200, { value }).body;
  if (seenText === asText(due) || later.some((record) => asText(record.value) === seenText)) return null;
  return `${seenText} as of ${asOf.nextOffset}, where ${asText(due)} was committed`;
}

/** Faults of the past explain a failure for as long as one question may take. */
function isExplained({ cloud, witness }: CheckedRun, { askedAtMs }: Answer): boolean {
  return witness.trouble.untilMs + cloud.app.settings.restoreStallTimeoutMs >= askedAtMs;
}

function said({ key, store, changelog, askedAtMs }: Answer): string {
  return `'${key}' of ${store} (${changelog.topic}-${changelog.partition}) asked at ${Math.round(askedAtMs)} ms`;
}
