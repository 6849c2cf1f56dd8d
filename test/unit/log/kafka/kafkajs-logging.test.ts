/** What of kafkajs's own words reaches the log of the application. */
import kafkajs from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { Logger } from '../../../../lib/host/host.js';
import { kafkajsLogCreator } from '../../../../lib/log/kafka/net/kafkajs-logging.js';

const { logLevel } = kafkajs;

interface Line {
  readonly level: string;
  readonly event: string;
  readonly fields: unknown;
}

function heard() {
  const lines: Line[] = [];
  const at = (level: string) => (event: string, fields?: unknown) => void lines.push({ level, event, fields });
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  const log = kafkajsLogCreator(logger, clock)(logLevel.WARN);
  const says = (message: string, broker = 'a:9092', level = logLevel.ERROR) =>
    log({
      namespace: 'Connection',
      level,
      label: 'ERROR',
      log: { message, broker, timestamp: '', logger: 'kafkajs', stack: 'Error\n    at Socket' },
    });
  return { lines, clock, says, warnings: () => lines.filter(({ level }) => level === 'warn') };
}

describe('a connection that fails', () => {
  it('is said in one line, without a stack, once for each broker and cause', () => {
    const { says, warnings } = heard();

    for (let attempt = 0; attempt < 5; attempt += 1) says('Connection error: connect ECONNREFUSED 127.0.0.1:9092');
    says('Connection timeout');
    says('Connection timeout', 'b:9092');

    expect(warnings().map(({ event, fields }) => [event, fields])).toEqual([
      [
        'kafka-connection-failed',
        { broker: 'a:9092', message: 'Connection error: connect ECONNREFUSED 127.0.0.1:9092' },
      ],
      ['kafka-connection-failed', { broker: 'a:9092', message: 'Connection timeout' }],
      ['kafka-connection-failed', { broker: 'b:9092', message: 'Connection timeout' }],
    ]);
  });

  it('is said again where it still fails a minute later', () => {
    const { says, warnings, clock } = heard();

    says('Connection timeout');
    clock.nowMs = 59_999;
    says('Connection timeout');
    clock.nowMs = 60_000;
    says('Connection timeout');

    expect(warnings()).toHaveLength(2);
  });

  it.each(['the log was closed', 'the connection was given up'])('is no news where we have ended it: %s', (why) => {
    const { says, lines } = heard();

    says(`Connection error: ${why}`);

    expect(lines.map(({ level, event }) => [level, event])).toEqual([['debug', 'kafkajs']]);
  });

  it('is a detail where kafkajs only warns', () => {
    const { says, lines } = heard();

    says('Response without match', 'a:9092', logLevel.WARN);

    expect(lines.map(({ level }) => level)).toEqual(['debug']);
  });
});
