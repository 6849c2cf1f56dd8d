/** What may call the scheduler function: the schedule, a tick, and word of failed invocations. */
import { describe, expect, it } from 'vitest';
import { decodeSchedulerEvent } from '../../../lib/lambda/scheduler-event.js';
import { InvalidPayloadError } from '../../../lib/model/errors.js';

const failure = {
  version: '1.0',
  timestamp: '2026-01-01T00:00:00.000Z',
  requestContext: {
    requestId: 'c0ffee00-0000-4000-8000-000000000001',
    functionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:millrace-dev-task:$LATEST',
    condition: 'RetriesExhausted',
    approximateInvokeCount: 1,
  },
  requestPayload: {
    type: 'run-member',
    applicationId: 'word-count',
    expiresAtMs: 1,
    memberId: 'member-2',
    incarnation: 7,
  },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  responsePayload: { errorMessage: 'Task timed out after 840.00 seconds' },
};
const failed = { requestId: failure.requestContext.requestId, condition: 'RetriesExhausted' };

const message = (messageId: string, body: string) => ({ messageId, body, eventSource: 'aws:sqs' });

describe('an event of the scheduler function', () => {
  it.each(['aws.events', 'aws.scheduler'])('from the schedule (%s) starts a loop of ticks', (source) => {
    const event = { source, 'detail-type': 'Scheduled Event', detail: {}, resources: [] };

    expect(decodeSchedulerEvent(event)).toEqual({ type: 'schedule' });
  });

  it('that is a tick is passed on', () => {
    const tick = { type: 'tick', applicationId: 'word-count', expiresAtMs: 5, reason: 'member-1 drained' };

    expect(decodeSchedulerEvent(tick)).toEqual(tick);
  });

  it("from Lambda's failure destination names the invocation that failed", () => {
    expect(decodeSchedulerEvent(failure)).toEqual({ type: 'failures', failed: [failed], unread: [] });
  });

  it('from the failures queue names each of them', () => {
    const other = { ...failure, requestContext: { ...failure.requestContext, requestId: 'other' } };
    const Records = [message('1', JSON.stringify(failure)), message('2', JSON.stringify(other))];

    expect(decodeSchedulerEvent({ Records })).toEqual({
      type: 'failures',
      failed: [failed, { ...failed, requestId: 'other' }],
      unread: [],
    });
  });

  it('from the failures queue hands back what is no failure, and uses the rest', () => {
    const Records = [
      message('1', 'no JSON'),
      message('2', JSON.stringify(failure)),
      message('3', '{"requestContext":{}}'),
      { messageId: '4' },
    ];

    const event = decodeSchedulerEvent({ Records });

    expect(event).toMatchObject({ type: 'failures', failed: [failed] });
    expect(event.type === 'failures' ? event.unread.map(({ messageId }) => messageId) : []).toEqual(['1', '3', '4']);
    expect(event.type === 'failures' ? event.unread.map(({ error }) => error.code) : []).toEqual([
      'STREAMS_INVALID_PAYLOAD',
      'STREAMS_INVALID_PAYLOAD',
      'STREAMS_INVALID_PAYLOAD',
    ]);
  });

  it.each([
    ['null', null],
    ['a text', 'tick'],
    ['a list', []],
    ['nothing that it knows', { hello: 'world' }],
    ["another function's payload", failure.requestPayload],
    ['a tick without reason', { type: 'tick', applicationId: 'word-count', expiresAtMs: 5 }],
    ['a failure without request id', { requestContext: { condition: 'RetriesExhausted' } }],
    ['messages without id', { Records: [{ body: '{}' }] }],
    ['messages that are no list', { Records: {} }],
  ])('is refused if it is %s', (_, event) => {
    expect(() => decodeSchedulerEvent(event)).toThrow(InvalidPayloadError);
  });
});
