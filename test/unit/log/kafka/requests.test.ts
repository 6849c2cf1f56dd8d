/** The requests that we speak: their bytes by example, their answers by example, cut off everywhere, and scrambled. */
import { describe, expect, it } from 'vitest';
import { type ApiRequest, decodeResponse, encodeRequest } from '../../../../lib/log/kafka/protocol/api.js';
import { MalformedResponse } from '../../../../lib/log/kafka/protocol/malformed-response.js';
import { ProtocolWriter } from '../../../../lib/log/kafka/protocol/protocol-writer.js';
import { type FetchParameters, fetchRequest } from '../../../../lib/log/kafka/requests/fetch.js';
import { findCoordinatorRequest } from '../../../../lib/log/kafka/requests/find-coordinator.js';
import { initProducerIdRequest } from '../../../../lib/log/kafka/requests/init-producer-id.js';
import { EARLIEST, listOffsetsRequest } from '../../../../lib/log/kafka/requests/list-offsets.js';
import { metadataRequest, NO_TOPIC_ID } from '../../../../lib/log/kafka/requests/metadata.js';
import { offsetCommitRequest, txnOffsetCommitRequest } from '../../../../lib/log/kafka/requests/offset-commit.js';
import { offsetFetchRequest } from '../../../../lib/log/kafka/requests/offset-fetch.js';
import { produceRequest } from '../../../../lib/log/kafka/requests/produce.js';
import {
  createTopicRequest,
  deleteRecordsRequest,
  deleteTopicRequest,
  describeConfigsRequest,
} from '../../../../lib/log/kafka/requests/topic-requests.js';
import {
  addOffsetsRequest,
  addPartitionsRequest,
  endTxnRequest,
} from '../../../../lib/log/kafka/requests/transaction-steps.js';

interface Example {
  readonly request: ApiRequest<unknown>;
  /** Writes the answer, the header's tags included. */
  answer(writer: ProtocolWriter): void;
  readonly value: unknown;
}

const at = { topic: 't', partition: 1 };
const identity = { transactionalId: 'x', producerId: 7, epoch: 2 };
const example = (request: ApiRequest<unknown>, value: unknown, answer: Example['answer']): Example => ({
  request,
  value,
  answer,
});
const partitionResults = (writer: ProtocolWriter) => {
  writer.int32(0).array([at], ({ topic, partition }) => {
    writer.string(topic).array([partition], () => writer.int32(partition).int16(3));
  });
};

const TOPIC_ID = 'q1kAAAAAAAAAAAAAAAAAAQ';
const fetch = (topicId: string): FetchParameters => ({
  partitions: [{ ...at, topicId, fromOffset: 5, maxBytes: 100 }],
  isolation: 'readCommitted',
  maxWaitMs: 1,
  maxBytes: 9,
});
const fetched = {
  errorCode: 0,
  partitions: [
    {
      ...at,
      errorCode: 0,
      highWatermark: 9,
      lastStableOffset: 8,
      logStartOffset: 2,
      aborted: [{ producerId: 77n, firstOffset: 6 }],
      records: Buffer.from([1, 2]),
    },
  ],
};

