/** Which version of a request a connection sends, by what the broker at its other end speaks. */
import { describe, expect, it } from 'vitest';
import type { KafkajsBroker, RawRequest } from '../../../../lib/log/kafka/net/kafkajs-internals.js';
import { Lane } from '../../../../lib/log/kafka/net/lane.js';
import type { ApiRequest } from '../../../../lib/log/kafka/protocol/api.js';

const KEY = 1;
const request = (version: number, older?: ApiRequest<number>): ApiRequest<number> => ({
  api: { name: 'Question', key: KEY, version, flexible: false },
  encode: (writer) => writer.int32(version),
  decode: () => version,
  ...(older === undefined ? {} : { older }),
});

/** A connection to a broker that speaks versions up to `most`; null: not known. */
async function laneTo(most: number | null) {
  const sent: number[] = [];
  const connection = {
    isConnected: () => true,
    async send(raw: RawRequest) {
      sent.push(raw.request.apiVersion);
      return { payload: Buffer.alloc(0), clientSideThrottleTime: null };
    },
  };
  const broker: KafkajsBroker = {
    connectionPool: { getConnection: async () => connection },
    versions: most === null ? null : { [KEY]: { minVersion: 4, maxVersion: most } },
    isConnected: () => true,
    connect: async () => undefined,
    disconnect: async () => undefined,
  };
  return { sent, lane: await Lane.open(broker, 0) };
}

describe('a connection', () => {
  it.each([
    [17, 13],
    [13, 13],
    [12, 11],
    [null, 13],
  ])(
    'to a broker that speaks up to version %s sends version %s of a request that has an older one',
    async (most, version) => {
      const { lane, sent } = await laneTo(most);

      const { value } = await lane.send(request(13, request(11)), 1_000);

      expect([value, sent]).toEqual([version, [version]]);
    },
  );

  it('refuses what the broker does not speak, where there is no older one', async () => {
    const { lane, sent } = await laneTo(10);

    await expect(lane.send(request(13, request(11)), 1_000)).rejects.toMatchObject({ isRefusal: true });
    await expect(lane.send(request(13), 1_000)).rejects.toMatchObject({ isRefusal: true });
    expect(sent).toEqual([]);
  });
});
