import { describe, expect, test } from 'vitest';
import { InvalidSettingError } from '../../../lib/model/errors.js';
import { resolveSettings, type SettingsInput, settingsFromText } from '../../../lib/model/settings.js';

describe('settings', () => {
  test('absent ones take their defaults', () => {
    expect(resolveSettings()).toMatchObject({ processingGuarantee: 'exactly_once_v2', commitIntervalMs: 100 });
  });

  test('durations may be texts with a unit', () => {
    expect(resolveSettings({ sessionTimeoutMs: '2m' }).sessionTimeoutMs).toBe(120_000);
  });

  test.each([
    ['an unknown name', { comitIntervalMs: 5 }, /comitIntervalMs/],
    [
      'a name that is Kafka’s',
      { 'num.stream.threads': 1 },
      "there is no setting 'num.stream.threads': here it is 'tasksPerMember'",
    ],
    ['one that is nearly Kafka’s', { 'commit.intervall.ms': 1 }, "; is 'commitIntervalMs' meant?"],
    ['one that is near no other', { bananas: 1 }, /there is no setting 'bananas'$/],
    ['a wrong type', { members: '3' }, /members \(millrace\.members\).*"3"/],
    ['a wrong unit', { commitIntervalMs: '5 parsecs' }, /commitIntervalMs/],
    ['a number out of range', { members: 0 }, /from 1 to 1000/],
    ['a choice that there is not', { autoOffsetReset: 'newest' }, /earliest, latest/],
    ['a handler that there is not', { deserializationExceptionHandler: { deadLetterTopic: '' } }, /deadLetterTopic/],
    ['a list of names that is a text', { rackAwareAssignmentTags: 'zone' }, /rackAwareAssignmentTags.*list of names/],
    ['a name that is empty', { rackAwareAssignmentTags: ['zone', ''] }, /rackAwareAssignmentTags/],
    ['heartbeats too slow for the session', { heartbeatIntervalMs: 30_000 }, /half of sessionTimeoutMs/],
    ['commits too slow for the transaction', { commitIntervalMs: 6_000 }, /half of transactionTimeoutMs/],
  ])('%s is refused, and the message says which', (_, input, message) => {
    const resolve = () => resolveSettings(input as SettingsInput);

    expect(resolve).toThrow(InvalidSettingError);
    expect(resolve).toThrow(message);
  });

  test('texts are taken by camelCase and by dotted names', () => {
    const input = settingsFromText({
      'commit.interval.ms': '250',
      maxTaskIdleMs: '1s',
      'millrace.members': '3',
      'deserialization.exception.handler': 'dead-letter:letters',
      'rack.aware.assignment.tags': 'zone, cluster',
    });

    expect(resolveSettings(input)).toMatchObject({
      commitIntervalMs: 250,
      maxTaskIdleMs: 1_000,
      members: 3,
      deserializationExceptionHandler: { deadLetterTopic: 'letters' },
      rackAwareAssignmentTags: ['zone', 'cluster'],
    });
    expect(resolveSettings(settingsFromText({ rackAwareAssignmentTags: '' })).rackAwareAssignmentTags).toEqual([]);
  });

  test.each([
    ['the same setting by both names', { 'poll.ms': '1', pollMs: '2' }],
    ['an unknown dotted name', { 'poll.msec': '1' }],
    ['a number that is none', { members: 'three' }],
  ])('%s is refused in texts', (_, text) => {
    expect(() => settingsFromText(text as Record<string, string>)).toThrow(InvalidSettingError);
  });
});

test('maxTaskIdleMs may be -1, as a number and as text, and nothing else that is negative', () => {
  expect(resolveSettings({ maxTaskIdleMs: -1 }).maxTaskIdleMs).toBe(-1);
  expect(resolveSettings(settingsFromText({ 'max.task.idle.ms': '-1' })).maxTaskIdleMs).toBe(-1);
  expect(() => resolveSettings({ maxTaskIdleMs: -2 })).toThrow('no duration');
  expect(() => resolveSettings({ commitIntervalMs: -1 })).toThrow('no duration');
});