const examples: Record<string, Example> = {
  Metadata: example(
    metadataRequest(['t']),
    {
      nodes: [
        { nodeId: 1, host: 'h', port: 9092 },
        { nodeId: 2, host: 'i', port: 9093, rack: 'a' },
      ],
      controllerId: 1,
      topics: [
        {
          name: 't',
          topicId: 'AAAAAAAAAAAAAAAAAAAAAA',
          errorCode: 0,
          partitions: [{ partition: 1, errorCode: 5, leaderId: -1, replicas: [1, 2] }],
        },
      ],
    },
    (writer) => {
      writer.noTags().int32(0);
      writer.compactArray(
        [
          [1, 'h', 9092, null],
          [2, 'i', 9093, 'a'],
        ] as const,
        ([id, host, port, rack]) => writer.int32(id).compactString(host).int32(port).compactString(rack).noTags(),
      );
      writer.compactString('cluster').int32(1);
      writer.compactArray(['t'], (name) => {
        writer.int16(0).compactString(name).zeroUuid().boolean(false);
        writer.compactArray([1], (partition) => {
          writer.int16(5).int32(partition).int32(-1).int32(4);
          for (const ids of [[1, 2], [1], []]) writer.compactArray(ids, (id) => writer.int32(id));
          writer.noTags();
        });
        writer.int32(0).noTags();
      });
      writer.int32(0).noTags();
    },
  ),
  Fetch: example(fetchRequest(fetch(TOPIC_ID)), fetched, (writer) => {
    writer.noTags().int32(0).int16(0).int32(0);
    writer.compactArray([at], ({ partition }) => {
      writer.uuid(TOPIC_ID).compactArray([partition], () => {
        writer.int32(partition).int16(0).int64(9).int64(8).int64(2);
        writer.compactArray([77], (id) => writer.int64(id).int64(6).noTags());
        writer.int32(-1).unsignedVarint(3).int8(1).int8(2).noTags();
      });
      writer.noTags();
    });
    writer.noTags();
  }),
  'Fetch by name': example(fetchRequest(fetch(NO_TOPIC_ID)), fetched, (writer) => {
    writer.int32(0).int16(0).int32(0);
    writer.array([at], ({ topic, partition }) => {
      writer.string(topic).array([partition], () => {
        writer.int32(partition).int16(0).int64(9).int64(8).int64(2);
        writer.array([77], (id) => writer.int64(id).int64(6));
        writer.int32(-1).bytes(Buffer.from([1, 2]));
      });
    });
  }),
  ListOffsets: example(
    listOffsetsRequest([{ ...at, timestampMs: EARLIEST }], 'readCommitted'),
    [{ ...at, errorCode: 0, offset: 12 }],
    (writer) => {
      writer.int32(0).array([at], ({ topic, partition }) => {
        writer.string(topic).array([partition], () => writer.int32(partition).int16(0).int64(-1).int64(12).int32(0));
      });
    },
  ),
  FindCoordinator: example(
    findCoordinatorRequest('transaction', 'x'),
    { errorCode: 15, node: { nodeId: -1, host: '', port: -1 } },
    (writer) => writer.int32(0).int16(15).string('away').int32(-1).string('').int32(-1),
  ),
  OffsetFetch: example(
    offsetFetchRequest('g', [at]),
    { errorCode: 0, partitions: [{ ...at, committed: 4, metadata: 'm', errorCode: 88 }] },
    (writer) => {
      writer.noTags().int32(0);
      writer.compactArray([at], ({ topic, partition }) => {
        writer.compactString(topic).compactArray([partition], () => {
          writer.int32(partition).int64(4).int32(-1).compactString('m').int16(88).noTags();
        });
        writer.noTags();
      });
      writer.int16(0).noTags();
    },
  ),
  OffsetCommit: example(
    offsetCommitRequest('g', [{ ...at, nextOffset: 4, metadata: '' }]),
    [{ ...at, errorCode: 3 }],
    partitionResults,
  ),
  TxnOffsetCommit: example(
    txnOffsetCommitRequest(identity, 'g', [{ ...at, nextOffset: 4, metadata: '' }]),
    [{ ...at, errorCode: 3 }],
    partitionResults,
  ),
  AddPartitionsToTxn: example(addPartitionsRequest(identity, [at]), [{ ...at, errorCode: 3 }], partitionResults),
  AddOffsetsToTxn: example(addOffsetsRequest(identity, 'g'), 51, (writer) => writer.int32(0).int16(51)),
  EndTxn: example(endTxnRequest(identity, true), 47, (writer) => writer.int32(0).int16(47)),
  InitProducerId: example(initProducerIdRequest('x', 1_000), { errorCode: 0, producerId: 7, epoch: 3 }, (writer) =>
    writer.int32(0).int16(0).int64(7).int16(3),
  ),
  Produce: example(
    produceRequest('x', 1_000, [{ ...at, batch: Buffer.from([9]) }]),
    [{ ...at, errorCode: 87, errorMessage: 'no key', baseOffset: -1 }],
    (writer) => {
      writer.array([at], ({ topic, partition }) => {
        writer.string(topic).array([partition], () => {
          writer.int32(partition).int16(87).int64(-1).int64(-1).int64(-1);
          writer.array([0], (index) => writer.int32(index).string('no key'));
          writer.string('refused');
        });
      });
      writer.int32(0);
    },
  ),
  CreateTopics: example(
    createTopicRequest({ name: 't', partitions: 1, config: { 'cleanup.policy': 'compact' } }, 1_000),
    [{ topic: 't', errorCode: 36, errorMessage: 'exists' }],
    (writer) => writer.int32(0).array(['t'], (name) => writer.string(name).int16(36).string('exists')),
  ),
  DeleteTopics: example(deleteTopicRequest('t', 1_000), [{ topic: 't', errorCode: 3, errorMessage: null }], (writer) =>
    writer.int32(0).array(['t'], (name) => writer.string(name).int16(3)),
  ),
  DeleteRecords: example(
    deleteRecordsRequest([{ ...at, beforeOffset: 5 }], 1_000),
    [{ ...at, errorCode: 1 }],
    (writer) => {
      writer.int32(0).array([at], ({ topic, partition }) => {
        writer.string(topic).array([partition], () => writer.int32(partition).int64(-1).int16(1));
      });
    },
  ),
  DescribeConfigs: example(
    describeConfigsRequest(['t']),
    [{ topic: 't', errorCode: 0, errorMessage: null, config: { 'cleanup.policy': 'delete', secret: '' } }],
    (writer) => {
      writer.int32(0).array(['t'], (name) => {
        writer.int16(0).string(null).int8(2).string(name);
        writer.array(
          [
            ['cleanup.policy', 'delete'],
            ['secret', null],
          ] as const,
          ([key, value]) => {
            writer.string(key).string(value).boolean(false).int8(5).boolean(false);
            writer.array(['synonym'], (synonym) => writer.string(synonym).string('v').int8(5));
          },
        );
      });
    },
  ),
};

