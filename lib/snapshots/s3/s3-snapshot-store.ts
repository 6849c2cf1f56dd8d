/**
 * Snapshots as objects of one S3 bucket, below a prefix.
 *
 *   S1  an object is created by one PUT that S3 takes only if the name is free (`If-None-Match: *`): all of it or nothing, and
 *       of two creators one wins. One PUT takes 5 GiB, more than a `Uint8Array` of Node holds: there are no uploads in parts
 *   S2  each creation marks its object with an id of its own. Where the outcome is not certain (a reply was lost, the client
 *       asked twice and the second answer says "taken"), the object's mark says whether it is ours
 *   S3  S3 is strongly consistent: what was created is read and listed by whoever asks afterwards
 *   S4  listings are in order of the names as bytes, as general purpose buckets have it. Directory buckets (S3 Express One
 *       Zone) have no order and are not for this
 */
import { randomUUID } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type _Object as ListedObject,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { InvalidSettingError, UnavailableError } from '../../model/errors.js';
import { appendAll } from '../../model/lists.js';
import { checkObjectName, isObjectName } from '../object-name.js';
import type { ObjectEntry, SnapshotStore } from '../snapshot-store.js';
import { asS3Error, isAbsent, isBeyondEnd, isConflict, isTaken } from './s3-errors.js';

/** Attempts of the client at one request, unless its configuration says otherwise; it waits between them, with jitter. */
const MAX_ATTEMPTS = 4;
const CONNECT_TIMEOUT_MS = 1_000;
/** How long S3 may say nothing, before an answer or in the middle of one; the time of a whole object depends on its size. */
const SILENCE_TIMEOUT_MS = 5_000;
/** Times that a PUT is repeated because another writer was at the name, or had been there and removed it. */
const MAX_CREATE_TRIES = 5;
/** Times that an object is asked for again because its body broke off. */
const MAX_READ_TRIES = 3;
/** Entries in one answer of S3: its own limit. */
const MAX_PAGE = 1_000;
/** Answers that one listing may take: ten million objects. */
const MAX_PAGES = 10_000;
/** Age of an object that S3 does not date: always just written, so that no garbage collection ever takes it. */
const NEVER_OLD = Number.MAX_SAFE_INTEGER;
/** Metadata of an object: which call created it. */
const MARK = 'millrace-creation';

export interface S3SnapshotStoreOptions {
  /** A general purpose bucket; it is not created. */
  readonly bucket: string;
  /** In front of every name, as it is: end it with `/` for a folder. Default: nothing. */
  readonly prefix?: string;
  /** A client to share; else one is made. */
  readonly client?: S3Client;
  /** For the client that is made. With an `endpoint`, buckets are addressed by path unless `forcePathStyle` says otherwise. */
  readonly clientConfig?: S3ClientConfig;
}

/**
 * Opens a bucket of snapshots; nothing is asked of S3 before the first call.
 *
 * Calls throw: {UnavailableError} STREAMS_UNAVAILABLE if S3 was away or throttled for longer than the client tries, or if the
 * fate of a creation is unknown · {InvalidSettingError} STREAMS_INVALID_SETTING if there is no such bucket, or the role may
 * not do it · {InternalError} STREAMS_INTERNAL for a name of another form.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if the bucket has no name
 */
export function createS3SnapshotStore(options: S3SnapshotStoreOptions): SnapshotStore {
  if (options.bucket === '') throw new InvalidSettingError('S3 option bucket: it has no name');
  return new S3SnapshotStore(
    options.bucket,
    options.prefix ?? '',
    options.client ?? clientOf(options.clientConfig ?? {}),
  );
}

function clientOf(config: S3ClientConfig): S3Client {
  return new S3Client({
    maxAttempts: MAX_ATTEMPTS,
    forcePathStyle: config.endpoint !== undefined,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SILENCE_TIMEOUT_MS },
    ...config,
  });
}

/** Where a page of a listing starts. */
type PageStart = Pick<ListObjectsV2CommandInput, 'StartAfter' | 'ContinuationToken'>;

interface Page {
  readonly entries: readonly ObjectEntry[];
  readonly next: string | undefined;
}

interface Body {
  transformToByteArray(): Promise<Uint8Array>;
}

const EMPTY: Body = { transformToByteArray: async () => new Uint8Array(0) };

class S3SnapshotStore implements SnapshotStore {
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly client: S3Client;

  constructor(bucket: string, prefix: string, client: S3Client) {
    this.bucket = bucket;
    this.prefix = prefix;
    this.client = client;
  }

