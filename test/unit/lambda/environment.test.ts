/** What environment variables decide, and what an execution environment keeps. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import wordCount from '../../../examples/wordcount/word-count.js';
import { appInEnvironment } from '../../../lib/lambda/environment.js';
import { deadlineOf } from '../../../lib/lambda/lambda-context.js';
import { once } from '../../../lib/lambda/once.js';
import { portsFromEnvironment } from '../../../lib/lambda/ports-from-environment.js';
import { InvalidSettingError } from '../../../lib/model/errors.js';
import { SETTING_SPECS } from '../../../lib/model/settings.js';

describe('settings in the environment', () => {
  it('override those of the application, and leave the others', () => {
    const environment = {
      MILLRACE_SETTING_SESSION_TIMEOUT_MS: '30s',
      MILLRACE_SETTING_PROCESSING_GUARANTEE: 'at_least_once',
      MILLRACE_SETTING_NUM_STANDBY_REPLICAS: '2',
      MILLRACE_PORTS: 'embedded',
      PATH: '/bin',
    };

    expect(appInEnvironment(wordCount, environment)).toEqual({
      ...wordCount,
      settings: {
        ...wordCount.settings,
        sessionTimeoutMs: 30_000,
        processingGuarantee: 'at_least_once',
        numStandbyReplicas: 2,
      },
    });
  });

  it('count as absent where they are empty', () => {
    expect(appInEnvironment(wordCount, { MILLRACE_SETTING_SESSION_TIMEOUT_MS: '' })).toEqual(wordCount);
  });

  it('reach every setting by its name in capitals', () => {
    for (const name of Object.keys(SETTING_SPECS)) {
      const upper = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
      const value = wordCount.settings[name as keyof typeof wordCount.settings];

      const { settings } = appInEnvironment(wordCount, { [`MILLRACE_SETTING_${upper}`]: String(value) });

      expect(settings).toEqual(wordCount.settings);
    }
  });

  it.each([
    ['MILLRACE_SETTING_SESION_TIMEOUT_MS', '30s'],
    ['MILLRACE_SETTING_SESSION_TIMEOUT_MS', 'soon'],
    ['MILLRACE_SETTING_NUM_STANDBY_REPLICAS', '-1'],
    ['MILLRACE_SETTING_HEARTBEAT_INTERVAL_MS', '1h'],
  ])('are refused where they are wrong: %s=%s', (name, value) => {
    expect(() => appInEnvironment(wordCount, { [name]: value })).toThrow(InvalidSettingError);
  });
});

describe('the ports of a deployed function', () => {
  it.each([[undefined], [''], ['kafka'], ['toString']])(
    'are refused with what is known for MILLRACE_PORTS=%s',
    async (name) => {
      const environment = name === undefined ? {} : { MILLRACE_PORTS: name };

      const refused = await portsFromEnvironment(environment, wordCount).catch((error: unknown) => error);

      expect(refused).toBeInstanceOf(InvalidSettingError);
      expect(refused).toMatchObject({
        details: { known: ['aws', 'embedded'] },
        remedy: expect.stringContaining('embedded'),
      });
    },
  );

  it('that are embedded keep log and snapshots in MILLRACE_STATE_DIR', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ports-'));
    try {
      const environment = { MILLRACE_PORTS: 'embedded', MILLRACE_STATE_DIR: folder };
      const first = await portsFromEnvironment(environment, wordCount);
      await first.log.createTopic({ name: 'kept', partitions: 1, config: {} });
      await first.snapshots.create('kept', Buffer.from('bytes'));
      await first.log.close();

      const second = await portsFromEnvironment(environment, wordCount);

      expect(await second.log.listTopics()).toContain('kept');
      expect(await second.snapshots.read('kept')).toEqual(Buffer.from('bytes'));
      await second.log.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('a value made once', () => {
  it('is made by the first caller and shared by all', async () => {
    let made = 0;
    const value = once(async () => {
      made += 1;
      return { made };
    });

    const values = await Promise.all([value(), value(), value()]);

    expect(new Set(values).size).toBe(1);
    expect(made).toBe(1);
  });

  it('is made again after an attempt that failed', async () => {
    let attempts = 0;
    const value = once(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('not yet');
      return attempts;
    });

    await expect(value()).rejects.toThrow('not yet');

    expect(await value()).toBe(2);
  });
});

describe("an invocation's deadline", () => {
  const context = (remainingMs: number) => ({ awsRequestId: 'id', getRemainingTimeInMillis: () => remainingMs });

  it("is on the machine's monotonic clock, a margin before the end", () => {
    expect(deadlineOf(context(840_000), 5_000, 2_000)).toBe(843_000);
  });

  it('is now where less than the margin is left', () => {
    expect(deadlineOf(context(500), 5_000, 2_000)).toBe(5_000);
  });
});