function answerOf({ answer }: Example): Buffer {
  const writer = new ProtocolWriter();
  answer(writer);
  return Buffer.from(writer.toBuffer());
}

describe.each(Object.entries(examples))('%s', (name, tried) => {
  const { request, value } = tried;

  it('is sent under its name, with room for tags where its version has them', () => {
    const bytes = encodeRequest(request);

    expect(request.api.name).toBe(name.split(' ')[0]);
    expect(bytes.length).toBeGreaterThan(3);
    if (request.api.flexible) expect(bytes[0]).toBe(0);
  });

  it('has its answer read field by field', () => {
    expect(decodeResponse(request, answerOf(tried)).value).toEqual(value);
  });

  it('refuses an answer that is cut off, wherever that is', () => {
    const whole = answerOf(tried);
    // Tags at the end are not looked at: there is nothing behind them.
    const looked = whole.length - (request.api.flexible && name !== 'Metadata' ? 1 : name === 'Metadata' ? 5 : 0);

    for (let length = 0; length < looked; length += 1)
      expect(() => decodeResponse(request, whole.subarray(0, length)), `${length} bytes`).toThrow(MalformedResponse);
  });

  it('reads a scrambled answer as something or refuses it, at once', () => {
    const whole = answerOf(tried);

    for (let seed = 0; seed < 500; seed += 1) {
      const bytes = Buffer.from(whole);
      bytes[(seed * 7) % bytes.length] = (seed * 31 + 129) % 256;
      try {
        decodeResponse(request, bytes);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(MalformedResponse);
      }
    }
  });
});

describe('throttling', () => {
  it('is told with the answer', () => {
    const writer = new ProtocolWriter().int32(250).int16(0);

    expect(decodeResponse(endTxnRequest(identity, true), writer.toBuffer()).throttleTimeMs).toBe(250);
  });
});

describe('a fetch', () => {
  it('asks by the ids of the topics, and by their names where one has none (trap 25)', () => {
    const byId = fetchRequest(fetch(TOPIC_ID));
    const byName = fetchRequest(fetch(NO_TOPIC_ID));

    expect([byId.api.version, byId.older?.api.version, byName.api.version, byName.older]).toEqual([
      13,
      11,
      11,
      undefined,
    ]);
    const bytes = encodeRequest(byId);
    expect(bytes.includes(Buffer.from(TOPIC_ID, 'base64url'))).toBe(true);
    expect(byId.older && encodeRequest(byId.older)).toEqual(encodeRequest(byName));
  });
});