  async create(name: string, bytes: Uint8Array): Promise<boolean> {
    const object = this.objectOf(name);
    const mark = randomUUID();
    const put = { ...object, Body: bytes, IfNoneMatch: '*', Metadata: { [MARK]: mark } };
    let reason: unknown;
    for (let tries = 0; tries < MAX_CREATE_TRIES; tries += 1) {
      try {
        await this.client.send(new PutObjectCommand(put));
        return true;
      } catch (thrown) {
        const error = asS3Error(`cannot create ${name}`, this.bucket, thrown);
        if (error.kind === 'invalid') throw error;
        reason = thrown;
      }
      const found = await this.look(name, object, mark);
      if (found !== 'absent') return found === 'ours';
      if (!isConflict(reason) && !isTaken(reason)) break; // the client has tried often enough
    }
    throw asS3Error(`cannot create ${name}`, this.bucket, reason);
  }

  async read(name: string, range?: { readonly from: number; readonly to: number }): Promise<Uint8Array | null> {
    let reason: unknown;
    for (let tries = 0; tries < MAX_READ_TRIES; tries += 1) {
      const body = await this.open(name, range);
      if (body === null) return null;
      try {
        return await body.transformToByteArray();
      } catch (thrown) {
        reason = thrown; // it broke off: the client repeats what fails before the body, and no more
      }
    }
    throw asS3Error(`cannot read all of ${name}`, this.bucket, reason);
  }

  async list(
    prefix: string,
    options: { readonly limit?: number; readonly after?: string } = {},
  ): Promise<readonly ObjectEntry[]> {
    const { limit = Number.MAX_SAFE_INTEGER, after = '' } = options;
    const found: ObjectEntry[] = [];
    let from: PageStart = after === '' ? {} : { StartAfter: this.prefix + after };
    for (let pages = 0; found.length < limit; pages += 1) {
      if (pages >= MAX_PAGES)
        throw new UnavailableError(`more than ${MAX_PAGES} pages of objects start with ${prefix}`);
      const { entries, next } = await this.page(prefix, from, Math.min(MAX_PAGE, limit - found.length));
      appendAll(found, entries);
      if (next === undefined) break;
      from = { ContinuationToken: next };
    }
    return found;
  }

  async remove(name: string): Promise<void> {
    try {
      await this.client.send(new DeleteObjectCommand(this.objectOf(name)));
    } catch (thrown) {
      if (!isAbsent(thrown)) throw asS3Error(`cannot remove ${name}`, this.bucket, thrown);
    }
  }

  private objectOf(name: string): { readonly Bucket: string; readonly Key: string } {
    checkObjectName(name);
    return { Bucket: this.bucket, Key: this.prefix + name };
  }

  /** S2: what is under the name after a creation whose outcome is not certain. */
  private async look(name: string, object: { readonly Bucket: string; readonly Key: string }, mark: string) {
    try {
      const { Metadata } = await this.client.send(new HeadObjectCommand(object));
      return Metadata?.[MARK] === mark ? 'ours' : 'theirs';
    } catch (thrown) {
      if (isAbsent(thrown)) return 'absent';
      throw asS3Error(`cannot see whether ${name} was created`, this.bucket, thrown);
    }
  }

  /** The object's bytes, not read yet; null if there is no such object. */
  private async open(name: string, range?: { readonly from: number; readonly to: number }): Promise<Body | null> {
    const object = this.objectOf(name);
    const from = Math.max(0, range?.from ?? 0);
    try {
      if (range !== undefined && range.to <= from) {
        await this.client.send(new HeadObjectCommand(object)); // HTTP has no empty range
        return EMPTY;
      }
      const part = range === undefined ? {} : { Range: `bytes=${from}-${range.to - 1}` };
      return (await this.client.send(new GetObjectCommand({ ...object, ...part }))).Body ?? EMPTY;
    } catch (thrown) {
      if (isAbsent(thrown)) return null;
      if (isBeyondEnd(thrown)) return EMPTY;
      throw asS3Error(`cannot read ${name}`, this.bucket, thrown);
    }
  }

  private async page(prefix: string, from: PageStart, limit: number): Promise<Page> {
    const request = { Bucket: this.bucket, Prefix: this.prefix + prefix, MaxKeys: limit, ...from };
    try {
      const answer = await this.client.send(new ListObjectsV2Command(request));
      const entries = (answer.Contents ?? []).map((entry) => this.entryOf(entry)).filter((entry) => entry !== null);
      return { entries, next: answer.IsTruncated === true ? answer.NextContinuationToken : undefined };
    } catch (thrown) {
      throw asS3Error(`cannot list ${prefix}`, this.bucket, thrown);
    }
  }

  /** Null for somebody else's object. */
  private entryOf({ Key = '', Size = 0, LastModified }: ListedObject): ObjectEntry | null {
    const name = Key.slice(this.prefix.length);
    return isObjectName(name) ? { name, sizeBytes: Size, modifiedAtMs: LastModified?.getTime() ?? NEVER_OLD } : null;
  }
}
